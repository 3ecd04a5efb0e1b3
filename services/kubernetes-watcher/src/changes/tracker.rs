//! Compares each version of an object with the one before. A pure function of what was seen.

use std::collections::{BTreeMap, VecDeque};

use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use super::object::{Change, Kind, State, is_quiet, release, service, text, written};

/// The most objects whose state is kept, some hundred bytes each; changes of further ones are not seen.
const MAX_OBJECTS: usize = 100_000;
/// Versions of a config map or secret within an hour from which on a program writes it, not a person.
const BUSY: usize = 4;
const HOUR: SignedDuration = SignedDuration::from_hours(1);
/// How long ago an object was written whose change is reported by a list that follows another one.
const RECENT: SignedDuration = SignedDuration::from_hours(1);

/// What a watch saw of an object.
#[derive(Clone, Debug)]
pub(super) enum Seen {
    /// The first list of its watch has it: changes begin there.
    Listed(Value),
    /// A list has it that follows a watch which was lost.
    ListedAgain(Value),
    Changed(Value),
    Deleted(Value),
}

/// What one watch is of: a kind, in all namespaces or in one.
#[derive(Clone, Debug)]
pub(super) struct Scope {
    pub(super) kind: Kind,
    pub(super) namespace: Option<String>,
}

impl Scope {
    fn has(&self, (kind, namespace, _): &Key) -> bool {
        *kind == self.kind && self.namespace.as_ref().is_none_or(|own| own == namespace)
    }
}

type Key = (Kind, String, String);

#[derive(Debug)]
struct Known {
    state: State,
    service: Option<String>,
    /// It was seen since the last list of its watch began.
    is_listed: bool,
    /// When its versions changed, the newest last.
    changed: VecDeque<Timestamp>,
}

/// The states of all objects.
#[derive(Debug)]
pub(super) struct Tracker {
    excluded: Vec<String>,
    known: BTreeMap<Key, Known>,
}

impl Tracker {
    pub(super) fn new(excluded: Vec<String>) -> Self {
        Self { excluded, known: BTreeMap::new() }
    }

    /// A watch lists its objects, the first time or again.
    pub(super) fn list_begins(&mut self, scope: &Scope) {
        for (_, known) in self.known.iter_mut().filter(|(key, _)| scope.has(key)) {
            known.is_listed = false;
        }
    }

    /// A list is complete: what it has not was deleted while nobody watched.
    pub(super) fn list_ends(&mut self, scope: &Scope, now: Timestamp) -> Vec<Change> {
        let gone = self.known.extract_if(.., |key, known| scope.has(key) && !known.is_listed);
        let gone = gone.filter(|(_, known)| !is_release(&known.state));
        gone.map(|((kind, namespace, name), known)| {
            // No version of the deletion is known, and each is one of its own.
            let metadata = json!({
                "name": name,
                "namespace": Some(namespace).filter(|name| !name.is_empty()),
                "resourceVersion": format!("gone at {now}"),
                "labels": {"app": known.service},
            });
            deletion(kind, &json!({"metadata": metadata}), now)
        })
        .collect()
    }

    /// The change that was seen, if it is one.
    pub(super) fn observe(&mut self, kind: Kind, seen: Seen, now: Timestamp) -> Option<Change> {
        let is_news = match &seen {
            Seen::Listed(_) => false,
            Seen::ListedAgain(object) => is_recent(object, now),
            Seen::Changed(_) | Seen::Deleted(_) => true,
        };
        let object = match seen {
            Seen::Listed(object) | Seen::ListedAgain(object) | Seen::Changed(object) => object,
            Seen::Deleted(object) => return self.deleted(kind, &object, now),
        };
        let key = self.key(kind, &object)?;
        let state = State::of(kind, &object)?;
        let Some(known) = self.known.get_mut(&key) else {
            let is_kept = self.known.len() < MAX_OBJECTS;
            if is_kept {
                let service = service(&object).map(str::to_owned);
                let (changed, is_listed) = (VecDeque::new(), true);
                self.known.insert(key, Known { state: state.clone(), service, is_listed, changed });
            }
            let is_seen = is_kept && is_news;
            return is_seen.then(|| appeared(kind, &object, &state, now)).flatten();
        };
        known.is_listed = true;
        let before = std::mem::replace(&mut known.state, state.clone());
        if before == state {
            return None;
        }
        if matches!(state, State::Version(_)) {
            known.changed.push_back(now);
            known.changed.retain(|at| now.duration_since(*at) < HOUR);
            if known.changed.len() >= BUSY {
                return None;
            }
        }
        let (kind_of_change, what) = difference(kind, &object, &before, &state)?;
        Some(change((kind, kind_of_change), &object, &what, now))
    }

