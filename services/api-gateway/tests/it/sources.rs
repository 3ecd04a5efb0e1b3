//! Recorded payloads of every kind of source, through HTTP: valid, sent again, with a wrong proof of their sender, too old,
//! malformed, too large.

use reqwest::{Method, RequestBuilder};
use tarsy_domain::clock::{Clock as _, SystemClock};
use tarsy_testkit::{TestStack, eventually, hmac_hex, workspace};
use tempfile::TempDir;

use crate::stack::{Stack, send};

const SECRET: &str = "a-secret-of-every-source";
const CONFIG: &str = "intake:
  sources:
    alertmanager: {kind: alertmanager, verification: bearer, secret_env: SOURCE_SECRET}
    grafana: {kind: grafana, verification: hmac, secret_env: SOURCE_SECRET, timestamp_header: X-Time}
    pagerduty: {kind: pagerduty, verification: hmac, secret_env: SOURCE_SECRET}
    datadog: {kind: datadog, verification: bearer, secret_env: SOURCE_SECRET}
    opsgenie: {kind: opsgenie, verification: basic, user: opsgenie, secret_env: SOURCE_SECRET}
    eventbridge: {kind: eventbridge, verification: basic, user: opsgenie, secret_env: SOURCE_SECRET}
    azuremonitor: {kind: azuremonitor, verification: query, secret_env: SOURCE_SECRET}
    googlecloud: {kind: googlecloud, verification: query, parameter: auth_token, secret_env: SOURCE_SECRET}
    sentry: {kind: sentry, verification: hmac, secret_env: SOURCE_SECRET}
    zabbix: {kind: zabbix, verification: bearer, secret_env: SOURCE_SECRET}
    newrelic: {kind: newrelic, verification: bearer, secret_env: SOURCE_SECRET}
    uptimekuma: {kind: uptimekuma, verification: bearer, secret_env: SOURCE_SECRET}
    splunk: {kind: splunk, verification: query, secret_env: SOURCE_SECRET}
    checkmk: {kind: checkmk, verification: bearer, secret_env: SOURCE_SECRET}
    icinga: {kind: icinga, verification: bearer, secret_env: SOURCE_SECRET}
    cloudevent:
      {kind: cloudevents, verification: hmac, signature_header: X-Signature, secret_env: SOURCE_SECRET}
    cloudwatch: {kind: sns, verification: sns, topics: ['arn:aws:sns:eu-west-1:123456789012:alarms']}
    generic:
      kind: generic
      verification: hmac
      secret_env: SOURCE_SECRET
      signature_header: X-Signature
      timestamp_header: X-Time
      mapping: {alerts: '$.events[*]', title: \"$['summary','title']\", id: $.uuid, status: $.state, status_words: {resolved: [done]}}
";

/// Payloads by their source, with the number of their alerts.
const PAYLOADS: [(&str, usize); 17] = [
    ("alertmanager", 2),
    ("grafana", 1),
    ("pagerduty", 1),
    ("datadog", 1),
    ("opsgenie", 1),
    ("eventbridge", 1),
    ("azuremonitor", 1),
    ("googlecloud", 1),
    ("sentry", 1),
    ("zabbix", 1),
    ("newrelic", 1),
    ("uptimekuma", 1),
    ("splunk", 1),
    ("checkmk", 1),
    ("icinga", 1),
    ("cloudevent", 1),
    ("generic", 2),
];
/// The sources whose signature has the time.
const TIMED: [&str; 2] = ["grafana", "generic"];

async fn gateway() -> (Stack, TempDir) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("tarsy.yaml"), CONFIG).unwrap();
    let path = folder.path().display().to_string();
    let settings = [("TARSY_CONFIG_DIR", path.as_str()), ("SOURCE_SECRET", SECRET)];
    (Stack::with_settings(TestStack::start().await.unwrap(), &settings).await, folder)
}

fn payload(name: &str) -> String {
    let file = workspace().join(format!("libs/intake/tests/payloads/{name}.json"));
    std::fs::read_to_string(file).unwrap()
}

fn seconds(ago: i64) -> i64 {
    SystemClock.now().as_second() - ago
}

/// A request as the source sends it with this secret, so many seconds ago.
fn request(
    stack: &Stack,
    source: &str,
    body: String,
    (secret, ago): (&str, i64),
) -> RequestBuilder {
    let request = stack.request(Method::POST, &format!("/api/v1/intake/{source}"));
    let time = seconds(ago);
    let timed = hmac_hex(secret, &format!("{time}:{body}"));
    let request = match source {
        "grafana" => request.header("X-Grafana-Alerting-Signature", timed).header("X-Time", time),
        "generic" => request.header("X-Signature", timed).header("X-Time", time),
        "pagerduty" => {
            request.header("X-PagerDuty-Signature", format!("v1={}", hmac_hex(secret, &body)))
        }
        "cloudevent" => request
            .header("X-Signature", hmac_hex(secret, &body))
            .header("content-type", "application/cloudevents+json"),
        "opsgenie" | "eventbridge" => request.basic_auth("opsgenie", Some(secret)),
        "azuremonitor" | "splunk" => request.query(&[("token", secret)]),
        "googlecloud" => request.query(&[("auth_token", secret)]),
        "sentry" => request.header("Sentry-Hook-Signature", hmac_hex(secret, &body)),
        _ => request.bearer_auth(secret),
    };
    request.body(body)
}

