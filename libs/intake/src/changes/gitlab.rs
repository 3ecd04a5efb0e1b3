//! Webhooks of GitLab: deployments, jobs and pipelines with an environment, releases, tags, feature flags, and what reaches the
//! default branch.

use serde_json::Value;

use super::fields::{event, first, first_line, short_commit, text, time_at};
use crate::change::Change;
use crate::received::Ignored;

/// The states of a deployment that change something.
const STATES: [&str; 3] = ["running", "success", "failed"];

pub(super) fn read(payload: &Value) -> Result<Change, Ignored> {
    // Of a system hook only the other one.
    match first(payload, &["/object_kind", "/event_name"]).unwrap_or_default().as_str() {
        "deployment" => deployment(payload),
        "pipeline" => pipeline(payload),
        "build" => job(payload),
        "release" => release(payload),
        "feature_flag" => feature_flag(payload),
        "push" => push(payload),
        "tag_push" => tag_push(payload),
        "merge_request" => merge_request(payload),
        other => Err(event(other)),
    }
}

fn of_project(payload: &Value) -> Change {
    Change {
        service: Some(name(payload)).filter(|name| !name.is_empty()),
        object: text(payload, "/project/path_with_namespace"),
        author: first(payload, &["/user/username", "/user_username", "/user/name", "/user_name"]),
        link: first(payload, &["/project/web_url", "/repository/homepage"]),
        ..Change::default()
    }
}

/// The last part of a project's path, which services are called by; its name may be any text.
fn name(payload: &Value) -> String {
    let path = first(
        payload,
        &["/project/path_with_namespace", "/project/name", "/project_name", "/repository/name"],
    );
    let path = path.unwrap_or_default();
    path.rsplit('/').next().unwrap_or_default().trim().to_owned()
}

/// What a job or a pipeline is about, where GitLab sends no event of its deployment: the name in front, and how it ended.
fn ended(payload: &Value, what: &str, status: &str, commit: &str) -> String {
    let name = name(payload);
    match status {
        "success" => format!("{name} {} was deployed by {what}", short_commit(commit)),
        _ => format!("deployment of {name} {} by {what} failed", short_commit(commit)),
    }
}

fn pipeline(payload: &Value) -> Result<Change, Ignored> {
    let status = text(payload, "/object_attributes/status").unwrap_or_default();
    let jobs = payload.get("builds").and_then(Value::as_array).into_iter().flatten();
    // A job that waits for somebody, or was left out, deployed nothing.
    let deployed = jobs.filter(|job| {
        let has_run = matches!(text(job, "/status").as_deref(), Some("success" | "failed"));
        has_run && is_start(job)
    });
    let environment = deployed.filter_map(|job| text(job, "/environment/name")).next_back();
    let has_ended = matches!(status.as_str(), "success" | "failed");
    let (true, Some(environment)) = (has_ended, environment) else {
        return Err(event(format!("pipeline {status}")));
    };
    let id = text(payload, "/object_attributes/id").unwrap_or_default();
    let commit = text(payload, "/object_attributes/sha").unwrap_or_default();
    let title = first(payload, &["/commit/title", "/commit/message"]);
    let title = title.map(|title| format!(": {}", first_line(&title))).unwrap_or_default();
    Ok(Change {
        source_id: Some(format!("pipeline/{id}/{status}")),
        kind: "deployment".to_owned(),
        environment: Some(environment),
        text: format!("{}{title}", ended(payload, &format!("pipeline {id}"), &status, &commit)),
        link: first(payload, &["/object_attributes/url", "/commit/url", "/project/web_url"]),
        occurred_at: time_at(
            payload,
            &["/object_attributes/finished_at", "/object_attributes/created_at"],
        ),
        ..of_project(payload)
    })
}

/// Whether a job of an environment deploys to it: others stop, prepare or verify it.
fn is_start(job: &Value) -> bool {
    text(job, "/environment/name").is_some()
        && text(job, "/environment/action").is_none_or(|action| action == "start")
}

