//! Who may do what.

use reqwest::Method;
use serde_json::{Value, json};
use tarsy_testkit::{TestStack, eventually};

use crate::stack::{Answer, Stack, send};

const PROXY: &str = "
system:
  access:
    mode: proxy
    roles:
      viewer: [everyone]
      responder: [on-call]
      operator: [operators]
      admin: [sre-leads]
";

/// A gateway behind a proxy on this machine.
async fn behind_a_proxy() -> (Stack, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("tarsy.yaml"), PROXY).unwrap();
    let servers = TestStack::start().await.unwrap();
    let path = folder.path().display().to_string();
    let settings = [("TARSY_TRUSTED_PROXIES", "127.0.0.0/8"), ("TARSY_CONFIG_DIR", path.as_str())];
    (Stack::with_settings(servers, &settings).await, folder)
}

fn as_user(stack: &Stack, groups: &str, method: Method, path: &str) -> reqwest::RequestBuilder {
    let request = stack.request(method, path).header("X-Forwarded-User", "alice");
    request.header("X-Forwarded-Groups", groups)
}

async fn create_token(stack: &Stack, body: &Value) -> Answer {
    send(as_user(stack, "sre-leads", Method::POST, "/api/v1/tokens").json(body)).await
}

#[tokio::test]
async fn in_local_mode_whoever_shows_the_token_of_the_start_may_do_everything() {
    let stack = Stack::start().await;
    let me = stack.get("/api/v1/me").await.body;
    let nobody = send(stack.anonymous(Method::GET, "/api/v1/me")).await.body;
    let open = json!(["read", "read_trace", "submit_alert"]);
    assert_eq!((&nobody["role"], &nobody["permissions"]), (&Value::Null, &open));
    assert_eq!(
        (&me["role"], &me["mode"], &me["insecure"]),
        (&json!("admin"), &json!("local"), &json!(false))
    );
    assert!(me["permissions"].as_array().unwrap().contains(&json!("manage_tokens")));
}

#[tokio::test]
async fn a_rebound_name_is_refused_but_not_to_probes() {
    let stack = Stack::start().await;
    for path in ["/api/v1/sessions", "/", "/health", "/openapi.json"] {
        let answer = send(stack.request(Method::GET, path).header("Host", "rebound.example")).await;
        assert_eq!(answer.status, 403, "{path}");
        assert_eq!(answer.fields(), ["Host"]);
    }
    for path in ["/livez", "/readyz"] {
        let answer = send(stack.request(Method::GET, path).header("Host", "10.1.2.3:8080")).await;
        assert_eq!(answer.status, 200, "{path}");
    }
}

#[tokio::test]
async fn each_role_has_its_permissions() {
    let (stack, _folder) = behind_a_proxy().await;
    let id = send(
        as_user(&stack, "on-call", Method::POST, "/api/v1/alerts").json(&json!({"data": "x"})),
    )
    .await
    .session_id();
    let session = format!("/api/v1/sessions/{id}");
    let cancel = format!("{session}/cancel");
    let trace = format!("{session}/trace");
    for (groups, read, change, audit, tokens) in [
        ("strangers", 403, 403, 403, 403),
        ("everyone", 200, 403, 403, 403),
        ("everyone, on-call", 200, 200, 403, 403),
        ("operators", 200, 409, 200, 403),
        ("everyone,sre-leads", 200, 409, 200, 200),
    ] {
        for (method, path, status) in [
            (Method::GET, session.as_str(), read),
            (Method::GET, trace.as_str(), read),
            (Method::POST, cancel.as_str(), change),
            (Method::GET, "/api/v1/audit-log", audit),
            (Method::GET, "/api/v1/tokens", tokens),
        ] {
            let answer = send(as_user(&stack, groups, method.clone(), path)).await;
            assert_eq!(answer.status, status, "{groups}: {method} {path}: {answer:?}");
        }
    }
}

