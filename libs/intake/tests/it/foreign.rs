//! Payloads as products of other authors send them, by their documentation, templates and bug reports.
//!
//! Each line of the files has a payload and what is read of it: content, status, title, severity, a label or the service, start,
//! and how many alerts there are. What is null or empty is not compared. A name that ends with `, over` is the end of the alert
//! of the line with the rest of its name.

#![expect(clippy::print_stdout, reason = "the figures of the run")]

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::Value;
use tarsy_intake::{Alert, Kind, Received};

use crate::support::{a_source, headers, now, time};

fn kind(name: &str) -> Kind {
    match name {
        "alertmanager" => Kind::Alertmanager,
        "azuremonitor" => Kind::AzureMonitor,
        "cloudevents" => Kind::CloudEvents(None),
        "datadog" => Kind::Datadog,
        "eventbridge" => Kind::EventBridge,
        "generic" => Kind::Generic(None),
        "googlecloud" => Kind::GoogleCloud,
        "grafana" => Kind::Grafana,
        "newrelic" => Kind::NewRelic,
        "opsgenie" => Kind::Opsgenie,
        "pagerduty" => Kind::PagerDuty,
        "sentry" => Kind::Sentry,
        "sns" => Kind::Sns,
        "zabbix" => Kind::Zabbix,
        other => panic!("{other}"),
    }
}

/// The alerts of a line.
fn alerts(line: &Value) -> Vec<Alert> {
    let body = match (&line["base64"], &line["body"]) {
        (Value::String(text), _) => BASE64_STANDARD.decode(text).unwrap(),
        (_, Value::String(text)) => text.clone().into_bytes(),
        (_, json) => json.to_string().into_bytes(),
    };
    let named: BTreeMap<String, String> =
        serde_json::from_value(line["headers"].clone()).unwrap_or_default();
    let sent: Vec<_> = named.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    let source = a_source(kind(line["kind"].as_str().unwrap()));
    match source.preview(&headers(&sent), &body, now()).unwrap() {
        Received::Alerts(group) => group.alerts,
        _ => Vec::new(),
    }
}

/// What of a line is read otherwise than it says.
fn faults(line: &Value, alerts: &[Alert]) -> Vec<String> {
    let wanted = line["read"].as_array().unwrap();
    let Some(alert) = alerts.first() else { return vec!["no alert".to_owned()] };
    let has = |text: &str| {
        let service = alert.service.iter().chain(&alert.namespace);
        alert.labels.values().chain(service).any(|value| value == text)
    };
    let start = alert.starts_at.map(|at| at.to_string());
    let [content, status, title, severity, object, begin, count] = wanted.as_slice() else {
        panic!("{line}");
    };
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let mut faults = Vec::new();
    for (what, wanted, found) in [
        ("content", text(content), alert.content.as_str().to_owned()),
        ("status", text(status), alert.status.as_str().to_owned()),
        ("title", text(title), alert.title.clone()),
        ("severity", text(severity), alert.severity.clone().unwrap_or_default()),
        ("alerts", count.to_string(), alerts.len().to_string()),
    ] {
        if !wanted.is_empty() && wanted != found {
            faults.push(format!("{what} is {found:?} and not {wanted:?}"));
        }
    }
    if !text(object).is_empty() && !has(&text(object)) {
        faults.push(format!("no label is {object}: {:?}", alert.labels));
    }
    let begin = text(begin);
    if !begin.is_empty() && alert.starts_at != time(&begin) {
        faults.push(format!("start is {start:?} and not {begin:?}"));
    }
    faults
}

/// Reads all lines of a file, and says which are read otherwise than they say.
fn check(file: &str) {
    let path = format!("{}/tests/payloads/{file}.jsonl", env!("CARGO_MANIFEST_DIR"));
    let lines: Vec<Value> = std::fs::read_to_string(path)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let mut fingerprints: BTreeMap<String, String> = BTreeMap::new();
    let mut wrong = Vec::new();
    for line in &lines {
        let name = line["name"].as_str().unwrap();
        let alerts = alerts(line);
        let mut faults = faults(line, &alerts);
        let fingerprint = alerts.first().map(|one| one.fingerprint.clone()).unwrap_or_default();
        if let Some(first) = name.strip_suffix(", over").and_then(|rest| fingerprints.get(rest))
            && *first != fingerprint
        {
            faults.push(format!("fingerprint is {fingerprint} and not {first}"));
        }
        fingerprints.insert(name.to_owned(), fingerprint);
        if !faults.is_empty() {
            wrong.push(format!("{name}: {}", faults.join("; ")));
        }
    }
    println!("{file}: {} of {} are read right", lines.len() - wrong.len(), lines.len());
    assert!(wrong.is_empty(), "{} of {}\n{}", wrong.len(), lines.len(), wrong.join("\n"));
}

#[test]
fn payloads_of_others_are_read() {
    check("foreign");
}

/// Written after the readers were mended by the others, and read once before they were mended again.
#[test]
fn payloads_that_were_held_out_are_read() {
    check("foreign-held-out");
}

/// The same again.
#[test]
fn payloads_that_were_held_out_again_are_read() {
    check("foreign-held-out-again");
}

/// Of senders that none of the others has, written after all of them.
#[test]
fn payloads_that_nobody_had_seen_are_read() {
    check("foreign-unseen");
}

/// Written with those, and read once after the readers were mended by them.
#[test]
fn payloads_that_nobody_had_seen_again_are_read() {
    check("foreign-unseen-again");
}

/// Written after both, and read once as the readers stood then.
#[test]
fn payloads_that_nobody_had_seen_at_last_are_read() {
    check("foreign-unseen-last");
}
