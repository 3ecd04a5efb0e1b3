//! Labels and annotations within the bounds of the record: what is too long is cut, what is too many is folded, and both are
//! noted.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use serde_json::Value;

use crate::label_names;
use crate::limits::{
    MAX_ANNOTATION_BYTES, MAX_ANNOTATIONS, MAX_LABEL_NAME, MAX_LABEL_VALUE, MAX_LABELS,
    MAX_RAW_BYTES,
};
use crate::notes::Notes;

/// The annotation that has the labels that are too many.
const OTHER_LABELS: &str = "other_labels";
/// The name of what has a blank name.
const NO_NAME: &str = "_";
/// The annotations that are kept first.
const FIRST: [&str; 8] = [
    "summary",
    "description",
    "message",
    "title",
    "reason",
    "runbook_url",
    "dashboard_url",
    OTHER_LABELS,
];
const CUT: char = '…';

type Texts = BTreeMap<String, String>;

/// Cuts and folds the labels. What is cut is whole in an annotation, as far as that may be long.
pub(crate) fn labels(labels: Texts, annotations: &mut Texts, notes: &Notes) -> Texts {
    let labels = named(labels, "label", notes);
    let kept = preferred(&labels, MAX_LABELS, label_names::is_known);
    let (kept, folded): (Texts, Texts) =
        labels.into_iter().partition(|(name, _)| kept.contains(name));
    if !folded.is_empty() {
        notes.add(format!(
            "{} labels more than {MAX_LABELS}, kept in the annotation {OTHER_LABELS}",
            folded.len()
        ));
        let mut text = String::new();
        for (name, value) in folded {
            let _ = writeln!(text, "{name}: {value}");
        }
        annotations.insert(OTHER_LABELS.to_owned(), text);
    }
    kept.into_iter()
        .map(|(name, value)| {
            let value = label(&name, value, annotations, notes);
            (name, value)
        })
        .collect()
}

fn label(name: &str, value: String, annotations: &mut Texts, notes: &Notes) -> String {
    let length = value.chars().count();
    if length <= MAX_LABEL_VALUE {
        return value;
    }
    let cut = value.chars().take(MAX_LABEL_VALUE - 1).chain([CUT]).collect();
    let is_taken = annotations.contains_key(name);
    let whole = if is_taken { format!("{name} (label)") } else { name.to_owned() };
    notes.add(format!(
        "label {name:?} has {length} characters and is cut; the annotation {whole:?} has more of it"
    ));
    annotations.insert(whole, value);
    cut
}

/// Cuts the annotations, and leaves out those that are too many; the raw payload has them.
pub(crate) fn annotations(annotations: Texts, notes: &Notes) -> Texts {
    let annotations = named(annotations, "annotation", notes);
    let kept = preferred(&annotations, MAX_ANNOTATIONS, |name| FIRST.contains(&name));
    if annotations.len() > kept.len() {
        let more = annotations.len() - kept.len();
        notes.add(format!(
            "{more} annotations more than {MAX_ANNOTATIONS}, only in the raw payload"
        ));
    }
    let kept = annotations.into_iter().filter(|(name, _)| kept.contains(name));
    kept.map(|(name, value)| {
        let length = value.len();
        let cut = text(value, MAX_ANNOTATION_BYTES);
        if cut.len() < length {
            notes.add(format!(
                "annotation {name:?} has {length} bytes and is cut; the raw payload has all of it"
            ));
        }
        (name, cut)
    })
    .collect()
}

/// What was sent of an alert, as far as it is kept.
pub(crate) fn raw(raw: Value, notes: &Notes) -> Value {
    let length = match &raw {
        Value::String(text) => text.len(),
        json => json.to_string().len(),
    };
    if length <= MAX_RAW_BYTES {
        return raw;
    }
    notes.add(format!("what was sent of it has {length} bytes; {MAX_RAW_BYTES} are kept"));
    let whole = match raw {
        Value::String(text) => text,
        json => json.to_string(),
    };
    Value::String(text(whole, MAX_RAW_BYTES))
}

/// A text of at most so many bytes.
pub(crate) fn text(text: String, most: usize) -> String {
    if text.len() <= most {
        return text;
    }
    let end = text.floor_char_boundary(most - CUT.len_utf8());
    let mut cut = text;
    cut.truncate(end);
    cut.push(CUT);
    cut
}

