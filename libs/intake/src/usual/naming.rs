//! What an alert of no known form is called, and what it is about.

use serde_json::Value;

use super::members::{Member, Members, joined, words};
use super::titles::without_state;

/// The members that name an alert by themselves.
const TITLES: [&str; 5] = ["title", "headline", "summary", "subject", "entitydisplayname"];
/// What has a name or is one, such as `monitorFriendlyName` and `rule`.
const SUBJECTS: [&str; 25] = [
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
    "job",
    "workflow",
    "pipeline",
    "playbook",
    "task",
    "budget",
    "build",
    "connection",
    "deployment",
];
/// What watches something, whose alias is its name.
const WATCHERS: [&str; 5] = ["check", "monitor", "probe", "sensor", "site"];
/// Whose name says nothing of what an alert is about.
const OWNERS: [&str; 19] = [
    "project",
    "environment",
    "cluster",
    "namespace",
    "region",
    "account",
    "organization",
    "organisation",
    "company",
    "user",
    "owner",
    "team",
    "customer",
    "tenant",
    "workspace",
    "webhook",
    "subscription",
    "location",
    "network",
];
/// How the names of members end that a thing with a name has beside it.
const BESIDE: [&str; 5] = ["id", "ip", "arn", "uid", "key"];
/// Why something ran, and not why it failed.
const OF_A_RUN: [&str; 5] =
    ["runreason", "triggerreason", "buildreason", "schedulereason", "runcause"];
/// Members that are such a name themselves.
const PLAIN_SUBJECTS: [&str; 8] =
    ["alert", "rule", "alarm", "check", "monitor", "policy", "condition", "detector"];
const NAMES: [&str; 3] = ["friendlyname", "displayname", "name"];
/// Texts about what is wrong.
const TEXTS: [&str; 15] = [
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
    "alerttype",
];
/// What the alert is about, the most exact first.
pub(super) const HOSTS: [&str; 20] = [
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
    "fqdn",
    "client",
    "devicename",
    "instancename",
    "computername",
    "machinename",
    "vmname",
];
pub(super) const OBJECTS: [&str; 15] = [
    "entityname",
    "entity",
    "targetname",
    "resourcename",
    "resource",
    "impactedentity",
    "involvedobject",
    "subjectname",
    "objectname",
    "objname",
    "cmdbci",
    "configurationitem",
    "resourcedisplayname",
    "affectedresource",
    "monitoredentity",
];
/// Lists of such names.
const LISTED: [&str; 9] = [
    "hosts",
    "instances",
    "nodes",
    "servers",
    "devices",
    "entities",
    "resources",
    "impactedentities",
    "violations",
];
/// The most names of such a list that are read.
const MAX_LISTED: usize = 5;
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
    headline(members).map(|title| without_state(&title))
}

/// What the alert is called, as its sender writes it.
pub(super) fn headline(members: &Members<'_>) -> Option<String> {
    let own = |member: &&Member<'_>| member.is_own && !member.in_list;
    let ends = |names: &'static [&'static str]| {
        names.iter().find_map(|name| {
            let exact = members.iter().filter(own).filter(|one| one.name == *name).find_map(line);
            let ending = || members.iter().filter(own).filter(|one| one.ends(name)).find_map(line);
            exact.or_else(ending)
        })
    };
    if let Some(title) = ends(&TITLES) {
        return Some(title);
    }
    let name = subject(members);
    let text = ends(&TEXTS);
    if name.is_none() && text.is_none() {
        // Where no object is known to be the alert, the highest one that has a title is.
        let any = |names: &'static [&'static str]| {
            let mut found =
                members.iter().filter(|member| names.iter().any(|name| member.ends(name)));
            found.find_map(line)
        };
        return any(&TITLES).or_else(|| any(&TEXTS));
    }
    match (name, text) {
        (Some(name), Some(text)) if text.contains(&name) => Some(text),
        (Some(name), Some(text)) if text.chars().count() <= MAX_JOINED => {
            Some(format!("{name}: {text}"))
        }
        (name, text) => name.or(text),
    }
}

/// The first line of a text with something to see.
fn line(member: &Member<'_>) -> Option<String> {
    let text = member.text().filter(|text| !text.starts_with("http"))?;
    if OF_A_RUN.contains(&member.name.as_str()) {
        return None;
    }
    let line = first_line(&text)?;
    // A lone word for machines says less than a name.
    let is_word = member.is("event") || member.is("alerttype");
    let is_sentence = line.contains(char::is_whitespace) || !is_word;
    is_sentence.then(|| line.to_owned())
}

/// The first line that says something: neither a sender at its machine nor the heading of a list.
fn first_line(text: &str) -> Option<&str> {
    let has_text = |line: &&str| line.chars().any(char::is_alphanumeric);
    let mut lines = text.lines().map(str::trim).filter(has_text).peekable();
    let first = *lines.peek()?;
    if machine_of(first).is_none() {
        return Some(first);
    }
    let rest: Vec<&str> = lines.skip(1).collect();
    let second = rest.first().copied();
    match (second.filter(|line| line.ends_with(':')), rest.get(1)) {
        (Some(_), Some(entry)) => Some(entry.trim_start_matches(['*', '-', '•', ' '])),
        _ => second.or(Some(first)),
    }
}

