//! What occurrences of an alert of no known form have in common.

use super::members::{Member, Members};
use super::naming;
use crate::fingerprint::digest;

/// Keys that senders write for this.
const KEYS: [&str; 10] = [
    "fingerprint",
    "dedupkey",
    "dedupekey",
    "deduplicationkey",
    "deduplicationid",
    "incidentkey",
    "aggregationkey",
    "alertkey",
    "alias",
    "alertuid",
];
/// What is the same until it is over, and how the names of its ids end.
const PROBLEMS: [&str; 8] =
    ["incident", "problem", "issue", "alert", "item", "entity", "originalproblem", "alarm"];
const IDS: [&str; 6] = ["id", "uid", "uuid", "uniqueid", "identifier", "number"];
/// A key of this name may be that of a kind of problems.
const OF_KIND: &str = "aggregationkey";
/// An id of this name may be that of the object that a rule watches.
const OF_OBJECT: &str = "alertid";
/// Ids of what watches, which may watch several objects.
const RULES: [&str; 12] = [
    "monitor",
    "check",
    "sensor",
    "trigger",
    "rule",
    "condition",
    "policy",
    "detector",
    "definition",
    "config",
    "probe",
    "search",
];

/// What has alerts of its own.
const OWNING: [&str; 6] = ["application", "app", "service", "resource", "object", "target"];

/// The sender's own key, else what its ids and names identify; none if they identify nothing.
pub(super) fn fingerprint(members: &Members<'_>) -> Option<String> {
    let single = |member: &&Member<'_>| !member.in_list;
    let first = |names: &'static [&'static str]| {
        let mut found = members.named(names).filter(single);
        found.find_map(|member| Some((member.full.clone(), member.text()?)))
    };
    let object = single_object(members);
    if let Some((name, key)) = first(&KEYS) {
        let of_object = object.filter(|_| name.ends_with(OF_KIND));
        return Some(of_object.map_or(key.clone(), |object| format!("{key}/{object}")));
    }
    if let Some((name, id)) = problem(members) {
        let of_rule = rule(members).filter(|(rule, _)| name == OF_OBJECT && rule == "ruleid");
        return Some(match of_rule {
            Some((_, rule)) => format!("{name}:{id}/{rule}"),
            None => format!("{name}:{id}"),
        });
    }
    if let Some((name, id)) = rule(members) {
        return Some(format!(
            "{name}:{}",
            digest([Some(id), object].iter().flatten().map(String::as_str))
        ));
    }
    let subject = naming::subject(members);
    let has_subject = subject.is_some();
    let parts: Vec<String> =
        [subject, object, naming::service_of(members, false)].into_iter().flatten().collect();
    if has_subject || parts.len() > 1 {
        return Some(format!("names:{}", digest(parts.iter().map(String::as_str))));
    }
    first(&["id", "uid", "eventid"])
        .map(|(_, id)| format!("id:{id}"))
        .or_else(|| named_of_owner(members))
}

/// The title with the ids of what it is about, such as those of an application; none without such an id.
fn named_of_owner(members: &Members<'_>) -> Option<String> {
    let is_id = |member: &&Member<'_>| {
        let stem = member.name.strip_suffix("id").unwrap_or_default();
        member.is_own && !member.in_list && OWNING.contains(&stem)
    };
    let ids: Vec<String> = members.iter().filter(is_id).filter_map(Member::text).collect();
    let title = naming::title(members).filter(|_| !ids.is_empty())?;
    Some(format!("title:{}", digest(std::iter::once(&title).chain(&ids).map(String::as_str))))
}

/// The id of the problem, and its name.
fn problem(members: &Members<'_>) -> Option<(String, String)> {
    PROBLEMS.iter().find_map(|problem| {
        IDS.iter().find_map(|id| {
            let name = format!("{problem}{id}");
            let mut found = members.iter().filter(|one| !one.in_list && one.is(&name));
            found.find_map(Member::text).map(|id| (name.clone(), id))
        })
    })
}

/// The id of what watches, and its name.
fn rule(members: &Members<'_>) -> Option<(String, String)> {
    RULES.iter().find_map(|rule| {
        let of = |name: &str| {
            let stem = name.strip_suffix("uid").or_else(|| name.strip_suffix("id"));
            stem.is_some_and(|stem| stem.ends_with(rule))
        };
        let named =
            |member: &&Member<'_>| !member.in_list && (of(&member.name) || of(&member.full));
        let mut found = members.iter().filter(named);
        found.find_map(|member| Some((member.name.clone(), member.text()?)))
    })
}

/// The object of the alert, if it is not one of several: at the end of an alert lists of objects may be empty.
fn single_object(members: &Members<'_>) -> Option<String> {
    let mut names = members.named(&naming::HOSTS).chain(members.named(&naming::OBJECTS));
    names.find(|member| !member.in_list && member.text().is_some()).and_then(Member::text)
}

/// Whether there is a key of the sender's own.
pub(super) fn has_key(members: &Members<'_>) -> bool {
    members.named(&KEYS).any(|member| member.text().is_some())
}
