//! Heartbeats that stop: alerts that a source does not send.

use std::collections::BTreeMap;
use std::time::Duration;

use jiff::Timestamp;
use serde_json::json;

use crate::alert::{Alert, Content, Status};
use crate::fingerprint;
use crate::limits::{MAX_FINGERPRINT, MAX_TITLE};

/// A heartbeat as it is stored, and the alert that it stopped, if there was one.
#[derive(Clone, Debug, PartialEq)]
pub struct Heartbeat {
    pub source: String,
    pub fingerprint: String,
    pub title: String,
    pub service: Option<String>,
    pub namespace: Option<String>,
    pub cluster: Option<String>,
    pub labels: BTreeMap<String, String>,
    pub last_received_at: Timestamp,
    /// It is away for longer than the source's time.
    pub is_late: bool,
    /// Since when the newest alert of this kind says that it is away.
    pub reported_since: Option<Timestamp>,
    /// That alert is not resolved.
    pub is_reported: bool,
}

impl Heartbeat {
    /// The fingerprint of the alert that a heartbeat stopped.
    pub fn fingerprint_of_stop(heartbeat: &str) -> String {
        fingerprint::bounded(format!("heartbeat stopped: {heartbeat}"), MAX_FINGERPRINT)
    }

    /// The alert that it stopped, or that it is there again; none if that is stored already.
    ///
    /// The start of the alert is when the heartbeat came last, so that whoever decides about the same stop again finds the
    /// same alert.
    pub fn alert(&self, within: Duration) -> Option<Alert> {
        let is_new = self.reported_since != Some(self.last_received_at);
        let (status, starts_at) = match (self.is_late, self.is_reported) {
            (true, _) if is_new => (Status::Firing, self.last_received_at),
            (false, true) => (Status::Resolved, self.reported_since?),
            _ => return None,
        };
        let title: String =
            format!("Heartbeat stopped: {}", self.title).chars().take(MAX_TITLE).collect();
        let seconds = within.as_secs();
        let last = self.last_received_at;
        let summary = format!(
            "{} of the source {} came last at {last}, and is expected at least every {seconds} s",
            self.title, self.source
        );
        Some(Alert {
            source: self.source.clone(),
            source_id: None,
            title,
            severity: Some("critical".to_owned()),
            status,
            service: self.service.clone(),
            namespace: self.namespace.clone(),
            cluster: self.cluster.clone(),
            labels: self.labels.clone(),
            annotations: [("summary".to_owned(), summary)].into(),
            links: Vec::new(),
            fingerprint: Self::fingerprint_of_stop(&self.fingerprint),
            group_key: None,
            starts_at: Some(starts_at),
            ends_at: (status == Status::Resolved).then_some(last),
            content: Content::Problem,
            notes: Vec::new(),
            raw: json!({
                "heartbeat": self.title, "last_received_at": last.to_string(), "expected_within_seconds": seconds,
            }),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WITHIN: Duration = Duration::from_mins(5);

    fn heartbeat(is_late: bool, reported_since: Option<i64>, is_reported: bool) -> Heartbeat {
        let at = |second| Timestamp::from_second(second).unwrap();
        Heartbeat {
            source: "prometheus".to_owned(),
            fingerprint: "w".to_owned(),
            title: "Watchdog".to_owned(),
            service: None,
            namespace: None,
            cluster: Some("north".to_owned()),
            labels: BTreeMap::new(),
            last_received_at: at(1_000),
            is_late,
            reported_since: reported_since.map(at),
            is_reported,
        }
    }

    #[test]
    fn a_stop_is_one_alert_and_its_end_another() {
        let alert = |one: Heartbeat| {
            one.alert(WITHIN).map(|alert| (alert.status, alert.starts_at.unwrap().as_second()))
        };
        assert_eq!(alert(heartbeat(false, None, false)), None, "it comes");
        assert_eq!(alert(heartbeat(true, None, false)), Some((Status::Firing, 1_000)));
        assert_eq!(alert(heartbeat(true, Some(1_000), true)), None, "it is stored");
        assert_eq!(alert(heartbeat(false, Some(500), true)), Some((Status::Resolved, 500)));
        assert_eq!(alert(heartbeat(false, Some(500), false)), None, "its end is stored");
        assert_eq!(
            alert(heartbeat(true, Some(500), false)),
            Some((Status::Firing, 1_000)),
            "again"
        );
    }

    #[test]
    fn the_alert_names_what_stopped_and_is_no_heartbeat() {
        let alert = heartbeat(true, None, false).alert(WITHIN).unwrap();
        assert_eq!(alert.content, Content::Problem);
        assert_eq!(alert.title, "Heartbeat stopped: Watchdog");
        assert_eq!(
            (alert.fingerprint.as_str(), alert.cluster.as_deref()),
            ("heartbeat stopped: w", Some("north"))
        );
        assert!(alert.annotations["summary"].contains("at least every 300 s"), "{alert:?}");
        assert!(
            Heartbeat::fingerprint_of_stop(&"x".repeat(MAX_FINGERPRINT)).len() <= MAX_FINGERPRINT
        );
    }
}
