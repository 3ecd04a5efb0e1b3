//! Webhooks of LaunchDarkly, which are entries of its audit log.

use serde_json::Value;

use super::fields::{event, first, text, time_at};
use crate::change::Change;
use crate::received::Ignored;

pub(super) fn read(payload: &Value) -> Result<Change, Ignored> {
    let resource = first(payload, &["/target/resources/0", "/accesses/0/resource"]);
    let resource = resource.ok_or_else(|| event("no resource"))?;
    let part = |name: &str| {
        resource.split(':').find_map(|part| part.strip_prefix(name)?.strip_prefix('/'))
    };
    let Some(flag) = part("flag") else {
        let kind = text(payload, "/kind").unwrap_or_default();
        return Err(event(format!("{kind} {resource}")));
    };
    // Tags follow a name behind a semicolon, and stars stand for all.
    let named = |part: Option<&str>| {
        let name = part?.split(';').next()?;
        Some(name.to_owned()).filter(|name| name != "*")
    };
    let flag = named(Some(flag)).ok_or_else(|| event("all flags"))?;
    let verb = text(payload, "/titleVerb").map(|verb| plain(&verb));
    let name = first(payload, &["/target/name", "/name"]).unwrap_or_else(|| flag.clone());
    let comment = text(payload, "/comment").map(|text| format!(": {text}")).unwrap_or_default();
    let verb = verb.unwrap_or_else(|| {
        let action = text(payload, "/accesses/0/action").unwrap_or_else(|| "changed".to_owned());
        format!("{action} the flag")
    });
    let path = first(payload, &["/target/_links/site/href", "/_links/site/href"]);
    Ok(Change {
        source_id: text(payload, "/_id"),
        kind: "feature_flag".to_owned(),
        object: Some(format!("flag/{flag}")),
        service: named(part("proj")).filter(|project| project != "default"),
        environment: named(part("env")),
        author: first(payload, &["/member/email", "/token/name"]),
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
