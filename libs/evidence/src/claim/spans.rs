//! What a code span, a quotation or a word of prose claims.

use std::ops::Range;

use crate::lexer::{TokenKind, lex, whole_quantity};
use crate::moment::moment_at;
use crate::quantity::{Precision, Quantity, Unit};

use super::command::is_command;
use super::content::Content;

/// Words with capitals inside that name kinds and products, not what a result shows.
const KINDS: &[&str] = &[
    "PostgreSQL",
    "GitHub",
    "GitLab",
    "MySQL",
    "MariaDB",
    "MongoDB",
    "RabbitMQ",
    "CoreDNS",
    "OpenSSL",
    "JavaScript",
    "TypeScript",
    "DaemonSet",
    "StatefulSet",
    "ReplicaSet",
    "ConfigMap",
    "ConfigMaps",
    "NetworkPolicy",
    "NetworkPolicies",
    "ServiceAccount",
    "PersistentVolume",
    "PersistentVolumeClaim",
    "PersistentVolumeClaims",
    "HTTPRoute",
    "TARSy",
    "PagerDuty",
    "PromQL",
    "OpenTelemetry",
    "CronJob",
    "StorageClass",
    "IngressClass",
    "PodDisruptionBudget",
    "HorizontalPodAutoscaler",
    "ResourceQuota",
    "LimitRange",
    "ClusterRole",
    "RoleBinding",
    "EndpointSlice",
    "ArgoCD",
    "DevOps",
    "CloudWatch",
    "LetsEncrypt",
    "IPv4",
    "IPv6",
    "OAuth",
    "GraphQL",
    "NodePort",
    "LoadBalancer",
    "ClusterIP",
    "PodSecurity",
    "DeploymentConfig",
    "MiB",
    "GiB",
    "KiB",
    "TiB",
];
/// Compounds with digits or hyphens that are words.
const COMPOUNDS: &[&str] = &[
    "x86-64",
    "utf-8",
    "sha-256",
    "follow-up",
    "out-of-memory",
    "node-level",
    "up-to-date",
    "end-to-end",
    "one-by-one",
    "back-off",
    "day-to-day",
    "step-by-step",
    "point-in-time",
    "sign-in",
];
/// What authors count in their own text.
const VAGUE: &[&str] = &[
    "looks",
    "results",
    "lists",
    "reasons",
    "things",
    "steps",
    "ways",
    "possibilities",
    "options",
    "hypotheses",
    "explanations",
    "causes",
    "questions",
    "parts",
    "problems",
    "issues",
    "facts",
    "points",
    "findings",
    "signals",
    "signs",
    "sources",
    "calls",
    "observations",
    "independent",
    "different",
    "separate",
    "main",
    "possible",
];
/// What a number word before makes a fraction of: `three quarters of the memory`.
const FRACTIONS: &[&str] =
    &["halves", "thirds", "quarters", "fifths", "sixths", "eighths", "tenths"];
/// The fewest and the most numbers of a version whose dots leave no doubt: `1.31.4`.
const VERSION_PARTS: std::ops::RangeInclusive<usize> = 3..=4;
/// The shortest quotation of one word that is more than a name, in bytes.
const LONG_QUOTATION: usize = 24;

/// What a code span claims, if anything.
pub(super) fn code_claim(text: &str) -> Option<Content> {
    let text = text.trim();
    if text.is_empty()
        || is_command(text)
        || text.starts_with('-') && text.len() < 3
        || text.contains('<') && text.contains('>') && text.contains("name")
    {
        return None;
    }
    if let Some((moment, length)) = moment_at(text)
        && length == text.len()
    {
        return Some(Content::Time(moment));
    }
    if let Some(quantity) = whole_quantity(text) {
        return Some(Content::Quantity(quantity));
    }
    if !text.contains(char::is_alphanumeric) {
        return None;
    }
    let is_phrase =
        text.contains(char::is_whitespace) || text.contains(['=', '"', '\'', '{', '|', ';', '…']);
    Some(if is_phrase {
        Content::Quotation(text.to_owned())
    } else {
        Content::Name(text.to_owned())
    })
}

