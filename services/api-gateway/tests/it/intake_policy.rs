//! What becomes of repeated alerts, as `intake.policy` and a chain say, through HTTP.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use reqwest::Method;
use serde_json::{Value, json};
use tarsy_domain::clock::{Clock as _, SystemClock};
use tarsy_store::{Batch, Op};
use tarsy_testkit::{Investigation, TestStack, eventually};
use tempfile::TempDir;

use crate::stack::{Stack, send};

const SECRET: &str = "a-secret-of-every-source";
const SOURCES: &str = "intake:
  sources:
    prometheus: {kind: alertmanager, verification: bearer, secret_env: SOURCE_SECRET, alert_type: host}
    pager: {kind: pagerduty, verification: bearer, secret_env: SOURCE_SECRET, alert_type: host}
    shop: {kind: alertmanager, verification: bearer, secret_env: SOURCE_SECRET, alert_type: shop}
";
const SHOP: &str = "agent_chains:
  shop:
    alert_types: [shop]
    stages: [{name: look, agents: [{name: HostAgent}]}]
    intake: {window: 0s, group_labels: [instance], flapping: {changes: 0}}
";

/// A gateway with this policy, and what else `tarsy.yaml` has.
async fn gateway(policy: &str, more: &str) -> (Stack, TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let text = format!("{SOURCES}  policy: {policy}\n{SHOP}{more}");
    std::fs::write(folder.path().join("tarsy.yaml"), text).unwrap();
    let path = folder.path().display().to_string();
    let settings = [("TARSY_CONFIG_DIR", path.as_str()), ("SOURCE_SECRET", SECRET)];
    (Stack::with_settings(TestStack::start().await.unwrap(), &settings).await, folder)
}

/// An alert of Alertmanager that began at this minute.
fn alert(name: &str, status: &str, minute: i64) -> Value {
    let start = Timestamp::UNIX_EPOCH + SignedDuration::from_mins(minute);
    json!({
        "status": status,
        "labels": {"alertname": name, "instance": "db-1", "severity": "warning"},
        "startsAt": start.to_string(),
        "fingerprint": name,
    })
}

/// Action and reason of each alert, or the status that refuses them.
async fn deliver(stack: &Stack, source: &str, key: &str, alerts: &[Value]) -> Vec<String> {
    let body = json!({"version": "4", "groupKey": key, "status": "firing", "alerts": alerts});
    let request = stack.request(Method::POST, &format!("/api/v1/intake/{source}")).json(&body);
    let answer = send(request.bearer_auth(SECRET)).await;
    let Some(decided) = answer.body["alerts"].as_array() else {
        return vec![answer.status.as_u16().to_string()];
    };
    let text = |alert: &Value, key: &str| alert[key].as_str().unwrap_or_default().to_owned();
    decided.iter().map(|one| format!("{} {}", text(one, "action"), text(one, "reason"))).collect()
}

async fn prometheus(stack: &Stack, key: &str, alert: Value) -> String {
    deliver(stack, "prometheus", key, &[alert]).await.remove(0)
}

/// Ends the sessions that wait.
async fn cancel_all(stack: &Stack) {
    let sessions = stack.get("/api/v1/sessions").await.body;
    for session in sessions["sessions"].as_array().unwrap() {
        let id = session["id"].as_str().unwrap();
        stack.post(&format!("/api/v1/sessions/{id}/cancel")).await;
    }
}

#[tokio::test]
async fn an_alert_that_changes_too_often_is_counted_with_its_session() {
    let (stack, _folder) = gateway("{flapping: {changes: 4, within: 1h}}", "").await;
    let mut decided = Vec::new();
    for (minute, status) in
        [(0, "firing"), (0, "resolved"), (1, "firing"), (1, "resolved"), (2, "firing")]
    {
        decided.push(prometheus(&stack, "g", alert("Flaps", status, minute)).await);
    }
    let fold = "fold flapping";
    assert_eq!(decided[0], "open new");
    assert_eq!(decided[4], fold, "{decided:?}");
    let listed = stack.get("/api/v1/intake/alerts?action=fold").await.body;
    assert_eq!(listed["alerts"][0]["explanation"], "changed 4 times in 1 h");
    assert_eq!(stack.count("select count(*) from alert_sessions").await.unwrap(), 1);
}

