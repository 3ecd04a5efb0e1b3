//! Alerts of no known form, read by the names that tools usually give to the same things: of tools that TARSy does not know, and
//! of other versions and settings of those that it does (docs/adr/0118).

mod chat;
mod identity;
mod members;
mod naming;
mod opened;
mod spelling;
mod state;
mod titles;

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde_json::Value;

use self::members::{Member, Members, words};
pub(crate) use self::opened::{opened, wrapped};
use crate::alert::{Content, Draft, Status};
use crate::json::Node;
use crate::labels::Labels;
use crate::limits::{MAX_ALERTS, MAX_LABEL_VALUE};
use crate::names::fill_from_labels;

/// Lists of alerts.
const LISTS: [&str; 7] =
    ["alerts", "messages", "events", "incidents", "problems", "notifications", "records"];
/// Those of them whose entries may be what an alert of the payload is about, such as lines of a log.
const ENTRIES: [&str; 4] = ["messages", "events", "notifications", "records"];
/// Objects that may have such a list.
const AROUND: [&str; 6] = ["data", "result", "payload", "body", "content", "detail"];
/// Objects whose members are labels.
const LABELS: [&str; 10] = [
    "labels",
    "commonlabels",
    "tags",
    "dimensions",
    "customdetails",
    "customproperties",
    "properties",
    "fields",
    "outputfields",
    "lines",
];
const CLUSTERS: [&str; 3] = ["cluster", "clustername", "k8sclustername"];
const NAMESPACES: [&str; 4] = ["namespace", "namespacename", "k8snsname", "k8snamespacename"];
/// Members that become labels wherever they stand, by the name of the label.
const KNOWN: [(&str, &[&str]); 9] = [
    ("environment", &["environment", "env"]),
    ("cluster", &CLUSTERS),
    ("namespace", &NAMESPACES),
    ("pod", &["pod", "podname", "k8spodname"]),
    ("container", &["container", "containername"]),
    ("region", &["region"]),
    ("team", &["team", "teamname"]),
    ("project", &["projectname", "projectslug", "project"]),
    ("metric", &["metricname", "metric"]),
];
/// Times when a problem began, the most exact first. The last ones say when something was sent.
const STARTS: [&str; 25] = [
    "startsat",
    "startedat",
    "starttime",
    "startdate",
    "startedon",
    "firedat",
    "fireddatetime",
    "triggeredat",
    "openedat",
    "incidentcreatedat",
    "incidentcreatedon",
    "alertcreatedat",
    "problemcreatedat",
    "activeat",
    "statechangedutctime",
    "statechangedtimestamp",
    "incidenttimeiso",
    "alertdatetime",
    "occurredat",
    "eventtimestamp",
    "executionstart",
    "timestampiso",
    "timestamp",
    "crontimestamp",
    "time",
];
/// How many of these are of the problem itself, and not of a message about it.
const EXACT: usize = 14;
const PLAIN: [&str; 8] =
    ["date", "datetime", "eventtime", "createdat", "createdon", "ts", "issued", "lastoccurtime"];
/// Words before the last one of other names for such times, the most exact first, and those last ones.
const BEGUN: [&str; 12] = [
    "first",
    "firstseen",
    "firstoccur",
    "start",
    "started",
    "begin",
    "begun",
    "trigger",
    "triggered",
    "fired",
    "opened",
    "statechange",
];
const CREATED: [&str; 5] = ["created", "creation", "occurred", "raised", "reported"];
/// How names of times begin that are the first of several.
const FIRST: &str = "first";
const OF_TIME: [&str; 7] = ["datetime", "timestamp", "epoch", "time", "date", "at", "on"];
/// Words of the names of other times.
const OTHER: [&str; 5] = ["query", "last", "range", "next", "eval"];
/// Further such words, for times whose names say nothing of a problem.
const LATER: [&str; 16] = [
    "end", "resolve", "close", "closing", "recover", "cancel", "update", "ack", "expire",
    "process", "until", "prev", "format", "snooze", "due", "modif",
];
const ENDS: [&str; 8] = [
    "endsat",
    "endedat",
    "endtime",
    "enddate",
    "resolvedat",
    "closedat",
    "canceldate",
    "recoveredat",
];
/// Members with texts for people.
const ANNOTATIONS: [&str; 14] = [
    "description",
    "longdescription",
    "resultdescription",
    "message",
    "messagebody",
    "text",
    "output",
    "info",
    "body",
    "cause",
    "reason",
    "errormessage",
    "details",
    "problemdetails",
];
/// Words of the names of links that are no pages about the alert.
const NO_PAGES: [&str; 8] =
    ["icon", "avatar", "unsubscribe", "acknowledge", "callback", "webhook", "api", "subscribe"];
