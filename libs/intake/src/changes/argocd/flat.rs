//! Templates that send single values, under names that people usually give them.

use serde_json::Value;

use crate::change::Change;
use crate::changes::fields::{event, first, short_commit, text, time_at};
use crate::received::Ignored;

/// How an application ended up, by the last word of a phase, of a status, or of the name of a trigger.
const OUTCOMES: [(&str, &str); 9] = [
    ("succeeded", "was synchronized"),
    ("success", "was synchronized"),
    ("successful", "was synchronized"),
    ("synced", "was synchronized"),
    ("deployed", "was synchronized"),
    ("failed", "could not be synchronized"),
    ("failure", "could not be synchronized"),
    ("error", "could not be synchronized"),
    ("deleted", "was deleted"),
];
/// What a notification is about, which decides whatever else it has.
const TRIGGERS: [&str; 4] = ["/trigger", "/event", "/eventType", "/event_type"];
const PHASES: [&str; 8] = [
    "/phase",
    "/operationPhase",
    "/operation_phase",
    "/operationState",
    "/operation_state",
    "/syncPhase",
    "/state",
    "/status",
];
/// What an application is, not what became of it: of one that is degraded it says nothing.
const SYNC: [&str; 4] = ["/syncStatus", "/sync_status", "/sync", "/sync/status"];
const HEALTH: [&str; 4] = ["/health", "/healthStatus", "/health_status", "/health/status"];
const NAMES: [&str; 9] = [
    "/application",
    "/applicationName",
    "/application_name",
    "/appName",
    "/app_name",
    "/app",
    "/service",
    "/application/name",
    "/app/name",
];
const REVISIONS: [&str; 7] =
    ["/revision", "/commit", "/commitSha", "/commit_sha", "/sha", "/version", "/targetRevision"];
const LINKS: [&str; 7] =
    ["/link", "/url", "/titleLink", "/title_link", "/target_url", "/appUrl", "/app_url"];
const TIMES: [&str; 6] =
    ["/finishedAt", "/finished_at", "/timestamp", "/time", "/deployedAt", "/deployed_at"];

pub(super) fn read(payload: &Value) -> Result<Change, Ignored> {
    let link = first(payload, &LINKS);
    let name = first(payload, &NAMES).or_else(|| link.as_deref().and_then(in_link));
    let name = name.ok_or_else(|| event("no application"))?;
    let outcome = ended(payload)?;
    let revision = first(payload, &REVISIONS).unwrap_or_default();
    let to = if revision.is_empty() {
        String::new()
    } else {
        format!(" to {}", short_commit(&revision))
    };
    let message = first(payload, &["/message", "/description", "/summary"]);
    let message = message.map(|message| format!(": {message}")).unwrap_or_default();
    let time = first(payload, &TIMES);
    // Without a time and a revision the text and the minute decide what is the same.
    let id = time.is_some() || !revision.is_empty();
    let id = id.then(|| format!("{name}/{revision}/{outcome}/{}", time.unwrap_or_default()));
    Ok(Change {
        source_id: id,
        kind: "deployment".to_owned(),
        object: Some(format!("Application/{name}")),
        namespace: first(
            payload,
            &["/namespace", "/destinationNamespace", "/destination/namespace"],
        ),
        cluster: first(payload, &["/cluster", "/clusterName", "/cluster_name"]),
        environment: first(payload, &["/environment", "/env"]),
        author: first(payload, &["/author", "/user", "/initiatedBy", "/initiated_by"]),
        text: format!("application {name} {outcome}{to}{message}"),
        link,
        occurred_at: time_at(payload, &TIMES),
        service: Some(name),
        ..Change::default()
    })
}

fn ended(payload: &Value) -> Result<&'static str, Ignored> {
    if let Some(trigger) = first(payload, &TRIGGERS) {
        return outcome(&trigger).ok_or_else(|| event(trigger));
    }
    let is_degraded = first(payload, &HEALTH).is_some_and(|is| is.eq_ignore_ascii_case("degraded"));
    let sync: &[&str] = if is_degraded { &[] } else { &SYNC };
    let states: Vec<String> =
        PHASES.iter().chain(sync).filter_map(|state| text(payload, state)).collect();
    states.iter().find_map(|state| outcome(state)).ok_or_else(|| event(states.join(" ")))
}

/// By the last word: `on-sync-succeeded`, `app-deployed`, `Sync Failed`. An application that is out of sync, or is being
/// synchronized, has not changed.
fn outcome(state: &str) -> Option<&'static str> {
    let last = state.rsplit(|sign: char| !sign.is_ascii_alphanumeric()).next()?.to_lowercase();
    OUTCOMES.iter().find(|(word, _)| *word == last).map(|(_, outcome)| *outcome)
}

/// The name in the address of an application's page: `…/applications/argocd/checkout?operation=true`.
fn in_link(link: &str) -> Option<String> {
    let (_, path) = link.split_once("/applications/")?;
    let path = path.split(['?', '#']).next()?.trim_end_matches('/');
    path.rsplit('/').next().filter(|name| !name.is_empty()).map(str::to_owned)
}
