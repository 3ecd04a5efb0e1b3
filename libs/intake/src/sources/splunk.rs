//! Alerts of Splunk, as its webhook alert action sends them: "Use a webhook alert action",
//! <https://help.splunk.com/splunk-enterprise/alert-and-respond/alerting-manual/10.0/configure-alert-actions/use-a-webhook-alert-action>.
//! The action has no headers of its own: its address has the secret. Splunk sends nothing when a problem is over.

use serde_json::Value;

use super::members::first_text;
use crate::alert::Draft;
use crate::fingerprint::digest;
use crate::json::{Node, ParseError};
use crate::labels::Labels;
use crate::names::fill_from_labels;
use crate::received::{Group, Received};
use crate::time::{self, Time};

/// Fields of a result that say when its event was, or how it was indexed.
const OF_TIME: &str = "date_";
const OF_INDEX: [&str; 6] =
    ["linecount", "timestartpos", "timeendpos", "splunk_server", "eventtype", "punct"];
const SEVERITIES: [&str; 4] = ["severity", "urgency", "priority", "level"];

pub(crate) fn receive(source: &str, payload: &Value) -> Result<Received, ParseError> {
    let root = Node::root(payload);
    root.object()?;
    let result = root.at("result");
    let search = root.at("search_name").text();
    let app = root.at("app").text().unwrap_or_default();
    let fields = fields(&result);
    let object = first_text(&result, &["host", "service", "source", "sourcetype"]);
    let message = first_text(&result, &["message", "summary", "description", "_raw"]);
    let mut draft = Draft {
        title: match (&search, &object) {
            (Some(search), Some(object)) => Some(format!("{search}: {object}")),
            (Some(search), None) => Some(search.clone()),
            (None, _) => message.clone(),
        },
        severity: first_text(&result, &SEVERITIES),
        labels: labels(&root, &fields),
        fingerprint: search.as_deref().and_then(|search| fingerprint(&app, search, &fields)),
        group_key: search.as_ref().map(|search| format!("search:{app}/{search}")),
        source_id: root.at("sid").text(),
        starts_at: result.at("_time").time(),
        notes: root.notes(),
        raw: root.raw(),
        ..Draft::default()
    };
    if let Some(message) = message {
        draft.annotations.insert("message".to_owned(), message.chars().take(4_000).collect());
    }
    fill_from_labels(&mut draft);
    draft.link("Results", root.at("results_link").text().as_deref());
    Ok(Received::Alerts(Group::of(vec![draft.finish(source)])))
}

/// The fields of the first result, but those of Splunk itself.
fn fields<'a>(result: &Node<'a>) -> Vec<(String, Node<'a>)> {
    let names =
        result.value().and_then(Value::as_object).into_iter().flat_map(|result| result.keys());
    let names = names.filter(|name| {
        !name.starts_with('_') && !name.starts_with(OF_TIME) && !OF_INDEX.contains(&name.as_str())
    });
    names.map(|name| (name.clone(), result.at(name))).collect()
}

/// The search and the words of its result: counts and times differ each time that it finds the same. Without words, what was
/// sent as a whole.
fn fingerprint(app: &str, search: &str, fields: &[(String, Node<'_>)]) -> Option<String> {
    let mut words: Vec<String> = fields
        .iter()
        .filter_map(|(name, node)| {
            let value = node.text()?;
            let is_word = value.trim().parse::<f64>().is_err() && !is_time(&value);
            let is_severity = SEVERITIES.contains(&name.as_str());
            (is_word && !is_severity).then(|| format!("{name}={value}"))
        })
        .collect();
    words.sort();
    let parts = [app, search].into_iter().chain(words.iter().map(String::as_str));
    (!words.is_empty()).then(|| digest(parts))
}

fn is_time(text: &str) -> bool {
    matches!(time::read(text), Time::At(_) | Time::Unzoned(_))
}

fn labels(
    root: &Node<'_>,
    fields: &[(String, Node<'_>)],
) -> std::collections::BTreeMap<String, String> {
    let mut labels = Labels::default();
    labels.add_text("search", &root.at("search_name"));
    labels.add_text("splunk_app", &root.at("app"));
    labels.add_text("owner", &root.at("owner"));
    for (name, node) in fields {
        labels.add_text(name, node);
    }
    labels.done()
}
