//! Names that cannot be resolved.

use super::pattern::{Pattern, both, log};
use crate::facts::{Facts, Record};
use crate::signal::Signal;
use crate::verdict::Category::Dns;

pub(super) const PATTERNS: &[Pattern] = &[
    log(
        Dns,
        96.0,
        "the DNS server asks itself: the resolver that it forwards to leads back to it (a loop)",
        r"plugin/loop: loop|\bloop \(\S+ -> \S+\) detected",
    ),
    both(
        Dns,
        80.0,
        "names cannot be resolved: the DNS server does not answer",
        r"no servers could be reached|communications error to \S+#53: |lookup \S+ on \S+:53: (?:read udp|dial udp|.*i/o timeout|server misbehaving)|i/o timeout.{0,40}:53\b|:53: (?:connection refused|i/o timeout)|servfail|server misbehaving",
    )
    .beside(&["dns", "resol", "name", "lookup", "host", "connect", "reach"]),
    log(
        Dns,
        66.0,
        "a name cannot be resolved",
        r"no such host|name or service not known|nxdomain|temporary failure in name resolution|eai_again|enotfound|could not resolve host|unknownhostexception|getaddrinfo|name resolution fail|name does not resolve|can't resolve '|\bbad address '|server can't find \S+: (?:servfail|refused)",
    ),
    both(
        Dns,
        96.0,
        "the configuration of the DNS server is not valid: it does not start",
        r"corefile:\d+ - error during parsing|plugin/\w+: (?:unknown property|not an ip address or file)|named: loading configuration: failure|unbound-checkconf: .{0,40}error",
    ),
    both(
        Dns,
        86.0,
        "the DNS server has as many questions open as it may have",
        r"maximum number of concurrent dns queries reached",
    ),
    log(
        Dns,
        90.0,
        "a zone of the DNS server was not loaded",
        r"zone \S+: (?:not loaded due to errors|loading from master file \S+ failed)",
    ),
    log(
        Dns,
        84.0,
        "answers of the DNS server are refused: their signatures are not valid",
        r"dnssec validation failed",
    ),
    log(Dns, 78.0, "the DNS server reports errors", r"plugin/errors: \d|no nameservers"),
];

/// A DNS server that is not there, that rewrites names, and pods that do not use it.
pub(super) fn find(facts: &Facts, found: &mut Vec<Signal>) {
    let is_dns = |name: &str| name.starts_with("coredns") || name.starts_with("kube-dns");
    for record in facts.of_kind("deployment").filter(|one| is_dns(&one.name)) {
        let ready = record.field("READY").filter(|field| field.value.starts_with("0/"));
        let replicas = record.field("spec.replicas").filter(|field| field.value == "0");
        if let Some(field) = ready.or(replicas) {
            let cause = "the DNS server of the cluster has no ready pod: names cannot be resolved";
            found.push(Signal::of_record((Dns, 94.0), cause, facts, record, field));
        }
    }
    for record in facts.of_kind("pod").filter(|one| is_dns(&one.name)) {
        let status = record
            .field("STATUS")
            .filter(|field| field.value != "Running" && field.value != "Completed");
        if let Some(field) = status {
            let cause = "a pod of the cluster's DNS server does not run";
            found.push(Signal::of_record((Dns, 88.0), cause, facts, record, field));
        }
    }
    for record in facts.of_kind("configmap").filter(|one| is_dns(&one.name)) {
        let odd = record.fields.iter().find(|field| {
            field.value.contains("NXDOMAIN")
                || field.value.contains("template IN")
                || field.value.contains("rcode")
        });
        if let Some(field) = odd {
            let quote = facts.quote(record.result, field.line, "NXDOMAIN");
            let cause = "the configuration of the cluster's DNS server makes names unresolvable";
            found.push(
                Signal::of_record((Dns, 92.0), cause, facts, record, field).with_quote(quote),
            );
        }
    }
    let workloads = facts
        .records
        .iter()
        .filter(|one| matches!(&*one.kind, "pod" | "deployment" | "statefulset"));
    for record in workloads.filter(|one| one.namespace != "kube-system") {
        let policy =
            record.field("dnsPolicy").filter(|field| matches!(&*field.value, "None" | "Default"));
        if let Some(field) = policy {
            let cause = "its DNS policy keeps it from resolving the names of services";
            let weight = if asks_the_cluster(facts, record) { 30.0 } else { 86.0 };
            found.push(Signal::of_record((Dns, weight), cause, facts, record, field));
        }
    }
}

/// Whether a pod is configured to ask the cluster's DNS server: by the address of its service.
fn asks_the_cluster(facts: &Facts, record: &Record) -> bool {
    let services: Vec<&Record> = facts.latest("service");
    let addresses: Vec<&str> = services
        .iter()
        .filter(|one| one.namespace == "kube-system")
        .filter_map(|one| one.get("CLUSTER-IP").or_else(|| one.get("spec.clusterIP")))
        .collect();
    record
        .fields
        .iter()
        .filter(|field| field.path.contains("dnsConfig.nameservers["))
        .any(|field| addresses.contains(&field.value.as_str()))
}
