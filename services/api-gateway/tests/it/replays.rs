//! Replays, records and comparisons, through HTTP.

use http::Method;
use serde_json::{Value, json};
use tarsy_catalog::{Catalog, Env};
use tarsy_domain::id::SessionId;

use crate::stack::{Answer, Stack, send};

/// A record of an investigation of this host.
fn record() -> Value {
    let catalog = Catalog::builtin(&Env::empty()).unwrap();
    let chain = catalog.resolve_chain(Some("host"), None).unwrap();
    json!({
        "session_id": SessionId::new(),
        "alert": {
            "data": "the disk is full, password=hunter2hunter2",
            "alert_type": "host",
            "received_at": "2026-01-02T03:04:05Z",
        },
        "chain": chain,
        "servers": [{"server": "host", "tools": [{
            "server": "host", "name": "disk_usage", "description": "Disks.", "input_schema": {"type": "object"},
        }]}],
        "calls": [{
            "number": 1, "server": "host", "tool": "disk_usage", "arguments": {}, "status": "completed",
            "result": "Filesystem Use% Mounted on\n/dev/a 97% /var\nAuthorization: Bearer abcdef0123456789abcdef",
        }],
        "report": {"status": "completed", "final_analysis": "`/var` is at 97 % [call 1] [call 2]."},
        "usage": {},
    })
}

async fn send_json(stack: &Stack, path: &str, body: &Value) -> Answer {
    send(stack.request(Method::POST, path).json(body)).await
}

