//! Slack as its clients see it, played: one channel, threads, pages, and moods.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::extract::{Query, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use serde_json::{Value, json};
use tarsy_domain::clock::{Clock as _, SystemClock};
use tokio::net::TcpListener;
use tokio::task::JoinSet;

pub(crate) const TOKEN: &str = "xoxb-played";
pub(crate) const CHANNEL: &str = "C0PLAYED";
/// Fewer than are asked for, so that clients must turn pages.
const PAGE: usize = 40;
/// Longer than a client waits for an answer, and after its first retry with the usual pause.
const LATE: Duration = Duration::from_secs(9);

/// How Slack takes a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mood {
    /// It does what it is asked.
    Well,
    /// It asks to come back in a second.
    Limited,
    /// It breaks before it does anything.
    Broken,
    /// It does what it is asked, and breaks before it says so.
    BrokenAfter,
    /// It does nothing and never answers.
    Hangs,
    /// It does what it is asked and never answers.
    HangsAfter,
    /// It does what it is asked when the client no longer waits for the answer.
    Late,
    /// It says no, with this word.
    Refuses(&'static str),
}

/// Decides about the next request, by its method.
pub(crate) type Moods = Box<dyn FnMut(&str) -> Mood + Send>;

struct Channel {
    messages: Vec<Value>,
    /// Threads that take no answers any more.
    locked: Vec<String>,
    moods: Moods,
    count: u64,
    /// Requests that were carried out late.
    late: usize,
}

type Shared = Arc<Mutex<Channel>>;

/// The played Slack.
pub(crate) struct Slack {
    pub(crate) url: String,
    channel: Shared,
    _tasks: JoinSet<()>,
}

impl Slack {
    /// Always well.
    pub(crate) async fn start() -> Self {
        Self::with(Box::new(|_| Mood::Well)).await
    }

    pub(crate) async fn with(moods: Moods) -> Self {
        let channel = Arc::new(Mutex::new(Channel {
            messages: Vec::new(),
            locked: Vec::new(),
            moods,
            count: 0,
            late: 0,
        }));
        let router = Router::new()
            .route("/api/chat.postMessage", post(post_message))
            .route("/api/chat.update", post(update_message))
            .route("/api/conversations.history", get(history))
            .route("/api/conversations.replies", get(replies))
            .with_state(Arc::clone(&channel));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/api", listener.local_addr().unwrap());
        let mut tasks = JoinSet::new();
        tasks.spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self { url, channel, _tasks: tasks }
    }

    /// Somebody else writes into the channel; the message's name is returned.
    pub(crate) fn somebody_writes(&self, message: &Value) -> String {
        keep(&mut self.channel.lock().unwrap(), message.clone())
    }

    /// An administrator locks a thread.
    pub(crate) fn somebody_locks(&self, thread: &str) {
        self.channel.lock().unwrap().locked.push(thread.to_owned());
    }

    /// Somebody deletes all messages.
    pub(crate) fn somebody_deletes_everything(&self) {
        self.channel.lock().unwrap().messages.clear();
    }

    /// How many requests were carried out after their client had gone.
    pub(crate) fn carried_out_late(&self) -> usize {
        self.channel.lock().unwrap().late
    }

    /// The messages that the notifier posted, the oldest first.
    pub(crate) fn posted(&self) -> Vec<Value> {
        let channel = self.channel.lock().unwrap();
        channel.messages.iter().filter(|one| one.get("metadata").is_some()).cloned().collect()
    }
}

/// Adds a message under a fresh name.
fn keep(channel: &mut Channel, mut message: Value) -> String {
    channel.count += 1;
    let ts = format!("{}.{:06}", SystemClock.now().as_second(), channel.count);
    message["ts"] = ts.clone().into();
    channel.messages.push(message);
    ts
}

/// What a mood makes of a request that would do `act`.
async fn in_its_mood(
    shared: Shared,
    headers: &HeaderMap,
    method: &str,
    act: impl FnOnce(&mut Channel) -> Value + Send + 'static,
) -> Response {
    let authorized =
        headers.get("authorization").is_some_and(|one| *one == format!("Bearer {TOKEN}"));
    if !authorized {
        return Json(json!({"ok": false, "error": "invalid_auth"})).into_response();
    }
    let mood = (shared.lock().unwrap().moods)(method);
    if mood == Mood::Late {
        act_late(&shared, act);
        return std::future::pending().await;
    }
    let acts = matches!(mood, Mood::Well | Mood::BrokenAfter | Mood::HangsAfter);
    let answer = acts.then(|| act(&mut shared.lock().unwrap()));
    match mood {
        Mood::Well => Json(answer).into_response(),
        Mood::Limited => {
            (StatusCode::TOO_MANY_REQUESTS, [("retry-after", "1")], "later").into_response()
        }
        Mood::Broken | Mood::BrokenAfter => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
        Mood::Hangs | Mood::HangsAfter | Mood::Late => std::future::pending().await,
        Mood::Refuses(word) => Json(json!({"ok": false, "error": word})).into_response(),
    }
}

