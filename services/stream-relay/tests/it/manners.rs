use std::net::SocketAddr;

use serde_json::json;
use tarsy_service::Settings;
use tarsy_web::CredentialEnd;
use tokio_tungstenite::tungstenite::Error;

use crate::stack::Stack;
use crate::viewer::Viewer;

#[tokio::test]
async fn what_cannot_be_understood_is_answered_with_the_fix() {
    let stack = Stack::start().await;
    let mut viewer = stack.viewer().await;
    for (text, kind, needle) in [
        ("nonsense", "error", "JSON"),
        (r#"{"action":"dance"}"#, "error", "subscribe"),
        (r#"{"action":"subscribe","channel":"secrets"}"#, "subscription.error", "session:"),
        (r#"{"action":"subscribe","channel":"session:1"}"#, "subscription.error", "session:"),
        (r#"{"action":"catchup","channel":"sessions"}"#, "subscription.error", "subscribe"),
        (
            r#"{"action":"subscribe","channel":"sessions","last_event_id":"x"}"#,
            "error",
            "last_event_id",
        ),
    ] {
        viewer.send(text).await;
        let answer = viewer.next().await;
        assert_eq!(answer["type"], kind, "{text}");
        assert!(answer["message"].as_str().unwrap().contains(needle), "{text}: {answer}");
    }
    viewer.send(json!({"action": "ping"})).await;
    assert_eq!(viewer.next().await, json!({"type": "pong"}));
}

#[tokio::test]
async fn only_so_many_channels_are_watched_at_once() {
    let stack = Stack::start().await;
    let mut viewer = stack.viewer().await;
    for number in 0..65 {
        let id = tarsy_domain::id::SessionId::new();
        let channel = format!("session:{id}");
        viewer.send(json!({"action": "subscribe", "channel": channel})).await;
        // Reads of sessions that are watched already may tell of a slow database in between.
        let answer = viewer.answer(&channel).await;
        let expected = if number < 64 { "subscription.confirmed" } else { "subscription.error" };
        assert_eq!(answer["type"], expected);
    }
}

#[tokio::test]
async fn pages_of_other_origins_are_turned_away() {
    let stack = Stack::start().await;
    for origin in ["https://evil.example", "null", "http://localhost.evil.example"] {
        let refused = Viewer::connect(stack.address, Some(origin)).await.err().unwrap();
        match *refused {
            Error::Http(answer) => assert_eq!(answer.status(), 403, "{origin}"),
            other => panic!("{origin}: {other:?}"),
        }
    }
    for origin in ["http://localhost:5173", "http://127.0.0.1:8080"] {
        assert!(Viewer::connect(stack.address, Some(origin)).await.is_ok(), "{origin}");
    }
}

#[tokio::test]
async fn with_a_token_only_the_gateway_opens_a_websocket() {
    let stack = Stack::start().await;
    let token = "0123456789abcdef0123456789abcdef";
    let mut environment = stack.environment("stream-relay", "relay-2");
    environment.insert("TARSY_RELAY_TOKEN".to_owned(), token.to_owned());
    environment.insert("TARSY_HTTP_ADDR".to_owned(), "127.0.0.1:0".to_owned());
    let settings = Settings::from_map(environment).unwrap();
    let address = tarsy_stream_relay::serve(settings, stack.service.clone()).await.unwrap();
    for sent in [None, Some("Bearer 0123456789abcdef0123456789abcdeg"), Some(token)] {
        let refused = Viewer::with_token(address, sent).await.err().unwrap();
        match *refused {
            Error::Http(answer) => assert_eq!(answer.status(), 401, "{sent:?}"),
            other => panic!("{sent:?}: {other:?}"),
        }
    }
    let mut viewer = Viewer::with_token(address, Some(&format!("Bearer {token}"))).await.unwrap();
    assert_eq!(viewer.next().await["type"], "connection.established");
}

#[tokio::test]
async fn a_plain_request_is_answered_with_the_protocol_of_this_address() {
    let stack = Stack::start().await;
    let url = format!("http://{}/api/v1/ws", stack.address);
    let answer = reqwest::get(url).await.unwrap();
    assert_eq!(answer.status(), 400);
    assert_eq!(answer.headers()["content-type"], "application/problem+json");
    assert_eq!(answer.headers()["x-frame-options"], "DENY");
    let problem: serde_json::Value = answer.json().await.unwrap();
    assert!(problem["detail"].as_str().unwrap().contains("WebSocket"), "{problem}");
}

#[tokio::test]
async fn a_message_that_is_too_long_ends_the_connection() {
    let stack = Stack::start().await;
    let mut viewer = stack.viewer().await;
    viewer.send("x".repeat(65 * 1024)).await;
    assert_eq!(viewer.closed().await, 1009);
}

#[tokio::test]
async fn viewers_are_notified_when_the_relay_stops() {
    let stack = Stack::start().await;
    let mut viewer = stack.viewer().await;
    stack.service.stop();
    assert_eq!(viewer.closed().await, 1012);
    stack.service.drain(std::time::Duration::from_mins(1)).await.unwrap();
}

#[tokio::test]
async fn a_viewer_is_closed_when_its_credential_ends() {
    let stack = Stack::start().await;
    let settings = Settings::from_map(stack.environment("stream-relay", "relay-2")).unwrap();
    let (sender, end) = CredentialEnd::new();
    // As api-gateway does where both serve in one process.
    let router = tarsy_stream_relay::build(&settings, &stack.service).await.unwrap();
    let router = router.layer(axum::Extension(end));
    let any_port = SocketAddr::from(([127, 0, 0, 1], 0));
    let address = stack.service.serve_http("other", any_port, router).await.unwrap();
    let mut viewer = Viewer::connect(address, None).await.unwrap();
    viewer.send(json!({"action": "ping"})).await;
    assert_eq!(viewer.next().await["type"], "connection.established");
    assert_eq!(viewer.next().await["type"], "pong");
    sender.send(true).unwrap();
    assert_eq!(viewer.closed().await, 4401);
}
