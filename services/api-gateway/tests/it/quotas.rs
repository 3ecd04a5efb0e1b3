//! What one sender may use of the API.

use std::path::Path;
use std::time::Duration;

use http::HeaderMap;
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};
use tarsy_service::ServiceContext;
use tarsy_store::{Batch, Op};
use tarsy_testkit::{Investigation, TestStack, eventually};
use tokio_tungstenite::tungstenite::Error;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;

use crate::stack::{Answer, Stack, send};
use crate::websocket::relay;

const LEASE: Duration = Duration::from_mins(10);

/// A gateway with these limits, behind a proxy that names the user.
async fn limited(folder: &Path, limits: &str, settings: &[(&str, &str)]) -> Stack {
    let text = format!(
        "system: {{limits: {{{limits}}}, access: {{mode: proxy, default_role: responder}}}}\n"
    );
    std::fs::write(folder.join("tarsy.yaml"), text).unwrap();
    let path = folder.display().to_string();
    let ours = [("TARSY_TRUSTED_PROXIES", "127.0.0.0/8"), ("TARSY_CONFIG_DIR", path.as_str())];
    Stack::with_settings(TestStack::start().await.unwrap(), &[&ours[..], settings].concat()).await
}

fn of(stack: &Stack, user: &str, method: Method, path: &str) -> RequestBuilder {
    stack.request(method, path).header("X-Forwarded-User", user)
}

async fn submit(stack: &Stack, user: &str) -> Answer {
    send(of(stack, user, Method::POST, "/api/v1/alerts").json(&json!({"data": "disk full"}))).await
}

fn seconds(headers: &HeaderMap) -> u64 {
    headers["retry-after"].to_str().unwrap().parse().unwrap()
}

#[tokio::test]
async fn a_sender_submits_and_asks_only_so_often_in_a_minute() {
    let folder = tempfile::tempdir().unwrap();
    let limits = "alerts_per_minute: 2, questions_per_minute: 2";
    let stack = limited(folder.path(), limits, &[]).await;
    let mut answers = Vec::new();
    // Not all of them can be within the limits of two minutes, if one ends meanwhile.
    for _ in 0..5 {
        answers.push(submit(&stack, "alice").await);
    }
    let id = answers[0].session_id();
    let refused = answers.iter().find(|answer| answer.status == 429).expect("none is refused");
    assert_eq!(refused.body["type"], "/problems/rate-limited");
    assert!(
        refused.body["detail"].as_str().unwrap().contains("2 alerts in a minute"),
        "{refused:?}"
    );
    assert!((1..=60).contains(&seconds(&refused.headers)));
    assert_eq!(submit(&stack, "bob").await.status, 202, "another sender has a quota of its own");
    let path = format!("/api/v1/sessions/{id}/chat/messages");
    let mut statuses = Vec::new();
    for _ in 0..5 {
        let question = json!({"content": "Why?"});
        statuses.push(send(of(&stack, "alice", Method::POST, &path).json(&question)).await.status);
    }
    assert!(statuses.iter().any(|status| *status == 429), "{statuses:?}");
}

#[tokio::test]
async fn while_too_many_sessions_wait_alerts_are_refused_and_a_warning_is_raised() {
    let folder = tempfile::tempdir().unwrap();
    let stack = limited(folder.path(), "pending_sessions: 2", &[]).await;
    let keyed = || {
        let request = of(&stack, "alice", Method::POST, "/api/v1/alerts");
        request.header("Idempotency-Key", "key-1").json(&json!({"data": "disk full"}))
    };
    let first = send(keyed()).await.session_id();
    submit(&stack, "bob").await.session_id();
    let refused = submit(&stack, "carol").await;
    assert_eq!(refused.status, 429, "{refused:?}");
    assert!(refused.body["detail"].as_str().unwrap().contains("the queue is full"), "{refused:?}");
    assert_eq!(seconds(&refused.headers), 30);
    assert_eq!(send(keyed()).await.session_id(), first, "it was accepted before");
    eventually("the warning is raised", async || {
        let warnings = send(of(&stack, "alice", Method::GET, "/api/v1/system/warnings")).await;
        let warnings = warnings.body["warnings"].as_array().cloned().unwrap_or_default();
        warnings.iter().any(|warning: &Value| warning["id"] == "sessions.pending")
    })
    .await;
    let cancel = format!("/api/v1/sessions/{first}/cancel");
    assert_eq!(send(of(&stack, "alice", Method::POST, &cancel)).await.status, 200);
    assert_eq!(submit(&stack, "carol").await.status, 202);
}

#[tokio::test]
async fn a_sender_has_only_so_many_open_websockets() {
    let folder = tempfile::tempdir().unwrap();
    let service = ServiceContext::default();
    let relay = format!("http://{}", relay(&service).await);
    let settings = [("TARSY_RELAY_URL", relay.as_str())];
    let stack = limited(folder.path(), "open_websockets: 1", &settings).await;
    let connect = async |user: &str| {
        let url = format!("ws://{}/api/v1/ws", stack.address);
        let mut request = url.into_client_request().unwrap();
        request.headers_mut().insert("X-Forwarded-User", user.parse().unwrap());
        tokio_tungstenite::connect_async(request).await.map(|(socket, _)| socket).map_err(Box::new)
    };
    let mut first = connect("alice").await.unwrap();
    match connect("alice").await.map_err(|error| *error) {
        Err(Error::Http(answer)) => {
            assert_eq!(answer.status(), 429);
            assert_eq!(seconds(answer.headers()), 5);
        }
        other => panic!("{other:?}"),
    }
    assert!(connect("bob").await.is_ok(), "another sender has places of its own");
    first.close(None).await.unwrap();
    eventually("the place is free", async || connect("alice").await.is_ok()).await;
    service.stop();
}

#[tokio::test]
async fn when_the_tokens_of_the_day_are_used_up_alerts_are_refused_until_it_ends() {
    let folder = tempfile::tempdir().unwrap();
    let stack = limited(folder.path(), "daily_tokens_per_sender: 120", &[]).await;
    submit(&stack, "alice").await.session_id();
    let claim = stack.store.claim_session("owner", LEASE, 5).await.unwrap().unwrap();
    let (work, _) = Investigation::start(&stack.store, claim.fence).await.unwrap();
    assert_eq!(submit(&stack, "alice").await.status, 202);
    // It takes 120 tokens.
    let call = Batch::new().with(Op::LlmInteraction(work.llm_interaction(None)));
    stack.store.commit(claim.fence, call).await.unwrap();
    let refused = submit(&stack, "alice").await;
    assert_eq!(refused.status, 429, "{refused:?}");
    assert!(refused.body["detail"].as_str().unwrap().contains("your 120 tokens"), "{refused:?}");
    assert!((1..=86_400).contains(&seconds(&refused.headers)));
    assert_eq!(submit(&stack, "bob").await.status, 202, "another sender has tokens of its own");
}
