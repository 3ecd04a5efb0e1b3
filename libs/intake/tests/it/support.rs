//! Recorded payloads, and sources that receive them.

use std::collections::BTreeMap;

use http::{HeaderMap, HeaderName, HeaderValue};
use jiff::Timestamp;
use serde_json::Value;
use tarsy_intake::{
    Alert, Content, Group, HmacSignature, Kind, Mapping, Paths, Received, Refusal, Secrets, Source,
    Status, StatusWords, Verification,
};

pub(crate) const SECRET: &[u8] = b"s3cret";

/// 2026-11-24T12:00:00Z.
pub(crate) fn now() -> Timestamp {
    Timestamp::from_second(1_795_521_600).unwrap()
}

pub(crate) fn payload(name: &str) -> String {
    let path = format!("{}/tests/payloads/{name}.json", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).unwrap()
}

/// A recorded payload with one value changed.
pub(crate) fn changed(name: &str, pointer: &str, value: impl Into<Value>) -> String {
    let mut json: Value = serde_json::from_str(&payload(name)).unwrap();
    *json.pointer_mut(pointer).unwrap() = value.into();
    json.to_string()
}

pub(crate) fn headers(pairs: &[(&str, &str)]) -> HeaderMap {
    let pair = |&(name, value): &(&str, &str)| {
        (name.parse::<HeaderName>().unwrap(), HeaderValue::from_str(value).unwrap())
    };
    pairs.iter().map(pair).collect()
}

pub(crate) fn a_source(kind: Kind) -> Source {
    let verification = match kind {
        Kind::Sns => Verification::Sns { topics: Vec::new() },
        Kind::GoogleCloud => Verification::Basic { user: "it".to_owned() },
        Kind::Sentry => Verification::Hmac(HmacSignature::sentry()),
        _ => Verification::Bearer,
    };
    Source::new("it", kind, verification).unwrap()
}

pub(crate) fn a_mapping() -> Mapping {
    let named = |pairs: &[(&str, &str)]| {
        pairs.iter().map(|&(name, path)| (name.to_owned(), path.to_owned())).collect()
    };
    let path = |text: &str| Some(text.to_owned());
    let paths = Paths {
        alerts: path("$.events[*]"),
        title: path("$['summary','title']"),
        severity: path("$.level"),
        status: path("$.state"),
        fingerprint: path("$.uuid"),
        starts_at: path("$.opened"),
        ends_at: path("$.closed"),
        all_labels: path("$.tags"),
        labels: named(&[("host", "$.host.name"), ("group", "$.host.groups[0]")]),
        links: named(&[("Event", "$.page")]),
        annotations: named(&[("level", "$.level")]),
        ..Paths::default()
    };
    let words = StatusWords { resolved: vec!["Done".to_owned()], ..StatusWords::default() };
    Mapping::new(&paths, words).unwrap()
}

/// What a source makes of a body, from a sender with the secret where that is a bearer token.
pub(crate) fn receive(kind: Kind, body: &str) -> Result<Received, Refusal> {
    let headers = headers(&[("authorization", "Bearer s3cret")]);
    match kind {
        Kind::Sns | Kind::Sentry | Kind::GoogleCloud => {
            a_source(kind).preview(&headers, body.as_bytes(), now())
        }
        _ => a_source(kind).receive(&headers, body.as_bytes(), &Secrets::of([SECRET]), now()),
    }
}

/// Fingerprint and status of the first alert.
pub(crate) fn identity(kind: &Kind, body: &str) -> (String, Status) {
    let alert = alert(kind.clone(), body);
    (alert.fingerprint, alert.status)
}

/// A recorded payload with some values changed.
pub(crate) fn with(name: &str, changes: &[(&str, Value)]) -> String {
    let mut json: Value = serde_json::from_str(&payload(name)).unwrap();
    for (pointer, value) in changes {
        *json.pointer_mut(pointer).unwrap() = value.clone();
    }
    json.to_string()
}

pub(crate) fn group(kind: Kind, body: &str) -> Group {
    match receive(kind, body).unwrap() {
        Received::Alerts(group) => group,
        other => panic!("{other:?}"),
    }
}

pub(crate) fn alert(kind: Kind, body: &str) -> Alert {
    group(kind, body).alerts.swap_remove(0)
}

/// Why a payload, or a part of it, is not understood; the raw payload has it.
pub(crate) fn not_understood(kind: Kind, body: &str) -> String {
    let alerts = group(kind, body).alerts;
    let mut alert = alerts.into_iter().find(|one| one.content == Content::NotUnderstood).unwrap();
    assert!(!alert.raw.is_null(), "{alert:?}");
    alert.notes.swap_remove(0)
}

/// A time as records hold it.
#[expect(clippy::unnecessary_wraps, reason = "records hold no time or one")]
pub(crate) fn time(text: &str) -> Option<Timestamp> {
    Some(text.parse().unwrap())
}

pub(crate) fn pairs(labels: &BTreeMap<String, String>) -> String {
    labels.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(" ")
}

pub(crate) fn titles(alert: &Alert) -> Vec<&str> {
    alert.links.iter().map(|link| link.title.as_str()).collect()
}