async fn brought_in(stack: &Stack) -> String {
    let answer = send_json(stack, "/api/v1/recordings", &record()).await;
    assert_eq!(answer.status, 201, "{answer:?}");
    answer.body["session_id"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_record_that_is_too_large_is_refused_with_the_limit_of_records() {
    let stack = Stack::start().await;
    let answer = send_json(&stack, "/api/v1/recordings", &json!("x".repeat(33 << 20))).await;
    assert_eq!(answer.status, 413);
    assert!(answer.body["message"].as_str().unwrap().contains("32 MiB"), "{}", answer.body);
}

#[tokio::test]
async fn a_record_is_stored_without_secrets_and_can_be_replayed_and_compared() {
    let stack = Stack::start().await;
    let id = brought_in(&stack).await;
    let stored = stack.get(&format!("/api/v1/sessions/{id}/recording")).await;
    assert_eq!(stored.status, 200);
    let text = stored.body.to_string();
    assert!(!text.contains("hunter2") && !text.contains("abcdef0123456789"), "{text}");
    assert_eq!(stored.body["servers"][0]["tools"][0]["name"], "disk_usage");
    let session = stack.get(&format!("/api/v1/sessions/{id}")).await.body;
    let title = session["title"].as_str().unwrap_or_default();
    assert!(!title.is_empty() && stored.body["alert"]["data"].as_str().unwrap().contains(title));
    let detail = stack.get(&format!("/api/v1/sessions/{id}")).await;
    assert_eq!(detail.body["origin"], "recording");

    let path = format!("/api/v1/sessions/{id}/replay");
    let prompts = json!({"provider": "offline", "prompts": {"task": "Look."}});
    let replay = send_json(&stack, &path, &prompts).await.session_id();
    let detail = stack.get(&format!("/api/v1/sessions/{replay}")).await;
    assert_eq!((&detail.body["origin"], &detail.body["replay_of"]), (&json!("replay"), &json!(id)));
    assert_eq!(detail.body["alert_data"], stored.body["alert"]["data"]);

    let compared = stack.get(&format!("/api/v1/sessions/{id}/comparison?with={replay}")).await;
    assert_eq!(compared.status, 200, "{compared:?}");
    let claims = &compared.body["first"]["claims"];
    assert_eq!(claims["ghost_citations"], 1, "{claims}");
    assert_eq!(compared.body["differences"][0]["tool"], "disk_usage");
    assert_eq!(compared.body["same_calls"], false);
}

#[tokio::test]
async fn a_record_without_a_chain_has_one_of_here_and_is_brought_in_once() {
    let stack = Stack::start().await;
    let mut record = record();
    record["chain"] = Value::Null;
    record["alert"]["alert_type"] = json!("OfAnotherInstallation");
    record["calls"][0]["arguments"] =
        json!({"header": "Authorization: Bearer abcdef0123456789abcdef"});
    let once = "/api/v1/recordings?once=true";
    let first = send_json(&stack, once, &record).await;
    assert_eq!(first.status, 201, "{first:?}");
    let again = send_json(&stack, once, &record).await;
    assert_eq!((again.status.as_u16(), &again.body), (200, &first.body));
    let id = first.body["session_id"].as_str().unwrap();
    let stored = stack.get(&format!("/api/v1/sessions/{id}/recording")).await.body;
    assert_eq!(stored["alert"]["alert_type"], "OfAnotherInstallation");
    assert!(!stored.to_string().contains("abcdef0123456789"), "{stored}");
    let replay = send_json(&stack, &format!("/api/v1/sessions/{id}/replay"), &json!({})).await;
    assert_eq!(replay.status, 202, "{replay:?}");
}

#[tokio::test]
async fn a_record_keeps_what_its_alert_states_apart_from_its_text() {
    let stack = Stack::start().await;
    let mut record = record();
    record["alert"]["fields"] = json!({
        "title": "Disk of web-1, token=abcdef0123456789abcdef", "severity": "Critical", "service": "web",
        "labels": {"team": "storage"}, "fingerprint": "disk of web-1",
    });
    let answer = send_json(&stack, "/api/v1/recordings", &record).await;
    assert_eq!(answer.status, 201, "{answer:?}");
    let id = answer.body["session_id"].as_str().unwrap();
    let session = stack.get(&format!("/api/v1/sessions/{id}")).await.body;
    let title = session["title"].as_str().unwrap();
    assert!(title.starts_with("Disk of web-1, ") && !title.contains("abcdef"), "{title}");
    assert_eq!((&session["severity"], &session["service"]), (&json!("critical"), &json!("web")));
    assert_eq!(
        (&session["labels"]["team"], &session["fingerprint"]),
        (&json!("storage"), &Value::Null)
    );
    let again = stack.get(&format!("/api/v1/sessions/{id}/recording")).await.body;
    assert_eq!(again["alert"]["fields"]["title"], title);

    record["alert"]["fields"] = json!({"title": "x".repeat(201)});
    let answer = send_json(&stack, "/api/v1/recordings", &record).await;
    assert_eq!(answer.fields(), ["alert.fields.title"], "{answer:?}");
}

#[tokio::test]
async fn demos_replay_one_record_of_an_incident() {
    let stack = Stack::start().await;
    let mut records = Vec::new();
    for _ in 0..2 {
        let demo = send(stack.request(Method::POST, "/api/v1/demo")).await;
        assert_eq!(demo.status, 202, "{demo:?}");
        let detail = stack.get(&format!("/api/v1/sessions/{}", demo.session_id())).await;
        assert_eq!(detail.body["origin"], "replay");
        records.push(detail.body["replay_of"].clone());
    }
    assert_eq!(records[0], records[1]);
    let record = stack.get(&format!("/api/v1/sessions/{}", records[0].as_str().unwrap())).await;
    let title = record.body["title"].as_str();
    assert!(title.is_some_and(|title| title.starts_with("CheckoutErrors")), "{record:?}");
}

#[tokio::test]
async fn what_is_wrong_with_a_replay_is_named() {
    let stack = Stack::start().await;
    let id = brought_in(&stack).await;
    let path = format!("/api/v1/sessions/{id}/replay");
    for (body, field) in [
        (json!({"provider": "offlin"}), "provider"),
        (json!({"chain": {"stages": []}}), "chain"),
        (json!({"prompts": {"task": "x".repeat(200_000)}}), "prompts.task"),
    ] {
        let answer = send_json(&stack, &path, &body).await;
        assert_eq!(answer.status, 400, "{answer:?}");
        assert_eq!(answer.fields(), [field]);
    }
    let mut broken = record();
    broken["chain"] = json!({});
    let answer = send_json(&stack, "/api/v1/recordings", &broken).await;
    assert_eq!(answer.status, 400, "{answer:?}");
    assert_eq!(answer.fields(), ["chain"]);
    let mut open = record();
    open["report"]["status"] = json!("in_progress");
    let answer = send_json(&stack, "/api/v1/recordings", &open).await;
    assert_eq!(answer.fields(), ["report.status"], "{answer:?}");
    let pending = stack.pending().await;
    let early = send_json(&stack, &format!("/api/v1/sessions/{pending}/replay"), &json!({})).await;
    assert_eq!(early.status, 409, "{early:?}");
}

#[tokio::test]
async fn a_session_that_is_not_there_is_neither_replayed_nor_compared() {
    let stack = Stack::start().await;
    let (id, unknown) = (brought_in(&stack).await, SessionId::new());
    let replay = send_json(&stack, &format!("/api/v1/sessions/{unknown}/replay"), &json!({})).await;
    assert_eq!(replay.status, 404);
    assert_eq!(stack.get(&format!("/api/v1/sessions/{unknown}/recording")).await.status, 404);
    let with = stack.get(&format!("/api/v1/sessions/{id}/comparison?with={unknown}")).await;
    assert_eq!(with.status, 404);
    let without = stack.get(&format!("/api/v1/sessions/{id}/comparison")).await;
    assert_eq!(without.status, 400);
}
