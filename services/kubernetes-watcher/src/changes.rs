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

use self::object::Kind;
use self::tracker::{Seen, Tracker};
use crate::metrics;

/// Objects of one page of a list.
const PAGE: u32 = 250;

type Objects = Pin<Box<dyn Stream<Item = Result<(Kind, Seen), Error>> + Send>>;

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
            let (kind, seen) = match next {
                Ok(Some(seen)) => seen,
                Ok(None) => return,
                Err(error) => {
                    metrics::watch_failed();
                    let error = tarsy_telemetry::chain(&error);
                    tracing::warn!(%error, "objects of Kubernetes cannot be watched; trying again");
                    continue;
                }
            };
            if let Some(change) = tracker.observe(kind, seen, self.clock.now()) {
                let sent = tokio::select! {
                    () = self.stopping.cancelled() => return,
                    sent = self.queue.send(change.in_cluster(self.cluster.as_deref())) => sent,
                };
                if sent.is_err() {
                    return;
                }
                metrics::change_seen(kind.as_str());
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
            ChangedKind::Nodes => vec![watch(Api::<Node>::all(self.client.clone()), Kind::Node)],
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
        let named = self.rules.namespaces.iter().map(|name| Api::namespaced(client(), name));
        let apis: Vec<Api<K>> = named.collect();
        let apis = if apis.is_empty() { vec![Api::all(client())] } else { apis };
        apis.into_iter().map(|api| watch(api, kind)).collect()
    }
}

fn watch<K>(api: Api<K>, kind: Kind) -> Objects
where
    K: Resource<DynamicType = ()> + Clone + DeserializeOwned + Serialize + Debug + Send + 'static,
{
    let config = watcher::Config::default().page_size(PAGE);
    let objects = watcher::watcher(api, config).default_backoff();
    let mut was_listed = false;
    let seen = move |event| {
        let seen = seen(event, &mut was_listed).map(|seen| (kind, seen));
        async move { Ok(seen) }
    };
    objects.try_filter_map(seen).boxed()
}

/// What an event of a watch shows of an object; `was_listed` becomes true with the end of its first list.
fn seen<K: Serialize>(event: Event<K>, was_listed: &mut bool) -> Option<Seen> {
    let json = |object: K| serde_json::to_value(object).ok();
    Some(match event {
        Event::Init => return None,
        Event::InitDone => {
            *was_listed = true;
            return None;
        }
        Event::InitApply(object) if *was_listed => Seen::ListedAgain(json(object)?),
        Event::InitApply(object) => Seen::Listed(json(object)?),
        Event::Apply(object) => Seen::Changed(json(object)?),
        Event::Delete(object) => Seen::Deleted(json(object)?),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_begin_after_the_first_whole_list_of_a_watch() {
        let mut was_listed = false;
        let mut of = |event: Event<Value>| {
            let seen = seen(event, &mut was_listed);
            seen.map(|seen| matches!(seen, Seen::ListedAgain(_)))
        };
        let apply = || Event::InitApply(Value::Null);
        assert_eq!([of(Event::Init), of(apply())], [None, Some(false)]);
        // It broke off, and begins again.
        assert_eq!([of(Event::Init), of(apply()), of(Event::InitDone)], [None, Some(false), None]);
        assert_eq!([of(Event::Init), of(apply())], [None, Some(true)]);
    }
}
