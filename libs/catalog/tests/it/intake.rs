//! Sources and rules, as the library of intake gets them.

use std::time::Duration;

use jiff::civil::{Time, Weekday};
use tarsy_catalog::Env;
use tarsy_intake::{Flapping, Kind, Policy, Received, Secrets, route};

use crate::support::load;

const TARSY: &str = "intake:
  sources:
    prometheus: {kind: alertmanager, verification: bearer, secret_env: TOKEN, alert_type: host}
    grafana: {kind: grafana, verification: hmac, secret_env: TOKEN, timestamp_header: X-Time}
    pages: {kind: pagerduty, verification: hmac, secret_env: TOKEN}
    cloudwatch: {kind: sns, verification: sns, topics: ['arn:aws:sns:eu-west-1:1:a']}
    other: {kind: generic, verification: bearer, secret_env: TOKEN}
    cron:
      kind: generic
      verification: basic
      user: cron
      secret_env: TOKEN
      mapping: {title: $.job, labels: {host: $.host}, status_words: {resolved: [done]}, status: $.result}
  rules:
    - name: node
      match: [{label: job, equals: node}, {field: source, equals: prometheus}]
      alert_type: kubernetes
      severity: page
      runbook: file:///node.md
    - {name: rest, match: [{label: absent, present: false}]}
";

#[test]
fn sources_receive_requests_and_rules_route_their_alerts() {
    let catalog = load(TARSY, "", &Env::empty()).unwrap();
    let source = catalog.intake.source("cron").unwrap();
    let mut headers = http::HeaderMap::new();
    // printf cron:s3cret | base64
    headers.insert("authorization", http::HeaderValue::from_static("Basic Y3JvbjpzM2NyZXQ="));
    let body = br#"{"job": "backup of shop", "host": "db-1", "result": "done"}"#;
    let secrets = Secrets::of([b"s3cret".as_slice()]);
    let received = source.receive(&headers, body, &secrets, jiff::Timestamp::UNIX_EPOCH).unwrap();
    let Received::Alerts(group) = received else { panic!("alerts") };
    let mut alert = group.alerts[0].clone();
    assert_eq!((alert.title.as_str(), alert.labels["host"].as_str()), ("backup of shop", "db-1"));
    let rules = catalog.intake.compiled_rules();
    assert_eq!(route(&rules, None, &alert).rule.as_deref(), Some("rest"));
    alert.source = "prometheus".to_owned();
    alert.labels.insert("job".to_owned(), "node".to_owned());
    let node = route(&rules, Some("host"), &alert);
    assert_eq!(node.alert_type.as_deref(), Some("kubernetes"));
    assert_eq!(node.runbook.as_deref(), Some("file:///node.md"));
}

#[test]
fn only_configured_sources_exist() {
    let catalog = load(TARSY, "", &Env::empty()).unwrap();
    assert_eq!(catalog.intake.sources["prometheus"].alert_type.as_deref(), Some("host"));
    for (name, kind) in [
        ("grafana", "grafana"),
        ("pages", "pagerduty"),
        ("cloudwatch", "sns"),
        ("other", "generic"),
    ] {
        assert_eq!(catalog.intake.source(name).unwrap().kind().as_str(), kind);
    }
    assert!(matches!(catalog.intake.source("other").unwrap().kind(), Kind::Generic(None)));
    assert!(matches!(catalog.intake.source("cron").unwrap().kind(), Kind::Generic(_)));
    assert!(catalog.intake.source("nagios").is_none());
    let builtin = load("", "", &Env::empty()).unwrap();
    assert!(builtin.intake.sources.is_empty() && builtin.intake.compiled_rules().is_empty());
}

/// The examples of `tarsy.yaml` on the pages of the sources.
fn documented() -> Vec<(String, String)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/intake");
    let mut examples = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let page = std::fs::read_to_string(&path).unwrap();
        for block in page.split("```yaml\n# tarsy.yaml\n").skip(1) {
            let text = block.split("```").next().unwrap();
            examples.push((path.display().to_string(), text.to_owned()));
        }
    }
    examples
}

#[test]
fn the_examples_of_the_pages_load() {
    let examples = documented();
    assert_eq!(
        examples.len(),
        22,
        "one on each page, and two on the overview and on that of Kubernetes"
    );
    for (page, text) in examples {
        let catalog =
            load(&text, "", &Env::empty()).unwrap_or_else(|report| panic!("{page}: {report}"));
        // The second example of the overview is about the policy alone.
        let sources = usize::from(text.contains("sources:"));
        assert_eq!(catalog.intake.sources.len(), sources, "{page}");
    }
}

#[test]
fn a_chain_sets_parts_of_the_policy_otherwise() {
    let text = "intake:
  policy:
    window: 2h
    max_per_day: 3
    group_labels: [cluster]
    quiet_hours:
      - {days: [friday], from: '22:00', until: '06:30', time_zone: Europe/Berlin, except_severities: [Critical]}
agent_chains:
  x:
    alert_types: [x]
    stages: [{name: look, agents: [{name: HostAgent}]}]
    intake: {window: 15m, reinvestigate_after: 1d, quiet_hours: [], flapping: {changes: 3}}
";
    let catalog = load(text, "", &Env::empty()).unwrap();
    let general = catalog.intake_policy("another");
    assert_eq!((general.window, general.max_per_day), (Duration::from_hours(2), 3));
    assert_eq!(general.reinvestigate_after, None);
    assert_eq!(general.flapping, Flapping::default());
    let [hours] = general.quiet_hours.as_slice() else { panic!("{general:?}") };
    assert_eq!(hours.days, [Weekday::Friday]);
    assert_eq!(hours.until, Time::constant(6, 30, 0, 0));
    assert_eq!(hours.time_zone.iana_name(), Some("Europe/Berlin"));
    assert_eq!(hours.except_severities, ["critical"]);
    let own = catalog.intake_policy("x");
    assert_eq!((own.window, own.max_per_day), (Duration::from_mins(15), 3));
    assert_eq!(own.reinvestigate_after, Some(Duration::from_hours(24)));
    assert_eq!(own.group_labels, ["cluster"]);
    assert_eq!((own.flapping.changes, own.flapping.within), (3, Duration::from_mins(30)));
    assert!(own.quiet_hours.is_empty());
    let builtin = load("", "", &Env::empty()).unwrap();
    assert_eq!(builtin.intake_policy("host"), Policy::default());
}

#[test]
fn a_signature_that_holds_for_ever_is_warned_of() {
    let warnings = |source: &str| {
        // In flow style a path stands in quotes.
        let text = format!("intake:\n  sources:\n    zabbix: {{secret_env: S, {source}}}\n");
        let warnings = crate::support::tarsy(&text).warnings;
        warnings.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    let generic = "kind: generic, mapping: {title: '$.a'}, verification";
    let signed = format!("{generic}: hmac, signature_header: X-Signature");
    for timeless in [
        signed.clone(),
        "kind: cloudevents, verification: hmac, signature_header: X-Signature".to_owned(),
    ] {
        let found = warnings(&timeless);
        let [warning] = found.as_slice() else { panic!("{timeless}: {found:?}") };
        assert!(warning.contains("intake.sources.zabbix.verification"), "{warning}");
        assert!(warning.contains("timestamp_header"), "{warning}");
    }
    for fine in [
        format!("{signed}, timestamp_header: X-Time"),
        format!("{generic}: bearer"),
        "kind: grafana, verification: hmac".to_owned(),
        "kind: pagerduty, verification: hmac".to_owned(),
    ] {
        assert!(warnings(&fine).is_empty(), "{fine}");
    }
}
