//! PagerDuty, Datadog and Opsgenie, which send one change of one alert.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};
use tarsy_intake::{Content, Ignored, Kind, MAX_LABEL_VALUE, Received, Status};

use crate::support::{alert, changed, group, pairs, payload, receive, time, titles};

#[test]
fn an_incident_of_pagerduty_becomes_an_alert() {
    let group = group(Kind::PagerDuty, &payload("pagerduty"));
    assert_eq!(group.delivery_id.as_deref(), Some("01DEN0V1VHFN5QXPVK3IZ3KK5Y"));
    let alert = &group.alerts[0];
    assert_eq!(alert.title, "Latency of checkout is above 2 s");
    assert_eq!(alert.severity.as_deref(), Some("p1"));
    assert_eq!(alert.service.as_deref(), Some("checkout"));
    assert_eq!(alert.source_id.as_deref(), Some("PGR0VU2"));
    assert_eq!(alert.fingerprint, "d3640fbd41094207a1c11e58e46b1662");
    assert_eq!(alert.starts_at, time("2026-11-24T13:59:58Z"));
    assert_eq!(
        pairs(&alert.labels),
        "escalation_policy=Default incident_type=major_incident priority=P1 service=checkout team=Payments urgency=high"
    );
    assert_eq!(titles(alert), ["Incident", "Service"]);
}

#[test]
fn the_status_of_an_incident_is_that_of_its_data() {
    for (status, expected) in [
        ("triggered", Status::Firing),
        ("acknowledged", Status::Acknowledged),
        ("resolved", Status::Resolved),
    ] {
        let body = changed("pagerduty", "/event/data/status", status);
        let alert = alert(Kind::PagerDuty, &body);
        assert_eq!(alert.status, expected);
        let end = time("2026-11-24T14:00:00Z").filter(|_| expected == Status::Resolved);
        assert_eq!(alert.ends_at, end);
    }
}

#[test]
fn an_incident_without_a_key_is_recognized_by_its_id() {
    let body = changed("pagerduty", "/event/data/incident_key", json!(null));
    assert_eq!(alert(Kind::PagerDuty, &body).fingerprint, "PGR0VU2");
}

#[test]
fn events_of_pagerduty_that_change_no_incident_are_ignored() {
    let body = changed("pagerduty", "/event/event_type", "incident.annotated");
    let expected = Ignored::Event("incident.annotated".to_owned());
    assert_eq!(receive(Kind::PagerDuty, &body), Ok(Received::Ignored(expected)));
}

#[test]
fn what_is_wrong_in_an_incident_is_named() {
    for pointer in ["/event", "/event/event_type", "/event/data"] {
        let alert = alert(Kind::PagerDuty, &changed("pagerduty", pointer, json!(null)));
        assert!(alert.notes[0].contains(&format!("{pointer:?}")), "{:?}", alert.notes);
    }
    let alert = alert(Kind::PagerDuty, &changed("pagerduty", "/event/data/status", "odd"));
    assert_eq!((alert.status, alert.notes.len()), (Status::Firing, 1));
}

#[test]
fn a_ping_is_a_test() {
    let ping = alert(Kind::PagerDuty, &changed("pagerduty", "/event/event_type", "pagey.ping"));
    assert_eq!((ping.content, ping.title.as_str()), (Content::Test, "Test of it"));
    let body = changed("datadog", "/title", "[TEST] Test Webhook");
    assert_eq!(alert(Kind::Datadog, &body).content, Content::Test);
}

#[test]
fn a_notification_of_datadog_becomes_an_alert() {
    let group = group(Kind::Datadog, &payload("datadog"));
    assert_eq!(group.delivery_id.as_deref(), Some("7623421"));
    let alert = &group.alerts[0];
    assert_eq!(alert.title, "Load of web-3 is high");
    assert_eq!(alert.severity.as_deref(), Some("p2"));
    assert_eq!(alert.status, Status::Firing);
    assert_eq!(alert.service.as_deref(), Some("checkout"));
    assert_eq!(alert.namespace.as_deref(), Some("shop"));
    assert_eq!(alert.cluster.as_deref(), Some("eu-1"));
    assert_eq!(alert.fingerprint, "9bd4ac313a4d1e8fae2482df7b77628");
    assert_eq!(alert.source_id.as_deref(), Some("4917349103"));
    assert_eq!(alert.group_key.as_deref(), Some("monitor:1234"));
    assert_eq!(alert.starts_at, None, "the date is that of the repeated notification");
    assert_eq!(alert.labels["host"], "web-3");
    assert_eq!(alert.labels["monitor"], "true");
    assert_eq!(titles(alert), ["Event"], "a variable that was not filled in is no link");
}

