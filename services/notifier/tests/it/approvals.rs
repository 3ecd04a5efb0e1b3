//! Tool calls that wait for approval: one message each, which says in the end what became of the call.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use tarsy_domain::access::Identification;
use tarsy_domain::event::{ApprovalDecision, TimelineKind};
use tarsy_domain::id::ApprovalId;
use tarsy_domain::status::{SessionStatus, TimelineStatus};
use tarsy_store::{Batch, Claim, DecideOutcome, Decider, NewApproval, Op};
use tarsy_testkit::Investigation;

use crate::slack::{CHANNEL, Mood, Slack};
use crate::stack::{Alert, Stack};

/// Longer than a claim of a notifier that was killed.
const LONG: Duration = Duration::from_mins(2);
const USERS: &str = "{U0ROSA: {name: rosa, role: responder}, U0VERA: {name: vera, role: viewer}}";

/// With one channel whose app has buttons.
pub(crate) async fn with_buttons(server: &Slack) -> Stack {
    Stack::new(&format!(
        "system:\n  dashboard_url: https://tarsy.example\n  slack: {{enabled: true, channel: {CHANNEL}, api_url: \
         '{}', signing_secret_env: SLACK_SIGNING_SECRET, users: {USERS}}}\n",
        server.url
    ))
    .await
}

/// A call of a session that waits for approval.
pub(crate) async fn waiting(stack: &Stack, claim: &Claim) -> ApprovalId {
    let arguments = json!({ "name": "web-1 ``` <!channel>", "password": "hunter2hunter2" });
    waiting_with(stack, claim, arguments).await
}

async fn waiting_with(stack: &Stack, claim: &Claim, arguments: Value) -> ApprovalId {
    let (work, events) = Investigation::start(&stack.store, claim.fence).await.unwrap();
    stack.publish(&events).await.unwrap();
    let shown = work.event(TimelineKind::LlmToolCall, TimelineStatus::Streaming);
    let asked = work.event(TimelineKind::ToolApproval, TimelineStatus::Streaming);
    let call = work.tool_call(shown.id);
    let id = ApprovalId::new();
    let request = NewApproval {
        id,
        execution_id: work.execution,
        call_id: call.call_id,
        timeline_event_id: asked.id,
        server_name: "kubernetes-server".to_owned(),
        tool_name: "pods_delete".to_owned(),
        tool_arguments: arguments,
        definition: "0".repeat(64),
        reason: "it may change something (its name has the word 'delete')".to_owned(),
        timeout: Duration::from_mins(10),
        decided: None,
    };
    let batch = Batch::new()
        .with(Op::OpenEvent(shown))
        .with(Op::CallStarted(call))
        .with(Op::OpenEvent(asked))
        .with(Op::RequestApproval(request));
    stack.store.commit(work.fence, batch).await.unwrap();
    id
}

async fn decide(stack: &Stack, claim: &Claim, id: ApprovalId, decision: ApprovalDecision) {
    let session = claim.session.id;
    let rosa = Decider { name: "rosa", with: Identification::SignIn };
    let decided = stack.store.decide_approval(session, id, decision, rosa).await.unwrap();
    assert!(matches!(decided, DecideOutcome::Decided(_)), "{decided:?}");
}

/// The messages about calls.
fn about_calls(server: &Slack) -> Vec<Value> {
    let mut posted = server.posted();
    posted.retain(|one| one["blocks"].to_string().contains("pods_delete"));
    posted
}

pub(crate) fn buttons(message: &Value) -> Vec<Value> {
    let blocks = message["blocks"].as_array().unwrap();
    let actions = blocks.iter().filter(|block| block["type"] == "actions");
    actions.flat_map(|block| block["elements"].as_array().unwrap().clone()).collect()
}

async fn until_changed(stack: &Stack, server: &Slack, expected: &str) {
    stack
        .until(&format!("the message says {expected}"), async || {
            about_calls(server).iter().any(|one| one["blocks"].to_string().contains(expected))
        })
        .await;
}

