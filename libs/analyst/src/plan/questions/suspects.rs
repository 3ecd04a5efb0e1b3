//! Questions that suspicions raise: accused hosts, suspected objects, and what is left when nothing stands out.

use std::collections::{BTreeMap, BTreeSet};

use super::{Asked, restarts};
use crate::alert::Focus;
use crate::facts::{Facts, Record, canonical_kind};
use crate::plan::ask::Ask;
use crate::signal::Signal;
use crate::text::{owner_name, same_name};

/// The programs that a node cannot work without.
const OF_A_NODE: &[&str] = &["kubelet", "containerd", "kube-proxy"];

impl Asked {
    /// The programs of each node, of one that is not ready first.
    pub(super) fn programs(&mut self, facts: &Facts) {
        for node in facts.latest("node") {
            let is_sick = node.get("STATUS").is_some_and(|status| status.contains("NotReady"));
            let value = if is_sick { 89.0 } else { 46.0 };
            for (less, service) in (0_u8..).zip(OF_A_NODE) {
                let node = node.name.clone();
                self.add(value - f64::from(less), Ask::NodeService { node, service });
            }
        }
    }

    /// Replica sets that have fewer pods than they should: only their events say why.
    fn replica_sets(&mut self, facts: &Facts) {
        for set in facts.latest("replicaset") {
            let (wanted, ready) = (set.get("DESIRED"), set.get("READY"));
            if wanted != ready && wanted != Some("0") {
                self.describe(88.5, "replicaset", set);
            }
        }
    }

    /// The hosts that failing calls go to.
    pub(super) fn accused(&mut self, facts: &Facts, found: &[Signal], spaces: &[String]) {
        let mut hosts: BTreeMap<&str, usize> = BTreeMap::new();
        for host in found.iter().filter_map(|signal| signal.accused.as_deref()) {
            *hosts.entry(host).or_default() += 1;
        }
        for (host, times) in hosts {
            #[expect(clippy::cast_precision_loss, reason = "a few messages")]
            let more = (times as f64).min(4.0);
            let near = |one: &&Record| spaces.is_empty() || spaces.contains(&one.namespace);
            for record in facts.records.iter().filter(near) {
                if same_name(&record.name, host) || same_name(owner_name(&record.name), host) {
                    self.around(record, 78.0 + more);
                }
            }
        }
    }

    /// Objects that rules suspect, and lists whose entries explain much.
    pub(super) fn objects(
        &mut self,
        focus: &Focus,
        facts: &Facts,
        found: &[Signal],
        spaces: &[String],
    ) {
        for signal in
            found.iter().filter(|signal| signal.weight >= 60.0 && !signal.target.name.is_empty())
        {
            let same = |one: &&Record| {
                one.name == signal.target.name && one.namespace == signal.target.namespace
            };
            for record in facts.records.iter().filter(same) {
                self.around(record, 77.0);
            }
        }
        for kind in [
            "networkpolicy",
            "networkchaos",
            "stresschaos",
            "resourcequota",
            "horizontalpodautoscaler",
        ] {
            for record in facts.latest(kind).into_iter().take(4) {
                let (kind, namespace, name) =
                    (record.kind.clone(), record.namespace.clone(), record.name.clone());
                self.add(79.0, Ask::Get { kind, namespace, name });
            }
        }
        for map in facts.latest("configmap") {
            let flags = map.name.contains("flagd") || map.name.contains("feature");
            let resolver = map.name == "coredns";
            let own = spaces.contains(&map.namespace) && map.name != "kube-root-ca.crt";
            let value = if flags {
                80.0
            } else if resolver {
                62.0
            } else if own {
                45.0
            } else {
                continue;
            };
            let (namespace, name) = (map.namespace.clone(), map.name.clone());
            self.add(value, Ask::Get { kind: "configmap".to_owned(), namespace, name });
        }
        let names = found.iter().any(|signal| signal.category == crate::verdict::Category::Dns);
        if names {
            let (namespace, name) = ("kube-system".to_owned(), "coredns".to_owned());
            self.add(84.0, Ask::Get { kind: "configmap".to_owned(), namespace, name });
            self.add(
                85.0,
                Ask::List { kind: "deployment", namespace: Some("kube-system".to_owned()) },
            );
        }
        self.claims(facts);
        self.entries(focus, facts, spaces);
        self.owners(facts);
    }

