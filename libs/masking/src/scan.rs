//! The built-in patterns but for Kubernetes objects: one search for literals, then a close look at each hit.

mod authorization;
mod calls;
mod class;
mod classify;
mod commands;
mod consoles;
mod cookie;
mod email;
mod entropy;
mod harmless;
mod joint;
mod jwk;
mod key;
mod lexical;
mod logins;
mod names;
mod pem;
mod phrase;
mod query;
mod records;
mod scanner;
mod shape;
mod table;
mod url;
mod value;
mod vendors;

use std::collections::BTreeSet;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};

use self::commands::Program;
use self::names::Names;
use self::scanner::{Enabled, Scanner, Seen};
use self::vendors::Rule;
use crate::error::Error;
use crate::patterns::{Pattern, group};
use crate::spans::Spans;
use crate::views::{ENCODINGS, View};

/// What a literal announces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Trigger {
    /// A part of a key that names a secret, such as `password` or `api_key`.
    Key,
    /// A statement of SQL with rows.
    Rows,
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
    /// The last line of one.
    PemEnd,
    /// The first line of a key file of SSH2.
    Ssh2,
    /// How private keys begin in base64, without a first line.
    Der,
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
    /// The address in a data source name of Go.
    Dsn,
    /// A function that takes a password as its argument of this number.
    Call(usize),
    /// A statement of a console that has a password by its place.
    Console(consoles::Statement),
    /// A login that has its password by its place on the line.
    Login(logins::Login),
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
    programs: Vec<Program>,
    names: Names,
}

/// How deep a text inside a text inside a text is read.
const MAX_DEPTH: usize = 2;

/// Parts of the keys that name secrets.
const KEY_PARTS: [&str; 29] = [
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
    "pw",
    "creds",
    "bearer",
    "salt",
    "community",
    "_pat",
    "pswd",
    "wachtwoord",
    "kennwort",
    "contrasena",
    "encoded",
    "secure",
    "sonar.login",
];
/// The patterns of values that follow such a key.
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

/// The literals of every pattern, for those who measure: each costs a close look wherever it stands.
pub fn literals() -> Result<Vec<String>, Error> {
    let enabled = Enabled(group("all").into_iter().flatten().collect());
    let literals = announced(&enabled, &vendors::rules()?, &commands::programs()?);
    Ok(literals.into_iter().map(|(literal, _)| literal).collect())
}

/// The literals of the patterns that are on, and what each announces.
fn announced(enabled: &Enabled, vendors: &[Rule], programs: &[Program]) -> Vec<(String, Trigger)> {
    let mut literals = plain_literals(enabled);
    for (index, rule) in vendors.iter().enumerate().filter(|(_, rule)| enabled.has(rule.pattern)) {
        let begins = rule.begins.iter().enumerate();
        literals.extend(
            begins.map(|(which, begin)| ((*begin).to_owned(), Trigger::Vendor(index, which))),
        );
    }
    if enabled.has(Pattern::Password) {
        let known = programs.iter().enumerate();
        literals
            .extend(known.map(|(index, program)| (program.name.clone(), Trigger::Command(index))));
    }
    literals
}