const LINK_WORDS: [&str; 5] = ["url", "link", "href", "page", "permalink"];

/// The alerts of one payload.
#[derive(Debug)]
pub(crate) struct Usual {
    /// At most as many as are received of one request.
    pub(crate) drafts: Vec<Draft>,
    /// How many more there are.
    pub(crate) left_out: u64,
    /// Each has the names of an alert: a title with a state, severity or time, or a key with a state.
    pub(crate) is_recognized: bool,
}

pub(crate) fn read(payload: &Value) -> Usual {
    let opened = opened(payload);
    let flat = chat::flat(&opened);
    let read = flat.as_ref().unwrap_or(&opened);
    let root = Node::root(read);
    let inside = enclosed(payload, &root);
    let (root, envelope) =
        inside.map_or_else(|| (root.clone(), None), |inner| (inner, Some(root.clone())));
    let list = list_of(&root);
    let (alerts, left_out) = match &list {
        Some(list) => list.alerts(MAX_ALERTS),
        None => (vec![root.clone()], 0),
    };
    let around = envelope.as_ref().or((list.is_some() && read.is_object()).then_some(&root));
    let found: Vec<_> = alerts.iter().map(|one| alert(one, around)).collect();
    let is_recognized = !found.is_empty() && found.iter().all(|(_, is_alert)| *is_alert);
    let mut drafts: Vec<Draft> = found.into_iter().map(|(draft, _)| draft).collect();
    if let ([draft], true) = (drafts.as_mut_slice(), list.is_none()) {
        // As it was sent.
        draft.raw = payload.clone();
    }
    Usual { drafts, left_out, is_recognized }
}

/// What stands as JSON in the text of a message: of its times and states, those inside are of the alert.
fn enclosed<'a>(payload: &Value, root: &Node<'a>) -> Option<Node<'a>> {
    let (name, _) = payload
        .as_object()?
        .iter()
        .find(|(name, text)| spelling::joined(name) == "message" && text.is_string())?;
    let inner = root.at(name);
    inner.value().is_some_and(Value::is_object).then_some(inner)
}

/// The list of alerts of a payload; none if the payload is one alert.
fn list_of<'a>(root: &Node<'a>) -> Option<Node<'a>> {
    if root.value().is_some_and(Value::is_array) {
        return Some(root.clone());
    }
    let is_named = || {
        ["title", "subject", "name", "alertname", "saved_search"]
            .iter()
            .any(|name| !root.at(name).is_absent())
    };
    let is_list = |name: &str, node: &Node<'_>| {
        is_list_of_objects(node) && !(ENTRIES.contains(&name) && is_named())
    };
    let direct = LISTS.iter().map(|name| (*name, root.at(name)));
    let inner = AROUND
        .iter()
        .flat_map(|outer| LISTS.iter().map(move |name| (*name, root.at(outer).at(name))));
    direct.chain(inner).find(|(name, node)| is_list(name, node)).map(|(_, node)| node)
}

/// What the first alert of a payload is called.
pub(crate) fn title(payload: &Value) -> Option<String> {
    naming::title(&Members::of(&first_alert(payload), None))
}

