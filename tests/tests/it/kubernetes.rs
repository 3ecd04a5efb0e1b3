//! Warning events of a Kubernetes cluster become sessions, whatever happens to the watch and to the gateway.

use std::time::Duration;

use serde_json::{Value, json};
use tarsy_domain::clock::{Clock as _, SystemClock};
use tarsy_e2e::kubernetes::KubernetesApi;
use tarsy_e2e::model::usual;
use tarsy_e2e::{Answer, Asked, Llm, Script, Stack, StackOptions};
use tarsy_testkit::Seen;

const TIMEOUT: Duration = Duration::from_mins(2);
const SOURCES: &str = "  sources:\n    kubernetes:\n      kind: kubernetes\n      verification: bearer\n      \
     secret_env: INTAKE_SECRET\n      alert_type: plain\n      events:\n        cluster: eu-1\n        \
     exclude_namespaces: [kube-system]\n";

fn play(asked: &Asked) -> Answer {
    usual(asked).unwrap_or_else(|| Answer::text("The container restarts."))
}

/// An event of this type about a pod, seen just now.
fn event(kind: &str, namespace: &str, pod: &str, count: u32) -> Value {
    let now = SystemClock.now().to_string();
    json!({
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": format!("{pod}.1"), "namespace": namespace, "uid": format!("uid-{pod}")},
        "involvedObject": {"apiVersion": "v1", "kind": "Pod", "namespace": namespace, "name": pod},
        "reason": "BackOff",
        "message": "Back-off restarting failed container",
        "source": {"component": "kubelet", "host": "node-3"},
        "type": kind,
        "count": count,
        "firstTimestamp": "2026-11-24T00:00:00Z",
        "lastTimestamp": now,
    })
}

fn warning(pod: &str, count: u32) -> Value {
    event("Warning", "shop", pod, count)
}

/// The fingerprints that began a session, in their order.
async fn opened(stack: &Stack) -> anyhow::Result<Vec<String>> {
    let query = "select fingerprint from intake_alerts where action = 'open' order by seq";
    Ok(sqlx::query_scalar(query).fetch_all(&mut stack.sql().await?).await?)
}

async fn are_opened(stack: &Stack, pods: &[&str]) -> anyhow::Result<()> {
    let expected: Vec<String> =
        pods.iter().map(|pod| format!("eu-1/shop/Pod/{pod}/BackOff")).collect();
    stack
        .wait_until(&format!("{pods:?} have sessions"), TIMEOUT, async |stack| {
            Ok(Seen::equal(opened(stack).await?, expected.as_slice()))
        })
        .await
}

#[tokio::test]
async fn warning_events_become_sessions_over_lost_watches_and_a_lost_gateway() -> anyhow::Result<()>
{
    let api = KubernetesApi::start().await?;
    api.apply(event("Normal", "shop", "healthy", 1));
    api.apply(event("Warning", "kube-system", "excluded", 1));
    api.apply(warning("listed", 1));
    let mut stack = Stack::start(StackOptions {
        llm: Llm::Scripted(Script::new(play)),
        intake: SOURCES,
        kubernetes: Some(api.kubeconfig()),
        ..StackOptions::default()
    })
    .await?;
    are_opened(&stack, &["listed"]).await?;
    api.apply(warning("watched", 1));
    are_opened(&stack, &["listed", "watched"]).await?;

    // A lost connection goes on where it was.
    api.cut();
    api.apply(warning("after-the-cut", 1));
    are_opened(&stack, &["listed", "watched", "after-the-cut"]).await?;
    assert_eq!(api.lists(), 1, "{:?}", api.watched());

    // A version that is too old makes it list again; what was sent before is known.
    api.expire();
    api.apply(warning("after-the-list", 1));
    api.apply(warning("watched", 2));
    are_opened(&stack, &["listed", "watched", "after-the-cut", "after-the-list"]).await?;
    assert_eq!(api.lists(), 2, "{:?}", api.watched());

    stack.kill("api-gateway").await?;
    api.apply(warning("while-away", 1));
    stack.launch("api-gateway").await?;
    let all = ["listed", "watched", "after-the-cut", "after-the-list", "while-away"];
    are_opened(&stack, &all).await?;
    let sessions: i64 = sqlx::query_scalar("select count(*) from alert_sessions")
        .fetch_one(&mut stack.sql().await?)
        .await?;
    assert_eq!(sessions, 5);
    Ok(())
}
