//! A viewer: a WebSocket that notes everything it is sent.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use anyhow::Context as _;
use futures::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio::time::{Instant, sleep, timeout, timeout_at};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream};

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

/// How often a lasting viewer pings, and how long it waits for any message; as the dashboard does.
const PING_EVERY: Duration = Duration::from_secs(5);
const IDLE: Duration = Duration::from_secs(15);
const RECONNECT_PAUSE: Duration = Duration::from_millis(300);

type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;

/// Where a viewer's task puts what it is sent.
struct Record {
    seen: Arc<Mutex<Vec<Value>>>,
    count: watch::Sender<usize>,
}

impl Record {
    fn add(&self, event: Value) {
        if let Ok(mut seen) = self.seen.lock() {
            seen.push(event);
            self.count.send_replace(seen.len());
        }
    }

    /// The number of the last persistent event.
    fn last_number(&self) -> Option<i64> {
        let seen = self.seen.lock().ok()?;
        seen.iter().rev().find_map(|event| event["db_event_id"].as_i64())
    }
}

impl Viewer {
    /// Connects and subscribes; it does not connect again.
    pub async fn connect(socket: &str, channel: &str) -> anyhow::Result<Self> {
        let mut socket = subscribed(socket, channel, None).await?;
        Ok(Self::read(async move |record| {
            while let Some(Ok(message)) = socket.next().await {
                if let Some(event) = event(&message) {
                    record.add(event);
                }
            }
        }))
    }

    /// Connects and subscribes, and like a browser connects again, from the last event on, whenever the
    /// connection breaks or nothing answers.
    pub fn lasting(socket: String, channel: String) -> Self {
        Self::read(async move |record| {
            loop {
                let last = record.last_number();
                if let Ok(Ok(socket)) = timeout(IDLE, subscribed(&socket, &channel, last)).await {
                    read_until_lost(socket, &channel, &record).await;
                }
                sleep(RECONNECT_PAUSE).await;
            }
        })
    }

    fn read<F>(read: impl FnOnce(Record) -> F) -> Self
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let seen: Arc<Mutex<Vec<Value>>> = Arc::default();
        let (sender, count) = watch::channel(0);
        let task = read(Record { seen: Arc::clone(&seen), count: sender });
        #[expect(clippy::disallowed_methods, reason = "a test's own task, aborted with the viewer")]
        let reading = tokio::spawn(task);
        Self { seen, count, reading }
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
            format!("waited {timeout:?} in vain until {what}; the last events: {last:?}")
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

async fn subscribed(socket: &str, channel: &str, last: Option<i64>) -> anyhow::Result<Socket> {
    let (mut socket, _) =
        tokio_tungstenite::connect_async(socket).await.context("the relay refused")?;
    let mut subscribe = json!({ "action": "subscribe", "channel": channel });
    if let Some(last) = last {
        subscribe["last_event_id"] = last.into();
    }
    socket.send(Message::text(subscribe.to_string())).await?;
    Ok(socket)
}

async fn read_until_lost(mut socket: Socket, channel: &str, record: &Record) {
    let mut ping = tokio::time::interval(PING_EVERY);
    let mut received_at = Instant::now();
    loop {
        let message = tokio::select! {
            message = timeout_at(received_at + IDLE, socket.next()) => message,
            _ = ping.tick() => {
                let ping = json!({ "action": "ping" });
                if socket.send(Message::text(ping.to_string())).await.is_err() {
                    return;
                }
                continue;
            }
        };
        let Ok(Some(Ok(message))) = message else { return };
        received_at = Instant::now();
        let Some(event) = event(&message) else { continue };
        if event["type"] == "catchup.overflow" {
            let last = record.last_number().unwrap_or(0);
            let more = json!({ "action": "catchup", "channel": channel, "last_event_id": last });
            if socket.send(Message::text(more.to_string())).await.is_err() {
                return;
            }
        }
        record.add(event);
    }
}

fn event(message: &Message) -> Option<Value> {
    let Message::Text(text) = message else { return None };
    serde_json::from_str(text).ok()
}
