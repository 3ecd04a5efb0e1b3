use std::net::SocketAddr;
use std::time::Duration;

use axum::extract::ws::{CloseFrame, Message, WebSocket, WebSocketUpgrade};
use axum::routing::any;
use futures::{SinkExt as _, StreamExt as _};
use http::{HeaderMap, StatusCode};
use tarsy_service::ServiceContext;
use tarsy_testkit::{TestIssuer, TestStack};
use tokio_tungstenite::tungstenite;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;

use crate::browser::{self, Browser, USERS};
use crate::stack::Stack;

/// Echoes; refuses one origin; closes with a code of its own when told to.
pub(crate) async fn relay(service: &ServiceContext) -> SocketAddr {
    relay_at(service, SocketAddr::from(([127, 0, 0, 1], 0))).await
}

pub(crate) async fn relay_at(service: &ServiceContext, at: SocketAddr) -> SocketAddr {
    async fn echo(mut socket: WebSocket) {
        while let Some(Ok(message)) = socket.recv().await {
            match message {
                Message::Text(text) if text.as_str() == "close" => {
                    let frame = CloseFrame { code: 1013, reason: "slow".into() };
                    socket.send(Message::Close(Some(frame))).await.unwrap();
                    return;
                }
                Message::Text(text) => socket.send(Message::Text(text)).await.unwrap(),
                _ => {}
            }
        }
    }
    let upgrade = async |headers: HeaderMap, socket: WebSocketUpgrade| {
        let foreign = headers.get("origin").is_some_and(|origin| origin == "https://evil.example");
        if foreign { Err(StatusCode::FORBIDDEN) } else { Ok(socket.on_upgrade(echo)) }
    };
    let router = axum::Router::new().route("/api/v1/ws", any(upgrade));
    service.serve_http("relay", at, router).await.unwrap()
}

async fn gateway(relay: SocketAddr) -> Stack {
    let url = format!("http://{relay}");
    Stack::with_settings(TestStack::start().await.unwrap(), &[("TARSY_RELAY_URL", &url)]).await
}

fn request(stack: &Stack, origin: &str) -> http::Request<()> {
    let url = format!("ws://{}/api/v1/ws", stack.address);
    let mut request = url.into_client_request().unwrap();
    request.headers_mut().insert("origin", origin.parse().unwrap());
    request
}

