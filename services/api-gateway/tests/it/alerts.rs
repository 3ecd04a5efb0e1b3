use futures::StreamExt as _;
use reqwest::Method;
use serde_json::{Value, json};
use tarsy_contracts::subject;
use tarsy_domain::status::SessionStatus;
use tarsy_testkit::TestStack;

use crate::stack::{Stack, send};

const MIB: usize = 1024 * 1024;

#[tokio::test]
async fn an_alert_becomes_a_pending_session_and_an_event() {
    let stack = Stack::start().await;
    let mut events = stack.bus.subscribe(subject::EVENTS_ALL).await.unwrap();
    let mut list = stack.bus.subscribe(subject::LIVE_SESSIONS).await.unwrap();
    let answer = stack
        .submit(&json!({
            "data": "Disk full. password: hunter2hunter2",
            "alert_type": "host",
            "runbook": "https://github.com/org/repo/blob/main/disk.md",
            "mcp": {"servers": [{"name": "host"}]},
            "slack_message_fingerprint": "C1:1700000000.1",
        }))
        .await;
    let id = answer.session_id();
    assert_eq!(answer.body["status"], "queued");
    assert!(answer.body["message"].is_string());

    let session = stack.store.find_session(id).await.unwrap().unwrap();
    assert_eq!(session.status, SessionStatus::Pending);
    assert_eq!(session.chain_id, "host");
    assert_eq!(session.author.as_deref(), Some("api-client"));
    assert_eq!(
        session.runbook_url.as_deref(),
        Some("https://github.com/org/repo/blob/main/disk.md")
    );
    assert_eq!(session.mcp_selection, Some(json!({"servers": [{"name": "host"}]})));
    assert_eq!(session.slack_message_fingerprint.as_deref(), Some("C1:1700000000.1"));
    assert_eq!(session.config_snapshot["chain_id"], "host");
    assert!(session.alert_data.contains("Disk full"));
    assert!(!session.alert_data.contains("hunter2"), "{}", session.alert_data);

    let event: Value = serde_json::from_slice(&events.next().await.unwrap().payload).unwrap();
    assert_eq!((&event["session_id"], &event["status"]), (&json!(id), &json!("pending")));
    assert_eq!(event["db_event_id"], 1);
    let copy: Value = serde_json::from_slice(&list.next().await.unwrap().payload).unwrap();
    assert_eq!((&copy["session_id"], &copy["type"]), (&json!(id), &json!("session.status")));
    assert!(copy.get("db_event_id").is_none());
}