fn job(payload: &Value) -> Result<Change, Ignored> {
    let status = text(payload, "/build_status").unwrap_or_default();
    if !matches!(status.as_str(), "success" | "failed") || !is_start(payload) {
        return Err(event(format!("build {status}")));
    }
    let id = text(payload, "/build_id").unwrap_or_default();
    let job = text(payload, "/build_name").unwrap_or_default();
    let commit = first(payload, &["/sha", "/commit/sha"]).unwrap_or_default();
    let message = text(payload, "/commit/message");
    let message = message.map(|text| format!(": {}", first_line(&text))).unwrap_or_default();
    Ok(Change {
        source_id: Some(format!("build/{id}/{status}")),
        kind: "deployment".to_owned(),
        environment: text(payload, "/environment/name"),
        text: format!("{}{message}", ended(payload, &format!("job {job}"), &status, &commit)),
        occurred_at: time_at(
            payload,
            &["/build_finished_at_iso", "/build_finished_at", "/build_started_at"],
        ),
        ..of_project(payload)
    })
}

fn tag_push(payload: &Value) -> Result<Change, Ignored> {
    let tag = text(payload, "/ref").unwrap_or_default();
    let tag = tag.strip_prefix("refs/tags/").unwrap_or_default().to_owned();
    let after = text(payload, "/after").unwrap_or_default();
    if tag.is_empty() || is_nothing(&after) {
        return Err(event("tag_push"));
    }
    let message = text(payload, "/message").map(|text| format!(": {}", first_line(&text)));
    let last = payload.get("commits").and_then(Value::as_array).and_then(|list| list.last());
    Ok(Change {
        source_id: Some(format!("tag/{tag}/{after}")),
        kind: "release".to_owned(),
        text: format!("the tag {tag} of {} was set{}", name(payload), message.unwrap_or_default()),
        occurred_at: last.and_then(|commit| time_at(commit, &["/timestamp"])),
        ..of_project(payload)
    })
}

/// Whether a commit stands for none: what follows a deletion.
fn is_nothing(commit: &str) -> bool {
    commit.bytes().all(|digit| digit == b'0')
}

/// What is merged into the default branch. The push that comes beside it has the same id, so that it is recorded once.
fn merge_request(payload: &Value) -> Result<Change, Ignored> {
    let action = text(payload, "/object_attributes/action").unwrap_or_default();
    let branch = text(payload, "/object_attributes/target_branch").unwrap_or_default();
    let default = text(payload, "/project/default_branch").unwrap_or_default();
    let commit = first(
        payload,
        &["/object_attributes/merge_commit_sha", "/object_attributes/last_commit/id"],
    );
    if action != "merge" || branch != default {
        return Err(event(format!("merge_request {action}")));
    }
    let commit = commit.unwrap_or_default();
    let number = text(payload, "/object_attributes/iid").unwrap_or_default();
    let title = text(payload, "/object_attributes/title").unwrap_or_default();
    Ok(Change {
        source_id: Some(format!("push/{branch}/{commit}")),
        kind: "commit".to_owned(),
        text: format!(
            "merge request {number} was merged into {branch} as {}: {}",
            short_commit(&commit),
            first_line(&title)
        ),
        link: first(payload, &["/object_attributes/url", "/project/web_url"]),
        occurred_at: time_at(
            payload,
            &["/object_attributes/merged_at", "/object_attributes/updated_at"],
        ),
        ..of_project(payload)
    })
}

fn deployment(payload: &Value) -> Result<Change, Ignored> {
    let state = text(payload, "/status").unwrap_or_default();
    if !STATES.contains(&state.as_str()) {
        return Err(event(format!("deployment {state}")));
    }
    let name = name(payload);
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
    let name = name(payload);
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
    if branch.is_empty() || branch != default || is_nothing(&after) {
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
            "{count} {} pushed to {branch}, the last one {}: {}",
            if count == "1" { "commit was" } else { "commits were" },
            short_commit(&after),
            first_line(&message)
        ),
        link: first(last, &["/url"]).or_else(|| text(payload, "/project/web_url")),
        occurred_at: time_at(last, &["/timestamp"]),
        ..of_project(payload)
    })
}
