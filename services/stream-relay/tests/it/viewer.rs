//! A browser's WebSocket.

use std::net::SocketAddr;

use futures::{SinkExt as _, StreamExt as _};
use http::Request;
use serde_json::{Value, json};
use tarsy_testkit::WAIT;
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout};
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::tungstenite::{self, Message};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream};

use crate::stack::Running;

pub(crate) struct Viewer(WebSocketStream<MaybeTlsStream<TcpStream>>);

impl Viewer {
    pub(crate) async fn connect(
        address: SocketAddr,
        origin: Option<&str>,
    ) -> Result<Self, Box<tungstenite::Error>> {
        let mut request = format!("ws://{address}/api/v1/ws").into_client_request().unwrap();
        if let Some(origin) = origin {
            request.headers_mut().insert("origin", origin.parse().unwrap());
        }
        Self::open(request).await
    }

    /// As api-gateway does, with a token.
    pub(crate) async fn with_token(
        address: SocketAddr,
        authorization: Option<&str>,
    ) -> Result<Self, Box<tungstenite::Error>> {
        let mut request = format!("ws://{address}/api/v1/ws").into_client_request().unwrap();
        if let Some(value) = authorization {
            request.headers_mut().insert("authorization", value.parse().unwrap());
        }
        Self::open(request).await
    }

    async fn open(request: Request<()>) -> Result<Self, Box<tungstenite::Error>> {
        let (socket, _) = tokio_tungstenite::connect_async(request).await.map_err(Box::new)?;
        Ok(Self(socket))
    }

    pub(crate) async fn send(&mut self, text: impl ToString) {
        self.0.send(Message::text(text.to_string())).await.unwrap();
    }

    pub(crate) async fn subscribe(&mut self, session: Running) {
        let channel = format!("session:{}", session.id);
        self.send(json!({"action": "subscribe", "channel": channel})).await;
        let answer = self.next().await;
        assert_eq!(answer, json!({"type": "subscription.confirmed", "channel": channel}));
    }

    /// Subscribes as a page that has read the events up to `after`.
    pub(crate) async fn subscribe_after(&mut self, session: Running, after: i64) {
        let channel = format!("session:{}", session.id);
        let last = json!({"action": "subscribe", "channel": channel, "last_event_id": after});
        self.send(last).await;
        let answer = self.next().await;
        assert_eq!(answer, json!({"type": "subscription.confirmed", "channel": channel}));
    }

    pub(crate) async fn next(&mut self) -> Value {
        loop {
            match timeout(WAIT, self.0.next()).await.expect("a message in time") {
                Some(Ok(Message::Text(text))) => return serde_json::from_str(&text).unwrap(),
                Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
                other => panic!("the relay sent {other:?}"),
            }
        }
    }

    /// The next message about a subscription to this channel; skips others.
    pub(crate) async fn answer(&mut self, channel: &str) -> Value {
        loop {
            let message = self.next().await;
            let kind = message["type"].as_str().unwrap();
            if kind.starts_with("subscription.") && message["channel"] == channel {
                return message;
            }
        }
    }

    /// The next message of this type; skips others.
    pub(crate) async fn until(&mut self, kind: &str) -> Value {
        let deadline = Instant::now() + WAIT;
        loop {
            // Heartbeats do not move the deadline.
            let message = self.next().await;
            if message["type"] == kind {
                return message;
            }
            assert!(Instant::now() < deadline, "no {kind}, the last was {message}");
        }
    }

    /// Joins chunks, each of which must begin where the text ends.
    pub(crate) async fn read_text(&mut self, length: usize) -> String {
        let mut text = String::new();
        while text.len() < length {
            let chunk = self.until("stream.chunk").await;
            assert_eq!(chunk["offset"], text.len(), "a gap or an overlap after {text:?}");
            text.push_str(chunk["delta"].as_str().unwrap());
        }
        text
    }

    /// The code that the relay closes with.
    pub(crate) async fn closed(&mut self) -> u16 {
        loop {
            match timeout(WAIT, self.0.next()).await.expect("a close in time") {
                Some(Ok(Message::Close(Some(frame)))) => return frame.code.into(),
                Some(Ok(_)) => {}
                other => panic!("instead of a close came {other:?}"),
            }
        }
    }

    /// Whether the relay closed the connection to this viewer, with code 1013 or without a frame.
    pub(crate) async fn is_cut_off(&mut self) -> bool {
        loop {
            match timeout(WAIT, self.0.next()).await {
                Ok(Some(Ok(Message::Close(frame)))) => {
                    return frame.is_none_or(|frame| u16::from(frame.code) == 1013);
                }
                Ok(Some(Ok(_))) => {}
                Ok(None | Some(Err(_))) => return true,
                Err(_) => return false,
            }
        }
    }

    pub(crate) async fn receives_nothing_more(&mut self) {
        self.send(json!({"action": "ping"})).await;
        assert_eq!(self.next().await["type"], "pong");
    }
}
