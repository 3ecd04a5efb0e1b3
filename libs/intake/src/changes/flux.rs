//! Events of Flux's notification-controller, as its providers `generic` and `generic-hmac` send them.

use serde_json::Value;

use super::fields::{event, first, text, time_at};
use crate::change::Change;
use crate::received::Ignored;

/// The objects whose events say that something else runs, with the kind of change: sources only say that there is something
/// new. The last three are of tofu-controller and Flux Operator.
const OBJECTS: [(&str, &str); 6] = [
    ("Kustomization", "deployment"),
    ("HelmRelease", "deployment"),
    ("ImageUpdateAutomation", "commit"),
    ("Terraform", "configuration"),
    ("ResourceSet", "deployment"),
    ("FluxInstance", "deployment"),
];
/// Reasons that change nothing.
const QUIET: [&str; 6] = [
    "ReconciliationSkipped",
    "DependencyNotReady",
    "ProgressingWithRetry",
    "TestSucceeded",
    "TestFailed",
    "DriftDetected",
];

pub(super) fn read(payload: &Value) -> Result<Change, Ignored> {
    let kind = text(payload, "/involvedObject/kind").unwrap_or_default();
    let name = text(payload, "/involvedObject/name").unwrap_or_default();
    let reason = text(payload, "/reason").unwrap_or_default();
    let changed = OBJECTS.iter().find(|(object, _)| *object == kind).map(|(_, changed)| *changed);
    let Some(changed) = changed.filter(|_| !name.is_empty() && !QUIET.contains(&reason.as_str()))
    else {
        return Err(event(format!("{kind} {reason}")));
    };
    let revision = revision(payload).unwrap_or_default();
    let message = text(payload, "/message").unwrap_or_else(|| reason.clone());
    let to = if revision.is_empty() { String::new() } else { format!(" to {revision}") };
    let time = text(payload, "/timestamp").unwrap_or_default();
    Ok(Change {
        source_id: Some(format!("{kind}/{name}/{reason}/{revision}/{time}")),
        kind: changed.to_owned(),
        object: Some(format!("{kind}/{name}")),
        service: Some(name),
        // That of the objects that it applies, if it says so.
        namespace: first(
            payload,
            &["/metadata/targetNamespace", "/metadata/namespace", "/involvedObject/namespace"],
        ),
        cluster: text(payload, "/metadata/cluster"),
        environment: first(payload, &["/metadata/environment", "/metadata/env"]),
        text: format!("{reason}{to}: {message}"),
        link: first(payload, &["/metadata/link", "/metadata/url"]),
        occurred_at: time_at(payload, &["/timestamp"]),
        ..Change::default()
    })
}

/// The key is `revision`, with or without the group of its controller.
fn revision(payload: &Value) -> Option<String> {
    let metadata = payload.get("metadata")?.as_object()?;
    let is_revision = |name: &String| name == "revision" || name.ends_with("/revision");
    let (_, value) = metadata.iter().find(|(name, _)| is_revision(name))?;
    value.as_str().map(str::to_owned)
}
