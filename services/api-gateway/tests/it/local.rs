//! What a program on this machine, such as a tool server, once did in a person's place in mode `local`.

use reqwest::{Method, RequestBuilder, StatusCode};
use serde_json::{Value, json};
use tarsy_api_gateway::{Requirement, declared_routes};
use tarsy_domain::access::Permission;
use tarsy_testkit::{TestStack, eventually};

use crate::approvals::waiting;
use crate::stack::{Answer, LOCAL_TOKEN, Stack, send};

/// What a browser was given for the token: the value of its cookie, and the key of its page.
async fn unlocked(stack: &Stack) -> (String, String) {
    let answer = send(stack.request(Method::POST, "/api/v1/unlock")).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    let cookie = answer.headers["set-cookie"].to_str().unwrap().to_owned();
    assert!(cookie.contains("; HttpOnly; SameSite=Strict; "), "{cookie}");
    assert!(!cookie.contains(LOCAL_TOKEN) && !answer.body.to_string().contains(LOCAL_TOKEN));
    let cookie = cookie.split(';').next().unwrap().to_owned();
    (cookie, answer.body["csrf_token"].as_str().unwrap().to_owned())
}

/// A decision about a call that waits, by whom the headers of the request show.
async fn approve(stack: &Stack, show: impl Fn(RequestBuilder) -> RequestBuilder) -> Answer {
    let (session, id) = waiting(stack).await;
    let path = format!("/api/v1/sessions/{session}/approvals/{id}");
    let request = stack.anonymous(Method::POST, &path).json(&json!({"decision": "approve"}));
    send(show(request)).await
}

#[tokio::test]
async fn a_tool_server_that_reaches_the_api_approves_no_call() {
    let stack = Stack::start().await;
    let (session, id) = waiting(&stack).await;
    let listed = send(stack.anonymous(Method::GET, "/api/v1/approvals")).await.body;
    let approvals = listed["approvals"].as_array().unwrap();
    assert!(approvals.iter().any(|one| one["id"] == json!(id)), "reading is open");
    let path = format!("/api/v1/sessions/{session}/approvals/{id}");
    for guess in ["", "x", "Bearer", "tarsy_0123456789012345678901234567890123456789012"] {
        let request = stack.anonymous(Method::POST, &path).json(&json!({"decision": "approve"}));
        let request = match guess {
            "" => request,
            guess => request.bearer_auth(guess),
        };
        let answer = send(request).await;
        let refused = [StatusCode::UNAUTHORIZED, StatusCode::FORBIDDEN].contains(&answer.status);
        assert!(refused, "{guess}: {answer:?}");
    }
    let refusal = send(stack.anonymous(Method::POST, &path)).await;
    assert!(refusal.body["detail"].as_str().unwrap().contains("tarsy open"), "{refusal:?}");
    let open = stack.store.list_open_approvals(500).await.unwrap();
    assert!(
        open.iter().any(|one| one.approval.id == id && one.approval.decision.is_none()),
        "it still waits"
    );
}

#[tokio::test]
async fn a_tool_server_that_reaches_the_api_does_nothing_but_read_and_submit() {
    let stack = Stack::start().await;
    let id = "0198f2a0-0000-7000-8000-00000000a11a";
    let mut refused = 0;
    for route in declared_routes() {
        let Requirement::Permission(permission) = route.requires else { continue };
        let path = route.path.replace("{id}", id).replace("{interaction_id}", id);
        let path = path.replace("{approval_id}", id).replace("{server}", "host");
        let answer = send(stack.anonymous(route.method.clone(), &path).json(&json!({}))).await;
        let is_open = matches!(
            permission,
            Permission::Read | Permission::ReadTrace | Permission::SubmitAlert
        );
        assert_eq!(answer.status != 403, is_open, "{} {path}: {answer:?}", route.method);
        refused += u32::from(!is_open);
    }
    assert!(refused > 12, "{refused}");
}

#[tokio::test]
async fn what_the_readme_sends_without_a_token_is_accepted() {
    let stack = Stack::start().await;
    let alert = json!({"alert_type": "host", "data": "disk almost full on /var, instance web-3"});
    let submitted = send(stack.anonymous(Method::POST, "/api/v1/alerts").json(&alert)).await;
    let id = submitted.session_id();
    for path in [format!("/api/v1/sessions/{id}"), "/api/v1/system/info".to_owned()] {
        assert_eq!(send(stack.anonymous(Method::GET, &path)).await.status, 200, "{path}");
    }
}