#[tokio::test]
async fn frames_and_close_codes_pass_both_ways() {
    let service = ServiceContext::default();
    let stack = gateway(relay(&service).await).await;
    let request = request(&stack, "http://localhost:8080");
    let (mut socket, answer) = tokio_tungstenite::connect_async(request).await.unwrap();
    assert_eq!(answer.status(), 101);
    for text in ["{\"action\":\"ping\"}", "日本語"] {
        socket.send(tungstenite::Message::text(text)).await.unwrap();
        assert_eq!(socket.next().await.unwrap().unwrap(), tungstenite::Message::text(text));
    }
    socket.send(tungstenite::Message::text("close")).await.unwrap();
    match socket.next().await.unwrap().unwrap() {
        tungstenite::Message::Close(Some(frame)) => assert_eq!(u16::from(frame.code), 1013),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn the_relay_gets_the_token_of_the_gateway_and_nothing_of_the_viewer() {
    let (seen, mut requests) = tokio::sync::mpsc::channel(1);
    let upgrade = async move |headers: HeaderMap, socket: WebSocketUpgrade| {
        seen.send(headers).await.unwrap();
        socket.on_upgrade(async |_| {})
    };
    let service = ServiceContext::default();
    let router = axum::Router::new().route("/api/v1/ws", any(upgrade));
    let any_port = SocketAddr::from(([127, 0, 0, 1], 0));
    let relay = format!("http://{}", service.serve_http("relay", any_port, router).await.unwrap());
    let token = "0123456789abcdef0123456789abcdef";
    let settings = [("TARSY_RELAY_URL", relay.as_str()), ("TARSY_RELAY_TOKEN", token)];
    let stack = Stack::with_settings(TestStack::start().await.unwrap(), &settings).await;
    let mut request = request(&stack, "http://localhost:8080");
    request.headers_mut().insert("cookie", "theirs=1".parse().unwrap());
    tokio_tungstenite::connect_async(request).await.unwrap();
    let headers = requests.recv().await.unwrap();
    assert_eq!(headers["authorization"], format!("Bearer {token}"));
    assert!(!headers.contains_key("cookie"), "{headers:?}");
}

#[tokio::test]
async fn an_origin_that_the_relay_refuses_is_refused() {
    let service = ServiceContext::default();
    let stack = gateway(relay(&service).await).await;
    let request = request(&stack, "https://evil.example");
    match tokio_tungstenite::connect_async(request).await {
        Err(tungstenite::Error::Http(answer)) => assert_eq!(answer.status(), 403),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn without_the_relay_a_browser_is_asked_to_reconnect() {
    // Where no test ever listens.
    let nowhere = SocketAddr::from(([127, 0, 0, 1], 1));
    let stack = gateway(nowhere).await;
    let request = request(&stack, "http://localhost:8080");
    match tokio_tungstenite::connect_async(request).await {
        Err(tungstenite::Error::Http(answer)) => {
            assert_eq!(answer.status(), 503);
            assert!(answer.headers().contains_key("retry-after"));
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn viewers_are_notified_when_the_gateway_stops() {
    let service = ServiceContext::default();
    let stack = gateway(relay(&service).await).await;
    let request = request(&stack, "http://localhost:8080");
    let (mut socket, _) = tokio_tungstenite::connect_async(request).await.unwrap();
    stack.service.stop();
    match socket.next().await.unwrap().unwrap() {
        tungstenite::Message::Close(Some(frame)) => assert_eq!(u16::from(frame.code), 1012),
        other => panic!("{other:?}"),
    }
    stack.service.drain(Duration::from_mins(1)).await.unwrap();
}

/// The close code of a WebSocket that a signed-in viewer opened, after `end`.
async fn closed_after(more: &str, end: impl AsyncFnOnce(&Stack, &mut Browser<'_>)) -> Option<u16> {
    let service = ServiceContext::default();
    let relay = format!("http://{}", relay(&service).await);
    let issuer = TestIssuer::start(USERS).await.unwrap();
    let settings = [("TARSY_RELAY_URL", relay.as_str())];
    let (stack, _folder) = browser::gateway(issuer.url(), more, &settings).await;
    let mut viewer = Browser::new(&stack);
    viewer.sign_in("vera").await;
    let mut request = request(&stack, "http://localhost:8080");
    let cookie = format!("tarsy_sign_in={}", viewer.cookies["tarsy_sign_in"]);
    request.headers_mut().insert("cookie", cookie.parse().unwrap());
    let (mut socket, _) = tokio_tungstenite::connect_async(request).await.unwrap();
    socket.send(tungstenite::Message::text("still there")).await.unwrap();
    assert!(socket.next().await.unwrap().unwrap().is_text());
    end(&stack, &mut viewer).await;
    match socket.next().await.unwrap().unwrap() {
        tungstenite::Message::Close(frame) => frame.map(|frame| frame.code.into()),
        _ => None,
    }
}

#[tokio::test]
async fn a_websocket_ends_when_its_sign_in_expires() {
    let code = closed_after("      session_lifetime: 2s\n", async |_, _| {});
    assert_eq!(Box::pin(code).await, Some(4401));
}

#[tokio::test]
async fn a_websocket_ends_when_its_viewer_signs_out() {
    let code = closed_after("", async |_, viewer| {
        let null = serde_json::Value::Null;
        let answer = viewer.change(reqwest::Method::POST, "/api/v1/sign-out", &null).await;
        assert_eq!(answer.status, 204);
    });
    assert_eq!(Box::pin(code).await, Some(4401));
}

#[tokio::test]
async fn a_websocket_needs_a_sign_in_and_a_page_of_ours() {
    let service = ServiceContext::default();
    let relay = format!("http://{}", relay(&service).await);
    let issuer = TestIssuer::start(USERS).await.unwrap();
    let settings = [("TARSY_RELAY_URL", relay.as_str())];
    let (stack, _folder) = browser::gateway(issuer.url(), "", &settings).await;
    let mut viewer = Browser::new(&stack);
    viewer.sign_in("vera").await;
    let cookie = format!("tarsy_sign_in={}", viewer.cookies["tarsy_sign_in"]);
    for (headers, status) in [
        (&[("origin", "http://localhost:8080")][..], 401),
        (&[("origin", "https://other.example"), ("cookie", &cookie)], 403),
        (&[("sec-fetch-site", "cross-site"), ("cookie", &cookie)], 403),
    ] {
        let mut request = request(&stack, "http://localhost:8080");
        request.headers_mut().remove("origin");
        for (name, value) in headers {
            let name: http::HeaderName = name.parse().unwrap();
            request.headers_mut().insert(name, value.parse().unwrap());
        }
        match tokio_tungstenite::connect_async(request).await {
            Err(tungstenite::Error::Http(answer)) => assert_eq!(answer.status(), status),
            other => panic!("{headers:?}: {other:?}"),
        }
    }
}
