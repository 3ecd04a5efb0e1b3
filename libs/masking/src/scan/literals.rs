//! The literals that are looked for, and what each announces.

use super::commands::{self, Program};
use super::scanner::{Enabled, is_word_start};
use super::vendors::Rule;
use super::{calls, consoles, logins, pem};
use crate::patterns::Pattern;

/// What a literal announces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Trigger {
    /// A part of a key that names a secret, such as `password` or `api_key`.
    Key,
    /// A statement of SQL with rows.
    Rows,
    /// `Bearer ` or `Basic `, without a key.
    Scheme,
    /// The beginning of a token whose maker marks it, and the number of the rule.
    Vendor(usize),
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
    /// The code of a quote or sign, as JSON escapes it.
    Code,
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

/// A literal, and what must stand around it: most hits of a short one are refused by that.
#[derive(Debug)]
pub(super) struct Literal {
    pub(super) trigger: Trigger,
    /// How it is written, if capitals matter.
    exact: Option<String>,
    /// The bytes that may follow; none if any may, and the end of the text.
    next: Option<Box<[bool; 256]>>,
    /// Whether no letter or digit stands before.
    begins_word: bool,
}

impl Literal {
    pub(super) fn new(text: &str, trigger: Trigger, vendors: &[Rule]) -> Self {
        let (next, begins_word) = match trigger {
            Trigger::Vendor(rule) => vendors
                .get(rule)
                .map_or((None, false), |rule| (rule.first_bytes(), rule.begins_word())),
            Trigger::Command(_) => (Some(commands::bytes_behind()), true),
            _ => (None, false),
        };
        let exact = matches!(trigger, Trigger::Vendor(_)).then(|| text.to_owned());
        Self { trigger, exact, next, begins_word }
    }

    /// Which bytes can stand at a place from the start of the literal on.
    pub(super) fn bytes_at(&self, text: &[u8], place: usize) -> Vec<u8> {
        let every = 0..=u8::MAX;
        match (text.get(place), &self.next) {
            (Some(byte), _) if self.exact.is_some() => vec![*byte],
            (Some(byte), _) => vec![byte.to_ascii_lowercase(), byte.to_ascii_uppercase()],
            (None, Some(next)) if place == text.len() => {
                every.filter(|byte| next.get(usize::from(*byte)) == Some(&true)).collect()
            }
            (None, _) => every.collect(),
        }
    }

    /// Whether the bytes around a hit allow a close look.
    pub(super) fn may_stand(&self, bytes: &[u8], start: usize, end: usize) -> bool {
        let follows = self.next.as_ref().is_none_or(|next| {
            bytes.get(end).is_some_and(|byte| next.get(usize::from(*byte)) == Some(&true))
        });
        follows
            && (!self.begins_word || is_word_start(bytes, start))
            && self
                .exact
                .as_ref()
                .is_none_or(|exact| bytes.get(start..end) == Some(exact.as_bytes()))
    }
}

/// Parts of the keys that name secrets.
const KEY_PARTS: [&str; 33] = [
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
    "verifier",
    "samlresponse",
    "samlassertion",
    "encrypt",
];
/// How JSON escapes `"`, `'`, `&` and `=`.
const CODES: [&str; 4] = ["\\u0022", "\\u0027", "\\u0026", "\\u003d"];
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

/// The literals of the patterns that are on, and what each announces.
pub(super) fn announced(
    enabled: &Enabled,
    vendors: &[Rule],
    programs: &[Program],
) -> Vec<(String, Trigger)> {
    let mut literals = plain_literals(enabled);
    for (index, rule) in vendors.iter().enumerate().filter(|(_, rule)| enabled.has(rule.pattern)) {
        let begins = rule.begins.iter();
        literals.extend(begins.map(|begin| ((*begin).to_owned(), Trigger::Vendor(index))));
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
    if enabled.any(&KEY_PATTERNS) {
        literals.extend(CODES.map(|code| (code, Trigger::Code)));
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
        literals.push(("code=", Trigger::Signature));
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

#[cfg(test)]
mod tests {
    #[test]
    fn no_literal_reaches_over_the_edge_of_a_mask() {
        let literals = crate::scan::literals().expect("readable");
        assert!(literals.len() > 600, "{}", literals.len());
        for literal in literals {
            assert!(
                !literal.contains(['[', ']']),
                "{literal}: what is between masks is searched alone"
            );
        }
    }
}