    /// Ingresses with what they name: classes, and certificates in secrets.
    fn entries(&mut self, focus: &Focus, facts: &Facts, spaces: &[String]) {
        let about =
            ["ingress", "gateway", "external"].iter().any(|word| focus.words().contains(word));
        let value = if about { 82.0 } else { 56.0 };
        let near = |one: &&Record| spaces.contains(&one.namespace);
        for ingress in facts.latest("ingress").into_iter().filter(near) {
            let (kind, namespace, name) =
                ("ingress".to_owned(), ingress.namespace.clone(), ingress.name.clone());
            self.add(value, Ask::Get { kind, namespace: namespace.clone(), name });
            self.add(value - 1.0, Ask::List { kind: "ingressclass", namespace: None });
            let has_secrets = ingress.fields.iter().any(|field| field.path.contains("secretName"));
            if has_secrets {
                self.add(value - 2.0, Ask::List { kind: "secret", namespace: Some(namespace) });
            }
        }
    }

    /// The custom resources for which operators made what was seen.
    fn owners(&mut self, facts: &Facts) {
        for record in facts.records.iter().filter(|one| one.kind != "pod") {
            let of_owner = |name: &str| record.get(&format!("metadata.ownerReferences[0].{name}"));
            let (Some(kind), Some(name), Some(version)) =
                (of_owner("kind"), of_owner("name"), of_owner("apiVersion"))
            else {
                continue;
            };
            if canonical_kind(kind).is_none() {
                let (kind, name) = (format!("{version}/{kind}"), name.to_owned());
                self.add(78.5, Ask::Get { kind, namespace: record.namespace.clone(), name });
            }
        }
    }

    fn claims(&mut self, facts: &Facts) {
        for claim in facts.latest("persistentvolumeclaim") {
            if claim.get("STATUS").is_some_and(|status| status != "Bound") {
                self.describe(87.0, "persistentvolumeclaim", claim);
            }
        }
        for workload in facts.latest("deployment").into_iter().chain(facts.latest("statefulset")) {
            let short = workload
                .get("READY")
                .and_then(|ready| ready.split_once('/'))
                .is_some_and(|(ready, all)| ready != all || all == "0");
            if short {
                self.around(workload, 86.0);
                let namespace = Some(workload.namespace.clone());
                self.add(86.5, Ask::List { kind: "replicaset", namespace });
            }
        }
        self.replica_sets(facts);
        for endpoints in facts.of_kind("endpoints") {
            let line = facts
                .results
                .get(endpoints.result)
                .and_then(|one| one.lines.get(endpoints.line.saturating_sub(1)));
            if line.is_some_and(|line| line.contains("<none>")) {
                let (namespace, name) = (endpoints.namespace.clone(), endpoints.name.clone());
                self.add(
                    87.0,
                    Ask::Describe {
                        kind: "service".to_owned(),
                        namespace: namespace.clone(),
                        name: name.clone(),
                    },
                );
                self.add(82.0, Ask::Get { kind: "deployment".to_owned(), namespace, name });
            }
        }
    }

    /// When nothing stands out: the logs, services and workloads of the namespace, one after the other.
    pub(super) fn quiet(&mut self, focus: &Focus, facts: &Facts, spaces: &[String]) {
        let near = |one: &&Record| spaces.contains(&one.namespace);
        let mut owners = BTreeSet::new();
        for pod in facts.latest("pod").into_iter().filter(near) {
            if owners.insert(owner_name(&pod.name).to_owned()) {
                // Entry points name what fails behind them.
                let entry = ["frontend", "gateway", "nginx", "web", "proxy", "api"]
                    .iter()
                    .any(|word| pod.name.contains(word));
                let tool = [
                    "jaeger",
                    "prometheus",
                    "grafana",
                    "loadgenerator",
                    "load-generator",
                    "otel",
                    "consul",
                ]
                .iter()
                .any(|word| pod.name.contains(word));
                let value = if focus.mentions(owner_name(&pod.name)) {
                    75.0
                } else if entry {
                    70.0
                } else if tool {
                    41.0
                } else {
                    67.0
                };
                self.logs(value, pod, restarts(pod) > 0.0);
            }
        }
        for service in facts.latest("service").into_iter().filter(near) {
            let (kind, namespace, name) =
                ("service".to_owned(), service.namespace.clone(), service.name.clone());
            self.add(55.5, Ask::Get { kind, namespace, name });
        }
        for workload in facts.latest("deployment").into_iter().filter(near) {
            let (kind, namespace, name) =
                ("deployment".to_owned(), workload.namespace.clone(), workload.name.clone());
            self.add(54.5, Ask::Get { kind, namespace, name });
        }
    }
}
