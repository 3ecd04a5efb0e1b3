//! A vendor with the Chat Completions API that records when it sent each token.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::Context as _;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::turns::load::Load;

/// Bytes of a token: its number.
pub(crate) const TOKEN: usize = 8;
const LARGEST_BODY: usize = 1024 * 1024;

/// The text of one turn.
#[derive(Debug)]
pub(crate) struct Script {
    name: String,
    start: Instant,
    every: Duration,
    sent: Vec<AtomicU64>,
}

impl Script {
    /// The model of the turn.
    pub(crate) fn model(&self) -> String {
        self.name.clone()
    }

    /// How many tokens there are.
    pub(crate) fn tokens(&self) -> usize {
        self.sent.len()
    }

    /// When a token was sent.
    pub(crate) fn sent(&self, number: usize) -> anyhow::Result<Instant> {
        let sent = self.sent.get(number).context("a token that was never sent")?;
        Ok(self.start + Duration::from_nanos(sent.load(Ordering::Acquire)))
    }
}

type Scripts = Arc<Mutex<BTreeMap<String, Arc<Script>>>>;

/// A running vendor.
#[derive(Debug)]
pub(crate) struct Vendor {
    address: SocketAddr,
    scripts: Scripts,
    count: AtomicUsize,
    stop: CancellationToken,
    tasks: TaskTracker,
}

impl Vendor {
    /// Listens on a free port.
    pub(crate) async fn start() -> anyhow::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let (scripts, stop, tasks) =
            (Scripts::default(), CancellationToken::new(), TaskTracker::new());
        let (known, stopped, answers) = (Arc::clone(&scripts), stop.clone(), tasks.clone());
        tasks.spawn(async move {
            while let Some(Ok((socket, _))) = stopped.run_until_cancelled(listener.accept()).await {
                let (known, stopped) = (Arc::clone(&known), stopped.clone());
                // A caller that disconnects ends its own stream, and misses its tokens.
                answers.spawn(async move {
                    stopped.run_until_cancelled(answer(socket, known)).await.transpose().ok()
                });
            }
        });
        Ok(Self { address, scripts, count: AtomicUsize::new(0), stop, tasks })
    }

    /// Where it listens.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Where its protocol is served.
    pub(crate) fn url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// A turn that is to be asked for.
    pub(crate) fn script(&self, load: Load) -> Arc<Script> {
        let script = Arc::new(Script {
            name: format!("bench-{}", self.count.fetch_add(1, Ordering::Relaxed)),
            start: Instant::now(),
            every: load.every,
            sent: (0..load.tokens).map(|_| AtomicU64::new(0)).collect(),
        });
        let mut scripts = self.scripts.lock().unwrap_or_else(PoisonError::into_inner);
        scripts.insert(script.name.clone(), Arc::clone(&script));
        script
    }

    /// Ends it.
    pub(crate) async fn stop(self) {
        self.stop.cancel();
        self.tasks.close();
        self.tasks.wait().await;
    }
}

async fn answer(socket: TcpStream, scripts: Scripts) -> anyhow::Result<()> {
    socket.set_nodelay(true)?;
    let mut socket = BufReader::new(socket);
    let model = asked(&mut socket).await?;
    let script = scripts.lock().unwrap_or_else(PoisonError::into_inner).remove(&model);
    let script = script.with_context(|| format!("nobody announced {model}"))?;
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
    socket.write_all(head.as_bytes()).await?;
    let mut tick = (!script.every.is_zero()).then(|| tokio::time::interval(script.every));
    if let Some(tick) = &mut tick {
        tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    }
    for (number, sent) in script.sent.iter().enumerate() {
        if let Some(tick) = &mut tick {
            tick.tick().await;
        }
        let token = format!("{number:0width$} ", width = TOKEN - 1);
        let event = event(&model, &json!({ "content": token }), &Value::Null);
        sent.store(u64::try_from(script.start.elapsed().as_nanos())?, Ordering::Release);
        socket.write_all(event.as_bytes()).await?;
    }
    let end = event(&model, &json!({}), &json!("stop"));
    socket.write_all(format!("{end}data: [DONE]\n\n").as_bytes()).await?;
    socket.shutdown().await?;
    Ok(())
}

/// The model that a request names.
async fn asked(socket: &mut BufReader<TcpStream>) -> anyhow::Result<String> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        anyhow::ensure!(socket.read_line(&mut line).await? > 0, "the caller went away");
        let line = line.trim().to_ascii_lowercase();
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse()?;
        }
        if line.is_empty() {
            break;
        }
    }
    anyhow::ensure!(length <= LARGEST_BODY, "a body of {length} bytes");
    let mut body = vec![0; length];
    socket.read_exact(&mut body).await?;
    let body: Value = serde_json::from_slice(&body)?;
    Ok(body.get("model").and_then(Value::as_str).context("no model is named")?.to_owned())
}

fn event(model: &str, delta: &Value, finish: &Value) -> String {
    let choice = json!({ "index": 0, "delta": delta, "finish_reason": finish });
    let event = json!({
        "id": "c", "object": "chat.completion.chunk", "created": 1, "model": model, "choices": [choice],
    });
    format!("data: {event}\n\n")
}
