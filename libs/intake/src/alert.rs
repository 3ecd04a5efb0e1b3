//! The record that every source is mapped to.

use std::collections::BTreeMap;
use std::fmt::Display;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use url::Url;

use crate::limits::{MAX_LINKS, MAX_URL};
use crate::notes::Notes;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Alert {
    /// The name of the source in the configuration.
    pub source: String,
    /// The source's own id of this occurrence of the alert, such as the id of an incident.
    pub source_id: Option<String>,
    /// One line.
    pub title: String,
    /// In lower case, as the source writes it, such as `critical` or `p1`.
    pub severity: Option<String>,
    pub status: Status,
    pub service: Option<String>,
    pub namespace: Option<String>,
    pub cluster: Option<String>,
    pub labels: BTreeMap<String, String>,
    pub annotations: BTreeMap<String, String>,
    pub links: Vec<Link>,
    /// What all occurrences of the same problem have in common: the source's own, else a hash of what identifies it.
    pub fingerprint: String,
    /// What the alerts of a group have in common, if the source groups.
    pub group_key: Option<String>,
    pub starts_at: Option<Timestamp>,
    /// Only of a resolved alert.
    pub ends_at: Option<Timestamp>,
    #[serde(default)]
    pub content: Content,
    /// What of it was cut, folded, left out or read in another form than the usual, as sentences.
    #[serde(default)]
    pub notes: Vec<String>,
    /// What the source sent of this alert. It is not masked yet.
    pub raw: Value,
}

/// What was sent as an alert. Only a problem begins a session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Content {
    #[default]
    Problem,
    /// A test of the connection.
    Test,
    /// An alert that always fires, to show that the source works.
    Heartbeat,
    /// No alert could be read; `raw` has what was sent, and the first note says why.
    NotUnderstood,
}

impl Content {
    /// The name in records.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Problem => "problem",
            Self::Test => "test",
            Self::Heartbeat => "heartbeat",
            Self::NotUnderstood => "not_understood",
        }
    }
}

/// What an alert reports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// The problem exists.
    #[default]
    Firing,
    /// The problem exists, and a person works on it.
    Acknowledged,
    /// The problem is over.
    Resolved,
}

impl Status {
    /// The name in records and rules.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Firing => "firing",
            Self::Acknowledged => "acknowledged",
            Self::Resolved => "resolved",
        }
    }
}

/// A page about an alert.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Link {
    /// What the page is.
    pub title: String,
    /// Its address, `http` or `https`.
    pub url: String,
}

/// An alert whose fields are still as the source writes them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Draft {
    pub(crate) source_id: Option<String>,
    pub(crate) title: Option<String>,
    pub(crate) severity: Option<String>,
    pub(crate) status: Status,
    pub(crate) service: Option<String>,
    pub(crate) namespace: Option<String>,
    pub(crate) cluster: Option<String>,
    pub(crate) labels: BTreeMap<String, String>,
    pub(crate) annotations: BTreeMap<String, String>,
    pub(crate) links: Vec<Link>,
    pub(crate) fingerprint: Option<String>,
    /// Whether the labels identify the alert if the source gives it no fingerprint.
    pub(crate) labels_identify: bool,
    pub(crate) group_key: Option<String>,
    pub(crate) starts_at: Option<Timestamp>,
    pub(crate) ends_at: Option<Timestamp>,
    pub(crate) content: Content,
    pub(crate) notes: Notes,
    pub(crate) raw: Value,
}

impl Draft {
    /// What no alert can be read from, and why.
    pub(crate) fn not_understood(raw: Value, why: &dyn Display) -> Self {
        let notes = Notes::default();
        notes.add(format!("not understood: {why}"));
        Self { content: Content::NotUnderstood, notes, raw, ..Self::default() }
    }

    /// A test of the connection that has no alert.
    pub(crate) fn test(raw: Value) -> Self {
        Self { content: Content::Test, raw, ..Self::default() }
    }

    /// Adds a link; what is no address of a page is left out.
    pub(crate) fn link(&mut self, title: &str, url: Option<&str>) {
        let parsed = url.filter(|url| url.len() <= MAX_URL).and_then(|url| Url::parse(url).ok());
        let Some(url) = parsed.filter(|url| matches!(url.scheme(), "http" | "https")) else {
            return;
        };
        // Parsing may add escapes.
        let url = String::from(url);
        let is_new = !self.links.iter().any(|link| link.url == url);
        if is_new && self.links.len() < MAX_LINKS && url.len() <= MAX_URL {
            self.links.push(Link { title: title.to_owned(), url });
        }
    }
}

/// A text without blanks around it, and not longer than this; none if nothing is left.
pub(crate) fn short(text: Option<String>, most: usize) -> Option<String> {
    let text = text?;
    let text: String = text.trim().chars().take(most).collect();
    (!text.is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_of_pages_become_links_and_each_once() {
        let mut draft = Draft::default();
        for url in ["https://a.example/x", "javascript:alert(1)", "/d/1", "https://a.example/x"] {
            draft.link("Graph", Some(url));
        }
        draft.link("Graph", None);
        draft.link("Graph", Some(&format!("https://a.example/{}", "x".repeat(MAX_URL))));
        assert_eq!(draft.links.len(), 1);
        for n in 0..50 {
            draft.link("Graph", Some(&format!("https://a.example/{n}")));
        }
        assert_eq!(draft.links.len(), MAX_LINKS);
    }
}
