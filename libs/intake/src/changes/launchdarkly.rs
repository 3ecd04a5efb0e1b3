//! Webhooks of LaunchDarkly, which are entries of its audit log.

use serde_json::Value;

use super::fields::{event, first, text, time_at};
use crate::change::Change;
use crate::received::Ignored;

/// What decides what users get, by its part of a resource, and as people read it.
const KINDS: [(&str, &str); 3] =
    [("flag", "flag"), ("segment", "segment"), ("aiconfig", "AI config")];
/// Actions that ask for, plan or describe a change instead of making it.
const QUIET: [&str; 8] = [
    "ScheduledChange",
    "FlagLink",
    "Followers",
    "updateDescription",
    "updateName",
    "updateTags",
    "updateMaintainer",
    "updateMaintainerTeam",
];

/// Whether none of its actions changes what users get.
fn is_quiet(payload: &Value) -> bool {
    let accesses = payload.get("accesses").and_then(Value::as_array).into_iter().flatten();
    let actions: Vec<String> = accesses.filter_map(|access| text(access, "/action")).collect();
    let is_quiet = |action: &String| {
        QUIET.iter().any(|quiet| action.contains(quiet))
            || action.contains("ApprovalRequest") && !action.starts_with("apply")
    };
    !actions.is_empty() && actions.iter().all(is_quiet)
}

pub(super) fn read(payload: &Value) -> Result<Change, Ignored> {
    let resource = first(payload, &["/target/resources/0", "/accesses/0/resource"]);
    let resource = resource.ok_or_else(|| event("no resource"))?;
    let part = |name: &str| {
        resource.split(':').find_map(|part| part.strip_prefix(name)?.strip_prefix('/'))
    };
    let found = KINDS.iter().find_map(|(name, shown)| Some((*name, *shown, part(name)?)));
    let Some((kind, shown, flag)) = found.filter(|_| !is_quiet(payload)) else {
        let kind = text(payload, "/kind").unwrap_or_default();
        return Err(event(format!("{kind} {resource}")));
    };
    // Tags follow a name behind a semicolon, and stars stand for all.
    let named = |part: Option<&str>| {
        let name = part?.split(';').next()?;
        Some(name.to_owned()).filter(|name| name != "*")
    };
    let flag = named(Some(flag)).ok_or_else(|| event("all of them"))?;
    let verb = text(payload, "/titleVerb").map(|verb| plain(&verb));
    let name = first(payload, &["/target/name", "/name"]).unwrap_or_else(|| flag.clone());
    let comment = text(payload, "/comment").map(|text| format!(": {text}")).unwrap_or_default();
    let verb = verb.unwrap_or_else(|| {
        let action = text(payload, "/accesses/0/action").unwrap_or_else(|| "changed".to_owned());
        format!("{action} the {shown}")
    });
    let path = first(payload, &["/target/_links/site/href", "/_links/site/href"]);
    Ok(Change {
        source_id: text(payload, "/_id"),
        kind: "feature_flag".to_owned(),
        object: Some(format!("{kind}/{flag}")),
        service: named(part("proj")).filter(|project| project != "default"),
        environment: named(part("env")),
        author: first(payload, &["/member/email", "/token/name", "/app/name", "/subject/name"]),
        link: path.map(|path| {
            if path.starts_with('/') { format!("https://app.launchdarkly.com{path}") } else { path }
        }),
        text: format!("{verb} {name}{comment}"),
        occurred_at: time_at(payload, &["/date"]),
        ..Change::default()
    })
}

/// Markdown links as their words.
fn plain(text: &str) -> String {
    let mut words = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('[') {
        words.push_str(before);
        let Some((shown, behind)) = after.split_once("](") else {
            rest = after;
            continue;
        };
        words.push_str(shown);
        rest = behind.split_once(')').map_or("", |(_, rest)| rest);
    }
    words.push_str(rest);
    words
}
