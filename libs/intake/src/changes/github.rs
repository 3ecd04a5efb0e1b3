//! Webhooks of GitHub: deployments and their states, published releases, and pushes to the default branch.

use http::HeaderMap;
use serde_json::Value;

use super::fields::{event, first, first_line, short_commit, text, time_at};
use crate::change::Change;
use crate::received::Ignored;

/// The states of a deployment that change something.
const STATES: [&str; 4] = ["success", "failure", "error", "inactive"];

pub(super) fn read(headers: &HeaderMap, payload: &Value) -> Result<Change, Ignored> {
    let kind = headers.get("x-github-event").and_then(|value| value.to_str().ok());
    match kind.unwrap_or_default() {
        "ping" => Err(Ignored::Ping),
        "deployment" => deployment(payload),
        "deployment_status" => deployment_status(payload),
        "release" => release(payload),
        "push" => push(payload),
        other => Err(event(other)),
    }
}

/// What all events have in common.
fn of_repository(payload: &Value) -> Change {
    Change {
        service: text(payload, "/repository/name"),
        object: text(payload, "/repository/full_name"),
        author: first(payload, &["/sender/login", "/pusher/name"]),
        link: text(payload, "/repository/html_url"),
        ..Change::default()
    }
}

fn deployment(payload: &Value) -> Result<Change, Ignored> {
    let id = text(payload, "/deployment/id").ok_or_else(|| event("deployment"))?;
    let version = version(payload);
    Ok(Change {
        source_id: Some(format!("deployment/{id}")),
        kind: "deployment".to_owned(),
        environment: text(payload, "/deployment/environment"),
        text: with_description(
            format!("deployment of {version} began"),
            payload,
            "/deployment/description",
        ),
        occurred_at: time_at(payload, &["/deployment/created_at"]),
        author: first(payload, &["/deployment/creator/login", "/sender/login"]),
        ..of_repository(payload)
    })
}

fn deployment_status(payload: &Value) -> Result<Change, Ignored> {
    let state = text(payload, "/deployment_status/state").unwrap_or_default();
    if !STATES.contains(&state.as_str()) {
        return Err(event(format!("deployment_status {state}")));
    }
    let id = first(payload, &["/deployment_status/id", "/deployment/id"]).unwrap_or_default();
    let version = version(payload);
    let outcome = match state.as_str() {
        "success" => format!("{version} was deployed"),
        "inactive" => format!("{version} was replaced"),
        _ => format!("deployment of {version} failed"),
    };
    let environment =
        first(payload, &["/deployment_status/environment", "/deployment/environment"]);
    let link = first(
        payload,
        &["/deployment_status/target_url", "/deployment_status/log_url", "/repository/html_url"],
    );
    Ok(Change {
        source_id: Some(format!("deployment_status/{id}")),
        kind: "deployment".to_owned(),
        environment,
        text: with_description(outcome, payload, "/deployment_status/description"),
        link,
        occurred_at: time_at(
            payload,
            &["/deployment_status/created_at", "/deployment_status/updated_at"],
        ),
        author: first(payload, &["/deployment/creator/login", "/sender/login"]),
        ..of_repository(payload)
    })
}

fn version(payload: &Value) -> String {
    let name = text(payload, "/repository/name").unwrap_or_default();
    let reference = text(payload, "/deployment/ref").unwrap_or_default();
    let commit = text(payload, "/deployment/sha").unwrap_or_default();
    let commit = short_commit(&commit);
    let version = if reference.is_empty() || reference.starts_with(commit) {
        commit.to_owned()
    } else {
        format!("{} ({commit})", short_commit(&reference))
    };
    format!("{name} {version}").trim().to_owned()
}

fn with_description(outcome: String, payload: &Value, pointer: &str) -> String {
    match text(payload, pointer) {
        Some(description) => format!("{outcome}: {description}"),
        None => outcome,
    }
}

/// `published` comes once for each release; `released` and `created` may come beside it.
fn release(payload: &Value) -> Result<Change, Ignored> {
    let action = text(payload, "/action").unwrap_or_default();
    if action != "published" {
        return Err(event(format!("release {action}")));
    }
    let tag = text(payload, "/release/tag_name").unwrap_or_default();
    let name = text(payload, "/release/name").filter(|name| *name != tag);
    let shown = name.map_or(tag.clone(), |name| format!("{tag} ({name})"));
    let repository = text(payload, "/repository/name").unwrap_or_default();
    Ok(Change {
        source_id: text(payload, "/release/id").map(|id| format!("release/{id}")),
        kind: "release".to_owned(),
        text: format!("{repository} {shown} was released").trim().to_owned(),
        link: text(payload, "/release/html_url"),
        occurred_at: time_at(payload, &["/release/published_at", "/release/created_at"]),
        author: first(payload, &["/release/author/login", "/sender/login"]),
        ..of_repository(payload)
    })
}

fn push(payload: &Value) -> Result<Change, Ignored> {
    let branch = text(payload, "/ref").unwrap_or_default();
    let branch = branch.strip_prefix("refs/heads/").unwrap_or_default().to_owned();
    let default = text(payload, "/repository/default_branch").unwrap_or_default();
    let is_deleted = payload.pointer("/deleted").and_then(Value::as_bool).unwrap_or_default();
    if branch.is_empty() || branch != default || is_deleted {
        return Err(event("push to another branch"));
    }
    let commits = payload.get("commits").and_then(Value::as_array).map_or(0, Vec::len);
    let head = text(payload, "/head_commit/message").unwrap_or_default();
    let after = text(payload, "/after").unwrap_or_default();
    Ok(Change {
        source_id: Some(format!("push/{branch}/{after}")),
        kind: "commit".to_owned(),
        text: format!(
            "{commits} {} pushed to {branch}, the last one {}: {}",
            if commits == 1 { "commit was" } else { "commits were" },
            short_commit(&after),
            first_line(&head)
        ),
        link: first(payload, &["/compare", "/head_commit/url"]),
        occurred_at: time_at(payload, &["/head_commit/timestamp"]),
        author: first(payload, &["/pusher/name", "/sender/login"]),
        ..of_repository(payload)
    })
}
