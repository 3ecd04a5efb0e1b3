//! The questions about a cluster that the evidence raises, each with its value.

mod suspects;

use std::collections::{BTreeMap, BTreeSet};

use super::ask::Ask;
use crate::alert::{Focus, is_word};
use crate::facts::{Facts, Record};
use crate::signal::Signal;
use crate::text::owner_name;

/// Namespaces that are looked at.
const MOST_NAMESPACES: usize = 3;
/// Unhealthy workloads that are looked at one by one.
const MOST_UNHEALTHY: usize = 6;
/// Namespaces of the cluster itself.
const SYSTEM: &[&str] = &[
    "kube-system",
    "kube-public",
    "kube-node-lease",
    "local-path-storage",
    "openebs",
    "observe",
    "cert-manager",
];

/// The lists of a namespace, by their value.
const LISTS: &[(&str, f64)] = &[
    ("deployment", 85.0),
    ("service", 84.0),
    ("endpoints", 80.0),
    ("statefulset", 70.0),
    ("networkpolicy", 73.0),
    ("persistentvolumeclaim", 71.0),
    ("configmap", 69.0),
    ("resourcequota", 68.0),
    ("horizontalpodautoscaler", 48.0),
    ("job", 42.0),
    ("ingress", 40.0),
    ("replicaset", 38.0),
    ("daemonset", 36.0),
];

/// Lists of the whole cluster, by their value.
const WIDE_LISTS: &[(&str, f64)] = &[
    ("node", 82.0),
    ("networkchaos", 68.5),
    ("podchaos", 66.5),
    ("stresschaos", 66.4),
    ("iochaos", 46.0),
    ("httpchaos", 45.0),
    ("timechaos", 44.0),
    ("dnschaos", 43.0),
    ("jvmchaos", 42.5),
    ("schedule", 42.0),
];

