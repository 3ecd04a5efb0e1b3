//! Slack's Web API with Socket Mode, and Mattermost's posts, played.

use std::sync::Arc;

use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::extract::{Path, State};
use axum::http::HeaderMap;
use axum::response::Response;
use axum::routing::{any, get, post};
use axum::{Json, Router};
use serde_json::{Value, json};
use tarsy_service::ServiceContext;
use tarsy_testkit::WAIT;
use tokio::sync::{Mutex, mpsc};
use tokio::time::timeout;

pub(super) const BOT_TOKEN: &str = "xoxb-played";
pub(super) const APP_TOKEN: &str = "xapp-1-A123ABC456-played";
/// A post of Mattermost, and the first one of its thread.
pub(super) const POST: &str = "postpostpostpostpostpostpo";
pub(super) const ROOT: &str = "rootrootrootrootrootrootro";

#[derive(Clone)]
struct Sides {
    messages: mpsc::UnboundedSender<Value>,
    sockets: mpsc::UnboundedSender<WebSocket>,
    url: Arc<Mutex<String>>,
}

/// The played servers.
pub(super) struct Messengers {
    pub(super) url: String,
    messages: mpsc::UnboundedReceiver<Value>,
    sockets: mpsc::UnboundedReceiver<WebSocket>,
    _service: ServiceContext,
}

impl Messengers {
    pub(super) async fn start() -> Self {
        let (messages, recorded) = mpsc::unbounded_channel();
        let (sockets, opened) = mpsc::unbounded_channel();
        let sides = Sides { messages, sockets, url: Arc::default() };
        let router = Router::new()
            .route("/api/apps.connections.open", post(open))
            .route("/api/{method}", post(record))
            .route("/link", any(link))
            .route("/reply", post(async || "ok"))
            .route("/api/v4/posts/{id}", get(read))
            .with_state(sides.clone());
        let service = ServiceContext::default();
        let any_port = "127.0.0.1:0".parse().unwrap();
        let address = service.serve_http("messengers", any_port, router).await.unwrap();
        *sides.url.lock().await = format!("ws://{address}/link?ticket=1&app_id=2");
        let url = format!("http://{address}");
        Self { url, messages: recorded, sockets: opened, _service: service }
    }

    /// The next message of the app, with the method that it was sent by.
    pub(super) async fn next_message(&mut self) -> Value {
        timeout(WAIT, self.messages.recv()).await.unwrap().unwrap()
    }

    /// The next connection, which was greeted.
    pub(super) async fn next_socket(&mut self) -> Socket {
        let mut socket = Socket(timeout(WAIT, self.sockets.recv()).await.unwrap().unwrap());
        let hello = json!({
            "type": "hello", "connection_info": {"app_id": "A123ABC456"}, "num_connections": 1,
            "debug_info": {"host": "applink-7fc4fdbb64-4x5xq", "build_number": 10, "approximate_connection_time": 18060},
        });
        socket.send(&hello).await;
        socket
    }
}

/// A connection of Socket Mode, from Slack's side.
pub(super) struct Socket(WebSocket);

impl Socket {
    pub(super) async fn send(&mut self, message: &Value) {
        self.0.send(Message::Text(message.to_string().into())).await.unwrap();
    }

    /// The next text.
    pub(super) async fn next(&mut self) -> Value {
        loop {
            if let Message::Text(text) =
                timeout(WAIT, self.0.recv()).await.unwrap().unwrap().unwrap()
            {
                return serde_json::from_str(&text).unwrap();
            }
        }
    }
}

fn has(headers: &HeaderMap, token: &str) -> bool {
    headers.get("authorization").is_some_and(|given| *given == format!("Bearer {token}"))
}

async fn open(State(sides): State<Sides>, headers: HeaderMap) -> Json<Value> {
    if !has(&headers, APP_TOKEN) {
        return Json(json!({"ok": false, "error": "invalid_auth"}));
    }
    Json(json!({"ok": true, "url": *sides.url.lock().await}))
}

async fn record(
    State(sides): State<Sides>,
    Path(method): Path<String>,
    headers: HeaderMap,
    Json(mut message): Json<Value>,
) -> Json<Value> {
    if !has(&headers, BOT_TOKEN) {
        return Json(json!({"ok": false, "error": "invalid_auth"}));
    }
    message["method"] = json!(method);
    sides.messages.send(message).unwrap();
    Json(json!({"ok": true, "ts": "1515449600.000001"}))
}

async fn link(State(sides): State<Sides>, upgrade: WebSocketUpgrade) -> Response {
    upgrade.on_upgrade(async move |socket| drop(sides.sockets.send(socket)))
}

async fn read(Path(id): Path<String>, headers: HeaderMap) -> Json<Value> {
    assert!(has(&headers, BOT_TOKEN) && id == POST, "{id}");
    Json(json!({"id": POST, "root_id": ROOT, "message": "@tarsy investigate"}))
}
