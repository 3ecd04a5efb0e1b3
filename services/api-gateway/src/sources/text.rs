//! The text of a session that begins with alerts of a source.

use std::fmt::Write as _;

use tarsy_contracts::alert::{AlertFields, AlertLink};
use tarsy_intake::Alert;

/// The most other alerts of the group that are listed.
const MAX_OTHERS: usize = 50;

/// The first alert whole, and the others of its group by their titles and labels.
pub(super) fn of(alerts: &[&Alert]) -> String {
    let Some((first, others)) = alerts.split_first() else { return String::new() };
    let mut text = whole(first);
    if !others.is_empty() {
        let _ = writeln!(text, "\nOther alerts of the same group:");
    }
    for other in others.iter().take(MAX_OTHERS) {
        let labels = other.labels.iter().map(|(name, value)| format!("{name}={value}"));
        let labels = labels.collect::<Vec<_>>().join(", ");
        let _ = writeln!(text, "- {} ({}) {labels}", other.title, other.status.as_str());
    }
    if others.len() > MAX_OTHERS {
        let _ = writeln!(text, "- and {} more", others.len() - MAX_OTHERS);
    }
    text
}

fn whole(alert: &Alert) -> String {
    let mut text = format!("{}\n", alert.title);
    let time = |time: Option<jiff::Timestamp>| time.map(|time| time.to_string());
    for (name, value) in [
        ("status", Some(alert.status.as_str().to_owned())),
        ("severity", alert.severity.clone()),
        ("service", alert.service.clone()),
        ("namespace", alert.namespace.clone()),
        ("cluster", alert.cluster.clone()),
        ("source", Some(alert.source.clone())),
        ("starts_at", time(alert.starts_at)),
    ] {
        if let Some(value) = value {
            let _ = writeln!(text, "{name}: {value}");
        }
    }
    for (title, entries) in [("labels", &alert.labels), ("annotations", &alert.annotations)] {
        if !entries.is_empty() {
            let _ = writeln!(text, "{title}:");
        }
        for (name, value) in entries {
            let _ = writeln!(text, "  {name}: {value}");
        }
    }
    for note in &alert.notes {
        let _ = writeln!(text, "note: {note}");
    }
    for link in &alert.links {
        let _ = writeln!(text, "link: {} ({})", link.url, link.title);
    }
    text
}

pub(super) fn fields(alert: &Alert) -> AlertFields {
    let link =
        |link: &tarsy_intake::Link| AlertLink { title: link.title.clone(), url: link.url.clone() };
    AlertFields {
        title: Some(alert.title.clone()),
        severity: alert.severity.clone(),
        service: alert.service.clone(),
        namespace: alert.namespace.clone(),
        cluster: alert.cluster.clone(),
        links: alert.links.iter().map(link).collect(),
        labels: alert.labels.clone(),
        fingerprint: Some(alert.fingerprint.clone()),
    }
}
