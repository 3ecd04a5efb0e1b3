use serde_json::json;
use tarsy_contracts::status::{Instance, McpServerStatus, ToolBrief, Warning};
use tarsy_contracts::topology;
use tarsy_domain::clock::{Clock as _, SystemClock};
use tarsy_testkit::{TestStack, a_session, eventually};

use crate::stack::Stack;

#[tokio::test]
async fn tool_servers_are_shown_with_what_is_known_of_them() {
    let stack = Stack::start().await;
    let servers = stack.get("/api/v1/system/mcp-servers").await.body["servers"].clone();
    let servers = servers.as_array().unwrap();
    assert!(servers.iter().any(|server| server["id"] == "host"));
    for server in servers {
        assert_eq!(server["healthy"], false);
        assert!(server["error"].as_str().unwrap().contains("not been checked"));
    }
    let status = McpServerStatus {
        id: "host".to_owned(),
        healthy: true,
        last_check: SystemClock.now(),
        tools: vec![ToolBrief {
            name: "disks".to_owned(),
            description: "Disks".to_owned(),
            input_schema: Some(json!({"type": "object"})),
            read_only: true,
            idempotent: false,
            terms: tarsy_contracts::mcp::ToolTerms::default(),
        }],
        error: None,
        not_configured: false,
        fault: None,
    };
    stack.bus.kv(&topology::MCP_STATUS).put("host", &status).await.unwrap();
    let servers = stack.get("/api/v1/system/mcp-servers").await.body["servers"].clone();
    let host = servers.as_array().unwrap().iter().find(|server| server["id"] == "host").unwrap();
    assert_eq!((&host["healthy"], &host["tool_count"]), (&json!(true), &json!(1)));
    let disks = json!({
        "name": "disks",
        "description": "Disks",
        "input_schema": {"type": "object"},
        "annotations": {"read_only": true, "idempotent": false},
        "class": "unknown",
        "class_reason": "", "class_decided_by": "nobody", "judged_parameters": [],
        "pin": "none",
        "definition": "",
    });
    assert_eq!(host["tools"], json!([disks]));
    assert_eq!(host["error"], json!(null));
}

#[tokio::test]
async fn warnings_are_the_same_whoever_answers() {
    let stack = Stack::start().await;
    assert_eq!(stack.get("/api/v1/system/warnings").await.body, json!({"warnings": []}));
    let warning = Warning {
        id: "mcp.host".to_owned(),
        category: "mcp".to_owned(),
        message: "host does not answer".to_owned(),
        details: "timeout".to_owned(),
        server_id: Some("host".to_owned()),
        created_at: SystemClock.now(),
    };
    stack.bus.kv(&topology::WARNINGS).put("mcp.host", &warning).await.unwrap();
    let shown = stack.get("/api/v1/system/warnings").await.body["warnings"][0].clone();
    assert_eq!((&shown["id"], &shown["server_id"]), (&json!("mcp.host"), &json!("host")));
}

#[tokio::test]
async fn running_services_are_shown_and_different_configurations_are_warned_of_until_they_are_one()
{
    let stack = Stack::start().await;
    let shown = async || stack.get("/api/v1/system/services").await.body["services"].clone();
    eventually("the announcement", async || !shown().await.as_array().unwrap().is_empty()).await;
    let missing = stack.get("/api/v1/system/services").await.body["missing"].clone();
    // Notifier is not missed where there is no destination.
    assert_eq!(missing, json!(["orchestrator", "mcp-gateway", "stream-relay", "summarizer"]));
    let me = shown().await[0].clone();
    assert_eq!((&me["service"], &me["instance"]), (&json!("api-gateway"), &json!("gateway-1")));
    let other = Instance { config_hash: "another".to_owned(), ..orchestrator("old-1", 5) };
    let instances = stack.bus.kv(&topology::INSTANCES);
    instances.put("orchestrator.old-1", &other).await.unwrap();
    let warning = async |id: &str| {
        let warnings = stack.get("/api/v1/system/warnings").await.body["warnings"].clone();
        warnings.as_array().unwrap().iter().find(|warning| warning["id"] == id).cloned()
    };
    eventually("the warning", async || warning("config.mismatch").await.is_some()).await;
    let mismatch = warning("config.mismatch").await.unwrap();
    assert!(
        mismatch["details"].as_str().unwrap().contains("another: orchestrator old-1"),
        "{mismatch}"
    );
    instances.delete("orchestrator.old-1").await.unwrap();
    eventually("its end", async || warning("config.mismatch").await.is_none()).await;
}

