//! Events of Kubernetes, as the watcher sends them.

use serde_json::{Value, json};
use tarsy_intake::{Ignored, Kind, Received, Status};

use crate::support::{changed, group, not_understood, pairs, payload, receive, time};

#[test]
fn a_warning_event_becomes_an_alert_about_its_object() {
    let alert = &group(Kind::Kubernetes, &payload("kubernetes")).alerts[0];
    assert_eq!(
        alert.title,
        "BackOff: Back-off restarting failed container checkout in pod checkout-7d9c8b6f5-x2x7p_shop(5a6f3c52)"
    );
    assert_eq!(alert.severity.as_deref(), Some("warning"));
    assert_eq!(alert.status, Status::Firing);
    assert_eq!(alert.namespace.as_deref(), Some("shop"));
    assert_eq!(alert.cluster.as_deref(), Some("eu-1"));
    assert_eq!(alert.fingerprint, "eu-1/shop/Pod/checkout-7d9c8b6f5-x2x7p/BackOff");
    assert_eq!(alert.group_key.as_deref(), Some("eu-1/shop/Pod/checkout-7d9c8b6f5-x2x7p"));
    assert_eq!(alert.source_id.as_deref(), Some("0c8f1d1e-6f57-4d4c-9e2e-3f9d4b1f5a10"));
    assert_eq!(alert.starts_at, time("2026-11-24T11:50:02Z"));
    assert_eq!(
        pairs(&alert.labels),
        "component=kubelet field=spec.containers{checkout} kind=Pod name=checkout-7d9c8b6f5-x2x7p namespace=shop \
         node=node-3 reason=BackOff uid=5a6f3c52-1f0c-4c53-9d0a-0e2f3cf0a9b7"
    );
    assert_eq!(alert.annotations["count"], "17");
    assert!(alert.annotations["message"].ends_with("\nsee the logs"));
}

#[test]
fn an_event_of_the_newer_api_has_the_same_fields_under_other_names() {
    let alert = &group(Kind::Kubernetes, &payload("kubernetes")).alerts[1];
    assert_eq!(alert.title, "FailedScheduling: 0/3 nodes are available: 3 Insufficient memory.");
    assert_eq!(alert.fingerprint, "eu-1/shop/Pod/checkout-7d9c8b6f5-q9k2m/FailedScheduling");
    assert_eq!(alert.starts_at, time("2026-11-24T11:55:00.123456Z"));
    assert_eq!(alert.labels["component"], "default-scheduler");
    assert_eq!(alert.annotations["count"], "4");
}

#[test]
fn one_event_that_is_no_list_is_received_too() {
    let list: Value = serde_json::from_str(&payload("kubernetes")).unwrap();
    let alert = &group(Kind::Kubernetes, &list["items"][0].to_string()).alerts[0];
    assert_eq!(alert.fingerprint, "/shop/Pod/checkout-7d9c8b6f5-x2x7p/BackOff");
    assert_eq!(alert.cluster, None);
}

#[test]
fn what_changes_while_an_event_repeats_is_no_part_of_its_identity() {
    let first = group(Kind::Kubernetes, &payload("kubernetes")).alerts.swap_remove(0);
    let body = changed("kubernetes", "/items/0/count", 18);
    let repeated = group(Kind::Kubernetes, &body).alerts.swap_remove(0);
    assert_eq!(repeated.annotations["count"], "18");
    assert_eq!(
        (repeated.fingerprint, repeated.starts_at, repeated.labels),
        (first.fingerprint, first.starts_at, first.labels)
    );
}

#[test]
fn an_object_of_the_cluster_has_no_namespace() {
    let mut list: Value = serde_json::from_str(&payload("kubernetes")).unwrap();
    list["items"][0]["involvedObject"] = json!({"kind": "Node", "name": "node-3", "uid": "node-3"});
    let alert = &group(Kind::Kubernetes, &list.to_string()).alerts[0];
    assert_eq!(alert.namespace, None);
    assert_eq!(alert.fingerprint, "eu-1//Node/node-3/BackOff");
}

#[test]
fn normal_events_are_ignored_and_do_not_hide_warnings() {
    let body = changed("kubernetes", "/items/0/type", "Normal");
    assert_eq!(group(Kind::Kubernetes, &body).alerts.len(), 1);
    let mut list: Value = serde_json::from_str(&body).unwrap();
    list["items"].as_array_mut().unwrap().truncate(1);
    let normal = receive(Kind::Kubernetes, &list.to_string());
    assert_eq!(normal, Ok(Received::Ignored(Ignored::Event("Normal".to_owned()))));
    let empty = receive(Kind::Kubernetes, &json!({"items": []}).to_string());
    assert_eq!(empty, Ok(Received::Ignored(Ignored::Empty)));
}

#[test]
fn what_is_wrong_in_an_event_is_named() {
    let whole = group(Kind::Kubernetes, &payload("kubernetes"));
    for pointer in [
        "/items/0/reason",
        "/items/0/involvedObject",
        "/items/0/involvedObject/kind",
        "/items/0/involvedObject/name",
    ] {
        let body = changed("kubernetes", pointer, json!(null));
        assert_eq!(group(Kind::Kubernetes, &body).alerts.len(), whole.alerts.len(), "{pointer}");
        let why = not_understood(Kind::Kubernetes, &body);
        assert!(why.contains(pointer.trim_start_matches("/items/0")), "{why}");
    }
}
