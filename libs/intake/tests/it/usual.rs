//! Payloads of other forms: of other versions of known tools, and of tools without a kind.

use serde_json::{Value, json};
use tarsy_intake::{Alert, Content, Kind, Status, stated_in, title_of};

use crate::support::{alert, group, headers, not_understood, now, time};

const GENERIC: Kind = Kind::Generic(None);

fn of(kind: Kind, body: &Value) -> Alert {
    alert(kind, &body.to_string())
}

/// A payload and what is read of it: title, severity, object or service, start.
struct Case {
    kind: Kind,
    fires: Value,
    /// What differs once it is over.
    over: Vec<(&'static str, Value)>,
    read: [&'static str; 4],
}

fn case(kind: Kind, read: [&'static str; 4], fires: Value, over: &[(&'static str, Value)]) -> Case {
    Case { kind, fires, over: over.to_vec(), read }
}

fn check(Case { kind, fires, over, read }: Case) {
    let begun = of(kind.clone(), &fires);
    assert_eq!((begun.status, begun.content), (Status::Firing, Content::Problem), "{fires}");
    let [title, severity, object, start] = read;
    assert_eq!(begun.title, title, "{fires}");
    assert_eq!(begun.severity.as_deref().unwrap_or_default(), severity, "{fires}");
    let has = |text: &String| text == object;
    let named = begun.labels.values().any(has) || begun.service.as_ref().is_some_and(has);
    assert!(object.is_empty() || named, "{:?} of {fires}", begun.labels);
    assert_eq!(begun.starts_at, Some(start).filter(|text| !text.is_empty()).and_then(time));
    let mut ended = fires;
    for (pointer, value) in over {
        *ended.pointer_mut(pointer).unwrap() = value;
    }
    let ended = of(kind, &ended);
    assert_eq!((ended.status, ended.fingerprint), (Status::Resolved, begun.fingerprint));
}

#[test]
fn other_versions_of_known_tools_are_read() {
    let trigger = json!({"messages": [{"type": "incident.trigger", "created_on": "2026-11-24T12:00:05Z", "data": {"incident": {
        "id": "P1", "created_on": "2026-11-24T12:00:00Z", "status": "triggered", "incident_key": "disk/web-3",
        "html_url": "https://pages.example/P1", "service": {"name": "checkout"},
        "trigger_summary_data": {"subject": "Disk full on web-3"}}}}]});
    let event = json!({"routing_key": "k", "dedup_key": "disk/web-3", "event_action": "trigger", "payload": {
        "summary": "Disk full on web-3", "timestamp": "2026-11-24T12:00:00Z", "source": "web-3", "severity": "error"}});
    let rule = json!({"title": "[Alerting] Disk full", "ruleId": 7, "ruleName": "Disk full", "state": "alerting",
        "ruleUrl": "https://graphs.example/d/7", "message": "look", "tags": {"severity": "page"},
        "evalMatches": [{"metric": "used", "value": 97, "tags": {"instance": "web-3"}}]});
    let metric = json!({"schemaId": "MetricAlert", "data": {"status": "Activated", "context": {
        "timestamp": "2026-11-24T12:00:00Z", "name": "disk-full", "severity": "2", "description": "97 % used",
        "id": "/subscriptions/s/metricAlerts/disk-full", "resourceName": "web-3"}}});
    let result = json!({"host": {"name": "web-3"}, "service": {"name": "disk /"}, "check_result": {
        "exit_status": 2, "state": "CRITICAL", "output": "DISK CRITICAL", "execution_start": 1_795_521_600}});
    let script = json!({"title": "Disk full", "state": "PROBLEM", "host": "web-3", "severity": "High", "triggerid": "13"});
    for case in [
        case(
            Kind::PagerDuty,
            ["Disk full on web-3", "", "checkout", "2026-11-24T12:00:00Z"],
            trigger,
            &[
                ("/messages/0/type", json!("incident.resolve")),
                ("/messages/0/data/incident/status", json!("resolved")),
            ],
        ),
        case(
            Kind::PagerDuty,
            ["Disk full on web-3", "error", "web-3", "2026-11-24T12:00:00Z"],
            event,
            &[("/event_action", json!("resolve")), ("/payload", json!(null))],
        ),
        case(
            Kind::Grafana,
            ["Disk full", "page", "web-3", ""],
            rule,
            &[
                ("/state", json!("ok")),
                ("/title", json!("[OK] Disk full")),
                ("/evalMatches", json!([])),
            ],
        ),
        case(
            Kind::AzureMonitor,
            ["disk-full: 97 % used", "2", "web-3", "2026-11-24T12:00:00Z"],
            metric,
            &[("/data/status", json!("Deactivated"))],
        ),
        case(
            Kind::Icinga,
            ["DISK CRITICAL", "critical", "web-3", "2026-11-24T12:00:00Z"],
            result,
            &[("/check_result/state", json!("OK")), ("/check_result/output", json!("DISK OK"))],
        ),
        case(Kind::Zabbix, ["Disk full", "high", "web-3", ""], script, &[("/state", json!("OK"))]),
    ] {
        check(case);
    }
}

#[test]
fn tools_without_a_kind_are_read() {
    let nested = json!({"data": {"id": "7", "type": "incident", "attributes": {"name": "shop is down", "cause": "timed out",
        "status": "Started", "started_at": "2026-11-24T12:00:00Z", "resolved_at": null}}});
    let capitals = json!({"MONITOR_ID": "7", "MONITORNAME": "Shop", "STATUS": "DOWN", "INCIDENT_REASON": "HTTP 503",
        "INCIDENT_TIME_ISO": "2026-11-24T12:00:00+0000"});
    let pairs = json!({"alert_id": "7", "name": "Errors", "alert_action": "trigger", "service": "$SERVICE", "fields": [
        {"key": "severity", "value": "Error"}, {"key": "computer", "value": "web-3"}]});
    let checked = json!({"timestamp": 1_795_521_600, "entity": {"metadata": {"name": "web-3"}}, "check": {
        "status": 2, "state": "failing", "output": "HTTP CRITICAL: refused", "metadata": {"name": "http"}}});
    let at = "2026-11-24T12:00:00Z";
    check(case(
        GENERIC,
        ["shop is down: timed out", "", "", at],
        nested,
        &[("/data/attributes/status", json!("Resolved"))],
    ));
    check(case(
        GENERIC,
        ["Shop: HTTP 503", "", "", at],
        capitals,
        &[("/STATUS", json!("UP")), ("/INCIDENT_REASON", json!(""))],
    ));
    let over = [("/alert_action", json!("resolve"))];
    check(case(GENERIC, ["Errors", "error", "web-3", ""], pairs, &over));
    check(case(
        GENERIC,
        ["http: HTTP CRITICAL: refused", "", "web-3", at],
        checked,
        &[
            ("/check/status", json!(0)),
            ("/check/state", json!("passing")),
            ("/check/output", json!("HTTP OK")),
        ],
    ));
}

#[test]
fn a_state_is_read_wherever_it_stands() {
    let at = "2026-11-24T12:00:00Z";
    let base = |members: Value| {
        let mut body = json!({"name": "Disk", "hostname": "web-3", "text": "97 % used", "triggerTime": 1_795_521_600});
        body.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
        body
    };
    for (member, fires, over, severity) in [
        ("event", json!("alert.fired"), json!("alert.resolved"), ""),
        ("alert_event", json!("STATE_EVENT_START"), json!("STATE_EVENT_END"), ""),
        ("alert_type", json!("ALERT_FAILURE"), json!("ALERT_RECOVERY"), ""),
        ("trigger_type", json!("Critical"), json!("ResolvedCritical"), "critical"),
        ("message_type", json!("WARNING"), json!("RECOVERY"), "warning"),
        ("level", json!("CRITICAL"), json!("OK"), "critical"),
        ("severity", json!("major"), json!("clear"), "major"),
        ("resolved", json!(false), json!(true), ""),
        ("is_active", json!(true), json!(false), ""),
        ("state", json!("no_data"), json!("ok"), ""),
        ("Status", json!("UNRESOLVED"), json!("Canceled"), ""),
    ] {
        let path: &'static str = Box::leak(format!("/{member}").into_boxed_str());
        let body = base(json!({member: fires, "previous_state": "OK"}));
        check(case(GENERIC, ["Disk: 97 % used", severity, "web-3", at], body, &[(path, over)]));
    }
}

#[test]
fn a_form_without_json_is_an_alert() {
    let form = headers(&[("content-type", "application/x-www-form-urlencoded")]);
    let source = crate::support::a_source(GENERIC);
    let preview = |text: &str| match source.preview(&form, text.as_bytes(), now()).unwrap() {
        tarsy_intake::Received::Alerts(mut group) => group.alerts.swap_remove(0),
        other => panic!("{other:?}"),
    };
    let text = "Name=Shop&Status=Down&StatusCode=503&Tags=web%2Cprod";
    let [down, up] = [preview(text), preview(&text.replace("Down", "Up").replace("503", "200"))];
    assert_eq!((down.title.as_str(), down.status), ("Shop", Status::Firing));
    assert_eq!((up.fingerprint, up.status), (down.fingerprint, Status::Resolved));
}

#[test]
fn what_is_pushed_to_alertmanager_is_over_once_its_end_is_past() {
    let push = |end: &str| {
        json!([{"labels": {"alertname": "DiskFull", "instance": "web-3"}, "annotations": {"summary": "The disk is full"},
            "startsAt": "2026-11-24T11:00:00Z", "endsAt": end, "generatorURL": "https://metrics.example/graph"}])
    };
    let fires = of(Kind::Alertmanager, &push("2026-11-24T12:04:00Z"));
    assert_eq!((fires.title.as_str(), fires.status), ("The disk is full", Status::Firing));
    let over = of(Kind::Alertmanager, &push("2026-11-24T11:50:00Z"));
    assert_eq!((over.status, &over.fingerprint), (Status::Resolved, &fires.fingerprint));
    let alone = of(Kind::Alertmanager, &push("2026-11-24T12:04:00Z")[0]);
    assert_eq!(alone.fingerprint, fires.fingerprint);
    let mut listed = push("2026-11-24T12:04:00Z");
    listed[0]["status"] = json!({"state": "active", "silencedBy": []});
    assert_eq!(of(Kind::Alertmanager, &listed).status, Status::Firing);
}

#[test]
fn a_template_of_datadog_may_name_its_variables_otherwise() {
    let plain = json!({"id": "1", "title": "[Triggered] Disk full", "body": "look", "date": "1795521600000",
        "org": {"id": "7"}});
    let over = json!({"id": "2", "title": "[Recovered] Disk full", "body": "over", "date": "1795521700000"});
    let [fires, ends] = [of(Kind::Datadog, &plain), of(Kind::Datadog, &over)];
    assert_eq!(
        (fires.title.as_str(), fires.starts_at),
        ("Disk full", time("2026-11-24T12:00:00Z"))
    );
    assert_eq!((ends.status, ends.fingerprint), (Status::Resolved, fires.fingerprint));
    let other = json!({"title": "[Triggered on {service:cart}] Slow", "alert_transition": "Triggered", "alert_scope": "service:cart",
        "event_message": "p99", "url": "https://monitors.example/1", "hostname": "$HOSTNAME"});
    let other = of(Kind::Datadog, &other);
    assert_eq!((other.title.as_str(), other.service.as_deref()), ("Slow", Some("cart")));
    assert_eq!((other.annotations["description"].as_str(), other.links.len()), ("p99", 1));
}

#[test]
fn older_payloads_of_clouds_have_their_object_and_their_end() {
    let sns = |state: &str, reason: &str| {
        let alarm = json!({"AlarmName": "Full", "AWSAccountId": "1", "Region": "EU (Ireland)", "NewStateValue": state,
            "NewStateReason": reason, "StateChangeTime": "2026-11-24T12:00:00.000+0000", "Trigger": {}});
        of(
            Kind::Sns,
            &json!({"Type": "Notification", "MessageId": reason, "TopicArn": "arn:aws:sns:eu-west-1:1:a",
            "Message": alarm.to_string()}),
        )
    };
    let [fires, ends] = [sns("ALARM", "a"), sns("OK", "b")];
    assert_eq!((ends.status, ends.fingerprint), (Status::Resolved, fires.fingerprint));
    let incident = of(
        Kind::GoogleCloud,
        &json!({"incident": {"incident_id": "i", "state": "open", "summary": "CPU",
        "resource_name": "web-3"}, "version": "1.1"}),
    );
    assert_eq!(incident.labels["resource"], "web-3");
    let classic = of(
        Kind::NewRelic,
        &json!({"incident_id": 42, "current_state": "open", "condition_name": "Apdex",
        "timestamp": 1_795_521_600_000_u64, "targets": [{"name": "cart", "labels": {"team": "pay"}}]}),
    );
    assert_eq!(classic.starts_at, time("2026-11-24T12:00:00Z"));
    assert_eq!(
        (classic.labels["entity"].as_str(), classic.labels["team"].as_str()),
        ("cart", "pay")
    );
}

#[test]
fn what_has_not_the_names_of_an_alert_is_not_understood() {
    for body in [json!({"status": "firing"}), json!({"title": "x"}), json!({"events": [{"a": 1}]})]
    {
        not_understood(Kind::PagerDuty, &body.to_string());
    }
    let noted = of(Kind::Zabbix, &json!({"title": "Disk full", "state": "PROBLEM"}));
    assert!(noted.notes[0].starts_with("not of the form of zabbix"), "{:?}", noted.notes);
    let many =
        json!({"alerts": [{"title": "a", "state": "firing"}, {"title": "b", "state": "ok"}]});
    assert_eq!(group(GENERIC, &many.to_string()).alerts.len(), 2);
}

#[test]
fn a_test_of_another_form_begins_no_session() {
    for body in [
        json!({"title": "[Alerting] Test notification", "state": "alerting", "ruleId": 0}),
        json!({"event": "test", "message": "It works", "status": "up"}),
    ] {
        assert_eq!(of(GENERIC, &body).content, Content::Test, "{body}");
    }
    let named = json!({"title": "Test environment is down", "state": "alerting"});
    assert_eq!(of(GENERIC, &named).content, Content::Problem);
}

#[test]
fn the_texts_of_people_are_read_by_usual_names_as_well() {
    let text =
        json!({"ProblemTitle": "Slow answers", "ProblemSeverity": "PERFORMANCE", "incident": {
        "service": {"name": "checkout"}}, "output_fields": {"k8s.ns.name": "mall"}})
        .to_string();
    assert_eq!(title_of(&text).as_deref(), Some("Slow answers"));
    let stated = stated_in(&std::collections::BTreeMap::new(), &text);
    assert_eq!(stated.severity.as_deref(), Some("performance"));
    assert_eq!(
        (stated.service.as_deref(), stated.namespace.as_deref()),
        (Some("checkout"), Some("mall"))
    );
}
