//! Dependencies: calls of another service that fail, and addresses that lead nowhere.

use std::sync::LazyLock;

use regex::Regex;

use super::pattern::is_harmless;
use crate::facts::{Facts, Message, Record};
use crate::signal::Signal;
use crate::text::{owner_name, regex, same_name};
use crate::verdict::Category::{Application, Configuration, NetworkFault};
use crate::verdict::Target;

#[derive(Clone, Debug, PartialEq)]
struct Address {
    /// The first label of the name, in small letters: `cart` of `cart.shop.svc:7070`.
    host: String,
    namespace: String,
    port: Option<u16>,
}

/// Calls that fail, and variables with an address that no service has.
pub(super) fn find(facts: &Facts, found: &mut Vec<Signal>) {
    let services: Vec<&Record> = facts.latest("service");
    for message in facts.messages.iter().filter(|message| !is_harmless(&message.text)) {
        if let Some(signal) = of_message(facts, message, &services) {
            found.push(signal);
        }
    }
    for record in facts
        .records
        .iter()
        .filter(|one| matches!(&*one.kind, "pod" | "deployment" | "statefulset" | "configmap"))
    {
        variables(facts, record, &services, found);
    }
}

/// The addresses that a text names: of services, not of this machine and not bare numbers.
fn addresses(text: &str) -> Vec<Address> {
    static ADDRESS: LazyLock<Regex> = regex!(
        r"(?:[a-z+]+://(?:[^\s/@]*@)?)?\b(?P<host>[a-z][a-z0-9-]*(?:\.[a-z0-9-]+)*):(?P<port>\d{2,5})\b"
    );
    static LOOKUP: LazyLock<Regex> = regex!(
        r#"(?i)(?:https?://|lookup |host(?: ?name)? ["']?|resolve '?|dial tcp: lookup |getaddrinfo \w+ |bad address '?|can't find |unknownhostexception: )(?P<host>[a-z][a-z0-9-]*(?:\.[a-z0-9-]+)*)"#
    );
    let mut found: Vec<Address> = Vec::new();
    for captures in ADDRESS.captures_iter(text).chain(LOOKUP.captures_iter(text)) {
        let whole = captures.name("host").map_or("", |host| host.as_str());
        let port = captures.name("port").and_then(|port| port.as_str().parse().ok());
        let mut labels = whole.split('.');
        let host = labels.next().unwrap_or_default().to_owned();
        let namespace = labels.next().unwrap_or_default().to_owned();
        let is_file = port.is_some()
            && matches!(
                &*namespace,
                "go" | "py" | "js" | "java" | "rs" | "cc" | "c" | "ts" | "cs" | "rb"
            );
        if host == "localhost"
            || host.len() < 3
            || is_file
            || found.iter().any(|one| one.host == host)
        {
            continue;
        }
        found.push(Address { host, namespace, port });
    }
    found
}

/// Programs that take traces, metrics and logs: without them, requests are served all the same.
const TELEMETRY: &[&str] = &[
    "otel",
    "opentelemetry",
    "collector",
    "jaeger",
    "zipkin",
    "tempo",
    "loki",
    "fluent",
    "statsd",
    "prometheus",
    "telemetry",
];
/// How often a call must have failed to be no accident, and seconds in which the last one did.
const REPEATED: usize = 3;
const RECENT: f64 = 1_800.0;

/// The weight of an address that leads nowhere, and of which nothing suffers.
const UNUSED: f64 = 45.0;