/// What a text in quotation marks claims. Marks around one or two plain words are no quotation.
pub(super) fn quoted_claim(text: &str) -> Option<Content> {
    let text = text.trim();
    let words = text.split_whitespace().count();
    let technical =
        text.contains(|c: char| c.is_ascii_digit() || matches!(c, '_' | '=' | '/' | ':'));
    if text.is_empty() || is_command(text) || words < 3 && !technical && text.len() < LONG_QUOTATION
    {
        return None;
    }
    if words == 1 {
        return code_claim(text);
    }
    Some(Content::Quotation(text.to_owned()))
}

/// Whether a word of prose can only be the name of something.
pub(crate) fn is_name(word: &str) -> bool {
    let lower = word.to_lowercase();
    let plain = word.trim_end_matches("'s");
    if KINDS.contains(&plain)
        || COMPOUNDS.contains(&lower.as_str())
        || plain.len() < 4
        || plain.contains("://")
    {
        return false;
    }
    let digit = plain.bytes().any(|byte| byte.is_ascii_digit());
    let letter = plain.bytes().any(|byte| byte.is_ascii_alphabetic());
    is_address(plain)
        || is_version(plain)
        || letter && plain.starts_with('/') && plain.matches('/').count() > 1
        || letter && plain.contains('_') && !plain.ends_with('_')
        || is_numbered(plain) && digit && letter
        || plain.matches('-').count() >= 3 && !plain.contains("-to-")
        || has_humps(plain)
        || is_unit(plain)
}

/// `web-3`, `checkout-7f9c5d-abcde`, `shop/checkout-0`, but not `5-minute`, `v1.2-rc1` or `p99-latency`.
fn is_numbered(word: &str) -> bool {
    let Some((first, last)) = word.rsplit_once('-') else { return false };
    let first = first.rsplit('/').next().unwrap_or(first);
    let starts = first.chars().next().is_some_and(char::is_alphabetic) && first.len() > 1;
    let version = first
        .strip_prefix('v')
        .is_some_and(|rest| rest.bytes().next().is_some_and(|byte| byte.is_ascii_digit()));
    let generic = matches!(
        first.to_lowercase().as_str(),
        "non"
            | "pre"
            | "post"
            | "mid"
            | "sub"
            | "p99"
            | "p95"
            | "top"
            | "pod"
            | "layer"
            | "level"
            | "tier"
            | "exit"
            | "code"
    );
    starts
        && !version
        && !generic
        && !last.is_empty()
        && word
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'/' | b'.' | b'_'))
        && word.split('-').skip(1).any(|part| part.bytes().any(|byte| byte.is_ascii_digit()))
}

/// `1.31.4`, `v4.18.2`.
fn is_version(word: &str) -> bool {
    let parts: Vec<&str> = word.strip_prefix('v').unwrap_or(word).split('.').collect();
    VERSION_PARTS.contains(&parts.len())
        && parts.iter().all(|part| {
            (1..=4).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit())
        })
}

fn is_address(word: &str) -> bool {
    let host = word.split([':', '/']).next().unwrap_or_default();
    let parts: Vec<&str> = host.split('.').collect();
    parts.len() == 4 && parts.iter().all(|part| part.parse::<u8>().is_ok())
}

/// `OOMKilled`, `CrashLoopBackOff`, `NotReady`.
fn has_humps(word: &str) -> bool {
    let mut previous = ' ';
    let mut humps = 0;
    for c in word.chars() {
        humps += usize::from(c.is_uppercase() && previous.is_lowercase());
        previous = c;
    }
    let starts = word.chars().next().is_some_and(char::is_uppercase);
    let lead = word.chars().take_while(|c| c.is_uppercase()).count();
    starts
        && word.chars().all(char::is_alphanumeric)
        && (humps >= 1 || lead >= 3 && lead + 3 < word.len())
}

fn is_unit(word: &str) -> bool {
    [
        ".service",
        ".timer",
        ".socket",
        ".mount",
        ".slice",
        ".conf",
        ".yaml",
        ".log",
        ".local",
        ".internal",
    ]
    .iter()
    .any(|end| word.ends_with(end))
}