#[tokio::test]
async fn messages_that_were_put_aside_are_warned_of() {
    let stack = Stack::start().await;
    let letter = tarsy_store::NewDeadLetter {
        subject: "tarsy.intake.alert".to_owned(),
        payload: b"{}".to_vec(),
        error: "no alert".to_owned(),
        deliveries: 1,
    };
    stack.store.insert_dead_letter(letter).await.unwrap();
    eventually("the warning", async || {
        let warnings = stack.get("/api/v1/system/warnings").await.body.to_string();
        warnings.contains("dead_letters.waiting") && warnings.contains("1 waiting")
    })
    .await;
}

#[tokio::test]
async fn the_system_reports_its_configuration() {
    let stack = Stack::start().await;
    let info = stack.get("/api/v1/system/info").await.body;
    assert!(info["version"].is_string());
    assert_eq!(info["llm"]["offline"], true);
    assert!(info["llm"]["message"].as_str().unwrap().contains("API_KEY"));
    let providers = info["providers"].as_array().unwrap();
    let provider = |name: &str| providers.iter().find(|one| one["name"] == name).unwrap();
    assert_eq!(provider("offline")["usable"], true);
    assert_eq!(provider("openai-default")["missing_variables"], json!(["OPENAI_API_KEY"]));
    assert!(!info.to_string().contains("api_key_env"), "{info}");
    let types = stack.get("/api/v1/alert-types").await.body;
    let first = types["alert_types"][0].as_object().unwrap();
    assert_eq!(first.keys().collect::<Vec<_>>(), ["type", "chain_id", "description"]);
    assert!(types["default_chain_id"].is_string() && types["default_alert_type"].is_string());
    let tools = stack.get("/api/v1/system/default-tools?alert_type=host").await.body;
    assert_eq!(tools["mcp_servers"], json!(["host"]));
    assert!(tools["native_tools"]["google_search"].is_boolean());
    assert_eq!(tools["allowed_mcp_servers"], json!(["host", "kubernetes-server"]));
    assert_eq!(tools["allowed_native_tools"], json!([]));
    let unknown = stack.get("/api/v1/system/default-tools?alert_type=hosst").await;
    assert_eq!((unknown.status.as_u16(), unknown.fields()), (400, vec!["alert_type"]));
    assert_eq!(stack.get("/api/v1/runbooks").await.body, json!([]));
    let examples = stack.get("/api/v1/example-alerts").await.body["examples"].clone();
    for example in examples.as_array().unwrap() {
        let alert = json!({"data": example["data"], "alert_type": example["alert_type"]});
        stack.submit(&alert).await.session_id();
    }
}

#[tokio::test]
async fn health_reports_whether_a_worker_can_run_sessions() {
    let stack = Stack::start().await;
    let workers = async || {
        let health = stack.get("/health").await;
        assert_eq!(health.status, 200, "alerts are accepted all the same");
        assert_eq!(health.body["checks"]["database"], json!({"status": "healthy"}));
        let workers = health.body["checks"]["worker_pool"]["status"].clone();
        (health.body["status"].clone(), workers)
    };
    assert_eq!(workers().await, (json!("degraded"), json!("unhealthy")), "there is none");
    let instances = stack.bus.kv(&topology::INSTANCES);
    let without = orchestrator("worker-1", 0);
    instances.put("orchestrator.worker-1", &without).await.unwrap();
    instances.put("orchestrator.worker-2", &orchestrator("worker-2", 5)).await.unwrap();
    let healthy = (json!("healthy"), json!("healthy"));
    eventually("a worker with capacity", async || workers().await == healthy).await;
    // "Health Endpoint (Minimal)", architecture document, lines 965 to 972: these fields and no others.
    let health = stack.get("/health").await.body;
    let version = health["version"].clone();
    assert!(version.as_str().is_some_and(|text| text.starts_with("tarsy/")), "{health}");
    let checks = json!({"database": {"status": "healthy"}, "worker_pool": {"status": "healthy"}});
    assert_eq!(health, json!({"status": "healthy", "version": version, "checks": checks}));
    instances.delete("orchestrator.worker-2").await.unwrap();
    let absent = (json!("degraded"), json!("unhealthy"));
    eventually("only one without capacity", async || workers().await == absent).await;
    assert_eq!(stack.get("/livez").await.status, 200);
    assert_eq!(stack.get("/readyz").await.status, 200);
}

fn orchestrator(name: &str, capacity: u32) -> Instance {
    Instance {
        service: "orchestrator".to_owned(),
        instance: name.to_owned(),
        version: "0.0.9".to_owned(),
        config_hash: String::new(),
        capacity,
        load: 0,
        seen_at: SystemClock.now(),
        clock_offset_ms: None,
    }
}