#[tokio::test]
async fn a_request_past_the_proxy_or_without_a_user_is_not_identified() {
    let (stack, _folder) = behind_a_proxy().await;
    let answer = stack.get("/api/v1/sessions").await;
    assert_eq!(answer.status, 401);
    let blank = stack.request(Method::GET, "/api/v1/me").header("X-Forwarded-User", " ");
    assert_eq!(send(blank).await.status, 401);

    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("tarsy.yaml"), PROXY).unwrap();
    let path = folder.path().display().to_string();
    let settings = [("TARSY_TRUSTED_PROXIES", "10.0.0.0/8"), ("TARSY_CONFIG_DIR", path.as_str())];
    let direct = Stack::with_settings(TestStack::start().await.unwrap(), &settings).await;
    let forged = send(as_user(&direct, "sre-leads", Method::GET, "/api/v1/sessions")).await;
    assert_eq!(forged.status, 401, "{forged:?}");
    assert_eq!(direct.get("/livez").await.status, 200);
}

#[tokio::test]
async fn a_second_header_of_the_proxy_names_nobody() {
    let (stack, _folder) = behind_a_proxy().await;
    for (name, value) in [("X-Forwarded-User", "root"), ("X-Forwarded-Groups", "sre-leads")] {
        for groups in ["everyone", "sre-leads"] {
            let request = as_user(&stack, groups, Method::GET, "/api/v1/me");
            let answer = send(request.header(name, value)).await;
            assert_eq!(answer.status, 400, "{answer:?}");
            assert_eq!(answer.fields(), [name], "{answer:?}");
        }
    }
}

#[tokio::test]
async fn a_method_that_is_not_listed_needs_a_sender_too() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("tarsy.yaml"), PROXY).unwrap();
    let path = folder.path().display().to_string();
    let settings = [("TARSY_RELAY_URL", "http://127.0.0.1:1"), ("TARSY_CONFIG_DIR", path.as_str())];
    let stack = Stack::with_settings(TestStack::start().await.unwrap(), &settings).await;
    // The WebSocket's route takes every method, HTTP/2's CONNECT included; other routes have no handler for it.
    for (method, path, status) in
        [(Method::POST, "/api/v1/ws", 401), (Method::PUT, "/api/v1/sessions", 405)]
    {
        let answer = send(stack.request(method.clone(), path)).await;
        assert_eq!(answer.status, status, "{method} {path}: {answer:?}");
    }
}

#[tokio::test]
async fn a_token_does_what_it_was_created_for_until_it_is_revoked() {
    let (stack, _folder) = behind_a_proxy().await;
    let body =
        json!({"name": "alertmanager", "alert_types": ["kubernetes"], "expires_in_days": 30});
    let created = create_token(&stack, &body).await;
    assert_eq!(created.status, 201, "{created:?}");
    assert_eq!(create_token(&stack, &body).await.status, 409);
    let text = created.body["token"].as_str().unwrap().to_owned();
    assert!(text.starts_with("tarsy_") && text.len() == 49, "{text}");
    let listed = send(as_user(&stack, "sre-leads", Method::GET, "/api/v1/tokens")).await;
    assert!(!listed.body.to_string().contains(&text), "{listed:?}");

    let with_token = async |method: Method, path: &str, body: Value| {
        send(stack.request(method, path).bearer_auth(&text).json(&body)).await
    };
    let alert = json!({"data": "x", "alert_type": "kubernetes"});
    let submitted = with_token(Method::POST, "/api/v1/alerts", alert.clone()).await;
    let session = stack.store.find_session(submitted.session_id()).await.unwrap().unwrap();
    assert_eq!(session.author.as_deref(), Some("alertmanager"));
    let me = with_token(Method::GET, "/api/v1/me", json!(null)).await.body;
    assert_eq!(
        (&me["name"], &me["role"], &me["permissions"]),
        (&json!("alertmanager"), &Value::Null, &json!(["submit_alert"]))
    );
    let other = json!({"data": "x", "alert_type": "host"});
    assert_eq!(with_token(Method::POST, "/api/v1/alerts", other).await.status, 403);
    assert_eq!(with_token(Method::GET, "/api/v1/sessions", json!(null)).await.status, 403);
    let chosen = json!({"data": "x", "alert_type": "kubernetes", "provider": "offline"});
    assert_eq!(with_token(Method::POST, "/api/v1/alerts", chosen).await.status, 403);

    let path = format!("/api/v1/tokens/{}", created.body["id"].as_str().unwrap());
    assert_eq!(send(as_user(&stack, "sre-leads", Method::DELETE, &path)).await.status, 204);
    assert_eq!(send(as_user(&stack, "sre-leads", Method::DELETE, &path)).await.status, 404);
    eventually("the revoked token is refused", async || {
        with_token(Method::POST, "/api/v1/alerts", alert.clone()).await.status == 401
    })
    .await;
    for wrong in ["tarsy_unknown", "", "abc"] {
        let answer = send(stack.request(Method::GET, "/api/v1/me").bearer_auth(wrong)).await;
        assert_eq!(answer.status, 401, "{wrong}");
    }
}

