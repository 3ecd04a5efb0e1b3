//! Services: selectors that match no pod, ports that no container has.

use super::container::specs;
use super::endpoints;
use super::pattern::{Pattern, both};
use crate::facts::{Facts, Field, Record};
use crate::signal::Signal;
use crate::text::{owner_name, same_name};
use crate::verdict::Category::ServiceRouting;

pub(super) const PATTERNS: &[Pattern] = &[
    both(
        ServiceRouting,
        80.0,
        "a service has no endpoints",
        r"no endpoints available|no (?:available|active|healthy|ready) endpoints?|does not have any active endpoint|no healthy upstream",
    ),
    both(
        ServiceRouting,
        88.0,
        "no address is left that a load balancer could give to the service",
        r"failed to allocate ips?\b.{0,200}(?:no available|exhausted)|no available ips in pool|no free ips? in pool",
    ),
    both(
        ServiceRouting,
        78.0,
        "a route of the ingress leads to a service that does not exist",
        r"error obtaining endpoints for service|service .{1,60} not found for ingress|default backend - 404",
    ),
];

/// Services without endpoints, whose selector matches no pod, or whose target port no container has.
pub(super) fn find(facts: &Facts, found: &mut Vec<Signal>) {
    for service in facts.of_kind("service") {
        if let Some((selector, field)) = selector(service) {
            unmatched(facts, service, &selector, field, found);
        }
        target_port(facts, service, found);
        protocol(facts, service, found);
    }
}

/// The labels that a service selects by, and the field that shows them.
pub(super) fn selector(service: &Record) -> Option<(Vec<(String, String)>, &Field)> {
    let mapped: Vec<_> = service.map("spec.selector").collect();
    if let Some((_, first)) = mapped.first() {
        let pairs =
            mapped.iter().map(|(key, field)| ((*key).to_owned(), field.value.clone())).collect();
        return Some((pairs, first));
    }
    let field = service.field("Selector")?;
    let pairs: Vec<(String, String)> = field
        .value
        .split(',')
        .filter_map(|pair| pair.split_once('='))
        .map(|(key, value)| (key.trim().to_owned(), value.trim().to_owned()))
        .collect();
    (!pairs.is_empty()).then_some((pairs, field))
}

/// The labels of a pod or of the pods of a workload.
pub(super) fn labels(record: &Record) -> Vec<(String, String)> {
    let paths = if record.kind == "pod" {
        &["metadata.labels", "Labels"][..]
    } else {
        &["spec.template.metadata.labels", "spec.selector.matchLabels"]
    };
    let mut found: Vec<(String, String)> = paths
        .iter()
        .flat_map(|path| record.map(path).map(|(key, field)| (key.to_owned(), field.value.clone())))
        .collect();
    let written = ["LABELS", "Labels", "SELECTOR", "Selector"];
    for field in written.iter().flat_map(|path| record.fields_ending(path)) {
        let pairs = field.value.split(',').filter_map(|pair| pair.split_once('='));
        found.extend(pairs.map(|(key, value)| (key.trim().to_owned(), value.trim().to_owned())));
    }
    found
}

fn unmatched(
    facts: &Facts,
    service: &Record,
    selector: &[(String, String)],
    field: &Field,
    found: &mut Vec<Signal>,
) {
    let workloads = facts.records.iter().filter(|one| {
        matches!(&*one.kind, "pod" | "deployment" | "statefulset" | "daemonset")
            && (one.namespace == service.namespace
                || one.namespace.is_empty()
                || service.namespace.is_empty())
    });
    let labelled: Vec<(&Record, Vec<(String, String)>)> =
        workloads.map(|one| (one, labels(one))).filter(|(_, labels)| !labels.is_empty()).collect();
    if labelled.iter().any(|(_, labels)| selector.iter().all(|pair| labels.contains(pair))) {
        return;
    }
    let namesake = labelled.iter().find(|(one, _)| has_name_of(one, service));
    let wrong = |labels: &[(String, String)]| {
        let wrong = selector.iter().find(|pair| !labels.contains(pair));
        wrong.map(|(key, value)| format!("{key}={value}")).unwrap_or_default()
    };
    let cause = match namesake {
        Some((namesake, labels)) => format!(
            "the selector of the service matches no pod: the pods of `{}` do not have the label `{}`",
            owner_name(&namesake.name),
            wrong(labels)
        ),
        None if endpoints::is_empty_of(facts, service) && shows_all_labels(facts, service) => {
            format!(
                "the selector of the service matches no pod: none has the label `{}`",
                wrong(&[])
            )
        }
        None => return,
    };
    found.push(Signal::of_record((ServiceRouting, 92.0), cause, facts, service, field));
}

