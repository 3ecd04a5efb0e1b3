//! What a webhook is sent, and who is told of what.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, Uri};
use hmac::{Hmac, KeyInit as _, Mac as _};
use serde_json::Value;
use sha2::Sha256;
use tarsy_domain::clock::{Clock as _, SystemClock};
use tarsy_domain::status::SessionStatus;
use tokio::net::TcpListener;
use tokio::task::JoinSet;

use crate::stack::{Alert, SECRET, Stack};

/// A request that came.
#[derive(Clone, Debug)]
struct Request {
    path: String,
    headers: HeaderMap,
    body: Bytes,
}

/// A server that keeps what it is sent; its first answers are these.
struct Hook {
    url: String,
    seen: Arc<Mutex<Vec<Request>>>,
    _tasks: JoinSet<()>,
}

type Shared = (Arc<Mutex<Vec<Request>>>, Arc<Mutex<Vec<u16>>>);

impl Hook {
    async fn answering(first: &[u16]) -> Self {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let answers = Arc::new(Mutex::new(first.to_vec()));
        let router = Router::new().fallback(take).with_state((Arc::clone(&seen), answers));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let mut tasks = JoinSet::new();
        tasks.spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self { url, seen, _tasks: tasks }
    }

    fn seen(&self) -> Vec<Request> {
        self.seen.lock().unwrap().clone()
    }

    /// What came at a path: the event and the session of each.
    fn received(&self, path: &str) -> Vec<(String, String)> {
        let seen = self.seen().into_iter().filter(|request| request.path == path);
        seen.map(|request| {
            let body: Value = serde_json::from_slice(&request.body).unwrap();
            let text = |value: &Value| value.as_str().unwrap().to_owned();
            (text(&body["event"]), text(&body["session"]["id"]))
        })
        .collect()
    }
}

