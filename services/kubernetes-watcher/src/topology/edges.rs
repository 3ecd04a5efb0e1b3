//! From objects of a cluster to what depends on what: names alone.

use std::collections::{BTreeMap, BTreeSet};

use k8s_openapi::api::core::v1::{Container, PodSpec, PodTemplateSpec, Service, Volume};
use k8s_openapi::api::networking::v1::{Ingress, IngressBackend};
use serde_json::{Value, json};

/// What every namespace has, and every pod mounts.
const OF_ALL: &str = "ConfigMap/kube-root-ca.crt";

/// A dependency, of objects with their kinds.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Edge {
    pub(crate) namespace: String,
    pub(crate) from: String,
    pub(crate) relation: &'static str,
    pub(crate) to: String,
}

impl Edge {
    /// As api-gateway reads it.
    pub(crate) fn to_json(&self) -> Value {
        let Self { namespace, from, relation, to } = self;
        json!({ "from": from, "relation": relation, "to": to, "namespace": namespace })
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Workload {
    /// With its kind, such as `Deployment/checkout`.
    pub(crate) object: String,
    pub(crate) namespace: String,
    pub(crate) template: PodTemplateSpec,
}

/// What one list of each kind shows.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cluster {
    pub(crate) ingresses: Vec<Ingress>,
    pub(crate) services: Vec<Service>,
    pub(crate) workloads: Vec<Workload>,
}

impl Cluster {
    /// Each edge once, in a fixed order.
    pub(crate) fn edges(&self) -> BTreeSet<Edge> {
        let ingresses = self.ingresses.iter().flat_map(of_ingress);
        let services = self.services.iter().flat_map(|service| self.of_service(service));
        let workloads = self.workloads.iter().flat_map(of_workload);
        ingresses.chain(services).chain(workloads).collect()
    }