/// Whether the pods of a service's namespace were listed with their labels.
fn shows_all_labels(facts: &Facts, service: &Record) -> bool {
    let mut pods = facts.latest("pod").into_iter().filter(|pod| pod.namespace == service.namespace);
    pods.next().is_some_and(|pod| !labels(pod).is_empty())
        && pods.all(|pod| !labels(pod).is_empty())
}

/// The ports of the containers behind a service, each with whether it is a name.
fn container_ports(facts: &Facts, service: &Record) -> Vec<String> {
    let behind = facts.records.iter().filter(|one| is_behind(one, service));
    let mut ports = Vec::new();
    for one in behind {
        let mut own: Vec<String> = specs(one)
            .iter()
            .flat_map(|prefix| {
                one.fields.iter().filter(move |field| field.path.starts_with(prefix.as_str()))
            })
            .filter(|field| {
                field.path.contains(".ports[")
                    && (field.path.ends_with(".containerPort") || field.path.ends_with("].name"))
            })
            .map(|field| field.value.clone())
            .collect();
        let described = one.fields_ending("Port").chain(one.fields_ending("Ports"));
        own.extend(described.flat_map(|field| {
            field
                .value
                .split(',')
                .map(|port| port.trim().split('/').next().unwrap_or("").to_owned())
        }));
        ports.append(&mut own);
    }
    ports.retain(|port| !port.is_empty());
    ports
}

fn target_port(facts: &Facts, service: &Record, found: &mut Vec<Signal>) {
    let ports = container_ports(facts, service);
    let numeric = ports.iter().any(|port| port.parse::<u32>().is_ok());
    let is_target =
        |field: &&Field| field.path.ends_with(".targetPort") || field.path == "TargetPort";
    let mut targets: Vec<&Field> = service.fields.iter().filter(is_target).collect();
    targets.dedup_by_key(|field| &field.value);
    for field in targets {
        let value = field.value.split('/').next().unwrap_or_default();
        let is_number = value.parse::<u32>().is_ok();
        let is_known = ports.is_empty() || ports.iter().any(|port| port == value);
        if is_known || !is_number && !shows_names(facts, service) || !numeric {
            continue;
        }
        let cause = format!(
            "the service sends traffic to target port {value}, which its pods do not listen on"
        );
        let mut signal = Signal::of_record((ServiceRouting, 93.0), cause, facts, service, field);
        let shown = facts.records.iter().find_map(|one| {
            let same = is_behind(one, service);
            let field = one.fields.iter().find(|field| {
                field.path.ends_with(".containerPort") || field.path.ends_with(".Port")
            })?;
            (same && one.kind != "service").then(|| one.quote(facts, field))
        });
        if let Some(quote) = shown {
            signal = signal.with_quote(quote);
        }
        found.push(signal);
    }
    odd_endpoints(facts, service, found);
}

/// Whether the ports of the pods behind a service are known with their names: a description has only their numbers.
fn shows_names(facts: &Facts, service: &Record) -> bool {
    facts.records.iter().filter(|one| is_behind(one, service)).any(|one| {
        one.fields
            .iter()
            .any(|field| field.path.contains(".ports[") && field.path.ends_with(".containerPort"))
    })
}

/// A port whose protocol is another one than that of the container behind it.
fn protocol(facts: &Facts, service: &Record, found: &mut Vec<Signal>) {
    let Some((port, wanted, field)) = service_protocol(service) else { return };
    for one in facts.records.iter().filter(|one| is_behind(one, service)) {
        let Some((own, shown)) = container_protocol(one, &port) else { continue };
        if own == wanted {
            return;
        }
        let cause = format!(
            "the service forwards {wanted} to port {port}, at which its pods listen with {own}"
        );
        let signal = Signal::of_record((ServiceRouting, 92.0), cause, facts, service, field);
        found.push(signal.with_quote(one.quote(facts, shown)));
        return;
    }
}

