//! Messages of Amazon SNS. The recorded ones were signed with OpenSSL; others with a certificate that rcgen makes.

use std::sync::LazyLock;

use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::signature::{RSA_PKCS1_SHA256, RsaKeyPair};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use http::HeaderMap;
use jiff::{SignedDuration, Timestamp};
use rcgen::{CertificateParams, KeyPair, PKCS_RSA_SHA256, RsaKeySize, date_time_ymd};
use serde_json::{Value, json};
use tarsy_intake::{Kind, Received, Refusal, Secrets, Source, Status, Verification, VerifyError};

use crate::support::{now, pairs, payload, time, titles};

const TOPIC: &str = "arn:aws:sns:eu-west-1:123456789012:alarms";
const CERTIFICATE: &str = "https://sns.eu-west-1.amazonaws.com/SimpleNotificationService-1.pem";

static KEY: LazyLock<KeyPair> =
    LazyLock::new(|| KeyPair::generate_rsa_for(&PKCS_RSA_SHA256, RsaKeySize::_2048).unwrap());

fn a_source() -> Source {
    let verification = Verification::Sns { topics: vec![TOPIC.to_owned()] };
    Source::new("cloudwatch", Kind::Sns, verification).unwrap()
}

fn received(body: &str, pem: String, now: Timestamp) -> Result<Received, Refusal> {
    let secrets = Secrets::certificate(pem.into_bytes());
    a_source().receive(&HeaderMap::new(), body.as_bytes(), &secrets, now)
}

fn recorded_certificate() -> String {
    let path = format!("{}/tests/payloads/sns-certificate.pem", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).unwrap()
}

/// A certificate of our key that is valid until the end of a year.
fn a_certificate(until: i32) -> String {
    let mut params = CertificateParams::new(vec!["sns.amazonaws.com".to_owned()]).unwrap();
    params.not_before = date_time_ymd(2020, 1, 1);
    params.not_after = date_time_ymd(until, 12, 31);
    params.self_signed(&*KEY).unwrap().pem()
}

/// A notification, signed by our key with version 2 as the documentation of SNS describes it.
fn a_notification(message: &str, topic: &str, timestamp: &str) -> Value {
    let text = format!(
        "Message\n{message}\nMessageId\nm-1\nTimestamp\n{timestamp}\nTopicArn\n{topic}\nType\nNotification\n"
    );
    let key = RsaKeyPair::from_pkcs8(&KEY.serialize_der()).unwrap();
    let mut signature = vec![0; key.public_modulus_len()];
    let random = SystemRandom::new();
    key.sign(&RSA_PKCS1_SHA256, &random, text.as_bytes(), &mut signature).unwrap();
    json!({
        "Type": "Notification", "MessageId": "m-1", "TopicArn": topic, "Message": message,
        "Timestamp": timestamp, "SignatureVersion": "2", "SigningCertURL": CERTIFICATE,
        "Signature": BASE64_STANDARD.encode(signature),
    })
}

fn unverified(result: Result<Received, Refusal>) -> VerifyError {
    match result.unwrap_err() {
        Refusal::Unverified(error) => error,
        other => panic!("{other}"),
    }
}

fn is_wrong(error: &VerifyError, named: &str) -> bool {
    matches!(error, VerifyError::Wrong { what, .. } if what.contains(named))
}

#[test]
fn alarms_with_both_versions_of_the_signature_become_alerts() {
    for recorded in ["sns-v1", "sns-v2"] {
        let received = received(&payload(recorded), recorded_certificate(), now()).unwrap();
        let Received::Alerts(group) = received else { panic!("alerts") };
        assert_eq!(group.delivery_id.as_deref(), Some("22b80b92-fdea-4c2c-8f9d-bdfb0c7bf324"));
        let alert = &group.alerts[0];
        assert_eq!((alert.title.as_str(), alert.status), ("checkout 5xx", Status::Firing));
        assert_eq!(alert.service.as_deref(), Some("app/checkout/50dc6c495c0c9188"));
        assert_eq!(
            alert.fingerprint,
            "arn:aws:cloudwatch:eu-west-1:123456789012:alarm:checkout 5xx"
        );
        assert_eq!(alert.starts_at, time("2026-11-24T12:00:03.482Z"));
        assert_eq!(
            pairs(&alert.labels),
            "LoadBalancer=app/checkout/50dc6c495c0c9188 account=123456789012 alarm=checkout 5xx \
             metric=HTTPCode_Target_5XX_Count metric_namespace=AWS/ApplicationELB region=eu-west-1 topic=alarms"
        );
        assert_eq!(titles(alert), ["Alarm"]);
    }
}

#[test]
fn the_confirmation_of_a_subscription_names_the_address_to_open() {
    let received = received(&payload("sns-confirmation"), recorded_certificate(), now()).unwrap();
    let Received::Confirm(confirmation) = received else { panic!("a confirmation") };
    assert_eq!(confirmation.url.host_str(), Some("sns.eu-west-1.amazonaws.com"));
    assert_eq!(confirmation.topic, TOPIC);
}