    /// A service routes to the workloads whose pods it selects.
    fn of_service(&self, service: &Service) -> Vec<Edge> {
        let selector = service.spec.as_ref().and_then(|spec| spec.selector.as_ref());
        let (Some(selector), Some(name)) = (selector, &service.metadata.name) else {
            return Vec::new();
        };
        let namespace = service.metadata.namespace.clone().unwrap_or_default();
        let selects = |one: &&Workload| {
            let labels = one.template.metadata.as_ref().and_then(|meta| meta.labels.as_ref());
            one.namespace == namespace
                && !selector.is_empty()
                && labels.is_some_and(|labels| has_all(labels, selector))
        };
        let edge = |one: &Workload| Edge {
            namespace: namespace.clone(),
            from: format!("Service/{name}"),
            relation: "routes_to",
            to: one.object.clone(),
        };
        self.workloads.iter().filter(selects).map(edge).collect()
    }
}

fn has_all(labels: &BTreeMap<String, String>, wanted: &BTreeMap<String, String>) -> bool {
    wanted.iter().all(|(key, value)| labels.get(key) == Some(value))
}

fn of_ingress(ingress: &Ingress) -> Vec<Edge> {
    let (Some(name), Some(spec)) = (&ingress.metadata.name, &ingress.spec) else {
        return Vec::new();
    };
    let rules = spec.rules.iter().flatten().filter_map(|rule| rule.http.as_ref());
    let backends = rules.flat_map(|http| http.paths.iter().map(|path| &path.backend));
    let service = |backend: &IngressBackend| Some(backend.service.as_ref()?.name.clone());
    let edge = |service: String| Edge {
        namespace: ingress.metadata.namespace.clone().unwrap_or_default(),
        from: format!("Ingress/{name}"),
        relation: "routes_to",
        to: format!("Service/{service}"),
    };
    backends.chain(&spec.default_backend).filter_map(service).map(edge).collect()
}

/// A workload uses the config maps, secrets and claims that its template names.
fn of_workload(workload: &Workload) -> Vec<Edge> {
    let Some(spec) = &workload.template.spec else { return Vec::new() };
    let used = used(spec).into_iter().filter(|object| object != OF_ALL);
    let edge = |to: String| Edge {
        namespace: workload.namespace.clone(),
        from: workload.object.clone(),
        relation: "uses",
        to,
    };
    used.map(edge).collect()
}

fn used(spec: &PodSpec) -> BTreeSet<String> {
    let containers = spec.containers.iter().chain(spec.init_containers.iter().flatten());
    let of_containers = containers.flat_map(of_container);
    of_containers.chain(spec.volumes.iter().flatten().flat_map(of_volume)).collect()
}

fn config_map(name: &str) -> String {
    format!("ConfigMap/{name}")
}

fn secret(name: &str) -> String {
    format!("Secret/{name}")
}

fn of_container(container: &Container) -> Vec<String> {
    let whole = container.env_from.iter().flatten().flat_map(|from| {
        let maps = from.config_map_ref.as_ref().map(|one| config_map(&one.name));
        maps.into_iter().chain(from.secret_ref.as_ref().map(|one| secret(&one.name)))
    });
    let values = container.env.iter().flatten().filter_map(|env| env.value_from.as_ref());
    let single = values.flat_map(|from| {
        let maps = from.config_map_key_ref.as_ref().map(|one| config_map(&one.name));
        maps.into_iter().chain(from.secret_key_ref.as_ref().map(|one| secret(&one.name)))
    });
    whole.chain(single).collect()
}

fn of_volume(volume: &Volume) -> Vec<String> {
    let map = volume.config_map.as_ref().map(|one| config_map(&one.name));
    let key = volume.secret.as_ref().and_then(|one| one.secret_name.as_deref()).map(secret);
    let claim = volume.persistent_volume_claim.as_ref();
    let claim = claim.map(|one| format!("PersistentVolumeClaim/{}", one.claim_name));
    let sources = volume.projected.iter().flat_map(|one| one.sources.iter().flatten());
    let projected = sources.flat_map(|source| {
        let map = source.config_map.as_ref().map(|one| config_map(&one.name));
        map.into_iter().chain(source.secret.as_ref().map(|one| secret(&one.name)))
    });
    [map, key, claim].into_iter().flatten().chain(projected).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object<T: serde::de::DeserializeOwned>(json: Value) -> T {
        serde_json::from_value(json).unwrap()
    }

    fn workload(name: &str, namespace: &str, template: Value) -> Workload {
        Workload {
            object: format!("Deployment/{name}"),
            namespace: namespace.to_owned(),
            template: object(template),
        }
    }

    #[test]
    fn requests_are_followed_to_workloads_and_these_to_what_they_name() {
        let labels = json!({"metadata": {"labels": {"app": "checkout", "tier": "web"}}});
        let template = json!({
            "metadata": {"labels": {"app": "checkout", "tier": "web"}},
            "spec": {
                "containers": [{"name": "app", "envFrom": [{"configMapRef": {"name": "settings"}}], "env": [
                    {"name": "KEY", "valueFrom": {"secretKeyRef": {"name": "keys", "key": "k"}}},
                    {"name": "PLAIN", "value": "secret-looking"},
                ]}],
                "volumes": [
                    {"name": "a", "persistentVolumeClaim": {"claimName": "carts"}},
                    {"name": "b", "projected": {"sources": [{"configMap": {"name": "kube-root-ca.crt"}}]}},
                    {"name": "c", "secret": {"secretName": "tls"}},
                ],
            },
        });
        let backend = |name: &str| json!({"service": {"name": name, "port": {"number": 80}}});
        let cluster = Cluster {
            ingresses: vec![object(json!({
                "metadata": {"name": "web", "namespace": "shop"},
                "spec": {"defaultBackend": backend("errors"), "rules": [{"http": {"paths": [
                    {"path": "/", "pathType": "Prefix", "backend": backend("checkout")},
                ]}}]},
            }))],
            services: vec![
                object(
                    json!({"metadata": {"name": "checkout", "namespace": "shop"}, "spec": {"selector": {"app": "checkout"}}}),
                ),
                object(
                    json!({"metadata": {"name": "outside", "namespace": "shop"}, "spec": {"externalName": "x"}}),
                ),
            ],
            workloads: vec![
                workload("checkout", "shop", template),
                workload("checkout", "staging", labels),
            ],
        };
        let edges = cluster.edges();
        let lines: Vec<String> =
            edges.iter().map(|one| format!("{} {} {}", one.from, one.relation, one.to)).collect();
        let expected = [
            "Deployment/checkout uses ConfigMap/settings",
            "Deployment/checkout uses PersistentVolumeClaim/carts",
            "Deployment/checkout uses Secret/keys",
            "Deployment/checkout uses Secret/tls",
            "Ingress/web routes_to Service/checkout",
            "Ingress/web routes_to Service/errors",
            "Service/checkout routes_to Deployment/checkout",
        ];
        assert_eq!(lines, expected);
        assert!(edges.iter().all(|edge| edge.namespace == "shop"), "{edges:?}");
    }
}
