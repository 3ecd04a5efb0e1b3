//! Lists, from time to time, the objects of the cluster that say what depends on what, and queues the dependencies. Config maps
//! and secrets are not read: workloads name them.

mod edges;

use std::fmt::Debug;

use k8s_openapi::NamespaceResourceScope;
use k8s_openapi::api::apps::v1::{DaemonSet, Deployment, StatefulSet};
use k8s_openapi::api::core::v1::{PodTemplateSpec, Service};
use k8s_openapi::api::networking::v1::Ingress;
use kube::api::ListParams;
use kube::{Api, Client, Resource, ResourceExt as _};
use serde::de::DeserializeOwned;
use serde_json::Value;
use tarsy_catalog::KubernetesTopology;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use self::edges::{Cluster, Workload};
use crate::metrics;

/// Objects of one page of a list.
const PAGE: u32 = 250;

/// What is listed, and where its dependencies go.
pub(crate) struct TopologyWatch {
    pub(crate) client: Client,
    pub(crate) rules: KubernetesTopology,
    pub(crate) queue: mpsc::Sender<Value>,
    pub(crate) stopping: CancellationToken,
}

impl TopologyWatch {
    /// Queues all dependencies at once and then each time that it is due, until the stop. A list that fails is logged, and comes
    /// again with the next.
    pub(crate) async fn run(self) {
        let mut due = tokio::time::interval(self.rules.every);
        loop {
            tokio::select! {
                () = self.stopping.cancelled() => return,
                _ = due.tick() => {}
            }
            let listed = tokio::select! {
                () = self.stopping.cancelled() => return,
                listed = self.list() => listed,
            };
            let cluster = match listed {
                Ok(cluster) => cluster,
                Err(error) => {
                    metrics::watch_failed();
                    let error = tarsy_telemetry::chain(&error);
                    tracing::warn!(%error, "objects of Kubernetes cannot be listed for the topology; trying again");
                    continue;
                }
            };
            for edge in cluster.edges() {
                let sent = tokio::select! {
                    () = self.stopping.cancelled() => return,
                    sent = self.queue.send(edge.to_json()) => sent,
                };
                if sent.is_err() {
                    return;
                }
            }
        }
    }

    async fn list(&self) -> kube::Result<Cluster> {
        let mut cluster = Cluster {
            ingresses: self.all::<Ingress>().await?,
            services: self.all::<Service>().await?,
            workloads: Vec::new(),
        };
        for one in self.all::<Deployment>().await? {
            cluster.workloads.push(workload("Deployment", &one, one.spec.template.clone()));
        }
        for one in self.all::<StatefulSet>().await? {
            cluster.workloads.push(workload("StatefulSet", &one, one.spec.template.clone()));
        }
        for one in self.all::<DaemonSet>().await? {
            cluster.workloads.push(workload("DaemonSet", &one, one.spec.template.clone()));
        }
        Ok(cluster)
    }

    /// All objects of a kind, page by page: of all namespaces, or of each that is named.
    async fn all<K>(&self) -> kube::Result<Vec<K>>
    where
        K: Resource<Scope = NamespaceResourceScope, DynamicType = ()>
            + Clone
            + DeserializeOwned
            + Debug,
    {
        let client = || self.client.clone();
        let named = self.rules.namespaces.iter().map(|name| Api::namespaced(client(), name));
        let apis: Vec<Api<K>> = named.collect();
        let apis = if apis.is_empty() { vec![Api::all(client())] } else { apis };
        let mut found = Vec::new();
        for api in apis {
            let mut page = ListParams::default().limit(PAGE);
            loop {
                let list = api.list(&page).await?;
                let next = list.metadata.continue_.filter(|token| !token.is_empty());
                found.extend(list.items);
                let Some(token) = next else { break };
                page = page.continue_token(&token);
            }
        }
        let is_left_out = |one: &K| {
            let namespace = one.namespace().unwrap_or_default();
            self.rules.exclude_namespaces.contains(&namespace)
        };
        found.retain(|one| !is_left_out(one));
        Ok(found)
    }
}

fn workload<K: Resource>(kind: &str, object: &K, template: PodTemplateSpec) -> Workload {
    Workload {
        object: format!("{kind}/{}", object.name_any()),
        namespace: object.namespace().unwrap_or_default(),
        template,
    }
}
