//! Whatever is sent, alerts are kept or the sender gets an error: no request of a source is lost, and none is answered with a 500.

use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;
use reqwest::Method;
use tarsy_testkit::{TestStack, workspace};

use crate::stack::{Stack, send};

const SECRET: &str = "a-secret-of-every-source";
const KINDS: [&str; 4] = ["alertmanager", "grafana", "pagerduty", "datadog"];
/// Requests of each source, and of the form.
const REQUESTS: usize = 25;
const SENT: &str = "select count(*) + coalesce(sum(repeats), 0)::bigint from intake_alerts";

/// A recorded payload with some bytes exchanged, or bytes alone.
fn body(recorded: Vec<u8>) -> impl Strategy<Value = Vec<u8>> {
    let places = proptest::collection::vec(any::<prop::sample::Index>(), 0..6);
    let parts = proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..4), 6);
    let mutated = (places, parts).prop_map(move |(places, parts)| {
        let mut bytes = recorded.clone();
        for (place, part) in places.iter().zip(parts) {
            let at = place.index(bytes.len());
            bytes.splice(at..=at, part);
        }
        bytes
    });
    prop_oneof![4 => mutated, 1 => proptest::collection::vec(any::<u8>(), 1..200)]
}

#[tokio::test]
async fn any_bytes_of_a_source_are_kept_and_none_is_answered_with_a_500() {
    let folder = tempfile::tempdir().unwrap();
    let sources = KINDS.map(|kind| {
        format!("    {kind}: {{kind: {kind}, verification: bearer, secret_env: SOURCE_SECRET, alert_type: host}}\n")
    });
    let text = format!("intake:\n  sources:\n{}", sources.concat());
    std::fs::write(folder.path().join("tarsy.yaml"), text).unwrap();
    let path = folder.path().display().to_string();
    let settings = [("TARSY_CONFIG_DIR", path.as_str()), ("SOURCE_SECRET", SECRET)];
    let stack = Stack::with_settings(TestStack::start().await.unwrap(), &settings).await;
    let mut runner = TestRunner::default();
    let mut answered = 0;
    for kind in KINDS {
        let recorded = workspace().join(format!("libs/intake/tests/payloads/{kind}.json"));
        let strategy = body(std::fs::read(recorded).unwrap());
        for _ in 0..REQUESTS {
            let body = strategy.new_tree(&mut runner).unwrap().current();
            let shown = String::from_utf8_lossy(&body).into_owned();
            let request = stack.request(Method::POST, &format!("/api/v1/intake/{kind}"));
            let answer = send(request.bearer_auth(SECRET).body(body)).await;
            assert!(answer.status.is_success(), "{kind}: {answer:?} to {shown}");
            answered += answer.body["alerts"].as_array().map_or(0, Vec::len);
        }
    }
    assert!(answered > REQUESTS, "{answered}");
    assert_eq!(stack.count(SENT).await.unwrap(), i64::try_from(answered).unwrap());
}

#[tokio::test]
async fn any_bytes_at_the_form_are_an_alert_or_an_error_of_the_sender() {
    let stack = Stack::start().await;
    let recorded = br#"{"data": "the disk is full", "severity": "critical", "labels": {"a": "b"}}"#;
    let strategy = body(recorded.to_vec());
    let mut runner = TestRunner::default();
    for _ in 0..2 * REQUESTS {
        let body = strategy.new_tree(&mut runner).unwrap().current();
        let shown = String::from_utf8_lossy(&body).into_owned();
        let request = stack.request(Method::POST, "/api/v1/alerts");
        let answer = send(request.header("content-type", "application/json").body(body)).await;
        let is_answered = answer.status.is_success() || answer.status.is_client_error();
        assert!(is_answered, "{answer:?} to {shown}");
    }
}
