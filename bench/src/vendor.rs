//! A vendor with the Chat Completions API that records when it sent each token.

mod load;
mod plain;
mod reader;
mod script;

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Context as _;
use serde_json::{Value, json};
use tarsy_e2e::Gate;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::MissedTickBehavior;
use tokio_util::sync::{CancellationToken, DropGuard};
use tokio_util::task::TaskTracker;

pub(crate) use load::Load;
pub(crate) use plain::{QUESTION, read as read_plainly};
pub(crate) use reader::{Read, Reader, latencies};
pub(crate) use script::Script;

const LARGEST_BODY: usize = 1024 * 1024;
/// The answer to a request that no script is for: of the summary and the verdict of a session, whose text had one.
const ANSWER: &str = "It is said.";

type Scripts = Arc<Mutex<BTreeMap<String, Arc<Script>>>>;

/// A running vendor; dropping it ends every stream.
#[derive(Debug)]
pub(crate) struct Vendor {
    address: SocketAddr,
    scripts: Scripts,
    count: AtomicUsize,
    _stop: DropGuard,
}

impl Vendor {
    /// Listens on a free port.
    pub(crate) async fn start() -> anyhow::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let (scripts, stop) = (Scripts::default(), CancellationToken::new());
        let (known, stopped) = (Arc::clone(&scripts), stop.clone());
        let tasks = TaskTracker::new();
        let answers = tasks.clone();
        tasks.spawn(async move {
            while let Some(Ok((socket, _))) = stopped.run_until_cancelled(listener.accept()).await {
                let (known, stopped) = (Arc::clone(&known), stopped.clone());
                // A caller that disconnects ends its own stream, and misses its tokens.
                answers.spawn(async move {
                    stopped.run_until_cancelled(answer(socket, known)).await.transpose().ok()
                });
            }
        });
        Ok(Self { address, scripts, count: AtomicUsize::new(0), _stop: stop.drop_guard() })
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Where its protocol is served.
    pub(crate) fn url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// A turn that is to be asked for, of a model of its own.
    pub(crate) fn script(&self, load: Load) -> Arc<Script> {
        let model = format!("bench-{}", self.count.fetch_add(1, Ordering::Relaxed));
        let gate = Gate::default();
        gate.open();
        self.script_of(model, load, gate)
    }

    /// The next turn of a model, whose text begins when the gate is open.
    pub(crate) fn script_of(&self, model: String, load: Load, gate: Gate) -> Arc<Script> {
        let script = Arc::new(Script::new(model, load, gate));
        let mut scripts = self.scripts.lock().unwrap_or_else(PoisonError::into_inner);
        scripts.insert(script.model().to_owned(), Arc::clone(&script));
        script
    }
}

async fn answer(socket: TcpStream, scripts: Scripts) -> anyhow::Result<()> {
    socket.set_nodelay(true)?;
    let mut socket = BufReader::new(socket);
    let model = asked(&mut socket).await?;
    let script = scripts.lock().unwrap_or_else(PoisonError::into_inner).remove(&model);
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
    socket.write_all(head.as_bytes()).await?;
    match script {
        Some(script) => stream(&mut socket, &script).await?,
        None => socket.write_all(text(&model, ANSWER).as_bytes()).await?,
    }
    let end = event(&model, &json!({}), &json!("stop"));
    socket.write_all(format!("{end}data: [DONE]\n\n").as_bytes()).await?;
    socket.shutdown().await?;
    Ok(())
}

/// Sends every token at its time.
async fn stream(socket: &mut BufReader<TcpStream>, script: &Script) -> anyhow::Result<()> {
    script.begins().await;
    let mut tick = (!script.every().is_zero()).then(|| tokio::time::interval(script.every()));
    if let Some(tick) = &mut tick {
        tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    }
    for (number, token) in script.texts().enumerate() {
        if let Some(tick) = &mut tick {
            tick.tick().await;
        }
        let event = text(script.model(), &token);
        script.mark_sent(number)?;
        socket.write_all(event.as_bytes()).await?;
    }
    Ok(())
}

/// The event that brings this text.
fn text(model: &str, text: &str) -> String {
    event(model, &json!({ "content": text }), &Value::Null)
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
