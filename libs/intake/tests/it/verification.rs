//! Senders that are verified by a signature, a token, or a user and a password. The signatures were computed with Python's
//! `hmac` module.

use std::time::Duration;

use http::HeaderMap;
use jiff::{SignedDuration, Timestamp};
use tarsy_intake::{
    Envelope, HmacSignature, Kind, MAX_BODY_BYTES, Received, Refusal, Secrets, Source, SourceError,
    Verification, VerifyError,
};

use crate::support::{SECRET, headers, now, payload};

const PAGERDUTY: &str = "v1=a126ad11ab8592db87885d1dcbd1c5b84fce50baf8edd235c2a3f1a555bcf045";
/// Of `1795521600:BODY`.
const GRAFANA: &str = "f24d5b3baf43896b97853c432639ad2df75b5c29c2933973a9b999281b0969ab";
/// Of the body alone.
const GRAFANA_WITHOUT_TIME: &str =
    "287266672f6919ff70658a2aa616496e1f341c90f761273e60fc408f4c90ff51";
const SENTRY: &str = "5a384a1452eea46336ffc7389f26b9ee1368f12fd6f2f2efb6c40dcdc7ec6a31";
const ZEROS: &str = "v1=0000000000000000000000000000000000000000000000000000000000000000";

fn source(kind: Kind, verification: Verification) -> Source {
    Source::new("it", kind, verification).unwrap()
}

fn pagerduty(signature: &str, secrets: &[&[u8]]) -> Result<Received, Refusal> {
    let source = source(Kind::PagerDuty, Verification::Hmac(HmacSignature::pagerduty()));
    let headers = headers(&[("X-PagerDuty-Signature", signature)]);
    let secrets = Secrets::of(secrets.iter().copied());
    source.receive(&headers, payload("pagerduty").as_bytes(), &secrets, now())
}

fn grafana(all: &[(&str, &str)], now: Timestamp) -> Result<Received, Refusal> {
    let source = source(Kind::Grafana, Verification::Hmac(HmacSignature::grafana()));
    let secrets = Secrets::of([b"gf-secret".as_slice()]);
    source.receive(&headers(all), payload("grafana").as_bytes(), &secrets, now)
}

fn with_header(verification: &Verification, value: Option<&str>) -> Result<Received, Refusal> {
    let source = source(Kind::Alertmanager, verification.clone());
    let headers = value.map_or_else(HeaderMap::new, |value| headers(&[("authorization", value)]));
    let secrets = Secrets::of([b"new".as_slice(), b"old"]);
    source.receive(&headers, payload("alertmanager").as_bytes(), &secrets, now())
}

fn error(result: Result<Received, Refusal>) -> VerifyError {
    match result.unwrap_err() {
        Refusal::Unverified(error) => error,
        other => panic!("{other}"),
    }
}

#[test]
fn a_signature_of_pagerduty_fits_the_body_and_one_of_the_secrets() {
    assert!(pagerduty(PAGERDUTY, &[b"pd-secret"]).is_ok());
    assert!(pagerduty(PAGERDUTY, &[b"new-secret", b"pd-secret"]).is_ok());
    assert!(pagerduty(&format!("{ZEROS},{PAGERDUTY}"), &[b"pd-secret"]).is_ok());
    for (signature, secret) in [
        (ZEROS, b"pd-secret".as_slice()),
        (PAGERDUTY, b"other"),
        (&PAGERDUTY.replace("v1=", "v2="), b"pd-secret"),
        (&PAGERDUTY[..20], b"pd-secret"),
        ("", b"pd-secret"),
    ] {
        let error = error(pagerduty(signature, &[secret]));
        assert!(matches!(error, VerifyError::Wrong { .. }), "{signature}: {error}");
    }
}

#[test]
fn only_the_first_eight_signatures_are_compared() {
    let many = [ZEROS; 8].join(",");
    assert!(pagerduty(&format!("{many},{PAGERDUTY}"), &[b"pd-secret"]).is_err());
}