#[tokio::test]
async fn a_cookie_that_another_port_of_the_machine_was_sent_decides_nothing() {
    let stack = Stack::start().await;
    let (cookie, key) = unlocked(&stack).await;
    let with = |headers: &[(&'static str, String)]| {
        let headers = headers.to_vec();
        move |request: RequestBuilder| {
            headers.iter().fold(request, |request, (name, value)| request.header(*name, value))
        }
    };
    let (cookie, key) = (("cookie", cookie), ("x-csrf-token", key));
    let wrong = ("x-csrf-token", "x".repeat(43));
    for headers in [vec![cookie.clone()], vec![key.clone()], vec![cookie.clone(), wrong]] {
        let answer = approve(&stack, with(&headers)).await;
        assert_eq!(answer.status, 403, "{headers:?}");
        let unlock = send(with(&headers)(stack.anonymous(Method::POST, "/api/v1/unlock"))).await;
        assert_eq!(unlock.status, 409, "the cookie does not get the key: {unlock:?}");
        assert_eq!(unlock.headers.get("set-cookie"), None);
    }
    let answer = approve(&stack, with(&[cookie, key])).await;
    assert_eq!(
        (answer.status.as_u16(), &answer.body["decided_with"]),
        (200, &json!("local_token"))
    );
}

#[tokio::test]
async fn a_page_of_another_port_of_the_machine_cannot_read_the_answers_of_a_browser_that_decides() {
    let stack = Stack::start().await;
    let (cookie, _) = unlocked(&stack).await;
    let request = stack.anonymous(Method::GET, "/api/v1/me").header("cookie", cookie);
    let me = send(request.header("origin", "http://localhost:9999")).await;
    assert_eq!(me.headers.get("access-control-allow-origin"), None);
    assert_eq!((&me.body["csrf_token"], &me.body["role"]), (&Value::Null, &Value::Null));
}

#[tokio::test]
async fn the_token_of_the_start_counts_in_local_mode_only() {
    let folder = tempfile::tempdir().unwrap();
    let text = "system: {access: {mode: proxy, roles: {admin: [sre]}}}\n";
    std::fs::write(folder.path().join("tarsy.yaml"), text).unwrap();
    let path = folder.path().display().to_string();
    let servers = TestStack::start().await.unwrap();
    let stack = Stack::with_settings(servers, &[("TARSY_CONFIG_DIR", &path)]).await;
    let request = stack.anonymous(Method::GET, "/api/v1/sessions").bearer_auth(LOCAL_TOKEN);
    assert_eq!(send(request).await.status, 401);
}

#[tokio::test]
async fn a_server_without_a_token_lets_nobody_decide() {
    let servers = TestStack::start().await.unwrap();
    let stack = Stack::with_settings(servers, &[("TARSY_LOCAL_TOKEN", "")]).await;
    for token in ["", LOCAL_TOKEN] {
        let answer = approve(&stack, |request| match token {
            "" => request,
            token => request.bearer_auth(token),
        })
        .await;
        assert!([401, 403].contains(&answer.status.as_u16()), "{token}: {answer:?}");
    }
    let cookie = ("cookie", "tarsy_local=");
    let answer = approve(&stack, |request| request.header(cookie.0, cookie.1)).await;
    assert_eq!(answer.status, 403);
}

#[tokio::test]
async fn a_flood_of_who_shows_no_token_is_counted_and_stops_nobody_who_does() {
    let stack = Stack::start().await;
    let id = "0198f2a0-0000-7000-8000-00000000a11a";
    let (decide, trace) =
        (format!("/api/v1/sessions/{id}/approvals/{id}"), format!("/api/v1/sessions/{id}/trace"));
    for _ in 0..50 {
        let body = json!({"decision": "approve"});
        let decided = stack.anonymous(Method::POST, &decide).json(&body);
        assert_eq!(send(decided).await.status, 403);
        let wrong = stack.anonymous(Method::POST, "/api/v1/alerts").json(&json!({"data": 1}));
        assert_eq!(send(wrong).await.status, 400);
        assert_eq!(send(stack.anonymous(Method::GET, &trace)).await.status, 404);
    }
    let body = json!({"name": "script", "role": "viewer", "expires_in_days": 1});
    let created = send(stack.request(Method::POST, "/api/v1/tokens").json(&body)).await;
    assert_eq!(created.status, 201, "{created:?}");
    eventually("the entry of who showed the token", async || {
        let log = stack.get("/api/v1/audit-log?action=create_token").await.body;
        log["entries"].as_array().unwrap().len() == 1
    })
    .await;
    let rows = stack.count("select count(*) from audit_log where credential = 'local'").await;
    assert!((1..=2).contains(&rows.unwrap()), "the first, and the number of the others");
    let alert = json!({"data": "the disk is full"});
    send(stack.anonymous(Method::POST, "/api/v1/alerts").json(&alert)).await.session_id();
    eventually("what is submitted has an entry", async || {
        let rows =
            "select count(*) from audit_log where credential = 'local' and outcome = 'allowed'";
        stack.count(rows).await.unwrap() == 1
    })
    .await;
}

#[tokio::test]
async fn a_decision_has_how_its_sender_was_identified() {
    let stack = Stack::start().await;
    let answer = approve(&stack, |request| request.bearer_auth(LOCAL_TOKEN)).await;
    assert_eq!(answer.body["decided_with"], json!("local_token"), "{answer:?}");
    let me = async |token: Option<&str>| {
        let request =
            stack.anonymous(Method::GET, "/api/v1/me").header("x-tarsy-user", "J%C3%B6rg");
        let request = token.into_iter().fold(request, RequestBuilder::bearer_auth);
        send(request).await.body["name"].clone()
    };
    assert_eq!(me(Some(LOCAL_TOKEN)).await, "Jörg", "people name themselves");
    assert_eq!(me(None).await, "api-client", "who does not show the token is nobody");
    let body = json!({"name": "script", "role": "responder", "expires_in_days": 1});
    let created = send(stack.request(Method::POST, "/api/v1/tokens").json(&body)).await;
    let token = created.body["token"].as_str().unwrap().to_owned();
    let answer = approve(&stack, |request| request.bearer_auth(&token)).await;
    assert_eq!(answer.body["decided_with"], json!("api_token"), "{answer:?}");
    eventually("the audit log tells them from each other", async || {
        let log = stack.get("/api/v1/audit-log?action=decide_approval").await.body;
        let credentials = log["entries"].as_array().unwrap().iter();
        let credentials: Vec<_> =
            credentials.filter_map(|one| one["credential"].as_str()).collect();
        credentials.contains(&"local_token")
            && credentials.iter().any(|one| one.starts_with("token:"))
    })
    .await;
}
