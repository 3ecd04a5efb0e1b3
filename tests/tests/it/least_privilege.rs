//! The whole product where each service may do only what it needs in NATS and in PostgreSQL: investigation, large results,
//! summaries, questions, notifications, queued alerts, cancels, the command line, and a NATS server that lost its store.

#![expect(clippy::indexing_slicing, reason = "a missing field fails the test")]

use std::time::Duration;

use anyhow::Context as _;
use serde_json::{Value, json};
use tarsy_contracts::slack::APPROVE_ACTION;
use tarsy_e2e::model::usual;
use tarsy_e2e::{
    Answer, Asked, Failures, Llm, Purpose, RESPONDER, Receiver, Records, Script, Stack,
    StackOptions,
};
use tarsy_testkit::Seen;

const TIMEOUT: Duration = Duration::from_mins(2);
/// Rows of about 24 bytes: 400 KB, more than a message carries.
const ROWS: u32 = 17_000;
const SUMMARY: &str = "17,000 rows, all alike.";
/// An alert of this size is queued as an object.
const LARGE: usize = 300 * 1024;

/// An agent whose only call has a large result, or lasts for ever where the alert says so.
fn options() -> StackOptions {
    let script = Script::new(|asked: &Asked| {
        if asked.purpose() == Purpose::Digest {
            return Answer::text(SUMMARY);
        }
        usual(asked).unwrap_or_else(|| match asked.turn() {
            0 if asked.contains("never ends") => {
                Answer::call("ledger__look", json!({"what": "long", "until": "never"}))
            }
            0 if asked.contains("clean up") => {
                Answer::call("guarded__record", json!({"what": "cleaned"}))
            }
            0 => Answer::call("ledger__look", json!({"what": "much", "rows": ROWS})),
            _ => Answer::text("Nothing is wrong [call 1]."),
        })
    });
    StackOptions {
        llm: Llm::Scripted(script),
        least_privilege: true,
        gateways: 2,
        posts: Some((7, Failures::Answered)),
        servers: "  guarded:\n    transport: *ledger\n    policy: {mode: enforce}\n",
        chains: "  guarded:\n    alert_types: [guarded]\n    stages:\n      \
                 - {name: cleaning, agents: [{name: Ledger, mcp_servers: [guarded]}]}\n",
        ..StackOptions::default()
    }
}

/// An alert is investigated, its large result summarized, a question answered, and all of it posted.
async fn an_alert_is_investigated(stack: &Stack, alert: &str) -> anyhow::Result<()> {
    let (session, viewer) = stack.begun("ledger", alert).await?;
    stack.completes(&viewer).await?;
    let records = Records::agreeing(stack, &session, &viewer).await?;
    let summarized = records
        .timeline
        .iter()
        .any(|event| event["event_type"] == "mcp_tool_summary" && event["content"] == SUMMARY);
    assert!(summarized, "{} {:?}", records.report(), records.timeline);
    stack.answered(&session, &viewer, "Is that all?").await?;
    for receiver in [Receiver::Slack, Receiver::Webhook] {
        stack
            .wait_until("the end is posted", TIMEOUT, async |stack| {
                let posts = stack.posts()?.received();
                Ok(posts.iter().any(|post| {
                    post.receiver == receiver && post.session == session && post.event == "ended"
                }))
            })
            .await?;
    }
    Ok(())
}

/// Alerts that arrive while PostgreSQL is away are queued, and investigated later.
async fn a_large_alert_is_queued(stack: &mut Stack) -> anyhow::Result<()> {
    stack.postgres().stop().await;
    let session = stack.submit("ledger", &"x".repeat(LARGE)).await?;
    stack.postgres().launch().await?;
    stack
        .wait_until("the alert was investigated", TIMEOUT, async |stack| {
            let view = stack.get(&format!("/api/v1/sessions/{session}/status")).await?;
            Ok(Seen::equal(&view["status"], "completed"))
        })
        .await
}

async fn a_session_is_cancelled(stack: &Stack) -> anyhow::Result<()> {
    let (session, viewer) = stack.begun("ledger", "it never ends").await?;
    stack.wait_for_ledger("look long", TIMEOUT).await?;
    stack.post(&format!("/api/v1/sessions/{session}/cancel"), &json!({})).await?;
    stack.ends_as("cancelled", &viewer).await
}