#[test]
fn a_body_that_was_changed_is_refused() {
    let source = source(Kind::PagerDuty, Verification::Hmac(HmacSignature::pagerduty()));
    let headers = headers(&[("x-pagerduty-signature", PAGERDUTY)]);
    let body = payload("pagerduty").replace("P1", "P2");
    let secrets = Secrets::of([b"pd-secret".as_slice()]);
    let refused = source.receive(&headers, body.as_bytes(), &secrets, now());
    assert!(matches!(error(refused), VerifyError::Wrong { .. }));
}

#[test]
fn a_signature_of_grafana_is_accepted_for_five_minutes() {
    let signed =
        [("X-Grafana-Alerting-Signature", GRAFANA), ("X-Grafana-Alerting-Timestamp", "1795521600")];
    let at = |seconds| grafana(&signed, now() + SignedDuration::from_secs(seconds));
    assert!(at(0).is_ok() && at(300).is_ok() && at(-300).is_ok());
    let most = Duration::from_mins(5);
    let age = Duration::from_secs(301);
    assert_eq!(error(at(301)), VerifyError::TooOld { age, most });
    assert_eq!(error(at(-301)), VerifyError::InFuture { ahead: age, most });
}

#[test]
fn the_time_of_grafana_is_signed_and_needed() {
    let later =
        [("x-grafana-alerting-signature", GRAFANA), ("x-grafana-alerting-timestamp", "1795521601")];
    assert!(matches!(error(grafana(&later, now())), VerifyError::Wrong { .. }));
    let without = [("x-grafana-alerting-signature", GRAFANA_WITHOUT_TIME)];
    assert!(matches!(error(grafana(&without, now())), VerifyError::Missing { .. }));
    let none = [("x-grafana-alerting-timestamp", "1795521600")];
    assert!(matches!(error(grafana(&none, now())), VerifyError::Missing { .. }));
    let no_time = [
        ("x-grafana-alerting-signature", GRAFANA),
        ("x-grafana-alerting-timestamp", "9999999999999999999"),
    ];
    assert!(matches!(error(grafana(&no_time, now())), VerifyError::Wrong { .. }));
}

#[test]
fn a_signature_without_a_time_can_be_chosen() {
    let signature = HmacSignature { timestamp_header: None, ..HmacSignature::grafana() };
    let source = source(Kind::Grafana, Verification::Hmac(signature));
    let headers = headers(&[("x-grafana-alerting-signature", GRAFANA_WITHOUT_TIME)]);
    let secrets = Secrets::of([b"gf-secret".as_slice()]);
    assert!(source.receive(&headers, payload("grafana").as_bytes(), &secrets, now()).is_ok());
}

#[test]
fn a_token_is_the_new_or_the_old_secret() {
    for fits in ["Bearer new", "bearer old", "Bearer  new"] {
        assert!(with_header(&Verification::Bearer, Some(fits)).is_ok(), "{fits}");
    }
    for wrong in ["Bearer newer", "Bearer ", "Bearer", "new", "Basic new"] {
        let error = error(with_header(&Verification::Bearer, Some(wrong)));
        assert!(matches!(error, VerifyError::Wrong { .. }), "{wrong}: {error}");
    }
    assert!(matches!(error(with_header(&Verification::Bearer, None)), VerifyError::Missing { .. }));
}

#[test]
fn a_user_has_the_secret_as_the_password() {
    let basic = Verification::Basic { user: "prometheus".to_owned() };
    // printf prometheus:new | base64, prometheus:old, other:new, prometheus
    assert!(with_header(&basic, Some("Basic cHJvbWV0aGV1czpuZXc=")).is_ok());
    assert!(with_header(&basic, Some("basic cHJvbWV0aGV1czpvbGQ=")).is_ok());
    for wrong in ["Basic b3RoZXI6bmV3", "Basic cHJvbWV0aGV1cw==", "Basic ???", "Bearer new"] {
        let error = error(with_header(&basic, Some(wrong)));
        assert!(matches!(error, VerifyError::Wrong { .. }), "{wrong}: {error}");
    }
}

#[test]
fn nobody_is_verified_without_a_secret() {
    let source = source(Kind::Alertmanager, Verification::Bearer);
    let headers = headers(&[("authorization", "Bearer ")]);
    let empty = Secrets::of([b"".as_slice()]);
    let refused = source.receive(&headers, payload("alertmanager").as_bytes(), &empty, now());
    assert_eq!(error(refused), VerifyError::NoSecret);
}

