//! What each source sends.

pub(crate) mod alertmanager;
pub(crate) mod cloudevents;
pub(crate) mod datadog;
pub(crate) mod generic;
pub(crate) mod grafana;
pub(crate) mod kubernetes;
pub(crate) mod mapping;
pub(crate) mod opsgenie;
pub(crate) mod pagerduty;
mod prometheus;
pub(crate) mod sns;
pub(crate) mod status_word;

/// Whether a text is the ARN of a topic of Amazon SNS, of a partition whose messages can be verified.
pub fn is_topic(arn: &str) -> bool {
    sns::topic::host(arn).is_some()
}
