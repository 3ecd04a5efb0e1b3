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
