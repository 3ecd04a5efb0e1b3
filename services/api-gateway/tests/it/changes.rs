//! Changes through HTTP: in TARSy's own form, from webhooks, and read again.

use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};
use tarsy_testkit::{TestStack, hmac_hex, workspace};

use crate::stack::{Answer, Stack, send};

const SECRET: &str = "a-secret-of-every-source";
const CONFIG: &str = "intake:
  sources:
    github: {kind: github, verification: hmac, secret_env: SOURCE_SECRET}
    gitlab: {kind: gitlab, verification: header, secret_env: SOURCE_SECRET}
    argocd: {kind: argocd, verification: bearer, secret_env: SOURCE_SECRET}
    flux: {kind: flux, verification: hmac, secret_env: SOURCE_SECRET}
    jenkins: {kind: jenkins, verification: query, secret_env: SOURCE_SECRET}
    launchdarkly: {kind: launchdarkly, verification: hmac, secret_env: SOURCE_SECRET}
system:
  limits: {changes_per_minute: 30}
";
const SOURCES: [&str; 6] = ["github", "gitlab", "argocd", "flux", "jenkins", "launchdarkly"];

async fn record(stack: &Stack, body: &Value) -> Answer {
    send(stack.request(Method::POST, "/api/v1/changes").json(body)).await
}

