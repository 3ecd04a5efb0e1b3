//! What an alert of no known form is called, and what it is about.

use super::members::{Member, Members, joined, words};
use super::state::without_state;

/// The members that name an alert by themselves.
const TITLES: [&str; 4] = ["title", "headline", "summary", "subject"];
/// What has a name or is one, such as `monitorFriendlyName` and `rule`.
const SUBJECTS: [&str; 16] = [
    "alert",
    "rule",
    "check",
    "monitor",
    "incident",
    "problem",
    "condition",
    "detector",
    "trigger",
    "event",
    "search",
    "policy",
    "alarm",
    "endpoint",
    "issue",
    "operation",
];
const NAMES: [&str; 3] = ["friendlyname", "displayname", "name"];
/// Texts about what is wrong.
const TEXTS: [&str; 14] = [
    "errormessage",
    "message",
    "humanreadable",
    "output",
    "text",
    "reason",
    "cause",
    "description",
    "info",
    "details",
    "errors",
    "error",
    "event",
    "body",
];
/// What the alert is about, the most exact first.
pub(super) const HOSTS: [&str; 13] = [
    "host",
    "hostname",
    "instance",
    "node",
    "nodename",
    "server",
    "servername",
    "computer",
    "machine",
    "vm",
    "device",
    "agentname",
    "hostnameandport",
];
pub(super) const OBJECTS: [&str; 6] =
    ["entityname", "entity", "targetname", "resourcename", "resource", "impactedentity"];
const SERVICES: [&str; 10] = [
    "service",
    "servicename",
    "servicesummary",
    "servicedesc",
    "servicedescription",
    "application",
    "applicationname",
    "app",
    "appname",
    "component",
];
/// Kinds of senders that some tools call the source of an alert.
const SENDERS: [&str; 6] = ["web", "api", "email", "syscall", "webhook", "internal"];
/// The most characters of a text that is joined to a name.
const MAX_JOINED: usize = 160;
/// The words of alerts that are tests of the connection, all together.
const TEST_WORDS: [&str; 12] = [
    "this",
    "is",
    "a",
    "an",
    "test",
    "testing",
    "notification",
    "alert",
    "message",
    "event",
    "webhook",
    "from",
];

/// What the alert is called, without its state.
pub(super) fn title(members: &Members<'_>) -> Option<String> {
    let own = |member: &&Member<'_>| member.is_own && !member.in_list;
    let ends = |names: &'static [&'static str]| {
        names
            .iter()
            .find_map(|name| members.iter().filter(own).filter(|one| one.ends(name)).find_map(line))
    };
    if let Some(title) = ends(&TITLES) {
        return Some(without_state(&title));
    }
    let name = subject(members);
    let text = ends(&TEXTS);
    let title = match (name, text) {
        (Some(name), Some(text)) if text.contains(&name) => Some(text),
        (Some(name), Some(text)) if text.chars().count() <= MAX_JOINED => {
            Some(format!("{name}: {text}"))
        }
        (name, text) => name.or(text),
    };
    title.map(|title| without_state(&title))
}

/// The first line of a text with something to see.
fn line(member: &Member<'_>) -> Option<String> {
    let text = member.text().filter(|text| !text.starts_with("http"))?;
    let line = text.lines().map(str::trim).find(|line| line.chars().any(char::is_alphanumeric))?;
    // A lone word for machines says less than a name.
    let is_sentence = line.contains(char::is_whitespace) || !member.is("event");
    is_sentence.then(|| line.to_owned())
}

/// The name of the rule, check or monitor that the alert is of.
pub(super) fn subject(members: &Members<'_>) -> Option<String> {
    let is_named = |member: &&Member<'_>| {
        let of =
            |name: &str| NAMES.iter().find_map(|end| name.strip_suffix(end)).map(str::to_owned);
        let is_subject = |text: &str| SUBJECTS.iter().any(|subject| text.ends_with(subject));
        let by_name = of(&member.name).is_some_and(|rest| is_subject(&rest));
        by_name || of(&member.full).is_some_and(|rest| is_subject(&rest))
    };
    let own = |member: &&Member<'_>| !member.in_list;
    let named = members.iter().filter(own).filter(is_named).find_map(Member::text);
    let is_subject = |member: &&Member<'_>| {
        member.is_own && ["alert", "rule", "alarm"].contains(&member.name.as_str())
    };
    let plain = |member: &&Member<'_>| member.is_own && member.full == "name";
    named
        .or_else(|| members.iter().filter(own).filter(is_subject).find_map(Member::text))
        .or_else(|| members.iter().filter(own).filter(plain).find_map(Member::text))
}

/// The machine or object that the alert is about, and the name of its label.
pub(super) fn object(members: &Members<'_>) -> Option<(&'static str, String)> {
    let is_name = |text: &String| !text.contains("://") && text.len() <= 253;
    let first = |names: &[&str]| members.named(names).filter_map(Member::text).find(is_name);
    if let Some(host) = first(&HOSTS) {
        return Some(("host", host));
    }
    if let Some(object) = first(&OBJECTS) {
        return Some(("resource", object));
    }
    let of = |member: &&Member<'_>| member.is_own && member.name == "source";
    let source = members.iter().filter(of).find_map(Member::text);
    let source = source
        .filter(is_name)
        .filter(|text| !text.contains(['@', ' ']) && !SENDERS.contains(&joined(text).as_str()))?;
    Some(("source", source))
}

/// The service; several are joined.
pub(super) fn service(members: &Members<'_>) -> Option<String> {
    service_of(members, true)
}

/// The service, also of the entries of lists or not.
pub(super) fn service_of(members: &Members<'_>, in_lists: bool) -> Option<String> {
    members.named(&SERVICES).filter(|one| in_lists || !one.in_list).find_map(|member| {
        let list: Vec<String> = match member.node.value() {
            Some(value) if value.is_array() => member
                .node
                .list()
                .iter()
                .filter_map(|one| one.value()?.as_str())
                .map(str::to_owned)
                .collect(),
            _ => Vec::new(),
        };
        member.text().or_else(|| (!list.is_empty()).then(|| list.join(",")))
    })
}

/// Whether an alert is a test of the connection: its title says nothing else, or its kind is one.
pub(super) fn is_test(members: &Members<'_>, title: Option<&str>) -> bool {
    let kinds = ["type", "event", "action", "eventtype", "alerttype"];
    let kind = members
        .named(&kinds)
        .filter(|member| member.depth == 0)
        .filter_map(Member::text)
        .any(|kind| ["test", "ping", "verification"].contains(&kind.to_lowercase().as_str()));
    let of_title = title.map(words).unwrap_or_default();
    let is_test_word = |word: &String| TEST_WORDS.contains(&word.as_str());
    let has_test = of_title.iter().any(|word| word.starts_with("test"));
    kind || (has_test && of_title.len() > 1 && of_title.iter().all(is_test_word))
}
