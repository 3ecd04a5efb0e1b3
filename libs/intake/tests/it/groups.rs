//! Alertmanager and Grafana, which send groups.

use serde_json::{Value, json};
use tarsy_intake::{Alert, Content, Ignored, Kind, MAX_ALERTS, Received, Status};

use crate::support::{
    alert, changed, group, not_understood, pairs, payload, receive, time, titles,
};

#[test]
fn a_group_of_alertmanager_becomes_alerts() {
    let group = group(Kind::Alertmanager, &payload("alertmanager"));
    assert_eq!((group.alerts.len(), group.left_out, &group.delivery_id), (2, 3, &None));
    let alert = &group.alerts[0];
    assert_eq!(alert.title, "The disk of web-3 is almost full");
    assert_eq!(alert.severity.as_deref(), Some("critical"));
    assert_eq!(alert.status, Status::Firing);
    assert_eq!(alert.service.as_deref(), Some("checkout"));
    assert_eq!(alert.namespace.as_deref(), Some("shop"));
    assert_eq!(alert.cluster.as_deref(), Some("eu-1"));
    assert_eq!(alert.fingerprint, "c6eadffa33fcdf37");
    assert!(alert.group_key.as_deref().unwrap().starts_with("{}/{severity="));
    assert_eq!(alert.starts_at, time("2026-11-24T08:15:04.123Z"));
    assert_eq!(alert.ends_at, None);
    assert_eq!(titles(alert), ["Alert rule", "Runbook", "Source"]);
    assert_eq!(
        alert.raw["generatorURL"],
        "http://prometheus.example:9090/graph?g0.expr=disk&g0.tab=1"
    );
}

#[test]
fn a_resolved_alert_of_a_firing_group_has_an_end_and_the_name_of_its_rule() {
    let group = group(Kind::Alertmanager, &payload("alertmanager"));
    let alert = &group.alerts[1];
    assert_eq!(alert.status, Status::Resolved);
    assert_eq!(alert.title, "DiskFull");
    assert_eq!(alert.ends_at, time("2026-11-24T08:20:00Z"));
}

#[test]
fn a_group_of_grafana_becomes_alerts() {
    let alert = alert(Kind::Grafana, &payload("grafana"));
    assert_eq!(alert.title, "Memory of zone us-1 is high");
    assert_eq!(alert.fingerprint, "1/c6eadffa33fcdf37");
    assert_eq!(alert.starts_at, time("2026-11-24T07:51:03.157076Z"));
    assert_eq!(
        pairs(&alert.labels),
        "alertname=High memory usage severity=warning team=blue zone=us-1"
    );
    assert_eq!(titles(&alert), ["Alert rule", "Runbook", "Source", "Dashboard", "Silence"]);
}

#[test]
fn alerts_without_optional_members_are_received() {
    let body = json!({"alerts": [{}], "unknown": {"member": 1}}).to_string();
    for kind in [Kind::Alertmanager, Kind::Grafana] {
        let alert = alert(kind, &body);
        assert_eq!((alert.title.as_str(), alert.status), ("Alert of it", Status::Firing));
        assert_eq!(alert.fingerprint.len(), 32);
    }
}

#[test]
fn an_empty_group_is_ignored() {
    let body = json!({"version": "4", "alerts": []}).to_string();
    assert_eq!(receive(Kind::Alertmanager, &body), Ok(Received::Ignored(Ignored::Empty)));
}

/// The alerts of a group in which one has another form; all others are as they would be alone.
fn with_one_changed(pointer: &str, value: Value) -> (Alert, Alert) {
    let mut whole = group(Kind::Alertmanager, &payload("alertmanager"));
    let mut group = group(Kind::Alertmanager, &changed("alertmanager", pointer, value));
    assert_eq!(group.alerts.len(), 2, "{pointer}");
    let other = usize::from(pointer.starts_with("/alerts/0"));
    assert_eq!(group.alerts.get(other), whole.alerts.get(other), "{pointer}");
    (group.alerts.swap_remove(1 - other), whole.alerts.swap_remove(1 - other))
}

