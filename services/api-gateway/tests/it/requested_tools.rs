//! The tools that an alert requests for its investigation, by who sends it.

use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};
use tarsy_testkit::TestStack;

use crate::stack::{Answer, Stack, send};

const CONFIG: &str = "
system:
  access:
    mode: proxy
    roles: {responder: [on-call], admin: [sre-leads]}
mcp_servers:
  argocd-server:
    transport: {type: http, url: 'http://127.0.0.1:9/mcp'}
agents:
  Cluster: {mcp_servers: [kubernetes-server]}
agent_chains:
  cluster:
    alert_types: [cluster]
    stages: [{name: look, agents: [{name: Cluster}]}]
  narrow:
    alert_types: [narrow]
    allowed_mcp_servers: chain
    stages: [{name: look, agents: [{name: Cluster}]}]
";

async fn stack() -> (Stack, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("tarsy.yaml"), CONFIG).unwrap();
    let servers = TestStack::start().await.unwrap();
    let path = folder.path().display().to_string();
    let settings = [("TARSY_TRUSTED_PROXIES", "127.0.0.0/8"), ("TARSY_CONFIG_DIR", path.as_str())];
    (Stack::with_settings(servers, &settings).await, folder)
}

fn as_user(stack: &Stack, groups: &str, method: Method, path: &str) -> RequestBuilder {
    let request = stack.request(method, path).header("X-Forwarded-User", "alice");
    request.header("X-Forwarded-Groups", groups)
}

async fn submit(stack: &Stack, alert: &Value) -> Answer {
    send(as_user(stack, "on-call", Method::POST, "/api/v1/alerts").json(alert)).await
}

/// The text of a token that may send alerts of these types and nothing else.
async fn source_token(stack: &Stack, alert_types: &[&str]) -> String {
    let body = json!({"name": "alertmanager", "alert_types": alert_types, "expires_in_days": 1});
    let request = as_user(stack, "sre-leads", Method::POST, "/api/v1/tokens").json(&body);
    send(request).await.body["token"].as_str().unwrap().to_owned()
}

/// The payload of the section "Per-Alert MCP Override" (feature document on MCP, lines 1081 to 1097), as it is printed there.
fn example() -> Value {
    json!({
        "alert_type": "kubernetes",
        "data": "Pod CrashLoopBackOff in namespace production...",
        "mcp": {
            "servers": [
                { "name": "kubernetes-server" },
                { "name": "argocd-server", "tools": ["get_application_status"] }
            ],
            "native_tools": {
                "google_search": false,
                "code_execution": true
            }
        }
    })
}

#[tokio::test]
async fn the_example_of_an_override_is_accepted_and_what_it_turns_on_in_vain_is_reported() {
    let (stack, _folder) = stack().await;
    let answer = submit(&stack, &example()).await;
    assert_eq!(answer.status, 202, "{answer:?}");
    let warnings = answer.body["warnings"].as_array().unwrap();
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    let warning = warnings[0].as_str().unwrap();
    assert!(warning.starts_with("mcp.native_tools.code_execution: has no effect"), "{warning}");
    let session = stack.store.find_session(answer.session_id()).await.unwrap().unwrap();
    let chain = session.config_snapshot.to_string();
    assert!(chain.contains("argocd-server") && chain.contains("get_application_status"), "{chain}");
    let path = "/api/v1/system/default-tools?alert_type=kubernetes";
    let tools = send(as_user(&stack, "on-call", Method::GET, path)).await.body;
    let allowed = tools["allowed_mcp_servers"].as_array().unwrap();
    assert!(allowed.contains(&json!("argocd-server")), "{allowed:?}");
}

/// Both servers are configured; the chain has one of them.
#[tokio::test]
async fn an_alert_cannot_name_a_tool_server_of_another_chain() {
    let (stack, _folder) = stack().await;
    let token = source_token(&stack, &["cluster", "narrow"]).await;
    let as_source = async |alert: &Value| {
        let request = stack.request(Method::POST, "/api/v1/alerts").bearer_auth(&token);
        send(request.json(alert)).await
    };
    let mcp = json!({"servers": [{"name": "kubernetes-server"}, {"name": "argocd-server"}]});
    let of_type = |alert_type: &str| json!({"data": "x", "alert_type": alert_type, "mcp": mcp});
    for answer in [
        as_source(&of_type("cluster")).await,
        as_source(&of_type("narrow")).await,
        submit(&stack, &of_type("narrow")).await,
    ] {
        assert_eq!(answer.status, 400, "{answer:?}");
        assert_eq!(answer.fields(), ["mcp.servers[1].name"]);
        let message = answer.body["errors"][0]["message"].as_str().unwrap();
        assert!(message.contains("they may request kubernetes-server"), "{message}");
    }
    let mcp = json!({"native_tools": {"code_execution": true}});
    let answer = as_source(&json!({"data": "x", "alert_type": "cluster", "mcp": mcp})).await;
    assert_eq!(answer.fields(), ["mcp.native_tools.code_execution"]);
    let page = send(as_user(&stack, "on-call", Method::GET, "/api/v1/sessions")).await;
    assert_eq!(page.body["pagination"]["total_items"], 0, "something was stored");
}