/// Severity, service, namespace and cluster of the first alert of a payload.
pub(crate) fn facts(payload: &Value) -> [Option<String>; 4] {
    let node = first_alert(payload);
    let members = Members::of(&node, None);
    let label = |names: &[&str]| members.first(names);
    [state::severity(&members), naming::service(&members), label(&NAMESPACES), label(&CLUSTERS)]
}

fn first_alert(payload: &Value) -> Node<'_> {
    let root = Node::root(payload);
    list_of(&root).and_then(|list| list.list().into_iter().next()).unwrap_or(root)
}

fn is_list_of_objects(node: &Node<'_>) -> bool {
    let entries = node.value().and_then(Value::as_array);
    entries.is_some_and(|entries| entries.iter().any(Value::is_object))
}

/// An alert, and whether it has the names of one.
fn alert(node: &Node<'_>, around: Option<&Node<'_>>) -> (Draft, bool) {
    if let Err(error) = node.object() {
        return (Draft::not_understood(node.raw(), &error), false);
    }
    let members = Members::of(node, around);
    let title = naming::title(&members);
    let of_title = || titles::over_by_title(&naming::headline(&members)?);
    let state = state::state(&members).or_else(of_title);
    let status = state.unwrap_or_default();
    let is_test = naming::is_test(&members, title.as_deref());
    let (starts_at, is_exact) = start(&members);
    let mut draft = Draft {
        source_id: members.first(&["eventid", "deliveryid", "uuid", "id"]),
        severity: state::severity(&members)
            .or_else(|| titles::grade_of(&naming::headline(&members)?)),
        status,
        service: naming::service(&members),
        labels: labels(&members),
        annotations: annotations(&members),
        fingerprint: identity::fingerprint(&members),
        // The time of a message about an end is no start.
        starts_at: starts_at.filter(|_| is_exact || status != Status::Resolved),
        ends_at: time(&members, &ENDS).or(starts_at),
        content: if is_test { Content::Test } else { Content::Problem },
        notes: node.notes(),
        raw: node.raw(),
        title,
        ..Draft::default()
    };
    let has_more = state.is_some() || draft.severity.is_some() || draft.starts_at.is_some();
    let is_named = draft.title.is_some() && has_more;
    let is_alert = is_named || (state.is_some() && identity::has_key(&members));
    fill_from_labels(&mut draft);
    links(&mut draft, &members);
    (draft, is_alert)
}

/// When the problem began, and whether that is the time of the problem itself.
fn start(members: &Members<'_>) -> (Option<Timestamp>, bool) {
    let (exact, sent) = STARTS.split_at(EXACT);
    let begun =
        time(members, exact).or_else(|| first_time(members)).or_else(|| time_of(members, &BEGUN));
    let sent = || time(members, sent).or_else(|| time_of(members, &CREATED));
    let found = begun.or_else(sent).or_else(|| time(members, &PLAIN));
    (
        found.or_else(|| any_time(members, false)).or_else(|| any_time(members, true)),
        begun.is_some(),
    )
}

/// The time of a name such as `firstReceived` or `first_occurrence_timestamp`.
fn first_time(members: &Members<'_>) -> Option<Timestamp> {
    let fits = |member: &&Member<'_>| !member.in_list && member.name.starts_with(FIRST);
    let known = |member: &Member<'_>| member.node.is_time().then(|| member.node.time()).flatten();
    members
        .iter()
        .filter(fits)
        .filter(|one| one.text().is_some_and(|text| text.len() > 6))
        .find_map(known)
}

/// The highest time whose name says nothing else, also of the entries of lists or not.
fn any_time(members: &Members<'_>, in_list: bool) -> Option<Timestamp> {
    let fits = |member: &&Member<'_>| {
        let name = member.name.as_str();
        let is_time = OF_TIME.iter().any(|end| end.len() > 2 && name.contains(end))
            || ["edat", "edon"].iter().any(|end| name.ends_with(end));
        let is_other = OTHER.iter().chain(&LATER).any(|word| name.contains(word));
        member.in_list == in_list && is_time && !is_other && member.text().is_some()
    };
    let known = |member: &Member<'_>| member.node.is_time().then(|| member.node.time()).flatten();
    members.iter().filter(fits).find_map(known)
}

