//! The built-in patterns but for Kubernetes objects: one search for telling literals, then a close look at each hit.

mod authorization;
mod commands;
mod cookie;
mod email;
mod entropy;
mod harmless;
mod inside;
mod jwk;
mod key;
mod pem;
mod phrase;
mod query;
mod table;
mod url;
mod value;
mod vendors;

use std::collections::BTreeSet;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};

use crate::error::Error;
use crate::patterns::Pattern;
use crate::scan::vendors::Rule;
use crate::spans::{Finder, Spans};

/// What a literal announces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Trigger {
    /// A part of a telling key, such as `password` or `api_key`.
    Key,
    /// `Bearer ` or `Basic `, without a key.
    Scheme,
    /// The beginning of a token whose maker marks it: which rule, and which of its beginnings.
    Vendor(usize, usize),
    /// The beginning of a JSON web token.
    Jwt,
    /// `://`: a password may stand before the host.
    Url,
    /// `@`: the middle of an address.
    Email,
    /// The first line of a PEM block.
    Pem,
    /// The same in base64.
    PemInBase64,
    /// The name of a kind of SSH key, before its public part.
    SshKey,
    /// A key of `PuTTY`.
    Putty,
    /// A JSON web key.
    Jwk,
    /// The parameter of an address that holds a signature.
    Signature,
    /// Credentials in front of an Oracle address.
    Oracle,
    /// The port in a line of `.pgpass`.
    Pgpass,
    /// `IDENTIFIED BY` of SQL.
    Identified,
    /// A program that takes a password by a short option.
    Command(usize),
}

/// The patterns that are on, ready to search.
#[derive(Debug)]
pub(crate) struct Search {
    enabled: Enabled,
    automaton: Option<AhoCorasick>,
    triggers: Vec<Trigger>,
    vendors: Vec<Rule>,
}

/// Which patterns are on.
#[derive(Clone, Debug, Default)]
pub(crate) struct Enabled(BTreeSet<Pattern>);

impl Enabled {
    /// Whether a pattern is on.
    pub(crate) fn has(&self, pattern: Pattern) -> bool {
        self.0.contains(&pattern)
    }

    fn any(&self, patterns: &[Pattern]) -> bool {
        patterns.iter().any(|pattern| self.has(*pattern))
    }

    /// The first of some patterns that is on.
    fn first(&self, patterns: &[Pattern]) -> Option<Pattern> {
        patterns.iter().copied().find(|pattern| self.has(*pattern))
    }
}

/// Parts of telling keys.
const KEY_PARTS: [&str; 16] = [
    "pass",
    "pwd",
    "secret",
    "token",
    "key",
    "credential",
    "auth",
    "-data",
    "securestring",
    "psk",
    "cookie",
    "mnemonic",
    "seedphrase",
    "recovery_phrase",
    "bindpw",
    "rootpw",
];
/// The patterns that are about a value after a telling key.
const KEY_PATTERNS: [Pattern; 10] = [
    Pattern::Cookie,
    Pattern::ApiKey,
    Pattern::Password,
    Pattern::Token,
    Pattern::SecretKey,
    Pattern::PrivateKey,
    Pattern::AwsSecretKey,
    Pattern::CertificateAuthorityData,
    Pattern::EnvSecret,
    Pattern::AuthorizationHeader,
];

/// Every rule for the tokens of a vendor, by its name, as a regular expression: for those who compare, and for tests.
pub fn vendor_expressions() -> Result<Vec<(&'static str, String)>, Error> {
    let rules = vendors::rules()?;
    Ok(rules.iter().map(|rule| (rule.id, rule.expression())).collect())
}

impl Search {
    /// Prepares the search for the patterns that are on.
    pub(crate) fn new(patterns: &BTreeSet<Pattern>) -> Result<Self, Error> {
        let enabled = Enabled(patterns.clone());
        let mut literals: Vec<(&str, Trigger)> = Vec::new();
        if enabled.any(&KEY_PATTERNS) {
            literals.extend(KEY_PARTS.map(|part| (part, Trigger::Key)));
        }
        if enabled.has(Pattern::AuthorizationHeader) {
            literals.extend([("bearer ", Trigger::Scheme), ("basic ", Trigger::Scheme)]);
        }
        let vendors = vendors::rules()?;
        for (index, rule) in
            vendors.iter().enumerate().filter(|(_, rule)| enabled.has(rule.pattern))
        {
            let begins = rule.begins.iter().enumerate();
            literals.extend(begins.map(|(which, begin)| (*begin, Trigger::Vendor(index, which))));
        }
        if enabled.has(Pattern::Jwt) {
            literals.push(("eyJ", Trigger::Jwt));
        }
        if enabled.has(Pattern::UrlPassword) {
            literals.extend([
                ("://", Trigger::Url),
                ("oracle:thin:", Trigger::Oracle),
                (":5432:", Trigger::Pgpass),
            ]);
        }
        if enabled.has(Pattern::Signature) {
            literals.extend([("sig=", Trigger::Signature), ("signature=", Trigger::Signature)]);
        }
        if enabled.has(Pattern::PrivateKey) {
            literals.extend([("private-lines:", Trigger::Putty), ("\"kty\"", Trigger::Jwk)]);
        }
        if enabled.has(Pattern::Email) {
            literals.push(("@", Trigger::Email));
        }
        if enabled.any(&[Pattern::Certificate, Pattern::PrivateKey, Pattern::SshKey]) {
            literals
                .extend([("-----BEGIN ", Trigger::Pem), ("LS0tLS1CRUdJTi", Trigger::PemInBase64)]);
        }
        if enabled.has(Pattern::SshKey) {
            literals.extend(pem::SSH_KINDS.map(|kind| (kind, Trigger::SshKey)));
        }
        if enabled.has(Pattern::Password) {
            literals.push(("identified by ", Trigger::Identified));
            let known = commands::COMMANDS.iter().enumerate();
            literals
                .extend(known.map(|(index, command)| (command.literal, Trigger::Command(index))));
        }
        let triggers = literals.iter().map(|(_, trigger)| *trigger).collect();
        let automaton = if literals.is_empty() {
            None
        } else {
            let built = AhoCorasick::builder()
                .ascii_case_insensitive(true)
                .match_kind(MatchKind::Standard)
                .kind(Some(AhoCorasickKind::DFA))
                .build(literals.iter().map(|(literal, _)| literal))
                .map_err(|error| Error::Search(Box::new(error)))?;
            Some(built)
        };
        Ok(Self { enabled, automaton, triggers, vendors })
    }

