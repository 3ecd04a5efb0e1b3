//! Messages of Amazon SNS over HTTPS: alarms of CloudWatch, and any other text. SNS signs each message with a key whose
//! certificate it serves.

mod cloudwatch;

use std::time::Duration;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use jiff::Timestamp;
use serde_json::Value;
use url::Url;

use crate::alert::Draft;
use crate::hmac_signature::within;
use crate::json::{self, Node, ParseError};
use crate::names::fill_from_labels;
use crate::received::{Confirmation, Group, Ignored, Received};
use crate::refusal::{Refusal, VerifyError};
use crate::secrets::Secrets;
use crate::title::title_of;
use crate::x509::{self, Digest};

/// How old a message may be: SNS sends a message again for an hour at most, with the time of the first attempt.
const WINDOW: Duration = Duration::from_hours(1);
/// The members that are signed, in their order.
const NOTIFICATION: [&str; 6] =
    ["Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Type"];
const CONFIRMATION: [&str; 7] =
    ["Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"];
const HOST_BEGINS: &str = "sns.";
const HOST_ENDS: &str = ".amazonaws.com";
const CERTIFICATE_ENDS: &str = ".pem";

/// The kinds of messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Type {
    Notification,
    Subscription,
    Unsubscription,
}

/// The address of the certificate that a message is signed with.
pub(crate) fn certificate_url(payload: &Value) -> Result<Url, Refusal> {
    let node = Node::root(payload).at("SigningCertURL");
    let text = node.text()?.ok_or_else(|| {
        VerifyError::missing("SigningCertURL", "send the message as SNS signed it")
    })?;
    let url = of_sns(&text).filter(|url| url.path().ends_with(CERTIFICATE_ENDS));
    Ok(url.ok_or_else(|| {
        VerifyError::wrong("the address in SigningCertURL", "only sns.REGION.amazonaws.com is read")
    })?)
}

/// An address of SNS itself: anybody can write another one into a message.
fn of_sns(text: &str) -> Option<Url> {
    let url = Url::parse(text).ok()?;
    let region = url.host_str()?.strip_prefix(HOST_BEGINS)?.strip_suffix(HOST_ENDS)?;
    let is_region = !region.is_empty()
        && region.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-');
    let is_plain = url.scheme() == "https"
        && url.port().is_none()
        && url.username().is_empty()
        && url.password().is_none();
    (is_region && is_plain).then_some(url)
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
    let certificate = certificate_url(payload)?;
    let kind = kind(&root)?;
    let pem = secrets.pem().ok_or(VerifyError::CertificateNeeded(certificate))?;
    let digest = digest(&root)?;
    let signature = root
        .at("Signature")
        .text()?
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
        .time()?
        .ok_or_else(|| VerifyError::missing("Timestamp", "send the message as SNS signed it"))?;
    Ok(within(sent, WINDOW, now)?)
}

fn digest(root: &Node<'_>) -> Result<Digest, Refusal> {
    match root.at("SignatureVersion").text()?.as_deref() {
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
            let url = of_sns(&node.required("the address that confirms")?);
            let url = url.ok_or_else(|| {
                node.error("is no address of SNS", "send the message as SNS sent it")
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
    let text = message.text()?.unwrap_or_default();
    let inner = json::parse(text.as_bytes()).ok().filter(Value::is_object);
    let mut draft = match &inner {
        Some(alarm) if cloudwatch::is_alarm(alarm) => cloudwatch::alarm(alarm)?,
        _ => Draft {
            title: root.at("Subject").text()?.or_else(|| title_of(&text)),
            source_id: root.at("MessageId").text()?,
            starts_at: root.at("Timestamp").time()?,
            raw: inner.clone().unwrap_or(Value::String(text)),
            ..Draft::default()
        },
    };
    draft.labels.entry("topic".to_owned()).or_insert_with(|| last_part(topic));
    fill_from_labels(&mut draft);
    let delivery_id = root.at("MessageId").text()?;
    Ok(Received::Alerts(Group { delivery_id, ..Group::of(vec![draft.finish(source)]) }))
}

/// The name in an ARN, at most as long as a name of SNS may be.
fn last_part(arn: &str) -> String {
    const MAX_TOPIC: usize = 256;
    arn.rsplit(':').next().unwrap_or_default().chars().take(MAX_TOPIC).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_of_sns_are_read() {
        let path = "/SimpleNotificationService-0.pem";
        assert!(of_sns(&format!("https://sns.eu-west-1.amazonaws.com{path}")).is_some());
        for other in [
            "http://sns.eu-west-1.amazonaws.com",
            "https://sns.eu-west-1.amazonaws.com:8443",
            "https://user@sns.eu-west-1.amazonaws.com",
            "https://sns.eu-west-1.amazonaws.com.example.org",
            "https://sns.a.b.amazonaws.com",
            "https://sns..amazonaws.com",
            "https://sns.amazonaws.com",
            "https://bucket.s3.amazonaws.com",
            "https://example.org/sns.eu-west-1.amazonaws.com",
        ] {
            assert_eq!(of_sns(&format!("{other}{path}")), None, "{other}");
        }
    }
}
