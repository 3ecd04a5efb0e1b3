//! The built-in patterns but for Kubernetes objects: one search for telling literals, then a close look at each hit.

mod authorization;
mod commands;
mod email;
mod entropy;
mod harmless;
mod key;
mod pem;
mod prefixes;
mod url;
mod value;

use std::collections::BTreeSet;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};

use crate::catalog::Pattern;
use crate::error::Error;
use crate::spans::{Finder, Spans};

/// What a literal announces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Trigger {
    /// A part of a telling key, such as `password` or `api_key`.
    Key,
    /// `Bearer ` or `Basic `, without a key.
    Scheme,
    /// The beginning of a token whose maker marks it.
    Prefix(usize),
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
    /// A program that takes a password by a short option.
    Command(usize),
}

/// The patterns that are on, ready to search.
#[derive(Debug)]
pub(crate) struct Search {
    enabled: Enabled,
    automaton: Option<AhoCorasick>,
    triggers: Vec<Trigger>,
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
const KEY_PARTS: [&str; 8] =
    ["pass", "pwd", "secret", "token", "key", "credential", "auth", "-data"];
/// The patterns that are about a value after a telling key.
const KEY_PATTERNS: [Pattern; 9] = [
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
        for (index, prefix) in prefixes::PREFIXES.iter().enumerate() {
            if enabled.any(prefix.patterns) {
                literals.push((prefix.literal, Trigger::Prefix(index)));
            }
        }
        if enabled.has(Pattern::Jwt) {
            literals.push(("eyJ", Trigger::Jwt));
        }
        if enabled.has(Pattern::UrlPassword) {
            literals.push(("://", Trigger::Url));
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
        Ok(Self { enabled, automaton, triggers })
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
    /// Set once no PEM block ends any more.
    no_pem_end: bool,
}

/// One pass over a text.
struct Scanner<'a, 's> {
    text: &'a str,
    bytes: &'a [u8],
    enabled: &'a Enabled,
    spans: &'s mut Spans,
    seen: Seen,
}

impl<'a> Scanner<'a, '_> {
    fn look(&mut self, trigger: Trigger, start: usize, end: usize) {
        match trigger {
            Trigger::Key => key::look(self, start, end),
            Trigger::Scheme => authorization::look_at_scheme(self, start, end),
            Trigger::Prefix(index) => prefixes::look(self, index, start, end),
            Trigger::Jwt => prefixes::look_at_jwt(self, start),
            Trigger::Url => url::look(self, start, end),
            Trigger::Email => email::look(self, start),
            Trigger::Pem => pem::look(self, end),
            Trigger::PemInBase64 => pem::look_in_base64(self, start),
            Trigger::SshKey => pem::look_at_ssh(self, end),
            Trigger::Command(index) => commands::look(self, index, start, end),
        }
    }

    fn add(&mut self, range: std::ops::Range<usize>, pattern: Pattern) {
        self.spans.add(self.text, range, Finder::Pattern(pattern));
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