/// The machine of a line that is a sender and its machine alone, such as `Backups @ web-3`.
fn machine_of(line: &str) -> Option<&str> {
    let (sender, machine) = line.split_once(" @ ")?;
    let is_word = |text: &str| !text.is_empty() && !text.contains([' ', '@', ':']);
    (is_word(sender) && is_word(machine)).then_some(machine)
}

/// The name of the rule, check or monitor that the alert is of.
pub(super) fn subject(members: &Members<'_>) -> Option<String> {
    let is_named = |member: &&Member<'_>| {
        let of =
            |name: &str| NAMES.iter().find_map(|end| name.strip_suffix(end)).map(str::to_owned);
        let is_subject = |text: &str| SUBJECTS.iter().any(|subject| text.ends_with(subject));
        let by_name = of(&member.name).is_some_and(|rest| is_subject(&rest));
        let watcher = member.full.strip_suffix("alias").unwrap_or_default();
        by_name
            || WATCHERS.contains(&watcher)
            || of(&member.full).is_some_and(|rest| is_subject(&rest))
    };
    let own = |member: &&Member<'_>| !member.in_list;
    let named = members.iter().filter(own).filter(is_named).find_map(Member::text);
    let is_subject =
        |member: &&Member<'_>| member.is_own && PLAIN_SUBJECTS.contains(&member.name.as_str());
    // The name of an event of Kubernetes says nothing.
    let is_event = members.iter().any(|member| member.full.starts_with("involvedobject"));
    let plain = |member: &&Member<'_>| member.is_own && member.full == "name" && !is_event;
    let of_object = |member: &&Member<'_>| member.is_own && member.name == "name" && !is_event;
    named
        .or_else(|| members.iter().filter(own).filter(is_subject).find_map(Member::text))
        .or_else(|| members.iter().filter(own).filter(plain).find_map(Member::text))
        .or_else(|| members.iter().filter(own).filter(of_object).find_map(Member::text))
}

/// The machine and the object that the alert is about, with the names of their labels.
pub(super) fn objects(members: &Members<'_>) -> Vec<(&'static str, String)> {
    let is_name =
        |text: &String| !text.contains("://") && text.len() <= 253 && !text.contains('\n');
    // A client with a page is a product.
    let is_product = |member: &Member<'_>| {
        member.name == "client" && members.iter().any(|one| one.name == "clienturl")
    };
    let first = |names: &[&str]| {
        let has_name = |member: &&Member<'_>| {
            member.full.strip_suffix("name").is_some_and(|of| names.contains(&of))
        };
        let fits = members.named(names).chain(members.iter().filter(has_name));
        fits.filter(|member| !is_product(member)).filter_map(Member::text).find(is_name)
    };
    let longer = || {
        let mut named = members.iter().filter(|one| !one.in_list && one.name.ends_with("hostname"));
        named.find_map(Member::text).filter(is_name)
    };
    let host = first(&HOSTS)
        .or_else(longer)
        .or_else(|| members.named(&LISTED).find_map(listed))
        .or_else(|| letterhead(members));
    let object = first(&OBJECTS).filter(|object| host.as_ref() != Some(object));
    let found: Vec<_> = host
        .map(|host| ("host", host))
        .into_iter()
        .chain(object.map(|object| ("resource", object)))
        .collect();
    if !found.is_empty() {
        return found;
    }
    let other = || Some(("resource", thing(members).filter(is_name)?));
    sender(members, is_name).or_else(other).into_iter().collect()
}

/// The machine in the first line of a text.
fn letterhead(members: &Members<'_>) -> Option<String> {
    let mut texts = members.iter().filter(|one| one.is_own && TEXTS.contains(&one.name.as_str()));
    texts.find_map(|one| machine_of(one.text()?.lines().next()?.trim()).map(str::to_owned))
}

/// The name of what has an id, an address or the like beside it, such as `GroupName` beside `GroupARN`.
fn thing(members: &Members<'_>) -> Option<String> {
    let own = |member: &&Member<'_>| member.is_own && !member.in_list;
    let mut named = members.iter().filter(own).filter(|member| {
        let Some(stem) = member.name.strip_suffix("name").filter(|stem| stem.len() > 2) else {
            return false;
        };
        let has_more = members.iter().filter(own).any(|one| {
            let end = one.name.strip_prefix(stem);
            one.depth == member.depth && end.is_some_and(|end| BESIDE.contains(&end))
        });
        has_more && !OWNERS.iter().chain(&SUBJECTS).any(|word| stem.ends_with(word))
    });
    named.find_map(Member::text)
}

/// The names of a list, or of the members of an object that has a list for each of them.
fn listed(member: &Member<'_>) -> Option<String> {
    let names: Vec<&str> = match member.node.value()? {
        Value::Array(entries) => {
            entries.iter().take(MAX_LISTED).filter_map(Value::as_str).collect()
        }
        Value::Object(lists) => lists.keys().take(MAX_LISTED).map(String::as_str).collect(),
        _ => return None,
    };
    (!names.is_empty()).then(|| names.join(","))
}

/// What some tools call the source of an alert.
fn sender(
    members: &Members<'_>,
    is_name: impl Fn(&String) -> bool,
) -> Option<(&'static str, String)> {
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
