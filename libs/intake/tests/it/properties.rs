//! Whatever JSON a sender writes, nothing panics, and what is received is within its bounds.

use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Map, Value};
use tarsy_intake::{
    Alert, Content, Kind, MAX_ALERTS, MAX_ANNOTATION_BYTES, MAX_ANNOTATIONS, MAX_FINGERPRINT,
    MAX_GROUP_KEY, MAX_LABEL_NAME, MAX_LABEL_VALUE, MAX_LABELS, MAX_LINKS, MAX_NAME, MAX_RAW_BYTES,
    MAX_SEVERITY, MAX_TITLE, MAX_URL, Received, title_of,
};

use crate::support::{a_mapping, a_source, headers, now, payload};

/// The recorded payload that each kind is made of.
fn kinds() -> Vec<(Kind, String)> {
    let sns = payload("sns-v2");
    vec![
        (Kind::Alertmanager, payload("alertmanager")),
        (Kind::Grafana, payload("grafana")),
        (Kind::PagerDuty, payload("pagerduty")),
        (Kind::Datadog, payload("datadog")),
        (Kind::Opsgenie, payload("opsgenie")),
        (Kind::Sns, sns),
        (Kind::EventBridge, payload("eventbridge")),
        (Kind::AzureMonitor, payload("azuremonitor")),
        (Kind::GoogleCloud, payload("googlecloud")),
        (Kind::Sentry, payload("sentry")),
        (Kind::Sentry, payload("sentry-issue")),
        (Kind::Sentry, payload("sentry-metric")),
        (Kind::Zabbix, payload("zabbix")),
        (Kind::NewRelic, payload("newrelic")),
        (Kind::UptimeKuma, payload("uptimekuma")),
        (Kind::Splunk, payload("splunk")),
        (Kind::Checkmk, payload("checkmk")),
        (Kind::Icinga, payload("icinga")),
        (Kind::Kubernetes, payload("kubernetes")),
        (Kind::CloudEvents(None), payload("cloudevent")),
        (Kind::Generic(Some(a_mapping())), payload("generic")),
    ]
}

fn scalar() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "\\PC{0,40}".prop_map(Value::from),
        "[a\u{0}é:,]{0,8}".prop_map(Value::from),
        (0_usize..3_000).prop_map(|length| Value::from("x".repeat(length))),
    ]
}

fn json() -> impl Strategy<Value = Value> {
    scalar().prop_recursive(4, 64, 8, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..8).prop_map(Value::from),
            vec(("\\PC{0,12}", inner), 0..8)
                .prop_map(|members| Value::Object(members.into_iter().collect::<Map<_, _>>())),
        ]
    })
}

/// Every pointer into a value.
fn pointers(value: &Value, at: &str, found: &mut Vec<String>) {
    found.push(at.to_owned());
    match value {
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                pointers(item, &format!("{at}/{index}"), found);
            }
        }
        Value::Object(members) => {
            for (name, member) in members {
                let step = name.replace('~', "~0").replace('/', "~1");
                pointers(member, &format!("{at}/{step}"), found);
            }
        }
        _ => {}
    }
}

fn received(kind: Kind, body: &[u8]) -> Received {
    let headers = headers(&[("content-type", "application/cloudevents+json")]);
    a_source(kind).preview(&headers, body, now()).unwrap()
}

fn is_bounded(alert: &Alert) {
    let length = |text: &Option<String>| text.as_ref().map_or(0, |text| text.chars().count());
    assert!((1..=MAX_TITLE).contains(&alert.title.chars().count()), "{}", alert.title);
    assert!(!alert.title.contains(['\n', '\0']));
    assert!(length(&alert.severity) <= MAX_SEVERITY);
    for name in [&alert.service, &alert.namespace, &alert.cluster] {
        assert!(length(name) <= MAX_NAME);
    }
    assert!((1..=MAX_FINGERPRINT).contains(&alert.fingerprint.chars().count()));
    assert!(length(&alert.group_key) <= MAX_GROUP_KEY);
    assert!(length(&alert.source_id) <= MAX_FINGERPRINT);
    assert!(alert.labels.len() <= MAX_LABELS);
    assert!(alert.labels.values().all(|value| value.chars().count() <= MAX_LABEL_VALUE));
    assert!(alert.annotations.len() <= MAX_ANNOTATIONS);
    assert!(alert.annotations.values().all(|value| value.len() <= MAX_ANNOTATION_BYTES));
    for name in alert.labels.keys().chain(alert.annotations.keys()) {
        assert!((1..=MAX_LABEL_NAME).contains(&name.chars().count()), "{name:?}");
    }
    assert!(alert.raw.to_string().len() <= 2 * MAX_RAW_BYTES);
    assert!(alert.content != Content::NotUnderstood || !alert.notes.is_empty());
    assert!(alert.links.len() <= MAX_LINKS);
    assert!(alert.links.iter().all(|link| link.url.len() <= MAX_URL));
}