    fn deleted(&mut self, kind: Kind, object: &Value, now: Timestamp) -> Option<Change> {
        let key = self.key(kind, object)?;
        let known = self.known.remove(&key)?;
        (!is_release(&known.state)).then(|| deletion(kind, object, now))
    }

    fn key(&self, kind: Kind, object: &Value) -> Option<Key> {
        let namespace = text(object, "/metadata/namespace").unwrap_or_default();
        let name = text(object, "/metadata/name")?;
        let is_excluded = self.excluded.iter().any(|one| one == namespace);
        (!is_excluded && !is_quiet(object)).then(|| (kind, namespace.to_owned(), name.to_owned()))
    }
}

/// Helm removes old revisions by itself.
const fn is_release(state: &State) -> bool {
    matches!(state, State::Release(_))
}

fn deletion(kind: Kind, object: &Value, now: Timestamp) -> Change {
    let what = format!("{} was deleted", kind.as_str());
    let mut change = change((kind, kind.of_change()), object, &what, now);
    if let Some(fields) = change.0.as_object_mut() {
        fields.insert("time".to_owned(), json!(now));
        fields.remove("author");
    }
    change
}

fn is_recent(object: &Value, now: Timestamp) -> bool {
    let created = text(object, "/metadata/creationTimestamp").and_then(|time| time.parse().ok());
    created.is_some_and(|created: Timestamp| now.duration_since(created) < RECENT)
}

/// An object that was not there before.
fn appeared(kind: Kind, object: &Value, state: &State, now: Timestamp) -> Option<Change> {
    let what = match state {
        State::Release(status) => return released(object, status, now),
        State::Node { .. } => "the node joined the cluster".to_owned(),
        _ => format!("{} was created", kind.as_str()),
    };
    Some(change((kind, kind.of_change()), object, &what, now))
}

/// Only how a revision ends: Helm writes what it is about to do, too.
fn released(secret: &Value, status: &str, now: Timestamp) -> Option<Change> {
    let (name, revision) = release(secret)?;
    if !matches!(status, "deployed" | "failed") {
        return None;
    }
    let what = format!("revision {revision} of the release {name} is {status}");
    let mut change = change((Kind::Secret, "release"), secret, &what, now);
    if let Some(fields) = change.0.as_object_mut() {
        fields.insert("object".to_owned(), json!(format!("release/{name}")));
        fields.insert("service".to_owned(), json!(name));
    }
    Some(change)
}

fn difference(
    kind: Kind,
    object: &Value,
    before: &State,
    after: &State,
) -> Option<(&'static str, String)> {
    let own = kind.of_change();
    match (before, after) {
        (
            State::Workload { template: old, replicas: from },
            State::Workload { template, replicas: to },
        ) => match template.difference(old) {
            Some(what) => Some((own, what)),
            None if from != to => {
                Some(("scaling", format!("replicas {} → {}", shown(*from), shown(*to))))
            }
            None => None,
        },
        (
            State::Autoscaler { least: old_least, most: old_most },
            State::Autoscaler { least, most },
        ) => {
            let [from, to] = [(least, most), (old_least, old_most)]
                .map(|(least, most)| format!("from {} to {}", shown(*least), shown(*most)));
            Some((own, format!("replicas {from}, before {to}")))
        }
        (State::Version(_), State::Version(_)) => {
            Some((own, format!("another version of the {} was written", kind.as_str())))
        }
        (State::Release(_), State::Release(status)) => {
            let (name, revision) = release(object)?;
            let is_end = matches!(status.as_str(), "deployed" | "failed");
            let what = format!("revision {revision} of the release {name} is {status}");
            is_end.then_some(("release", what))
        }
        (
            State::Node { is_cordoned: was, versions: old },
            State::Node { is_cordoned, versions },
        ) => of_node((*was, old), (*is_cordoned, versions)).map(|what| (own, what)),
        _ => None,
    }
}

fn shown(number: Option<i64>) -> String {
    number.unwrap_or(1).to_string()
}