/// A time whose name ends with one of these words and perhaps one for a time, such as `triggerTime` and `created`.
fn time_of(members: &Members<'_>, words: &[&str]) -> Option<Timestamp> {
    let fits = |member: &&Member<'_>| {
        let name = member.name.as_str();
        let stem = OF_TIME.iter().find_map(|end| name.strip_suffix(end)).unwrap_or(name);
        let is_other = OTHER.iter().any(|word| name.contains(word));
        !member.in_list && !is_other && words.iter().any(|word| stem.ends_with(word))
    };
    members.iter().filter(fits).filter(|one| one.text().is_some()).find_map(|one| one.node.time())
}

fn time(members: &Members<'_>, names: &[&str]) -> Option<Timestamp> {
    let is_time = |member: &&Member<'_>| !member.in_list && member.text().is_some();
    // Times of what stands around an alert are of the message.
    let of = |is_around: bool| {
        let mut found =
            members.named(names).filter(|one| one.is_around() == is_around).filter(is_time);
        found.find_map(|member| member.node.time())
    };
    of(false).or_else(|| of(true))
}

fn labels(members: &Members<'_>) -> BTreeMap<String, String> {
    let mut labels = Labels::default();
    for (name, object) in naming::objects(members) {
        labels.add(name, &object);
    }
    for (label, names) in KNOWN {
        if let Some(value) = members.first(names) {
            labels.add(label, &value);
        }
    }
    if let Some(subject) = naming::subject(members) {
        labels.add("check", &subject);
    }
    for member in members.iter() {
        let value = member.text().filter(|text| text.len() <= MAX_LABEL_VALUE);
        if let Some(value) = value.filter(|_| LABELS.contains(&member.owner())) {
            labels.add(&member.written, &value);
        }
        if ["tags", "labels"].contains(&member.name.as_str()) {
            tags(&mut labels, member);
        }
    }
    labels.done()
}

/// Tags as a list of texts, or as one text with commas.
fn tags(labels: &mut Labels, member: &Member<'_>) {
    let of_text = member.text().unwrap_or_default();
    of_text.split(',').for_each(|tag| labels.add_tag(tag));
    let entries = member.node.list();
    let texts = entries.iter().filter_map(|entry| entry.value()?.as_str());
    if of_text.is_empty() {
        texts.for_each(|tag| labels.add_tag(tag));
    }
}

fn annotations(members: &Members<'_>) -> BTreeMap<String, String> {
    let mut annotations = BTreeMap::new();
    let own = |member: &&Member<'_>| member.is_own && !member.in_list && member.text().is_some();
    for member in members.iter().filter(own) {
        let is_text = ANNOTATIONS.iter().any(|name| member.ends(name));
        if is_text && let Some(text) = member.node.annotation() {
            annotations.entry(member.written.clone()).or_insert(text);
        }
    }
    annotations
}

fn links(draft: &mut Draft, members: &Members<'_>) {
    for member in members.iter() {
        let Some(url) = member.text().filter(|text| text.starts_with("http")) else { continue };
        let name = words(&member.written);
        let is_link =
            LINK_WORDS.iter().any(|word| member.ends(word) || name.iter().any(|one| one == word));
        if !is_link || name.iter().any(|word| NO_PAGES.contains(&word.as_str())) {
            continue;
        }
        let rest: Vec<&str> =
            name.iter().map(String::as_str).filter(|word| !LINK_WORDS.contains(word)).collect();
        let title = rest.join(" ");
        let mut letters = title.chars();
        let title = letters.next().map(|c| c.to_uppercase().chain(letters).collect::<String>());
        draft.link(title.as_deref().unwrap_or("Source"), Some(&url));
    }
}
