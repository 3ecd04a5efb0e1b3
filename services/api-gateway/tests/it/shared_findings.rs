//! Findings that a person sends to a destination of notifications.

use reqwest::Method;
use serde_json::json;
use tarsy_domain::id::SessionId;
use tarsy_testkit::{TestStack, eventually};

use crate::reviews::ended;
use crate::stack::{Answer, Stack, send};

const CONFIGURATION: &str = "notifications:
  destinations:
    oncall: {type: webhook, url: 'http://127.0.0.1:9/hook', secret_env: HOOK_SECRET, alert_types: [kubernetes]}
";

async fn share(stack: &Stack, id: SessionId, destination: &str) -> Answer {
    let path = format!("/api/v1/sessions/{id}/share");
    send(stack.request(Method::POST, &path).json(&json!({"destination": destination}))).await
}

#[tokio::test]
async fn a_finding_is_sent_to_a_destination_once_and_the_audit_log_has_it() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("tarsy.yaml"), CONFIGURATION).unwrap();
    let path = folder.path().display().to_string();
    let settings = [("TARSY_CONFIG_DIR", path.as_str()), ("HOOK_SECRET", "a-secret-of-the-hook")];
    let stack = Stack::with_settings(TestStack::start().await.unwrap(), &settings).await;
    let info = stack.get("/api/v1/system/info").await.body;
    assert_eq!(info["destinations"], json!(["oncall"]), "{info}");

    let id = ended(&stack, &json!({"data": "the disk is full"})).await;
    let shared = share(&stack, id, "oncall").await;
    assert_eq!((shared.status.as_u16(), &shared.body["destination"]), (202, &json!("oncall")));
    let pending = "select count(*) from notifications where kind = 'ended' and status = 'pending'";
    assert_eq!(stack.count(pending).await.unwrap(), 1);
    let again = share(&stack, id, "oncall").await;
    assert_eq!(again.status, 409, "{again:?}");
    assert!(again.body["message"].as_str().unwrap().contains("on its way"), "{again:?}");
    eventually("the audit log has both", async || {
        let log = stack.get("/api/v1/audit-log?action=share_finding").await.body;
        log["entries"].as_array().unwrap().len() == 2
    })
    .await;

    let elsewhere = share(&stack, id, "nowhere").await;
    assert_eq!((elsewhere.status.as_u16(), elsewhere.fields()), (400, vec!["destination"]));
    assert!(elsewhere.body.to_string().contains("use one of: oncall"), "{elsewhere:?}");
    assert_eq!(share(&stack, SessionId::new(), "oncall").await.status, 404);
    let running = stack.pending().await;
    let early = share(&stack, running, "oncall").await;
    assert_eq!(early.status, 409, "{early:?}");
}
