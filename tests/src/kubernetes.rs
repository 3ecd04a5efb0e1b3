//! A local server that speaks the list and the watch of a Kubernetes API, for events and other objects.

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::body::{Body, Bytes};
use axum::extract::{Query, State};
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use axum::{Json, Router};
use futures::stream;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// The collection of events.
const EVENTS: &str = "/api/v1/events";
/// What clients identify themselves by.
const TOKEN: &str = "the-token-of-a-service-account";

/// A running API server.
#[derive(Debug)]
pub struct KubernetesApi {
    url: String,
    inner: Arc<Inner>,
    serving: JoinHandle<()>,
}

#[derive(Debug, Default)]
struct Inner {
    records: Mutex<Records>,
    /// Raised by every change that a watch must see.
    changes: watch::Sender<u64>,
}

#[derive(Debug, Default)]
struct Records {
    version: u64,
    /// By version and collection.
    objects: Vec<(u64, String, Value)>,
    /// Changes before this version are forgotten.
    oldest: u64,
    /// Raised by each cut: a watch that began before it ends.
    cuts: u64,
    lists: usize,
    /// The versions that watches began at, in their order.
    watched: Vec<u64>,
}

impl Inner {
    fn records(&self) -> MutexGuard<'_, Records> {
        self.records.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for KubernetesApi {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

impl KubernetesApi {
    pub async fn start() -> anyhow::Result<Self> {
        let inner = Arc::<Inner>::default();
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let url = format!("http://{}", listener.local_addr()?);
        let router = Router::new().fallback(get(objects)).with_state(Arc::clone(&inner));
        #[expect(clippy::disallowed_methods, reason = "a test's own server, aborted with it")]
        let serving = tokio::spawn(async move {
            // It ends with the task; its callers see an error.
            drop(axum::serve(listener, router).await);
        });
        Ok(Self { url, inner, serving })
    }

    /// A kubeconfig for this server.
    pub fn kubeconfig(&self) -> String {
        json!({
            "apiVersion": "v1",
            "kind": "Config",
            "current-context": "here",
            "clusters": [{"name": "here", "cluster": {"server": self.url}}],
            "users": [{"name": "watcher", "user": {"token": TOKEN}}],
            "contexts": [{"name": "here", "context": {"cluster": "here", "user": "watcher"}}],
        })
        .to_string()
    }

    /// Adds an event, or replaces the one of the same name.
    pub fn apply(&self, event: Value) {
        self.apply_to(EVENTS, event);
    }

    /// Adds an object to a collection, such as `/apis/apps/v1/deployments`, or replaces the one of the same name.
    pub fn apply_to(&self, collection: &str, mut object: Value) {
        let mut records = self.inner.records();
        records.version += 1;
        let version = records.version;
        object["metadata"]["resourceVersion"] = version.to_string().into();
        let name = object["metadata"]["name"].clone();
        records
            .objects
            .retain(|(_, of, other)| of != collection || other["metadata"]["name"] != name);
        records.objects.push((version, collection.to_owned(), object));
        drop(records);
        self.changed();
    }

    /// Ends every connection of a watch in the middle of its answer.
    pub fn cut(&self) {
        self.inner.records().cuts += 1;
        self.changed();
    }

    /// Forgets all changes so far: a watch that begins before now is refused as too old, and so is one that runs.
    pub fn expire(&self) {
        let mut records = self.inner.records();
        records.version += 1;
        records.oldest = records.version;
        drop(records);
        self.changed();
    }

    /// How often events were listed.
    pub fn lists(&self) -> usize {
        self.inner.records().lists
    }

    /// The versions that watches began at, in their order.
    pub fn watched(&self) -> Vec<u64> {
        self.inner.records().watched.clone()
    }

    fn changed(&self) {
        self.inner.changes.send_modify(|changes| *changes += 1);
    }
}

#[derive(Debug, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
struct Parameters {
    #[serde(default)]
    watch: Option<String>,
    #[serde(default)]
    resource_version: Option<String>,
    #[serde(default)]
    field_selector: Option<String>,
}

async fn objects(
    State(inner): State<Arc<Inner>>,
    uri: Uri,
    Query(parameters): Query<Parameters>,
    headers: HeaderMap,
) -> Response {
    let token = headers.get("authorization").and_then(|value| value.to_str().ok());
    if token != Some(&format!("Bearer {TOKEN}")) {
        return (StatusCode::UNAUTHORIZED, Json(status(401, "Unauthorized"))).into_response();
    }
    let kind = parameters.field_selector.as_deref().and_then(|text| text.strip_prefix("type="));
    let selected = Selected { collection: uri.path().to_owned(), kind: kind.map(str::to_owned) };
    if parameters.watch.as_deref() == Some("true") {
        let version = parameters.resource_version.and_then(|text| text.parse().ok());
        return watch_from(&inner, version.unwrap_or_default(), selected);
    }
    let mut records = inner.records();
    records.lists += usize::from(selected.collection == EVENTS);
    let fitting = records.objects.iter().filter(|(_, of, object)| selected.has(of, object));
    let items: Vec<&Value> = fitting.map(|(_, _, object)| object).collect();
    Json(json!({
        "apiVersion": "v1",
        "kind": "List",
        "metadata": {"resourceVersion": records.version.to_string()},
        "items": items,
    }))
    .into_response()
}

/// Which objects are asked for.
struct Selected {
    collection: String,
    /// The type of events.
    kind: Option<String>,
}

impl Selected {
    fn has(&self, collection: &str, object: &Value) -> bool {
        let fits = |kind: &String| object["type"] == *kind;
        self.collection == collection && self.kind.as_ref().is_none_or(fits)
    }
}

fn watch_from(inner: &Arc<Inner>, version: u64, selected: Selected) -> Response {
    let mut records = inner.records();
    if selected.collection == EVENTS {
        records.watched.push(version);
    }
    let reader = Reader {
        inner: Arc::clone(inner),
        changes: inner.changes.subscribe(),
        version,
        cuts: records.cuts,
        selected,
        has_ended: false,
    };
    drop(records);
    let lines = stream::unfold(reader, async |mut reader| Some((reader.next().await?, reader)));
    Body::from_stream(lines).into_response()
}

struct Reader {
    inner: Arc<Inner>,
    changes: watch::Receiver<u64>,
    version: u64,
    cuts: u64,
    selected: Selected,
    has_ended: bool,
}

impl Reader {
    /// The next line; none at the end, and an error if the connection is cut.
    async fn next(&mut self) -> Option<io::Result<Bytes>> {
        while !self.has_ended {
            if let Some(line) = self.ready() {
                return Some(line.map(|line| Bytes::from(format!("{line}\n"))));
            }
            self.changes.changed().await.ok()?;
        }
        None
    }

    /// The line of a change that this watch has not seen.
    fn ready(&mut self) -> Option<io::Result<Value>> {
        let records = self.inner.records();
        if records.cuts > self.cuts {
            self.has_ended = true;
            return Some(Err(io::ErrorKind::ConnectionReset.into()));
        }
        if records.oldest > self.version {
            self.has_ended = true;
            return Some(Ok(json!({"type": "ERROR", "object": status(410, "Expired")})));
        }
        let (version, of, object) = records.objects.iter().find(|(at, ..)| *at > self.version)?;
        self.version = *version;
        if self.selected.has(of, object) {
            return Some(Ok(json!({"type": "ADDED", "object": object})));
        }
        // What is not selected still moves the watch on.
        let metadata = json!({"resourceVersion": version.to_string()});
        let object = json!({"apiVersion": "v1", "kind": "Event", "metadata": metadata});
        Some(Ok(json!({"type": "BOOKMARK", "object": object})))
    }
}

fn status(code: u16, reason: &str) -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "Status",
        "metadata": {},
        "status": "Failure",
        "message": format!("the request is refused: {reason}"),
        "reason": reason,
        "code": code,
    })
}