/// Bodies, the field that is wrong with each, and a word of the fix.
fn malformed() -> Vec<(String, &'static str, &'static str)> {
    let json = |body: Value| body.to_string();
    vec![
        (String::new(), "body", "send a JSON object"),
        ("{".to_owned(), "body", "line 1"),
        ("nonsense".to_owned(), "body", "line 1"),
        ("{\"data\":\"x\"} tail".to_owned(), "body", "line 1"),
        ("{\"data\":\"\\ud800\"}".to_owned(), "body", "line 1"),
        (json(json!([])), "body", "JSON object"),
        (json(json!("text")), "body", "JSON object"),
        (json(json!(null)), "body", "JSON object"),
        (json(json!({})), "data", "send the alert's text"),
        (json(json!({"data": null})), "data", "send the alert's text"),
        (json(json!({"data": ""})), "data", "send the alert's text"),
        (json(json!({"data": " \n\t"})), "data", "send the alert's text"),
        (json(json!({"data": 7})), "data", "as text"),
        (json(json!({"data": {"labels": {}}})), "data", "within a string"),
        (json(json!({"data": "a\u{0}b"})), "data", "take it out"),
        (json(json!({"data": "x", "urgency": "high"})), "urgency", "leave it out"),
        (json(json!({"data": "x", "alert_type": "hosst"})), "alert_type", "\"host\""),
        (json(json!({"data": "x", "alert_type": 1})), "alert_type", "write text"),
        (json(json!({"data": "x", "alert_type": "  "})), "alert_type", "leave it out"),
        (json(json!({"data": "x", "runbook": "disk.md"})), "runbook", "https://github.com"),
        (json(json!({"data": "x", "runbook": "file:///etc/passwd"})), "runbook", "use https"),
        (json(json!({"data": "x", "runbook": "https://evil.example/a"})), "runbook", "github.com"),
        (json(json!({"data": "x", "runbook": "https://a:b@github.com/a"})), "runbook", "take them"),
        (json(json!({"data": "x", "mcp": []})), "mcp", "write an object"),
        (json(json!({"data": "x", "mcp": {"server": []}})), "mcp.server", "servers"),
        (json(json!({"data": "x", "mcp": {"servers": {}}})), "mcp.servers", "write a list"),
        (json(json!({"data": "x", "mcp": {"servers": ["host"]}})), "mcp.servers[0]", "{\"name\": "),
        (
            json(json!({"data": "x", "mcp": {"servers": [{}]}})),
            "mcp.servers[0].name",
            "write the id",
        ),
        (
            json(
                json!({"data": "x", "alert_type": "host", "mcp": {"servers": [{"name": "host"}, {"name": "hots"}]}}),
            ),
            "mcp.servers[1].name",
            "host",
        ),
        (
            json(
                json!({"data": "x", "alert_type": "host", "mcp": {"servers": [{"name": "host"}, 7, {"name": "host"}]}}),
            ),
            "mcp.servers[1]",
            "{\"name\": ",
        ),
        (
            json(
                json!({"data": "x", "alert_type": "host", "mcp": {"servers": [{"name": "host"}, {"name": "host"}]}}),
            ),
            "mcp.servers[1].name",
            "keep one",
        ),
        (
            json(
                json!({"data": "x", "alert_type": "host", "mcp": {"servers": [{"name": "host", "tools": [1]}]}}),
            ),
            "mcp.servers[0].tools[0]",
            "name of a tool",
        ),
        (
            json(json!({"data": "x", "slack_message_fingerprint": ["a"]})),
            "slack_message_fingerprint",
            "write text",
        ),
    ]
}

/// Requests for native tools that are not read, or cannot be honoured.
fn malformed_native_tools() -> Vec<(String, &'static str, &'static str)> {
    let json = |value: Value| value.to_string();
    vec![
        (
            json(json!({"data": "x", "mcp": {"without_servers": 1}})),
            "mcp.without_servers",
            "true or",
        ),
        (
            json(json!({"data": "x", "mcp": {"without_servers": true}})),
            "mcp.without_servers",
            "leave this out",
        ),
        (
            json(json!({"data": "x", "mcp": {"native_tools": {"url_contexts": true}}})),
            "mcp.native_tools.url_contexts",
            "url_context",
        ),
        (
            json(json!({"data": "x", "mcp": {"native_tools": {"google_search": "yes"}}})),
            "mcp.native_tools.google_search",
            "true or false",
        ),
    ]
}

#[tokio::test]
async fn malformed_alerts_each_get_an_error_that_names_the_field_and_the_fix() {
    let stack = Stack::start().await;
    let bodies = [malformed(), malformed_native_tools()].concat();
    assert!(bodies.len() >= 22);
    for (body, field, fix) in bodies {
        let shown: String = body.chars().take(120).collect();
        let request = stack
            .request(Method::POST, "/api/v1/alerts")
            .header("content-type", "application/json")
            .body(body);
        let answer = send(request).await;
        assert_eq!(answer.status, 400, "{shown}: {answer:?}");
        assert_eq!(answer.headers["content-type"], "application/problem+json", "{shown}");
        assert_eq!(answer.fields(), [field], "{shown}: {}", answer.body);
        let message = answer.body["errors"][0]["message"].as_str().unwrap();
        assert!(message.contains(fix), "{shown}: {message:?} does not say {fix:?}");
        let detail = answer.body["detail"].as_str().unwrap();
        assert!(detail.contains(field), "{shown}: {detail}");
        assert_eq!(answer.body["message"], answer.body["detail"]);
        assert_eq!(answer.body["instance"], "/api/v1/alerts");
    }
    let page = stack.get("/api/v1/sessions").await;
    assert_eq!(page.body["pagination"]["total_items"], 0, "something was stored");
}

