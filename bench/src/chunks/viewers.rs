//! Viewers, each on a WebSocket of its own.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use futures::{SinkExt as _, StreamExt as _};
use serde_json::json;
use tarsy_contracts::event::EventHead;
use tarsy_domain::id::SessionId;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::timeout_at;
use tokio_tungstenite::tungstenite::Message;

use crate::chunks::load::Load;
use crate::chunks::source::Source;
use crate::chunks::timing::{Reader, Text};
use crate::samples::Samples;

/// How long the viewers may take to be there, and to see the last piece.
const TIMEOUT: Duration = Duration::from_mins(1);
/// The relay looks for older text when a viewer comes; that is not measured.
pub(crate) const QUIET: Duration = Duration::from_millis(500);

pub(crate) async fn measure(source: &Source, socket: &str, load: Load) -> anyhow::Result<Samples> {
    let event = source.open().await?;
    let text = Text::new(source.session(), event, load);
    let (ready, mut there) = mpsc::channel(load.viewers);
    let mut viewers = JoinSet::new();
    for _ in 0..load.viewers {
        let reader = Reader::new(Arc::clone(&text));
        viewers.spawn(view(socket.to_owned(), source.session(), reader, ready.clone()));
    }
    drop(ready);
    let deadline = Instant::now() + TIMEOUT;
    for number in 0..load.viewers {
        let Ok(came) = timeout_at(deadline.into(), there.recv()).await else {
            let all = load.viewers;
            anyhow::bail!(
                "waited {TIMEOUT:?} in vain until {all} viewers saw the text begin; {number} did"
            )
        };
        came.context("a viewer was refused")?;
    }
    tokio::time::sleep(QUIET).await;

    text.send(load.every, async |live, piece| source.write(live, piece).await).await?;
    let samples = collect(viewers).await?;
    source.close(event).await?;
    Ok(samples)
}

/// Waits until all have read everything.
pub(crate) async fn collect(
    mut readers: JoinSet<anyhow::Result<Reader>>,
) -> anyhow::Result<Samples> {
    let (all, deadline) = (readers.len(), Instant::now() + TIMEOUT);
    let mut samples = Samples::default();
    for number in 0..all {
        let Ok(reader) = timeout_at(deadline.into(), readers.join_next()).await else {
            anyhow::bail!(
                "waited {TIMEOUT:?} in vain until {all} readers had every piece; {number} had"
            )
        };
        samples.absorb(reader.context("no reader is left")???.into_samples());
    }
    Ok(samples)
}

async fn view(
    socket: String,
    session: SessionId,
    mut reader: Reader,
    ready: mpsc::Sender<()>,
) -> anyhow::Result<Reader> {
    let (mut socket, _) = tokio_tungstenite::connect_async(socket).await?;
    let subscribe = json!({ "action": "subscribe", "channel": format!("session:{session}") });
    socket.send(Message::text(subscribe.to_string())).await?;
    let mut waiting = Some(ready);
    while let Some(message) = socket.next().await {
        let at = Instant::now();
        let Message::Text(message) = message? else { continue };
        if waiting.is_some() {
            let head: Result<EventHead, _> = serde_json::from_str(&message);
            if head.is_ok_and(|head| head.event_id == Some(reader.event())) {
                waiting.take().context("nobody waits")?.send(()).await?;
            }
        } else if reader.came(message.as_bytes(), at)? {
            return Ok(reader);
        }
    }
    anyhow::bail!("the socket closed before the last piece")
}
