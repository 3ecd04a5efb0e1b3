//! Names of settings as words: `DB_PASSWORD_OLD`, `dbPasswordOld` and `dbpasswordold` are the same three or four.

use std::collections::HashMap;

use crate::error::Error;

/// The words and their roles, as they are written.
const RULES: &str = include_str!("../names.rules");
/// How many words a name may have.
const MAX_WORDS: usize = 24;

/// What a word says of a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Head {
    Password,
    Token,
    Secret,
    Credential,
    Key,
    Auth,
    Community,
    Salt,
}

/// What a word says of the head behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Before {
    Api,
    SecretKey,
    Private,
    Maybe,
    Public,
}

/// What a word says of the head before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Behind {
    Neutral,
    About,
}

/// What is known of a word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Roles {
    pub(super) head: Option<Head>,
    pub(super) before: Option<Before>,
    /// A second role before a head: the same word may qualify a key and a token.
    pub(super) pages: bool,
    pub(super) names_object: bool,
    pub(super) behind: Option<Behind>,
    pub(super) other: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct NameWord {
    pub(super) text: String,
    pub(super) roles: Roles,
}

#[derive(Debug)]
pub(crate) struct Names {
    /// By first letter and length, as [`Names::place`] has it.
    known: Vec<Vec<(&'static str, Roles)>>,
}

/// How long a word is at most.
const MAX_WORD: usize = 31;
/// How many first letters are distinguished.
const LETTERS: usize = 32;

impl Names {
    pub(crate) fn read() -> Result<Self, Error> {
        let mut known: HashMap<&'static str, Roles> = HashMap::new();
        for line in RULES.lines().map(str::trim) {
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let mut words = line.split_ascii_whitespace();
            let role = words.next().unwrap_or_default();
            for word in words {
                let roles = known.entry(word).or_default();
                note(roles, role).ok_or(Error::BadRule { line })?;
            }
        }
        let mut places = vec![Vec::new(); (MAX_WORD + 1) * LETTERS];
        for (word, roles) in known {
            let alike = place(word).and_then(|place| places.get_mut(place));
            alike.ok_or(Error::BadRule { line: word })?.push((word, roles));
        }
        Ok(Self { known: places })
    }

    /// The words of a name, in small letters, without numbers.
    pub(super) fn words(&self, name: &str) -> Vec<NameWord> {
        let mut words = Vec::new();
        for fragment in fragments(name) {
            self.segment(&fragment, &mut words);
            if words.len() > MAX_WORDS {
                words.drain(..words.len() - MAX_WORDS);
            }
        }
        words
    }

    /// Whether a value is itself only the name of a secret: `api-token`, `postgres-password`.
    pub(super) fn names_secret(&self, value: &str) -> bool {
        let letters = |byte: u8| byte.is_ascii_alphabetic() || matches!(byte, b'-' | b'_' | b'.');
        let camel = || value.bytes().skip(1).any(|byte| byte.is_ascii_uppercase());
        value.len() <= 64
            && value.starts_with(|c: char| c.is_ascii_alphabetic())
            && (value.contains(['-', '_', '.'])
                || (value.starts_with(|c: char| c.is_ascii_lowercase()) && camel()))
            && value.bytes().all(letters)
            && self.words(value).last().is_some_and(|word| word.roles.head.is_some())
    }

    /// Whether a value is a word for a secret, such as `Passwort` or `Token`.
    pub(super) fn is_head(&self, value: &str) -> bool {
        // No word for a secret is shorter.
        (2..=16).contains(&value.len())
            && self
                .alike(value)
                .iter()
                .any(|(known, roles)| roles.head.is_some() && known.eq_ignore_ascii_case(value))
    }

    /// Whether a name is about something beside a secret: `id`, `createdAt`, `token_type`.
    pub(super) fn is_about(&self, name: &str) -> bool {
        self.words(name).last().is_some_and(|word| word.roles.behind == Some(Behind::About))
    }

    /// Whether a name is that of an identifier, a version or a public key, which is no secret: `node_id`, `ETag`.
    pub(super) fn is_identifier(&self, name: &str) -> bool {
        let words = self.words(name);
        let secret = |word: &NameWord| {
            word.roles.head.is_some() || matches!(&*word.text, "session" | "sess" | "sid")
        };
        let last = words.last().map_or("", |word| word.text.as_str());
        let known = matches!(
            last,
            "id" | "ids"
                | "etag"
                | "tag"
                | "digest"
                | "checksum"
                | "fingerprint"
                | "integrity"
                | "requestid"
        );
        let paging = words.last().is_some_and(|word| word.roles.head == Some(Head::Token))
            && words.iter().any(|word| word.roles.pages);
        let public = words.iter().any(|word| word.text == "public");
        paging || public || last == "peer" || (known && !words.iter().any(secret))
    }