/// Names within their bound; two that become the same stay apart.
fn named(texts: Texts, what: &str, notes: &Notes) -> Texts {
    let is_bounded = |name: &str| !name.trim().is_empty() && name.chars().count() <= MAX_LABEL_NAME;
    let (mut named, others): (Texts, Texts) =
        texts.into_iter().partition(|(name, _)| is_bounded(name));
    for (name, value) in others {
        let short: String = match name.trim() {
            "" => NO_NAME.to_owned(),
            name => name.chars().take(MAX_LABEL_NAME - 10).chain([CUT]).collect(),
        };
        notes.add(format!("the name of the {what} {short:?} is blank or too long"));
        let mut free = short.clone();
        let mut number = 2_u32;
        while named.contains_key(&free) && number < 1_000 {
            free = format!("{short}{number}");
            number += 1;
        }
        named.insert(free, value);
    }
    named
}

/// The names that are kept of too many: those that come first, then the shorter ones, which people gave rather than tools.
fn preferred(texts: &Texts, most: usize, is_first: impl Fn(&str) -> bool) -> BTreeSet<String> {
    let mut names: Vec<&String> = texts.keys().collect();
    if names.len() > most {
        names.sort_by_key(|name| (!is_first(name), name.len()));
    }
    names.into_iter().take(most).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(pairs: impl IntoIterator<Item = (String, String)>) -> Texts {
        pairs.into_iter().collect()
    }

    #[test]
    fn labels_that_are_too_many_are_folded_and_known_and_short_names_stay() {
        let many = (0..100).map(|n| (format!("label_app_{n:03}"), n.to_string()));
        let usual = [("alertname", "A"), ("kube_cluster_name", "eu"), ("pod", "p")];
        let usual = usual.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let (mut annotations, notes) = (Texts::new(), Notes::default());
        let kept = labels(texts(many.chain(usual)), &mut annotations, &notes);
        assert_eq!(kept.len(), MAX_LABELS);
        for name in ["alertname", "kube_cluster_name", "pod", "label_app_000"] {
            assert!(kept.contains_key(name), "{name}");
        }
        assert_eq!(annotations[OTHER_LABELS].lines().count(), 103 - MAX_LABELS);
        assert_eq!(notes.list(), ["39 labels more than 64, kept in the annotation other_labels"]);
    }

    #[test]
    fn a_long_label_is_cut_and_whole_in_an_annotation() {
        let long = "é".repeat(2_000);
        let mut annotations = texts([("msg".to_owned(), "other".to_owned())]);
        let notes = Notes::default();
        let kept = labels(texts([("msg".to_owned(), long.clone())]), &mut annotations, &notes);
        assert_eq!(kept["msg"].chars().count(), MAX_LABEL_VALUE);
        assert_eq!((annotations["msg"].as_str(), &annotations["msg (label)"]), ("other", &long));
        assert_eq!(notes.list().len(), 1);
    }

    #[test]
    fn names_that_are_blank_or_too_long_stay_apart() {
        let long = "n".repeat(200);
        let names =
            [String::new(), " ".to_owned(), format!("{long}a"), format!("{long}b"), "a".to_owned()];
        let kept = named(texts(names.map(|name| (name.clone(), name))), "label", &Notes::default());
        assert_eq!(kept.len(), 5);
        assert!(
            kept.keys()
                .all(|name| !name.trim().is_empty() && name.chars().count() <= MAX_LABEL_NAME)
        );
    }

    #[test]
    fn annotations_and_raw_payloads_are_cut_between_characters() {
        let notes = Notes::default();
        let long = texts([("a".to_owned(), "é".repeat(MAX_ANNOTATION_BYTES))]);
        let cut = annotations(long, &notes);
        assert!(cut["a"].len() <= MAX_ANNOTATION_BYTES && cut["a"].ends_with(CUT));
        let many = texts((0..70).map(|n| (format!("a{n:02}"), String::new())));
        assert_eq!(annotations(many, &notes).len(), MAX_ANNOTATIONS);
        let Value::String(text) = raw(serde_json::json!(["é".repeat(MAX_RAW_BYTES)]), &notes)
        else {
            panic!("a text");
        };
        assert!(text.len() <= MAX_RAW_BYTES && text.starts_with("[\"é"));
        assert_eq!(notes.list().len(), 3);
    }
}