#[tokio::test]
async fn in_quiet_hours_an_alert_waits_unless_its_severity_is_excepted() {
    let hour = |hours: i64| {
        let time = SystemClock.now() + SignedDuration::from_hours(hours);
        time.to_zoned(jiff::tz::TimeZone::UTC).strftime("%H:%M").to_string()
    };
    let quiet = format!(
        "{{quiet_hours: [{{from: '{}', until: '{}', time_zone: UTC, except_severities: [Critical]}}]}}",
        hour(-1),
        hour(1)
    );
    let (stack, _folder) = gateway(&quiet, "").await;
    let waits = prometheus(&stack, "g", alert("Slow", "firing", 0)).await;
    assert_eq!(waits, "hold quiet_hours");
    assert_eq!(prometheus(&stack, "g", alert("Slow", "firing", 0)).await, waits);
    let mut critical = alert("Down", "firing", 0);
    critical["labels"]["severity"] = json!("critical");
    assert_eq!(prometheus(&stack, "h", critical).await, "open new");
    let held = stack.get("/api/v1/intake/alerts?action=hold").await.body;
    assert_eq!(held["alerts"].as_array().unwrap().len(), 1, "{held}");
    assert_eq!(
        (&held["alerts"][0]["repeats"], &held["alerts"][0]["released_at"]),
        (&json!(1), &Value::Null)
    );
}

#[tokio::test]
async fn a_held_alert_begins_a_session_when_its_time_has_come() {
    let (stack, _folder) = gateway("{max_per_day: 1, window: 0s}", "").await;
    assert_eq!(prometheus(&stack, "g", alert("Slow", "firing", 0)).await, "open new");
    cancel_all(&stack).await;
    assert_eq!(prometheus(&stack, "g", alert("Slow", "firing", 1)).await, "hold daily_limit");
    // The day passes.
    let a_day = "with changed as (update intake_alerts set hold_until = now() - interval '1 s', \
                received_at = received_at - interval '1 day' where action = 'hold' returning 1), \
                earlier as (update intake_alerts set received_at = received_at - interval '1 day' \
                where action = 'open' returning 1) select count(*) from changed, earlier";
    assert_eq!(stack.count(a_day).await.unwrap(), 1);
    eventually("the alert begins a session", async || {
        stack.count("select count(*) from alert_sessions").await.unwrap() == 2
    })
    .await;
    let opened = stack.get("/api/v1/intake/alerts?action=open").await.body;
    assert_eq!(opened["alerts"].as_array().unwrap().len(), 2, "{opened}");
    let held = stack.get("/api/v1/intake/alerts?action=hold").await.body;
    assert!(held["alerts"][0]["released_at"].is_string(), "{held}");
}

#[tokio::test]
async fn above_a_rate_alerts_of_a_group_are_counted_and_none_is_dropped() {
    let (stack, _folder) = gateway("{max_attached_per_minute: 2}", "").await;
    assert_eq!(prometheus(&stack, "g", alert("A", "firing", 0)).await, "open new");
    let mut decided = Vec::new();
    for name in ["B", "C", "D", "E"] {
        decided.push(prometheus(&stack, "g", alert(name, "firing", 0)).await);
    }
    let (attach, fold) = ("attach same_group", "fold group_rate");
    assert_eq!(decided, [attach, attach, fold, fold]);
    assert_eq!(stack.count("select count(*) from intake_alerts").await.unwrap(), 5);
    assert_eq!(stack.count("select count(*) from alert_sessions").await.unwrap(), 1);
}

