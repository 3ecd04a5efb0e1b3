//! The members of a payload of no known form, by their names.

use std::collections::VecDeque;

use serde_json::Value;

use super::opened::LINES;
pub(super) use super::spelling::{joined, words};
use crate::json::Node;

/// How deep objects are searched.
const MAX_DEPTH: usize = 7;
/// The most members that are looked at.
const MAX_MEMBERS: usize = 2_000;
/// The most entries of a list that are searched.
const MAX_ENTRIES: usize = 3;
/// Objects that say nothing about what their members are of.
const TRANSPARENT: [&str; 15] = [
    "attributes",
    "payload",
    "body",
    "content",
    "details",
    "metadata",
    "context",
    "result",
    "checkresult",
    "annotations",
    "commonannotations",
    "annotation",
    "essentials",
    "object",
    LINES,
];
/// Objects that are the alert, or what it is about.
const ALERTS: [&str; 18] = [
    "alert",
    "incident",
    "problem",
    "event",
    "issue",
    "item",
    "notification",
    "check",
    "monitor",
    "rule",
    "message",
    "labels",
    "commonlabels",
    "fields",
    "tags",
    "activitylog",
    "trigger",
    "properties",
];
/// Words in the names of other such objects, such as `alert_group`.
const ALERT_WORDS: [&str; 5] = ["alert", "incident", "problem", "issue", "event"];
/// How the names of objects begin or end that hold what another system said, which counts last.
const FOREIGN_BEGINS: [&str; 4] = ["original", "raw", "previous", "parent"];
const FOREIGN_END: &str = "payload";
const FOREIGN_DEPTH: usize = 3;
/// Members that stand for the object that they are of, the best first.
const STAND_FOR: [&str; 6] =
    ["name", "display_value", "displayName", "display_name", "label", "value"];
/// What some senders write behind a name for its value in words, such as `severityString` beside `severity`.
const WRITTEN_OUT: &str = "string";
/// What holds the entries of a list that are a name and a value.
const FIELDS: &str = "fields";
/// Members of the entries of a list that name a value beside them.
const KEYS: [&str; 4] = ["key", "name", "tag", "label"];

/// A value of a payload that is no object.
#[derive(Clone, Debug)]
pub(super) struct Member<'a> {
    /// The name in lower case, without separators, such as `startedat`.
    pub(super) name: String,
    /// The same after the name of the object that it is of, such as `incidentid`.
    pub(super) full: String,
    /// The last part of a name with dots, such as `hostname` of `devices.hostname`; else empty.
    pub(super) last: String,
    /// As it is written.
    pub(super) written: String,
    pub(super) node: Node<'a>,
    pub(super) depth: usize,
    /// It is one of several of its kind.
    pub(super) in_list: bool,
    /// It says something about the alert itself.
    pub(super) is_own: bool,
}

impl Member<'_> {
    pub(super) fn is(&self, name: &str) -> bool {
        self.name == name
            || self.full == name
            || self.last == name
            || self.name.strip_suffix(WRITTEN_OUT) == Some(name)
    }

    /// The name of the object that it is of; empty at the top.
    pub(super) fn owner(&self) -> &str {
        self.full.strip_suffix(&self.name).unwrap_or_default()
    }

    pub(super) fn ends(&self, name: &str) -> bool {
        let before = self.name.strip_suffix(name);
        // A context is no text.
        before.is_some_and(|before| name != "text" || !before.ends_with("con"))
    }

    /// Whether it is of what stands around the alert.
    pub(super) const fn is_around(&self) -> bool {
        self.depth >= MAX_DEPTH
    }

    /// What the sender filled in: a variable without a value often stays as it was written.
    pub(super) fn text(&self) -> Option<String> {
        let is_scalar =
            self.node.value().is_some_and(|value| !value.is_array() && !value.is_object());
        let text = if is_scalar { self.node.text() } else { None }?;
        let text = text.trim();
        let is_variable = text.starts_with('$')
            || (text.starts_with('{') && text.ends_with('}') && !text.contains('"'));
        let is_nothing = ["null", "none", "n/a", "undefined", "unknown", "*unknown*"]
            .contains(&text.to_lowercase().as_str());
        (!is_variable && !is_nothing).then(|| text.to_owned())
    }
}

/// The members of one alert, those that stand highest first.
#[derive(Debug)]
pub(super) struct Members<'a>(Vec<Member<'a>>);

impl<'a> Members<'a> {
    /// The members of an alert, and those of the payload around it.
    pub(super) fn of(alert: &Node<'a>, around: Option<&Node<'a>>) -> Self {
        let mut found = Vec::new();
        walk(alert, 0, &mut found);
        if let Some(around) = around {
            walk(around, MAX_DEPTH, &mut found);
        }
        Self(found)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Member<'a>> {
        self.0.iter()
    }

    /// The text of the first of these names that has one; the best name first.
    pub(super) fn first(&self, names: &[&str]) -> Option<String> {
        self.named(names).find_map(Member::text)
    }

    /// The members with these names, in the order of the names.
    pub(super) fn named(&self, names: &[&str]) -> impl Iterator<Item = &Member<'a>> {
        names.iter().flat_map(move |name| {
            let name = (*name).to_owned();
            self.0.iter().filter(move |member| member.is(&name))
        })
    }
}

