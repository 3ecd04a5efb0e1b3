//! The search and the overview, as browsers ask for them.

use reqwest::Method;
use serde_json::json;
use tarsy_testkit::TestStack;

use crate::stack::{Answer, Stack, send};

fn message<'a>(answer: &'a Answer, field: &str) -> &'a str {
    let errors = answer.body["errors"].as_array().map(Vec::as_slice).unwrap_or_default();
    let error = errors.iter().find(|error| error["field"] == field);
    error.and_then(|error| error["message"].as_str()).unwrap_or_default()
}

fn ids(answer: &Answer) -> Vec<&str> {
    assert_eq!(answer.status, 200, "{answer:?}");
    let hits = answer.body["hits"].as_array().map(Vec::as_slice).unwrap_or_default();
    hits.iter().filter_map(|hit| hit["session"]["id"].as_str()).collect()
}

#[tokio::test]
async fn a_search_shows_where_the_words_are() {
    let stack = Stack::start().await;
    let alert = json!({"data": "the disk of web-7f9.default is 97 % full", "alert_type": "host"});
    let id = stack.submit(&alert).await.session_id().to_string();
    stack.submit(&json!({"data": "a pod of beta was OOMKilled"})).await.session_id();
    stack.can_be_searched(&id).await;
    let found = stack.get("/api/v1/search?q=Web-7f9+full").await;
    assert_eq!(ids(&found), [&id]);
    assert_eq!(found.body["next_cursor"], json!(null));
    let one = &found.body["hits"][0]["matches"][0];
    assert_eq!((&one["kind"], &one["call_number"]), (&json!("alert"), &json!(null)));
    let excerpt: Vec<u16> = one["excerpt"].as_str().unwrap().encode_utf16().collect();
    let marked: Vec<String> = one["ranges"]
        .as_array()
        .unwrap()
        .iter()
        .map(|range| {
            let at = |name: &str| usize::try_from(range[name].as_u64().unwrap()).unwrap();
            String::from_utf16(&excerpt[at("start")..at("end")]).unwrap()
        })
        .collect();
    // The title, which is the beginning of the alert, is not repeated.
    assert_eq!(marked, ["web-7f9", "full"]);
    assert_eq!(ids(&stack.get(&format!("/api/v1/search?q={id}")).await), [&id]);
    assert_eq!(ids(&stack.get("/api/v1/search?q=full&alert_type=host").await), [&id]);
    for query in
        ["q=full&alert_type=kubernetes", "q=full&status=completed", "q=we%25-7f9", "q=w_b-7f9"]
    {
        let found = stack.get(&format!("/api/v1/search?{query}")).await;
        assert!(ids(&found).is_empty(), "{query}: {found:?}");
    }
}

#[tokio::test]
async fn a_search_has_pages() {
    let stack = Stack::start().await;
    let mut made = Vec::new();
    for _ in 0..5 {
        made.push(stack.pending().await.to_string());
    }
    for id in &made {
        stack.can_be_searched(id).await;
    }
    made.reverse();
    let (mut seen, mut cursor) = (Vec::new(), String::new());
    for _ in 0..3 {
        let page = stack.get(&format!("/api/v1/search?q=disk&limit=2&cursor={cursor}")).await;
        seen.extend(ids(&page).into_iter().map(str::to_owned));
        cursor = page.body["next_cursor"].as_str().unwrap_or_default().to_owned();
    }
    assert_eq!((seen, cursor.as_str()), (made, ""));
}

#[tokio::test]
async fn everything_that_is_wrong_with_a_search_is_named_with_its_fix() {
    let stack = Stack::start().await;
    let bad = stack.get("/api/v1/search?limit=51&cursor=x&status=done&failed_tool=pods_log").await;
    assert_eq!(bad.status, 400);
    let mut fields = bad.fields();
    fields.sort_unstable();
    assert_eq!(fields, ["cursor", "failed_server", "limit", "q", "status"]);
    assert_eq!(message(&bad, "q"), "has 0 characters; write 2 to 200 characters");
    assert_eq!(message(&bad, "limit"), "is not a number from 1 to 50; write one");
    assert_eq!(message(&bad, "cursor"), "is `x`; write next_cursor of the page before");
    let long = "x".repeat(201);
    let cursor = format!("-377705023201000000_{}", stack.pending().await);
    for (query, field) in [
        ("q=a", "q"),
        ("q=%20%20", "q"),
        (&format!("q={long}"), "q"),
        ("q=disk&limit=0", "limit"),
        ("q=disk&limit=ten", "limit"),
        ("q=disk&start_date=-009999-01-02", "start_date"),
        ("q=disk&end_date=1969-12-31", "end_date"),
        (&format!("q=disk&cursor={cursor}"), "cursor"),
    ] {
        let bad = stack.get(&format!("/api/v1/search?{query}")).await;
        assert_eq!((bad.status.as_u16(), bad.fields()), (400, vec![field]), "{query}");
    }
}

