//! Payloads that an operator describes.

use std::collections::BTreeMap;

use serde_json::json;
use tarsy_intake::{Ignored, Kind, Mapping, Paths, Received, Status, StatusWords};

use crate::support::{
    a_mapping, alert, group, not_understood, pairs, payload, receive, time, titles,
};

#[test]
fn a_mapping_selects_alerts_and_their_fields() {
    let group = group(Kind::Generic(Some(a_mapping())), &payload("generic"));
    let [first, second] = group.alerts.as_slice() else { panic!("two alerts") };
    assert_eq!(first.title, "Certificate of shop.example expires");
    assert_eq!((first.severity.as_deref(), first.status), (Some("warn"), Status::Firing));
    assert_eq!(pairs(&first.labels), "env=production group=edge host=edge-1");
    assert_eq!(titles(first), ["Event"]);
    assert_eq!(second.title, "Probe of cart fails");
    assert_eq!((second.fingerprint.as_str(), second.status), ("e-2", Status::Resolved));
    assert_eq!(first.starts_at, second.starts_at, "in seconds and in milliseconds");
    assert_eq!(second.ends_at, time("2025-11-24T16:10:00Z"));
}

#[test]
fn a_payload_that_a_mapping_selects_nothing_from_is_no_error() {
    let nothing = receive(Kind::Generic(Some(a_mapping())), r#"{"events": []}"#).unwrap();
    assert_eq!(nothing, Received::Ignored(Ignored::Empty));
    let whole = Mapping::new(&Paths::default(), StatusWords::default()).unwrap();
    let body = json!({"note": "disk of web-3 is full"}).to_string();
    assert_eq!(
        group(Kind::Generic(Some(whole)), &body).alerts[0].title,
        "note: disk of web-3 is full"
    );
}

#[test]
fn a_value_of_another_form_is_read_or_noted_under_its_key() {
    for (event, key) in [
        (json!({"state": "unheard-of"}), "\"status\""),
        (json!({"opened": "yesterday"}), "\"starts_at\""),
        (json!({"opened": "2026-11-26 14:06:38.123"}), "\"starts_at\""),
    ] {
        let body = json!({"events": [event, {"summary": "the other"}]}).to_string();
        let alerts = group(Kind::Generic(Some(a_mapping())), &body).alerts;
        assert!(alerts[0].notes[0].starts_with(key), "{:?}", alerts[0].notes);
        assert_eq!((alerts[1].title.as_str(), alerts[1].notes.len()), ("the other", 0));
    }
    let body = json!({"events": [{"summary": {"x": 1}, "host": {"name": ["x"]}}]}).to_string();
    let alert = alert(Kind::Generic(Some(a_mapping())), &body);
    assert_eq!((alert.title.as_str(), alert.labels["host"].as_str()), ("x\":1", "[\"x\"]"));
}

#[test]
fn a_payload_whose_alerts_stand_elsewhere_is_not_understood() {
    let why =
        not_understood(Kind::Generic(Some(a_mapping())), r#"{"problems": [{"summary": "x"}]}"#);
    assert!(why.contains("selects nothing"), "{why}");
}

#[test]
fn all_wrong_expressions_of_a_mapping_are_named() {
    let paths = Paths {
        title: Some("summary".to_owned()),
        severity: Some("$..a..b".to_owned()),
        alerts: Some(format!("$.{}", "x".repeat(600))),
        labels: BTreeMap::from([("team".to_owned(), "$[".to_owned())]),
        ..Paths::default()
    };
    let errors = Mapping::new(&paths, StatusWords::default()).unwrap_err();
    let keys: Vec<&str> = errors.iter().map(|error| error.key.as_str()).collect();
    assert_eq!(keys, ["alerts", "title", "severity", "labels.team"]);
}

#[test]
fn without_a_key_alerts_of_one_title_are_distinguished_by_their_content() {
    let paths = Paths { title: Some("$.title".to_owned()), ..Paths::default() };
    let of = |body: serde_json::Value| {
        let mapping = Mapping::new(&paths, StatusWords::default()).unwrap();
        group(Kind::Generic(Some(mapping)), &body.to_string()).alerts[0].fingerprint.clone()
    };
    let first =
        of(json!({"title": "CPU is high", "target": "vm-1", "fired_at": "2026-11-24T12:00:00Z"}));
    let again =
        of(json!({"title": "CPU is high", "target": "vm-1", "fired_at": "2026-11-24T13:00:00Z"}));
    assert_eq!(first, again);
    assert_ne!(first, of(json!({"title": "CPU is high", "target": "vm-2"})));
}