/// A call that changes something waits for a person, who approves it in Slack.
async fn a_call_is_approved_in_slack(stack: &Stack) -> anyhow::Result<()> {
    let (session, viewer) = stack.begun("guarded", "clean up").await?;
    stack
        .wait_until("Slack has the button", TIMEOUT, async |stack| {
            Ok(!stack.posts()?.buttons(&session, APPROVE_ACTION).is_empty())
        })
        .await?;
    assert!(!stack.ledger().contains(&"record cleaned".to_owned()), "nothing before the decision");
    let buttons = stack.posts()?.buttons(&session, APPROVE_ACTION);
    assert_eq!(stack.use_button(&buttons[0]).await?, 200);
    stack.completes(&viewer).await?;
    assert!(stack.ledger().contains(&"record cleaned".to_owned()), "{:?}", stack.ledger());
    stack
        .wait_until("the message names who approved it", TIMEOUT, async |stack| {
            let messages = stack.posts()?.messages(&session);
            let approved = format!("*Approved* by {}", RESPONDER.1);
            Ok(messages.iter().any(|message| message["blocks"].to_string().contains(&approved)))
        })
        .await?;
    assert!(stack.posts()?.buttons(&session, APPROVE_ACTION).is_empty(), "nobody is asked twice");
    Ok(())
}

/// The command line has a user of its own.
async fn tools_are_called_from_the_command_line(stack: &Stack) -> anyhow::Result<()> {
    for arguments in [
        &["mcp", "servers", "--json"][..],
        &["mcp", "tools", "ledger", "--json"],
        &["mcp", "call", "ledger.look", "what=much", &format!("rows={ROWS}"), "--json"],
    ] {
        let output = stack.command(arguments).await?;
        anyhow::ensure!(
            output.status.success(),
            "{arguments:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
    Ok(())
}

/// Whether the doctor succeeds with the rights of a service, and what it checked.
async fn doctor(stack: &Stack, service: &str) -> anyhow::Result<(bool, Vec<Value>)> {
    let output = stack.command_as(service, &["doctor", "--cluster", "--json"]).await?;
    let checks = serde_json::from_slice(&output.stdout)
        .with_context(|| String::from_utf8_lossy(&output.stderr).into_owned())?;
    Ok((output.status.success(), checks))
}

fn state<'a>(checks: &'a [Value], name: &str) -> &'a str {
    let found = checks.iter().find(|check| check["name"] == name);
    found.and_then(|check| check["state"].as_str()).unwrap_or("not checked")
}

/// Nothing fails while everything runs, and a service that is gone does.
async fn the_installation_is_checked(stack: &mut Stack) -> anyhow::Result<()> {
    for service in ["cli", "api-gateway"] {
        let (healthy, checks) = doctor(stack, service).await?;
        let failed: Vec<&Value> =
            checks.iter().filter(|check| check["state"] == "failed").collect();
        assert!(healthy && failed.is_empty(), "{service}: {failed:?}");
        for name in ["schema", "queue", "streams", "storage", "orchestrator", "llm-service"] {
            assert_eq!(state(&checks, name), "ok", "{service} {name}: {checks:?}");
        }
    }
    stack.stop("summarizer").await?;
    stack
        .wait_until("its loss is reported", TIMEOUT, async |stack| {
            let (healthy, checks) = doctor(stack, "cli").await?;
            Ok(Seen::equal((healthy, state(&checks, "summarizer")), (false, "failed")))
        })
        .await
}

#[tokio::test]
async fn the_whole_product_works_with_the_permissions_of_its_services() -> anyhow::Result<()> {
    let mut stack = Stack::start(options()).await?;
    an_alert_is_investigated(&stack, "the ledger of web-1 is empty").await?;
    a_session_is_cancelled(&stack).await?;
    a_call_is_approved_in_slack(&stack).await?;
    tools_are_called_from_the_command_line(&stack).await?;
    a_large_alert_is_queued(&mut stack).await?;

    stack.nats().kill().await;
    stack.nats().wipe()?;
    stack.nats().launch().await?;
    stack.is_ready(TIMEOUT).await?;
    an_alert_is_investigated(&stack, "the ledger of web-2 is empty").await?;

    the_installation_is_checked(&mut stack).await?;
    assert_eq!(stack.refusals(), Vec::<String>::new());
    Ok(())
}

#[tokio::test]
async fn what_is_not_permitted_is_logged_by_the_servers() -> anyhow::Result<()> {
    let mut stack = Stack::start(options()).await?;
    // An orchestrator with the credentials of the command line can take no work, neither from PostgreSQL nor from NATS.
    for (variable, url, refusal) in [
        ("DATABASE_URL", stack.database_url_of("cli"), "permission denied for table"),
        ("NATS_URL", stack.nats_url_of("cli"), "Violation"),
    ] {
        stack.kill("orchestrator-1").await?;
        stack.launch_with("orchestrator-1", &[(variable, url)]).await?;
        stack
            .wait_until("the server refuses", TIMEOUT, async |stack| {
                Ok(stack.refusals().iter().any(|line| line.contains(refusal)))
            })
            .await
            .with_context(|| format!("the test above would not notice a refusal of {variable}"))?;
    }
    Ok(())
}