#[tokio::test]
async fn every_error_is_reported_at_once() {
    let stack = Stack::start().await;
    let answer = stack
        .submit(&json!({
            "alert_type": "hosst",
            "runbook": "ftp://x",
            "mcp": {"servers": [{"name": "a"}, {"name": "b"}]},
        }))
        .await;
    let fields = answer.fields();
    for field in ["data", "alert_type", "runbook", "mcp.servers[0].name", "mcp.servers[1].name"] {
        assert!(fields.contains(&field), "{field} is not in {fields:?}");
    }
}

#[tokio::test]
async fn what_is_too_large_or_no_json_is_refused_as_such() {
    let stack = Stack::start().await;
    let large = json!({"data": "x".repeat(MIB)});
    let answer = stack.submit(&large).await;
    assert_eq!(answer.status, 413);
    assert_eq!(answer.body["type"], "/problems/too-large");
    assert!(answer.body["message"].as_str().unwrap().contains("1 MiB"), "{}", answer.body);
    let request = stack.request(Method::POST, "/api/v1/alerts").body("data=x");
    let answer = send(request.header("content-type", "text/plain")).await;
    assert_eq!(answer.status, 415);
    assert_eq!(answer.fields(), ["Content-Type"]);
    let whole = json!({"data": "x".repeat(MIB - r#"{"data":""}"#.len())});
    assert_eq!(stack.submit(&whole).await.status, 202);
}

#[tokio::test]
async fn the_same_idempotency_key_answers_the_first_session() {
    let stack = Stack::start().await;
    let submit = async |key: &str, data: &str| {
        let request = stack.request(Method::POST, "/api/v1/alerts").json(&json!({"data": data}));
        send(request.header("Idempotency-Key", key)).await
    };
    let first = submit("key-1", "a").await.session_id();
    let (again, other) = tokio::join!(submit("key-1", "a"), submit("key-1", "b"));
    assert_eq!(again.session_id(), first);
    assert_eq!(other.status, 409, "{other:?}");
    assert_ne!(submit("key-2", "a").await.session_id(), first);
    let long = "k".repeat(256);
    for bad in ["", "two words", long.as_str()] {
        let answer = submit(bad, "a").await;
        assert_eq!(answer.status, 400, "{bad:?}");
        assert_eq!(answer.fields(), ["Idempotency-Key"]);
    }
}

#[tokio::test]
async fn many_submissions_with_one_key_at_once_make_one_session() {
    let stack = Stack::start().await;
    let submissions = (0..10).map(|_| {
        let request = stack.request(Method::POST, "/api/v1/alerts").json(&json!({"data": "x"}));
        send(request.header("Idempotency-Key", "race"))
    });
    let answers = futures::future::join_all(submissions).await;
    let first = answers[0].session_id();
    assert!(answers.iter().all(|answer| answer.session_id() == first));
    assert_eq!(stack.get("/api/v1/sessions").await.body["pagination"]["total_items"], 1);
}

#[tokio::test]
async fn an_author_that_a_proxy_names_is_believed_only_if_the_proxy_is_trusted() {
    for (trusted, expected) in [("127.0.0.0/8", "alice"), ("10.0.0.0/8", "api-client")] {
        let servers = TestStack::start().await.unwrap();
        let stack = Stack::with_settings(servers, &[("TARSY_TRUSTED_PROXIES", trusted)]).await;
        let request = stack.request(Method::POST, "/api/v1/alerts").json(&json!({"data": "x"}));
        let request = request.header("X-Forwarded-User", "alice");
        let id = send(request.header("X-Forwarded-Email", "a@example.org")).await.session_id();
        let session = stack.store.find_session(id).await.unwrap().unwrap();
        assert_eq!(session.author.as_deref(), Some(expected));
    }
}

#[tokio::test]
async fn a_foreign_page_cannot_submit() {
    let stack = Stack::start().await;
    let request = stack.request(Method::POST, "/api/v1/alerts").json(&json!({"data": "x"}));
    let answer = send(request.header("Origin", "https://evil.example")).await;
    assert_eq!(answer.status, 403);
    assert_eq!(answer.fields(), ["Origin"]);
}