#[tokio::test]
async fn a_chain_has_a_policy_of_its_own() {
    let (stack, _folder) = gateway("{window: 2h}", "").await;
    let of = async |source: &str, key: &str, name: &str, minute: i64| {
        deliver(&stack, source, key, &[alert(name, "firing", minute)]).await.remove(0)
    };
    assert_eq!(of("prometheus", "g", "A", 0).await, "open new");
    assert_eq!(of("prometheus", "h", "B", 0).await, "open new", "the source groups");
    assert_eq!(of("shop", "g", "A", 0).await, "open new");
    assert_eq!(of("shop", "h", "B", 0).await, "attach same_labels", "the label groups");
    cancel_all(&stack).await;
    assert_eq!(of("prometheus", "g", "A", 1).await, "attach within_window");
    assert_eq!(of("shop", "g", "A", 1).await, "open new", "its window is 0");
}

#[tokio::test]
async fn when_the_tokens_of_the_day_are_used_up_an_alert_waits_for_tomorrow() {
    let limits = "system:\n  limits: {daily_tokens: 120}\n";
    let (stack, _folder) = gateway("{}", limits).await;
    assert_eq!(prometheus(&stack, "g", alert("A", "firing", 0)).await, "open new");
    let lease = Duration::from_mins(1);
    let claim = stack.store.claim_session("owner", lease, 5).await.unwrap().unwrap();
    let (work, _) = Investigation::start(&stack.store, claim.fence).await.unwrap();
    // It takes 120 tokens.
    let call = Batch::new().with(Op::LlmInteraction(work.llm_interaction(None)));
    stack.store.commit(claim.fence, call).await.unwrap();
    assert_eq!(prometheus(&stack, "h", alert("B", "firing", 0)).await, "hold tokens_used_up");
    assert_eq!(prometheus(&stack, "g", alert("C", "firing", 0)).await, "attach same_group");
}

#[tokio::test]
async fn a_full_queue_refuses_nothing_but_alerts_that_would_begin_a_session() {
    let limits = "system:\n  limits: {pending_sessions: 1}\n";
    let (stack, _folder) = gateway("{}", limits).await;
    let first = [alert("A", "firing", 0), alert("B", "firing", 0)];
    assert_eq!(deliver(&stack, "prometheus", "g", &first).await, ["open new", "attach same_group"]);
    assert_eq!(prometheus(&stack, "h", alert("C", "firing", 0)).await, "503");
    assert_eq!(prometheus(&stack, "g", alert("D", "firing", 0)).await, "attach same_group");
    assert_eq!(prometheus(&stack, "x", alert("X", "resolved", 0)).await, "ignore no_session");
    let acknowledged = json!({"event": {
        "id": "1", "event_type": "incident.acknowledged", "resource_type": "incident",
        "occurred_at": "2026-11-24T14:00:00Z",
        "data": {"id": "P1", "type": "incident", "status": "acknowledged", "title": "Slow"},
    }});
    let request = stack.request(Method::POST, "/api/v1/intake/pager").json(&acknowledged);
    let answer = send(request.bearer_auth(SECRET)).await;
    assert_eq!(
        (answer.status.as_u16(), &answer.body["alerts"][0]["action"]),
        (202, &json!("ignore"))
    );
    // One of a request that is refused is over: that is kept, and the source sends all of it again.
    let mixed = [alert("E", "firing", 0), alert("B", "resolved", 0)];
    assert_eq!(deliver(&stack, "prometheus", "other", &mixed).await, ["503"]);
    let resolved = stack.get("/api/v1/intake/alerts?action=resolve").await.body;
    assert_eq!(resolved["alerts"][0]["fingerprint"], "B", "{resolved}");
    assert_eq!(
        stack.count("select count(*) from intake_alerts where fingerprint = 'E'").await.unwrap(),
        0
    );
}
