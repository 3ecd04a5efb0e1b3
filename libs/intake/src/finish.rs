//! Makes the alert of a source out of what was read.

use jiff::Timestamp;
use serde_json::Value;

use crate::alert::{Alert, Content, Draft, Status, short};
use crate::bounds;
use crate::fingerprint;
use crate::limits::{MAX_FINGERPRINT, MAX_GROUP_KEY, MAX_NAME, MAX_SEVERITY};
use crate::title::{one_line, title_of};

impl Draft {
    /// The alert of a source, within the bounds of the record: what is too long is cut, what is too many is folded, and both
    /// are noted; keys become hashes.
    pub(crate) fn finish(mut self, source: &str) -> Alert {
        let title = self.title(source);
        let own = self.fingerprint.take().filter(|text| !text.trim().is_empty());
        let fingerprint = match own {
            Some(text) => fingerprint::bounded(text, MAX_FINGERPRINT),
            None if self.labels_identify && !self.labels.is_empty() => {
                fingerprint::of(source, &self.labels, &title)
            }
            None => fingerprint::of_content(source, &self.labels, &self.raw),
        };
        let labels = bounds::labels(self.labels, &mut self.annotations, &self.notes);
        let annotations = bounds::annotations(self.annotations, &self.notes);
        Alert {
            source: source.to_owned(),
            source_id: self.source_id.map(|text| fingerprint::bounded(text, MAX_FINGERPRINT)),
            title,
            // Lower case may be longer.
            severity: short(self.severity.map(|text| text.to_lowercase()), MAX_SEVERITY),
            status: self.status,
            service: short(self.service, MAX_NAME),
            namespace: short(self.namespace, MAX_NAME),
            cluster: short(self.cluster, MAX_NAME),
            labels,
            annotations,
            links: self.links,
            fingerprint,
            group_key: self.group_key.map(|text| fingerprint::bounded(text, MAX_GROUP_KEY)),
            starts_at: self.starts_at.and_then(micros),
            ends_at: self.ends_at.filter(|_| self.status == Status::Resolved).and_then(micros),
            content: self.content,
            raw: bounds::raw(self.raw, &self.notes),
            notes: self.notes.list(),
        }
    }

    fn title(&self, source: &str) -> String {
        match self.content {
            Content::NotUnderstood => return format!("Received from {source}, not understood"),
            Content::Test if self.title.is_none() => return format!("Test of {source}"),
            _ => {}
        }
        let title = self.title.as_deref().and_then(one_line);
        let title = title.or_else(|| match &self.raw {
            Value::Null => None,
            Value::String(text) => title_of(text),
            json => title_of(&json.to_string()),
        });
        title.unwrap_or_else(|| format!("Alert of {source}"))
    }
}

/// A time as PostgreSQL stores it: one with nanoseconds would not be the same as what is stored of it.
fn micros(time: Timestamp) -> Option<Timestamp> {
    Timestamp::from_microsecond(time.as_microsecond()).ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_alert_without_a_title_is_named_by_what_was_sent() {
        let draft = Draft { raw: json!({"message": "\n disk full"}), ..Draft::default() };
        assert_eq!(draft.finish("x").title, "disk full");
        assert_eq!(Draft::default().finish("pager").title, "Alert of pager");
    }

    #[test]
    fn a_start_is_the_one_that_is_stored() {
        let starts_at = Some("2026-11-24T12:00:24.3713213Z".parse().unwrap());
        let alert = Draft { starts_at, ..Draft::default() }.finish("x");
        assert_eq!(alert.starts_at, Some("2026-11-24T12:00:24.371321Z".parse().unwrap()));
    }

    #[test]
    fn only_a_resolved_alert_has_an_end() {
        let ends_at = Some(Timestamp::UNIX_EPOCH);
        let draft = Draft { ends_at, ..Draft::default() };
        assert_eq!(draft.clone().finish("x").ends_at, None);
        assert_eq!(Draft { status: Status::Resolved, ..draft }.finish("x").ends_at, ends_at);
    }
}
