//! Services that are notified over HTTP, played: what they answer, and what they keep.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex};

use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, Method, StatusCode, Uri};
use axum::response::{IntoResponse as _, Response};
use axum::{Json, Router};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::task::JoinSet;

pub(crate) const TOKEN: &str = "t0ken-of-a-bot";
const CHANNEL: &str = "abcdefghijklmnopqrstuvwxyz";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Vendor {
    Mattermost,
    Matrix,
    Teams,
    GoogleChat,
    PagerDuty,
    Jira,
}

pub(crate) const ALL: [Vendor; 6] = [
    Vendor::Mattermost,
    Vendor::Matrix,
    Vendor::Teams,
    Vendor::GoogleChat,
    Vendor::PagerDuty,
    Vendor::Jira,
];

/// How a service takes a request that would change something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mood {
    Limited,
    Broken,
    /// It does what it is asked, and never answers.
    HangsAfter,
}

/// What a service keeps of a request.
#[derive(Clone, Debug)]
pub(crate) struct Kept {
    pub(crate) id: String,
    /// Where it belongs: a thread, an incident, an issue.
    pub(crate) thread: Option<String>,
    pub(crate) body: Value,
    /// What a request that is sent again has in common with the first.
    request_id: Option<String>,
}

#[derive(Default)]
struct Memory {
    kept: Vec<Kept>,
    moods: VecDeque<Mood>,
    writes: usize,
}

/// A played service.
pub(crate) struct Played {
    pub(crate) vendor: Vendor,
    pub(crate) url: String,
    memory: Arc<Mutex<Memory>>,
    _tasks: JoinSet<()>,
}

struct Asked {
    method: Method,
    path: Vec<String>,
    query: BTreeMap<String, String>,
    headers: HeaderMap,
    body: Value,
}

impl Played {
    /// Takes the first requests in these moods, and is well then.
    pub(crate) async fn start(vendor: Vendor, moods: &[Mood]) -> Self {
        let moods = moods.iter().copied().collect();
        let memory = Arc::new(Mutex::new(Memory { moods, ..Memory::default() }));
        let router = Router::new().fallback(take).with_state((vendor, Arc::clone(&memory)));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let mut tasks = JoinSet::new();
        tasks.spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self { vendor, url, memory, _tasks: tasks }
    }

    pub(crate) fn kept(&self) -> Vec<Kept> {
        self.memory.lock().unwrap().kept.clone()
    }

    /// How many requests would have changed something.
    pub(crate) fn writes(&self) -> usize {
        self.memory.lock().unwrap().writes
    }

    /// Its line in `destinations`.
    /// The name of its destination.
    pub(crate) fn name(&self) -> String {
        self.config().split(':').next().unwrap_or_default().to_owned()
    }

    pub(crate) fn config(&self) -> String {
        let url = &self.url;
        match self.vendor {
            Vendor::Mattermost => {
                format!(
                    "mattermost: {{type: mattermost, url: '{url}', channel: {CHANNEL}, token_env: TOKEN}}"
                )
            }
            Vendor::Matrix => {
                format!(
                    "matrix: {{type: matrix, url: '{url}', room_id: '!ops:m.example', token_env: TOKEN}}"
                )
            }
            Vendor::Teams => "teams: {type: teams, url_env: TEAMS_URL}".to_owned(),
            Vendor::GoogleChat => "chat: {type: googlechat, url_env: CHAT_URL}".to_owned(),
            Vendor::PagerDuty => {
                format!(
                    "pd: {{type: pagerduty, token_env: TOKEN, from: a@b.example, api_url: '{url}'}}"
                )
            }
            Vendor::Jira => {
                format!(
                    "jira: {{type: jira, url: '{url}', user: a@b.example, token_env: TOKEN, project: OPS}}"
                )
            }
        }
    }

    /// The variables that the line names.
    pub(crate) fn variable(&self) -> (&'static str, String) {
        match self.vendor {
            Vendor::Teams => ("TEAMS_URL", format!("{}/workflows/1?sig=s3cret", self.url)),
            Vendor::GoogleChat => {
                ("CHAT_URL", format!("{}/v1/spaces/A/messages?key=k&token=s3cret", self.url))
            }
            _ => ("TOKEN", TOKEN.to_owned()),
        }
    }

