//! A change that another system reports is named as what brought a fault about, and a dependency is followed to the fault of what
//! the alert's service calls, on the real processes.

#![expect(clippy::indexing_slicing, reason = "a missing field fails the test")]

use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use tarsy_domain::clock::{Clock as _, SystemClock};
use tarsy_e2e::kubernetes::KubernetesApi;
use tarsy_e2e::{INTAKE_SECRET, Llm, Stack, StackOptions};
use tarsy_testkit::{hmac_hex, workspace};

const SOURCES: &str = "  sources:
    github: {kind: github, verification: hmac, secret_env: INTAKE_SECRET}
    kubernetes: {kind: kubernetes, verification: bearer, secret_env: INTAKE_SECRET, changes: {kinds: [deployments]}, topology: {every: 1s}}
";
const TOPOLOGY: &str = "  services:
    storefront: {calls: [payments], team: shop}
";
/// Logs of other services, written later: more than the analyst reads of those that nothing names.
const OTHERS: usize = 12;
const TIMEOUT: Duration = Duration::from_mins(1);
const DEPLOYMENTS: &str = "/apis/apps/v1/deployments";
const CHAINS: &str = "  \
  hosts:
    alert_types: [hosts]
    stages:
      - {name: reading, agents: [{name: Ledger, mcp_servers: [host]}]}
";

/// The built-in inspector with a folder of logs.
fn servers(logs: &str) -> &'static str {
    let servers = format!(
        "  host:\n    transport: {{type: stdio, command: tarsy-host-inspector, \
         env: {{HOST_INSPECTOR_LOG_PATHS: '{logs}/**'}}}}\n    policy: {{mode: enforce, hosts: [localhost]}}\n"
    );
    servers.leak()
}

/// The webhook of a deployment of checkout, some minutes ago.
fn deployment(minutes: u64) -> anyhow::Result<String> {
    let file = workspace().join("libs/intake/tests/payloads/github.json");
    let mut payload: Value = serde_json::from_str(&std::fs::read_to_string(file)?)?;
    let time = SystemClock.now() - Duration::from_mins(minutes);
    payload["deployment_status"]["created_at"] = json!(time.to_string());
    Ok(payload.to_string())
}

/// The deployment of the ledger with this image.
fn ledger(image: &str) -> Value {
    json!({
        "apiVersion": "apps/v1", "kind": "Deployment",
        "metadata": {"name": "ledger", "namespace": "shop", "uid": "1"},
        "spec": {
            "selector": {"matchLabels": {"app": "ledger"}},
            "template": {"metadata": {"labels": {"app": "ledger"}}, "spec": {"containers": [{"name": "app", "image": image}]}},
        },
    })
}

/// The session of an alert about a service, once it is over; its claims are all verified.
async fn investigated(stack: &Stack, service: &str) -> anyhow::Result<Value> {
    let data = format!("ServiceDown: the service {service} does not start");
    let alert = json!({"alert_type": "hosts", "service": service, "data": data});
    let session = stack.submit_whole(&alert).await?;
    let viewer = stack.watch(&session).await?;
    stack.completes(&viewer).await?;
    let claims = stack.get(&format!("/api/v1/sessions/{session}/claims")).await?.to_string();
    assert!(
        !claims.contains("\"unsupported\"") && !claims.contains("\"contradicted\""),
        "{claims}"
    );
    stack.get(&format!("/api/v1/sessions/{session}")).await
}

