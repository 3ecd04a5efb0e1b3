//! Where the fields of an alert stand in a payload that TARSy does not know: JSONPath expressions (RFC 9535).

use std::collections::BTreeMap;

use serde_json::Value;
use serde_json_path::JsonPath;

use super::status_word::status_of;
use crate::alert::{Draft, Status};
use crate::json::Node;
use crate::labels::Labels;
use crate::limits::{MAX_ANNOTATIONS, MAX_LABELS, MAX_LINKS};
use crate::names::fill_from_labels;

/// The most characters of an expression.
const MAX_PATH: usize = 512;
/// Selects values at any depth. One of them visits each value once; a second one, each value for each.
const DESCENDANTS: &str = "..";
/// What is wrong with a mapping.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{key}: {problem}; {fix}")]
pub struct MappingError {
    /// The key, such as `labels.team`.
    pub key: String,
    pub problem: String,
    pub fix: String,
}

/// The expressions of a mapping as an operator writes them. Each is applied to one alert, and the first value that it
/// selects counts; `$['summary','title']` therefore reads `title` where there is no `summary`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Paths {
    /// Selects the alerts of a payload; without it, the payload is one alert.
    pub alerts: Option<String>,
    pub title: Option<String>,
    pub severity: Option<String>,
    pub status: Option<String>,
    pub service: Option<String>,
    pub namespace: Option<String>,
    pub cluster: Option<String>,
    pub fingerprint: Option<String>,
    pub group_key: Option<String>,
    pub id: Option<String>,
    pub starts_at: Option<String>,
    pub ends_at: Option<String>,
    /// Selects an object, whose members with text become labels.
    pub all_labels: Option<String>,
    pub labels: BTreeMap<String, String>,
    pub annotations: BTreeMap<String, String>,
    pub links: BTreeMap<String, String>,
}

/// What a payload calls a status, beside the usual words; the case does not matter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StatusWords {
    pub firing: Vec<String>,
    pub acknowledged: Vec<String>,
    pub resolved: Vec<String>,
}

/// A mapping whose expressions are compiled.
#[derive(Clone, Debug)]
pub struct Mapping {
    alerts: Option<JsonPath>,
    fields: BTreeMap<&'static str, JsonPath>,
    labels: Named,
    annotations: Named,
    links: Named,
    words: StatusWords,
}

type Named = BTreeMap<String, JsonPath>;

impl Mapping {
    /// Compiles the expressions. Returns everything that is wrong with them.
    pub fn new(paths: &Paths, words: StatusWords) -> Result<Self, Vec<MappingError>> {
        let mut errors = Vec::new();
        let alerts = compile("alerts", paths.alerts.as_ref(), &mut errors);
        let mut fields = BTreeMap::new();
        for (key, path) in [
            ("title", &paths.title),
            ("severity", &paths.severity),
            ("status", &paths.status),
            ("service", &paths.service),
            ("namespace", &paths.namespace),
            ("cluster", &paths.cluster),
            ("fingerprint", &paths.fingerprint),
            ("group_key", &paths.group_key),
            ("id", &paths.id),
            ("starts_at", &paths.starts_at),
            ("ends_at", &paths.ends_at),
            ("all_labels", &paths.all_labels),
        ] {
            fields.extend(compile(key, path.as_ref(), &mut errors).map(|path| (key, path)));
        }
        let labels = compile_all("labels", &paths.labels, MAX_LABELS, &mut errors);
        let annotations =
            compile_all("annotations", &paths.annotations, MAX_ANNOTATIONS, &mut errors);
        let links = compile_all("links", &paths.links, MAX_LINKS, &mut errors);
        if !errors.is_empty() {
            return Err(errors);
        }
        Ok(Self { alerts, fields, labels, annotations, links, words })
    }

    /// The alerts of a payload.
    pub(crate) fn read(&self, payload: &Value) -> Vec<Draft> {
        let Some(path) = &self.alerts else { return vec![self.alert(payload)] };
        path.query(payload).all().into_iter().map(|alert| self.alert(alert)).collect()
    }

