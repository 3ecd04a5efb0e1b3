//! Certificates that are not issued: what issuers, requests, orders and challenges say of themselves.

use std::sync::LazyLock;

use regex::Regex;

use crate::facts::{Facts, Record, excerpt};
use crate::signal::Signal;
use crate::text::{compile, regex};
use crate::verdict::Category::{self, Certificate, Configuration, Quota};

/// Kinds of cert-manager.
const KINDS: &[&str] =
    &["certificate", "certificaterequest", "order", "challenge", "issuer", "clusterissuer"];
const WEIGHT: f64 = 91.0;

/// Words that decide, the category, and the cause; the first that fits counts.
const REASONS: &[(&str, Category, &str)] = &[
    (
        r"ratelimited|too many (?:certificates|failed authorizations|new orders|registrations)|\b429\b",
        Quota,
        "a certificate is not issued: its authority was asked too often, and refuses for now",
    ),
    (
        r"issuer\b.{0,120}\bnot found|issuer not found",
        Configuration,
        "a certificate is not issued: the issuer that it names does not exist",
    ),
    (
        r"getting keypair for ca issuer|secret .{0,80}not found.{0,80}\bca\b",
        Configuration,
        "a certificate is not issued: the secret with the authority of its issuer is missing",
    ),
    (
        r"no configured challenge solvers",
        Configuration,
        "a certificate is not issued: no solver of its issuer fits the challenge",
    ),
    (
        r"ready issuer condition|issuer\b.{0,60}\bis not ready",
        Certificate,
        "a certificate is not issued: its issuer is not ready",
    ),
    (
        r"nxdomain|servfail|no such host|acme:error:dns|dns problem|no valid a records",
        Certificate,
        "a certificate is not issued: its name does not resolve for the authority",
    ),
    (
        r"acme:error:caa|caa record",
        Certificate,
        "a certificate is not issued: a record of its zone forbids this authority",
    ),
    (
        r"invalid access token|access ?denied|unauthorizedoperation|not authorized to perform|api key is correctly|authentication error|permission .{0,60}denied|invalid credentials|presenting challenge.{0,200}\b40[13]\b",
        Certificate,
        "a certificate is not issued: the provider of its zone refuses the credentials for the challenge",
    ),
    (
        r"account is not valid|acme account|accountdoesnotexist|externalaccountrequired|error initializing issuer",
        Certificate,
        "a certificate is not issued: the account at the authority is refused",
    ),
    (
        r"wrong status code|did not match expected|self[- ]check|challenge propagation|acme:error:(?:connection|unauthorized|incorrectresponse|tls)|timeout during connect|acme challenge.{0,200}(?:refused|timed? ?out)",
        Certificate,
        "a certificate is not issued: the challenge of its authority is not answered as it should be",
    ),
];

static COMPILED: LazyLock<Vec<Regex>> =
    LazyLock::new(|| REASONS.iter().map(|one| compile(&format!("(?is){}", one.0))).collect());

/// Objects that say why, and events about them.
pub(super) fn find(facts: &Facts, found: &mut Vec<Signal>) {
    static ENDS: LazyLock<Regex> = regex!(r"(?i)^status\b.*\b(?:reason|message)$");
    for record in facts.records.iter().filter(|one| is_of_issuance(one)) {
        for field in record.fields.iter().filter(|field| ENDS.is_match(&field.path)) {
            let Some((category, cause)) = reason(&field.value) else { continue };
            let weighed = (category, WEIGHT);
            let mut signal = Signal::of_record(weighed, cause, facts, record, field);
            signal.detail = Some(excerpt(&field.value, ""));
            found.push(signal);
        }
    }
    let is_known = |name: &str| {
        facts.records.iter().any(|record| record.name == name && is_of_issuance(record))
    };
    for event in &facts.events {
        let kind = event.target.kind.to_ascii_lowercase();
        if !KINDS.contains(&kind.as_str()) && !is_known(&event.target.name) {
            continue;
        }
        if let Some((category, cause)) = reason(&event.message) {
            let mut signal = Signal::of_event((category, WEIGHT), cause, facts, event);
            signal.detail = Some(excerpt(&event.message, ""));
            found.push(signal);
        }
    }
}

fn reason(text: &str) -> Option<(Category, &'static str)> {
    let at = COMPILED.iter().position(|regex| regex.is_match(text))?;
    REASONS.get(at).map(|(_, category, cause)| (*category, *cause))
}

/// Whether an object is one of those by which certificates are issued.
fn is_of_issuance(record: &Record) -> bool {
    let is_version = |path: &str| {
        path.eq_ignore_ascii_case("apiVersion") || path.eq_ignore_ascii_case("API Version")
    };
    KINDS.contains(&record.kind.as_str())
        || record
            .fields
            .iter()
            .any(|field| is_version(&field.path) && field.value.contains("cert-manager.io/"))
}
