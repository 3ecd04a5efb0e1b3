//! Alertmanager and Grafana, which send groups.

use serde_json::json;
use tarsy_intake::{Ignored, Kind, MAX_ALERTS, Received, Status};

use crate::support::{alert, changed, group, pairs, payload, receive, refused_at, time, titles};

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

#[test]
fn what_is_wrong_in_a_group_is_named() {
    for (pointer, value, named) in [
        ("/version", json!("3"), "/version"),
        ("/alerts", json!("none"), "/alerts"),
        ("/alerts", json!(null), "/alerts"),
        ("/alerts/1", json!(7), "/alerts/1"),
        ("/alerts/0/status", json!("burning"), "/alerts/0/status"),
        ("/alerts/0/startsAt", json!("today"), "/alerts/0/startsAt"),
        ("/alerts/0/labels", json!(["a"]), "/alerts/0/labels"),
        ("/alerts/0/labels/job", json!({"x": 1}), "/alerts/0/labels/job"),
        ("/alerts/0/labels/job", json!("x".repeat(1_025)), "/alerts/0/labels/job"),
        (
            "/alerts/0/annotations/summary",
            json!("x".repeat(20_000)),
            "/alerts/0/annotations/summary",
        ),
        ("/groupKey", json!("x".repeat(70_000)), "/groupKey"),
    ] {
        let body = changed("alertmanager", pointer, value);
        assert_eq!(refused_at(Kind::Alertmanager, &body), named);
    }
    assert_eq!(refused_at(Kind::Alertmanager, "{"), "");
    assert_eq!(refused_at(Kind::Alertmanager, "[]"), "");
}

#[test]
fn a_group_has_a_most_of_alerts() {
    let alerts = |count: usize| json!({"alerts": vec![json!({}); count]}).to_string();
    assert_eq!(group(Kind::Alertmanager, &alerts(MAX_ALERTS)).alerts.len(), MAX_ALERTS);
    assert_eq!(refused_at(Kind::Alertmanager, &alerts(MAX_ALERTS + 1)), "/alerts");
}

#[test]
fn a_long_group_key_becomes_a_hash() {
    let long = changed("alertmanager", "/groupKey", "x".repeat(2_000));
    let key = alert(Kind::Alertmanager, &long).group_key.unwrap();
    assert!(key.starts_with("sha256:"), "{key}");
}
