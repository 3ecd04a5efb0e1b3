//! Slack and a webhook, played: local servers that record every post, and that sometimes fail as the real ones do.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use anyhow::Context as _;
use axum::Router;
use axum::extract::{Json, Query, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{get, post};
use rand::rngs::StdRng;
use rand::{Rng as _, SeedableRng as _};
use serde_json::{Value, json};
use tarsy_domain::clock::{Clock as _, SystemClock};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep};

pub(crate) const SLACK_TOKEN: &str = "xoxb-played";
pub(crate) const CHANNEL: &str = "C0PLAYED";
pub(crate) const SIGNING_SECRET: &str = "the signing secret of the played app";
/// A member of the played Slack whose role is responder, and the name that TARSY has for them.
pub const RESPONDER: (&str, &str) = ("U0ROSA", "rosa");
/// Longer than a notifier waits for an answer.
const LATE: Duration = Duration::from_secs(7);

/// Who received a post.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Receiver {
    Slack,
    Webhook,
}

/// A post that was received and not refused.
#[derive(Clone, Debug)]
pub struct Post {
    pub receiver: Receiver,
    pub session: String,
    /// `started`, `ended` or, of Slack, `approval`.
    pub event: &'static str,
    /// Where the session page shows the call that an approval is about; empty of other events.
    pub step: String,
    pub id: String,
    pub at: Instant,
    /// Whether the receiver answered that it has it.
    pub acknowledged: bool,
}

/// How a receiver takes a post.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reaction {
    Accepts,
    /// It asks to come back in a second.
    RateLimits,
    /// It fails before it has stored the post.
    Fails,
    /// It stores the post and fails.
    FailsAfter,
    /// It stores the post and never answers.
    NeverAnswers,
    /// It stores the post when the sender no longer waits.
    StoresLate,
}

/// Which failures receivers have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failures {
    All,
    /// Those that a notifier recovers from within seconds.
    Answered,
}

#[derive(Debug)]
struct Inner {
    random: StdRng,
    failures: Failures,
    posts: Vec<Post>,
    /// The messages of the channel, the oldest first.
    messages: Vec<Value>,
}

type Shared = Arc<Mutex<Inner>>;

/// The running receivers.
#[derive(Debug)]
pub struct Posts {
    url: String,
    inner: Shared,
    serving: JoinHandle<()>,
}

impl Drop for Posts {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

impl Posts {
    /// Starts receivers that fail for up to a third of the posts; the seed decides how.
    pub async fn start(seed: u64, failures: Failures) -> anyhow::Result<Self> {
        let inner: Shared = Arc::new(Mutex::new(Inner {
            random: StdRng::seed_from_u64(seed),
            failures,
            posts: Vec::new(),
            messages: Vec::new(),
        }));
        let router = Router::new()
            .route("/slack/chat.postMessage", post(post_message))
            .route("/slack/chat.update", post(update_message))
            .route("/slack/conversations.history", get(history))
            .route("/slack/conversations.replies", get(replies))
            .route("/hook", post(hook))
            .with_state(Arc::clone(&inner));
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let url = format!("http://{}", listener.local_addr()?);
        #[expect(clippy::disallowed_methods, reason = "a test's own server, aborted with it")]
        let serving = tokio::spawn(async move {
            // It ends with the task; its callers see an error.
            drop(axum::serve(listener, router).await);
        });
        Ok(Self { url, inner, serving })
    }

    /// Where both are served.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Everything that was received so far, the oldest first.
    pub fn received(&self) -> Vec<Post> {
        self.inner.lock().map(|inner| inner.posts.clone()).unwrap_or_default()
    }

    /// The messages about a session, the oldest first, as they are now.
    pub fn messages(&self, session: &str) -> Vec<Value> {
        let Ok(inner) = self.inner.lock() else { return Vec::new() };
        let of_session = |one: &&Value| session_of(one) == session;
        inner.messages.iter().filter(of_session).cloned().collect()
    }