#[tokio::test]
async fn the_recorded_payload_of_every_source_is_kept_and_sent_again_it_changes_nothing() {
    let (stack, _folder) = gateway().await;
    let mut kept = 0;
    for (source, alerts) in PAYLOADS {
        kept += i64::try_from(alerts).unwrap();
        let mut sessions = Vec::new();
        for attempt in 0..3 {
            let answer = send(request(&stack, source, payload(source), (SECRET, 0))).await;
            assert_eq!(answer.status, 202, "{source}, attempt {attempt}: {answer:?}");
            let decided = answer.body["alerts"].as_array().unwrap();
            assert_eq!(decided.len(), alerts, "{source}: {answer:?}");
            sessions.push(decided.iter().map(|one| one["session_id"].clone()).collect::<Vec<_>>());
            let stored = stack.count("select count(*) from intake_alerts").await.unwrap();
            assert_eq!(stored, kept, "{source}, attempt {attempt}");
        }
        assert!(sessions.iter().all(|one| *one == sessions[0]), "{source}: {sessions:?}");
    }
}

#[tokio::test]
async fn a_payload_of_another_sender_is_refused_whatever_its_source() {
    let (stack, _folder) = gateway().await;
    for (source, _) in PAYLOADS {
        let unsigned = stack.request(Method::POST, &format!("/api/v1/intake/{source}"));
        let signs_its_body =
            matches!(source, "grafana" | "pagerduty" | "sentry" | "cloudevent" | "generic");
        let other = request(&stack, source, payload(source), ("another secret", 0));
        let mut answers = vec![send(unsigned.body(payload(source))).await, send(other).await];
        if signs_its_body {
            let body = format!("{} ", payload(source));
            let signed = request(&stack, source, payload(source), (SECRET, 0));
            answers.push(send(signed.body(body)).await);
        }
        for answer in answers {
            assert_eq!(answer.status, 401, "{source}: {answer:?}");
            assert!(!answer.body.to_string().contains(SECRET), "{answer:?}");
        }
    }
    assert_eq!(stack.count("select count(*) from intake_alerts").await.unwrap(), 0);
}

#[tokio::test]
async fn a_recorded_request_is_refused_after_its_time_where_the_source_signs_it() {
    let (stack, _folder) = gateway().await;
    for source in TIMED {
        for ago in [3_600, -3_600] {
            let answer = send(request(&stack, source, payload(source), (SECRET, ago))).await;
            assert_eq!(answer.status, 401, "{source}: {answer:?}");
            let untimed = request(&stack, source, payload(source), (SECRET, 0));
            let mut untimed = untimed.build().unwrap();
            untimed.headers_mut().remove("x-time");
            let status = stack.client.execute(untimed).await.unwrap().status();
            assert_eq!(status, 401, "{source}");
        }
    }
    assert_eq!(stack.count("select count(*) from intake_alerts").await.unwrap(), 0);
}

#[tokio::test]
async fn what_is_not_understood_is_kept_with_its_text_and_reason_whatever_its_source() {
    let (stack, _folder) = gateway().await;
    for (source, _) in PAYLOADS {
        let cut = payload(source).chars().take(40).collect::<String>();
        for _ in 0..2 {
            let answer = send(request(&stack, source, cut.clone(), (SECRET, 0))).await;
            assert_eq!(answer.status, 202, "{source}: {answer:?}");
            let alert = &answer.body["alerts"][0];
            assert_eq!(
                (&alert["action"], &alert["reason"]),
                (&"ignore".into(), &"not_understood".into())
            );
        }
        let listed =
            send(stack.request(Method::GET, &format!("/api/v1/intake/alerts?source={source}")))
                .await;
        let alert = &listed.body["alerts"][0];
        assert_eq!((&alert["content"], &alert["repeats"]), (&"not_understood".into(), &1.into()));
        assert!(alert["notes"][0].as_str().unwrap().contains("line"), "{alert}");
    }
    let kept = "select count(*) from intake_alerts where raw #>> '{}' <> '' and session_id is null";
    assert_eq!(stack.count(kept).await.unwrap(), i64::try_from(PAYLOADS.len()).unwrap());
    assert_eq!(stack.count("select count(*) from alert_sessions").await.unwrap(), 0);
}