#[test]
fn a_sender_is_verified_before_the_payload_is_read() {
    let source = source(Kind::Alertmanager, Verification::Bearer);
    let headers = headers(&[("authorization", "Bearer wrong")]);
    let secrets = Secrets::of([b"new".as_slice()]);
    let refused = source.receive(&headers, b"no JSON", &secrets, now());
    assert!(matches!(refused, Err(Refusal::Unverified(_))));
}

#[test]
fn a_body_that_is_too_long_is_refused_first() {
    let source = source(Kind::Alertmanager, Verification::Bearer);
    let body = vec![b' '; MAX_BODY_BYTES + 1];
    let refused = source.receive(&HeaderMap::new(), &body, &Secrets::default(), now());
    let most = MAX_BODY_BYTES;
    assert_eq!(refused, Err(Refusal::TooLarge { bytes: most + 1, most }));
}

#[test]
fn a_source_is_verified_by_what_it_offers() {
    let refused = Source::new("it", Kind::Sns, Verification::Bearer).unwrap_err();
    let SourceError::Verification { offered, .. } = &refused;
    assert_eq!(*offered, ["sns"]);
    let grafana = Verification::Hmac(HmacSignature::grafana());
    let refused = Source::new("it", Kind::Datadog, grafana).unwrap_err();
    assert_eq!(refused.to_string(), "datadog does not offer hmac; use bearer or basic");
}

#[test]
fn secrets_are_not_printed() {
    let secrets = Secrets::of([b"gf-secret".as_slice()]);
    assert_eq!(format!("{secrets:?}"), "Secrets { keys: 1, .. }");
    let refused = error(pagerduty(ZEROS, &[b"pd-secret"]));
    assert!(!format!("{refused} {refused:?}").contains("pd-secret"));
}

#[test]
fn a_secret_in_the_address_is_compared_with_the_parameter() {
    let verification = Verification::Query { parameter: "token".to_owned() };
    let source = Source::new("it", Kind::AzureMonitor, verification).unwrap();
    let secrets = Secrets::of([b"a+b s3cret".as_slice()]);
    let received = |query: Option<&str>| {
        let envelope = Envelope { headers: &HeaderMap::new(), query };
        source.receive(envelope, payload("azuremonitor").as_bytes(), &secrets, now())
    };
    assert!(received(Some("token=a%2Bb%20s3cret")).is_ok());
    assert!(received(Some("x=1&token=a%2Bb+s3cret&token=other")).is_ok());
    for query in [None, Some(""), Some("tokens=a%2Bb%20s3cret"), Some("Token=a%2Bb%20s3cret")] {
        let refused = received(query).unwrap_err();
        assert!(
            matches!(&refused, Refusal::Unverified(VerifyError::Missing { what, .. }) if what.contains("token")),
            "{refused}"
        );
    }
    for query in ["token=", "token=a%2Bb%20s3cre", "token=other&token=a%2Bb%20s3cret"] {
        let refused = received(Some(query)).unwrap_err();
        assert!(matches!(&refused, Refusal::Unverified(VerifyError::Wrong { .. })), "{refused}");
        assert!(!refused.to_string().contains("s3cre"), "{refused}");
    }
    let unset = Envelope { headers: &HeaderMap::new(), query: Some("token=") };
    let refused = source.receive(unset, b"{}", &Secrets::default(), now()).unwrap_err();
    assert_eq!(refused, Refusal::Unverified(VerifyError::NoSecret));
}

#[test]
fn sentry_signs_the_body() {
    let verification = Verification::Hmac(HmacSignature::sentry());
    let source = Source::new("it", Kind::Sentry, verification).unwrap();
    let body = payload("sentry");
    let received = |secret: &[u8], body: &str| {
        let headers = headers(&[("sentry-hook-signature", SENTRY)]);
        source.receive(&headers, body.as_bytes(), &Secrets::of([secret]), now())
    };
    assert!(received(SECRET, &body).is_ok());
    assert!(received(b"other", &body).is_err() && received(SECRET, &format!("{body} ")).is_err());
}
