//! Variables of containers: addresses in two of them, of the own container, and variables that are set twice.

use std::sync::LazyLock;

use regex::Regex;

use super::container::specs;
use super::dependency::{fails, is_failing_call, ports};
use crate::facts::{Facts, Field, Record};
use crate::signal::Signal;
use crate::text::regex;
use crate::verdict::Category::Configuration;

/// Endings of names of variables that hold a host.
const HOSTS: &[&str] = &["_HOST", "_HOSTNAME", "_SERVER", "_SERVICE", "_ADDR", "_ADDRESS", "_URL"];
/// Services of a namespace from which on they count as listed.
const LISTED: usize = 3;

struct Variable<'r> {
    name: &'r str,
    field: &'r Field,
}

/// Variables of pods and of the templates of workloads.
pub(super) fn find(facts: &Facts, found: &mut Vec<Signal>) {
    let services: Vec<&Record> = facts.latest("service");
    let has_containers =
        |one: &&Record| matches!(&*one.kind, "pod" | "deployment" | "statefulset" | "daemonset");
    for record in facts.records.iter().filter(has_containers) {
        for prefix in specs(record) {
            let all = variables(record, &prefix);
            twice(facts, record, &all, found);
            own_container(facts, record, &all, found);
            let own = services.iter().copied().filter(|one| one.namespace == record.namespace);
            pairs(facts, record, &all, &own.collect::<Vec<_>>(), found);
        }
    }
}

/// The variables of one container, in their order.
fn variables<'r>(record: &'r Record, prefix: &str) -> Vec<Variable<'r>> {
    let head = format!("{prefix}.env[");
    let names = record
        .fields
        .iter()
        .filter(|field| field.path.starts_with(&head) && field.path.ends_with("].name"));
    names
        .filter_map(|name| {
            let path = name.path.replace("].name", "].value");
            let field = record.fields.iter().find(|field| field.path == path)?;
            Some(Variable { name: &name.value, field })
        })
        .collect()
}

/// The last of two variables of one name counts, which nobody sees who reads the first.
fn twice(facts: &Facts, record: &Record, all: &[Variable<'_>], found: &mut Vec<Signal>) {
    for (at, one) in all.iter().enumerate() {
        let before = all.iter().take(at).find(|other| other.name == one.name);
        if let Some(before) = before.filter(|before| before.field.value != one.field.value) {
            let cause = format!(
                "its variable `{}` is set twice, and `{}` counts instead of `{}`",
                one.name, one.field.value, before.field.value
            );
            let signal = Signal::of_record((Configuration, 92.0), cause, facts, record, one.field);
            found.push(signal.with_quote(record.quote(facts, before.field)));
        }
    }
}

/// An address of the own pod at a port that none of its containers has, and whose calls fail.
fn own_container(facts: &Facts, record: &Record, all: &[Variable<'_>], found: &mut Vec<Signal>) {
    static OWN: LazyLock<Regex> = regex!(r"^(?:\w+://)?(?:localhost|127\.0\.0\.1):(?P<port>\d+)\b");
    for one in all {
        let Some(port) = OWN.captures(&one.field.value).and_then(|found| found.name("port")) else {
            continue;
        };
        let port = port.as_str();
        let is_served = record.fields.iter().any(|field| {
            field.path.ends_with("ontainerPort") && field.value == port
                || field.path.ends_with(".Port") && field.value.starts_with(port)
        });
        let failing = facts.messages.iter().find(|message| {
            message.is_log
                && fails(&message.text)
                && ["127.0.0.1", "localhost", "::1"]
                    .iter()
                    .any(|host| message.text.contains(&format!("{host}:{port}")))
        });
        if let Some(message) = failing.filter(|_| !is_served) {
            let cause = format!(
                "its variable `{}` leads to localhost, where nothing listens on port {port}",
                one.name
            );
            let quote = facts.quote(message.result, message.line, port);
            let signal = Signal::of_record((Configuration, 91.0), cause, facts, record, one.field);
            found.push(signal.with_quote(quote));
        }
    }
}

/// `DB_HOST` beside `DB_PORT`: a host that no service is named, and a port that the service does not have.
fn pairs(
    facts: &Facts,
    record: &Record,
    all: &[Variable<'_>],
    services: &[&Record],
    found: &mut Vec<Signal>,
) {
    for one in all {
        let Some(stem) = HOSTS.iter().find_map(|end| one.name.strip_suffix(end)) else { continue };
        let host = one.field.value.as_str();
        let Some(service) = services.iter().find(|service| service.name == host) else {
            no_service(facts, record, one, services, found);
            continue;
        };
        let port = all.iter().find(|other| other.name.strip_suffix("_PORT") == Some(stem));
        let number = port.and_then(|port| port.field.value.parse::<u16>().ok());
        let known = ports(service);
        let (Some(port), Some(number)) = (port, number) else { continue };
        if known.is_empty() || known.contains(&number) {
            continue;
        }
        let suffix = format!(":{number}");
        let is_failing = facts.messages.iter().any(|message| {
            message.is_log && fails(&message.text) && message.text.contains(&suffix)
        });
        let cause = format!(
            "it is configured to call `{host}` at port {number}, which that service does not have"
        );
        let weight = if is_failing { 91.0 } else { 78.0 };
        let signal = Signal::of_record((Configuration, weight), cause, facts, record, port.field);
        let quote = facts.quote(service.result, service.line, &service.name);
        found.push(signal.with_quote(quote).accusing(host));
    }
}

/// A host without a port that no service is named, and whose calls fail.
fn no_service(
    facts: &Facts,
    record: &Record,
    one: &Variable<'_>,
    services: &[&Record],
    found: &mut Vec<Signal>,
) {
    static NAME: LazyLock<Regex> = regex!(r"^[a-z][a-z0-9-]{2,}$");
    let host = one.field.value.as_str();
    if services.len() < LISTED || !NAME.is_match(host) || host == "localhost" {
        return;
    }
    let failing = facts.messages.iter().find(|message| is_failing_call(message, host));
    if let Some(message) = failing {
        let cause = format!("it is configured to call `{host}`, which no service is named");
        let quote = facts.quote(message.result, message.line, host);
        let signal = Signal::of_record((Configuration, 90.0), cause, facts, record, one.field);
        found.push(signal.with_quote(quote).accusing(host));
    }
}