#[tokio::test]
async fn a_known_token_is_accepted_while_the_database_is_away() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("tarsy.yaml"), PROXY).unwrap();
    let path = folder.path().display().to_string();
    let settings = [("TARSY_TRUSTED_PROXIES", "127.0.0.0/8"), ("TARSY_CONFIG_DIR", path.as_str())];
    let mut stack = Stack::with_settings(TestStack::dedicated().await.unwrap(), &settings).await;
    let body = json!({"name": "am", "alert_types": ["kubernetes"], "expires_in_days": 1});
    let created = create_token(&stack, &body).await;
    let text = created.body["token"].as_str().unwrap().to_owned();
    let alert = json!({"data": "x", "alert_type": "kubernetes"});
    let submit = |stack: &Stack, text: &str| {
        send(stack.request(Method::POST, "/api/v1/alerts").bearer_auth(text).json(&alert))
    };
    assert_eq!(submit(&stack, &text).await.status, 202);
    stack.pg().server().unwrap().kill().await;
    assert_eq!(submit(&stack, &text).await.status, 202);
    // One that nobody knows cannot be looked up.
    assert_eq!(submit(&stack, "tarsy_unknown").await.status, 503);
}

#[tokio::test]
async fn the_audit_log_has_changes_denials_and_reads_of_traces() {
    let (stack, _folder) = behind_a_proxy().await;
    let alert = json!({"data": "x"});
    let request = as_user(&stack, "on-call", Method::POST, "/api/v1/alerts").json(&alert);
    let id = send(request).await.session_id();
    let trace = format!("/api/v1/sessions/{id}/trace");
    send(as_user(&stack, "everyone", Method::GET, &trace)).await;
    send(as_user(&stack, "everyone", Method::POST, "/api/v1/tokens").json(&json!({}))).await;
    stack.get("/api/v1/sessions").await;
    send(as_user(&stack, "everyone", Method::GET, "/api/v1/sessions")).await;
    let expected = [
        ("anonymous", "read", "denied"),
        ("alice", "create_token", "denied"),
        ("alice", "read_trace", "allowed"),
        ("alice", "submit_alert", "allowed"),
    ];
    eventually("the audit log has all entries", async || {
        let log =
            send(as_user(&stack, "operators", Method::GET, "/api/v1/audit-log?limit=10")).await;
        let entries = log.body["entries"].as_array().cloned().unwrap_or_default();
        let text = |entry: &Value, field: &str| entry[field].as_str().unwrap().to_owned();
        let seen: Vec<_> = entries
            .iter()
            .map(|one| (text(one, "principal"), text(one, "action"), text(one, "outcome")))
            .collect();
        let expected: Vec<_> = expected
            .iter()
            .map(|(who, what, how)| ((*who).to_owned(), (*what).to_owned(), (*how).to_owned()))
            .collect();
        seen == expected
    })
    .await;
    let count = async |query: &str| {
        let path = format!("/api/v1/audit-log?{query}");
        let log = send(as_user(&stack, "operators", Method::GET, &path)).await;
        log.body["entries"].as_array().map(Vec::len)
    };
    assert_eq!(count("principal=alice&outcome=allowed").await, Some(2));
    assert_eq!(count("principal=&action=read_trace&limit=").await, Some(1));
    assert_eq!(count("start_date=2999-01-01").await, Some(0));
    assert_eq!(count("end_date=2020-01-01").await, Some(0));
    assert_eq!(count("start_date=2020-01-01&end_date=2999-01-01").await, Some(4));
}

