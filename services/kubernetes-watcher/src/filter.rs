//! Which events become alerts.

use jiff::{SignedDuration, Timestamp};
use k8s_openapi::api::core::v1::Event;
use tarsy_catalog::KubernetesEvents;

/// Why an event is no alert.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Skipped {
    /// It reports no problem.
    Normal,
    Namespace,
    /// It was not seen often enough yet.
    Rare,
    Old,
}

impl Skipped {
    /// The name in metrics.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Normal => "normal",
            Self::Namespace => "namespace",
            Self::Rare => "rare",
            Self::Old => "old",
        }
    }
}

/// Whether an event becomes an alert at this time.
pub(crate) fn check(
    event: &Event,
    rules: &KubernetesEvents,
    now: Timestamp,
) -> Result<(), Skipped> {
    if event.type_.as_deref() != Some("Warning") {
        return Err(Skipped::Normal);
    }
    let namespace = event.involved_object.namespace.as_deref().unwrap_or_default();
    let names = |list: &[String]| list.iter().any(|name| name == namespace);
    if names(&rules.exclude_namespaces)
        || (!rules.namespaces.is_empty() && !names(&rules.namespaces))
    {
        return Err(Skipped::Namespace);
    }
    if count(event) < rules.min_count {
        return Err(Skipped::Rare);
    }
    let most = SignedDuration::try_from(rules.max_age).unwrap_or(SignedDuration::MAX);
    match last_seen(event) {
        Some(time) if now.duration_since(time) > most => Err(Skipped::Old),
        _ => Ok(()),
    }
}

fn count(event: &Event) -> u32 {
    let series = event.series.as_ref().and_then(|series| series.count);
    series.or(event.count).and_then(|count| u32::try_from(count).ok()).unwrap_or(1).max(1)
}

/// When the event was last seen; none if it says no time at all.
fn last_seen(event: &Event) -> Option<Timestamp> {
    let series = event.series.as_ref().and_then(|series| series.last_observed_time.as_ref());
    let times = [
        series.map(|time| time.0),
        event.last_timestamp.as_ref().map(|time| time.0),
        event.event_time.as_ref().map(|time| time.0),
        event.first_timestamp.as_ref().map(|time| time.0),
        event.metadata.creation_timestamp.as_ref().map(|time| time.0),
    ];
    times.into_iter().flatten().max()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use serde_json::{Value, json};

    use super::*;

    fn event(changes: &Value) -> Event {
        let mut event = json!({
            "metadata": {"name": "a", "namespace": "shop"},
            "involvedObject": {"kind": "Pod", "name": "web-1", "namespace": "shop"},
            "type": "Warning",
            "reason": "BackOff",
            "count": 3,
            "firstTimestamp": "2026-11-24T11:00:00Z",
            "lastTimestamp": "2026-11-24T11:55:00Z",
        });
        if let (Some(event), Some(changes)) = (event.as_object_mut(), changes.as_object()) {
            event.extend(changes.clone());
        }
        serde_json::from_value(event).unwrap()
    }

    fn checked(changes: &Value, rules: &KubernetesEvents) -> Result<(), Skipped> {
        check(&event(changes), rules, "2026-11-24T12:00:00Z".parse().unwrap())
    }

    #[test]
    fn a_warning_that_was_seen_lately_becomes_an_alert() {
        let rules = KubernetesEvents::default();
        assert_eq!(checked(&json!({}), &rules), Ok(()));
        assert_eq!(checked(&json!({"type": "Normal"}), &rules), Err(Skipped::Normal));
    }

    #[test]
    fn namespaces_are_those_of_the_object() {
        let names = |list: &[&str]| list.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
        let only = KubernetesEvents { namespaces: names(&["pay"]), ..KubernetesEvents::default() };
        assert_eq!(checked(&json!({}), &only), Err(Skipped::Namespace));
        let node = json!({"involvedObject": {"kind": "Node", "name": "node-3"}});
        assert_eq!(checked(&node, &only), Err(Skipped::Namespace));
        assert_eq!(checked(&node, &KubernetesEvents::default()), Ok(()));
        let without = KubernetesEvents {
            exclude_namespaces: names(&["shop"]),
            ..KubernetesEvents::default()
        };
        assert_eq!(checked(&json!({}), &without), Err(Skipped::Namespace));
    }

    #[test]
    fn an_event_counts_until_it_is_worth_an_alert() {
        let rules = KubernetesEvents { min_count: 4, ..KubernetesEvents::default() };
        assert_eq!(checked(&json!({}), &rules), Err(Skipped::Rare));
        assert_eq!(checked(&json!({"count": 4}), &rules), Ok(()));
        let series = json!({"series": {"count": 4}, "count": null});
        assert_eq!(checked(&series, &rules), Ok(()));
        assert_eq!(checked(&json!({"count": null}), &rules), Err(Skipped::Rare));
    }

    #[test]
    fn the_age_of_an_event_is_that_of_its_newest_time() {
        let rules =
            KubernetesEvents { max_age: Duration::from_mins(5), ..KubernetesEvents::default() };
        assert_eq!(checked(&json!({}), &rules), Ok(()));
        let old = json!({"lastTimestamp": "2026-11-24T11:54:59Z"});
        assert_eq!(checked(&old, &rules), Err(Skipped::Old));
        let series = json!({
            "lastTimestamp": null,
            "series": {"count": 2, "lastObservedTime": "2026-11-24T11:59:00.000000Z"},
        });
        assert_eq!(checked(&series, &rules), Ok(()));
    }
}
