//! Incidents of Google Cloud Monitoring, version 1.2 of the payload of webhooks: "Create and manage notification channels",
//! section "Webhooks", <https://cloud.google.com/monitoring/support/notification-options>. Google sends a user and a password,
//! or the secret in the address.

use serde_json::Value;

use super::members::{all_labels, annotation, first_text};
use super::status_word::status_of;
use crate::alert::{Draft, Status};
use crate::fingerprint::digest;
use crate::json::{Node, ParseError};
use crate::labels::Labels;
use crate::names::fill_from_labels;
use crate::received::{Group, Ignored, Received};

/// The version of what "Test connection" sends.
const TEST: &str = "test";
const NO_SEVERITY: &str = "no severity";
const TITLES: [&str; 3] = ["summary", "condition_name", "policy_name"];

pub(crate) fn receive(source: &str, payload: &Value) -> Result<Received, ParseError> {
    let root = Node::root(payload);
    root.object()?;
    if root.at("version").text().as_deref() == Some(TEST) {
        return Ok(Received::Ignored(Ignored::Ping));
    }
    let incident = root.at("incident");
    incident.object()?;
    Ok(Received::Alerts(Group::of(vec![alert(&incident).finish(source)])))
}

fn alert(incident: &Node<'_>) -> Draft {
    let status = incident.at("state").text().as_deref().and_then(status_of).unwrap_or_default();
    let severity = incident.at("severity").text();
    let mut draft = Draft {
        title: first_text(incident, &TITLES),
        severity: severity.filter(|word| word.to_lowercase() != NO_SEVERITY),
        status,
        labels: labels(incident),
        fingerprint: fingerprint(incident),
        group_key: policy(incident).map(|policy| format!("policy:{policy}")),
        source_id: incident.at("incident_id").text(),
        starts_at: incident.at("started_at").time(),
        ends_at: incident.at("ended_at").time().filter(|_| status == Status::Resolved),
        notes: incident.notes(),
        raw: incident.raw(),
        ..Draft::default()
    };
    annotation(&mut draft, "summary", &incident.at("summary"));
    annotation(&mut draft, "documentation", &incident.at("documentation").at("content"));
    annotation(&mut draft, "observed_value", &incident.at("observed_value"));
    annotation(&mut draft, "threshold_value", &incident.at("threshold_value"));
    fill_from_labels(&mut draft);
    draft.link("Incident", incident.at("url").text().as_deref());
    draft
}

fn policy(incident: &Node<'_>) -> Option<String> {
    let policy = incident.at("policy_name").text()?;
    let project = incident.at("scoping_project_id").text().unwrap_or_default();
    Some(format!("{project}/{policy}"))
}

/// The condition and the time series that it watches: each incident of it has another id. Without both, the id.
fn fingerprint(incident: &Node<'_>) -> Option<String> {
    let condition = incident.at("condition").at("name").text().or_else(|| {
        Some(format!("{}/{}", policy(incident)?, incident.at("condition_name").text()?))
    });
    let mut series = Labels::default();
    series.add_text("type", &incident.at("resource").at("type"));
    series.add_text("resource", &incident.at("resource_id"));
    all_labels(&mut series, &incident.at("resource").at("labels"));
    all_labels(&mut series, &incident.at("metric").at("labels"));
    let series = series.done();
    let pairs = series.iter().flat_map(|(name, value)| [name.as_str(), value.as_str()]);
    match &condition {
        Some(condition) if series.len() > 1 => {
            Some(digest(std::iter::once(condition.as_str()).chain(pairs)))
        }
        _ => incident.at("incident_id").text(),
    }
}

fn labels(incident: &Node<'_>) -> std::collections::BTreeMap<String, String> {
    let mut labels = Labels::default();
    for (name, node) in [
        ("policy", incident.at("policy_name")),
        ("condition", incident.at("condition_name")),
        ("project", incident.at("scoping_project_id")),
        ("resource", incident.at("resource_name")),
        ("resource_type", incident.at("resource").at("type")),
        ("metric", incident.at("metric").at("type")),
    ] {
        labels.add_text(name, &node);
    }
    let metadata = incident.at("metadata");
    for node in [
        incident.at("resource").at("labels"),
        incident.at("metric").at("labels"),
        metadata.at("user_labels"),
        incident.at("policy_user_labels"),
    ] {
        all_labels(&mut labels, &node);
    }
    labels.done()
}
