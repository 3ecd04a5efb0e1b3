//! Webhooks of GitHub: deployments and their states, workflows that deploy, releases, packages, tags, and what reaches the
//! default branch.

use http::HeaderMap;
use serde_json::Value;

use super::fields::{event, first, first_line, short_commit, text, time_at};
use crate::change::Change;
use crate::received::Ignored;

/// The states of a deployment that change something.
const STATES: [&str; 4] = ["success", "failure", "error", "inactive"];
/// Words of the names of workflows that change what runs; others build and test.
const DEPLOYING: [&str; 6] = ["deploy", "release", "rollout", "rollback", "promote", "publish"];

pub(super) fn read(headers: &HeaderMap, payload: &Value) -> Result<Change, Ignored> {
    let kind = headers.get("x-github-event").and_then(|value| value.to_str().ok());
    match kind.unwrap_or_default() {
        "ping" => Err(Ignored::Ping),
        "deployment" => deployment(payload),
        "deployment_status" => deployment_status(payload),
        "workflow_run" => workflow_run(payload),
        "release" => release(payload),
        "package" | "registry_package" => package(payload),
        "push" => push(payload),
        "create" => created(payload),
        "pull_request" => pull_request(payload),
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

/// A run of a workflow that deploys by its name or file; runs for pull requests only test.
fn workflow_run(payload: &Value) -> Result<Change, Ignored> {
    let conclusion = text(payload, "/workflow_run/conclusion").unwrap_or_default();
    let name = first(payload, &["/workflow_run/name", "/workflow/name"]).unwrap_or_default();
    let path = first(payload, &["/workflow_run/path", "/workflow/path"]).unwrap_or_default();
    let file = path.rsplit('/').next().unwrap_or_default();
    let words = format!("{name} {file}").to_lowercase();
    let is_of_request = text(payload, "/workflow_run/event").is_some_and(|by| by == "pull_request");
    let is_complete = text(payload, "/action").as_deref() == Some("completed");
    let has_ended = matches!(conclusion.as_str(), "success" | "failure" | "timed_out");
    if is_of_request
        || !is_complete
        || !has_ended
        || !DEPLOYING.iter().any(|one| words.contains(one))
    {
        return Err(event(format!("workflow_run {name} {conclusion}")));
    }
    let repository = text(payload, "/repository/name").unwrap_or_default();
    let branch = text(payload, "/workflow_run/head_branch").unwrap_or_default();
    let commit = text(payload, "/workflow_run/head_sha").unwrap_or_default();
    let title =
        first(payload, &["/workflow_run/display_title", "/workflow_run/head_commit/message"]);
    let title = title.map(|title| format!(": {}", first_line(&title))).unwrap_or_default();
    let id = text(payload, "/workflow_run/id").unwrap_or_default();
    let attempt = text(payload, "/workflow_run/run_attempt").unwrap_or_default();
    Ok(Change {
        source_id: Some(format!("workflow_run/{id}/{attempt}")),
        kind: "deployment".to_owned(),
        text: format!(
            "workflow {name} of {repository} ended as {conclusion}, {branch} {}{title}",
            short_commit(&commit)
        ),
        link: first(payload, &["/workflow_run/html_url", "/repository/html_url"]),
        occurred_at: time_at(
            payload,
            &["/workflow_run/updated_at", "/workflow_run/run_started_at"],
        ),
        author: first(
            payload,
            &["/workflow_run/triggering_actor/login", "/workflow_run/actor/login", "/sender/login"],
        ),
        ..of_repository(payload)
    })
}

/// Both names of the event have the same members below their own.
fn package(payload: &Value) -> Result<Change, Ignored> {
    let action = text(payload, "/action").unwrap_or_default();
    if !matches!(action.as_str(), "published" | "updated") {
        return Err(event(format!("package {action}")));
    }
    let package = ["package", "registry_package"].iter().find_map(|name| payload.get(*name));
    let package = package.ok_or_else(|| event("package"))?;
    let name = text(package, "/name").ok_or_else(|| event("package"))?;
    let version = first(
        package,
        &[
            "/package_version/container_metadata/tag/name",
            "/package_version/version",
            "/package_version/name",
        ],
    );
    let version = version.unwrap_or_default();
    Ok(Change {
        source_id: text(package, "/package_version/id").map(|id| format!("package/{id}/{action}")),
        kind: "release".to_owned(),
        text: format!("package {name} {} was {action}", short_commit(&version)),
        link: first(package, &["/package_version/html_url", "/html_url"]),
        occurred_at: time_at(package, &["/package_version/created_at", "/updated_at"]),
        author: first(payload, &["/sender/login"]),
        ..of_repository(payload)
    })
}

/// `create` and `push` report the same tag, in either order.
fn tag(payload: &Value, name: &str) -> Change {
    let repository = text(payload, "/repository/name").unwrap_or_default();
    Change {
        source_id: Some(format!("tag/{name}")),
        kind: "release".to_owned(),
        text: format!("the tag {name} of {repository} was set"),
        link: first(payload, &["/compare", "/repository/html_url"]),
        occurred_at: time_at(payload, &["/repository/pushed_at"]),
        author: first(payload, &["/pusher/name", "/sender/login"]),
        ..of_repository(payload)
    }
}

fn created(payload: &Value) -> Result<Change, Ignored> {
    let kind = text(payload, "/ref_type").unwrap_or_default();
    let name = text(payload, "/ref").unwrap_or_default();
    if kind != "tag" || name.is_empty() {
        return Err(event(format!("create {kind}")));
    }
    Ok(tag(payload, name.strip_prefix("refs/tags/").unwrap_or(&name)))
}

/// What is merged into the default branch. The push that comes beside it has the same id, so that it is recorded once.
fn pull_request(payload: &Value) -> Result<Change, Ignored> {
    let base = text(payload, "/pull_request/base/ref").unwrap_or_default();
    let default =
        first(payload, &["/repository/default_branch", "/pull_request/base/repo/default_branch"]);
    let is_merged = text(payload, "/pull_request/merged").as_deref() == Some("true")
        && text(payload, "/action").as_deref() == Some("closed");
    if !is_merged || Some(&base) != default.as_ref() {
        return Err(event("pull_request"));
    }
    let number = first(payload, &["/number", "/pull_request/number"]).unwrap_or_default();
    let title = text(payload, "/pull_request/title").unwrap_or_default();
    let commit = text(payload, "/pull_request/merge_commit_sha").unwrap_or_default();
    Ok(Change {
        source_id: Some(format!("push/{base}/{commit}")),
        kind: "commit".to_owned(),
        text: format!(
            "pull request {number} was merged into {base} as {}: {}",
            short_commit(&commit),
            first_line(&title)
        ),
        link: text(payload, "/pull_request/html_url"),
        occurred_at: time_at(payload, &["/pull_request/merged_at"]),
        author: first(payload, &["/pull_request/merged_by/login", "/pull_request/user/login"]),
        ..of_repository(payload)
    })
}

fn push(payload: &Value) -> Result<Change, Ignored> {
    let reference = text(payload, "/ref").unwrap_or_default();
    let branch = reference.strip_prefix("refs/heads/").unwrap_or_default().to_owned();
    let default = text(payload, "/repository/default_branch").unwrap_or_default();
    let is_deleted = payload.pointer("/deleted").and_then(Value::as_bool).unwrap_or_default();
    if let (Some(name), false) = (reference.strip_prefix("refs/tags/"), is_deleted) {
        return Ok(tag(payload, name));
    }
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
