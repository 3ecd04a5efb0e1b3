//! Certificates: expired, for another name, of an unknown issuer.

use std::sync::LazyLock;

use regex::Regex;

use super::pattern::{Pattern, both};
use crate::facts::Facts;
use crate::signal::Signal;
use crate::text::regex;
use crate::verdict::Category::Certificate;
use crate::verdict::Target;

pub(super) const PATTERNS: &[Pattern] = &[
    both(
        Certificate,
        90.0,
        "a certificate has expired",
        r"certificate (?:has |is )?expired|x509: certificate has expired|certificate_expired|ssl.{0,20}expired|notafter.{0,40}expired|certificateexpiredexception|\(invalid: expired\)",
    ),
    both(
        Certificate,
        86.0,
        "a certificate is signed by an authority that the client does not know",
        r"signed by unknown authority|unable to get local issuer|self[- ]signed certificate|unknown_ca|bad_certificate",
    )
    .beside(&["certificate", "tls", "ssl", "x509", "https", "handshake", "webhook", "trust"]),
    both(
        Certificate,
        89.0,
        "a certificate is for other names than the one that is called",
        r"certificate is valid for .{1,120}, not|hostname .{0,60}doesn't match|certificate is not valid for any names|no alternative certificate subject name matches|cannot validate certificate for \S+ because it doesn't contain any ip sans|relies on legacy common name|hostname mismatch|certificate is not valid for '",
    ),
    both(
        Certificate,
        78.0,
        "a TLS handshake fails",
        r"certificate[_ ]verify[_ ]failed|tls: (?:handshake failure|bad certificate)|sslhandshakeexception|ssl handshake failed|pkix path",
    ),
    both(
        Certificate,
        80.0,
        "a certificate cannot be issued or renewed",
        r"failed to (?:issue|renew|determine .{0,20}certificate)|order .{0,40} errored|acme: error|all renewals failed|failed to perform self check|propagation check failed.{0,400}(?:did not match expected|wrong status code)",
    )
    .beside(&["certificate", "tls", "ssl", "acme", "issu", "renew"]),
    both(
        Certificate,
        92.0,
        "a certificate and its private key do not belong together",
        r"key values mismatch|private key does not match|does not match the certificate public key",
    ),
    both(
        Certificate,
        82.0,
        "a client and the server have no version of TLS or cipher in common",
        r"ssl routines:[^)]*:(?:unsupported protocol|no shared cipher|version too low|no protocols available)|protocol version not supported|no cipher suite supported by both|alert protocol version",
    )
    .beside(&["tls", "ssl", "handshake", "https", "certificate", "cipher"]),
    both(
        Certificate,
        97.0,
        "the kubelet does not start: its client certificate has expired",
        r"part of the existing bootstrap client certificate .{0,120}is expired|currently active client certificate has expired|client certificate of the kubelet has expired",
    ),
    both(
        Certificate,
        82.0,
        "one side of a connection speaks TLS, and the other one plain text",
        r"first record does not look like a tls|wrong[_ ]version[_ ]number|server gave http response to https client|plain http request was sent to https port|client sent an http request to an https server|http/1\.x transport connection broken: malformed http response .{0,6}x15",
    )
    .beside(&["tls", "ssl", "https", "handshake", "certificate", "502", "503", "5xx", "gateway", "upstream", "protocol"]),
    both(
        Certificate,
        58.0,
        "a caller breaks off its TLS handshake",
        r"tls handshake error from \S+: (?:tls|remote error|x509)",
    )
    .beside(&["certificate", "tls", "ssl", "https", "handshake", "webhook", "trust"]),
];

/// Certificates that a caller refuses: the fault is the called service's. And those whose last day is over.
pub(super) fn find(facts: &Facts, found: &mut Vec<Signal>) {
    static EXPIRED: LazyLock<Regex> = regex!(
        r"(?i)https://(?P<host>[a-z][a-z0-9-]*)(?:\.(?P<namespace>[a-z0-9-]+))?(?:\.svc)?[:/\x22].{0,240}certificate has expired"
    );
    last_days(facts, found);
    for message in facts.messages.iter().filter(|message| message.is_log) {
        let Some(captures) = EXPIRED.captures(&message.text) else { continue };
        let part = |name| captures.name(name).map(|one| one.as_str());
        let host = part("host").unwrap_or_default();
        let known = facts.latest("service").iter().any(|one| one.name == host);
        let is_pod = facts
            .latest("pod")
            .iter()
            .any(|pod| crate::text::same_name(crate::text::owner_name(&pod.name), host));
        if known || is_pod {
            let namespace = part("namespace").unwrap_or(&message.target.namespace);
            let cause = format!("the certificate of `{host}` has expired");
            let signal = Signal::of_message((Certificate, 92.0), cause, facts, message);
            found.push(signal.at(Target::new("Service", host, namespace)));
        }
    }
}

/// Certificates that are shown with a last day before the alert.
fn last_days(facts: &Facts, found: &mut Vec<Signal>) {
    static LAST: LazyLock<Regex> = regex!(
        r"(?i)\bnot ?after *[=:] *(?P<month>[a-z]{3}) +(?P<day>\d{1,2}) (?P<time>[\d:]{8}) (?P<year>\d{4}) gmt"
    );
    let Some(now) = facts.received_at else { return };
    for (result, examined) in facts.results.iter().enumerate() {
        for (at, line) in examined.lines.iter().enumerate() {
            let Some(found_at) = LAST.captures(line) else { continue };
            let part = |name| found_at.name(name).map_or("", |part| part.as_str());
            let (day, month, year, time) = (part("day"), part("month"), part("year"), part("time"));
            let text = format!("{day:0>2} {month} {year} {time} +0000");
            let last = jiff::fmt::rfc2822::parse(&text).ok().map(|last| last.timestamp());
            if last.is_some_and(|last| last < now) {
                let cause = "a certificate has expired: its last day is over";
                let quotes = vec![facts.quote(result, at + 1, "notAfter")];
                found.push(Signal::of_values(
                    (Certificate, 91.0),
                    cause,
                    Target::default(),
                    quotes,
                ));
            }
        }
    }
}
