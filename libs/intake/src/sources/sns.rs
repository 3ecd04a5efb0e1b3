//! Messages of Amazon SNS over HTTPS: alarms of CloudWatch, events of EventBridge and RDS, budgets, and any other text. SNS signs
//! each message with a key whose certificate it serves.

mod budgets;
mod cloudwatch;
mod other;
mod rds;
pub(crate) mod topic;

use std::time::Duration;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use jiff::Timestamp;
use serde_json::Value;
use url::Url;

use super::eventbridge;
use crate::alert::Status;
use crate::hmac_signature::within;
use crate::json::{Node, ParseError};
use crate::names::fill_from_labels;
use crate::received::{Confirmation, Group, Ignored, Received};
use crate::refusal::{Refusal, VerifyError};
use crate::secrets::Secrets;
use crate::x509::{self, Digest};

/// The most bytes of a request: SNS sends 256 KiB, which may be twice as long in JSON.
pub(crate) const MAX_BODY_BYTES: usize = 1024 * 1024;
/// How old a message may be: SNS sends a message again for an hour at most, with the time of the first attempt.
const WINDOW: Duration = Duration::from_hours(1);
/// The members that are signed, in their order.
const NOTIFICATION: [&str; 6] =
    ["Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Type"];
const CONFIRMATION: [&str; 7] =
    ["Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"];
/// The path of a certificate; between both stands what tells it from others.
const CERTIFICATE_BEGINS: &str = "/SimpleNotificationService-";
const CERTIFICATE_ENDS: &str = ".pem";
/// The longest part between; SNS has 32 hexadecimal digits there.
const MAX_CERTIFICATE: usize = 64;

/// The kinds of messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Type {
    Notification,
    Subscription,
    Unsubscription,
}

/// The address of the certificate that a message is signed with, at SNS in the region of one of these topics.
pub(crate) fn certificate_url(payload: &Value, topics: &[String]) -> Result<Url, Refusal> {
    let node = Node::root(payload).at("SigningCertURL");
    let text = node.text().ok_or_else(|| {
        VerifyError::missing("SigningCertURL", "send the message as SNS signed it")
    })?;
    let url = Url::parse(&text)
        .ok()
        .filter(|url| topics.iter().any(|topic| is_at_sns(url, topic)) && is_certificate(url));
    Ok(url.ok_or_else(|| {
        VerifyError::wrong(
            "the address in SigningCertURL",
            "only certificates of SNS in the regions of the topics of this source are read",
        )
    })?)
}

fn is_certificate(url: &Url) -> bool {
    let name = url.path().strip_prefix(CERTIFICATE_BEGINS);
    let name = name.and_then(|name| name.strip_suffix(CERTIFICATE_ENDS)).unwrap_or_default();
    let is_name = (1..=MAX_CERTIFICATE).contains(&name.len())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    is_name && url.query().is_none() && url.fragment().is_none()
}

/// Whether an address is one of SNS itself in the region of a topic: anybody can write another one into a message.
fn is_at_sns(url: &Url, topic: &str) -> bool {
    let is_plain = url.scheme() == "https"
        && url.port().is_none()
        && url.username().is_empty()
        && url.password().is_none();
    is_plain && url.host_str().is_some_and(|host| topic::host(topic).as_deref() == Some(host))
}

/// Verifies a message of one of these topics.
pub(crate) fn verify(
    payload: &Value,
    topics: &[String],
    secrets: &Secrets,
    now: Timestamp,
) -> Result<(), Refusal> {
    let root = Node::root(payload);
    root.object()?;
    let certificate = certificate_url(payload, topics)?;
    let kind = kind(&root)?;
    let pem = secrets.pem().ok_or(VerifyError::CertificateNeeded(certificate))?;
    let digest = digest(&root)?;
    let signature = root
        .at("Signature")
        .text()
        .ok_or_else(|| VerifyError::missing("Signature", "send the message as SNS signed it"))?;
    let signature = BASE64_STANDARD
        .decode(signature)
        .map_err(|_| VerifyError::wrong("Signature", "send base64, as SNS does"))?;
    x509::verify(pem, digest, signed(&root, kind).as_bytes(), &signature, now)?;
    // What follows is known to be from SNS, but of anybody's topic.
    let topic = root.at("TopicArn").required("the topic")?;
    if !topics.contains(&topic) {
        return Err(VerifyError::wrong("the topic", "add its ARN to topics of this source").into());
    }
    let sent = root
        .at("Timestamp")
        .time()
        .ok_or_else(|| VerifyError::missing("Timestamp", "send the message as SNS signed it"))?;
    Ok(within(sent, WINDOW, now)?)
}

