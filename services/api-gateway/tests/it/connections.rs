//! The lines that connect a system, and addresses that are tried.

use reqwest::Method;
use serde_json::{Value, json};
use tarsy_contracts::mcp::{FailedServer, ToolList, TrialRequest};
use tarsy_contracts::subject;
use tarsy_testkit::eventually;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::stack::{Answer, Stack, send};

const LINES: &str = "/api/v1/system/connections";
const TRIAL: &str = "/api/v1/system/connections/trial";

async fn post(stack: &Stack, path: &str, body: &Value) -> Answer {
    send(stack.request(Method::POST, path).json(body)).await
}

/// The field and the message of each error.
fn errors(answer: &Answer) -> Vec<(&str, &str)> {
    assert_eq!(answer.status, 400, "{answer:?}");
    let all = answer.body["errors"].as_array().unwrap().iter();
    all.map(|one| (one["field"].as_str().unwrap(), one["message"].as_str().unwrap())).collect()
}

#[tokio::test]
async fn lines_are_given_for_each_kind_and_bad_values_name_their_field() {
    let stack = Stack::start().await;
    let kinds = stack.get(LINES).await.body;
    let names: Vec<&Value> =
        kinds["kinds"].as_array().unwrap().iter().map(|kind| &kind["name"]).collect();
    assert_eq!(
        json!(names),
        json!(["kubernetes", "prometheus", "loki", "postgresql", "tool-server"])
    );
    for kind in names {
        let answer = post(&stack, LINES, &json!({ "kind": kind })).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        assert!(answer.body["yaml"].as_str().unwrap().starts_with("mcp_servers:\n"), "{answer:?}");
        assert_eq!(answer.body["replaces"], json!(kind == "kubernetes"), "{kind}");
    }
    let fields = json!({"url": "localhost:9090", "token_variable": "s3cret"});
    let bad = post(&stack, LINES, &json!({"kind": "prometheus", "fields": fields})).await;
    let [("url", _), ("token_variable", message)] = errors(&bad)[..] else { panic!("{bad:?}") };
    assert!(message.contains("name of an environment variable"), "{message}");
    assert!(!bad.body.to_string().contains("s3cret"), "{bad:?}");
    let fields = json!({"alert_type": "host"});
    let taken = post(&stack, LINES, &json!({"kind": "prometheus", "fields": fields})).await;
    let [("alert_type", message)] = errors(&taken)[..] else { panic!("{taken:?}") };
    assert!(message.contains("the chain host; leave it empty"), "{message}");
    assert_eq!(errors(&post(&stack, LINES, &json!([])).await)[0].0, "body");
}

#[tokio::test]
async fn an_address_is_tried_by_whoever_has_the_right_and_the_audit_log_has_it() {
    let stack = Stack::start().await;
    let body = json!({"url": "http://tools.example/mcp"});
    let anonymous = send(stack.anonymous(Method::POST, TRIAL).json(&body)).await;
    assert_eq!(anonymous.status, 403, "{anonymous:?}");
    let nobody = post(&stack, TRIAL, &body).await;
    assert_eq!(nobody.status, 503, "{nobody:?}");
    let bad = post(&stack, TRIAL, &json!({"url": "http://me:s3cret@tools.example/"})).await;
    assert_eq!(errors(&bad)[0].0, "url");
    assert!(!bad.body.to_string().contains("s3cret"), "{bad:?}");

    let (bus, stop) = (stack.bus.clone(), CancellationToken::new());
    let stopped = stop.clone();
    TaskTracker::new().spawn(async move {
        let answer = async |wanted: TrialRequest| {
            let error = format!("{} did not answer within {} ms", wanted.url, wanted.timeout_ms);
            let failed = vec![FailedServer { server: "tools".to_owned(), error }];
            Ok(ToolList { tools: Vec::new(), failed })
        };
        bus.respond(subject::MCP_TRIAL, Some(subject::MCP_QUEUE), 1, stopped, answer)
            .await
            .unwrap();
    });
    eventually("a gateway answers", async || post(&stack, TRIAL, &body).await.status == 200).await;
    let tried = post(&stack, TRIAL, &body).await.body;
    assert_eq!(tried["reachable"], json!(false));
    assert_eq!(tried["error"], json!("http://tools.example/mcp did not answer within 20000 ms"));
    assert_eq!(tried["tools"], json!([]));
    let log = stack.get("/api/v1/audit-log?action=try_address").await;
    assert_eq!(log.status, 200, "{log:?}");
    stop.cancel();
}
