//! A model that a test plays turn by turn: a vendor of our own over `OpenAI`'s wire protocol.
//!
//! A function is asked for each answer. The model tells agents and sessions apart, can say nothing at
//! all, and notices when a stream is closed before its end.

mod script;
mod vectors;
mod wire;

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::{Json, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{post, put};
use futures::{Stream, StreamExt as _, stream};
use serde_json::{Value, json};
use tarsy_testkit::{Seen, poll};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep};

pub use script::{Answer, Asked, Gate, Purpose, Script, numbered, usual};
pub use vectors::Vectors;

/// Looking at a counter costs nothing.
const COUNTER_INTERVAL: Duration = Duration::from_millis(10);

#[derive(Debug)]
pub struct Model {
    port: u16,
    inner: Arc<Inner>,
    serving: JoinHandle<()>,
}

#[derive(Debug)]
struct Inner {
    script: Script,
    asked: Mutex<Vec<Asked>>,
    closed: Mutex<Vec<Instant>>,
    open: AtomicUsize,
    held: AtomicBool,
    vectors: Arc<Mutex<Vectors>>,
}

impl Drop for Model {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

impl Model {
    /// Starts a model that answers by this script.
    pub async fn start(script: Script) -> anyhow::Result<Self> {
        let inner = Arc::new(Inner {
            script,
            asked: Mutex::default(),
            closed: Mutex::default(),
            open: AtomicUsize::new(0),
            held: AtomicBool::new(false),
            vectors: Arc::default(),
        });
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let port = listener.local_addr()?.port();
        let router = Router::new()
            .route("/v1/chat/completions", post(answer))
            .route("/v1/embeddings", post(vectors::answer).with_state(Arc::clone(&inner.vectors)))
            .route("/v1/held", put(hold).delete(release))
            .with_state(Arc::clone(&inner));
        #[expect(clippy::disallowed_methods, reason = "a test's own server, aborted with it")]
        let serving = tokio::spawn(async move {
            // It ends with the task; its callers see an error.
            drop(axum::serve(listener, router).await);
        });
        Ok(Self { port, inner, serving })
    }

    /// Where the protocol is served.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}/v1", self.port)
    }

    /// All that it was asked but the verdicts, which it is asked for beside the executive summary; in order.
    pub fn asked(&self) -> Vec<Asked> {
        self.inner.asked.lock().map(|asked| asked.clone()).unwrap_or_default()
    }

    /// From now on vectors are made like this.
    pub fn embeds(&self, vectors: Vectors) {
        if let Ok(mut known) = self.inner.vectors.lock() {
            *known = vectors;
        }
    }

    /// How many answers are being given.
    pub fn open(&self) -> usize {
        self.inner.open.load(Ordering::SeqCst)
    }

    /// When answers were closed by the one who asked, before their end.
    pub fn closed(&self) -> Vec<Instant> {
        self.inner.closed.lock().map(|closed| closed.clone()).unwrap_or_default()
    }
}

/// Counts an answer while it is given, and notes one that was closed early.
struct Given {
    inner: Arc<Inner>,
    whole: bool,
}

impl Given {
    fn begin(inner: &Arc<Inner>) -> Self {
        inner.open.fetch_add(1, Ordering::SeqCst);
        Self { inner: Arc::clone(inner), whole: false }
    }

    fn end(mut self) {
        self.whole = true;
    }
}

impl Drop for Given {
    fn drop(&mut self) {
        self.inner.open.fetch_sub(1, Ordering::SeqCst);
        if !self.whole
            && let Ok(mut closed) = self.inner.closed.lock()
        {
            closed.push(Instant::now());
        }
    }
}

type ChunkStream = Pin<Box<dyn Stream<Item = String> + Send>>;