    fn alert(&self, alert: &Value) -> Draft {
        let alert = &Node::root(alert);
        let mut draft = Draft {
            title: self.node("title", alert).text(),
            severity: self.node("severity", alert).text(),
            status: self.status(&self.node("status", alert)),
            service: self.node("service", alert).text(),
            namespace: self.node("namespace", alert).text(),
            cluster: self.node("cluster", alert).text(),
            labels: self.labels(alert),
            fingerprint: self.node("fingerprint", alert).text(),
            group_key: self.node("group_key", alert).text(),
            source_id: self.node("id", alert).text(),
            starts_at: self.node("starts_at", alert).time(),
            ends_at: self.node("ends_at", alert).time(),
            raw: alert.raw(),
            notes: alert.notes(),
            ..Draft::default()
        };
        for (name, path) in &self.annotations {
            if let Some(text) = selected(name, path, alert).annotation() {
                draft.annotations.insert(name.clone(), text);
            }
        }
        for (title, path) in &self.links {
            let url = selected(title, path, alert).text();
            draft.link(title, url.as_deref());
        }
        fill_from_labels(&mut draft);
        draft
    }

    fn labels(&self, alert: &Node<'_>) -> BTreeMap<String, String> {
        let mut labels = Labels::default();
        let all = self.node("all_labels", alert);
        for (name, value) in all.value().and_then(Value::as_object).into_iter().flatten() {
            // What is no text is no label here: the operator selected an object with other members, too.
            if !value.is_array() && !value.is_object() {
                labels.add_text(name, &all.at(name));
            }
        }
        for (name, path) in &self.labels {
            labels.add_text(name, &selected(name, path, alert));
        }
        labels.done()
    }

    fn node<'a>(&self, key: &str, alert: &Node<'a>) -> Node<'a> {
        match self.fields.get(key) {
            Some(path) => selected(key, path, alert),
            None => Node::named(None, key.to_owned(), alert.notes()),
        }
    }

    fn status(&self, node: &Node<'_>) -> Status {
        let Some(text) = node.text() else { return Status::Firing };
        let text = text.trim().to_lowercase();
        let has = |own: &[String]| own.iter().any(|word| word.to_lowercase() == text);
        let own = [
            (&self.words.firing, Status::Firing),
            (&self.words.acknowledged, Status::Acknowledged),
            (&self.words.resolved, Status::Resolved),
        ];
        let found = own.into_iter().find(|(words, _)| has(words)).map(|(_, status)| status);
        found.or_else(|| status_of(&text)).unwrap_or_else(|| {
            node.unknown("firing; the mapping's status_words can name it");
            Status::Firing
        })
    }
}

/// The first value that an expression selects and that is not null.
fn selected<'a>(key: &str, path: &JsonPath, alert: &Node<'a>) -> Node<'a> {
    let found = alert.value().map(|value| path.query(value).all()).unwrap_or_default();
    let value = found.into_iter().find(|value| !value.is_null());
    Node::named(value, key.to_owned(), alert.notes())
}

fn compile(key: &str, path: Option<&String>, errors: &mut Vec<MappingError>) -> Option<JsonPath> {
    let path = path?;
    let mut wrong = |problem: String, fix: &str| {
        errors.push(MappingError { key: key.to_owned(), problem, fix: fix.to_owned() });
    };
    if path.chars().count() > MAX_PATH {
        wrong("is too long".to_owned(), "write at most 512 characters");
        return None;
    }
    if path.matches(DESCENDANTS).count() > 1 {
        wrong("has more than one `..`".to_owned(), "name the members on the way, such as $.a.b");
        return None;
    }
    match JsonPath::parse(path) {
        Ok(path) => Some(path),
        Err(error) => {
            let problem = format!("is no JSONPath ({error})");
            wrong(problem, "write an expression such as $.alert.title");
            None
        }
    }
}

fn compile_all(
    section: &str,
    paths: &BTreeMap<String, String>,
    most: usize,
    errors: &mut Vec<MappingError>,
) -> Named {
    if paths.len() > most {
        let problem = format!("has {} entries", paths.len());
        let fix = format!("write at most {most}");
        errors.push(MappingError { key: section.to_owned(), problem, fix });
    }
    let compiled = paths.iter().filter_map(|(name, path)| {
        let path = compile(&format!("{section}.{name}"), Some(path), errors)?;
        Some((name.clone(), path))
    });
    compiled.collect()
}