/// What differs of a node; none of what is no change.
fn of_node(before: (bool, &[String]), after: (bool, &[String])) -> Option<String> {
    let mut parts = Vec::new();
    match (before.0, after.0) {
        (false, true) => parts.push("the node was cordoned".to_owned()),
        (true, false) => parts.push("the node was uncordoned".to_owned()),
        _ => {}
    }
    let news = after.1.iter().filter(|version| !before.1.contains(version));
    let news: Vec<&str> = news.map(String::as_str).collect();
    if !news.is_empty() {
        parts.push(format!("it runs {}", news.join(", ")));
    }
    Some(parts.join("; ")).filter(|text| !text.is_empty())
}

/// A change as api-gateway reads it, with who wrote the object and when.
fn change((kind, of_change): (Kind, &str), object: &Value, what: &str, now: Timestamp) -> Change {
    let name = text(object, "/metadata/name").unwrap_or_default();
    let namespace = text(object, "/metadata/namespace");
    let version = text(object, "/metadata/resourceVersion").unwrap_or_default();
    let (author, time) = written(object);
    let time = time.and_then(|time| time.parse::<Timestamp>().ok());
    let time = time.filter(|time| now.duration_since(*time).abs() < RECENT).unwrap_or(now);
    let host = (kind == Kind::Node).then_some(name);
    Change(json!({
        "id": format!("{}/{}/{name}/{version}/{of_change}", kind.as_str(), namespace.unwrap_or_default()),
        "kind": of_change,
        "object": format!("{}/{name}", kind.as_str()),
        "service": service(object),
        "namespace": namespace,
        "host": host,
        "author": author,
        "text": what,
        "time": time,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn now() -> Timestamp {
        "2026-02-11T09:41:30Z".parse().unwrap()
    }

    fn deployment(version: u32, image: &str, replicas: u32) -> Value {
        json!({
            "metadata": {"name": "checkout", "namespace": "shop", "resourceVersion": version.to_string(),
                "labels": {"app": "checkout"},
                "managedFields": [
                    {"manager": "kubectl-set", "operation": "Update", "time": "2026-02-11T09:41:20Z"},
                    {"manager": "kube-controller-manager", "subresource": "status", "time": "2026-02-11T09:41:25Z"}]},
            "spec": {"replicas": replicas, "template": {"spec": {"containers": [{"name": "app", "image": image}]}}},
        })
    }

    fn secret(name: &str, version: u32, labels: &Value) -> Value {
        json!({"metadata": {"name": name, "namespace": "shop", "resourceVersion": version.to_string(), "labels": labels}})
    }

    fn listed(kind: Kind, objects: Vec<Value>) -> Tracker {
        let mut tracker = Tracker::new(vec!["kube-system".to_owned()]);
        for object in objects {
            assert_eq!(tracker.observe(kind, Seen::Listed(object), now()), None, "the first list");
        }
        tracker
    }

    fn texts(tracker: &mut Tracker, kind: Kind, seen: Seen) -> Option<(String, String)> {
        let change = tracker.observe(kind, seen, now())?.0;
        let text = |name: &str| change[name].as_str().unwrap_or_default().to_owned();
        Some((text("kind"), text("text")))
    }

    #[test]
    fn a_rollout_is_a_change_with_who_wrote_it_and_when_and_its_status_is_none() {
        let kind = Kind::Deployment;
        let mut tracker = listed(kind, vec![deployment(1, "shop:1", 2)]);
        assert!(tracker.observe(kind, Seen::Changed(deployment(2, "shop:1", 2)), now()).is_none());
        let change =
            tracker.observe(kind, Seen::Changed(deployment(3, "shop:2", 2)), now()).unwrap();
        let change = change.in_cluster(Some("eu-1"));
        assert_eq!(change["text"], "image of app shop:1 → shop:2");
        assert_eq!(
            (&change["author"], &change["time"]),
            (&json!("kubectl-set"), &json!("2026-02-11T09:41:20Z"))
        );
        assert_eq!(
            (&change["object"], &change["cluster"], &change["service"]),
            (&json!("Deployment/checkout"), &json!("eu-1"), &json!("checkout"))
        );
        let scaled = texts(&mut tracker, kind, Seen::Changed(deployment(4, "shop:2", 0)));
        assert_eq!(scaled, Some(("scaling".to_owned(), "replicas 2 → 0".to_owned())));
        let gone = texts(&mut tracker, kind, Seen::Deleted(deployment(5, "shop:2", 0)));
        assert_eq!(gone.unwrap().1, "Deployment was deleted");
    }

    #[test]
    fn what_changed_while_the_watch_was_lost_is_seen_by_the_next_list() {
        let kind = Kind::Deployment;
        let mut tracker = listed(kind, vec![deployment(1, "shop:1", 2)]);
        let seen = texts(&mut tracker, kind, Seen::ListedAgain(deployment(9, "shop:2", 2)));
        assert_eq!(seen.unwrap().1, "image of app shop:1 → shop:2");
    }

    #[test]
    fn what_was_deleted_while_the_watch_was_lost_is_missing_in_the_next_list() {
        let kind = Kind::Deployment;
        let of = |namespace: Option<&str>| Scope { kind, namespace: namespace.map(str::to_owned) };
        let mut tracker = listed(kind, vec![deployment(1, "shop:1", 2)]);
        // A list that breaks off says nothing, and neither does one of another kind or namespace.
        tracker.list_begins(&of(None));
        for other in [Scope { kind: Kind::Secret, namespace: None }, of(Some("pay"))] {
            tracker.list_begins(&other);
            assert_eq!(tracker.list_ends(&other, now()), []);
        }
        tracker.list_begins(&of(None));
        assert_eq!(texts(&mut tracker, kind, Seen::ListedAgain(deployment(1, "shop:1", 2))), None);
        assert_eq!(tracker.list_ends(&of(None), now()), []);
        tracker.list_begins(&of(Some("shop")));
        let gone = tracker.list_ends(&of(Some("shop")), now());
        let [change] = gone.as_slice() else { panic!("{gone:?}") };
        let of_change = |name: &str| change.0[name].as_str();
        assert_eq!(
            ["text", "object", "service", "namespace"].map(of_change),
            [
                Some("Deployment was deleted"),
                Some("Deployment/checkout"),
                Some("checkout"),
                Some("shop")
            ]
        );
        tracker.list_begins(&of(None));
        assert_eq!(tracker.list_ends(&of(None), now()), [], "it is deleted once");
    }

    #[test]
    fn another_version_of_a_secret_is_a_change_unless_a_program_writes_it_all_the_time() {
        let kind = Kind::Secret;
        let mut tracker = listed(kind, vec![secret("db", 1, &json!({}))]);
        let mut seen = 0;
        for version in 2..20 {
            seen += usize::from(
                texts(&mut tracker, kind, Seen::Changed(secret("db", version, &json!({}))))
                    .is_some(),
            );
        }
        assert_eq!(seen, BUSY - 1);
        let mut lock = secret("lock", 1, &json!({}));
        lock["metadata"]["annotations"] = json!({"control-plane.alpha.kubernetes.io/leader": "x"});
        assert_eq!(texts(&mut tracker, kind, Seen::Changed(lock)), None);
        let mut system = secret("db", 1, &json!({}));
        system["metadata"]["namespace"] = json!("kube-system");
        assert_eq!(texts(&mut tracker, kind, Seen::Changed(system)), None);
    }

    #[test]
    fn a_release_of_helm_is_known_from_the_labels_of_its_secret() {
        let kind = Kind::Secret;
        let mut tracker = listed(kind, vec![]);
        let labels = |status: &str| json!({"owner": "helm", "name": "checkout", "version": "7", "status": status});
        let of = |status: &str| secret("sh.helm.release.v1.checkout.v7", 1, &labels(status));
        assert_eq!(texts(&mut tracker, kind, Seen::Changed(of("pending-upgrade"))), None);
        let seen = texts(&mut tracker, kind, Seen::Changed(of("deployed"))).unwrap();
        assert_eq!(
            seen,
            ("release".to_owned(), "revision 7 of the release checkout is deployed".to_owned())
        );
        assert_eq!(texts(&mut tracker, kind, Seen::Changed(of("superseded"))), None);
    }

    #[test]
    fn nodes_join_are_cordoned_and_get_other_kernels() {
        let node = |cordoned: bool, kernel: &str| {
            json!({"metadata": {"name": "node-3"}, "spec": {"unschedulable": cordoned},
            "status": {"nodeInfo": {"kernelVersion": kernel}}})
        };
        let mut tracker = listed(Kind::Node, vec![node(false, "6.1")]);
        let cordoned = texts(&mut tracker, Kind::Node, Seen::Changed(node(true, "6.1")));
        assert_eq!(cordoned.unwrap().1, "the node was cordoned");
        let other = texts(&mut tracker, Kind::Node, Seen::Changed(node(false, "6.2")));
        assert_eq!(other.unwrap().1, "the node was uncordoned; it runs 6.2");
    }
}
