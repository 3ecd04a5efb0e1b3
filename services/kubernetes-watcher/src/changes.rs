//! Lists and watches objects of the cluster, and reports what of them changes. Of config maps and secrets only the metadata is
//! asked for: their values never reach this process.

mod object;
mod template;
mod tracker;

use std::fmt::Debug;
use std::pin::Pin;
use std::sync::Arc;

use futures::stream::{Stream, select_all};
use futures::{StreamExt as _, TryStreamExt as _};
use jiff::Timestamp;
use k8s_openapi::NamespaceResourceScope;
use k8s_openapi::api::apps::v1::{DaemonSet, Deployment, StatefulSet};
use k8s_openapi::api::autoscaling::v2::HorizontalPodAutoscaler;
use k8s_openapi::api::core::v1::{ConfigMap, Node, Secret};
use kube::core::PartialObjectMeta;
use kube::runtime::WatchStreamExt as _;
use kube::runtime::watcher::{self, Error, Event};
use kube::{Api, Client, Resource};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tarsy_catalog::{ChangedKind, KubernetesChanges};
use tarsy_domain::clock::Clock;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use self::object::{Change, Kind};
use self::tracker::{Scope, Seen, Tracker};
use crate::connection::watch_config;
use crate::metrics;

/// Objects of one page of a list.
const PAGE: u32 = 250;

type Objects = Pin<Box<dyn Stream<Item = Result<(Scope, Step), Error>> + Send>>;

/// What happens to a watch.
enum Step {
    ListBegins,
    Object(Seen),
    ListEnds,
}

/// What is watched, and where its changes go.
pub(crate) struct ChangeWatch {
    pub(crate) client: Client,
    pub(crate) rules: KubernetesChanges,
    pub(crate) cluster: Option<String>,
    pub(crate) queue: mpsc::Sender<Value>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) stopping: CancellationToken,
}

impl ChangeWatch {
    /// Queues changes until the stop. An object that cannot be watched, such as one that the role does not allow, is logged
    /// and tried again; the others go on.
    pub(crate) async fn run(self) {
        let mut tracker = Tracker::new(self.rules.exclude_namespaces.clone());
        let mut objects = self.objects();
        loop {
            let next = tokio::select! {
                () = self.stopping.cancelled() => return,
                next = objects.try_next() => next,
            };
            let (scope, step) = match next {
                Ok(Some(step)) => step,
                Ok(None) => return,
                Err(error) => {
                    metrics::watch_failed();
                    let error = tarsy_telemetry::chain(&error);
                    tracing::warn!(%error, "objects of Kubernetes cannot be watched; trying again");
                    continue;
                }
            };
            for change in changes(&mut tracker, &scope, step, self.clock.now()) {
                let sent = tokio::select! {
                    () = self.stopping.cancelled() => return,
                    sent = self.queue.send(change.in_cluster(self.cluster.as_deref())) => sent,
                };
                if sent.is_err() {
                    return;
                }
                metrics::change_seen(scope.kind.as_str());
            }
        }
    }

    fn objects(&self) -> Objects {
        let watches = self.rules.kinds.iter().flat_map(|kind| match kind {
            ChangedKind::Deployments => self.of::<Deployment>(Kind::Deployment),
            ChangedKind::Statefulsets => self.of::<StatefulSet>(Kind::StatefulSet),
            ChangedKind::Daemonsets => self.of::<DaemonSet>(Kind::DaemonSet),
            ChangedKind::Hpas => self.of::<HorizontalPodAutoscaler>(Kind::Autoscaler),
            ChangedKind::Configmaps => self.of::<PartialObjectMeta<ConfigMap>>(Kind::ConfigMap),
            // The releases of Helm are secrets with labels.
            ChangedKind::Secrets => self.of::<PartialObjectMeta<Secret>>(Kind::Secret),
            ChangedKind::Nodes => {
                vec![watch(Api::<Node>::all(self.client.clone()), of_all(Kind::Node))]
            }
        });
        select_all(watches).boxed()
    }

    /// One watch of all namespaces, or one of each that is named: then a role of that namespace is all that it needs.
    fn of<K>(&self, kind: Kind) -> Vec<Objects>
    where
        K: Resource<Scope = NamespaceResourceScope, DynamicType = ()>
            + Clone
            + DeserializeOwned
            + Serialize
            + Debug
            + Send
            + 'static,
    {
        let client = || self.client.clone();
        if self.rules.namespaces.is_empty() {
            return vec![watch(Api::<K>::all(client()), of_all(kind))];
        }
        let named = self.rules.namespaces.iter().map(|name| {
            let scope = Scope { kind, namespace: Some(name.clone()) };
            watch(Api::<K>::namespaced(client(), name), scope)
        });
        named.collect()
    }
}

const fn of_all(kind: Kind) -> Scope {
    Scope { kind, namespace: None }
}

fn changes(tracker: &mut Tracker, scope: &Scope, step: Step, now: Timestamp) -> Vec<Change> {
    match step {
        Step::ListBegins => {
            tracker.list_begins(scope);
            Vec::new()
        }
        Step::Object(seen) => tracker.observe(scope.kind, seen, now).into_iter().collect(),
        Step::ListEnds => tracker.list_ends(scope, now),
    }
}

fn watch<K>(api: Api<K>, scope: Scope) -> Objects
where
    K: Resource<DynamicType = ()> + Clone + DeserializeOwned + Serialize + Debug + Send + 'static,
{
    let objects = watcher::watcher(api, watch_config(PAGE)).default_backoff();
    let mut was_listed = false;
    let step = move |event| {
        let step = step(event, &mut was_listed).map(|step| (scope.clone(), step));
        async move { Ok(step) }
    };
    objects.try_filter_map(step).boxed()
}

/// What an event of a watch shows; `was_listed` becomes true with the end of its first list.
fn step<K: Serialize>(event: Event<K>, was_listed: &mut bool) -> Option<Step> {
    let json = |object: K| serde_json::to_value(object).ok();
    Some(Step::Object(match event {
        Event::Init => return Some(Step::ListBegins),
        Event::InitDone => {
            *was_listed = true;
            return Some(Step::ListEnds);
        }
        Event::InitApply(object) if *was_listed => Seen::ListedAgain(json(object)?),
        Event::InitApply(object) => Seen::Listed(json(object)?),
        Event::Apply(object) => Seen::Changed(json(object)?),
        Event::Delete(object) => Seen::Deleted(json(object)?),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_begin_after_the_first_whole_list_of_a_watch() {
        let mut was_listed = false;
        let mut of = |event: Event<Value>| match step(event, &mut was_listed)? {
            Step::Object(seen) => Some(matches!(seen, Seen::ListedAgain(_))),
            Step::ListBegins | Step::ListEnds => None,
        };
        let apply = || Event::InitApply(Value::Null);
        assert_eq!([of(Event::Init), of(apply())], [None, Some(false)]);
        // It broke off, and begins again.
        assert_eq!([of(Event::Init), of(apply()), of(Event::InitDone)], [None, Some(false), None]);
        assert_eq!([of(Event::Init), of(apply())], [None, Some(true)]);
    }
}
