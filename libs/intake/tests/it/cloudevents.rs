//! CloudEvents in each mode of the HTTP binding.

use http::HeaderMap;
use serde_json::{Value, json};
use tarsy_intake::{Content, Kind, Received, Refusal, Secrets, Status};

use crate::support::{SECRET, a_source, headers, now, pairs, payload, time};

const STRUCTURED: &str = "application/cloudevents+json; charset=UTF-8";

fn received(extra: &[(&str, &str)], body: &str) -> Result<Received, Refusal> {
    let mut all: HeaderMap = headers(extra);
    all.extend(headers(&[("authorization", "Bearer s3cret")]));
    let source = a_source(Kind::CloudEvents(None));
    source.receive(&all, body.as_bytes(), &Secrets::of([SECRET]), now())
}

fn structured(body: &str) -> tarsy_intake::Group {
    match received(&[("content-type", STRUCTURED)], body).unwrap() {
        Received::Alerts(group) => group,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_structured_event_becomes_an_alert() {
    let group = structured(&payload("cloudevent"));
    let alert = &group.alerts[0];
    assert_eq!(alert.title, "Latency of checkout is above 2 s");
    assert_eq!((alert.severity.as_deref(), alert.status), (Some("critical"), Status::Firing));
    assert_eq!(alert.namespace.as_deref(), Some("shop"));
    assert_eq!(alert.service.as_deref(), Some("checkout"));
    assert_eq!(alert.starts_at, time("2026-11-24T12:00:00Z"));
    assert_eq!(alert.source_id.as_deref(), Some("A234-1234-1234"));
    assert_eq!(
        pairs(&alert.labels),
        "event_source=/monitors/eu-1 event_type=com.example.alert.triggered namespace=shop \
         subject=checkout/latency team=payments"
    );
}

#[test]
fn a_binary_event_is_the_same_alert() {
    let event: Value = serde_json::from_str(&payload("cloudevent")).unwrap();
    let all = [
        ("content-type", "application/json"),
        ("ce-specversion", "1.0"),
        ("ce-id", "A234-1234-1234"),
        ("ce-source", "/monitors/eu-1"),
        ("ce-type", "com.example.alert.triggered"),
        ("ce-subject", "checkout%2Flatency"),
        ("ce-time", "2026-11-24T12:00:00Z"),
        ("ce-team", "payments"),
    ];
    let Received::Alerts(binary) = received(&all, &event["data"].to_string()).unwrap() else {
        panic!("alerts");
    };
    let structured = structured(&payload("cloudevent"));
    assert_eq!(binary.delivery_id, structured.delivery_id);
    let (left, right) = (&binary.alerts[0], &structured.alerts[0]);
    assert_eq!((&left.title, &left.labels), (&right.title, &right.labels));
    assert_eq!((&left.fingerprint, left.starts_at), (&right.fingerprint, right.starts_at));
}

#[test]
fn events_about_the_same_subject_have_the_same_fingerprint() {
    let mut event: Value = serde_json::from_str(&payload("cloudevent")).unwrap();
    let begun = structured(&event.to_string());
    event["type"] = json!("com.example.alert.resolved");
    event["id"] = json!("other");
    event["data"] = json!({"title": "Latency is normal"});
    let over = structured(&event.to_string());
    assert_eq!(begun.alerts[0].fingerprint, over.alerts[0].fingerprint);
    assert_eq!(over.alerts[0].status, Status::Resolved);
    assert_ne!(begun.delivery_id, over.delivery_id);
}

#[test]
fn a_batch_has_an_alert_for_each_event() {
    let event: Value = serde_json::from_str(&payload("cloudevent")).unwrap();
    let batch = json!([event, event]).to_string();
    let content_type = ("content-type", "application/cloudevents-batch+json");
    let Received::Alerts(group) = received(&[content_type], &batch).unwrap() else {
        panic!("alerts");
    };
    assert_eq!(group.alerts.len(), 2);
}

#[test]
fn text_is_data_too() {
    let all = [
        ("ce-specversion", "1.0"),
        ("ce-id", "1"),
        ("ce-source", "cron"),
        ("ce-type", "job.failed"),
        ("content-type", "text/plain"),
    ];
    let Received::Alerts(group) = received(&all, "\n** backup failed **\nmore").unwrap() else {
        panic!("alerts");
    };
    assert_eq!(group.alerts[0].title, "backup failed");
}

#[test]
fn an_event_without_what_every_event_has_is_kept_with_a_note() {
    let event: Value = serde_json::from_str(&payload("cloudevent")).unwrap();
    for name in ["specversion", "id", "source", "type"] {
        let mut event = event.clone();
        event.as_object_mut().unwrap().remove(name);
        let body = serde_json::json!([7, event]).to_string();
        let Received::Alerts(group) = received(&[("content-type", STRUCTURED)], &body).unwrap()
        else {
            panic!("alerts");
        };
        assert_eq!(group.alerts[0].content, Content::NotUnderstood);
        assert!(group.alerts[1].notes[0].contains(name), "{:?}", group.alerts[1].notes);
    }
}

#[test]
fn events_of_another_type_subject_or_content_have_another_fingerprint() {
    let event: Value = serde_json::from_str(&payload("cloudevent")).unwrap();
    let of = |change: &dyn Fn(&mut Value)| {
        let mut event = event.clone();
        change(&mut event);
        structured(&event.to_string()).alerts[0].fingerprint.clone()
    };
    let first = of(&|_| ());
    assert_eq!(of(&|event| event["id"] = json!("again")), first);
    assert_ne!(of(&|event| event["type"] = json!("com.example.certificate.triggered")), first);
    assert_ne!(of(&|event| event["subject"] = json!("cart/latency")), first);
    let unnamed = |title: &'static str, id: &'static str| {
        of(&|event| {
            event.as_object_mut().unwrap().remove("subject");
            event["data"] = json!({"title": "Job failed", "job": title});
            event["id"] = json!(id);
            event["time"] = json!("2026-11-25T12:00:00Z");
        })
    };
    assert_eq!(unnamed("backup", "1"), unnamed("backup", "2"));
    assert_ne!(unnamed("backup", "1"), unnamed("restore", "1"));
}