#[tokio::test]
async fn every_alert_of_a_large_group_is_kept_and_those_of_another_form_are_noted() {
    let (stack, _folder) = gateway().await;
    let alert = |n: usize| {
        let length = if n.is_multiple_of(12) { 2_400 } else { 10 };
        serde_json::json!({
            "status": "firing",
            "labels": {"alertname": "PodDown", "pod": n.to_string(), "msg": "x".repeat(length)},
            "annotations": {"description": "y".repeat(2_000)},
            "startsAt": if n == 1 { "some time" } else { "2026-11-26T10:00:00Z" },
            "fingerprint": format!("{n:016x}"),
        })
    };
    let alerts: Vec<_> = (0..600).map(alert).collect();
    let body = serde_json::json!({"version": "4", "groupKey": "g", "alerts": alerts}).to_string();
    assert!(body.len() > 1 << 20);
    let answer =
        send(request(&stack, "alertmanager", format!("\u{feff}{body}"), (SECRET, 0))).await;
    assert_eq!(answer.status, 202, "{answer:?}");
    assert_eq!(answer.body["alerts"].as_array().unwrap().len(), 600);
    assert_eq!(stack.count("select count(*) from intake_alerts").await.unwrap(), 600);
    assert_eq!(stack.count("select count(*) from alert_sessions").await.unwrap(), 1);
    let cut = "select count(*) from intake_alerts where notes::text like '%is cut%'";
    assert_eq!(stack.count(cut).await.unwrap(), 50);
    let noted = "select count(*) from intake_alerts where notes::text like '%byte order mark%'";
    assert_eq!(stack.count(noted).await.unwrap(), 600);
}

#[tokio::test]
async fn refused_requests_are_counted_by_source_sender_and_reason() {
    let (stack, _folder) = gateway().await;
    for _ in 0..3 {
        let other = request(&stack, "datadog", payload("datadog"), ("another secret", 0));
        assert_eq!(send(other).await.status, 401);
    }
    let unknown = stack.request(Method::POST, "/api/v1/intake/absent").body("{}");
    assert_eq!(send(unknown).await.status, 401);
    let sns = request(&stack, "cloudwatch", " ".repeat((1 << 20) + 1), (SECRET, 0));
    // The sender is not verified yet.
    assert_eq!(send(sns).await.status, 401);
    let refused = async || {
        let answer = send(stack.request(Method::GET, "/api/v1/intake/refused")).await;
        answer.body["refused"].as_array().unwrap().clone()
    };
    eventually("five refused requests are counted", async || {
        let rows = refused().await;
        rows.iter().map(|row| row["requests"].as_i64().unwrap()).sum::<i64>() == 5
    })
    .await;
    let rows = refused().await;
    for (source, reason) in
        [("datadog", "unverified"), ("absent", "unknown_source"), ("cloudwatch", "too_large")]
    {
        let row = rows.iter().find(|row| row["source"] == source).unwrap();
        assert_eq!((&row["reason"], &row["sender"]), (&reason.into(), &"127.0.0.1".into()));
    }
}

#[tokio::test]
async fn nobody_learns_which_sources_there_are() {
    let (stack, _folder) = gateway().await;
    let ask = async |source: &str, secret: &str, body: &str| {
        let request = request(&stack, source, body.to_owned(), (secret, 0));
        let answer = request.send().await.unwrap();
        let (status, mut headers) = (answer.status(), answer.headers().clone());
        for changing in ["x-request-id", "date"] {
            headers.remove(changing);
        }
        let mut body: serde_json::Value = answer.json().await.unwrap();
        for changing in ["instance", "trace_id", "request_id"] {
            body.as_object_mut().unwrap().remove(changing);
        }
        (status, headers, body)
    };
    let known = PAYLOADS.iter().map(|(source, _)| *source).chain(["cloudwatch"]);
    for source in known {
        // Answers name the path that was asked for.
        let unknown = ask(&"x".repeat(source.len()), "another secret", "{}").await;
        assert_eq!(unknown.0, 401);
        for body in ["{}", "", "[", &payload("generic")] {
            assert_eq!(ask(source, "another secret", body).await, unknown, "{source} {body:?}");
        }
    }
}

/// The certificate of a real message comes from Amazon: the tests of `libs/intake` verify recorded ones.
#[tokio::test]
async fn a_message_of_sns_whose_certificate_stands_elsewhere_is_refused() {
    let (stack, _folder) = gateway().await;
    let body = payload("sns-v1").replace("amazonaws.com/", "amazonaws.com.evil.example/");
    let answer = send(request(&stack, "cloudwatch", body, (SECRET, 0))).await;
    assert_eq!(answer.status, 401, "{answer:?}");
}
