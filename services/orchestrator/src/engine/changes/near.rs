//! Which changes are near an alert: of what it names first, then those of its namespace, then those that concern all.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use tarsy_contracts::change::Change;
use tarsy_domain::change::ChangeKind;
use tarsy_store::Session;

use crate::engine::alert_hosts::alert_hosts;

/// The most names of an alert.
const MAX_NAMES: usize = 100;
/// Labels whose values name an environment or a cluster, in lower case.
const ENVIRONMENTS: [&str; 4] = ["environment", "env", "stage", "deployment_environment"];
/// The shortest name that is looked for in the text of an alert, in bytes.
const SHORTEST: usize = 4;

/// How near a change is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Nearness {
    /// It is about something that the alert names.
    Named,
    SameNamespace,
    /// It says of nothing smaller than all.
    OfAll,
}

/// What an alert says about its place, in lower case.
#[derive(Debug, Default)]
pub(crate) struct Place {
    /// Services, objects, hosts: the values of labels among them.
    names: BTreeSet<String>,
    pub(crate) namespace: Option<String>,
    pub(crate) cluster: Option<String>,
    pub(crate) environment: Option<String>,
    text: String,
}

impl Place {
    pub(crate) fn of(session: &Session) -> Self {
        let fields = &session.fields;
        let lower = |text: &Option<String>| text.as_deref().map(str::to_lowercase);
        let labels = || {
            fields.labels.iter().map(|(name, value)| (name.to_lowercase(), value.to_lowercase()))
        };
        let environment = labels()
            .find(|(name, _)| ENVIRONMENTS.contains(&name.as_str()))
            .map(|(_, value)| value);
        let names = labels().map(|(_, value)| without_port(&value).to_owned());
        let names = lower(&fields.service).into_iter().chain(names);
        let names = names.chain(alert_hosts(&session.alert_data));
        Self {
            names: names.filter(|name| !name.is_empty()).take(MAX_NAMES).collect(),
            namespace: lower(&fields.namespace),
            cluster: lower(&fields.cluster),
            environment,
            text: session.alert_data.to_lowercase(),
        }
    }

    /// Names by which changes are looked for first.
    pub(crate) fn names(&self) -> Vec<String> {
        self.names.iter().chain(&self.namespace).cloned().collect()
    }

    /// The nearest changes, in the order of their times.
    pub(super) fn nearest(&self, changes: Vec<Change>, most: usize) -> Vec<Change> {
        let mut found: Vec<(Nearness, Change)> = changes
            .into_iter()
            .filter_map(|change| Some((self.nearness(&change)?, change)))
            .collect();
        found.sort_by_key(|(nearness, change)| (*nearness, Reverse(change.occurred_at)));
        found.truncate(most);
        let mut nearest: Vec<Change> = found.into_iter().map(|(_, change)| change).collect();
        nearest.sort_by_key(|change| (change.occurred_at, change.id));
        nearest
    }

    fn nearness(&self, change: &Change) -> Option<Nearness> {
        let differs = |own: &Option<String>, other: &Option<String>| match (own, other) {
            (Some(own), Some(other)) => !other.eq_ignore_ascii_case(own),
            _ => false,
        };
        if differs(&self.environment, &change.environment)
            || differs(&self.cluster, &change.cluster)
        {
            return None;
        }
        let object = change.object.as_deref();
        let bare = object.and_then(|object| object.rsplit('/').next());
        let named = [object, bare, change.service.as_deref(), change.host.as_deref()];
        let is_elsewhere = differs(&self.namespace, &change.namespace);
        if !is_elsewhere && named.into_iter().flatten().any(|name| self.mentions(name)) {
            return Some(Nearness::Named);
        }
        let namespace = change.namespace.as_deref().filter(|_| !is_elsewhere);
        if namespace.is_some_and(|name| self.namespace.is_some() || self.mentions(name)) {
            return Some(Nearness::SameNamespace);
        }
        if self.states_nothing() {
            return Some(Nearness::OfAll);
        }
        let is_of_all = change.namespace.is_none()
            && (change.kind == ChangeKind::Node
                || change.service.is_none() && change.host.is_none());
        is_of_all.then_some(Nearness::OfAll)
    }

    /// Whether the alert is a text alone: then nothing is known to be far.
    fn states_nothing(&self) -> bool {
        self.names.is_empty() && self.namespace.is_none()
    }

