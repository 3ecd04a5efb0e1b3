//! Which keys name secrets: `password`, `API_KEY`, `clientSecretOld`, and which only look like it.

use super::class::{KeyClass, Need, Word};
use super::names::{Before, Behind, Head, NameWord};
use super::scanner::Scanner;
use crate::patterns::Pattern;

/// The longest key.
pub(super) const MAX_KEY: usize = 96;

/// What a key names, if that is a secret.
pub(super) fn classify(scanner: &mut Scanner<'_, '_>, key: &str) -> Option<KeyClass> {
    // `-Dsonar.login`: a property of Java.
    let property = key.strip_prefix("-D").filter(|key| key.starts_with(|c: char| c.is_lowercase()));
    let key = property.unwrap_or(key).trim_matches(|c| c == '-' || c == '.' || c == '_');
    if key.len() > MAX_KEY || key.is_empty() {
        return None;
    }
    if let Some(class) = scanner.seen.known.classes.get(key) {
        return class;
    }
    let class = decide(scanner, key);
    scanner.seen.known.classes.keep(key, class);
    class
}

/// A sort of value: the word, what it needs, the patterns it may belong to.
type Sort = (Word, Need, &'static [Pattern]);

const PASSWORD: &[Pattern] = &[Pattern::Password, Pattern::EnvSecret];
const TOKEN: &[Pattern] = &[Pattern::Token, Pattern::EnvSecret];
const SECRET: &[Pattern] = &[Pattern::SecretKey, Pattern::EnvSecret];
const API_KEY: &[Pattern] = &[Pattern::ApiKey, Pattern::SecretKey, Pattern::EnvSecret];
const AWS_SECRET: &[Pattern] = &[Pattern::AwsSecretKey, Pattern::SecretKey, Pattern::EnvSecret];
const PRIVATE: &[Pattern] = &[Pattern::PrivateKey, Pattern::SecretKey, Pattern::EnvSecret];
const ENV: &[Pattern] = &[Pattern::EnvSecret];
const CLUSTER: &[Pattern] = &[Pattern::CertificateAuthorityData];
const CLUSTER_KEY: &[Pattern] = &[Pattern::CertificateAuthorityData, Pattern::PrivateKey];

fn decide(scanner: &Scanner<'_, '_>, key: &str) -> Option<KeyClass> {
    let words = scanner.names.words(key);
    let texts: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
    let env = is_env_name(key);
    let mut plural = false;
    let sort: Sort = match *texts {
        ["auth"] => (Word::Auth, Need::Any, &[Pattern::Token]),
        // An API key of Elasticsearch with its id, as its answer and its clients have it.
        ["encoded"] => (Word::Auth, Need::Any, API_KEY),
        // What an identity provider says of somebody; below, what proves who asked for a code of OAuth.
        [.., "saml", "response" | "assertion"] => (Word::Token, Need::Strong, TOKEN),
        [.., "code", "verifier"] | [.., "sonar", "login"] => (Word::Token, Need::Random, TOKEN),
        // The key of Consul's gossip, and what is encrypted for Travis.
        ["encrypt" | "secure"] => (Word::Key, Need::Random, SECRET),
        ["set", "cookie"] => (Word::SetCookie, Need::Any, &[Pattern::Cookie]),
        ["cookies"] => {
            plural = true;
            (Word::Token, Need::Any, &[Pattern::Cookie])
        }
        ["cookie"] | [.., "cookie", "header"] => (Word::Other, Need::Any, &[Pattern::Cookie]),
        [.., "erlang", "cookie"] => (Word::Secret, Need::Any, SECRET),
        [.., "authorization"] => (Word::Other, Need::Any, &[Pattern::AuthorizationHeader]),
        [.., "certificate", "authority", "data"] | [.., "client", "certificate", "data"] => {
            (Word::Other, Need::Any, CLUSTER)
        }
        [.., "client", "key", "data"] => (Word::Other, Need::Any, CLUSTER_KEY),
        _ => {
            let head = words.iter().rposition(|word| word.roles.head.is_some())?;
            let (front, rest) = words.split_at(head);
            let (word, tail) = rest.split_first()?;
            plural = is_plural(&word.text);
            let sort = of_head(front, word, key, env)?;
            with_tail(sort, &word.text, tail)?
        }
    };
    let (word, need, patterns) = sort;
    // Environment names are theirs only in capitals.
    let pattern = patterns
        .iter()
        .copied()
        .find(|pattern| scanner.enabled.has(*pattern) && (*pattern != Pattern::EnvSecret || env))?;
    Some(KeyClass { pattern, word, need, plural })
}

fn is_plural(word: &str) -> bool {
    word.ends_with('s') && !word.ends_with("pass") && !matches!(word, "credentials" | "creds")
}

/// The sort of a head with the words before it.
fn of_head(front: &[NameWord], word: &NameWord, key: &str, env: bool) -> Option<Sort> {
    let last = front.last();
    let before = last.and_then(|word| word.roles.before);
    match word.roles.head? {
        Head::Password => {
            // A lone `pass` may also count tests, and `PASS` reports one.
            let lone = front.is_empty() && word.text == "pass";
            let sort = match key {
                "pass" => (Word::Key, Need::Any, PASSWORD),
                _ if lone && key.len() == 4 => (Word::Key, Need::Strong, PASSWORD),
                _ => (Word::Password, Need::Any, PASSWORD),
            };
            Some(sort)
        }
        Head::Token => {
            let place = last.is_some_and(|word| word.roles.pages);
            let vague = matches!(&*word.text, "pat" | "bearer");
            let need = if vague { Need::Strong } else { Need::Any };
            (!place).then_some((Word::Token, need, TOKEN))
        }
        Head::Secret => {
            let object = last.is_some_and(|word| word.roles.names_object);
            let none = last.is_some_and(|word| matches!(&*word.text, "pull" | "existing"));
            let need = if object { Need::Random } else { Need::Any };
            (!none).then_some((Word::Secret, need, SECRET))
        }
        Head::Credential if before == Some(Before::Public) => None,
        Head::Credential => Some((Word::Other, Need::Strong, TOKEN)),
        Head::Auth if env => Some((Word::Key, Need::Any, ENV)),
        Head::Auth if key.starts_with('_') => Some((Word::Auth, Need::Any, TOKEN)),
        Head::Auth => last.map(|_| (Word::Key, Need::Random, TOKEN)),
        Head::Community => Some((Word::Key, Need::Strong, PASSWORD)),
        Head::Salt if env && last.is_some() => Some((Word::Key, Need::Any, SECRET)),
        Head::Salt => last.map(|_| (Word::Key, Need::Strong, SECRET)),
        Head::Key => of_key(front, before, env, is_plural(&word.text)),
    }
}

/// The sort of a key: what stands before the word decides.
fn of_key(front: &[NameWord], before: Option<Before>, env: bool, plural: bool) -> Option<Sort> {
    let texts = |at: usize| {
        let word = front.len().checked_sub(at).and_then(|at| front.get(at));
        word.map_or("", |word| word.text.as_str())
    };
    let aws =
        texts(1) == "access" && texts(2) == "secret" || texts(1) == "secret" && texts(2) == "aws";
    match before {
        _ if aws => Some((Word::Key, Need::Any, AWS_SECRET)),
        Some(Before::Public) => None,
        Some(Before::Private) => Some((Word::Key, Need::Any, PRIVATE)),
        Some(Before::SecretKey) => Some((Word::Key, Need::Any, SECRET)),
        Some(Before::Api) => Some((Word::Key, Need::Any, API_KEY)),
        _ if plural => None,
        Some(Before::Maybe) if env => Some((Word::Key, Need::Any, ENV)),
        Some(Before::Maybe) => Some((Word::Key, Need::Strong, API_KEY)),
        None if env && !front.is_empty() => Some((Word::Key, Need::Any, ENV)),
        None if !front.is_empty() => Some((Word::Key, Need::Random, API_KEY)),
        None => None,
    }
}

/// The same with the words behind the head.
fn with_tail(sort: Sort, head: &str, tail: &[NameWord]) -> Option<Sort> {
    let (word, need, patterns) = sort;
    let about = |word: &NameWord| word.roles.behind == Some(Behind::About);
    match tail {
        // The second half of an AppRole login, and of Tencent's keys.
        [id] if head == "secret" && id.text == "id" => Some((word, Need::Random, patterns)),
        // `password_sha256_hex` is a hash, `password_sha256_file` is not.
        _ if word == Word::Password && tail.iter().all(|word| is_digest(&word.text)) => Some(sort),
        _ if tail.iter().any(about) => None,
        _ if tail.iter().all(|word| word.roles.behind.is_some()) => Some(sort),
        // `password_encoder`: nobody knows what.
        _ if need == Need::Any => Some((word, Need::Strong, patterns)),
        _ => Some((word, Need::Random, patterns)),
    }
}

fn is_digest(word: &str) -> bool {
    matches!(word, "sha" | "sha1" | "sha256" | "sha512" | "md5" | "hex" | "hash" | "digest")
}

pub(super) fn is_env_name(key: &str) -> bool {
    key.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
}