#[tokio::test]
async fn a_rollout_is_named_as_the_cause_and_a_dependency_is_followed() -> anyhow::Result<()> {
    let logs = tempfile::tempdir()?;
    let now = SystemClock.now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
    for service in ["checkout", "ledger"] {
        let log = format!(
            "{now} {service} INFO started\n{now} {service} ERROR panic: environment variable PAYMENTS_URL is not set\n"
        );
        std::fs::write(logs.path().join(format!("{service}.log")), log)?;
    }
    let api = KubernetesApi::start().await?;
    api.apply_to(DEPLOYMENTS, ledger("shop/ledger:41"));
    let service = json!({
        "apiVersion": "v1", "kind": "Service", "metadata": {"name": "accounts", "namespace": "shop"},
        "spec": {"selector": {"app": "ledger"}},
    });
    api.apply_to("/api/v1/services", service);
    let stack = Stack::start(StackOptions {
        llm: Llm::Offline(0),
        intake: SOURCES,
        topology: TOPOLOGY,
        chains: CHAINS,
        servers: servers(&logs.path().display().to_string()),
        kubernetes: Some(api.kubeconfig()),
        least_privilege: true,
        ..StackOptions::default()
    })
    .await?;
    let body = deployment(8)?;
    let signature = format!("sha256={}", hmac_hex(INTAKE_SECRET, &body));
    let webhook = reqwest::Client::new()
        .post(format!("{}/api/v1/intake/github", stack.url()))
        .header("X-GitHub-Event", "deployment_status")
        .header("X-Hub-Signature-256", signature)
        .body(body);
    assert_eq!(webhook.send().await?.status().as_u16(), 202);
    let image = AtomicU32::new(42);
    let is_recorded = async |stack: &Stack| {
        // The first list may come after the first change.
        let image = image.fetch_add(1, Ordering::Relaxed);
        api.apply_to(DEPLOYMENTS, ledger(&format!("shop/ledger:{image}")));
        let found = stack.get("/api/v1/changes?near=ledger").await?;
        Ok(found["changes"].as_array().is_some_and(|changes| !changes.is_empty()))
    };
    stack.wait_until("the watcher reports the rollout", TIMEOUT, is_recorded).await?;

    for (service, change, line) in [
        ("checkout", "checkout v1.8.2 (f95f852bd8) was deployed", "[deployment] shop/checkout"),
        ("ledger", "image of app shop/ledger:", "[deployment] Deployment/ledger"),
    ] {
        let detail = investigated(&stack, service).await?;
        let given = detail["changes"][0]["text"].as_str().unwrap_or_default();
        assert!(given.contains(change), "{detail}");
        let cause = detail["verdict"]["cause"].as_str().unwrap_or_default();
        assert!(cause.contains(change), "{}", detail["verdict"]);
        // The watcher may have reported more than one.
        let found = &detail["verdict"]["change"];
        let mut given = detail["changes"].as_array().into_iter().flatten();
        let given = given.find(|given| given["id"] == found["id"]).unwrap();
        assert!(cause.contains(found["text"].as_str().unwrap_or_default()), "{cause}: {found}");
        for fact in ["id", "kind", "object", "text"] {
            assert_eq!(found[fact], given[fact], "{found}");
        }
        let session = detail["id"].as_str().unwrap_or_default();
        let postmortem = stack.get(&format!("/api/v1/sessions/{session}/postmortem")).await?;
        assert_eq!(postmortem["cause"]["change"]["at"], given["occurred_at"], "{postmortem}");
        let analysis = detail["final_analysis"].as_str().unwrap_or_default();
        assert!(analysis.contains(line), "the change is cited: {analysis}");
    }
    follows_a_dependency(&stack, logs.path()).await?;
    reports_a_host_once(&stack).await
}

/// The storefront fails because of the payments that it calls: their log is one of many, and found by the dependency.
async fn follows_a_dependency(stack: &Stack, logs: &Path) -> anyhow::Result<()> {
    let now = SystemClock.now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
    let write = |name: &str, line: &str| {
        std::fs::write(logs.join(format!("{name}.log")), format!("{now} {name} {line}\n"))
    };
    write("payments", "ERROR panic: environment variable SETTLEMENT_URL is not set")?;
    let earlier = std::time::SystemTime::now() - Duration::from_mins(10);
    std::fs::File::open(logs.join("payments.log"))?.set_modified(earlier)?;
    write("storefront", "ERROR request to payments failed: 503 Service Unavailable")?;
    for other in 1..=OTHERS {
        write(&format!("worker{other}"), "ERROR panic: environment variable LICENCE is not set")?;
    }
    let detail = investigated(stack, "storefront").await?;
    let given = &detail["dependencies"][0];
    assert_eq!((&given["from"], &given["to"]), (&json!("storefront"), &json!("payments")));
    let cause = detail["verdict"]["cause"].as_str().unwrap_or_default();
    assert!(cause.contains("SETTLEMENT_URL"), "{}", detail["verdict"]);
    assert!(cause.contains("which `storefront` calls"), "{cause}");
    let around = stack.get("/api/v1/dependencies?of=payments").await?;
    assert_eq!(around["used_by"][0]["from"], "storefront", "{around}");
    let is_routed = async |stack: &Stack| {
        let around = stack.get("/api/v1/dependencies?of=accounts&namespace=shop").await?;
        Ok(around["depends_on"][0]["to"] == "Deployment/ledger")
    };
    stack.wait_until("the watcher reports what a service routes to", TIMEOUT, is_routed).await?;
    Ok(())
}

/// The command line reports what changed on this machine; what was reported before is recorded once.
async fn reports_a_host_once(stack: &Stack) -> anyhow::Result<()> {
    let url = stack.client().url().to_owned();
    let words =
        ["--url", &url, "--json", "changes", "report-host", "--host", "web-7", "--hours", "720"];
    let mut answers = Vec::new();
    for _ in 0..2 {
        let answer = stack.command(&words).await?;
        anyhow::ensure!(answer.status.success(), "{answer:?}");
        answers.push(serde_json::from_slice::<Value>(&answer.stdout)?);
    }
    let [first, second] = answers.as_slice() else { anyhow::bail!("{answers:?}") };
    assert_eq!((&first["host"], &first["recorded"]), (&json!("web-7"), &first["found"]));
    assert_eq!((&second["found"], &second["recorded"]), (&first["found"], &json!(0)));
    let listed = stack.get("/api/v1/changes?near=web-7&limit=200").await?;
    assert_eq!(
        listed["changes"].as_array().map(Vec::len),
        first["found"].as_u64().and_then(|n| usize::try_from(n).ok())
    );
    Ok(())
}