    /// Whether the alert has a name, as a label or as a word of its text.
    fn mentions(&self, name: &str) -> bool {
        let name = name.to_lowercase();
        self.names.contains(&name) || name.len() >= SHORTEST && has_word(&self.text, &name)
    }
}

/// Whether a name stands in a text, alone or before what is appended to the names of its parts: `checkout-5d9f-x2x`.
fn has_word(text: &str, name: &str) -> bool {
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    text.match_indices(name).any(|(at, _)| {
        let before = text.get(..at).and_then(|text| text.chars().next_back());
        let after = text.get(at + name.len()..).and_then(|text| text.chars().next());
        !before.is_some_and(|letter| is_part(letter) || letter == '-')
            && !after.is_some_and(is_part)
    })
}

fn without_port(host: &str) -> &str {
    let is_port = |text: &str| !text.is_empty() && text.bytes().all(|digit| digit.is_ascii_digit());
    host.rsplit_once(':').filter(|(_, port)| is_port(port)).map_or(host, |(name, _)| name)
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use tarsy_domain::id::ChangeId;

    use super::*;

    fn change(minute: i64, object: &str, namespace: &str) -> Change {
        let some = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
        Change {
            id: ChangeId::new(),
            source: "ci".to_owned(),
            kind: ChangeKind::Deployment,
            object: some(object),
            service: None,
            namespace: some(namespace),
            cluster: None,
            host: None,
            environment: None,
            author: None,
            link: None,
            text: "changed".to_owned(),
            occurred_at: Timestamp::from_second(minute * 60).unwrap(),
            received_at: Timestamp::UNIX_EPOCH,
        }
    }

    fn place() -> Place {
        Place {
            names: ["checkout".to_owned(), "10.0.0.7".to_owned()].into(),
            namespace: Some("shop".to_owned()),
            environment: Some("production".to_owned()),
            text: "pod checkout-5d9f77-x2x of shop restarts; see ledger_v2".to_owned(),
            ..Place::default()
        }
    }

    fn minutes(changes: Vec<Change>, most: usize) -> Vec<i64> {
        let found = place().nearest(changes, most);
        found.iter().map(|change| change.occurred_at.as_second() / 60).collect()
    }

    #[test]
    fn what_the_alert_names_comes_before_its_namespace_and_what_concerns_all() {
        let flag = Change {
            object: Some("flag/new".to_owned()),
            kind: ChangeKind::FeatureFlag,
            ..change(4, "", "")
        };
        let all = vec![
            change(1, "Deployment/checkout", "shop"),
            change(2, "Deployment/cart", "shop"),
            change(3, "Deployment/mail", "post"),
            flag,
            change(5, "Deployment/checkout", "staging"),
        ];
        assert_eq!(minutes(all.clone(), 20), [1, 2, 4]);
        assert_eq!(minutes(all.clone(), 2), [1, 2]);
        assert_eq!(minutes(all, 1), [1]);
    }

    #[test]
    fn to_an_alert_that_states_nothing_all_are_near_and_what_it_mentions_first() {
        let place = Place { text: "the checkout is slow".to_owned(), ..Place::default() };
        let all =
            || vec![change(1, "Deployment/checkout", ""), change(2, "Deployment/mail", "post")];
        assert_eq!(place.nearest(all(), 20).len(), 2);
        let nearest = place.nearest(all(), 1);
        assert_eq!(nearest[0].object.as_deref(), Some("Deployment/checkout"));
    }

    #[test]
    fn another_environment_or_host_is_not_near() {
        let staging =
            Change { environment: Some("staging".to_owned()), ..change(1, "checkout", "") };
        let here =
            Change { environment: Some("Production".to_owned()), ..change(2, "checkout", "") };
        let host = |name: &str, minute| Change {
            host: Some(name.to_owned()),
            kind: ChangeKind::Package,
            ..change(minute, "", "")
        };
        assert_eq!(
            minutes(vec![staging, here, host("10.0.0.7", 3), host("10.0.0.8", 4)], 20),
            [2, 3]
        );
    }

    #[test]
    fn a_name_is_a_word_of_the_text() {
        for (name, is_there) in [
            ("checkout", true),
            ("ledger", false),
            ("ledger_v2", true),
            ("restarts", true),
            ("x2x", false),
        ] {
            let text = place().text;
            assert_eq!(has_word(&text, name), is_there, "{name}");
        }
        assert_eq!(
            (without_port("web-1:9100"), without_port("a:b"), without_port("web-1")),
            ("web-1", "a:b", "web-1")
        );
    }
}