const METRICS: &[(&str, f64)] = &[
    (r#"ALERTS{alertstate="firing"}"#, 66.0),
    ("up == 0", 57.0),
    (r"kube_pod_container_status_waiting_reason > 0", 56.0),
    (r#"kube_pod_container_status_last_terminated_reason{reason="OOMKilled"} > 0"#, 54.0),
    ("kube_deployment_status_replicas_unavailable > 0", 53.0),
    (
        r"sum by (namespace, pod, container) (rate(container_cpu_cfs_throttled_periods_total[5m])) / sum by (namespace, pod, container) (rate(container_cpu_cfs_periods_total[5m])) > 0.25",
        50.0,
    ),
    (r#"kube_node_status_condition{condition!="Ready",status="true"} == 1"#, 49.0),
];

pub(super) fn all(focus: &Focus, facts: &Facts, found: &[Signal]) -> Vec<(f64, Ask)> {
    let mut asked = Asked { list: Vec::new() };
    let spaces = namespaces(focus, facts);
    asked.overview(&spaces, focus, facts);
    for (kind, value) in WIDE_LISTS {
        asked.add(*value, Ask::List { kind, namespace: None });
    }
    for (query, value) in METRICS {
        asked.add(*value, Ask::Metric { query });
    }
    asked.unhealthy(focus, facts);
    asked.named(focus, facts, &spaces);
    asked.accused(facts, found, &spaces);
    asked.objects(focus, facts, found, &spaces);
    asked.programs(facts);
    asked.quiet(focus, facts, &spaces);
    asked.list
}

/// The namespaces of the alert; else those that the alert mentions, those with unhealthy pods, and the fullest.
pub(super) fn namespaces(focus: &Focus, facts: &Facts) -> Vec<String> {
    let mut found: Vec<String> = focus.of("namespace").map(str::to_owned).collect();
    let mut known: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for pod in facts.latest("pod").into_iter().filter(|pod| !pod.namespace.is_empty()) {
        let counts = known.entry(&pod.namespace).or_default();
        counts.0 += usize::from(is_unhealthy(pod));
        counts.1 += 1;
    }
    let listed = facts.of_kind("namespace").map(|one| one.name.as_str());
    let names: BTreeSet<&str> = known.keys().copied().chain(listed).collect();
    found.extend(
        names.iter().filter(|name| is_word(focus.words(), name)).map(|name| (*name).to_owned()),
    );
    for pod in facts.latest("pod") {
        if focus.names(&pod.name) || focus.names(owner_name(&pod.name)) {
            found.push(pod.namespace.clone());
        }
    }
    found.extend(focus.called_services().filter_map(|called| called.namespace.clone()));
    if found.is_empty() {
        let mut own: Vec<_> =
            known.into_iter().filter(|(name, _)| !SYSTEM.contains(name)).collect();
        own.sort_by_key(|(_, counts)| std::cmp::Reverse(*counts));
        found.extend(own.into_iter().map(|(name, _)| name.to_owned()));
        found.truncate(2);
    }
    let mut seen = BTreeSet::new();
    found.retain(|name| !name.is_empty() && seen.insert(name.clone()));
    found.truncate(MOST_NAMESPACES);
    found
}

/// Whether a row or document of a pod shows something else than all containers running.
pub(super) fn is_unhealthy(pod: &Record) -> bool {
    let status =
        pod.get("STATUS").or_else(|| pod.get("status.phase")).or_else(|| pod.get("Status"));
    if status.is_some_and(|status| !matches!(status, "Running" | "Completed" | "Succeeded")) {
        return true;
    }
    let partly = pod
        .get("READY")
        .and_then(|ready| ready.split_once('/'))
        .is_some_and(|(ready, all)| ready != all);
    let waits = pod.fields.iter().any(|field| {
        field.path.ends_with("state.waiting.reason")
            || field.path.ends_with(".State") && field.value == "Waiting"
    });
    partly && status == Some("Running") || waits
}

/// Whether a row of any object shows that it is not as it should be.
pub(super) fn is_unwell(record: &Record) -> bool {
    let partly = |ready: &str| ready.split_once('/').is_some_and(|(ready, all)| ready != all);
    match record.kind.as_str() {
        "pod" => is_unhealthy(record),
        "node" => record.get("STATUS").is_some_and(|status| status != "Ready"),
        _ => record.get("READY").is_some_and(partly),
    }
}

fn restarts(pod: &Record) -> f64 {
    let field = pod
        .get("RESTARTS")
        .or_else(|| pod.get("Restart Count"))
        .or_else(|| pod.get("restartCount"));
    field.and_then(|text| text.split_whitespace().next()?.parse().ok()).unwrap_or(0.0)
}

struct Asked {
    list: Vec<(f64, Ask)>,
}

impl Asked {
    fn add(&mut self, value: f64, ask: Ask) {
        self.list.push((value, ask));
    }

    fn overview(&mut self, spaces: &[String], focus: &Focus, facts: &Facts) {
        self.add(100.0, Ask::Alerts);
        if focus.of("namespace").next().is_none() {
            self.add(96.0, Ask::List { kind: "pod", namespace: None });
            self.add(50.0, Ask::Namespaces);
        }
        if spaces.is_empty() {
            self.add(94.0, Ask::Events { namespace: None });
        }
        for (at, name) in spaces.iter().enumerate() {
            #[expect(clippy::cast_precision_loss, reason = "at most three")]
            let less = at as f64 * 8.0;
            let namespace = Some(name.clone());
            self.add(97.0 - less, Ask::List { kind: "pod", namespace: namespace.clone() });
            self.add(94.0 - less, Ask::Events { namespace: namespace.clone() });
            for (kind, value) in LISTS {
                self.add(value - less, Ask::List { kind, namespace: namespace.clone() });
            }
            self.add(72.5 - less, Ask::Dump { kind: "service", namespace: name.clone() });
            self.add(71.5 - less, Ask::Dump { kind: "deployment", namespace: name.clone() });
            self.add(66.0 - less, Ask::UsageOfPods { namespace: namespace.clone() });
            self.add(71.8 - less, Ask::Traces { namespace: namespace.clone(), service: None });
            self.add(47.0 - less, Ask::Metrics { namespace: name.clone() });
        }
        let system = Some("kube-system".to_owned());
        let waits = facts.latest("pod").iter().any(|pod| pod.get("STATUS") == Some("Pending"));
        let value = if waits { 86.0 } else { 72.6 };
        self.add(value, Ask::List { kind: "pod", namespace: system.clone() });
        self.add(40.0, Ask::Events { namespace: system });
        self.add(49.0, Ask::UsageOfNodes);
        let pending = facts
            .latest("persistentvolumeclaim")
            .iter()
            .any(|one| one.get("STATUS") == Some("Pending"));
        if pending {
            self.add(88.0, Ask::List { kind: "storageclass", namespace: None });
            self.add(87.5, Ask::List { kind: "persistentvolume", namespace: None });
        }
    }

    /// Pods that are unhealthy, the alert's first, one of each workload; then nodes.
    fn unhealthy(&mut self, focus: &Focus, facts: &Facts) {
        let mut pods: Vec<&Record> =
            facts.latest("pod").into_iter().filter(|pod| is_unhealthy(pod)).collect();
        pods.sort_by_key(|pod| {
            let near = focus.mentions(&pod.name) || focus.mentions(owner_name(&pod.name));
            let completed = pod.get("STATUS").is_some_and(|status| status == "Completed");
            (!near, SYSTEM.contains(&&*pod.namespace), completed)
        });
        let mut owners = BTreeSet::new();
        pods.retain(|pod| owners.insert((pod.namespace.clone(), owner_name(&pod.name).to_owned())));
        for (at, pod) in pods.into_iter().take(MOST_UNHEALTHY).enumerate() {
            #[expect(clippy::cast_precision_loss, reason = "at most six")]
            let less = at as f64 * 3.0;
            self.describe(93.0 - less, "pod", pod);
            let waits = pod.get("STATUS").is_some_and(|status| {
                matches!(
                    status,
                    "Pending"
                        | "ImagePullBackOff"
                        | "ErrImagePull"
                        | "CreateContainerConfigError"
                        | "ContainerCreating"
                )
            });
            if !waits {
                self.logs(91.0 - less, pod, restarts(pod) > 0.0);
            }
            let owner = owner_name(&pod.name);
            if owner != pod.name {
                let (namespace, name) = (pod.namespace.clone(), owner.to_owned());
                self.add(73.0 - less, Ask::Get { kind: "deployment".to_owned(), namespace, name });
            }
        }
        for node in facts.latest("node") {
            let bad = node.get("STATUS").is_some_and(|status| status != "Ready");
            self.describe(if bad { 90.0 } else { 44.0 }, "node", node);
        }
    }

    fn describe(&mut self, value: f64, kind: &str, record: &Record) {
        let (kind, namespace, name) =
            (kind.to_owned(), record.namespace.clone(), record.name.clone());
        self.add(value, Ask::Describe { kind, namespace, name });
    }

    fn logs(&mut self, value: f64, pod: &Record, restarted: bool) {
        let ask = |previous| Ask::Logs {
            namespace: pod.namespace.clone(),
            pod: pod.name.clone(),
            previous,
        };
        self.add(value, ask(false));
        if restarted {
            self.add(value - 0.5, ask(true));
        }
    }

    /// What the alert names: by its fields, or because an object that was seen has the name.
    fn named(&mut self, focus: &Focus, facts: &Facts, spaces: &[String]) {
        let first = spaces.first().cloned().unwrap_or_default();
        for pod in focus.of("pod") {
            let (namespace, name) = (first.clone(), pod.to_owned());
            let ask = Ask::Describe {
                kind: "pod".to_owned(),
                namespace: namespace.clone(),
                name: name.clone(),
            };
            self.add(92.0, ask);
            self.add(90.0, Ask::Logs { namespace, pod: name, previous: false });
        }
        for service in focus.of("service").chain(focus.of("deployment")) {
            let (namespace, service) = (first.clone(), service.to_owned());
            self.add(
                88.0,
                Ask::ServiceLogs { namespace: namespace.clone(), service: service.clone() },
            );
            self.add(60.5, Ask::Traces { namespace: Some(namespace), service: Some(service) });
        }
        // What it calls, in the order in which that is reached.
        for (called, value) in focus.called_services().zip([87.0, 86.0, 85.0, 84.0]) {
            let namespace = called.namespace.clone().unwrap_or_else(|| first.clone());
            let service = called.name.clone();
            self.add(value, Ask::ServiceLogs { namespace, service });
        }
        for deployment in focus.of("deployment").filter(|_| !first.is_empty()) {
            let (kind, namespace, name) =
                ("deployment".to_owned(), first.clone(), deployment.to_owned());
            self.add(86.0, Ask::Describe { kind, namespace, name });
        }
        for node in focus.of("node") {
            let name = node.to_owned();
            self.add(
                86.0,
                Ask::Describe { kind: "node".to_owned(), namespace: String::new(), name },
            );
        }
        for record in facts.records.iter().filter(|one| focus.mentions(owner_name(&one.name))) {
            self.around(record, 83.0);
        }
        for record in &facts.records {
            let name = owner_name(&record.name);
            if focus.called_as(name).is_some() && !focus.mentions(name) {
                self.around(record, 82.0);
            }
        }
    }

    /// An object that matters: what belongs to it by its kind.
    fn around(&mut self, record: &Record, value: f64) {
        match record.kind.as_str() {
            "pod" => {
                self.logs(value, record, restarts(record) > 0.0);
                self.describe(value - 4.0, "pod", record);
            }
            "service" | "deployment" | "statefulset" => {
                self.describe(value - 1.0, &record.kind, record);
                let (kind, namespace, name) =
                    (record.kind.clone(), record.namespace.clone(), record.name.clone());
                self.add(value - 2.0, Ask::Get { kind, namespace, name });
            }
            "persistentvolumeclaim" | "node" | "job" => {
                self.describe(value - 3.0, &record.kind, record);
            }
            _ => {}
        }
    }
}
