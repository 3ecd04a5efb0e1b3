//! What the text of an alert and its labels say about it, beside its title.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::alert::short;
use crate::label_names::{CLUSTER, NAMESPACE, SERVICE, SEVERITY};
use crate::limits::{MAX_NAME, MAX_SEVERITY};
use crate::names::first;
use crate::usual;

/// Where in the JSON of an alert its facts are, the most exact place first.
const PLACES: [&str; 17] = [
    "",
    "/labels",
    "/commonLabels",
    "/alerts/0",
    "/alerts/0/labels",
    "/annotations",
    "/commonAnnotations",
    "/payload",
    "/payload/custom_details",
    "/alert",
    "/alert/labels",
    "/event",
    "/tags",
    "/data",
    "/data/labels",
    "/data/essentials",
    "/metadata",
];
/// How many brackets of a text are tried for the begin of its JSON.
const MAX_TRIES: usize = 4;

/// Facts about an alert; none that is not stated.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stated {
    /// In lower case, as the sender writes it.
    pub severity: Option<String>,
    pub service: Option<String>,
    pub namespace: Option<String>,
    pub cluster: Option<String>,
}

/// What labels, and the JSON that a text is or has in it, state by the usual names. Labels come first.
pub fn stated_in(labels: &BTreeMap<String, String>, text: &str) -> Stated {
    let json = json_in(text);
    let find = |names: &[&str], most| {
        let of_labels = first(labels, names);
        short(of_labels.or_else(|| in_json(json.as_ref()?, names)), most)
    };
    let usual = json.as_ref().map(usual::facts).unwrap_or_default();
    let [severity, service, namespace, cluster] = usual;
    Stated {
        severity: find(&SEVERITY, MAX_SEVERITY)
            .or_else(|| short(severity, MAX_SEVERITY))
            .map(|word| word.to_lowercase()),
        service: find(&SERVICE, MAX_NAME).or_else(|| short(service, MAX_NAME)),
        namespace: find(&NAMESPACE, MAX_NAME).or_else(|| short(namespace, MAX_NAME)),
        cluster: find(&CLUSTER, MAX_NAME).or_else(|| short(cluster, MAX_NAME)),
    }
}

/// The first object or list of a text; what stands around it, such as a fence of Markdown, is no part of it.
fn json_in(text: &str) -> Option<Value> {
    let begins = text.match_indices(['{', '[']).take(MAX_TRIES);
    let mut found = begins.filter_map(|(at, _)| {
        let rest = text.get(at..)?;
        let mut values = serde_json::Deserializer::from_str(rest).into_iter::<Value>();
        let value = values.next()?.ok()?;
        match value {
            Value::Object(_) => Some(value),
            Value::Array(list) => list.into_iter().find(Value::is_object),
            _ => None,
        }
    });
    found.next()
}

fn in_json(json: &Value, names: &[&str]) -> Option<String> {
    let mut objects = PLACES.iter().filter_map(|place| json.pointer(place)?.as_object());
    objects.find_map(|object| {
        names.iter().find_map(|name| {
            let mut members = object.iter().filter(|(member, _)| member.eq_ignore_ascii_case(name));
            members.find_map(|(_, value)| text_of(value))
        })
    })
}

fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.replace('\0', "")).filter(|text| !text.trim().is_empty()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn of(text: &str) -> [Option<String>; 4] {
        let Stated { severity, service, namespace, cluster } = stated_in(&BTreeMap::new(), text);
        [severity, service, namespace, cluster]
    }

    #[test]
    fn facts_are_read_from_the_json_of_a_text() {
        let all = ["critical", "checkout", "shop", "eu-1"].map(|text| Some(text.to_owned()));
        let facts = json!({"severity": "Critical", "service": "checkout", "namespace": "shop", "cluster": "eu-1"});
        for json in [
            facts.clone(),
            json!({"status": "firing", "labels": facts}),
            json!({"commonLabels": facts, "alerts": [{"labels": {"severity": "info"}}]}),
            json!({"alerts": [{"labels": facts}]}),
            json!([{"payload": facts}]),
            json!({"Severity": "critical", "App": "checkout", "labels": {"kube_namespace": "shop"},
                "metadata": {"k8s.cluster.name": "eu-1"}}),
        ] {
            assert_eq!(of(&json.to_string()), all, "{json}");
            assert_eq!(
                of(&format!("Please look [urgent]:\n```json\n{json:#}\n```\nThanks")),
                all,
                "{json}"
            );
        }
        assert_eq!(of(r#"{"priority": 2}"#)[0].as_deref(), Some("2"));
        for text in
            ["", "severity: critical", "{", "[1, 2]", r#"{"severity": " ", "service": {"x": 1}}"#]
        {
            assert_eq!(of(text), [None, None, None, None], "{text}");
        }
    }

    #[test]
    fn labels_count_before_the_text_and_what_is_too_long_is_cut() {
        let labels = BTreeMap::from([("severity".to_owned(), "Page".to_owned())]);
        let text = json!({"severity": "info", "service": "x".repeat(300)}).to_string();
        let stated = stated_in(&labels, &text);
        assert_eq!(stated.severity.as_deref(), Some("page"));
        assert_eq!(stated.service.unwrap().len(), MAX_NAME);
    }
}
