//! Ingresses: rules that lead to no service, classes and certificates that do not exist.

use std::sync::LazyLock;

use regex::Regex;

use super::pattern::{Pattern, log};
use crate::facts::{Facts, Field, Record};
use crate::signal::Signal;
use crate::text::regex;
use crate::verdict::Category::{Configuration, ServiceRouting};

pub(super) const PATTERNS: &[Pattern] = &[log(
    Configuration,
    84.0,
    "the secret `${name}` with the certificate of an ingress does not exist",
    r"local ssl certificate (?P<name>[\w./-]+) was not found",
)];

/// What ingresses name that does not exist.
pub(super) fn find(facts: &Facts, found: &mut Vec<Signal>) {
    for ingress in facts.of_kind("ingress") {
        described(facts, ingress, found);
        backends(facts, ingress, found);
        class(facts, ingress, found);
        certificates(facts, ingress, found);
    }
}

/// `storefront:80 (<error: services "storefront" not found>)` of a description.
fn described(facts: &Facts, ingress: &Record, found: &mut Vec<Signal>) {
    static ERROR: LazyLock<Regex> =
        regex!(r#"<error: (?:services|endpoints) "(?P<name>[\w.-]+)" not found>"#);
    let lines = facts.results.get(ingress.result).map_or(&[][..], |one| one.lines.as_slice());
    let last = ingress.fields.iter().map(|field| field.line).max().unwrap_or(ingress.line);
    for (line, text) in lines.iter().enumerate().take(last).skip(ingress.line.saturating_sub(1)) {
        let Some(name) = ERROR.captures(text).and_then(|found| found.name("name")) else {
            continue;
        };
        let cause = format!("it leads to the service `{}`, which does not exist", name.as_str());
        let shown = Field { path: String::new(), value: name.as_str().to_owned(), line: line + 1 };
        found.push(Signal::of_record((ServiceRouting, 93.0), cause, facts, ingress, &shown));
    }
}

/// Services and ports of rules, compared with the services of the namespace.
fn backends(facts: &Facts, ingress: &Record, found: &mut Vec<Signal>) {
    let services: Vec<&Record> =
        facts.latest("service").into_iter().filter(|one| is_beside(one, ingress)).collect();
    let is_backend = |field: &&Field| {
        field.path.contains("ackend.service") && field.path.ends_with("service.name")
    };
    for field in ingress.fields.iter().filter(is_backend) {
        let Some(service) = services.iter().find(|one| one.name == field.value) else {
            if facts.is_listed("service", &ingress.namespace) {
                let cause =
                    format!("it leads to the service `{}`, which does not exist", field.value);
                found.push(Signal::of_record((ServiceRouting, 92.0), cause, facts, ingress, field));
            }
            continue;
        };
        let path = field.path.replace("service.name", "service.port.number");
        let ports = super::dependency::ports(service);
        let port = ingress.fields.iter().find(|field| field.path == path);
        let wrong = port.filter(|port| {
            !ports.is_empty() && !port.value.parse::<u16>().is_ok_and(|port| ports.contains(&port))
        });
        if let Some(port) = wrong {
            let cause = format!(
                "it leads to port {} of the service `{}`, which that does not have",
                port.value, service.name
            );
            let quote = facts.quote(service.result, service.line, &service.name);
            let signal = Signal::of_record((ServiceRouting, 92.0), cause, facts, ingress, port);
            found.push(signal.with_quote(quote));
        }
    }
}

fn is_beside(one: &Record, ingress: &Record) -> bool {
    one.namespace == ingress.namespace || one.namespace.is_empty() || ingress.namespace.is_empty()
}

fn class(facts: &Facts, ingress: &Record, found: &mut Vec<Signal>) {
    let classes = facts.latest("ingressclass");
    let paths = ["spec.ingressClassName", "CLASS", "Ingress Class"];
    let Some(field) = paths.iter().find_map(|path| ingress.field(path)) else { return };
    let is_named = field.value != "<none>" && !field.value.is_empty();
    if is_named && !classes.is_empty() && classes.iter().all(|class| class.name != field.value) {
        let cause =
            format!("no controller serves its class `{}`, which does not exist", field.value);
        found.push(Signal::of_record((ServiceRouting, 91.0), cause, facts, ingress, field));
    }
}

/// Secrets of certificates, compared with a list of secrets.
fn certificates(facts: &Facts, ingress: &Record, found: &mut Vec<Signal>) {
    let secrets: Vec<&Record> =
        facts.latest("secret").into_iter().filter(|one| is_beside(one, ingress)).collect();
    let is_secret = |field: &&Field| {
        field.path.starts_with("spec.tls[") && field.path.ends_with("].secretName")
    };
    let is_listed = facts.is_listed("secret", &ingress.namespace);
    for field in ingress.fields.iter().filter(is_secret) {
        if is_listed && secrets.iter().all(|secret| secret.name != field.value) {
            let cause = format!("the secret `{}` with its certificate does not exist", field.value);
            found.push(Signal::of_record((Configuration, 91.0), cause, facts, ingress, field));
        }
    }
}
