//! What a call needs by the class of its tool.

use serde_json::json;
use tarsy_contracts::mcp::{Caller, Requirement, ToolClass, ToolReach};
use tarsy_testkit::{WAIT, a_tool_server};
use tarsy_tools::{Tool, ToolCallRequest};

use crate::stack::{GatewayOptions, Stack, call, lines, peer};

async fn strict() -> Stack {
    let server = a_tool_server("strict").program(&peer(), &["{folder}"]);
    let policy = json!({"mode": "enforce", "read_only": ["grow"], "write": ["echo"]});
    let servers = server.with("policy", policy).to_string();
    Stack::with(GatewayOptions { servers, ..GatewayOptions::default() }).await
}

fn tool<'a>(tools: &'a [Tool], name: &str) -> &'a Tool {
    tools.iter().find(|tool| tool.name == name).unwrap()
}

#[tokio::test]
async fn a_call_that_may_change_something_is_refused_without_a_permit() {
    let stack = strict().await;
    let lease = stack.lease(&["strict", "peer"]).await;
    let file = stack.folder.path().join("counter");
    let request = || call("strict.counter", json!({"file": file, "ms": 0}));
    let refused = lease.call(request(), WAIT).await.unwrap();
    assert!(
        refused.refused_by_policy && refused.content.contains("nobody has approved"),
        "{refused:?}"
    );
    let stale = ToolCallRequest { permit: Some("0".repeat(64)), ..request() };
    let refused = lease.call(stale, WAIT).await.unwrap();
    assert!(refused.refused_by_policy && refused.content.contains("has changed"), "{refused:?}");
    assert_eq!(lines(&file), 0);

    let tools: Vec<Tool> =
        lease.tools().iter().filter(|tool| tool.server == "strict").cloned().collect();
    let definition = tool(&tools, "counter").terms.definition.clone();
    let permitted = ToolCallRequest { permit: Some(definition), ..request() };
    let made = lease.call(permitted, WAIT).await.unwrap();
    assert_eq!((made.content.as_str(), lines(&file)), ("counted", 1));
    let elsewhere = call("peer.counter", json!({"file": file, "ms": 0}));
    assert_eq!(lease.call(elsewhere, WAIT).await.unwrap().content, "counted", "peer allows all");
    lease.close().await;
}

#[tokio::test]
async fn each_tool_has_a_class_with_its_reason() {
    let stack = strict().await;
    let lease = stack.lease(&["strict"]).await;
    for (name, class, requirement, reason) in [
        ("counter", ToolClass::Write, Requirement::Approval, "its server marks it"),
        ("env", ToolClass::Unknown, Requirement::Acceptance, "counts once it is accepted"),
        ("grow", ToolClass::ReadOnly, Requirement::None, "policy.read_only"),
        ("echo", ToolClass::Write, Requirement::Approval, "policy.write"),
    ] {
        let terms = &tool(lease.tools(), name).terms;
        assert_eq!((terms.class, terms.requirement), (class, requirement), "{name}");
        assert!(terms.reason.contains(reason), "{name}: {}", terms.reason);
        assert!(terms.pinned && terms.definition.len() == 64);
    }
    lease.close().await;
}

#[tokio::test]
async fn a_call_of_a_model_reaches_allowed_hosts_only_and_that_of_a_person_every_one() {
    let server = a_tool_server("open").program(&peer(), &["{folder}"]);
    let policy = json!({
        "mode": "enforce", "read_only": ["*"], "reaches_any_host": ["echo"], "hosts": ["shop.example"],
    });
    let servers = server.with("policy", policy).to_string();
    let stack = Stack::with(GatewayOptions { servers, ..GatewayOptions::default() }).await;
    let alert_hosts = vec!["10.0.0.7".to_owned(), "169.254.169.254".to_owned()];
    let by_model = stack.lease_for(&["open"], Caller::Model { alert_hosts }).await;
    let echo = &tool(by_model.tools(), "echo").terms;
    assert_eq!(
        (echo.reach, &*echo.reach_reason),
        (ToolReach::AnyHost, "policy.reaches_any_host has 'echo'")
    );
    let by_person = stack.lease_for(&["open"], Caller::Person).await;
    for (url, is_allowed) in [
        ("https://shop.example/health", true),
        ("http://10.0.0.7:9100/metrics", true),
        ("https://evil.example/?log=secret", false),
        ("https://shop.example@evil.example/", false),
        ("http://169.254.169.254/latest/meta-data", false),
    ] {
        let request = || call("open.echo", json!({ "url": url }));
        let made = by_model.call(request(), WAIT).await.unwrap();
        assert_eq!(made.refused_by_policy, !is_allowed, "{url}: {}", made.content);
        assert_eq!(made.content.contains("was not called"), !is_allowed, "{}", made.content);
        let made = by_person.call(request(), WAIT).await.unwrap();
        assert!(!made.refused_by_policy, "{url}: {}", made.content);
    }
    by_model.close().await;
    by_person.close().await;
}