async fn answer(State(inner): State<Arc<Inner>>, Json(body): Json<Value>) -> Response {
    let asked = Asked::read(&body);
    let mut answer = inner.script.answer(&asked);
    let model = asked.model.clone();
    let turn = asked.turn();
    if asked.purpose() != Purpose::Verdict
        && let Ok(mut all) = inner.asked.lock()
    {
        all.push(asked);
    }
    let given = Given::begin(&inner);
    while let Answer::Waits(gate, then) = answer {
        gate.passed().await;
        answer = *then;
    }
    let forever = || stream::pending::<String>();
    let chunks: ChunkStream = match answer {
        Answer::Refuses(status) => return refusal(status, given),
        Answer::RefusesFor(status, seconds) => {
            let pause = [(header::RETRY_AFTER, seconds.to_string())];
            return (pause, refusal(status, given)).into_response();
        }
        Answer::Calls(calls) => whole(wire::calls(&model, turn, &calls)),
        Answer::Text(text) => whole(wire::text(&model, &text)),
        Answer::Nothing => whole(wire::text(&model, "")),
        Answer::Streams(text, pause) => slowly(wire::text(&model, &text), move || pause),
        Answer::Flows(text, pause) => flowing(&inner, &model, &text, pause),
        Answer::Halves(text, pause, gate) => halves(wire::text(&model, &text), pause, gate),
        Answer::Stalls(text) => {
            Box::pin(stream::iter(wire::beginning(&model, &text)).chain(forever()))
        }
        // Nobody waits any more here.
        Answer::NoAnswer | Answer::Waits(..) => Box::pin(forever()),
    };
    let body = stream::unfold((chunks, given), |(mut chunks, given)| async move {
        let Some(chunk) = chunks.next().await else {
            given.end();
            return None;
        };
        Some((Ok::<_, Infallible>(chunk), (chunks, given)))
    });
    ([(header::CONTENT_TYPE, "text/event-stream")], Body::from_stream(body)).into_response()
}

fn whole(chunks: Vec<String>) -> ChunkStream {
    Box::pin(stream::iter(chunks))
}

/// Each chunk after a pause, which is asked for anew.
fn slowly<I>(chunks: I, pause: impl Fn() -> Duration + Send + 'static) -> ChunkStream
where
    I: IntoIterator<Item = String>,
    I::IntoIter: Send + 'static,
{
    Box::pin(stream::iter(chunks).then(move |chunk| {
        let pause = pause();
        async move {
            sleep(pause).await;
            chunk
        }
    }))
}

/// Ends an answer that nobody releases: enough for the longest test, and no endless stream.
const MAX_REPETITIONS: usize = 1_000;

/// The chunks of an answer that repeats its text as long as the model is held. Each repetition has its
/// number: identical ones would be cut off as a degenerate answer.
fn flowing(inner: &Arc<Inner>, model: &str, text: &str, pause: Duration) -> ChunkStream {
    let once = wire::beginning(model, text);
    let end = wire::end(model, "stop", text.split_whitespace().count());
    let (repeated, model, text) = (Arc::clone(inner), model.to_owned(), text.to_owned());
    let again = (2..MAX_REPETITIONS).map_while(move |number| {
        let held = repeated.held.load(Ordering::SeqCst);
        held.then(|| wire::beginning(&model, &format!("\n\n{number}. {text}")))
    });
    let inner = Arc::clone(inner);
    slowly(once.into_iter().chain(again.flatten()).chain(end), move || {
        let held = inner.held.load(Ordering::SeqCst);
        if held { pause } else { Duration::ZERO }
    })
}

/// From now on answers that flow do not end.
async fn hold(State(inner): State<Arc<Inner>>) {
    inner.held.store(true, Ordering::SeqCst);
}

/// Answers that flow come to their end.
async fn release(State(inner): State<Arc<Inner>>) {
    inner.held.store(false, Ordering::SeqCst);
}

fn halves(mut first: Vec<String>, pause: Duration, gate: Gate) -> ChunkStream {
    let second = first.split_off(first.len() / 2);
    let opened =
        stream::once(gate.passed()).flat_map(move |()| slowly(second.clone(), move || pause));
    Box::pin(slowly(first, move || pause).chain(opened))
}

fn refusal(status: u16, given: Given) -> Response {
    given.end();
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let error = json!({ "error": { "message": "played refusal", "type": "played", "code": null } });
    (status, Json(error)).into_response()
}

/// Waits until a counter of a played model has a value. A server of this process raises the counters, without an event.
pub async fn eventually<S: Into<Seen>>(
    what: &str,
    timeout: Duration,
    check: impl Fn() -> S,
) -> anyhow::Result<()> {
    let waited = poll(what, timeout, COUNTER_INTERVAL, async || Ok(check())).await;
    waited.map_err(anyhow::Error::msg)
}