#[test]
fn an_alert_of_another_form_is_kept_with_a_note() {
    for (pointer, value, noted) in [
        ("/alerts/0/status", json!("burning"), "burning"),
        ("/alerts/0/startsAt", json!("today"), "/alerts/0/startsAt"),
        ("/alerts/0/startsAt", json!("2026-11-24 09:00:00"), "no time zone"),
        ("/alerts/0/labels", json!(["a"]), "/alerts/0/labels"),
        ("/alerts/0/labels/job", json!("x".repeat(2_400)), "job"),
        ("/alerts/0/annotations/summary", json!("x".repeat(20_000)), "summary"),
    ] {
        let (alert, whole) = with_one_changed(pointer, value);
        assert_eq!((alert.content, alert.status), (Content::Problem, Status::Firing));
        assert_eq!((alert.notes.len(), whole.notes.len()), (1, 0));
        assert!(alert.notes[0].contains(noted), "{:?}", alert.notes);
    }
    let (alert, _) = with_one_changed("/alerts/0/labels/job", json!({"x": 1}));
    assert_eq!((alert.labels["job"].as_str(), alert.notes.len()), (r#"{"x":1}"#, 0));
}

#[test]
fn a_group_of_another_form_is_kept() {
    let one = changed("alertmanager", "/alerts", json!({"labels": {"alertname": "Alone"}}));
    assert_eq!(alert(Kind::Alertmanager, &one).title, "Alone");
    let version = group(Kind::Alertmanager, &changed("alertmanager", "/version", json!("5")));
    assert_eq!((version.alerts.len(), version.alerts[0].notes.len()), (2, 1));
    let status = group(Kind::Alertmanager, &changed("alertmanager", "/status", json!(7)));
    assert_eq!(status.alerts[1].status, Status::Resolved);
}

#[test]
fn what_always_fires_and_what_a_button_sends_is_recognized() {
    for (labels, content) in [
        (json!({"alertname": "Watchdog", "severity": "none"}), Content::Heartbeat),
        (json!({"alertname": "TestAlert", "instance": "Grafana"}), Content::Test),
        (json!({"alertname": "TestAlert", "instance": "web-1"}), Content::Problem),
        (json!({"alertname": "WatchdogMissing"}), Content::Problem),
    ] {
        let body = json!({"alerts": [{"labels": labels}]}).to_string();
        assert_eq!(alert(Kind::Grafana, &body).content, content, "{body}");
    }
}

#[test]
fn what_is_wrong_in_a_group_is_named() {
    for (pointer, value, named) in [
        ("/alerts", json!("none"), r#""/alerts" is text; send an object"#),
        ("/alerts", json!(null), r#""/alerts" is missing; send"#),
        ("/alerts/1", json!(7), r#""/alerts/1" is a number; send an object"#),
    ] {
        let group = group(Kind::Alertmanager, &changed("alertmanager", pointer, value));
        let has = |alert: &Alert| alert.notes.first().is_some_and(|note| note.contains(named));
        assert!(group.alerts.iter().any(has), "{group:?}");
    }
    for (body, named) in [("{", "line 1 column 1"), ("[]", "is a list"), ("", "is empty")] {
        let why = not_understood(Kind::Alertmanager, body);
        assert!(why.contains(named), "{why}");
    }
}

#[test]
fn alerts_beyond_the_most_of_a_request_are_counted() {
    let body = json!({"alerts": vec![json!({}); MAX_ALERTS + 2], "truncatedAlerts": 3}).to_string();
    for kind in [Kind::Alertmanager, Kind::Grafana] {
        let group = group(kind, &body);
        assert_eq!((group.alerts.len(), group.left_out), (MAX_ALERTS, 5));
    }
}

#[test]
fn a_long_group_key_becomes_a_hash() {
    let long = changed("alertmanager", "/groupKey", "x".repeat(2_000));
    let key = alert(Kind::Alertmanager, &long).group_key.unwrap();
    assert!(key.starts_with("sha256:"), "{key}");
}
