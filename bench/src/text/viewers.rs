//! Viewers of a session, each on a WebSocket of its own.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use futures::future::try_join_all;
use futures::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use tarsy_contracts::live::{Live, LiveBody};
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio::time::{timeout, timeout_at};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream};

use crate::samples::Samples;
use crate::vendor::{Reader, Script, latencies};

/// How long all viewers may take to be there, and to see the last token after the first.
const TIMEOUT: Duration = Duration::from_mins(1);

type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;

/// Connects so many viewers, and waits until the relay has confirmed each subscription.
pub(crate) async fn subscribe(
    url: &str,
    session: &str,
    many: usize,
) -> anyhow::Result<Vec<Socket>> {
    let all = try_join_all((0..many).map(|_| subscribe_one(url, session)));
    let Ok(viewers) = timeout(TIMEOUT, all).await else {
        anyhow::bail!("waited {TIMEOUT:?} in vain until {many} viewers of {session} were confirmed")
    };
    viewers
}

async fn subscribe_one(url: &str, session: &str) -> anyhow::Result<Socket> {
    let (mut socket, _) = tokio_tungstenite::connect_async(url).await?;
    let subscribe = json!({ "action": "subscribe", "channel": format!("session:{session}") });
    socket.send(Message::text(subscribe.to_string())).await?;
    while let Some(message) = socket.next().await {
        let Message::Text(message) = message? else { continue };
        let event: Value = serde_json::from_str(&message)?;
        match event.get("type").and_then(Value::as_str) {
            Some("subscription.confirmed") => return Ok(socket),
            Some("subscription.error" | "error") => anyhow::bail!("refused: {message}"),
            _ => {}
        }
    }
    anyhow::bail!("the socket closed before the subscription was confirmed")
}

/// Lets every viewer read the whole text. The first tenth of it warms up.
pub(crate) async fn read(sockets: Vec<Socket>, script: &Arc<Script>) -> anyhow::Result<Samples> {
    let all = sockets.len();
    let mut viewers = JoinSet::new();
    for socket in sockets {
        viewers.spawn(read_one(socket, Reader::new(Arc::clone(script))));
    }
    let deadline = Instant::now() + TIMEOUT;
    let mut read = Vec::new();
    for number in 0..all {
        let Ok(viewer) = timeout_at(deadline.into(), viewers.join_next()).await else {
            let tokens = script.tokens();
            anyhow::bail!(
                "waited {TIMEOUT:?} in vain until {all} viewers had {tokens} tokens; {number} had"
            )
        };
        let reader = viewer.context("no viewer is left")???;
        read.push(reader.end(script.tokens() / 10)?);
    }
    Ok(latencies(read))
}

async fn read_one(mut socket: Socket, mut reader: Reader) -> anyhow::Result<Reader> {
    while let Some(message) = socket.next().await {
        let at = Instant::now();
        let Message::Text(message) = message? else { continue };
        let Ok(live) = serde_json::from_str::<Live>(&message) else { continue };
        let LiveBody::Chunk { delta, .. } = live.body else { continue };
        reader.read(&delta, at)?;
        if reader.is_whole() {
            return Ok(reader);
        }
    }
    anyhow::bail!("the socket closed before the last token")
}