fn is_warning(text: &str) -> bool {
    static WARNING: LazyLock<Regex> =
        regex!(r#"(?i)^.{0,60}\bwarn(?:ing)?\b|\blevel["']?[=:]\s*["']?warn"#);
    WARNING.is_match(text)
}

/// Whether something suffers from an address: a call of it fails in a log, or the pods of the workload are not ready.
fn has_effect(facts: &Facts, record: &Record, address: &Address) -> bool {
    let port = address.port.map(|port| format!(":{port}")).unwrap_or_default();
    let names =
        |text: &str| text.contains(&address.host) || !port.is_empty() && text.contains(&port);
    let fails = facts.messages.iter().any(|message| {
        message.is_log
            && fails(&message.text)
            && names(&message.text)
            && !is_warning(&message.text)
            && !is_harmless(&message.text)
    });
    let owner = owner_name(&record.name);
    let of_record = |pod: &&Record| same_name(owner_name(&pod.name), owner);
    let sick = facts.latest("pod").into_iter().filter(of_record).any(|pod| {
        pod.get("STATUS").is_some_and(|status| !matches!(status, "Running" | "Completed"))
            || pod
                .get("READY")
                .and_then(|ready| ready.split_once('/'))
                .is_some_and(|(ready, all)| ready != all)
    });
    fails || sick
}

pub(super) fn fails(text: &str) -> bool {
    static FAILING: LazyLock<Regex> = regex!(
        r"(?i)refused|no such host|unavailable|timed? ?out|deadline|no route|unreachable|reset|cannot connect|could not (?:connect|reach)|failed to (?:connect|dial)|not resolve|not translate host|bad address|server can't find|name resolution|unknown ?host|enotfound|eai_again|server selection"
    );
    FAILING.is_match(text) || refuses(text)
}

/// Whether a text has the status with which a server says that it cannot serve now: what decides is at that server.
fn refuses(text: &str) -> bool {
    static REFUSED: LazyLock<Regex> = regex!(
        r"(?i)\b(?:status(?:[ _-]?code)?|http(?:/[\d.]+)?|code|returned|responded|answered|replied)\W{1,3}(?:with )?(?:http )?503\b|\b503 service unavailable"
    );
    REFUSED.is_match(text)
}

fn of_message(facts: &Facts, message: &Message, services: &[&Record]) -> Option<Signal> {
    if !message.is_log || !fails(&message.text) {
        return None;
    }
    let caller = owner_name(&message.target.name);
    let mut peers = addresses(&message.text);
    peers.extend(numbered(&message.text, services));
    let address = peers.into_iter().find(|address| address.host != caller)?;
    let is_telemetry = TELEMETRY.iter().any(|word| address.host.contains(word));
    let known = services.iter().find(|service| service.name == address.host);
    let in_namespace =
        services.iter().filter(|one| one.namespace == message.target.namespace).count();
    let signal = match known {
        None if in_namespace >= 3
            && is_internal(&address, &message.text, services)
            && !is_pod_of(facts, &address.host) =>
        {
            let cause = format!("it calls `{}`, which no service is named", address.host);
            // A warning is no failure: what was never deployed is often named in one at every start.
            let is_unused = is_telemetry || is_warning(&message.text);
            let weight = if is_unused { UNUSED } else { 80.0 };
            Signal::of_message((Configuration, weight), cause, facts, message)
        }
        Some(service) if wrong_port(service, &address) => {
            let port = address.port.unwrap_or_default();
            let cause = format!(
                "it calls `{}` at port {port}, which the service does not have",
                address.host
            );
            let quote = facts.quote(service.result, service.line, &service.name);
            Signal::of_message((Configuration, 88.0), cause, facts, message).with_quote(quote)
        }
        _ => {
            let weight = if is_telemetry { UNUSED } else { weight_of_failure(facts, message) };
            let mut signal = unanswered(facts, message, &address, (known.is_some(), weight));
            // A message with the address in numbers does not show the name.
            let unnamed = known.filter(|one| !message.text.contains(&*one.name));
            if let Some(service) = unnamed {
                let quote = facts.quote(service.result, service.line, &service.name);
                signal.quotes.insert(0, quote);
            }
            signal
        }
    };
    Some(signal.accusing(&address.host))
}

const UNANSWERED: &str = "does not answer its callers";

/// A peer that does not answer, or cannot serve.
fn unanswered(
    facts: &Facts,
    message: &Message,
    address: &Address,
    (is_service, weight): (bool, f64),
) -> Signal {
    let timeout = ["imeout", "imed out", "eadline"].iter().any(|word| message.text.contains(word));
    let category = if timeout { NetworkFault } else { Application };
    let how = if refuses(&message.text) { "answers its callers with 503" } else { UNANSWERED };
    let cause = format!("`{}` {how}", address.host);
    let namespace =
        if address.namespace.is_empty() { &message.target.namespace } else { &address.namespace };
    let target = Target::new(if is_service { "Service" } else { "" }, &address.host, namespace);
    Signal::of_message((category, weight), cause, facts, message).at(target)
}

/// A call that fails again and again until the end of a log weighs more than one of its beginning.
fn weight_of_failure(facts: &Facts, message: &Message) -> f64 {
    let is_recent = facts.age(message).is_none_or(|age| age < RECENT);
    let goes_on = message.count >= REPEATED && message.place > 0.5 && is_recent;
    if goes_on && !is_warning(&message.text) { 62.0 } else { 54.0 }
}

/// The services that a text names by their addresses in numbers.
fn numbered(text: &str, services: &[&Record]) -> Vec<Address> {
    static NUMBER: LazyLock<Regex> =
        regex!(r"\b(?P<ip>\d{1,3}(?:\.\d{1,3}){3}):(?P<port>\d{2,5})\b");
    let of = |captures: regex::Captures<'_>| {
        let ip = captures.name("ip")?.as_str();
        let has = |one: &&&Record| {
            ["CLUSTER-IP", "spec.clusterIP", "IP"].iter().any(|path| one.get(path) == Some(ip))
        };
        let service = services.iter().find(has)?;
        let port = captures.name("port").and_then(|port| port.as_str().parse().ok());
        let (host, namespace) = (service.name.clone(), service.namespace.clone());
        Some(Address { host, namespace, port })
    };
    NUMBER.captures_iter(text).filter_map(of).collect()
}

