//! A change, as a source reports it.

use jiff::Timestamp;
use url::Url;

use crate::limits::{MAX_NAME, MAX_URL};

/// The most changes of one request; one with more is refused.
pub const MAX_CHANGES: usize = 100;
/// The most characters of a change's text.
pub const MAX_CHANGE_TEXT: usize = 2_000;
/// The most characters of the source's own id of a change.
const MAX_SOURCE_ID: usize = 400;

/// A change, as a source reports it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Change {
    /// The source's own id, the same however often it is sent.
    pub source_id: Option<String>,
    /// Such as `deployment`.
    pub kind: String,
    /// Such as `Deployment/checkout`.
    pub object: Option<String>,
    pub service: Option<String>,
    pub namespace: Option<String>,
    pub cluster: Option<String>,
    pub host: Option<String>,
    pub environment: Option<String>,
    pub author: Option<String>,
    /// A page, `http` or `https`.
    pub link: Option<String>,
    pub text: String,
    /// None if the source states no time.
    pub occurred_at: Option<Timestamp>,
}

impl Change {
    /// The change within the bounds of the record.
    pub(crate) fn bounded(self) -> Self {
        let name = |value: Option<String>| {
            let line = one_line(&value?);
            Some(cut(line, MAX_NAME)).filter(|line| !line.is_empty())
        };
        let is_page = |link: &String| {
            link.len() <= MAX_URL
                && Url::parse(link).is_ok_and(|url| matches!(url.scheme(), "http" | "https"))
        };
        Self {
            source_id: self.source_id.map(|id| cut(id, MAX_SOURCE_ID)),
            kind: self.kind,
            object: name(self.object),
            service: name(self.service),
            namespace: name(self.namespace),
            cluster: name(self.cluster),
            host: name(self.host),
            environment: name(self.environment),
            author: name(self.author),
            link: self.link.filter(is_page),
            text: cut(self.text.trim().to_owned(), MAX_CHANGE_TEXT),
            occurred_at: self.occurred_at,
        }
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn cut(text: String, most: usize) -> String {
    if text.chars().count() <= most {
        return text;
    }
    text.chars().take(most.saturating_sub(1)).chain(['…']).collect()
}