/// The only target port of a service, with its protocol.
fn service_protocol(service: &Record) -> Option<(String, String, &Field)> {
    let targets: Vec<&Field> =
        service.fields.iter().filter(|field| field.path == "TargetPort").collect();
    if let [field] = targets.as_slice() {
        let (port, protocol) = field.value.split_once('/')?;
        return Some((port.to_owned(), protocol.to_owned(), field));
    }
    if let Some(field) = service.field("PORT(S)") {
        let (port, protocol) = field.value.split_once('/')?;
        let is_one = !protocol.contains(',') && port.parse::<u32>().is_ok();
        return is_one.then(|| (port.to_owned(), protocol.to_owned(), field));
    }
    let protocols: Vec<&Field> = service
        .fields
        .iter()
        .filter(|field| field.path.starts_with("spec.ports[") && field.path.ends_with("].protocol"))
        .collect();
    let [field] = protocols.as_slice() else { return None };
    let target =
        service.get("spec.ports[0].targetPort").or_else(|| service.get("spec.ports[0].port"))?;
    Some((target.to_owned(), field.value.clone(), field))
}

/// The protocol of a port of a pod or of the template of a workload.
fn container_protocol<'r>(one: &'r Record, port: &str) -> Option<(String, &'r Field)> {
    for field in &one.fields {
        if field.path.ends_with(".containerPort") && field.value == port {
            let path = field.path.replace(".containerPort", ".protocol");
            let known = one.fields.iter().find(|other| other.path == path);
            return Some((known.map_or_else(|| "TCP".to_owned(), |one| one.value.clone()), field));
        }
        let described = field.path.ends_with(".Port") || field.path.ends_with(".Ports");
        let pairs = field.value.split(',').filter_map(|pair| pair.trim().split_once('/'));
        if let Some((_, own)) = pairs.filter(|_| described).find(|(number, _)| *number == port) {
            return Some((own.to_owned(), field));
        }
    }
    None
}

/// Whether a pod or workload has the labels that a service selects by, or its name.
fn is_behind(one: &Record, service: &Record) -> bool {
    matches!(&*one.kind, "pod" | "deployment" | "statefulset" | "daemonset")
        && (has_name_of(one, service) || is_selected(one, service))
        && (one.namespace == service.namespace
            || one.namespace.is_empty()
            || service.namespace.is_empty())
}

fn has_name_of(one: &Record, service: &Record) -> bool {
    same_name(&one.name, &service.name) || same_name(owner_name(&one.name), &service.name)
}

fn is_selected(one: &Record, service: &Record) -> bool {
    let labels = labels(one);
    selector(service).is_some_and(|(pairs, _)| pairs.iter().all(|pair| labels.contains(pair)))
}

/// Without the pods: a target port that differs from the port, while other services use theirs on both sides.
fn odd_endpoints(facts: &Facts, service: &Record, found: &mut Vec<Signal>) {
    let pairs = |one: &Record| -> Vec<(String, String)> {
        let ports = one.fields.iter().filter(|field| field.path.ends_with("].port"));
        ports
            .filter_map(|port| {
                let path = port.path.replace("].port", "].targetPort");
                let target = one.fields.iter().find(|field| field.path == path)?;
                Some((port.value.clone(), target.value.clone()))
            })
            .collect()
    };
    let own = pairs(service);
    let others: Vec<_> =
        facts.of_kind("service").filter(|one| one.name != service.name).map(pairs).collect();
    let usual = others.iter().flatten().filter(|(port, target)| port == target).count();
    let unusual = others
        .iter()
        .flatten()
        .filter(|(port, target)| port != target && target.parse::<u32>().is_ok())
        .count();
    let odd = own.iter().find(|(port, target)| port != target && target.parse::<u32>().is_ok());
    let Some((port, target)) = odd.filter(|_| usual >= 3 && unusual == 0) else { return };
    if !container_ports(facts, service).is_empty() {
        return;
    }
    let field = service
        .fields
        .iter()
        .find(|field| field.path.ends_with(".targetPort") && field.value == *target);
    if let Some(field) = field {
        let cause = format!(
            "the service sends its port {port} to target port {target}, unlike every other service"
        );
        found.push(Signal::of_record((ServiceRouting, 80.0), cause, facts, service, field));
    }
}