/// Does what a request asked for, although the end of its connection ends the task that serves it.
fn act_late(shared: &Shared, act: impl FnOnce(&mut Channel) -> Value + Send + 'static) {
    let channel = Arc::clone(shared);
    #[expect(clippy::disallowed_methods, reason = "it ends with the test's runtime")]
    tokio::spawn(async move {
        tokio::time::sleep(LATE).await;
        let mut channel = channel.lock().unwrap();
        act(&mut channel);
        channel.late += 1;
    });
}

async fn post_message(
    State(shared): State<Shared>,
    headers: HeaderMap,
    Json(message): Json<Value>,
) -> Response {
    assert_eq!(message["channel"], CHANNEL);
    let post = |channel: &mut Channel| {
        if channel.locked.iter().any(|thread| message["thread_ts"] == thread.as_str()) {
            return json!({"ok": false, "error": "restricted_action_thread_locked"});
        }
        let ts = keep(channel, message);
        json!({"ok": true, "ts": ts})
    };
    in_its_mood(shared, &headers, "chat.postMessage", post).await
}

async fn update_message(
    State(shared): State<Shared>,
    headers: HeaderMap,
    Json(mut message): Json<Value>,
) -> Response {
    assert_eq!(message["channel"], CHANNEL);
    let update = move |channel: &mut Channel| {
        let Some(old) = channel.messages.iter_mut().find(|one| one["ts"] == message["ts"]) else {
            return json!({"ok": false, "error": "message_not_found"});
        };
        if let Some(thread) = old.get("thread_ts") {
            message["thread_ts"] = thread.clone();
        }
        let ts = message["ts"].clone();
        *old = message;
        json!({"ok": true, "ts": ts})
    };
    in_its_mood(shared, &headers, "chat.update", update).await
}

async fn history(
    State(shared): State<Shared>,
    headers: HeaderMap,
    Query(query): Query<Vec<(String, String)>>,
) -> Response {
    let list = move |channel: &mut Channel| {
        let above = channel.messages.iter().filter(|one| one.get("thread_ts").is_none());
        page(above.rev().cloned().collect(), &query)
    };
    in_its_mood(shared, &headers, "conversations.history", list).await
}

async fn replies(
    State(shared): State<Shared>,
    headers: HeaderMap,
    Query(query): Query<Vec<(String, String)>>,
) -> Response {
    let list = move |channel: &mut Channel| {
        let thread = Value::from(of(&query, "ts"));
        let within = |one: &&Value| one["thread_ts"] == thread || one["ts"] == thread;
        page(channel.messages.iter().filter(within).cloned().collect(), &query)
    };
    in_its_mood(shared, &headers, "conversations.replies", list).await
}

fn of(query: &[(String, String)], name: &str) -> String {
    let found = query.iter().find(|(one, _)| one == name);
    found.map(|(_, value)| value.clone()).unwrap_or_default()
}

/// One page of messages; metadata is shown to whoever asks for it.
fn page(mut messages: Vec<Value>, query: &[(String, String)]) -> Value {
    assert_eq!(of(query, "channel"), CHANNEL);
    let oldest: f64 = of(query, "oldest").parse().unwrap_or(0.0);
    messages.retain(|one| one["ts"].as_str().unwrap().parse::<f64>().unwrap() >= oldest);
    let begin: usize = of(query, "cursor").parse().unwrap_or(0);
    let rest = messages.split_off(begin.min(messages.len()));
    let more = rest.len() > PAGE;
    let mut shown: Vec<Value> = rest.into_iter().take(PAGE).collect();
    if of(query, "include_all_metadata") != "true" {
        for message in &mut shown {
            message.as_object_mut().unwrap().remove("metadata");
        }
    }
    let next = if more { (begin + PAGE).to_string() } else { String::new() };
    json!({"ok": true, "messages": shown, "response_metadata": {"next_cursor": next}})
}

/// The session that a posted message tells of, by its link.
pub(crate) fn session_of(message: &Value) -> String {
    let text = message["text"].as_str().unwrap();
    text.rsplit('/').next().unwrap().to_owned()
}
