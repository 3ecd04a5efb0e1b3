//! An agent changes something that a person approved. Its owner is killed while TARSy reads the state before it, and a person takes it
//! back.

use std::time::Duration;

use anyhow::Context as _;
use serde_json::{Value, json};
use tarsy_e2e::model::{Asked, usual};
use tarsy_e2e::{Answer, Llm, Script, Stack, StackOptions, record_is_whole};

const TIMEOUT: Duration = Duration::from_secs(150);

const CHAIN: &str = "  \
  repair:
    alert_types: [repair]
    remediation: {enabled: true, initial_delay: 100ms, checks: 1}
    stages:
      - {name: acting, agents: [{name: Remedy, mcp_servers: [repairs]}]}
";

const SERVERS: &str =
    "  repairs:\n    transport: *ledger\n    policy: {read_only: [look], write: [record]}\n";

/// What is read before and after it lasts until there is a file, and shows that the effect is not there.
fn remedy(asked: &Asked) -> Answer {
    if asked.turn() > 0 {
        return Answer::text("Three replicas were asked for; the outcome is above.");
    }
    let look = json!({"what": "replicas", "until": "go"});
    let plan = json!({
        "effect": "checkout has three replicas",
        "check": {"tool": "repairs.look", "arguments": look, "expect": {"contains": "three are ready"}},
        "rollback": {
            "tool": "repairs.record",
            "arguments": {"what": "one replica"},
            "expect": {"contains": "look replicas"},
        },
    });
    Answer::call("repairs__record", json!({"what": "three replicas", "_action": plan}))
}

async fn printed(stack: &Stack, arguments: &[&str]) -> anyhow::Result<String> {
    let output = stack.command(arguments).await?;
    anyhow::ensure!(output.status.success(), "tarsy {arguments:?}: {output:?}");
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The lines of the ledger that are changes.
fn changes(stack: &Stack) -> Vec<String> {
    stack.ledger().into_iter().filter(|line| line.starts_with("record")).collect()
}

#[tokio::test]
async fn an_action_that_did_not_work_is_taken_back_by_a_person() -> anyhow::Result<()> {
    let options = StackOptions {
        llm: Llm::Scripted(Script::new(|asked| usual(asked).unwrap_or_else(|| remedy(asked)))),
        orchestrators: 2,
        lease_seconds: 4,
        servers: SERVERS,
        chains: CHAIN,
        ..StackOptions::default()
    };
    let mut stack = Stack::start(options).await?;
    let (session, viewer) = stack.begun("repair", "checkout has one replica").await?;
    let waits = |event: &Value| event["event_type"] == "tool_approval";
    viewer.wait_for("request for approval", TIMEOUT, waits).await?;
    assert_eq!(stack.ledger(), Vec::<String>::new(), "nothing happens before the decision");
    let listed = printed(&stack, &["approvals"]).await?;
    for shown in ["repairs.record", "checkout has three replicas", "repairs.look", "one replica"] {
        assert!(listed.contains(shown), "{listed}");
    }
    let id = listed.split_whitespace().next().context("one waits")?;
    printed(&stack, &["approve", id]).await?;

    stack.wait_for_ledger("look replicas", TIMEOUT).await?;
    stack.kill_owner(&session).await?;
    assert_eq!(changes(&stack), Vec::<String>::new(), "the state is read before");
    std::fs::write(stack.path("go"), "")?;
    stack.completes(&viewer).await?;
    assert_eq!(changes(&stack), ["record three replicas"], "what changes something is made once");
    let listed = printed(&stack, &["actions", &session]).await?;
    assert!(listed.contains("did not work"), "{listed}");
    assert!(listed.contains(" before, ledger entry: look replicas"), "{listed}");

    printed(&stack, &["rollback", &session, "1"]).await?;
    let ended = async |stack: &Stack| -> anyhow::Result<bool> {
        let detail = stack.get(&format!("/api/v1/sessions/{session}")).await?;
        Ok(detail["actions"][1]["outcome"] == "worked")
    };
    stack.wait_until("the rollback is checked", TIMEOUT, ended).await?;
    assert_eq!(changes(&stack), ["record three replicas", "record one replica"]);
    let again = stack.command(&["rollback", &session, "1"]).await?;
    assert!(!again.status.success(), "it is taken back once: {again:?}");
    let log = stack.get("/api/v1/audit-log?action=check_action").await?;
    let outcomes: Vec<&Value> =
        log["entries"].as_array().into_iter().flatten().map(|one| &one["action_outcome"]).collect();
    assert_eq!(outcomes, ["worked", "did_not_work"], "{log}");
    record_is_whole(&stack, &session, &viewer).await
}