fn all_bounded(received: Received) {
    if let Received::Alerts(group) = received {
        assert!((1..=MAX_ALERTS).contains(&group.alerts.len()));
        group.alerts.iter().for_each(is_bounded);
    }
}

#[test]
fn every_recorded_payload_is_received() {
    for (kind, body) in kinds() {
        let name = kind.as_str();
        let Received::Alerts(group) = received(kind, body.as_bytes()) else { panic!("{name}") };
        let is_problem =
            |alert: &Alert| alert.content == Content::Problem && alert.notes.is_empty();
        assert!(group.alerts.iter().all(is_problem), "{name}: {group:?}");
    }
}

proptest! {
    #[test]
    fn any_bytes_are_received(body in vec(any::<u8>(), 0..200)) {
        for (kind, _) in kinds() {
            all_bounded(received(kind, &body));
        }
    }

    #[test]
    fn any_json_is_received(value in json()) {
        let body = value.to_string();
        for (kind, _) in kinds() {
            all_bounded(received(kind, body.as_bytes()));
        }
    }

    #[test]
    fn a_recorded_payload_with_any_value_in_it_is_received(
        place in any::<prop::sample::Index>(),
        value in json(),
    ) {
        for (kind, recorded) in kinds() {
            let mut payload: Value = serde_json::from_str(&recorded).unwrap();
            let mut places = Vec::new();
            pointers(&payload, "", &mut places);
            *payload.pointer_mut(place.get::<String>(&places)).unwrap() = value.clone();
            all_bounded(received(kind, payload.to_string().as_bytes()));
        }
    }

    #[test]
    fn as_many_alerts_of_a_group_are_received_as_were_sent(
        mut alerts in vec(json(), 1..8),
        place in any::<prop::sample::Index>(),
        changed in vec(any::<u8>(), 0..3),
    ) {
        let many = |name: &str, recorded: &str| {
            let mut payload: Value = serde_json::from_str(recorded).unwrap();
            payload[name] = Value::from(alerts.clone());
            payload.to_string()
        };
        for (kind, name) in [
            (Kind::Alertmanager, "alerts"),
            (Kind::Grafana, "alerts"),
            (Kind::Generic(Some(a_mapping())), "events"),
        ] {
            let recorded = payload(kind.as_str());
            let received = received(kind, many(name, &recorded).as_bytes());
            let Received::Alerts(group) = received else { panic!("alerts") };
            prop_assert_eq!(group.alerts.len(), alerts.len());
        }
        // Broken in some byte, a request is alerts, or one that has the raw text.
        let mut broken = many("alerts", &payload("alertmanager")).into_bytes();
        let at = place.index(broken.len());
        broken.splice(at..=at, changed);
        all_bounded(received(Kind::Alertmanager, &broken));
        // Events that report no problem are left out as such, all others are received.
        alerts.retain(|event| event.get("type").is_none_or(|kind| kind == "Warning"));
        if !alerts.is_empty() {
            let body = serde_json::json!({"items": alerts}).to_string();
            let Received::Alerts(group) = received(Kind::Kubernetes, body.as_bytes()) else { panic!("alerts") };
            prop_assert_eq!(group.alerts.len(), alerts.len());
        }
    }

    #[test]
    fn a_text_has_a_title_of_one_line_or_none(text in "(?s).{0,300}") {
        if let Some(title) = title_of(&text) {
            prop_assert!((1..=MAX_TITLE).contains(&title.chars().count()));
            prop_assert!(!title.contains(['\n', '\r', '\0']));
        }
    }
}