    /// Whether a pattern is on.
    pub(crate) fn has(&self, pattern: Pattern) -> bool {
        self.enabled.has(pattern)
    }

    /// Finds the secrets of a text.
    pub(crate) fn run(&self, text: &str, spans: &mut Spans) {
        let mut scanner = Scanner {
            text,
            bytes: text.as_bytes(),
            enabled: &self.enabled,
            vendors: &self.vendors,
            spans,
            seen: Seen::default(),
        };
        if let Some(automaton) = &self.automaton {
            for hit in automaton.find_overlapping_iter(text) {
                if let Some(trigger) = self.triggers.get(hit.pattern().as_usize()) {
                    scanner.look(*trigger, hit.start(), hit.end());
                }
            }
        }
        if self.enabled.any(&[Pattern::Base64Secret, Pattern::Base64Short, Pattern::HighEntropy]) {
            entropy::scan(&mut scanner);
        }
    }
}

/// How far each kind of look has come: nothing is looked at twice, which keeps the time linear.
#[derive(Debug, Default)]
struct Seen {
    key: usize,
    value: usize,
    token: usize,
    url: usize,
    email: usize,
    pem: usize,
    command: usize,
    same_command: usize,
    inside: usize,
    table: usize,
    no_table: usize,
    jwk: usize,
    /// Set once no PEM block ends any more.
    no_pem_end: bool,
}

/// One pass over a text.
struct Scanner<'a, 's> {
    text: &'a str,
    bytes: &'a [u8],
    enabled: &'a Enabled,
    vendors: &'a [Rule],
    spans: &'s mut Spans,
    seen: Seen,
}

impl<'a> Scanner<'a, '_> {
    fn look(&mut self, trigger: Trigger, start: usize, end: usize) {
        match trigger {
            Trigger::Key => key::look(self, start, end),
            Trigger::Scheme => authorization::look_at_scheme(self, start, end),
            Trigger::Vendor(rule, begin) => {
                let rules = self.vendors;
                if let Some(rule) = rules.get(rule)
                    && let Some(begin) = rule.begins.get(begin)
                {
                    vendors::look(self, rule, begin, start);
                }
            }
            Trigger::Jwt => vendors::look_at_jwt(self, start),
            Trigger::Url => url::look(self, start, end),
            Trigger::Email => email::look(self, start),
            Trigger::Pem => pem::look(self, end),
            Trigger::PemInBase64 => pem::look_in_base64(self, start),
            Trigger::Putty => pem::look_at_putty(self, end),
            Trigger::Jwk => jwk::look(self, start),
            Trigger::Signature => query::look(self, end),
            Trigger::Oracle => url::look_at_oracle(self, end),
            Trigger::Pgpass => url::look_at_pgpass(self, start),
            Trigger::Identified => {
                let named = value::quoted(self, end)
                    .filter(|range| !range.is_empty() && !value::ends_string(self, range));
                if let Some(range) = named {
                    self.add(range, Pattern::Password);
                }
            }
            Trigger::SshKey => pem::look_at_ssh(self, end),
            Trigger::Command(index) => commands::look(self, index, start, end),
        }
    }

    fn add(&mut self, range: std::ops::Range<usize>, pattern: Pattern) {
        self.spans.add(self.text, range, Finder::Pattern(pattern));
    }

    fn add_vendor(&mut self, range: std::ops::Range<usize>, rule: &Rule) {
        self.spans.add(self.text, range, Finder::Vendor(rule.pattern, rule.id));
    }

    fn byte(&self, at: usize) -> Option<u8> {
        self.bytes.get(at).copied()
    }

    /// The byte before a place.
    fn before(&self, at: usize) -> Option<u8> {
        self.byte(at.checked_sub(1)?)
    }

    /// The end of the run of bytes that belong to a class, at most `limit` of them.
    fn run_end(&self, from: usize, limit: usize, belongs: impl Fn(u8) -> bool) -> usize {
        let rest = self.bytes.get(from..).unwrap_or_default();
        from + rest.iter().take(limit).take_while(|byte| belongs(**byte)).count()
    }

    /// The start of the run of bytes before a place that belong to a class, at most `limit` of them.
    fn run_start(&self, until: usize, limit: usize, belongs: impl Fn(u8) -> bool) -> usize {
        let rest = self.bytes.get(..until).unwrap_or_default();
        until - rest.iter().rev().take(limit).take_while(|byte| belongs(**byte)).count()
    }

    /// Whether a word can begin here: no letter or digit stands before (but the end of an escape such as `\n` may).
    fn is_word_start(&self, at: usize) -> bool {
        match self.before(at) {
            Some(byte) if byte.is_ascii_alphanumeric() => {
                matches!(byte, b'n' | b'r' | b't') && at >= 2 && self.byte(at - 2) == Some(b'\\')
            }
            _ => true,
        }
    }

    fn slice(&self, range: std::ops::Range<usize>) -> &'a str {
        self.text.get(range).unwrap_or_default()
    }
}
