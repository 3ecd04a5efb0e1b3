//! Services without endpoints, as lists of endpoints and of slices, documents and descriptions show it.

use crate::facts::{Facts, Record};
use crate::signal::Signal;
use crate::text::{owner_name, same_name};
use crate::verdict::Category::{Dns, ServiceRouting};
use crate::verdict::Target;

/// How a list writes that there are none.
const NONE: &[&str] = &["<none>", "<unset>"];
/// The services of the cluster's DNS server.
const OF_DNS: &[&str] = &["kube-dns", "coredns"];

/// Services and endpoints that show none.
pub(super) fn find(facts: &Facts, found: &mut Vec<Signal>) {
    for service in facts.of_kind("service") {
        let described = service.fields.iter().find(|field| field.path == "Endpoints");
        if let Some(field) = described.filter(|field| matches!(&*field.value, "<none>" | "")) {
            let quote = facts.quote(service.result, field.line, "Endpoints:");
            let signal = without_endpoints(facts, &service.namespace, &service.name);
            found.push(signal.with_quote(quote));
        }
    }
    for endpoints in facts.of_kind("endpoints").filter(|one| is_empty(facts, one)) {
        let quote = facts.quote(endpoints.result, endpoints.line, "<none>");
        let name = service_of(endpoints);
        found.push(without_endpoints(facts, &endpoints.namespace, name).with_quote(quote));
    }
}

/// Whether what was seen of the endpoints of a service shows none.
pub(super) fn is_empty_of(facts: &Facts, service: &Record) -> bool {
    let described = service.fields.iter().find(|field| field.path == "Endpoints");
    described.is_some_and(|field| matches!(&*field.value, "<none>" | ""))
        || facts.of_kind("endpoints").any(|one| {
            service_of(one) == service.name
                && one.namespace == service.namespace
                && is_empty(facts, one)
        })
}

/// The service that endpoints or a slice belong to.
fn service_of(endpoints: &Record) -> &str {
    let labelled = endpoints.get("metadata.labels.kubernetes.io/service-name");
    let is_slice = endpoints.get("ADDRESSTYPE").is_some();
    labelled.unwrap_or(if is_slice { owner_name(&endpoints.name) } else { &endpoints.name })
}

fn is_empty(facts: &Facts, endpoints: &Record) -> bool {
    let text =
        facts.results.get(endpoints.result).and_then(|one| one.lines.get(endpoints.line - 1));
    let is_row = endpoints.get("AGE").is_some();
    if is_row {
        return text.is_some_and(|line| NONE.iter().any(|none| line.contains(none)));
    }
    if endpoints.get("Addresses").is_some_and(|value| value == "<none>") {
        return true;
    }
    let is_document = endpoints.field("metadata.name").is_some();
    let has = |path: &str| endpoints.fields.iter().any(|field| field.path.starts_with(path));
    is_document && !has("subsets[") && !has("endpoints[")
}

/// Weaker if its pods are known to be unhealthy: then that is the cause.
fn without_endpoints(facts: &Facts, namespace: &str, name: &str) -> Signal {
    let of_pods =
        facts.latest("pod").into_iter().filter(|pod| same_name(owner_name(&pod.name), name));
    let sick =
        of_pods.into_iter().any(|pod| !super::container::is_ready(facts, namespace, &pod.name));
    let of_dns = OF_DNS.contains(&name);
    Signal {
        category: if of_dns { Dns } else { ServiceRouting },
        cause: "the service has no endpoints: no ready pod matches its selector".to_owned(),
        target: Target::new("Service", name, namespace),
        weight: match () {
            () if sick => 48.0,
            () if of_dns => 93.0,
            () => 76.0,
        },
        is_event: false,
        age: None,
        is_line: false,
        side: None,
        takes: None,
        detail: None,
        accused: None,
        quotes: Vec::new(),
    }
}
