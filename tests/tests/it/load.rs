//! More sessions than the capacity.

use std::time::Duration;

use futures::{StreamExt as _, TryStreamExt as _, stream};
use tarsy_e2e::model::usual;
use tarsy_e2e::{Answer, Gate, Llm, Records, Script, Stack, StackOptions};
use tarsy_testkit::Seen;

const TIMEOUT: Duration = Duration::from_mins(10);
const SESSIONS: u32 = 200;
const CAP: u32 = 20;

/// Notes, in the transaction of each claim, how many sessions are in progress with it. Claims take
/// turns, and a session that ends only makes fewer: the largest number noted is the most there were.
const WATCH: &str = "
    create table session_load (in_progress bigint not null);
    create function note_load() returns trigger language plpgsql as $$
    begin
        insert into session_load select count(*) from alert_sessions
            where status in ('in_progress', 'cancelling');
        return null;
    end $$;
    create trigger session_load after update of status on alert_sessions for each row
        when (old.status = 'pending' and new.status = 'in_progress')
        execute function note_load();";

#[tokio::test]
async fn two_hundred_sessions_all_complete_and_never_more_than_the_cap_at_once()
-> anyhow::Result<()> {
    let gate = Gate::default();
    let held = gate.clone();
    let play = Script::new(move |asked| {
        let text = "The disk is full. ".repeat(5);
        let answer = Answer::Streams(text, Duration::from_millis(10));
        usual(asked).unwrap_or(Answer::Waits(held.clone(), Box::new(answer)))
    });
    let options = StackOptions {
        llm: Llm::Scripted(play),
        orchestrators: 2,
        // More hands than places: the cap decides, not the room in a process.
        workers: 15,
        cap: Some(CAP),
        ..StackOptions::default()
    };
    let stack = Stack::start(options).await?;
    let mut sql = stack.sql().await?;
    sqlx::raw_sql(WATCH).execute(&mut sql).await?;
    let sessions: Vec<String> = stream::iter(1..=SESSIONS)
        .map(|number| {
            let stack = &stack;
            async move { stack.submit("plain", &format!("disk {number} is full")).await }
        })
        .buffer_unordered(20)
        .try_collect()
        .await?;
    // No session ends before there are as many as there may be.
    let in_progress = "select count(*) from alert_sessions where status = 'in_progress'";
    stack
        .wait_until("enough sessions run at once", TIMEOUT, async |stack| {
            let now: i64 =
                sqlx::query_scalar(in_progress).fetch_one(&mut stack.sql().await?).await?;
            Ok(Seen::equal(now, i64::from(CAP)))
        })
        .await?;
    gate.open();
    stack
        .wait_until("all sessions are over", TIMEOUT, async |stack| {
            let open: i64 = sqlx::query_scalar(
                "select count(*) from alert_sessions where completed_at is null",
            )
            .fetch_one(&mut stack.sql().await?)
            .await?;
            Ok(Seen::equal(open, 0))
        })
        .await?;
    let completed: i64 =
        sqlx::query_scalar("select count(*) from alert_sessions where status = 'completed'")
            .fetch_one(&mut sql)
            .await?;
    assert_eq!(completed, i64::from(SESSIONS));
    let (claims, most): (i64, i64) =
        sqlx::query_as("select count(*), max(in_progress) from session_load")
            .fetch_one(&mut sql)
            .await?;
    assert_eq!(claims, i64::from(SESSIONS), "each was begun once");
    assert_eq!(most, i64::from(CAP), "so many were in progress at once");
    let owners: i64 = sqlx::query_scalar(
        "select count(*) from session_control where attempts = 1 and event_seq = \
         (select count(*) from events where events.session_id = session_control.session_id)",
    )
    .fetch_one(&mut sql)
    .await?;
    assert_eq!(owners, i64::from(SESSIONS), "one owner each, and no event is missing");
    let one = sessions.first().map_or("", String::as_str);
    let records = Records::of(&stack, one).await?;
    assert_eq!(records.contents("executive_summary"), ["The summary: all is explained."]);
    Ok(())
}