fn digest(root: &Node<'_>) -> Result<Digest, Refusal> {
    match root.at("SignatureVersion").text().as_deref() {
        Some("1") => Ok(Digest::Sha1),
        Some("2") => Ok(Digest::Sha256),
        _ => Err(VerifyError::wrong("SignatureVersion", "send 1 or 2, as SNS does").into()),
    }
}

fn kind(root: &Node<'_>) -> Result<Type, ParseError> {
    let node = root.at("Type");
    match node.required("the type of the message")?.as_str() {
        "Notification" => Ok(Type::Notification),
        "SubscriptionConfirmation" => Ok(Type::Subscription),
        "UnsubscribeConfirmation" => Ok(Type::Unsubscription),
        _ => Err(node.error("is not known", "switch raw message delivery off")),
    }
}

/// What SNS signs: each member that is there, name and value on lines of their own.
fn signed(root: &Node<'_>, kind: Type) -> String {
    let names: &[&str] = match kind {
        Type::Notification => &NOTIFICATION,
        Type::Subscription | Type::Unsubscription => &CONFIRMATION,
    };
    let mut signed = String::new();
    for name in names {
        // As it is, not as it is read: a changed text has another signature.
        if let Some(Value::String(text)) = root.at(name).value() {
            signed.push_str(name);
            signed.push('\n');
            signed.push_str(text);
            signed.push('\n');
        }
    }
    signed
}

/// Maps a message that is verified.
pub(crate) fn receive(source: &str, payload: &Value) -> Result<Received, ParseError> {
    let root = Node::root(payload);
    root.object()?;
    let topic = root.at("TopicArn").required("the topic")?;
    match kind(&root)? {
        Type::Notification => notification(source, &root, &topic),
        Type::Subscription => {
            let node = root.at("SubscribeURL");
            let url = Url::parse(&node.required("the address that confirms")?).ok();
            let url = url.filter(|url| is_at_sns(url, &topic) && url.path() == "/");
            let url = url.ok_or_else(|| {
                let fix = "send the message as SNS sent it";
                node.error("is no address of SNS in the region of the topic", fix)
            })?;
            Ok(Received::Confirm(Confirmation { url, topic }))
        }
        Type::Unsubscription => {
            Ok(Received::Ignored(Ignored::Event("UnsubscribeConfirmation".to_owned())))
        }
    }
}

fn notification(source: &str, root: &Node<'_>, topic: &str) -> Result<Received, ParseError> {
    let message = root.at("Message");
    // As it is, not as it is read: a text of 256 KiB may be JSON.
    let whole = message.value().and_then(Value::as_str).unwrap_or_default();
    let decoded = tarsy_lenient::decode(whole.as_bytes()).ok();
    let decoded = decoded.filter(|decoded| decoded.value.is_object());
    let inner = decoded.map(|decoded| {
        decoded.notes.iter().for_each(|note| message.note(&note.to_string()));
        decoded.value
    });
    let text = message.text().unwrap_or_default();
    let mut draft = match &inner {
        Some(alarm) if cloudwatch::is_alarm(alarm) => cloudwatch::alarm(alarm, root.notes())?,
        Some(event) if eventbridge::is_event(event) => {
            let place = "/Message".to_owned();
            eventbridge::alert(&Node::named(Some(event), place, root.notes()))
        }
        Some(event) if rds::is_event(event) => rds::event(event, topic, root.notes()),
        None if budgets::is_notification(&text) => {
            budgets::notification(&text, topic, root.notes())
        }
        _ => other::message(root, inner.clone(), text),
    };
    if draft.source_id.is_none() && draft.status == Status::Firing {
        draft.source_id = root.at("MessageId").text();
        draft.starts_at = draft.starts_at.or_else(|| root.at("Timestamp").time());
    }
    draft.labels.entry("topic".to_owned()).or_insert_with(|| last_part(topic));
    fill_from_labels(&mut draft);
    let delivery_id = root.at("MessageId").text();
    Ok(Received::Alerts(Group { delivery_id, ..Group::of(vec![draft.finish(source)]) }))
}