/// An object that is still to be searched.
struct Open<'a> {
    node: Node<'a>,
    owner: String,
    depth: usize,
    in_list: bool,
    is_own: bool,
}

fn walk<'a>(root: &Node<'a>, depth: usize, found: &mut Vec<Member<'a>>) {
    let mut open = VecDeque::from([Open {
        node: root.clone(),
        owner: String::new(),
        depth,
        in_list: false,
        is_own: true,
    }]);
    let deepest = depth + MAX_DEPTH;
    while let Some(object) = open.pop_front() {
        let members = object.node.value().and_then(Value::as_object).into_iter().flatten();
        for (written, value) in members {
            if found.len() >= MAX_MEMBERS {
                return;
            }
            let node = object.node.at(written);
            let goes_deeper = object.depth < deepest;
            match value {
                Value::Object(inner) if goes_deeper => {
                    if !inner.is_empty() && inner.values().all(Value::is_array) {
                        // A list for each of several names.
                        found.push(member(&object, written, node.clone()));
                    }
                    found.extend(stands_for(&object, written, &node));
                    open.push_back(self::inner(&object, node, written));
                }
                Value::Array(_) if goes_deeper => {
                    let member = Member { depth: object.depth, ..member(&object, written, node) };
                    entries(&object, &member, &mut open, found);
                    found.push(member);
                }
                _ => found.push(member(&object, written, node)),
            }
        }
    }
}

fn member<'a>(of: &Open<'_>, written: &str, node: Node<'a>) -> Member<'a> {
    let name = joined(written);
    Member {
        full: format!("{}{name}", of.owner),
        last: last_of(written),
        name,
        written: written.to_owned(),
        node,
        depth: of.depth,
        in_list: of.in_list,
        is_own: of.is_own,
    }
}

fn last_of(written: &str) -> String {
    let last = written.rsplit_once('.').map(|(_, last)| joined(last)).unwrap_or_default();
    // These say nothing without what stands before them.
    if ["name", "id", "type"].contains(&last.as_str()) { String::new() } else { last }
}

fn inner<'a>(of: &Open<'_>, node: Node<'a>, written: &str) -> Open<'a> {
    let name = joined(written);
    let is_transparent = is_transparent(&name);
    let is_foreign = FOREIGN_BEGINS.iter().any(|word| name.starts_with(word))
        || (name.ends_with(FOREIGN_END) && !is_transparent);
    let is_alert = ALERTS.contains(&name.as_str())
        || words(written).iter().any(|word| ALERT_WORDS.contains(&word.as_str()));
    Open {
        node,
        depth: of.depth + if is_foreign { FOREIGN_DEPTH } else { 1 },
        in_list: of.in_list,
        is_own: of.is_own && !is_foreign && (is_transparent || is_alert),
        owner: if is_transparent { of.owner.clone() } else { name },
    }
}

fn is_transparent(name: &str) -> bool {
    TRANSPARENT.contains(&name) || name.ends_with("data")
}

/// The name of what a member refers to, such as `{"priority": {"name": "High", "id": 2}}`.
fn stands_for<'a>(of: &Open<'_>, written: &str, node: &Node<'a>) -> Option<Member<'a>> {
    let name = joined(written);
    if is_transparent(&name) || ALERTS.contains(&name.as_str()) {
        return None;
    }
    let mut inner = STAND_FOR.iter().map(|key| node.at(key));
    let value = inner.find(|one| {
        one.value().is_some_and(|value| !value.is_object() && !value.is_array())
            && one.text().is_some()
    })?;
    Some(member(of, written, value))
}

/// Entries that are a name and a value are members; of others the first ones are searched.
fn entries<'a>(
    of: &Open<'_>,
    list: &Member<'a>,
    open: &mut VecDeque<Open<'a>>,
    found: &mut Vec<Member<'a>>,
) {
    let owner = list.name.trim_end_matches('s');
    let holder = Open {
        owner: owner.to_owned(),
        in_list: true,
        ..inner(of, list.node.clone(), list.written.trim_end_matches('s'))
    };
    for (number, entry) in list.node.list().into_iter().enumerate() {
        if found.len() >= MAX_MEMBERS {
            return;
        }
        if let Some((key, value)) = pair(&entry) {
            let fields = Open { in_list: false, ..inner(of, value, FIELDS) };
            found.push(member(&fields, &key, fields.node.clone()));
        } else if number < MAX_ENTRIES && entry.value().is_some_and(Value::is_object) {
            open.push_back(Open {
                node: entry,
                owner: holder.owner.clone(),
                depth: holder.depth,
                in_list: true,
                is_own: holder.is_own,
            });
        }
    }
}

/// The name and the value of an entry such as `{"key": "team", "value": "shop"}` or `["team", "shop"]`.
fn pair<'a>(entry: &Node<'a>) -> Option<(String, Node<'a>)> {
    match entry.value()? {
        Value::Object(object) if object.contains_key("value") => {
            let key = KEYS.iter().find_map(|key| object.get(*key)?.as_str())?;
            Some((key.to_owned(), entry.at("value")))
        }
        Value::Array(parts) => match (parts.as_slice(), entry.list().as_slice()) {
            ([Value::String(key), _], [_, value]) => Some((key.clone(), value.clone())),
            _ => None,
        },
        _ => None,
    }
}
