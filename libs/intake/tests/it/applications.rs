//! Sentry, New Relic and Splunk.

use serde_json::json;
use tarsy_intake::{Ignored, Kind, Received, Status};

use crate::support::{alert, changed, identity, pairs, payload, receive, time, titles, with};

#[test]
fn an_issue_alert_of_sentry_is_over_once_its_issue_is_resolved() {
    let begun = alert(Kind::Sentry, &payload("sentry"));
    assert_eq!(begun.title, "TimeoutError: the payment gateway did not answer");
    assert_eq!((begun.severity.as_deref(), begun.status), (Some("error"), Status::Firing));
    assert_eq!(begun.service.as_deref(), Some("checkout"));
    assert_eq!(begun.starts_at, time("2026-11-24T12:00:00Z"));
    assert_eq!(
        pairs(&begun.labels),
        "alert_rule=Errors of the payment environment=production platform=python project=4501 \
         release=checkout@2.3.1 server_name=web-3 service=checkout"
    );
    assert_eq!(titles(&begun), ["Event"]);
    for (action, status) in [
        ("resolved", Status::Resolved),
        ("archived", Status::Resolved),
        ("ignored", Status::Resolved),
        ("assigned", Status::Acknowledged),
        ("unresolved", Status::Firing),
    ] {
        let over = identity(&Kind::Sentry, &changed("sentry-issue", "/action", action));
        assert_eq!(over, (begun.fingerprint.clone(), status), "{action}");
    }
    let other = changed("sentry", "/data/event/issue_id", "2");
    assert_ne!(identity(&Kind::Sentry, &other).0, begun.fingerprint);
}

#[test]
fn a_metric_alert_of_sentry_has_its_rule_and_its_end() {
    let begun = alert(Kind::Sentry, &payload("sentry-metric"));
    assert_eq!(
        (begun.title.as_str(), begun.severity.as_deref()),
        ("Too many errors", Some("critical"))
    );
    assert_eq!(begun.labels["project"], "checkout");
    let over = with(
        "sentry-metric",
        &[
            ("/action", json!("resolved")),
            ("/data/metric_alert/date_closed", json!("2026-11-24T12:30:00.000000Z")),
        ],
    );
    let over = alert(Kind::Sentry, &over);
    assert_eq!((over.status, over.severity), (Status::Resolved, None));
    assert_eq!(
        (over.fingerprint, over.ends_at),
        (begun.fingerprint.clone(), time("2026-11-24T12:30:00Z"))
    );
    let other = changed("sentry-metric", "/data/metric_alert/alert_rule/id", "8");
    assert_ne!(identity(&Kind::Sentry, &other).0, begun.fingerprint);
}

#[test]
fn what_changes_no_problem_in_sentry_is_ignored() {
    for body in [
        json!({"action": "created", "data": {"installation": {"uuid": "x"}}}),
        json!({"action": "created", "data": {"comment": "x", "issue_id": 1}}),
    ] {
        let expected = Ok(Received::Ignored(Ignored::Event("created".to_owned())));
        assert_eq!(receive(Kind::Sentry, &body.to_string()), expected);
    }
}

#[test]
fn an_issue_of_new_relic_becomes_an_alert() {
    let alert = alert(Kind::NewRelic, &payload("newrelic"));
    assert!(alert.title.starts_with("checkout query result"), "{}", alert.title);
    assert_eq!((alert.severity.as_deref(), alert.status), (Some("critical"), Status::Firing));
    assert_eq!(alert.starts_at, time("2026-11-24T12:00:00.352Z"));
    assert_eq!(
        pairs(&alert.labels),
        "condition=Errors of the checkout entity=checkout incidents=1 policy=Golden Signals workflow=tarsy"
    );
    assert_eq!(titles(&alert), ["Issue"]);
}

#[test]
fn the_state_of_an_issue_of_new_relic_is_the_status() {
    let (first, _) = identity(&Kind::NewRelic, &payload("newrelic"));
    for (state, status) in [
        ("CREATED", Status::Firing),
        ("ACKNOWLEDGED", Status::Acknowledged),
        ("CLOSED", Status::Resolved),
        ("DEACTIVATED", Status::Resolved),
    ] {
        let body = with(
            "newrelic",
            &[
                ("/state", json!(state)),
                ("/title", json!("another text")),
                ("/impactedEntities", json!(["a", "b"])),
            ],
        );
        assert_eq!(identity(&Kind::NewRelic, &body), (first.clone(), status), "{state}");
    }
    let next = alert(Kind::NewRelic, &changed("newrelic", "/id", "other"));
    assert_ne!(next.fingerprint, first);
    assert_eq!(next.group_key, alert(Kind::NewRelic, &payload("newrelic")).group_key);
}

#[test]
fn a_search_of_splunk_is_distinguished_by_the_words_of_its_result() {
    let first = alert(Kind::Splunk, &payload("splunk"));
    assert_eq!(first.title, "Errors of the payment: web-3");
    assert_eq!(first.severity.as_deref(), Some("high"));
    assert_eq!(first.starts_at, time("2026-11-24T12:00:00Z"));
    assert_eq!(first.annotations["message"], "ERROR payment timed out");
    assert_eq!(first.labels["count"], "8");
    let more = with(
        "splunk",
        &[
            ("/result/count", json!("9")),
            ("/result/_time", json!("1795521660")),
            ("/sid", json!("x")),
        ],
    );
    assert_eq!(identity(&Kind::Splunk, &more).0, first.fingerprint);
    for (pointer, value) in [("/result/host", "web-4"), ("/search_name", "Errors of the cart")] {
        let other = identity(&Kind::Splunk, &changed("splunk", pointer, value)).0;
        assert_ne!(other, first.fingerprint, "{pointer}");
    }
    let adhoc = |raw: &str| {
        let changes = [("/search_name", json!(null)), ("/result/_raw", json!(raw))];
        identity(&Kind::Splunk, &with("splunk", &changes)).0
    };
    assert_ne!(adhoc("one"), adhoc("two"));
}
