//! Notifications of Argo CD. Operators write their templates: the best sends the application as it is,
//! `{"app": {{toJson .app}}}`; others send single values under names of their own.

mod flat;

use serde_json::Value;

use super::fields::{event, first, short_commit, text, time_at};
use crate::change::Change;
use crate::received::Ignored;

pub(super) fn read(payload: &Value) -> Result<Change, Ignored> {
    let whole = ["app", "application"].iter().filter_map(|name| payload.get(*name));
    let mut whole = whole.chain([payload]).filter(|app| app.pointer("/metadata/name").is_some());
    match whole.next() {
        Some(app) => application(app, payload),
        None => flat::read(payload),
    }
}

fn application(app: &Value, payload: &Value) -> Result<Change, Ignored> {
    let name = text(app, "/metadata/name").ok_or_else(|| event("no application"))?;
    if let Some(at) = text(app, "/metadata/deletionTimestamp") {
        return Ok(Change {
            source_id: Some(format!("{name}/deleted/{at}")),
            text: format!("application {name} was deleted"),
            occurred_at: time_at(app, &["/metadata/deletionTimestamp"]),
            ..of_application(app, payload, &name)
        });
    }
    let phase = first(app, &["/status/operationState/phase"]).unwrap_or_default();
    let outcome = match phase.as_str() {
        "Succeeded" => "was synchronized",
        "Failed" | "Error" => "could not be synchronized",
        other => return Err(event(format!("phase {other}"))),
    };
    let revision = revision(app);
    let images: Vec<&str> = texts(app, "/status/summary/images").take(5).collect();
    let images =
        if images.is_empty() { String::new() } else { format!(", images {}", images.join(" ")) };
    let message =
        text(app, "/status/operationState/message").filter(|_| outcome.starts_with("could"));
    let message = message.map(|message| format!(": {message}")).unwrap_or_default();
    let finished = text(app, "/status/operationState/finishedAt").unwrap_or_default();
    let to = if revision.is_empty() { String::new() } else { format!(" to {revision}") };
    Ok(Change {
        source_id: Some(format!("{name}/{revision}/{phase}/{finished}")),
        text: format!("application {name} {outcome}{to}{images}{message}"),
        occurred_at: time_at(
            app,
            &["/status/operationState/finishedAt", "/status/operationState/startedAt"],
        ),
        ..of_application(app, payload, &name)
    })
}

fn of_application(app: &Value, payload: &Value, name: &str) -> Change {
    Change {
        kind: "deployment".to_owned(),
        object: Some(format!("Application/{name}")),
        service: Some(name.to_owned()),
        namespace: text(app, "/spec/destination/namespace"),
        cluster: first(app, &["/spec/destination/name"]),
        environment: first(
            app,
            &["/metadata/labels/environment", "/metadata/labels/env", "/metadata/labels/stage"],
        ),
        author: first(
            app,
            &[
                "/status/operationState/operation/initiatedBy/username",
                "/operation/initiatedBy/username",
            ],
        ),
        link: first(payload, &["/link", "/url"])
            .or_else(|| first(app, &["/spec/source/repoURL", "/spec/sources/0/repoURL"])),
        ..Change::default()
    }
}

/// The revision that was synchronized; of an application with several sources all of them.
fn revision(app: &Value) -> String {
    let single =
        first(app, &["/status/operationState/syncResult/revision", "/status/sync/revision"]);
    if let Some(revision) = single {
        return short_commit(&revision).to_owned();
    }
    let several = ["/status/operationState/syncResult/revisions", "/status/sync/revisions"];
    let several = several.iter().find_map(|pointer| {
        let all: Vec<&str> = texts(app, pointer).map(short_commit).take(5).collect();
        (!all.is_empty()).then(|| all.join(", "))
    });
    several.or_else(|| text(app, "/spec/source/targetRevision")).unwrap_or_default()
}

/// The texts of a list.
fn texts<'a>(value: &'a Value, pointer: &str) -> impl Iterator<Item = &'a str> {
    let list = value.pointer(pointer).and_then(Value::as_array).into_iter().flatten();
    list.filter_map(Value::as_str).filter(|text| !text.is_empty())
}