async fn listed(stack: &Stack, query: &str) -> Vec<String> {
    let answer = stack.get(&format!("/api/v1/changes?{query}")).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    let changes = answer.body["changes"].as_array().unwrap().iter();
    changes.map(|change| change["text"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn a_change_is_kept_masked_once_and_found_again() {
    let stack = Stack::start().await;
    let change = json!({"id": "d-1", "kind": "deployment", "text": "checkout 1.8.2, password: hunter2hunter2",
        "service": "checkout", "environment": "production", "link": "https://ci.example/?token=ghp_0123456789abcdefghijklmnopqrstuvwxyz"});
    let kept = record(&stack, &change).await;
    assert_eq!(
        (kept.status.as_u16(), &kept.body["changes"][0]["is_repeat"]),
        (201, &json!(false)),
        "{kept:?}"
    );
    let again = record(&stack, &change).await;
    assert_eq!(again.body["changes"], json!([{"id": null, "is_repeat": true}]));
    let event = json!({"kind": "configuration", "text": "another"});
    let binary = stack.request(Method::POST, "/api/v1/changes").json(&event);
    let binary =
        binary.header("ce-specversion", "1.0").header("ce-id", "7").header("ce-source", "/ci");
    let binary =
        send(binary.header("ce-type", "x").header("ce-time", "2026-01-01T00:00:00Z")).await;
    assert_eq!(binary.status, 201, "{binary:?}");
    let all = stack.get("/api/v1/changes").await;
    assert!(
        !all.body.to_string().contains("hunter2") && !all.body.to_string().contains("ghp_0123"),
        "{all:?}"
    );
    assert_eq!(listed(&stack, "until=2026-01-02").await, ["another"]);
    assert_eq!(listed(&stack, "service=Checkout&environment=production").await.len(), 1);
    let first = stack.get("/api/v1/changes?limit=1").await;
    let next = first.body["next_before"].as_str().unwrap();
    assert_eq!(listed(&stack, &format!("before={next}")).await, ["another"]);
}

#[tokio::test]
async fn what_is_wrong_with_a_change_or_a_filter_is_named() {
    let stack = Stack::start().await;
    for (body, field) in [
        (json!({"kind": "deployment"}), "text"),
        (json!([{"text": "x"}, {"text": "x", "kind": "deploy"}]), "[1].kind"),
        (json!([]), "the body"),
    ] {
        let answer = record(&stack, &body).await;
        assert_eq!((answer.status.as_u16(), answer.fields()), (400, vec![field]), "{body}");
    }
    assert_eq!(listed(&stack, "").await, [""; 0]);
    for (query, field) in [
        ("kind=x", "kind"),
        ("since=x", "since"),
        ("before=x", "before"),
        ("limit=0", "limit"),
        ("since=2026-02-02&until=2026-02-01", "until"),
    ] {
        let answer = stack.get(&format!("/api/v1/changes?{query}")).await;
        assert_eq!((answer.status.as_u16(), answer.fields()), (400, vec![field]), "{query}");
    }
}

#[tokio::test]
async fn dependencies_of_the_configuration_and_of_traces_are_kept_and_found() {
    let folder = tempfile::tempdir().unwrap();
    let config = "topology: {services: {checkout: {calls: [payments], team: shop}}}\n";
    std::fs::write(folder.path().join("tarsy.yaml"), config).unwrap();
    let path = folder.path().display().to_string();
    let settings = [("TARSY_CONFIG_DIR", path.as_str())];
    let stack = Stack::with_settings(TestStack::start().await.unwrap(), &settings).await;
    let post =
        async |body: Value| send(stack.request(Method::POST, "/api/v1/topology").json(&body)).await;
    let jaeger =
        json!({"data": [{"parent": "payments", "child": "ledger", "callCount": 3}], "total": 0});
    let kept = post(jaeger).await;
    assert_eq!((kept.status.as_u16(), &kept.body["edges"]), (201, &json!(1)), "{kept:?}");
    let wrong = post(json!([{"parent": "payments"}])).await;
    assert_eq!((wrong.status.as_u16(), wrong.fields()), (400, vec!["[0].child"]));
    let around = stack.get("/api/v1/dependencies?of=Service/Payments").await.body;
    assert_eq!(around["depends_on"][0]["to"], "ledger");
    let used = &around["used_by"][0];
    assert_eq!((&used["from"], &used["team"]), (&json!("checkout"), &json!("shop")));
    assert_eq!(used["source"], "tarsy.yaml");
    let far = stack.get("/api/v1/dependencies?of=checkout&depth=2").await.body;
    assert_eq!(far["depends_on"].as_array().unwrap().len(), 2);
    for (query, field) in [("", "of"), ("of=checkout&depth=4", "depth")] {
        let answer = stack.get(&format!("/api/v1/dependencies?{query}")).await;
        assert_eq!((answer.status.as_u16(), answer.fields()), (400, vec![field]), "{query}");
    }
}

fn webhook(stack: &Stack, source: &str, secret: &str) -> RequestBuilder {
    let file = workspace().join(format!("libs/intake/tests/payloads/{source}.json"));
    let body = std::fs::read_to_string(file).unwrap();
    let request = stack.request(Method::POST, &format!("/api/v1/intake/{source}"));
    let signature = hmac_hex(secret, &body);
    let request = match source {
        "github" => request
            .header("X-GitHub-Event", "deployment_status")
            .header("X-Hub-Signature-256", format!("sha256={signature}")),
        "gitlab" => request.header("X-Gitlab-Token", secret),
        "flux" => request.header("X-Signature", format!("sha256={signature}")),
        "launchdarkly" => request.header("X-LD-Signature", signature),
        "jenkins" => request.query(&[("token", secret)]),
        _ => request.bearer_auth(secret),
    };
    request.body(body)
}

#[tokio::test]
async fn webhooks_are_verified_and_kept_once_and_too_many_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("tarsy.yaml"), CONFIG).unwrap();
    let path = folder.path().display().to_string();
    let settings = [("TARSY_CONFIG_DIR", path.as_str()), ("SOURCE_SECRET", SECRET)];
    let stack = Stack::with_settings(TestStack::start().await.unwrap(), &settings).await;
    for source in SOURCES {
        assert_eq!(send(webhook(&stack, source, "another")).await.status, 401, "{source}");
        let kept = send(webhook(&stack, source, SECRET)).await;
        assert_eq!(
            (kept.status.as_u16(), &kept.body["changes"][0]["is_repeat"]),
            (202, &json!(false)),
            "{source}: {kept:?}"
        );
        let again = send(webhook(&stack, source, SECRET)).await;
        assert_eq!(again.body["changes"][0]["is_repeat"], json!(true), "{source}: {again:?}");
    }
    assert_eq!(listed(&stack, "near=checkout").await.len(), 5);
    assert_eq!(listed(&stack, "near=new-prices&source=launchdarkly").await.len(), 1);
    assert_eq!(stack.count("select count(*) from intake_alerts").await.unwrap(), 0);
    let mut last = 202_u16;
    for _ in 0..31 {
        last = send(webhook(&stack, "github", SECRET)).await.status.as_u16();
        if last == 429 {
            break;
        }
    }
    assert_eq!(last, 429);
}