#[tokio::test]
async fn a_flood_of_invalid_tokens_is_counted_and_drops_no_entry_of_an_identified_sender() {
    let (stack, _folder) = behind_a_proxy().await;
    let path = format!("/api/v1/sessions/{}", "x".repeat(6_000));
    for _ in 0..200 {
        let request = stack.request(Method::GET, &path).bearer_auth("tarsy_invalid");
        assert_eq!(send(request).await.status, 401);
    }
    let denied = as_user(&stack, "everyone", Method::POST, "/api/v1/tokens").json(&json!({}));
    assert_eq!(send(denied).await.status, 403);
    let entries = async |query: &str| {
        let path = format!("/api/v1/audit-log?{query}");
        let log = send(as_user(&stack, "operators", Method::GET, &path)).await;
        log.body["entries"].as_array().cloned().unwrap_or_default()
    };
    eventually("the entry of who was identified", async || {
        entries("principal=alice&action=create_token").await.len() == 1
    })
    .await;
    let [first] = &entries("principal=anonymous").await[..] else { panic!("one entry") };
    assert_eq!(first["count"], 1, "{first}");
    let object = first["object"].as_str().unwrap();
    assert!(object.chars().count() <= 513 && object.ends_with('…'), "{object}");
}

#[tokio::test]
async fn every_bad_value_of_a_filter_of_the_audit_log_is_named() {
    let stack = Stack::start().await;
    let bad = stack
        .get("/api/v1/audit-log?outcome=maybe&start_date=soon&end_date=2026-13-01&before=x&limit=0")
        .await;
    assert_eq!(bad.status, 400);
    assert_eq!(bad.fields(), ["outcome", "start_date", "end_date", "before", "limit"]);
    let swapped = stack.get("/api/v1/audit-log?start_date=2026-02-01&end_date=2026-01-01").await;
    assert_eq!(swapped.fields(), ["end_date"]);
}

#[tokio::test]
async fn an_open_address_needs_a_mode() {
    let servers = TestStack::start().await.unwrap();
    for (insecure, published, starts) in [
        ("false", "", false),
        ("true", "", true),
        ("false", "127.0.0.1:8080", true),
        ("false", "192.0.2.1:8080", false),
    ] {
        let mut variables = servers.environment("api-gateway", "gateway-1");
        variables.insert("TARSY_HTTP_ADDR".to_owned(), "0.0.0.0:0".to_owned());
        variables.insert("TARSY_INSECURE".to_owned(), insecure.to_owned());
        variables.insert("TARSY_PUBLISHED_ADDR".to_owned(), published.to_owned());
        let settings = tarsy_service::Settings::from_map(variables).unwrap();
        let service = tarsy_service::ServiceContext::default();
        let built = tarsy_api_gateway::build(&settings, &service, None).await;
        assert_eq!(built.is_ok(), starts);
        if let Err(error) = built {
            assert!(error.to_string().contains("system.access.mode"), "{error}");
        }
    }
}