/// The name in an ARN, at most as long as a name of SNS may be.
fn last_part(arn: &str) -> String {
    const MAX_TOPIC: usize = 256;
    arn.rsplit(':').next().unwrap_or_default().chars().take(MAX_TOPIC).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const TOPICS: [&str; 3] = [
        "arn:aws:sns:eu-west-1:123456789012:alarms",
        "arn:aws-cn:sns:cn-north-1:123456789012:alarms",
        "arn:aws-us-gov:sns:us-gov-west-1:123456789012:alarms",
    ];

    fn is_read(url: &str) -> bool {
        let topics = TOPICS.map(str::to_owned);
        certificate_url(&json!({"SigningCertURL": url}), &topics).is_ok()
    }

    #[test]
    fn a_bucket_or_another_host_of_amazon_signs_nothing() {
        let path = "/SimpleNotificationService-0123456789abcdef.pem";
        for host in [
            "https://sns.eu-west-1.amazonaws.com",
            "https://SNS.eu-west-1.amazonaws.com",
            "https://sns.eu-west-1.amazonaws.com:443",
            "https://sns.cn-north-1.amazonaws.com.cn",
            "https://sns.us-gov-west-1.amazonaws.com",
        ] {
            assert!(is_read(&format!("{host}{path}")), "{host}");
        }
        for host in [
            "https://sns.s3.amazonaws.com",
            "https://sns.s3-eu-west-1.amazonaws.com",
            "https://sns.s3.eu-west-1.amazonaws.com",
            "https://sns.eu-west-1.s3.amazonaws.com",
            "https://s3.eu-west-1.amazonaws.com/sns.eu-west-1.amazonaws.com",
            "https://sns.eu-west-1.s3-website.amazonaws.com",
            "https://sns.us-east-1.amazonaws.com",
            "https://sns.eu-west-1.amazonaws.com.cn",
            "https://sns.cn-north-1.amazonaws.com",
            "https://sns.eu-west-1.amazonaws.com.",
            "https://sns.execute-api.amazonaws.com",
            "https://bucket.sns.eu-west-1.amazonaws.com",
            "http://sns.eu-west-1.amazonaws.com",
            "https://sns.eu-west-1.amazonaws.com:8443",
            "https://user@sns.eu-west-1.amazonaws.com",
            "https://sns.eu-west-1.amazonaws.com@example.org",
            "https://sns.eu-west-1.amazonaws.com.example.org",
            "https://sns..amazonaws.com",
            "https://sns.amazonaws.com",
            "https://example.org/sns.eu-west-1.amazonaws.com",
        ] {
            assert!(!is_read(&format!("{host}{path}")), "{host}");
        }
    }

    #[test]
    fn only_the_certificates_of_sns_are_read_from_its_hosts() {
        for path in [
            "/x.pem",
            "/SimpleNotificationService-.pem",
            "/SimpleNotificationService-0.txt",
            "/a/SimpleNotificationService-0.pem",
            "/SimpleNotificationService-0/../x.pem",
            "/SimpleNotificationService-a/b.pem",
            "/SimpleNotificationService-%2e%2e.pem",
            "/SimpleNotificationService-0.pem?a",
            "/SimpleNotificationService-0.pem#a",
            "/?Action=GetTopicAttributes&x=/SimpleNotificationService-0.pem",
        ] {
            assert!(!is_read(&format!("https://sns.eu-west-1.amazonaws.com{path}")), "{path}");
        }
        let long = "a".repeat(MAX_CERTIFICATE + 1);
        let long = format!("/SimpleNotificationService-{long}.pem");
        assert!(!is_read(&format!("https://sns.eu-west-1.amazonaws.com{long}")));
    }

    #[test]
    fn a_subscription_is_confirmed_at_sns_in_the_region_of_its_topic_only() {
        let confirmed = |url: &str| {
            let message = json!({
                "Type": "SubscriptionConfirmation", "TopicArn": TOPICS[0], "SubscribeURL": url,
            });
            receive("cloudwatch", &message).is_ok()
        };
        let query = "?Action=ConfirmSubscription&Token=a";
        assert!(confirmed(&format!("https://sns.eu-west-1.amazonaws.com/{query}")));
        for other in [
            "https://sns.us-east-1.amazonaws.com/",
            "https://sns.s3.amazonaws.com/",
            "https://sns.eu-west-1.s3.amazonaws.com/",
            "https://sns.cn-north-1.amazonaws.com.cn/",
            "https://sns.eu-west-1.amazonaws.com/a",
            "http://sns.eu-west-1.amazonaws.com/",
            "https://169.254.169.254/",
        ] {
            assert!(!confirmed(&format!("{other}{query}")), "{other}");
        }
    }
}