#[tokio::test]
async fn every_version_is_the_commit_that_was_built() {
    let stack = Stack::start().await;
    let info = stack.get("/api/v1/system/info").await.body["version"].clone();
    let commit = info.as_str().unwrap().strip_prefix("tarsy/").unwrap();
    assert!(commit.len() >= 7 && commit.chars().all(|c| c.is_ascii_hexdigit()), "{info}");
    assert_eq!(stack.get("/health").await.body["version"], info);
    let shown = async || stack.get("/api/v1/system/services").await.body["services"].clone();
    eventually("the announcement", async || shown().await[0]["version"] == info).await;
}

#[tokio::test]
async fn a_runbook_repository_without_a_token_is_warned_of() {
    for (token, warned) in [("", true), ("ghp_0123456789", false)] {
        let folder = tempfile::tempdir().unwrap();
        let config =
            "system: {runbooks: {repo_url: 'https://github.com/o/r/tree/main/runbooks'}}\n";
        std::fs::write(folder.path().join("tarsy.yaml"), config).unwrap();
        let place = folder.path().display().to_string();
        let settings = [("TARSY_CONFIG_DIR", place.as_str()), ("GITHUB_TOKEN", token)];
        let stack = Stack::with_settings(TestStack::dedicated().await.unwrap(), &settings).await;
        let warning = async || {
            let warnings = stack.get("/api/v1/system/warnings").await.body["warnings"].clone();
            let mut warnings = warnings.as_array().unwrap().clone();
            warnings.retain(|warning| warning["id"] == "runbooks.token");
            warnings.pop()
        };
        // Another warning shows that the system was checked.
        let instances = stack.bus.kv(&topology::INSTANCES);
        let other = Instance { config_hash: "x".to_owned(), ..orchestrator("old-1", 1) };
        instances.put("orchestrator.old-1", &other).await.unwrap();
        eventually("the check", async || {
            let warnings = stack.get("/api/v1/system/warnings").await.body.to_string();
            warnings.contains("config.mismatch") && warnings.contains("runbooks.token") == warned
        })
        .await;
        let details = warning().await.map(|warning| warning["details"].to_string());
        assert_eq!(details.is_some_and(|details| details.contains("GITHUB_TOKEN")), warned);
    }
}

#[tokio::test]
async fn a_mounted_runbook_is_listed_and_may_be_named() {
    let folder = tempfile::tempdir().unwrap();
    let shelf = folder.path().join("shelf");
    std::fs::create_dir(&shelf).unwrap();
    std::fs::write(shelf.join("disk.md"), "# Disk").unwrap();
    let config = format!("system: {{runbooks: {{folder: '{}'}}}}\n", shelf.display());
    std::fs::write(folder.path().join("tarsy.yaml"), config).unwrap();
    let place = folder.path().display().to_string();
    let settings = [("TARSY_CONFIG_DIR", place.as_str())];
    let stack = Stack::with_settings(TestStack::start().await.unwrap(), &settings).await;

    let listed = stack.get("/api/v1/runbooks").await.body;
    assert_eq!(listed, json!(["file:///disk.md"]));
    let id = stack.submit(&json!({"data": "x", "runbook": listed[0]})).await.session_id();
    let session = stack.store.find_session(id).await.unwrap().unwrap();
    assert_eq!(session.runbook_url.as_deref(), Some("file:///disk.md"));
    let escape = json!({"data": "x", "runbook": "file:///..%2f..%2fetc%2fpasswd"});
    let refused = stack.submit(&escape).await;
    assert_eq!((refused.status.as_u16(), refused.fields()), (400, vec!["runbook"]));
}

#[tokio::test]
async fn the_state_has_the_database_the_queue_with_its_leases_and_the_lag_of_consumers() {
    let stack = Stack::start().await;
    let claim = a_session().running(&stack.store, "worker-1").await.unwrap();
    stack.pending().await;
    let state = stack.get("/api/v1/system/state").await.body;
    assert!(state["database"]["size_bytes"].as_i64().unwrap() > 0, "{state}");
    let (used, most) = (&state["database"]["connections"], &state["database"]["max_connections"]);
    assert!(used.as_i64().unwrap() <= most.as_i64().unwrap(), "{state}");
    let queue = &state["queue"];
    assert_eq!((&queue["pending"], &queue["in_progress"]), (&json!(1), &json!(1)));
    assert!(queue["oldest_pending_at"].is_string(), "{queue}");
    let lease = &queue["leases"][0];
    assert_eq!(lease["session_id"], json!(claim.fence.session_id));
    assert_eq!((&lease["owner"], &lease["is_expired"]), (&json!("worker-1"), &json!(false)));
    assert_eq!((&state["llm_service"], &state["providers"]), (&json!(null), &json!([])));
    eventually("nobody takes the wake-up", async || lag_of_session_work(&stack).await == Some(1))
        .await;
}

