//! Webhooks of GitLab: deployments, releases, feature flags, and pushes to the default branch.

use serde_json::Value;

use super::fields::{event, first, first_line, short_commit, text, time_at};
use crate::change::Change;
use crate::received::Ignored;

/// The states of a deployment that change something.
const STATES: [&str; 3] = ["running", "success", "failed"];

pub(super) fn read(payload: &Value) -> Result<Change, Ignored> {
    match text(payload, "/object_kind").unwrap_or_default().as_str() {
        "deployment" => deployment(payload),
        "release" => release(payload),
        "feature_flag" => feature_flag(payload),
        "push" => push(payload),
        other => Err(event(other)),
    }
}

fn of_project(payload: &Value) -> Change {
    Change {
        service: text(payload, "/project/name"),
        object: text(payload, "/project/path_with_namespace"),
        author: first(payload, &["/user/username", "/user_username", "/user/name", "/user_name"]),
        link: text(payload, "/project/web_url"),
        ..Change::default()
    }
}

fn deployment(payload: &Value) -> Result<Change, Ignored> {
    let state = text(payload, "/status").unwrap_or_default();
    if !STATES.contains(&state.as_str()) {
        return Err(event(format!("deployment {state}")));
    }
    let name = text(payload, "/project/name").unwrap_or_default();
    let commit = text(payload, "/short_sha").unwrap_or_default();
    let title = text(payload, "/commit_title").unwrap_or_default();
    let outcome = match state.as_str() {
        "running" => format!("deployment of {name} {commit} began"),
        "success" => format!("{name} {commit} was deployed"),
        _ => format!("deployment of {name} {commit} failed"),
    };
    let id = text(payload, "/deployment_id").unwrap_or_default();
    Ok(Change {
        source_id: Some(format!("deployment/{id}/{state}")),
        kind: "deployment".to_owned(),
        environment: text(payload, "/environment"),
        text: if title.is_empty() { outcome } else { format!("{outcome}: {title}") },
        link: first(payload, &["/deployable_url", "/commit_url", "/project/web_url"]),
        occurred_at: time_at(payload, &["/status_changed_at"]),
        ..of_project(payload)
    })
}

fn release(payload: &Value) -> Result<Change, Ignored> {
    let action = text(payload, "/action").unwrap_or_default();
    if action != "create" {
        return Err(event(format!("release {action}")));
    }
    let name = text(payload, "/project/name").unwrap_or_default();
    let tag = text(payload, "/tag").unwrap_or_default();
    Ok(Change {
        source_id: text(payload, "/id").map(|id| format!("release/{id}")),
        kind: "release".to_owned(),
        text: format!("{name} {tag} was released").trim().to_owned(),
        link: first(payload, &["/url", "/project/web_url"]),
        occurred_at: time_at(payload, &["/released_at", "/created_at"]),
        author: first(payload, &["/commit/author/name"]),
        ..of_project(payload)
    })
}

/// GitLab states no time of it.
fn feature_flag(payload: &Value) -> Result<Change, Ignored> {
    let flag = text(payload, "/object_attributes/name").ok_or_else(|| event("feature_flag"))?;
    let is_on = text(payload, "/object_attributes/active").as_deref() == Some("true");
    let state = if is_on { "on" } else { "off" };
    Ok(Change {
        kind: "feature_flag".to_owned(),
        object: Some(format!("flag/{flag}")),
        text: format!("the flag {flag} was turned {state}"),
        ..of_project(payload)
    })
}

fn push(payload: &Value) -> Result<Change, Ignored> {
    let branch = text(payload, "/ref").unwrap_or_default();
    let branch = branch.strip_prefix("refs/heads/").unwrap_or_default().to_owned();
    let default = text(payload, "/project/default_branch").unwrap_or_default();
    let after = text(payload, "/after").unwrap_or_default();
    let is_deleted = after.bytes().all(|digit| digit == b'0');
    if branch.is_empty() || branch != default || is_deleted {
        return Err(event("push to another branch"));
    }
    let last = payload.get("commits").and_then(Value::as_array).and_then(|list| list.last());
    let last = last.unwrap_or(&Value::Null);
    let count = first(payload, &["/total_commits_count"]).unwrap_or_default();
    let message = first(last, &["/title", "/message"]).unwrap_or_default();
    Ok(Change {
        source_id: Some(format!("push/{branch}/{after}")),
        kind: "commit".to_owned(),
        text: format!(
            "{count} commits were pushed to {branch}, the last one {}: {}",
            short_commit(&after),
            first_line(&message)
        ),
        link: first(last, &["/url"]).or_else(|| text(payload, "/project/web_url")),
        occurred_at: time_at(last, &["/timestamp"]),
        ..of_project(payload)
    })
}
