//! What a gateway without model keys learns from llm-service, which has them.

use std::fs;
use std::path::Path;
use std::time::Duration;

use axum::http::StatusCode;
use axum::response::IntoResponse as _;
use axum::routing::post;
use serde_json::{Value, json};
use tarsy_embedded::{Child, Spec};
use tarsy_testkit::{TestStack, eventually, free_port, workspace};
use tokio_util::task::TaskTracker;

use crate::stack::Stack;

pub(crate) const TOKEN: &str = "0123456789abcdef0123456789abcdef";

pub(crate) async fn llm_service(port: u16, config: &Path) -> Child {
    let env = [
        ("PYTHONPATH", workspace().join("llm-service/src").display().to_string()),
        ("LLM_SERVICE_ADDR", format!("127.0.0.1:{port}")),
        ("LLM_SERVICE_TOKEN", TOKEN.to_owned()),
        ("TARSY_CONFIG_DIR", config.display().to_string()),
        ("OPENAI_API_KEY", "sk-unmistakable".to_owned()),
    ];
    Child::start(&Spec {
        program: workspace().join(".tarsy/venv-llm/bin/python"),
        args: vec!["-m".to_owned(), "llm_service.main".to_owned()],
        env: env.map(|(name, value)| (name.to_owned(), value)).to_vec(),
        log: "/dev/null".into(),
        user: None,
        remove: None,
    })
    .await
    .unwrap()
}

async fn info(stack: &Stack) -> Value {
    stack.get("/api/v1/system/info").await.body
}

/// How llm-service is.
async fn state(stack: &Stack) -> Value {
    stack.get("/api/v1/system/state").await.body["llm_service"].clone()
}

#[tokio::test]
async fn llm_service_reports_which_providers_are_usable_and_alerts_wait_for_that() {
    let config = tempfile::tempdir().unwrap();
    let chain = "agent_chains:\n  mine:\n    alert_types: [mine]\n    llm_provider: xai-default\n    \
                 stages: [{name: look, agents: [{name: HostAgent}]}]\n";
    fs::write(config.path().join("tarsy.yaml"), chain).unwrap();
    let port = free_port().unwrap();
    let (address, folder) = (format!("127.0.0.1:{port}"), config.path().display().to_string());
    let settings = [
        ("LLM_SERVICE_ADDR", address.as_str()),
        ("LLM_SERVICE_TOKEN", TOKEN),
        ("TARSY_CONFIG_DIR", folder.as_str()),
    ];
    let stack = Stack::with_settings(TestStack::start().await.unwrap(), &settings).await;
    let refused = stack.submit(&json!({"data": "the disk is full"})).await;
    assert_eq!(refused.status, 503, "{refused:?}");
    assert!(refused.headers.contains_key("retry-after"), "{refused:?}");
    let named = json!({"data": "x", "alert_type": "mine", "provider": "xai-default"});
    assert_eq!(stack.submit(&named).await.status, 503, "it is not known whether it can be called");
    let before = info(&stack).await;
    assert_eq!((&before["llm"]["offline"], &before["providers"]), (&json!(false), &json!([])));

    let unreached = state(&stack).await;
    assert_eq!(unreached["answered_at"], json!(null), "{unreached}");
    assert!(unreached["problem"].is_string(), "{unreached}");

    let child = llm_service(port, config.path()).await;
    eventually("llm-service reports", async || {
        info(&stack).await["llm"]["provider"] == "openai-default"
    })
    .await;
    stack.pending().await;
    let chosen = async |provider: &str| {
        stack.submit(&json!({"data": "the disk is full", "provider": provider})).await
    };
    let session =
        stack.store.find_session(chosen("offline").await.session_id()).await.unwrap().unwrap();
    assert_eq!(session.requested_provider.as_deref(), Some("offline"));
    assert_eq!(session.config_snapshot["stages"][0]["agents"][0]["provider"]["name"], "offline");
    let detail = stack.get(&format!("/api/v1/sessions/{}", session.id)).await.body;
    assert_eq!(detail["requested_provider"], "offline");
    for provider in ["xai-default", "nobody"] {
        let refused = chosen(provider).await;
        assert_eq!(
            (refused.status.as_u16(), refused.fields()),
            (400, vec!["provider"]),
            "{refused:?}"
        );
    }
    let tools = stack.get("/api/v1/system/default-tools?alert_type=mine").await.body;
    assert_eq!(tools["allowed_providers"], json!(["offline", "openai-default"]));
    let text = info(&stack).await.to_string();
    assert!(text.contains("XAI_API_KEY is not set") && !text.contains("sk-"), "{text}");
    eventually("operators are warned of the provider that a chain names", async || {
        let warnings = stack.get("/api/v1/system/warnings").await.body.to_string();
        warnings.contains("xai-default (agent_chains.mine.llm_provider): XAI_API_KEY is not set")
    })
    .await;

    let answers = state(&stack).await;
    assert_eq!((&answers["replicas"], &answers["connected_replicas"]), (&json!(1), &json!(1)));
    assert!(answers["answered_at"].is_string() && answers["problem"].is_null(), "{answers}");

    child.stop(Duration::from_secs(10)).await;
    assert_eq!(info(&stack).await["llm"]["provider"], "openai-default", "the last report stays");
    stack.pending().await;
}