#[test]
fn the_payload_of_the_documentation_is_the_one_that_is_read() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/intake/datadog.md");
    let page = std::fs::read_to_string(page).unwrap();
    let block = page.split("```json\n").nth(1).unwrap().split("```").next().unwrap();
    let template: Map<String, Value> = serde_json::from_str(block).unwrap();
    let recorded: Map<String, Value> = serde_json::from_str(&payload("datadog")).unwrap();
    let keys = |object: &Map<String, Value>| object.keys().cloned().collect::<BTreeSet<_>>();
    assert_eq!(keys(&template), keys(&recorded));
    let unfilled = alert(Kind::Datadog, block);
    assert!(unfilled.labels.is_empty() && unfilled.annotations.is_empty());
    assert!(unfilled.links.is_empty() && unfilled.severity.is_none());
}

#[test]
fn the_transition_of_datadog_is_the_status() {
    for (transition, status, has_start) in [
        ("Triggered", Status::Firing, true),
        ("No Data", Status::Firing, true),
        ("Renotify", Status::Firing, false),
        ("Recovered", Status::Resolved, false),
        ("$ALERT_TRANSITION", Status::Firing, true),
    ] {
        let alert = alert(Kind::Datadog, &changed("datadog", "/transition", transition));
        assert_eq!((alert.status, alert.starts_at.is_some()), (status, has_start), "{transition}");
        assert_eq!(alert.ends_at.is_some(), status == Status::Resolved);
    }
}

#[test]
fn many_values_of_a_tag_are_one_label_and_whole_in_an_annotation() {
    let pods: Vec<_> = (0..60).map(|n| format!("pod_name:checkout-6f9d7c8b5d-{n:05}")).collect();
    let body = changed("datadog", "/tags", format!("env:prod,{}", pods.join(",")));
    let alert = alert(Kind::Datadog, &body);
    assert_eq!(alert.labels["pod_name"].chars().count(), MAX_LABEL_VALUE);
    assert!(alert.annotations["pod_name"].ends_with("-00059"), "{:?}", alert.annotations);
    assert_eq!((alert.labels["env"].as_str(), alert.notes.len()), ("prod", 1));
}

#[test]
fn an_alert_of_opsgenie_becomes_an_alert() {
    let alert = alert(Kind::Opsgenie, &payload("opsgenie"));
    assert_eq!(alert.title, "Queue of checkout grows");
    assert_eq!(alert.severity.as_deref(), Some("p1"));
    assert_eq!(alert.fingerprint, "checkout-queue");
    assert_eq!(alert.source_id.as_deref(), Some("052652ac-5d1c-464a-812a-7dd18bbfba8c"));
    assert_eq!(alert.service.as_deref(), Some("checkout"));
    assert_eq!(alert.starts_at.unwrap().as_millisecond(), 1_764_000_000_104);
    assert_eq!(
        pairs(&alert.labels),
        "critical=true entity=checkout-queue-1 namespace=shop service=checkout team=payments"
    );
    assert_eq!(alert.annotations["description"], "12,000 messages wait.");
}

#[test]
fn the_action_of_opsgenie_is_the_status() {
    for (action, status) in [
        ("UnAcknowledge", Status::Firing),
        ("Acknowledge", Status::Acknowledged),
        ("Close", Status::Resolved),
        ("Delete", Status::Resolved),
    ] {
        assert_eq!(alert(Kind::Opsgenie, &changed("opsgenie", "/action", action)).status, status);
    }
    let note = receive(Kind::Opsgenie, &changed("opsgenie", "/action", "AddNote")).unwrap();
    assert_eq!(note, Received::Ignored(Ignored::Event("AddNote".to_owned())));
    for pointer in ["/action", "/alert"] {
        let alert = alert(Kind::Opsgenie, &changed("opsgenie", pointer, json!(null)));
        assert!(alert.notes[0].contains(&format!("{pointer:?}")), "{:?}", alert.notes);
    }
    for pointer in ["/alert/alertId", "/alert/createdAt", "/alert/tags", "/alert/details"] {
        let alert = alert(Kind::Opsgenie, &changed("opsgenie", pointer, json!({"odd": [1]})));
        assert_eq!((alert.content, alert.status), (Content::Problem, Status::Firing));
    }
}