#[tokio::test]
async fn what_was_masked_is_not_found() {
    let stack = Stack::start().await;
    let secret = "AKIAIOSFODNN7REALKEY";
    let alert = json!({"data": format!("login failed with aws_access_key_id={secret} on web-1")});
    let id = stack.submit(&alert).await.session_id().to_string();
    stack.can_be_searched(&id).await;
    assert_eq!(ids(&stack.get("/api/v1/search?q=login+failed").await), [&id]);
    for part in [secret, "AKIAIOS", "aws_access_key_id=AKIAIOSFODNN7REALKEY"] {
        let found = stack.get(&format!("/api/v1/search?q={part}")).await;
        assert!(ids(&found).is_empty(), "{found:?}");
    }
}

#[tokio::test]
async fn an_overview_has_the_numbers_of_its_hours() {
    let stack = Stack::start().await;
    stack.pending().await;
    stack.pending().await;
    let overview = stack.get("/api/v1/overview").await;
    assert_eq!(overview.status, 200, "{overview:?}");
    assert_eq!((&overview.body["pending"], &overview.body["running"]), (&json!(2), &json!(0)));
    let buckets = overview.body["buckets"].as_array().unwrap();
    assert_eq!(buckets.iter().filter_map(|one| one["open"].as_i64()).sum::<i64>(), 2);
    let day = stack.get("/api/v1/overview?from=2020-01-01&to=2020-01-01").await.body;
    assert_eq!(
        (&day["from"], &day["to"], &day["bucket_seconds"], &day["buckets"]),
        (&json!("2020-01-01T00:00:00Z"), &json!("2020-01-02T00:00:00Z"), &json!(3600), &json!([]))
    );
}

#[tokio::test]
async fn everything_that_is_wrong_with_an_overview_is_named_with_its_fix() {
    let stack = Stack::start().await;
    for (query, fields, fix) in [
        ("from=x&to=y", &["to", "from"][..], "2026-01-31"),
        ("from=2020-01-02&to=2020-01-01", &["from"], "an earlier time"),
        ("from=2020-01-01&to=2020-05-01", &["from"], "a later time"),
        ("from=-009999-01-02&to=2020-01-01", &["from"], "1970"),
        ("to=-009999-01-02", &["to"], "1970"),
    ] {
        let bad = stack.get(&format!("/api/v1/overview?{query}")).await;
        assert_eq!((bad.status.as_u16(), bad.fields()), (400, fields.to_vec()), "{query}: {bad:?}");
        assert!(message(&bad, fields[0]).contains(fix), "{query}: {bad:?}");
    }
}

const PROXY: &str = "
system:
  access:
    mode: proxy
    roles:
      viewer: [everyone]
";

#[tokio::test]
async fn whoever_may_read_may_search_and_nobody_else() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("tarsy.yaml"), PROXY).unwrap();
    let path = folder.path().display().to_string();
    let settings = [("TARSY_TRUSTED_PROXIES", "127.0.0.0/8"), ("TARSY_CONFIG_DIR", path.as_str())];
    let stack = Stack::with_settings(TestStack::start().await.unwrap(), &settings).await;
    for path in ["/api/v1/search?q=disk", "/api/v1/overview"] {
        let request = || stack.request(Method::GET, path);
        let as_user = |groups: &str| {
            request().header("X-Forwarded-User", "alice").header("X-Forwarded-Groups", groups)
        };
        for (request, status) in
            [(request(), 401), (as_user("strangers"), 403), (as_user("everyone"), 200)]
        {
            assert_eq!(send(request).await.status, status, "{path}");
        }
    }
}