/// A vendor that refuses the model `closed`, and writes one word with any other.
async fn vendor() -> anyhow::Result<String> {
    let answer = async |axum::Json(asked): axum::Json<Value>| {
        if asked["model"] == "closed" {
            let refusal = json!({"error": {"message": "model closed is not available to you"}});
            return (StatusCode::FORBIDDEN, axum::Json(refusal)).into_response();
        }
        let events = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"ok\"}}]}\n\n\
                      data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n\
                      data: [DONE]\n\n";
        ([("content-type", "text/event-stream")], events).into_response()
    };
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    let router = axum::Router::new().route("/v1/chat/completions", post(answer));
    TaskTracker::new().spawn(async move { axum::serve(listener, router).await });
    Ok(format!("http://{address}/v1"))
}

#[tokio::test]
async fn a_model_is_asked_for_a_word_on_request_and_the_reason_of_a_failure_is_reported()
-> anyhow::Result<()> {
    let (config, vendor) = (tempfile::tempdir()?, vendor().await?);
    let provider = |name: &str, model: &str| {
        format!("  {name}: {{type: openai, model: {model}, base_url: \"{vendor}\"}}\n")
    };
    let providers = provider("works", "open") + &provider("refused", "closed");
    fs::write(config.path().join("llm-providers.yaml"), format!("llm_providers:\n{providers}"))?;
    let port = free_port()?;
    let (address, folder) = (format!("127.0.0.1:{port}"), config.path().display().to_string());
    let settings = [
        ("LLM_SERVICE_ADDR", address.as_str()),
        ("LLM_SERVICE_TOKEN", TOKEN),
        ("TARSY_CONFIG_DIR", folder.as_str()),
    ];
    let stack = Stack::with_settings(TestStack::start().await?, &settings).await;
    let test = async |provider: &str| {
        stack.post(&format!("/api/v1/system/llm-providers/{provider}/test")).await
    };
    assert_eq!(test("nobody").await.status, 404);
    assert_eq!(test("offline").await.body["reachable"], true, "rules need no service");
    assert_eq!(test("works").await.status, 503, "llm-service does not run yet");

    let child = llm_service(port, config.path()).await;
    eventually("llm-service reports", async || {
        info(&stack).await["providers"].to_string().contains("works")
    })
    .await;
    let works = test("works").await.body;
    assert_eq!((&works["error"], &works["model"]), (&json!(null), &json!("open")), "{works}");
    let refused = test("refused").await.body;
    assert_eq!(refused["reachable"], false, "{refused}");
    let reason = refused["error"].to_string();
    assert!(reason.contains("model closed is not available to you"), "{reason}");
    let missing = test("xai-default").await.body;
    assert_eq!(missing["error"], "XAI_API_KEY is not set");
    child.stop(Duration::from_secs(10)).await;
    Ok(())
}
