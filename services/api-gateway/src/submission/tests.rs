use serde_json::json;
use tarsy_catalog::{Env, ResolvedStage};

use super::*;

fn catalog() -> Catalog {
    Catalog::builtin(&Env::empty()).unwrap()
}

fn fields(body: &Value) -> Vec<String> {
    let errors = read(body, None, &catalog(), Sender::Source).unwrap_err();
    for error in &errors {
        assert!(error.message.len() > 10, "{error:?} does not tell the fix");
    }
    errors.into_iter().map(|error| error.field).collect()
}

#[test]
fn a_bare_alert_gets_the_default_chain() {
    let catalog = catalog();
    let accepted = read(&json!({"data": "disk is full"}), None, &catalog, Sender::Source).unwrap();
    assert_eq!(accepted.chain.chain_id, catalog.default_chain_id());
    assert_eq!(accepted.submission.data, "disk is full");
    assert_eq!(accepted.idempotency_key, None);
}

#[test]
fn a_whole_alert_is_read() {
    let body = json!({
        "data": "x",
        "alert_type": "host",
        "runbook": "https://github.com/org/repo/blob/main/a.md",
        "mcp": {"servers": [{"name": "host", "tools": ["a"]}], "native_tools": {"url_context": false}},
        "slack_message_fingerprint": "abc",
    });
    let accepted = read(&body, Some(b"key-1"), &catalog(), Sender::Source).unwrap();
    assert_eq!(accepted.idempotency_key.as_deref(), Some("key-1"));
    assert_eq!(accepted.chain.alert_type, "host");
    let mcp = accepted.submission.mcp.unwrap();
    assert_eq!(mcp.servers[0].tools.as_deref(), Some(&["a".to_owned()][..]));
    assert_eq!(mcp.native_tools.unwrap().url_context, Some(false));
}

#[test]
fn an_empty_list_of_tools_allows_all_of_the_server() {
    let mcp = json!({"servers": [{"name": "host", "tools": []}]});
    let body = json!({"data": "x", "alert_type": "host", "mcp": mcp});
    let accepted = read(&body, None, &catalog(), Sender::Source).unwrap();
    assert_eq!(accepted.submission.mcp.unwrap().servers[0].tools, None);
    assert_eq!(accepted.chain.stages[0].agents[0].servers[0].tools, None);
}

#[test]
fn empty_and_null_members_count_as_left_out() {
    let body = json!({"data": "x", "alert_type": "", "runbook": null, "mcp": null});
    let accepted = read(&body, None, &catalog(), Sender::Source).unwrap();
    assert_eq!(accepted.submission.alert_type, None);
    assert_eq!(accepted.submission.mcp, None);
}

#[test]
fn every_error_is_reported_at_once() {
    let body = json!({
        "alert_type": "kubernets",
        "runbook": "ftp://github.com/x",
        "mcp": {"servers": [{"name": "nope"}, {"name": "neither"}], "extra": 1},
        "unknown": true,
    });
    let fields = fields(&body);
    for field in [
        "data",
        "alert_type",
        "runbook",
        "mcp.servers[0].name",
        "mcp.servers[1].name",
        "mcp.extra",
        "unknown",
    ] {
        assert!(fields.iter().any(|reported| reported == field), "{field} is not in {fields:?}");
    }
}

#[test]
fn the_settings_of_a_session_come_from_its_chain() {
    let mut chain = catalog().resolve_chain(None, None).unwrap();
    let agents = chain.stages[0].agents.clone();
    let joined = ResolvedStage { synthesis: agents.first().cloned(), ..chain.stages[0].clone() };
    chain.stages = vec![joined.clone(), ResolvedStage { synthesis: None, ..joined }];
    chain.chat = None;
    chain.session_timeout_ms = 1_500;
    let settings = settings(&chain);
    assert_eq!(settings.planned_stages, Some(3), "a synthesis is a stage, too");
    assert!(!settings.chat_enabled);
    assert_eq!(settings.timeout, Some(Duration::from_millis(1_500)));
    assert_eq!(settings.budget.tool_calls, chain.budget.tool_calls);
}
