//! What a person wants, in the plain text of a message.

use serde_json::{Map, Value, json};
use tarsy_domain::id::SessionId;

/// Labels that are fields of an alert.
const FIELDS: [&str; 6] = ["title", "severity", "service", "namespace", "cluster", "runbook"];
/// The longest name of a label.
const MAX_KEY: usize = 64;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Command {
    Investigate(Investigate),
    /// Without a session: of the thread, or else of what runs and what the person asked for.
    Status(Option<SessionId>),
    /// Without a session: that of the thread.
    Ask(Option<SessionId>, String),
    Help,
    Unknown,
}

/// An alert as a person writes it: `TYPE: KEY=VALUE … TEXT`.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Investigate {
    pub(super) alert_type: Option<String>,
    pub(super) labels: Vec<(String, String)>,
    pub(super) text: String,
}

impl Investigate {
    /// The alert, as it is submitted over REST.
    pub(super) fn alert(&self) -> Value {
        let mut alert = Map::new();
        let mut labels = Map::new();
        alert.insert("data".to_owned(), json!(self.text));
        alert.insert("alert_type".to_owned(), json!(self.alert_type));
        for (key, value) in &self.labels {
            let into = if FIELDS.contains(&key.as_str()) { &mut alert } else { &mut labels };
            into.insert(key.clone(), json!(value));
        }
        alert.insert("labels".to_owned(), Value::Object(labels));
        Value::Object(alert)
    }
}

/// Reads a message; `is_type` says which words are types of alerts.
pub(super) fn parse(text: &str, is_type: impl Fn(&str) -> bool) -> Command {
    let (verb, rest) = first_word(text);
    match verb.trim_end_matches([':', ',', '.', '!']).to_lowercase().as_str() {
        "investigate" => Command::Investigate(investigate(rest, is_type)),
        "status" => Command::Status(session_of(first_word(rest).0)),
        "ask" => {
            let (word, question) = first_word(rest);
            match session_of(word) {
                Some(session) => Command::Ask(Some(session), question.to_owned()),
                None => Command::Ask(None, rest.to_owned()),
            }
        }
        "" | "help" | "hello" | "hi" => Command::Help,
        _ => Command::Unknown,
    }
}

/// The first word, and what follows without the white space between.
fn first_word(text: &str) -> (&str, &str) {
    let text = text.trim_start();
    text.split_once(char::is_whitespace).map_or((text, ""), |(word, rest)| (word, rest.trim()))
}

/// A session by its id, or by the address of its page.
fn session_of(word: &str) -> Option<SessionId> {
    let word = word.trim_end_matches([':', ',']);
    word.parse().ok().or_else(|| {
        let (_, behind) = word.rsplit_once("/sessions/")?;
        behind.split(['#', '?', '/']).next()?.parse().ok()
    })
}

fn investigate(text: &str, is_type: impl Fn(&str) -> bool) -> Investigate {
    let mut found = Investigate::default();
    let mut rest = text.trim_start();
    if let Some((word, behind)) = rest.split_once(':')
        && is_type(&word.trim().to_lowercase())
    {
        found.alert_type = Some(word.trim().to_lowercase());
        rest = behind.trim_start();
    }
    while let Some((label, behind)) = label(rest) {
        found.labels.push(label);
        rest = behind.trim_start();
    }
    rest.trim().clone_into(&mut found.text);
    found
}

/// `KEY=VALUE` or `KEY="VALUE WITH SPACES"` at the begin of a text.
fn label(text: &str) -> Option<((String, String), &str)> {
    let (key, behind) = text.split_once('=')?;
    let is_key = !key.is_empty()
        && key.len() <= MAX_KEY
        && key.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && key.chars().all(|sign| sign.is_ascii_alphanumeric() || "_-./".contains(sign));
    if !is_key {
        return None;
    }
    let (value, rest) = match behind.strip_prefix('"') {
        Some(quoted) => quoted.split_once('"')?,
        None => behind.split_at(behind.find(char::is_whitespace).unwrap_or(behind.len())),
    };
    (!value.is_empty()).then(|| ((key.to_owned(), value.to_owned()), rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Command {
        parse(text, |word| ["host", "kubernetes"].contains(&word))
    }

    fn alert(text: &str) -> Value {
        match read(text) {
            Command::Investigate(investigate) => investigate.alert(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn an_alert_has_a_type_fields_labels_and_a_text() {
        assert_eq!(
            alert("Investigate kubernetes: namespace=shop team=\"web shop\" pods crash\nsince a=1"),
            json!({
                "data": "pods crash\nsince a=1", "alert_type": "kubernetes", "namespace": "shop",
                "labels": {"team": "web shop"},
            })
        );
        let without = |data: &str| json!({"data": data, "alert_type": null, "labels": {}});
        for text in
            ["error: the disk is full", "a = b", "=x y", "https://a.example/?x=1 is slow", "x=\"y"]
        {
            assert_eq!(alert(&format!("investigate {text}")), without(text), "{text}");
        }
        assert_eq!(alert("investigate HOST: x")["alert_type"], "host");
        assert_eq!(alert("investigate")["data"], "");
    }

    #[test]
    fn a_session_is_named_by_its_id_or_its_page() {
        let id = SessionId::new();
        for word in [id.to_string(), format!("https://t.example/ops/sessions/{id}#step-1")] {
            assert_eq!(read(&format!("status {word}")), Command::Status(Some(id)));
            assert_eq!(
                read(&format!("ask {word}: why  now?")),
                Command::Ask(Some(id), "why  now?".to_owned())
            );
        }
        assert_eq!(read("status"), Command::Status(None));
        assert_eq!(read("ask why now?"), Command::Ask(None, "why now?".to_owned()));
    }

    #[test]
    fn other_words_are_no_commands() {
        for text in ["", "help", "Hello!"] {
            assert_eq!(read(text), Command::Help, "{text}");
        }
        assert_eq!(read("investigating the disk"), Command::Unknown);
        assert_eq!(read("approve it"), Command::Unknown);
    }
}
