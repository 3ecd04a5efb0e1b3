//! What each source sends.

pub(crate) mod alertmanager;
pub(crate) mod azuremonitor;
pub(crate) mod checkmk;
pub(crate) mod cloudevents;
pub(crate) mod datadog;
pub(crate) mod eventbridge;
pub(crate) mod generic;
pub(crate) mod googlecloud;
pub(crate) mod grafana;
pub(crate) mod icinga;
pub(crate) mod kubernetes;
pub(crate) mod mapping;
mod members;
mod nagios;
pub(crate) mod newrelic;
pub(crate) mod opsgenie;
pub(crate) mod pagerduty;
mod prometheus;
pub(crate) mod sentry;
pub(crate) mod sns;
pub(crate) mod splunk;
pub(crate) mod status_word;
pub(crate) mod uptimekuma;
pub(crate) mod zabbix;

/// Whether a text is the ARN of a topic of Amazon SNS, of a partition whose messages can be verified.
pub fn is_topic(arn: &str) -> bool {
    sns::topic::host(arn).is_some()
}