    /// The texts of a message that people read.
    pub(crate) fn text(&self, kept: &Kept) -> String {
        let text = |path: &str| kept.body.pointer(path).unwrap().as_str().unwrap().to_owned();
        match self.vendor {
            Vendor::Mattermost => text("/message"),
            Vendor::Matrix => format!("{}\n\n{}", text("/body"), text("/formatted_body")),
            Vendor::Teams => {
                serde_json::to_string_pretty(&kept.body["attachments"][0]["content"]).unwrap()
            }
            Vendor::GoogleChat => text("/text"),
            Vendor::PagerDuty => text("/note/content"),
            Vendor::Jira if kept.body.get("fields").is_some() => text("/fields/description"),
            Vendor::Jira => text("/body"),
        }
    }
}

async fn take(
    State((vendor, memory)): State<(Vendor, Arc<Mutex<Memory>>)>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let query = uri.query().unwrap_or_default();
    let asked = Asked {
        method,
        path: uri.path().split('/').skip(1).map(str::to_owned).collect(),
        query: url::form_urlencoded::parse(query.as_bytes()).into_owned().collect(),
        headers,
        body: serde_json::from_slice(&body).unwrap_or_default(),
    };
    if !vendor.authorizes(&asked) {
        return StatusCode::UNAUTHORIZED.into_response();
    }
    if asked.method == Method::GET {
        let kept = memory.lock().unwrap().kept.clone();
        return Json(vendor.list(&asked, &kept)).into_response();
    }
    let mood = {
        let mut memory = memory.lock().unwrap();
        memory.writes += 1;
        memory.moods.pop_front()
    };
    match mood {
        Some(Mood::Limited) => vendor.limited(),
        Some(Mood::Broken) => StatusCode::BAD_GATEWAY.into_response(),
        Some(Mood::HangsAfter) => {
            let _unsent = vendor.keep(asked, &mut memory.lock().unwrap());
            std::future::pending().await
        }
        None => vendor.keep(asked, &mut memory.lock().unwrap()).into_response(),
    }
}

impl Vendor {
    fn authorizes(self, asked: &Asked) -> bool {
        let given = asked.headers.get("authorization").and_then(|value| value.to_str().ok());
        match self {
            Self::Mattermost | Self::Matrix => given == Some(&format!("Bearer {TOKEN}")),
            Self::Teams => asked.query.get("sig").is_some_and(|sig| sig == "s3cret"),
            Self::GoogleChat => asked.query.get("token").is_some_and(|one| one == "s3cret"),
            Self::PagerDuty => {
                given == Some(&format!("Token token={TOKEN}"))
                    && asked.headers["from"] == "a@b.example"
            }
            // a@b.example:t0ken-of-a-bot
            Self::Jira => given == Some("Basic YUBiLmV4YW1wbGU6dDBrZW4tb2YtYS1ib3Q="),
        }
    }

    fn limited(self) -> Response {
        let status = StatusCode::TOO_MANY_REQUESTS;
        match self {
            Self::Matrix => {
                let body = json!({"errcode": "M_LIMIT_EXCEEDED", "retry_after_ms": 1_000});
                (status, Json(body)).into_response()
            }
            Self::PagerDuty => (status, [("ratelimit-reset", "1")]).into_response(),
            _ => (status, [("retry-after", "1")]).into_response(),
        }
    }