    /// The buttons with this `action_id` under the messages about a session.
    pub fn buttons(&self, session: &str, action_id: &str) -> Vec<Value> {
        let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
        let blocks = self.messages(session).into_iter().flat_map(|one| list(&one["blocks"]));
        let mut buttons: Vec<Value> = blocks.flat_map(|block| list(&block["elements"])).collect();
        buttons.retain(|button| button["action_id"] == action_id);
        buttons
    }

    /// Somebody writes a message into the channel, such as the alert that a session comes from.
    pub fn write(&self, text: &str) -> anyhow::Result<()> {
        let mut inner = self.inner.lock().ok().context("a receiver failed")?;
        inner.store_message(json!({ "text": text }));
        Ok(())
    }
}

impl Inner {
    /// Adds a message to the channel and returns its id.
    fn store_message(&mut self, mut message: Value) -> String {
        let now = SystemClock.now().as_second();
        let ts = format!("{now}.{:06}", self.messages.len() + 1);
        message["ts"] = ts.clone().into();
        self.messages.push(message);
        ts
    }

    fn reaction(&mut self) -> Reaction {
        match self.random.random_range(0..100) {
            0..6 => Reaction::RateLimits,
            6..12 => Reaction::Fails,
            12..20 => Reaction::FailsAfter,
            20..26 if self.failures == Failures::All => Reaction::NeverAnswers,
            26..32 if self.failures == Failures::All => Reaction::StoresLate,
            _ => Reaction::Accepts,
        }
    }
}

/// Takes a post as the next reaction says; `store` keeps it and makes the answer.
async fn react(
    shared: Shared,
    store: impl FnOnce(&mut Inner, bool) -> Value + Send + 'static,
) -> Response {
    let failed = || StatusCode::INTERNAL_SERVER_ERROR.into_response();
    let (reaction, answer) = {
        let Ok(mut inner) = shared.lock() else { return failed() };
        let reaction = inner.reaction();
        let answer = match reaction {
            Reaction::Accepts => store(&mut inner, true),
            Reaction::FailsAfter | Reaction::NeverAnswers => store(&mut inner, false),
            Reaction::StoresLate => {
                store_late(Arc::clone(&shared), store);
                Value::Null
            }
            Reaction::RateLimits | Reaction::Fails => Value::Null,
        };
        (reaction, answer)
    };
    match reaction {
        Reaction::Accepts => Json(answer).into_response(),
        Reaction::RateLimits => {
            (StatusCode::TOO_MANY_REQUESTS, [("retry-after", "1")], "later").into_response()
        }
        Reaction::Fails | Reaction::FailsAfter => failed(),
        Reaction::NeverAnswers | Reaction::StoresLate => std::future::pending().await,
    }
}

/// Stores a post after its sender has gone, which ends the handler.
fn store_late(shared: Shared, store: impl FnOnce(&mut Inner, bool) -> Value + Send + 'static) {
    #[expect(clippy::disallowed_methods, reason = "a test's own server, which ends with the test")]
    tokio::spawn(async move {
        sleep(LATE).await;
        if let Ok(mut inner) = shared.lock() {
            store(&mut inner, false);
        }
    });
}

/// Whether a request has the token of the app, and is about our channel.
fn is_allowed(headers: &HeaderMap, message: &Value) -> bool {
    let token = headers.get("authorization").and_then(|value| value.to_str().ok());
    token == Some(&format!("Bearer {SLACK_TOKEN}")) && message["channel"] == CHANNEL
}

fn refused(error: &str) -> Response {
    Json(json!({ "ok": false, "error": error })).into_response()
}

/// The session that a message reports: the last segment of the address in its text.
fn session_of(message: &Value) -> &str {
    message["text"].as_str().and_then(|text| text.rsplit('/').next()).unwrap_or_default()
}

/// The step of the session page that a message about a call links.
fn step_of(message: &Value) -> String {
    let blocks = message["blocks"].to_string();
    let after = blocks.split("#step-").nth(1).unwrap_or_default();
    after.chars().take_while(|one| one.is_ascii_hexdigit() || *one == '-').collect()
}

async fn post_message(
    State(shared): State<Shared>,
    headers: HeaderMap,
    Json(message): Json<Value>,
) -> Response {
    if !is_allowed(&headers, &message) {
        return refused("invalid_auth");
    }
    let store = move |inner: &mut Inner, acknowledged| {
        let text = message["text"].as_str().unwrap_or_default();
        let event = match text {
            _ if text.starts_with("Investigation started") => "started",
            _ if text.starts_with("Approval") => "approval",
            _ => "ended",
        };
        inner.posts.push(Post {
            receiver: Receiver::Slack,
            session: session_of(&message).to_owned(),
            event,
            step: if event == "approval" { step_of(&message) } else { String::new() },
            id: word(&message["metadata"]["event_payload"]["id"]),
            at: Instant::now(),
            acknowledged,
        });
        let ts = inner.store_message(message);
        json!({ "ok": true, "ts": ts })
    };
    react(shared, store).await
}

async fn update_message(
    State(shared): State<Shared>,
    headers: HeaderMap,
    Json(change): Json<Value>,
) -> Response {
    if !is_allowed(&headers, &change) {
        return refused("invalid_auth");
    }
    let store = move |inner: &mut Inner, _| {
        let same = |one: &&mut Value| one["ts"] == change["ts"];
        let Some(message) = inner.messages.iter_mut().find(same) else {
            return json!({ "ok": false, "error": "message_not_found" });
        };
        for name in ["text", "blocks"] {
            message[name] = change[name].clone();
        }
        json!({ "ok": true, "ts": change["ts"] })
    };
    react(shared, store).await
}

async fn hook(State(shared): State<Shared>, Json(delivery): Json<Value>) -> Response {
    let store = move |inner: &mut Inner, acknowledged| {
        inner.posts.push(Post {
            receiver: Receiver::Webhook,
            session: word(&delivery["session"]["id"]),
            event: if delivery["event"] == "session.started" { "started" } else { "ended" },
            step: String::new(),
            id: word(&delivery["id"]),
            at: Instant::now(),
            acknowledged,
        });
        json!({})
    };
    react(shared, store).await
}

async fn history(
    State(shared): State<Shared>,
    Query(query): Query<Vec<(String, String)>>,
) -> Response {
    list(&shared, &query, |message| message.get("thread_ts").is_none())
}

async fn replies(
    State(shared): State<Shared>,
    Query(query): Query<Vec<(String, String)>>,
) -> Response {
    let thread = query.iter().find(|(name, _)| name == "ts").map(|(_, ts)| ts.clone());
    let thread = Value::from(thread);
    list(&shared, &query, |message| message["thread_ts"] == thread || message["ts"] == thread)
}

/// One page of messages, the newest first.
fn list(
    shared: &Shared,
    query: &[(String, String)],
    is_listed: impl Fn(&Value) -> bool,
) -> Response {
    let number = |name: &str| {
        let found = query.iter().find(|(one, _)| one == name);
        found.and_then(|(_, value)| value.parse::<usize>().ok())
    };
    let (from, limit) = (number("cursor").unwrap_or(0), number("limit").unwrap_or(100));
    let oldest = number("oldest").unwrap_or(0);
    let is_recent = |message: &Value| {
        let seconds = message["ts"].as_str().and_then(|ts| ts.split('.').next());
        seconds.and_then(|seconds| seconds.parse().ok()) >= Some(oldest)
    };
    let Ok(inner) = shared.lock() else {
        return StatusCode::INTERNAL_SERVER_ERROR.into_response();
    };
    let all: Vec<&Value> =
        inner.messages.iter().rev().filter(|one| is_listed(one) && is_recent(one)).collect();
    let page: Vec<&Value> = all.iter().skip(from).take(limit).copied().collect();
    let next = if from + limit < all.len() { (from + limit).to_string() } else { String::new() };
    let page = json!({
        "ok": true, "messages": page, "response_metadata": { "next_cursor": next },
    });
    Json(page).into_response()
}

fn word(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}