    fn roles(&self, word: &str) -> Option<Roles> {
        self.alike(word).iter().find(|(known, _)| *known == word).map(|(_, roles)| *roles)
    }

    /// The words that are as long as a text and begin like it; for most texts there are none.
    fn alike(&self, text: &str) -> &[(&'static str, Roles)] {
        place(text).and_then(|place| self.known.get(place)).map(Vec::as_slice).unwrap_or_default()
    }

    /// Splits what is written without separators: `dbpassword`, `apikey`, `secretname`.
    fn segment(&self, fragment: &str, words: &mut Vec<NameWord>) {
        let plain = fragment.trim_end_matches(|c: char| c.is_ascii_digit());
        for text in [fragment, plain] {
            if let Some(roles) = self.roles(text) {
                return words.push(NameWord { text: text.to_owned(), roles });
            }
        }
        if plain.is_empty() {
            return;
        }
        // The shortest end that is a word: `secret access key`, not `secretaccess key`.
        for at in (1..plain.len()).filter(|at| plain.is_char_boundary(*at)) {
            let (first, last) = plain.split_at(at);
            let Some(roles) = self.roles(last) else { continue };
            let splits = match roles.head {
                Some(Head::Key) => self.qualifies(first),
                // Short words end many others.
                Some(_) if last.len() < 4 => self.is_before_short(first),
                Some(Head::Auth | Head::Salt | Head::Community) => false,
                Some(_) => true,
                None => roles.behind.is_some() && last.len() > 1 && self.ends_with_head(first),
            };
            if splits {
                self.segment(first, words);
                return words.push(NameWord { text: last.to_owned(), roles });
            }
        }
        // `secretaccess` before `key`.
        let split = (3..plain.len().saturating_sub(2)).find(|at| {
            let first = plain.get(..*at).and_then(|first| self.roles(first)).unwrap_or_default();
            let last = plain.get(*at..).and_then(|last| self.roles(last)).unwrap_or_default();
            first.head.is_some() && last.before.is_some()
        });
        match split {
            Some(at) => {
                self.segment(plain.get(..at).unwrap_or_default(), words);
                self.segment(plain.get(at..).unwrap_or_default(), words);
            }
            None => words.push(NameWord { text: plain.to_owned(), roles: Roles::default() }),
        }
    }

    /// Whether a word ends with one that makes the `key` behind it a secret.
    fn qualifies(&self, word: &str) -> bool {
        let sort = |at: usize| {
            let roles = word.get(at..).and_then(|end| self.roles(end)).unwrap_or_default();
            matches!(roles.before, Some(Before::Api | Before::SecretKey | Before::Private))
                || (at == 0 && roles.before.is_some())
        };
        (0..word.len().saturating_sub(2)).any(sort)
    }

    fn ends_with_head(&self, word: &str) -> bool {
        let long = |at: usize| {
            let end = word.get(at..).unwrap_or_default();
            let roles = self.roles(end).unwrap_or_default();
            match roles.head {
                Some(Head::Key) => self.qualifies(word.get(..at).unwrap_or_default()),
                Some(_) => end.len() >= 4,
                None => false,
            }
        };
        (0..word.len().saturating_sub(2)).any(long)
    }

    /// Whether `pw`, `pwd` or `psk` may follow without a separator.
    fn is_before_short(&self, word: &str) -> bool {
        matches!(
            word,
            "bind"
                | "root"
                | "db"
                | "admin"
                | "user"
                | "wpa"
                | "pg"
                | "mysql"
                | "ldap"
                | "smtp"
                | "ftp"
                | "my"
                | "new"
                | "sql"
                | "old"
                | "login"
                | "auth"
                | "tls"
                | "wifi"
                | "ike"
                | "ipsec"
                | "vpn"
                | "redis"
                | "mongo"
                | "ora"
                | "oracle"
                | "sys"
                | "backup"
                | "http"
                | "proxy"
                | "sa"
                | "x"
                | "i"
        ) || self.roles(word).is_some_and(|roles| roles.head.is_some())
    }
}

/// Where the words stand that are as long as a text and begin like it: letters of either case share their last five bits.
fn place(text: &str) -> Option<usize> {
    let first = text.bytes().next()?;
    (text.len() <= MAX_WORD).then(|| text.len() * LETTERS + usize::from(first) % LETTERS)
}

/// Adds a role to a word; none if there is no such role.
fn note(roles: &mut Roles, role: &str) -> Option<()> {
    let head = match role {
        "password" => Some(Head::Password),
        "token" => Some(Head::Token),
        "secret" => Some(Head::Secret),
        "credential" => Some(Head::Credential),
        "key" => Some(Head::Key),
        "auth" => Some(Head::Auth),
        "community" => Some(Head::Community),
        "salt" => Some(Head::Salt),
        _ => None,
    };
    let before = match role {
        "api" => Some(Before::Api),
        "secretkey" => Some(Before::SecretKey),
        "private" => Some(Before::Private),
        "maybe" => Some(Before::Maybe),
        "public" => Some(Before::Public),
        _ => None,
    };
    match role {
        "neutral" => roles.behind = Some(Behind::Neutral),
        "about" => roles.behind = Some(Behind::About),
        "paging" => roles.pages = true,
        "object" => roles.names_object = true,
        "other" => roles.other = true,
        _ if head.is_some() => roles.head = head,
        _ if before.is_some() => roles.before = roles.before.or(before),
        _ => return None,
    }
    Some(())
}

/// The fragments of a name between separators and at changes of case, in small letters.
fn fragments(name: &str) -> Vec<String> {
    let bytes = name.as_bytes();
    let (mut fragments, mut fragment) = (Vec::new(), String::new());
    for (at, byte) in bytes.iter().copied().enumerate() {
        let letter = byte.is_ascii_alphanumeric();
        let previous = at.checked_sub(1).and_then(|at| bytes.get(at)).copied().unwrap_or(b'_');
        let next = bytes.get(at + 1).copied().unwrap_or(b'_');
        let rises = byte.is_ascii_uppercase() && !previous.is_ascii_uppercase();
        // The last capital of `APIKey` begins a word.
        let begins =
            byte.is_ascii_uppercase() && previous.is_ascii_uppercase() && next.is_ascii_lowercase();
        if (!letter || rises || begins) && !fragment.is_empty() {
            fragments.push(std::mem::take(&mut fragment));
        }
        if letter {
            fragment.push(char::from(byte.to_ascii_lowercase()));
        }
    }
    if !fragment.is_empty() {
        fragments.push(fragment);
    }
    joined(fragments)
}

/// Some words are one although a capital stands in them: `PassWord`, `passPhrase`, `seed_phrase`.
fn joined(fragments: Vec<String>) -> Vec<String> {
    let mut words: Vec<String> = Vec::with_capacity(fragments.len());
    for fragment in fragments {
        match words.last_mut() {
            Some(last)
                if matches!(
                    (last.as_str(), fragment.as_str()),
                    ("pass", "word" | "phrase" | "code" | "wd" | "key")
                        | ("seed" | "recovery", "phrase")
                        | ("secure" | "secret", "string")
                        | ("pre", "shared")
                        | ("ed", "25519")
                ) =>
            {
                last.push_str(&fragment);
                if last == "recoveryphrase" {
                    "seedphrase".clone_into(last);
                }
            }
            _ => words.push(fragment),
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_split_the_same_way_however_they_are_written() {
        let names = Names::read().expect("readable");
        for (name, words) in [
            ("DB_PASSWORD_OLD", "db password old"),
            ("dbPasswordOld", "db password old"),
            ("dbpasswordold", "db password old"),
            ("apiKeyProd", "api key prod"),
            ("APIKey2", "api key"),
            ("awsSecretAccessKey", "aws secret access key"),
            ("secretaccesskey", "secret access key"),
            ("x-auth-token", "x auth token"),
            ("authpass", "authpass"),
            ("smtppass", "smtp pass"),
            ("PassWord", "password"),
            ("bypass", "bypass"),
            ("monkey", "monkey"),
            ("secretname", "secret name"),
            ("tokenizer", "tokenizer"),
        ] {
            let got: Vec<String> = names.words(name).into_iter().map(|word| word.text).collect();
            assert_eq!(got.join(" "), words, "{name}");
        }
    }
}