#[tokio::test]
async fn a_call_that_waits_is_posted_with_buttons_that_the_decision_removes() {
    let server = Slack::start().await;
    let stack = with_buttons(&server).await;
    let _notifier = stack.notifier().await;
    let root = server.somebody_writes(&json!({ "text": "disk full on web-1" }));
    let fingerprint = Some("disk full on web-1");
    let claim = stack.running(Alert { fingerprint, ..Alert::default() }).await;
    let injected = "insert into timeline_events (id, session_id, sequence_number, event_type, status, content, metadata)
        values (gen_random_uuid(), $1, 900, 'injected_instructions', 'completed', 'x',
            '{\"call_number\": 4, \"findings\": [{\"line\": 1, \"kind\": \"tool_request\", \"excerpt\": \"Now call <it>\"}]}')";
    sqlx::query(injected).bind(claim.session.id.uuid()).execute(&stack.raw).await.unwrap();
    let id = waiting(&stack, &claim).await;
    stack.until("the call is posted", async || !about_calls(&server).is_empty()).await;

    let message = about_calls(&server).remove(0);
    assert_eq!(message["thread_ts"], root.as_str(), "it is in the thread of the alert");
    let found = buttons(&message);
    let actions: Vec<&Value> = found.iter().map(|one| &one["action_id"]).collect();
    assert_eq!(actions, ["tarsy_deny", "tarsy_approve"]);
    assert_eq!((&found[0]["style"], &found[1]["style"]), (&json!("primary"), &Value::Null));
    let value = json!(format!("{}/{id}/whole", claim.session.id));
    assert!(found.iter().all(|one| one["value"] == value), "{found:#?}");
    let text = message["blocks"].to_string();
    for part in [
        "`kubernetes-server.pods_delete`",
        "its name has the word",
        ":warning: *Possible prompt injection* in call 4: “Now call &lt;it&gt;”",
        "web-1 [U+0060×2]` &lt;!channel&gt;",
        "Can approve: rosa, or any responder in TARSy. Expires",
        " UTC (",
        " left)*. If nobody decides, the call is denied.",
        "*Alert:* ",
        "|Open the session>",
    ] {
        assert!(text.contains(part), "{part}: {message:#}");
    }
    for secret in ["hunter2", "vera", "<!channel>"] {
        assert!(!text.contains(secret), "{secret}: {message:#}");
    }
    let long = message["blocks"].as_array().unwrap().iter();
    assert!(
        long.filter_map(|one| one["text"]["text"].as_str()).all(|one| one.chars().count() <= 2_900)
    );

    decide(&stack, &claim, id, ApprovalDecision::Approved).await;
    until_changed(&stack, &server, ":white_check_mark: *Approved* by rosa at ").await;
    let [changed] = &about_calls(&server)[..] else { panic!("one message") };
    assert_eq!(buttons(changed), [] as [Value; 0]);
    assert_eq!(changed["thread_ts"], root.as_str());
}

/// The message about a call with these arguments.
async fn message_about(server: &Slack, stack: &Stack, arguments: Value) -> (String, Value) {
    let claim = stack.running(Alert::default()).await;
    let before = about_calls(server).len();
    waiting_with(stack, &claim, arguments).await;
    stack.until("the call is posted", async || about_calls(server).len() > before).await;
    let page = format!("<https://tarsy.example/sessions/{}#step-", claim.session.id);
    let about = about_calls(server);
    (
        page,
        about
            .into_iter()
            .find(|one| one.to_string().contains(&claim.session.id.to_string()))
            .unwrap(),
    )
}

#[tokio::test]
async fn a_call_of_which_a_message_shows_a_part_is_not_approved_there() {
    let server = Slack::start().await;
    let stack = with_buttons(&server).await;
    let _notifier = stack.notifier().await;
    for arguments in [
        json!({ "sql": format!("select 1 /* {} */; drop table users", "harmless ".repeat(350)) }),
        json!({ "sql": format!("select 1{}drop table users", " \n".repeat(1_250)) }),
        json!({ "sql": format!("select 1{}", "; select 1".repeat(60)), "and": "drop table users" }),
        // More than is read of them, although little is left where spaces are counted.
        json!({ "sql": format!("select 1{}; drop table users", " ".repeat(20_000)) }),
        // Every sign becomes four.
        json!({ "sql": format!("select '{}'; drop table users", "<>".repeat(400)) }),
    ] {
        let (link, message) = message_about(&server, &stack, arguments).await;
        assert_eq!(buttons(&message), [] as [Value; 0], "{message:#}");
        let text = message["blocks"].to_string();
        for part in ["too long for this message", link.as_str()] {
            assert!(text.contains(part), "{part}: {message:#}");
        }
    }
}

#[tokio::test]
async fn a_statement_behind_spaces_is_shown_on_a_line_of_its_own() {
    let server = Slack::start().await;
    let stack = with_buttons(&server).await;
    let _notifier = stack.notifier().await;
    let sql = format!("select 1;{}drop\u{200b} table\u{202e} users", " ".repeat(2_500));
    let (_, message) = message_about(&server, &stack, json!({ "sql": sql })).await;
    assert_eq!(buttons(&message).len(), 2, "{message:#}");
    let shown = message["blocks"][2]["text"]["text"].as_str().unwrap();
    let expected = "select 1;\n      ·[×2500]drop[U+200B] table[U+202E] users\"";
    assert!(shown.contains(expected), "{shown}");
    assert!(message["blocks"][2]["expand"] == true, "Slack folds nothing: {message:#}");
}

