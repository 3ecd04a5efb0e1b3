//! Threads of commands: the result of what was asked for there, and the answers, each once.

use std::time::Duration;

use serde_json::{Value, json};
use tarsy_domain::id::SessionId;
use tarsy_domain::messenger::Messenger;
use tarsy_domain::status::{SessionStatus, WorkStatus};
use tarsy_embedded::Child;
use tarsy_store::{ChatAgent, ChatEnd, NewCommand, NewQuestion, QuestionOutcome};
use tarsy_testkit::a_session;

use crate::slack::{CHANNEL, Slack};
use crate::stack::{Alert, Stack};
use crate::vendors::{Played, TOKEN, Vendor};

const THREAD: &str = "1515449522.000016";
const LEASE: Duration = Duration::from_mins(1);

/// Notes that a command asked for a session.
async fn asked_for(
    stack: &Stack,
    messenger: &str,
    session: SessionId,
    channel: &str,
    thread: Option<&str>,
) {
    let sql = "insert into commands (messenger, key, session_id, channel, thread) values ($1, 'begin', $2, $3, $4)";
    let query = sqlx::query(sql).bind(messenger).bind(session.uuid()).bind(channel).bind(thread);
    query.execute(&stack.raw).await.unwrap();
}

/// Asks a question and has it answered; the key is that of a command.
async fn answered(stack: &Stack, session_id: SessionId, text: &str, command: Option<&str>) {
    let agent = ChatAgent {
        name: "HostAgent".to_owned(),
        iteration_strategy: "langchain".to_owned(),
        llm_provider: "offline".to_owned(),
    };
    let question = NewQuestion {
        session_id,
        content: format!("{text}?"),
        author: "rosa".to_owned(),
        principal: None,
        agent: Some(agent),
        command: command.map(|thread| NewCommand {
            messenger: Messenger::Slack,
            key: thread.to_owned(),
            channel: CHANNEL.to_owned(),
            thread: Some(thread.to_owned()),
        }),
    };
    let asked = stack.store.insert_question(question).await.unwrap();
    let QuestionOutcome::Inserted { stage_id, .. } = asked else { panic!("{asked:?}") };
    let turn = stack.store.claim_chat("owner", LEASE).await.unwrap().unwrap();
    sqlx::query("update agent_executions set conclusion = $2 where stage_id = $1")
        .bind(stage_id.uuid())
        .bind(format!("{text}: **logs** grew, <!channel>."))
        .execute(&stack.raw)
        .await
        .unwrap();
    let end = ChatEnd { status: WorkStatus::Completed, error: None };
    stack.store.finish_chat(turn.fence, end).await.unwrap();
}

fn in_thread(server: &Slack, thread: &str) -> Vec<Value> {
    let posted = server.posted().into_iter();
    posted.filter(|one| one["thread_ts"] == json!(thread)).collect()
}

async fn notifier(stack: &Stack) -> Child {
    stack.notifier_with(&[("MATTERMOST_TOKEN", TOKEN.to_owned())]).await
}

#[tokio::test]
async fn the_result_and_all_answers_of_a_command_are_in_its_thread_once() {
    let server = Slack::start().await;
    let mattermost = Played::start(Vendor::Mattermost, &[]).await;
    let stack = Stack::new(&format!(
        "system:\n  dashboard_url: https://tarsy.example\n  slack: {{enabled: true, channel: {CHANNEL}, api_url: '{}', \
         commands: true, app_token_env: SLACK_APP_TOKEN, users: {{U0ROSA: {{name: rosa, role: responder}}}}}}\n  \
         mattermost: {{url: '{}', token_env: MATTERMOST_TOKEN, command_token_envs: [MATTERMOST_COMMAND]}}\n",
        server.url, mattermost.url
    ))
    .await;
    let first = notifier(&stack).await;
    let claim = stack.running(Alert::default()).await;
    let id = claim.session.id;
    asked_for(&stack, "slack", id, CHANNEL, Some(THREAD)).await;
    stack.end(&claim, SessionStatus::Completed, "the disk was full").await;
    stack.until("the end is posted", async || !server.posted().is_empty()).await;
    // Its channel is that of `system.slack`, too: the thread has it.
    let posted = server.posted();
    assert_eq!((posted.len(), &posted[0]["thread_ts"]), (1, &json!(THREAD)), "{posted:#?}");
    let text = posted[0]["blocks"].to_string();
    assert!(text.contains("the disk was full") && text.contains("tarsy_review_accurate"), "{text}");

    // Asked there, asked on the dashboard, and asked in another thread.
    answered(&stack, id, "Why", Some("key-of-the-question")).await;
    stack.until("the answer is posted", async || server.posted().len() == 2).await;
    assert_eq!(server.posted()[1]["thread_ts"], "key-of-the-question");
    first.kill().await;
    answered(&stack, id, "Since when", None).await;
    answered(&stack, id, "Where", None).await;
    let second = notifier(&stack).await;
    stack.until("both are posted", async || server.posted().len() == 4).await;
    let below = in_thread(&server, THREAD);
    let texts: Vec<String> = below.iter().map(|one| one["blocks"].to_string()).collect();
    assert_eq!(texts.len(), 3, "{texts:#?}");
    assert!(
        texts[1].contains("*Answer* · Since when?") && texts[2].contains("*Answer* · Where?"),
        "{texts:#?}"
    );
    assert!(texts[1].contains("Since when: *logs* grew, &lt;!channel&gt;."), "{texts:#?}");
    assert!(!texts[1].contains("tarsy_review_accurate"), "{texts:#?}");

    // A slash command begins no thread: the start does.
    let claim = a_session().alert_type(Some("host")).running(&stack.store, "test").await.unwrap();
    asked_for(&stack, "mattermost", claim.session.id, "abcdefghijklmnopqrstuvwxyz", None).await;
    stack.publish(&claim.events).await.unwrap();
    stack.until("the start is posted", async || mattermost.kept().len() == 1).await;
    stack.end(&claim, SessionStatus::Completed, "the disk was full").await;
    stack.until("the end is posted", async || mattermost.kept().len() == 2).await;
    second.stop(Duration::from_secs(30)).await;
    let kept = mattermost.kept();
    assert_eq!(kept[1].thread.as_deref(), Some(kept[0].id.as_str()), "{kept:#?}");
    assert_eq!(server.posted().len(), 5, "the channel of system.slack has the other one");
}