async fn take(
    State((seen, answers)): State<Shared>,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> StatusCode {
    seen.lock().unwrap().push(Request { path: uri.path().to_owned(), headers, body });
    let mut answers = answers.lock().unwrap();
    let status = if answers.is_empty() { 204 } else { answers.remove(0) };
    StatusCode::from_u16(status).unwrap()
}

fn signed(request: &Request) -> bool {
    let header = |name: &str| request.headers[name].to_str().unwrap().to_owned();
    let mut mac = Hmac::<Sha256>::new_from_slice(SECRET.as_bytes()).unwrap();
    mac.update(format!("{}.", header("x-tarsy-timestamp")).as_bytes());
    mac.update(&request.body);
    let mut digits = String::new();
    for byte in mac.finalize().into_bytes() {
        write!(digits, "{byte:02x}").unwrap();
    }
    let age = SystemClock.now().as_second() - header("x-tarsy-timestamp").parse::<i64>().unwrap();
    header("x-tarsy-signature") == format!("v1={digits}") && age.abs() < 600
}

#[tokio::test]
async fn a_webhook_is_sent_a_signed_request_and_the_same_one_again_until_it_is_taken() {
    let hook = Hook::answering(&[500, 429]).await;
    let fixture = Stack::new(&format!(
        "notifications: {{destinations: {{tickets: {{type: webhook, url: '{}/in?key=s3cret', \
         secret_env: HOOK_SECRET, statuses: [completed]}}}}}}\n",
        hook.url
    ))
    .await;
    let notifier = fixture.notifier().await;
    let claim = fixture.running(Alert::default()).await;
    tarsy_testkit::record_verdict(&fixture.store, &claim, tarsy_testkit::a_verdict())
        .await
        .unwrap();
    fixture.end(&claim, SessionStatus::Completed, "the disk was full").await;
    let id = claim.session.id;
    let sent = "select count(*) from notifications where status = 'sent'";
    fixture
        .within(Duration::from_mins(2), "it is taken", async || fixture.count(sent).await == 1)
        .await;
    notifier.stop(Duration::from_secs(30)).await;

    let seen = hook.seen();
    assert_eq!(seen.len(), 3);
    assert!(seen.iter().all(signed));
    let names: Vec<_> = seen.iter().map(|request| &request.headers["x-tarsy-delivery"]).collect();
    assert!(names.iter().all(|name| *name == names[0]));
    let body: Value = serde_json::from_slice(&seen[0].body).unwrap();
    assert_eq!((&body["version"], &body["event"]), (&1.into(), &"session.ended".into()));
    assert_eq!(body["id"], names[0].to_str().unwrap());
    let session = &body["session"];
    assert_eq!(session["id"], id.to_string());
    assert_eq!(session["status"], "completed");
    assert_eq!((&session["alert_type"], &session["author"]), (&"host".into(), &"alice".into()));
    assert_eq!(session["executive_summary"], "the disk was full");
    assert_eq!(session["verdict"], serde_json::to_value(tarsy_testkit::a_verdict()).unwrap());
    assert_eq!(session["url"], format!("http://localhost:8080/sessions/{id}"));
    assert!(!fixture.log().contains("s3cret"), "{}", fixture.log());
}

#[tokio::test]
async fn each_destination_receives_what_it_asked_for() {
    let hook = Hook::answering(&[]).await;
    let at = |path: &str, rest: &str| {
        format!("{{type: webhook, url: '{}/{path}', secret_env: HOOK_SECRET{rest}}}", hook.url)
    };
    let fixture = Stack::new(&format!(
        "notifications:\n  destinations:\n    all: {}\n    pager: {}\n    clusters: {}\n",
        at("all", ""),
        at("pager", ", statuses: [failed, timed_out]"),
        at("clusters", ", alert_types: [kubernetes], statuses: [completed]"),
    ))
    .await;
    let _notifier = fixture.notifier().await;
    let host = Alert { alert_type: Some("host"), ..Alert::default() };
    let cluster = Alert { alert_type: Some("kubernetes"), ..Alert::default() };
    let claim = fixture.running(host).await;
    let begun = claim.session.id.to_string();
    fixture.until("the start is delivered", async || !hook.received("/all").is_empty()).await;
    assert_eq!(hook.received("/all"), [("session.started".to_owned(), begun.clone())]);
    fixture.end(&claim, SessionStatus::Failed, "").await;
    let good = fixture.ended(cluster, SessionStatus::Completed).await.to_string();
    let late = fixture.ended(cluster, SessionStatus::TimedOut).await.to_string();
    let pending = "select count(*) from notifications where status = 'pending'";
    let rows = "select count(*) from notifications where kind = 'ended'";
    fixture
        .until("all is told", async || {
            fixture.count(rows).await == 9 && fixture.count(pending).await == 0
        })
        .await;

    let ended = |path: &str| {
        let received =
            hook.received(path).into_iter().filter(|(event, _)| event == "session.ended");
        let mut ids: Vec<String> = received.map(|(_, id)| id).collect();
        ids.sort_unstable();
        ids
    };
    assert_eq!(ended("/all"), [begun.clone(), good.clone(), late.clone()]);
    assert_eq!(ended("/pager"), [begun, late]);
    assert_eq!(ended("/clusters"), [good]);
    assert_eq!(hook.received("/clusters").len(), 1);
}

#[tokio::test]
async fn a_request_that_is_wrong_in_itself_is_not_repeated() {
    let hook = Hook::answering(&[422]).await;
    let fixture = Stack::new(&format!(
        "notifications: {{destinations: {{tickets: {{type: webhook, url: '{}', \
         secret_env: HOOK_SECRET, statuses: [completed]}}}}}}\n",
        hook.url
    ))
    .await;
    let _notifier = fixture.notifier().await;
    fixture.ended(Alert::default(), SessionStatus::Completed).await;
    let failed = "select count(*) from notifications where status = 'failed'";
    fixture.until("it is given up", async || fixture.count(failed).await == 1).await;
    let letters = fixture.store.list_dead_letters(10).await.unwrap();
    assert_eq!(letters[0].error, "it answered 422");
    assert_eq!(hook.seen().len(), 1);
}

/// `cargo test` with `TARSY_TEST_BLESS=1` writes the file anew.
#[test]
fn the_committed_schema_is_current() {
    let path: PathBuf = tarsy_testkit::workspace().join("docs/contracts/webhook.v1.schema.json");
    let current = serde_json::to_string_pretty(&tarsy_notifier::schema()).unwrap() + "\n";
    if bless() {
        std::fs::write(&path, &current).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        committed == current,
        "{} is not current: run `TARSY_TEST_BLESS=1 cargo test -p tarsy-notifier schema`",
        path.display()
    );
}

#[expect(clippy::disallowed_methods, reason = "tests have no settings but the environment")]
fn bless() -> bool {
    std::env::var("TARSY_TEST_BLESS").is_ok()
}
