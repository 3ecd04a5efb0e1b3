//! Alerts that belong to a session and came after its text, as prompts show them.

use std::fmt::Write as _;

use minijinja::context;
use tarsy_store::{AttachedAlerts, ReceivedAlert};

use crate::prompts::Prompts;
use crate::prompts::fence::{cut, fenced};

/// The most of one alert, in bytes.
const MAX_BYTES: usize = 1_024;

impl Prompts {
    /// The alerts, as data.
    pub(crate) fn attached_alerts(
        &self,
        attached: &AttachedAlerts,
        addresses_model: bool,
    ) -> String {
        let alerts: Vec<_> = attached
            .alerts
            .iter()
            .map(|alert| {
                context! {
                    status => alert.status.as_str(),
                    received => alert.received_at.to_string(),
                    text => fenced(&alert_text(alert)),
                }
            })
            .collect();
        self.render("attached_alerts", context! { alerts, more => attached.more, addresses_model })
    }
}

/// What an agent reads of an alert, before it is fenced.
pub(crate) fn alert_text(alert: &ReceivedAlert) -> String {
    let mut text = alert.title.clone();
    let time = |time: Option<jiff::Timestamp>| time.map(|time| time.to_string());
    for (name, value) in [
        ("severity", alert.severity.clone()),
        ("service", alert.service.clone()),
        ("namespace", alert.namespace.clone()),
        ("cluster", alert.cluster.clone()),
        ("source", Some(alert.source.clone())),
        ("starts_at", time(alert.starts_at)),
        ("ends_at", time(alert.ends_at)),
    ] {
        if let Some(value) = value {
            let _ = write!(text, "\n{name}: {value}");
        }
    }
    for (name, value) in &alert.labels {
        let _ = write!(text, "\nlabel {name}: {value}");
    }
    for (name, value) in &alert.annotations {
        let _ = write!(text, "\nannotation {name}: {value}");
    }
    for link in &alert.links {
        let _ = write!(text, "\nlink {}: {}", link.title, link.url);
    }
    cut(&text, MAX_BYTES)
}