/// The claims of a piece of prose: ranges within it, and what stands there.
pub(super) fn prose_claims(prose: &str) -> Vec<(Range<usize>, Content, Precision)> {
    let mut claims: Vec<(Range<usize>, Content, Precision)> = Vec::new();
    let tokens = lex(prose);
    for (at, token) in tokens.iter().enumerate() {
        let mut range = token.start..token.end();
        let before = prose.get(..token.start).unwrap_or_default();
        if claims.last().is_some_and(|last| last.0.end > range.start) {
            continue;
        }
        let content = match token.kind {
            TokenKind::Moment(moment) => Content::Time(moment),
            TokenKind::Quantity(quantity) => {
                let next = tokens.get(at + 1).map_or("", |next| next.text);
                if !super::phrase::is_counted(
                    &quantity,
                    before,
                    prose.get(token.end()..).unwrap_or_default(),
                    next,
                ) {
                    continue;
                }
                if quantity.unit == Unit::NONE && VAGUE.contains(&next.to_lowercase().as_str()) {
                    continue;
                }
                Content::Quantity(quantity)
            }
            TokenKind::Word if is_name(token.text) => Content::Name(token.text.to_owned()),
            TokenKind::Word => match number_word(token.text).filter(|_| counts(&tokens, at)) {
                Some(number) => {
                    let half = has_half(&tokens, at);
                    let next = tokens.get(at + if half { 4 } else { 1 });
                    let unit = next.and_then(|next| Unit::parse(next.text));
                    let (number, step) = if half { (number + 0.5, 0.5) } else { (number, 1.0) };
                    let quantity = Quantity { number, step, unit: unit.unwrap_or(Unit::NONE) };
                    let (text, behind) = next.map_or(("", ""), |next| {
                        (next.text, prose.get(token.end()..).unwrap_or_default())
                    });
                    if !super::phrase::is_counted(&quantity, before, behind, text) {
                        continue;
                    }
                    if let Some(next) = next.filter(|_| unit.is_some()) {
                        range.end = next.end();
                    }
                    Content::Quantity(quantity)
                }
                None => continue,
            },
        };
        claims.push((range, content, super::phrase::precision(before)));
    }
    share_units(prose, &mut claims);
    super::compound::join(prose, &mut claims);
    claims
}

/// Whether `and a half` follows.
fn has_half(tokens: &[crate::lexer::Token<'_>], at: usize) -> bool {
    let words = tokens.get(at + 1..at + 4).unwrap_or_default();
    words.iter().map(|word| word.text).eq(["and", "a", "half"])
}

/// Gives the numbers of a list the unit of its last: `6.1, 6.6 and 7.0 seconds`, `from 3 to 5 GiB`.
fn share_units(prose: &str, claims: &mut [(Range<usize>, Content, Precision)]) {
    for at in (1..claims.len()).rev() {
        let (earlier, later) = claims.split_at_mut(at);
        let (Some(one), Some(next)) = (earlier.last_mut(), later.first()) else { continue };
        let (Content::Quantity(own), Content::Quantity(other)) = (&mut one.1, &next.1) else {
            continue;
        };
        let between = prose.get(one.0.end..next.0.start).unwrap_or_default();
        let is_list = matches!(
            between.trim(),
            "," | ", and" | "and" | "to" | "or" | "-" | "–" | "/" | ", then" | "then"
        );
        // Of what is measured, the part has the unit of its whole.
        let is_part = matches!(between.trim(), "of" | "of its" | "of the" | "out of")
            && other.unit != Unit::parse("%").unwrap_or(Unit::NONE);
        if (is_list || is_part) && own.unit == Unit::NONE && other.unit != Unit::NONE {
            own.unit = other.unit;
        }
    }
}

pub(crate) fn number_word(word: &str) -> Option<f64> {
    const WORDS: &[&str] = &[
        "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    ];
    let at = WORDS.iter().position(|known| word.eq_ignore_ascii_case(known))?;
    u32::try_from(at + 2).ok().map(f64::from)
}

/// Whether a number that is written as a word counts things: `three pods`, not `two reasons`.
fn counts(tokens: &[crate::lexer::Token<'_>], at: usize) -> bool {
    let next = tokens.get(at + 1).filter(|next| next.kind == TokenKind::Word);
    let previous =
        at.checked_sub(1).and_then(|before| tokens.get(before)).map_or("", |token| token.text);
    let counts = |next: &crate::lexer::Token<'_>| {
        let next = next.text.to_lowercase();
        !VAGUE.contains(&next.as_str()) && !FRACTIONS.contains(&next.as_str())
    };
    next.is_some_and(counts)
        && !matches!(
            previous.to_lowercase().as_str(),
            "these" | "those" | "the" | "other" | "last" | "first" | "next" | "past" | "all"
        )
}