    fn list(self, asked: &Asked, kept: &[Kept]) -> Value {
        let in_thread = |thread: &str| {
            let thread = thread.to_owned();
            kept.iter().filter(move |one| one.thread.as_deref() == Some(&thread))
        };
        match self {
            Self::Mattermost => {
                assert_eq!(asked.path[..], ["api", "v4", "channels", CHANNEL, "posts"]);
                assert!(asked.query["since"].parse::<i64>().unwrap() > 1_700_000_000_000);
                let posts: serde_json::Map<String, Value> =
                    kept.iter().map(|one| (one.id.clone(), one.body.clone())).collect();
                json!({ "order": [], "posts": posts })
            }
            Self::PagerDuty => {
                let notes = in_thread(&asked.path[1]);
                let notes: Vec<Value> = notes
                    .map(|one| json!({"id": one.id, "content": one.body["note"]["content"]}))
                    .collect();
                json!({ "notes": notes })
            }
            Self::Jira if asked.path[3] == "search" => {
                let label = asked.query["jql"].split('"').nth(1).unwrap();
                let found = kept.iter().filter(|one| {
                    one.body["fields"]["labels"]
                        .as_array()
                        .is_some_and(|all| all.contains(&json!(label)))
                });
                let issues: Vec<Value> = found
                    .map(|one| json!({"key": one.id, "fields": {"description": one.body["fields"]["description"]}}))
                    .collect();
                json!({ "issues": issues, "isLast": true })
            }
            Self::Jira => {
                let comments: Vec<Value> = in_thread(&asked.path[4])
                    .map(|one| json!({"id": one.id, "body": one.body["body"]}))
                    .collect();
                json!({ "comments": comments })
            }
            Self::Matrix | Self::Teams | Self::GoogleChat => panic!("{self:?} lists nothing"),
        }
    }

    /// Keeps what a request is about, and answers as the service does.
    fn keep(self, asked: Asked, memory: &mut Memory) -> (StatusCode, Json<Value>) {
        let text =
            |value: &Value| value.as_str().filter(|text| !text.is_empty()).map(str::to_owned);
        let path: Vec<&str> = asked.path.iter().map(String::as_str).collect();
        let number = memory.kept.len() + 1;
        let (id, thread, request_id) = match (self, &path[..]) {
            (Self::Mattermost, ["api", "v4", "posts"]) => {
                (format!("post{number}"), text(&asked.body["root_id"]), None)
            }
            (
                Self::Matrix,
                [
                    "_matrix",
                    "client",
                    "v3",
                    "rooms",
                    room_id,
                    "send",
                    "m.room.message",
                    transaction,
                ],
            ) => {
                assert_eq!((*room_id, &asked.method), ("!ops:m.example", &Method::PUT));
                let thread = text(&asked.body["m.relates_to"]["event_id"]);
                (format!("$event{number}"), thread, Some((*transaction).to_owned()))
            }
            (Self::Teams, ["workflows", "1"]) => (String::new(), None, None),
            (Self::GoogleChat, ["v1", "spaces", "A", "messages"]) => {
                assert_eq!(
                    asked.query["messageReplyOption"],
                    "REPLY_MESSAGE_FALLBACK_TO_NEW_THREAD"
                );
                let thread = text(&asked.body["thread"]["threadKey"]);
                (
                    format!("spaces/A/messages/{number}"),
                    thread,
                    Some(asked.query["requestId"].clone()),
                )
            }
            (Self::PagerDuty, ["incidents", incident, "notes"]) => {
                (format!("NOTE{number}"), Some((*incident).to_owned()), None)
            }
            (Self::Jira, ["rest", "api", "2", "issue"]) => (format!("OPS-{number}"), None, None),
            (Self::Jira, ["rest", "api", "2", "issue", key, "comment"]) => {
                (format!("1000{number}"), Some((*key).to_owned()), None)
            }
            other => panic!("{other:?}"),
        };
        let same =
            memory.kept.iter().find(|one| request_id.is_some() && one.request_id == request_id);
        let id = same.map_or(id.clone(), |one| one.id.clone());
        if same.is_none() {
            memory.kept.push(Kept { id: id.clone(), thread, body: asked.body, request_id });
        }
        match self {
            Self::Mattermost => (StatusCode::CREATED, Json(json!({ "id": id }))),
            Self::Matrix => (StatusCode::OK, Json(json!({ "event_id": id }))),
            Self::Teams => (StatusCode::ACCEPTED, Json(Value::Null)),
            Self::GoogleChat => (StatusCode::OK, Json(json!({ "name": id }))),
            Self::PagerDuty => (StatusCode::OK, Json(json!({ "note": { "id": id } }))),
            Self::Jira => (StatusCode::CREATED, Json(json!({ "id": id, "key": id }))),
        }
    }
}
