//! Each time of a schedule begins one session, whichever API gateway dies and whatever their clocks show.

use std::time::Duration;

use serde_json::{Value, json};
use tarsy_domain::clock::{Clock as _, SystemClock};
use tarsy_e2e::model::usual;
use tarsy_e2e::{Answer, Asked, Llm, Script, Stack, StackOptions};
use tarsy_testkit::Seen;

/// A gateway looks every 30 s at what others may have written.
const TIMEOUT: Duration = Duration::from_mins(2);

/// A schedule of once a year, and one whose next time is half an hour away: an hour's error of a clock is beyond it.
fn options() -> StackOptions {
    let minute = (SystemClock.now().as_second() / 60 + 30) % 60;
    let schedules = format!(
        "  hourly: {{cron: '{minute} * * * *', alert_type: ledger, text: Look at the ledger}}\n  \
         yearly: {{cron: '0 0 1 1 *', alert_type: ledger, text: Look at the year}}\n"
    );
    let script = Script::new(|asked: &Asked| {
        usual(asked).unwrap_or_else(|| Answer::text("The ledger is empty."))
    });
    StackOptions {
        llm: Llm::Scripted(script),
        least_privilege: true,
        api_gateways: 2,
        schedules: schedules.leak(),
        clocks: &[("api-gateway", "-3600s"), ("api-gateway-2", "+3600s")],
        ..StackOptions::default()
    }
}

/// How often each has run: `hourly`, `yearly`.
async fn runs(stack: &Stack) -> anyhow::Result<(i64, i64)> {
    let counts = "select count(*) filter (where schedule = 'hourly'), count(*) filter (where schedule = 'yearly')
        from schedule_runs where outcome = 'started' and session_id is not null";
    Ok(sqlx::query_as(counts).fetch_one(&mut stack.sql().await?).await?)
}

async fn are(stack: &Stack, expected: (i64, i64)) -> anyhow::Result<()> {
    let what = format!("the schedules have run {expected:?} times");
    let check = async |stack: &Stack| Ok(Seen::equal(runs(stack).await?, expected));
    stack.wait_until(&what, TIMEOUT, check).await
}

/// As though a schedule had been there for so long, and nobody had looked.
async fn missed(stack: &Stack, schedule: &str, since: &str) -> anyhow::Result<()> {
    let text = "update schedules set since = now() - $2::interval where name = $1";
    let update = sqlx::query(text).bind(schedule).bind(since);
    assert_eq!(update.execute(&mut stack.sql().await?).await?.rows_affected(), 1);
    Ok(())
}

#[tokio::test]
async fn a_time_begins_one_session_whichever_gateway_dies_and_whatever_clocks_show()
-> anyhow::Result<()> {
    let mut stack = Stack::start(options()).await?;
    stack
        .wait_until("the schedules are known", TIMEOUT, async |stack| {
            let count = "select count(*) from schedules";
            let known: i64 = sqlx::query_scalar(count).fetch_one(&mut stack.sql().await?).await?;
            Ok(Seen::equal(known, 2))
        })
        .await?;
    stack.kill("api-gateway").await?;
    missed(&stack, "yearly", "2 years").await?;
    are(&stack, (0, 1)).await?;

    // The other one dies as well, and the first one comes back: it finds what is begun, and what is not.
    stack.kill("api-gateway-2").await?;
    missed(&stack, "hourly", "2 hours").await?;
    stack.launch("api-gateway").await?;
    are(&stack, (1, 1)).await?;
    stack.launch("api-gateway-2").await?;
    stack.is_ready(TIMEOUT).await?;
    let of_now = "select bool_and(due_at <= now() and due_at > now() - interval '1 hour')
        from schedule_runs where schedule = 'hourly'";
    let is_of_now: bool = sqlx::query_scalar(of_now).fetch_one(&mut stack.sql().await?).await?;
    assert!(is_of_now, "the time is that of the database");
    stack
        .wait_until("both sessions have ended", TIMEOUT, async |stack| {
            let path = "/api/v1/sessions?status=completed&page_size=5";
            let page = stack.get(path).await?;
            Ok(Seen::equal(page.pointer("/pagination/total_items").cloned(), Some(json!(2))))
        })
        .await?;
    let listed = stack.get("/api/v1/schedules").await?;
    let ended = |place: usize| listed.pointer(&format!("/schedules/{place}/runs/0/status"));
    assert_eq!((ended(0), ended(1)), (Some(&json!("completed")), Some(&json!("completed"))));
    assert_eq!(listed.pointer("/schedules/1/runs/1"), None::<&Value>, "{listed}");
    are(&stack, (1, 1)).await
}