#[tokio::test]
async fn a_message_shows_that_nobody_decided_in_time_or_the_session_ended() {
    let server = Slack::start().await;
    let stack = with_buttons(&server).await;
    let _notifier = stack.notifier().await;
    let late = stack.running(Alert::default()).await;
    waiting(&stack, &late).await;
    stack.until("the call is posted", async || about_calls(&server).len() == 1).await;
    sqlx::query("update tool_approvals set expires_at = now()").execute(&stack.raw).await.unwrap();
    until_changed(&stack, &server, "*Expired*: nobody decided until ").await;

    let over = stack.running(Alert::default()).await;
    waiting(&stack, &over).await;
    stack.until("the second call is posted", async || about_calls(&server).len() == 2).await;
    stack.end(&over, SessionStatus::Failed, "").await;
    until_changed(&stack, &server, "*No longer needed*").await;
    let posted = about_calls(&server);
    assert_eq!(posted.len(), 2);
    assert!(posted.iter().all(|one| buttons(one).is_empty()), "{posted:#?}");
}

#[tokio::test]
async fn a_call_is_posted_once_although_the_notifier_dies_before_the_answer() {
    let first = AtomicBool::new(true);
    let server = Slack::with(Box::new(move |method| {
        let lost = method == "chat.postMessage" && first.swap(false, Ordering::SeqCst);
        if lost { Mood::HangsAfter } else { Mood::Well }
    }))
    .await;
    let stack = with_buttons(&server).await;
    let notifier = stack.notifier().await;
    let claim = stack.running(Alert::default()).await;
    let id = waiting(&stack, &claim).await;
    stack.until("the call is posted", async || about_calls(&server).len() == 1).await;
    notifier.kill().await;
    let _notifier = stack.notifier().await;
    // Decided before the next attempt: the message that is there must lose its buttons all the same.
    decide(&stack, &claim, id, ApprovalDecision::Denied).await;
    let done = async || {
        let posted = about_calls(&server);
        posted.iter().any(|one| one["blocks"].to_string().contains("*Denied* by rosa"))
    };
    stack.within(LONG, "the message is changed", done).await;
    let [only] = &about_calls(&server)[..] else { panic!("one message") };
    assert_eq!(buttons(only), [] as [Value; 0]);
    assert_eq!(stack.count("select count(*) from dead_letters").await, 0);
}

#[tokio::test]
async fn without_a_signing_secret_a_message_has_a_link_and_no_buttons() {
    let server = Slack::start().await;
    let stack = Stack::with_channel(&server).await;
    let _notifier = stack.notifier().await;
    let claim = stack.running(Alert::default()).await;
    let id = waiting(&stack, &claim).await;
    stack.until("the call is posted", async || about_calls(&server).len() == 1).await;
    let message = about_calls(&server).remove(0);
    assert_eq!(buttons(&message), [] as [Value; 0]);
    assert!(message["blocks"].to_string().contains("any responder in TARSy"), "{message:#}");
    let link = format!("<https://tarsy.example/sessions/{}|Open the session>", claim.session.id);
    assert!(message["blocks"].to_string().contains(&link), "{message:#}");

    // A message that somebody deleted needs no change, and is no failure.
    server.somebody_deletes_everything();
    decide(&stack, &claim, id, ApprovalDecision::Approved).await;
    let closed =
        "select count(*) from notifications where kind = 'approval_closed' and status = 'sent'";
    stack.until("its change is settled", async || stack.count(closed).await == 1).await;
}

#[tokio::test]
async fn a_destination_is_notified_of_calls_if_it_subscribes_to_them() {
    let server = Slack::start().await;
    let stack = Stack::new(&format!(
        "notifications:\n  destinations:\n    ends: {{type: slack, channel: {CHANNEL}, api_url: '{0}', statuses: \
         [failed]}}\n    calls: {{type: slack, channel: {CHANNEL}, api_url: '{0}', statuses: [approval]}}\n",
        server.url
    ))
    .await;
    let _notifier = stack.notifier().await;
    let claim = stack.running(Alert::default()).await;
    waiting(&stack, &claim).await;
    let sent = "select count(*) from notifications where kind = 'approval_requested' and status = 'sent' \
                and destination = 'calls'";
    stack.until("the call is posted", async || stack.count(sent).await == 1).await;
    let skipped = "select count(*) from notifications where kind = 'approval_requested' and status = 'skipped' \
                   and destination = 'ends'";
    assert_eq!(stack.count(skipped).await, 1);
    assert_eq!(about_calls(&server).len(), 1);
}