async fn lag_of_session_work(stack: &Stack) -> Option<u64> {
    let state = stack.get("/api/v1/system/state").await.body;
    let named = |list: &serde_json::Value, name: &str| {
        list.as_array()?.iter().find(|one| one["name"] == name).cloned()
    };
    let work = named(&state["streams"], topology::WORK.name)?;
    assert_eq!(work["max_bytes"], json!(topology::WORK.max_bytes));
    named(&work["consumers"], topology::SESSION_WORK.name)?["pending"].as_u64()
}

#[tokio::test]
async fn the_state_without_nats_still_has_the_database() {
    let mut stack = Stack::dedicated().await;
    stack.nats().server().unwrap().stop().await;
    eventually("the loss of NATS is seen", async || !stack.bus.is_connected()).await;
    let state = stack.get("/api/v1/system/state").await.body;
    assert_eq!(state["streams"], json!(null));
    assert!(state["database"].is_object() && state["queue"].is_object(), "{state}");
}

#[tokio::test]
async fn alert_types_and_examples_name_tool_servers_that_cannot_be_used() {
    let stack = Stack::start().await;
    let problem = async |path: &str, list: &str, key: &str, name: &str| {
        let body = stack.get(path).await.body;
        let found = body[list].as_array().unwrap().iter().find(|one| one[key] == name);
        found.unwrap()["problem"].clone()
    };
    let of_kubernetes =
        async || problem("/api/v1/alert-types", "alert_types", "type", "kubernetes").await;
    assert_eq!(of_kubernetes().await, json!(null), "it was not checked yet");
    let status = McpServerStatus {
        id: "kubernetes-server".to_owned(),
        healthy: false,
        last_check: SystemClock.now(),
        tools: Vec::new(),
        error: Some("no kubeconfig".to_owned()),
        not_configured: true,
        fault: None,
    };
    stack.bus.kv(&topology::MCP_STATUS).put("kubernetes-server", &status).await.unwrap();
    assert!(of_kubernetes().await.as_str().unwrap().contains("kubernetes-server"));
    let of_host = problem("/api/v1/example-alerts", "examples", "name", "host").await;
    assert_eq!(of_host, json!(null));
    let servers = stack.get("/api/v1/system/mcp-servers").await.body["servers"].clone();
    let servers = servers.as_array().unwrap();
    let shown = servers.iter().find(|server| server["id"] == "kubernetes-server").unwrap();
    assert_eq!(shown["not_configured"], json!(true));
}

const CONFIGURED: &str = "queue:
  worker_count: 3
mcp_servers:
  prometheus:
    transport:
      type: http
      url: http://prometheus-mcp:8000/mcp
      bearer_token: \"{{.PROMETHEUS_TOKEN}}\"
";

#[tokio::test]
async fn the_resolved_configuration_has_the_source_of_each_value() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("tarsy.yaml").display().to_string();
    std::fs::write(&file, CONFIGURED).unwrap();
    let path = folder.path().display().to_string();
    let settings = [
        ("TARSY_CONFIG_DIR", path.as_str()),
        ("TARSY_GRACE_SECONDS", "7"),
        ("TARSY_RELAY_TOKEN", "0123456789abcdef0123456789abcdef"),
    ];
    let stack = Stack::with_settings(TestStack::start().await.unwrap(), &settings).await;
    let answer = stack.get("/api/v1/system/config").await;
    assert_eq!(answer.status, 200, "{answer:?}");
    let find = |list: &str, path: &str| {
        let entries = answer.body[list].as_array().unwrap();
        entries.iter().find(|entry| entry["path"] == path).cloned().unwrap_or_default()
    };
    let workers = json!({
        "path": "queue.worker_count", "value": "3", "hidden": false, "source": "file",
        "file": file, "line": 2, "variables": [],
    });
    assert_eq!(find("values", "queue.worker_count"), workers);
    let token = json!({
        "path": "mcp_servers.prometheus.transport.bearer_token", "value": null, "hidden": true,
        "source": "file", "file": file, "line": 8,
        "variables": [{"name": "PROMETHEUS_TOKEN", "is_set": false}],
    });
    assert_eq!(find("values", "mcp_servers.prometheus.transport.bearer_token"), token);
    assert_eq!(find("values", "mcp_servers.host.transport.type")["source"], "built_in");
    assert_eq!(find("values", "queue.max_concurrent_sessions")["source"], "default");
    let grace = find("process", "TARSY_GRACE_SECONDS");
    assert_eq!((&grace["value"], &grace["source"]), (&json!("7"), &json!("environment")));
    let secret = find("process", "TARSY_RELAY_TOKEN");
    assert_eq!((&secret["value"], &secret["hidden"]), (&json!(null), &json!(true)));
    assert_eq!(find("process", "TARSY_MAX_CONNECTIONS_PER_ADDRESS")["source"], "default");
    assert!(!answer.body.to_string().contains("0123456789abcdef"));
}
