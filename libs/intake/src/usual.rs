//! Alerts of no known form, read by the names that tools usually give to the same things: of tools that TARSy does not know, and
//! of other versions and settings of those that it does (docs/adr/0118).

mod identity;
mod members;
mod naming;
mod state;

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde_json::Value;

use self::members::{Member, Members, words};
use crate::alert::{Content, Draft, Status};
use crate::json::Node;
use crate::labels::Labels;
use crate::limits::{MAX_ALERTS, MAX_LABEL_VALUE};
use crate::names::fill_from_labels;

/// Lists of alerts.
const LISTS: [&str; 7] =
    ["alerts", "messages", "events", "incidents", "problems", "notifications", "records"];
/// Objects whose members are labels.
const LABELS: [&str; 9] = [
    "labels",
    "commonlabels",
    "tags",
    "dimensions",
    "customdetails",
    "customproperties",
    "properties",
    "fields",
    "outputfields",
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
const STARTS: [&str; 24] = [
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
const EXACT: usize = 13;
const PLAIN: [&str; 6] = ["date", "datetime", "eventtime", "createdat", "createdon", "ts"];
/// Words before the last one of other names for such times, the most exact first, and those last ones.
const BEGUN: [&str; 9] = [
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
const CREATED: [&str; 3] = ["created", "occurred", "raised"];
const OF_TIME: [&str; 7] = ["datetime", "timestamp", "epoch", "time", "date", "at", "on"];
/// Words of the names of other times.
const OTHER: [&str; 5] = ["query", "last", "range", "next", "eval"];
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
    let root = Node::root(payload);
    let list = match payload {
        Value::Array(_) => Some(root.clone()),
        _ => LISTS.iter().map(|name| root.at(name)).find(is_list_of_objects),
    };
    let (alerts, left_out) = match &list {
        Some(list) => list.alerts(MAX_ALERTS),
        None => (vec![root.clone()], 0),
    };
    let around = (list.is_some() && payload.is_object()).then_some(&root);
    let found: Vec<_> = alerts.iter().map(|one| alert(one, around)).collect();
    let is_recognized = !found.is_empty() && found.iter().all(|(_, is_alert)| *is_alert);
    Usual { drafts: found.into_iter().map(|(draft, _)| draft).collect(), left_out, is_recognized }
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
    let list = LISTS.iter().map(|name| root.at(name)).find(is_list_of_objects);
    let list = list.or_else(|| payload.is_array().then(|| root.clone()));
    list.and_then(|list| list.list().into_iter().next()).unwrap_or(root)
}

fn is_list_of_objects(node: &Node<'_>) -> bool {
    let entries = node.value().and_then(Value::as_array);
    entries.is_some_and(|entries| !entries.is_empty() && entries.iter().all(Value::is_object))
}

/// An alert, and whether it has the names of one.
fn alert(node: &Node<'_>, around: Option<&Node<'_>>) -> (Draft, bool) {
    if let Err(error) = node.object() {
        return (Draft::not_understood(node.raw(), &error), false);
    }
    let members = Members::of(node, around);
    let title = naming::title(&members);
    let of_title = || title.as_deref().and_then(state::over_by_title);
    let state = state::state(&members).or_else(of_title);
    let status = state.unwrap_or_default();
    let is_test = naming::is_test(&members, title.as_deref());
    let (starts_at, is_exact) = start(&members);
    let mut draft = Draft {
        source_id: members.first(&["eventid", "deliveryid", "uuid", "id"]),
        severity: state::severity(&members),
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
    let begun = time(members, exact).or_else(|| time_of(members, &BEGUN));
    let sent = || time(members, sent).or_else(|| time_of(members, &CREATED));
    (begun.or_else(sent).or_else(|| time(members, &PLAIN)), begun.is_some())
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
    members.named(names).filter(is_time).find_map(|member| member.node.time())
}

fn labels(members: &Members<'_>) -> BTreeMap<String, String> {
    let mut labels = Labels::default();
    if let Some((name, object)) = naming::object(members) {
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
        let owner = member.full.strip_suffix(&member.name).unwrap_or_default();
        if let Some(value) = value.filter(|_| LABELS.contains(&owner)) {
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