/// Whether a name is one of the cluster: `db`, `db.shop` if `shop` is a namespace, `db.shop.svc`; not `api.example.com`.
fn is_internal(address: &Address, text: &str, services: &[&Record]) -> bool {
    address.namespace.is_empty()
        || text.contains(&format!("{}.{}.svc", address.host, address.namespace))
        || services.iter().any(|one| one.namespace == address.namespace)
}

/// Whether a line of a log reports a failing call of a host.
pub(super) fn is_failing_call(message: &Message, host: &str) -> bool {
    message.is_log
        && fails(&message.text)
        && !is_warning(&message.text)
        && !is_harmless(&message.text)
        && addresses(&message.text).iter().any(|address| address.host == host)
}

fn is_pod_of(facts: &Facts, host: &str) -> bool {
    facts.of_kind("pod").any(|pod| pod.name == host || owner_name(&pod.name) == owner_name(host))
}

pub(super) fn ports(service: &Record) -> Vec<u16> {
    let mut found: Vec<u16> = Vec::new();
    for field in &service.fields {
        if field.path == "PORT(S)" {
            let ports = field.value.split(',').filter_map(|port| {
                let port = port.split(['/', ':']).next()?;
                port.trim().parse::<u16>().ok()
            });
            found.extend(ports);
        } else if field.path.ends_with("].port") || field.path == "Port" {
            let word = field.value.split_whitespace().last().unwrap_or_default();
            found.extend(word.split('/').next().and_then(|port| port.parse::<u16>().ok()));
        }
    }
    found
}

fn wrong_port(service: &Record, address: &Address) -> bool {
    let ports = ports(service);
    address.port.is_some_and(|port| !ports.is_empty() && !ports.contains(&port))
}

/// Variables whose address names no service, or a port that the service does not have.
fn variables(facts: &Facts, record: &Record, services: &[&Record], found: &mut Vec<Signal>) {
    let is_variable = |path: &str| {
        path.contains(".env[")
            || path.contains("Environment.")
            || record.kind == "configmap" && path.starts_with("data.")
    };
    for field in
        record.fields.iter().filter(|field| is_variable(&field.path) && field.value.len() < 300)
    {
        for address in addresses(&field.value) {
            let same = |one: &&&Record| {
                one.name == address.host
                    && (address.namespace.is_empty()
                        || one.namespace == address.namespace
                        || record.namespace == one.namespace)
            };
            let own = services.iter().filter(|one| one.namespace == record.namespace).count();
            match services.iter().find(same) {
                Some(service) if wrong_port(service, &address) => {
                    let port = address.port.unwrap_or_default();
                    let cause = format!(
                        "it is configured to call `{}` at port {port}, which that service does not have",
                        address.host
                    );
                    let quote = facts.quote(service.result, service.line, &service.name);
                    let weight = if has_effect(facts, record, &address) { 91.0 } else { 78.0 };
                    let signal =
                        Signal::of_record((Configuration, weight), cause, facts, record, field);
                    found.push(signal.with_quote(quote).accusing(&address.host));
                }
                None if own >= 3
                    && address.namespace.len() < 2
                    && !is_pod_of(facts, &address.host) =>
                {
                    let similar = services.iter().any(|one| {
                        same_name(&one.name, &address.host)
                            || one.name.contains(&address.host)
                            || address.host.contains(&one.name)
                    });
                    let weight = match has_effect(facts, record, &address) {
                        true if similar => 90.0,
                        true => 82.0,
                        false => UNUSED,
                    };
                    let cause = format!(
                        "it is configured to call `{}`, which no service is named",
                        address.host
                    );
                    found.push(
                        Signal::of_record((Configuration, weight), cause, facts, record, field)
                            .accusing(&address.host),
                    );
                }
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_name_services() {
        let hosts =
            |text: &str| addresses(text).into_iter().map(|one| one.host).collect::<Vec<_>>();
        assert_eq!(
            hosts("dial tcp: lookup redis-cart on 10.96.0.10:53: no such host"),
            ["redis-cart"]
        );
        assert_eq!(hosts("could not reach postgres.db.svc:5432: refused"), ["postgres"]);
        assert_eq!(hosts("main.go:131 panic"), Vec::<String>::new());
        assert_eq!(hosts("at localhost:8080"), Vec::<String>::new());
    }
}
