//! A viewer: a WebSocket that notes everything it is sent.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use anyhow::Context as _;
use futures::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio_tungstenite::tungstenite::Message;

/// A connected viewer of one channel.
#[derive(Debug)]
pub struct Viewer {
    seen: Arc<Mutex<Vec<Value>>>,
    count: watch::Receiver<usize>,
    reading: tokio::task::JoinHandle<()>,
}

impl Drop for Viewer {
    fn drop(&mut self) {
        self.reading.abort();
    }
}

impl Viewer {
    /// Connects and subscribes.
    pub async fn connect(socket: &str, channel: &str) -> anyhow::Result<Self> {
        let (mut socket, _) =
            tokio_tungstenite::connect_async(socket).await.context("the relay refused")?;
        let subscribe = json!({ "action": "subscribe", "channel": channel });
        socket.send(Message::text(subscribe.to_string())).await?;
        let seen: Arc<Mutex<Vec<Value>>> = Arc::default();
        let (sender, count) = watch::channel(0);
        let noted = Arc::clone(&seen);
        #[expect(clippy::disallowed_methods, reason = "a test's own task, aborted with the viewer")]
        let reading = tokio::spawn(async move {
            while let Some(Ok(message)) = socket.next().await {
                let Message::Text(text) = message else { continue };
                let Ok(event) = serde_json::from_str(&text) else { continue };
                if let Ok(mut seen) = noted.lock() {
                    seen.push(event);
                    sender.send_replace(seen.len());
                }
            }
        });
        Ok(Self { seen, count, reading })
    }

    /// Everything so far.
    pub fn seen(&self) -> Vec<Value> {
        self.seen.lock().map(|seen| seen.clone()).unwrap_or_default()
    }

    /// The numbers of the persistent events, as they came.
    pub fn numbers(&self) -> Vec<i64> {
        self.seen().iter().filter_map(|event| event["db_event_id"].as_i64()).collect()
    }

    /// The text of each timeline event, put together from chunks alone; fails on a hole or on text
    /// that came twice.
    pub fn texts(&self) -> anyhow::Result<BTreeMap<String, String>> {
        let mut texts: BTreeMap<String, String> = BTreeMap::new();
        for event in self.seen().iter().filter(|event| event["type"] == "stream.chunk") {
            let id = event["event_id"].as_str().unwrap_or_default().to_owned();
            let text = texts.entry(id.clone()).or_default();
            let offset = event["offset"].as_u64().context("a chunk without an offset")?;
            anyhow::ensure!(
                offset == text.len() as u64,
                "a chunk of {id} starts at {offset}, and {} bytes had come",
                text.len()
            );
            text.push_str(event["delta"].as_str().unwrap_or_default());
        }
        Ok(texts)
    }

    /// Waits until something that was sent fits.
    pub async fn wait_for(
        &self,
        what: &str,
        timeout: Duration,
        fits: impl Fn(&Value) -> bool,
    ) -> anyhow::Result<Value> {
        let mut count = self.count.clone();
        let found = async {
            loop {
                count.borrow_and_update();
                if let Some(event) = self.seen().into_iter().find(|event| fits(event)) {
                    return Ok(event);
                }
                count.changed().await.context("the viewer was disconnected")?;
            }
        };
        tokio::time::timeout(timeout, found).await.with_context(|| {
            let last: Vec<Value> = self.seen().into_iter().rev().take(3).collect();
            format!("no {what} came in {timeout:?}; the last were {last:?}")
        })?
    }

    /// Waits until what was sent so far is enough.
    pub async fn wait_until(
        &self,
        what: &str,
        timeout: Duration,
        is_so: impl Fn(&Self) -> anyhow::Result<bool>,
    ) -> anyhow::Result<()> {
        let mut count = self.count.clone();
        let wait = async {
            loop {
                count.borrow_and_update();
                if is_so(self)? {
                    return Ok(());
                }
                count.changed().await.context("the viewer was disconnected")?;
            }
        };
        tokio::time::timeout(timeout, wait).await.with_context(|| {
            let last: Vec<Value> = self.seen().into_iter().rev().take(3).collect();
            format!("{what}: not so in {timeout:?}; the last were {last:?}")
        })?
    }

    /// Waits until a stage has ended so.
    pub async fn stage_ends(
        &self,
        stage: &str,
        status: &str,
        timeout: Duration,
    ) -> anyhow::Result<Value> {
        self.wait_for(&format!("end of the stage as {status}"), timeout, |event| {
            event["type"] == "stage.status"
                && event["stage_id"] == stage
                && event["status"] == status
        })
        .await
    }

    /// Waits until the session is over, and returns how it ended.
    pub async fn wait_for_end(&self, timeout: Duration) -> anyhow::Result<String> {
        let over = ["completed", "failed", "timed_out", "cancelled"];
        let end = self
            .wait_for("end of the session", timeout, |event| {
                event["type"] == "session.status"
                    && event["status"].as_str().is_some_and(|status| over.contains(&status))
            })
            .await?;
        Ok(end["status"].as_str().unwrap_or_default().to_owned())
    }
}
