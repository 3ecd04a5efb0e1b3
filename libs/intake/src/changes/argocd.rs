//! Notifications of Argo CD whose template sends the application as it is: `{"app": {{toJson .app}}}`.

use serde_json::Value;

use super::fields::{event, first, short_commit, text, time_at};
use crate::change::Change;
use crate::received::Ignored;

pub(super) fn read(payload: &Value) -> Result<Change, Ignored> {
    let app = payload.get("app").filter(|app| app.is_object()).unwrap_or(payload);
    let name = text(app, "/metadata/name").ok_or_else(|| event("no application"))?;
    let phase = first(app, &["/status/operationState/phase"]).unwrap_or_default();
    let outcome = match phase.as_str() {
        "Succeeded" => "was synchronized",
        "Failed" | "Error" => "could not be synchronized",
        other => return Err(event(format!("phase {other}"))),
    };
    let revision = first(
        app,
        &[
            "/status/operationState/syncResult/revision",
            "/status/sync/revision",
            "/spec/source/targetRevision",
        ],
    )
    .unwrap_or_default();
    let images: Vec<&str> = app
        .pointer("/status/summary/images")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .take(5)
        .collect();
    let images =
        if images.is_empty() { String::new() } else { format!(", images {}", images.join(" ")) };
    let message =
        text(app, "/status/operationState/message").filter(|_| outcome.starts_with("could"));
    let message = message.map(|message| format!(": {message}")).unwrap_or_default();
    let finished = text(app, "/status/operationState/finishedAt").unwrap_or_default();
    Ok(Change {
        source_id: Some(format!("{name}/{revision}/{phase}/{finished}")),
        kind: "deployment".to_owned(),
        object: Some(format!("Application/{name}")),
        service: Some(name.clone()),
        namespace: text(app, "/spec/destination/namespace"),
        cluster: first(app, &["/spec/destination/name"]),
        author: first(
            app,
            &[
                "/status/operationState/operation/initiatedBy/username",
                "/operation/initiatedBy/username",
            ],
        ),
        link: first(payload, &["/link", "/url"]).or_else(|| text(app, "/spec/source/repoURL")),
        text: format!(
            "application {name} {outcome} to {}{images}{message}",
            short_commit(&revision)
        ),
        occurred_at: time_at(
            app,
            &["/status/operationState/finishedAt", "/status/operationState/startedAt"],
        ),
        ..Change::default()
    })
}