/// The literals that no table of rules has.
fn plain_literals(enabled: &Enabled) -> Vec<(String, Trigger)> {
    let mut literals: Vec<(&str, Trigger)> = Vec::new();
    if enabled.any(&KEY_PATTERNS) {
        literals.extend(KEY_PARTS.map(|part| (part, Trigger::Key)));
    }
    if enabled.any(&KEY_PATTERNS) {
        literals
            .extend(["insert into ", "replace into ", "copy "].map(|word| (word, Trigger::Rows)));
    }
    if enabled.has(Pattern::AuthorizationHeader) {
        literals.extend([("bearer ", Trigger::Scheme), ("basic ", Trigger::Scheme)]);
    }
    if enabled.has(Pattern::Jwt) {
        literals.push(("eyJ", Trigger::Jwt));
    }
    if enabled.has(Pattern::UrlPassword) {
        literals.extend([
            ("://", Trigger::Url),
            ("oracle:thin:", Trigger::Oracle),
            ("@tcp(", Trigger::Dsn),
            ("@unix(", Trigger::Dsn),
            ("@(", Trigger::Dsn),
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
        literals.extend([
            ("-----BEGIN ", Trigger::Pem),
            ("-----END ", Trigger::PemEnd),
            ("---- BEGIN SSH2 ", Trigger::Ssh2),
            ("LS0tLS1CRUdJTi", Trigger::PemInBase64),
        ]);
        literals.extend(pem::DER_BEGINS.map(|begin| (begin, Trigger::Der)));
    }
    if enabled.has(Pattern::SshKey) {
        literals.extend(pem::SSH_KINDS.map(|kind| (kind, Trigger::SshKey)));
    }
    if enabled.has(Pattern::Password) {
        literals.extend(calls::CALLS.map(|(call, index)| (call, Trigger::Call(index))));
        literals
            .extend(consoles::LITERALS.map(|(literal, what)| (literal, Trigger::Console(what))));
        literals.extend(logins::LITERALS.map(|(literal, what)| (literal, Trigger::Login(what))));
    }
    literals.into_iter().map(|(literal, trigger)| (literal.to_owned(), trigger)).collect()
}

impl Search {
    /// Prepares the search for the patterns that are on.
    pub(crate) fn new(patterns: &BTreeSet<Pattern>) -> Result<Self, Error> {
        let enabled = Enabled(patterns.clone());
        let vendors = vendors::rules()?;
        let programs = commands::programs()?;
        let literals = announced(&enabled, &vendors, &programs);
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
        Ok(Self { enabled, automaton, triggers, vendors, programs, names: Names::read()? })
    }

    /// Whether a pattern is on.
    pub(crate) fn has(&self, pattern: Pattern) -> bool {
        self.enabled.has(pattern)
    }

    /// Finds the secrets of a text.
    pub(crate) fn run(&self, text: &str, spans: &mut Spans) {
        self.run_at_depth(text, 0, spans);
    }

    /// Finds the secrets of a text, and of what is written in it in another way; `depth` views are around it.
    fn run_at_depth(&self, text: &str, depth: usize, spans: &mut Spans) {
        let mut scanner = Scanner {
            text,
            bytes: text.as_bytes(),
            enabled: &self.enabled,
            names: &self.names,
            spans,
            seen: Seen::default(),
        };
        if let Some(automaton) = &self.automaton {
            for hit in automaton.find_overlapping_iter(text) {
                if let Some(trigger) = self.triggers.get(hit.pattern().as_usize()) {
                    self.look(&mut scanner, *trigger, hit.start(), hit.end());
                }
            }
        }
        if self.enabled.any(&[Pattern::Base64Secret, Pattern::Base64Short, Pattern::HighEntropy]) {
            entropy::scan(&mut scanner);
        }
        if self.enabled.has(Pattern::UrlPassword) {
            url::scan_lines(&mut scanner);
        }
        let nested = records::scan(&mut scanner);
        if depth < MAX_DEPTH {
            for range in nested {
                let view = View::unescaped(text.get(range.clone()).unwrap_or_default());
                self.run_in(&view, range.start, depth + 1, spans);
            }
        }
        for encoding in ENCODINGS.iter().filter(|_| depth == 0) {
            for part in encoding.parts(text) {
                let view = (encoding.undo)(text.get(part.clone()).unwrap_or_default());
                self.run_in(&view, part.start, depth + 1, spans);
            }
        }
    }

    /// Finds the secrets of a view of a text that begins at a place.
    fn run_in(&self, view: &View, start: usize, depth: usize, spans: &mut Spans) {
        let mut found = Spans::default();
        self.run_at_depth(&view.text, depth, &mut found);
        spans.add_all(found, |range| {
            let source = view.origin(&range);
            start + source.start..start + source.end
        });
    }

    /// Looks at a hit.
    fn look(&self, scanner: &mut Scanner<'_, '_>, trigger: Trigger, start: usize, end: usize) {
        match trigger {
            Trigger::Key => key::look(scanner, start, end),
            Trigger::Rows => table::sql::look(scanner, end),
            Trigger::Scheme => authorization::look_at_scheme(scanner, start, end),
            Trigger::Vendor(rule, begin) => {
                if let Some(rule) = self.vendors.get(rule)
                    && let Some(begin) = rule.begins.get(begin)
                {
                    vendors::look(scanner, rule, begin, start);
                }
            }
            Trigger::Jwt => vendors::look_at_jwt(scanner, start),
            Trigger::Url => url::look(scanner, start, end),
            Trigger::Email => email::look(scanner, start),
            Trigger::Pem => pem::look(scanner, end),
            Trigger::PemEnd => pem::look_back(scanner, start, end),
            Trigger::Ssh2 => pem::look_at_ssh2(scanner, end),
            Trigger::Der => pem::look_at_der(scanner, start),
            Trigger::PemInBase64 => pem::look_in_base64(scanner, start),
            Trigger::Putty => pem::look_at_putty(scanner, end),
            Trigger::Jwk => jwk::look(scanner, start),
            Trigger::Signature => query::look(scanner, end),
            Trigger::Oracle => url::look_at_oracle(scanner, end),
            Trigger::Dsn => url::look_at_dsn(scanner, start),
            Trigger::Call(index) => calls::look(scanner, end, index),
            Trigger::Console(what) => consoles::look(scanner, what, start, end),
            Trigger::Login(what) => logins::look(scanner, what, start, end),
            Trigger::SshKey => pem::look_at_ssh(scanner, end),
            Trigger::Command(index) => {
                if let Some(program) = self.programs.get(index) {
                    commands::look(scanner, program, start, end);
                }
            }
        }
    }
}