#[test]
fn a_message_that_was_changed_is_refused() {
    for (member, value) in [
        ("Message", json!("{}")),
        ("MessageId", json!("other")),
        ("Subject", json!("OK")),
        ("Timestamp", json!("2026-11-24T11:59:59.123Z")),
        ("TopicArn", json!("arn:aws:sns:eu-west-1:123456789012:other")),
        ("SignatureVersion", json!("2")),
    ] {
        let mut message: Value = serde_json::from_str(&payload("sns-v1")).unwrap();
        message[member] = value;
        let error = unverified(received(&message.to_string(), recorded_certificate(), now()));
        assert!(is_wrong(&error, "the signature of the message"), "{member}: {error}");
    }
}

#[test]
fn the_certificate_of_a_test_verifies_what_its_key_signed() {
    let message = a_notification("disk full", TOPIC, "2026-11-24T11:59:00Z");
    let received = received(&message.to_string(), a_certificate(2030), now()).unwrap();
    let Received::Alerts(group) = received else { panic!("alerts") };
    assert_eq!(group.alerts[0].title, "disk full");
    let other = unverified(self::received(&message.to_string(), recorded_certificate(), now()));
    assert!(is_wrong(&other, "the signature of the message"), "{other}");
}

#[test]
fn an_expired_certificate_and_what_is_none_are_refused() {
    let message = a_notification("disk full", TOPIC, "2026-11-24T11:59:00Z").to_string();
    let expired = unverified(received(&message, a_certificate(2024), now()));
    assert!(is_wrong(&expired, "date"), "{expired}");
    for pem in ["", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"] {
        let error = unverified(received(&message, pem.to_owned(), now()));
        assert!(is_wrong(&error, "the certificate"), "{error}");
    }
}

#[test]
fn a_message_of_a_topic_that_is_not_configured_is_refused() {
    let topic = "arn:aws:sns:eu-west-1:999999999999:alarms";
    let message = a_notification("disk full", topic, "2026-11-24T11:59:00Z");
    let error = unverified(received(&message.to_string(), a_certificate(2030), now()));
    assert!(is_wrong(&error, "the topic"), "{error}");
}

#[test]
fn a_message_is_accepted_for_an_hour() {
    let message = a_notification("disk full", TOPIC, "2026-11-24T12:00:00Z").to_string();
    let at = |seconds| {
        received(&message, a_certificate(2030), now() + SignedDuration::from_secs(seconds))
    };
    assert!(at(3_600).is_ok() && at(-300).is_ok());
    assert!(matches!(unverified(at(3_601)), VerifyError::TooOld { .. }));
    assert!(matches!(unverified(at(-301)), VerifyError::InFuture { .. }));
}

#[test]
fn the_certificate_is_only_read_from_hosts_of_sns() {
    let source = a_source();
    let mut message = a_notification("disk full", TOPIC, "2026-11-24T11:59:00Z");
    let url = source.certificate_url(message.to_string().as_bytes()).unwrap().unwrap();
    assert_eq!(url.as_str(), CERTIFICATE);
    let missing = source.receive(
        &HeaderMap::new(),
        message.to_string().as_bytes(),
        &Secrets::default(),
        now(),
    );
    assert_eq!(unverified(missing), VerifyError::CertificateNeeded(url));
    for address in [
        "https://sns.eu-west-1.amazonaws.com.example.org/x.pem",
        "https://example.org/x.pem",
        "https://sns.eu-west-1.amazonaws.com/x.txt",
        "https://sns.eu-west-1.amazonaws.com/x.pem",
        "https://sns.s3.amazonaws.com/SimpleNotificationService-1.pem",
        "https://sns.eu-west-1.s3.amazonaws.com/SimpleNotificationService-1.pem",
        "https://sns.us-east-1.amazonaws.com/SimpleNotificationService-1.pem",
        "no address",
    ] {
        message["SigningCertURL"] = json!(address);
        let refused = source.certificate_url(message.to_string().as_bytes()).unwrap_err();
        assert!(refused.to_string().contains("SigningCertURL"), "{refused}");
        assert!(received(&message.to_string(), a_certificate(2030), now()).is_err());
    }
}

#[test]
fn a_confirmation_that_leads_elsewhere_is_not_opened() {
    let mut message: Value = serde_json::from_str(&payload("sns-confirmation")).unwrap();
    message["SubscribeURL"] = json!("https://example.org/?Action=ConfirmSubscription");
    let refused = a_source().preview(&HeaderMap::new(), message.to_string().as_bytes(), now());
    let Ok(Received::Alerts(group)) = refused else { panic!("{refused:?}") };
    assert!(group.alerts[0].notes[0].contains("SubscribeURL"));
}

#[test]
fn the_state_of_an_alarm_is_the_status() {
    let of = |state: &str| {
        let alarm = crate::support::changed("cloudwatch", "/NewStateValue", state);
        let message = a_notification(&alarm, TOPIC, "2026-11-24T11:59:00Z").to_string();
        received(&message, a_certificate(2030), now())
    };
    for (state, status) in
        [("ALARM", Status::Firing), ("INSUFFICIENT_DATA", Status::Firing), ("OK", Status::Resolved)]
    {
        let Received::Alerts(group) = of(state).unwrap() else { panic!("alerts") };
        let alert = &group.alerts[0];
        assert_eq!((alert.status, alert.ends_at.is_some()), (status, state == "OK"));
    }
    let Received::Alerts(group) = of("BROKEN").unwrap() else { panic!("alerts") };
    assert!(group.alerts[0].notes[0].contains("/Message/NewStateValue"));
}
