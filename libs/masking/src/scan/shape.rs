//! What a value looks like by itself: made by a generator, a version, a path, a reference to somewhere else.

use std::sync::LazyLock;

use memchr::memchr2;

use super::class::Need;
use super::signs::Signs;
use crate::spans::is_mask;

/// The words and their roles, as they are written.
const RULES: &str = include_str!("../values.rules");
/// How long the stage behind a version of one number may be.
const MAX_STAGE: usize = 12;
/// How many bytes show whether a value was made by a generator.
const MAX_RANDOM: usize = 4096;
/// How long a word of a table is at most.
const MAX_WORD: usize = 32;

/// What a word says about a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Role {
    Prose,
    Nothing,
    State,
    Code,
    Scheme,
}

/// How many first letters are distinguished.
const LETTERS: usize = 32;

/// The words by their length and first letter.
static WORDS: LazyLock<Vec<Vec<(&'static str, Role)>>> = LazyLock::new(|| {
    let mut words = vec![Vec::new(); (MAX_WORD + 1) * LETTERS];
    for line in RULES.lines().filter(|line| !line.starts_with('#')) {
        let mut parts = line.split_ascii_whitespace();
        let role = match parts.next() {
            Some("prose") => Role::Prose,
            Some("nothing") => Role::Nothing,
            Some("state") => Role::State,
            Some("code") => Role::Code,
            _ => Role::Scheme,
        };
        for word in parts {
            if let Some(alike) = place_of(word).and_then(|place| words.get_mut(place)) {
                alike.push((word, role));
            }
        }
    }
    words
});

/// Where the words stand that are as long as a word and begin like it: letters of either case share their last five bits.
fn place_of(word: &str) -> Option<usize> {
    let first = word.bytes().next()?;
    (word.len() <= MAX_WORD).then(|| word.len() * LETTERS + usize::from(first) % LETTERS)
}

fn is_known(word: &str, roles: &[Role]) -> bool {
    let alike = place_of(word).and_then(|place| WORDS.get(place));
    alike.is_some_and(|alike| {
        alike.iter().any(|(known, role)| roles.contains(role) && known.eq_ignore_ascii_case(word))
    })
}

/// Whether a word goes on a sentence.
pub(super) fn is_prose(word: &str) -> bool {
    is_known(word.trim_end_matches([',', '.', ';', ':', '!']), &[Role::Prose])
}

/// Whether a value says that there is no secret here, or how it is with it.
pub(super) fn is_word_for_nothing(value: &str) -> bool {
    is_known(value.trim_end_matches(['.', '!']), &[Role::Nothing, Role::State])
}

/// Whether an expression of a program begins with a word.
pub(super) fn begins_code(word: &str) -> bool {
    is_known(word, &[Role::Code])
}

/// Whether a value is like what a key needs.
pub(super) fn is_enough(need: Need, value: &str) -> bool {
    match need {
        Need::Any => true,
        Need::Strong => is_strong(value),
        Need::Random => is_random(value),
    }
}

/// Whether a value is hardly a word: letters and digits together, and nothing of an address, a path or a time.
pub(super) fn is_strong(value: &str) -> bool {
    if value.len() < 6 {
        return false;
    }
    let signs = Signs::of(value);
    if signs.is_word() {
        return signs.has(Signs::LETTER) && signs.has(Signs::DIGIT);
    }
    let address = signs.has(Signs::COLON) && value.contains("://");
    let plain = !value.contains(char::is_whitespace) && !address;
    let time = value.get(..5).is_some_and(|year| year.ends_with('-') && year.starts_with("20"));
    signs.has(Signs::LETTER) && signs.has(Signs::DIGIT) && plain && !time && !is_path(value)
}

/// Whether a value looks made by a generator: long, and letters and digits change places often.
pub(super) fn is_random(value: &str) -> bool {
    if value.len() < 16 || is_path(value) || value.contains("--") {
        return false;
    }
    // The beginning of a long one shows it.
    let bytes = value.as_bytes();
    let bytes = bytes.get(..bytes.len().min(MAX_RANDOM)).unwrap_or_default();
    // 0 for digits, 1 and 2 for letters, 3 for the signs of base64 and its like.
    let kind = |byte: u8| match byte {
        b'0'..=b'9' => Some(0),
        b'a'..=b'z' => Some(1),
        b'A'..=b'Z' => Some(2),
        b'+' | b'/' | b'=' | b'_' | b'-' | b'.' | b'~' => Some(3),
        _ => None,
    };
    let (mut last, mut changes, mut digits) = (3, 0, 0);
    for byte in bytes {
        let Some(kind) = kind(*byte) else { return false };
        changes += usize::from(kind != last && kind < 3 && last < 3);
        digits += usize::from(kind == 0);
        last = kind;
    }
    is_uuid(value) || (digits >= 2 && changes * 5 >= bytes.len())
}

/// `123e4567-e89b-12d3-a456-426614174000`.
pub(super) fn is_uuid(value: &str) -> bool {
    value.len() == 36
        && value.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

/// Whether a value is a stand-in: a variable, a template, stars, or already masked.
pub(super) fn is_placeholder(value: &str) -> bool {
    let value = value.trim();
    let Some(first) = value.bytes().next() else { return true };
    let drawn = |byte: u8| matches!(byte, b'*' | b'.' | b'-' | b'_' | b'#');
    is_opened(value, first)
        || is_stand_in(value)
        || (drawn(first) && (value.bytes().all(drawn) || has_row(value)))
        || (first == b'R' && value.starts_with("REDACTED"))
        || (!first.is_ascii() && value.chars().all(|c| matches!(c, '•' | '●' | '…')))
        || is_redaction(value)
}

/// `****** (6)`, `-------- key`: what others draw over a secret.
fn has_row(value: &str) -> bool {
    value.starts_with("******") || value.starts_with("------")
}

/// Whether a value is a stand-in as its first sign says: `$NAME`, `{{ name }}`, `<name>`.
fn is_opened(value: &str, first: u8) -> bool {
    let inside = |open: &str, close: &str| {
        value.len() > open.len() && value.starts_with(open) && value.ends_with(close)
    };
    match first {
        b'[' => is_mask(value) || matches!(value, "[]" | "["),
        b'$' => {
            is_variable(value)
                || (inside("${", "}") && !value.get(2..).unwrap_or_default().contains("${"))
                || value.starts_with("$(")
                || value.starts_with("${{")
                || (value.starts_with("$__") && value.contains('{'))
                // A macro of Nagios.
                || (inside("$", "$") && is_capitals(value))
        }
        b'{' => value.starts_with("{{") || matches!(value, "{}" | "{"),
        b'<' => value.starts_with("<%") || (value.len() <= 80 && !value.contains(['!', '['])),
        b'%' => {
            let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'%');
            value.starts_with("%(")
                || inside("%{", "}")
                || (inside("%", "%") && value.bytes().all(plain))
                || matches!(value, "%s" | "%v" | "%q" | "%d" | "%w" | "%r" | "%+v")
        }
        b'(' => inside("(", ")") || value == "(",
        b'#' => inside("#{", "}"),
        b'@' => inside("@{", "}") || (inside("@", "@") && is_filtered(value)),
        b'_' => inside("__", "__") && value.bytes().all(|b| b.is_ascii_uppercase() || b == b'_'),
        b'*' => is_alias(value),
        b'?' => value == "?",
        b'x' | b'X' => value.len() >= 3 && value.bytes().all(|byte| matches!(byte, b'x' | b'X')),
        _ => false,
    }
}

/// `@API_KEY@`, `@db.password@`: what a build fills in.
fn is_filtered(value: &str) -> bool {
    let inner = value.get(1..value.len() - 1).unwrap_or_default();
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-');
    !inner.is_empty() && inner.bytes().all(plain)
}

/// `$ARG1$`: capitals, digits and a sign at both ends.
fn is_capitals(value: &str) -> bool {
    let inner = value.get(1..value.len() - 1).unwrap_or_default();
    !inner.is_empty()
        && inner
            .bytes()
            .all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
}

/// Whether others wrote a value in the place of a secret.
fn is_redaction(value: &str) -> bool {
    (6..=10).contains(&value.len()) && {
        let word = value.trim_matches(['[', ']']);
        REDACTIONS.iter().any(|known| word.eq_ignore_ascii_case(known))
    }
}

/// `*name`, as YAML refers to an anchor.
fn is_alias(value: &str) -> bool {
    value.strip_prefix('*').is_some_and(|name| {
        name.starts_with(|c: char| c.is_ascii_alphabetic())
            && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'))
    })
}

/// `your-api-key-here`, `YOUR_TOKEN`, `xoxb-your-token`: words that a reader is to replace.
pub(super) fn is_stand_in(value: &str) -> bool {
    value.len() <= 64
        && memchr2(b'y', b'Y', value.as_bytes()).is_some()
        && !value.bytes().any(|byte| byte.is_ascii_digit())
        && value.split(['-', '_', ' ', '.']).any(|word| word.eq_ignore_ascii_case("your"))
}

/// What others write in the place of a secret.
const REDACTIONS: [&str; 5] = ["redacted", "masked", "filtered", "hidden", "secret"];

/// `$NAME`, `$1`, `$db_password`, `$dbPassword`; but not `$hunter2`.
fn is_variable(value: &str) -> bool {
    let Some(name) = value.strip_prefix('$').or_else(|| value.strip_prefix("$env:")) else {
        return false;
    };
    // `$$NAME` of files that are read twice.
    let name = name.strip_prefix('$').unwrap_or(name);
    let digits = name.bytes().all(|byte| byte.is_ascii_digit());
    let capitals =
        name.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_');
    let upper = capitals && name.starts_with(|c: char| c.is_ascii_uppercase() || c == '_');
    let letters = name.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'_');
    let words = letters && name.len() > 6;
    !name.is_empty() && (digits || upper || words)
}

/// `ENC[AES256_GCM,data:…]` of SOPS, `ENC(…)` of Jasypt, a vault of Ansible: only ciphertext.
pub(super) fn is_encrypted(value: &str) -> bool {
    value.starts_with("$ANSIBLE_VAULT;")
        || value.starts_with("ENC[") && value.ends_with(']')
        || value.starts_with("ENC(") && value.ends_with(')')
}

/// `CHAR(40)`, `varchar(255),`: the type of a column.
pub(super) fn is_type_of_column(value: &str) -> bool {
    value.split_once('(').is_some_and(|(name, size)| {
        let size = size.trim_end_matches([')', ',', ';']);
        (3..=10).contains(&name.len())
            && name.bytes().all(|byte| byte.is_ascii_alphabetic())
            && (1..=5).contains(&size.len())
            && size.bytes().all(|byte| byte.is_ascii_digit())
    })
}

/// `sk_test_xxxxxxxxxxxx`: what a manual shows of a token.
pub(super) fn is_crossed_out(value: &str) -> bool {
    ["xxxxxxxx", "XXXXXXXX"].iter().any(|row| value.ends_with(row))
}

/// Whether a value says where the secret is: `vault:secret/app#x`, `op://…`, `arn:…`, `@Microsoft.KeyVault(…)`.
pub(super) fn is_reference(value: &str) -> bool {
    if !value.contains([':', '/', '(', '+', '!']) {
        return false;
    }
    let value = value.trim_start_matches('>');
    if value.starts_with("op://") {
        return true;
    }
    let lower = value.get(..value.len().min(MAX_WORD)).unwrap_or_default();
    if let Some((scheme, rest)) = lower.split_once(':')
        && is_known(scheme, &[Role::Scheme])
        && !rest.is_empty()
        && !value.contains(char::is_whitespace)
    {
        // `env:hunter2!` is odd, but no reference.
        let plain = value.replace("${", "{");
        return rest.starts_with("//") || !plain.contains(['!', '$', '^', '*']);
    }
    let parameter = value.starts_with("projects/") && value.contains("/secrets/");
    parameter
        || value.starts_with("@Microsoft.KeyVault(")
        || value.starts_with("ref+")
        || value.starts_with("lookup(")
        || value.starts_with("!Ref")
        || value.starts_with("!GetAtt")
}

/// `^4.0.0`, `~> 1.2`, `0.4.1-rc.2`, `>=2,<3`.
pub(super) fn is_version(value: &str) -> bool {
    let bare = value.trim_start_matches(['^', '~', '>', '<', '=', 'v', ' ']);
    if !bare.starts_with(|c: char| c.is_ascii_digit()) {
        return false;
    }
    let ranged = bare.len() < value.len();
    let mut parts = bare.splitn(2, ['-', '+', ' ', ',']);
    let number = parts.next().unwrap_or_default();
    let digits = |part: &str| {
        (1..=4).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit())
    };
    let fields: Vec<&str> = number.split('.').collect();
    let rest = parts.next().unwrap_or_default();
    let plain = rest.len() <= 48
        && rest.bytes().all(|byte| {
            byte.is_ascii_lowercase() || byte.is_ascii_digit() || b".-+ <>=~^".contains(&byte)
        });
    let wild = |part: &&str| digits(part) || matches!(*part, "x" | "*");
    // `v1-9c8b7a6f5e4d3c2b` is a token of Cloudflare, `v1-alpha.2` is a version.
    let named = fields.len() > 1 || rest.len() <= MAX_STAGE;
    plain
        && named
        && (fields.len() >= 3 || ranged || (fields.len() == 2 && rest.is_empty()))
        && fields.len() <= 4
        && fields.iter().all(wild)
        && fields.first().is_some_and(|first| digits(first))
}

/// `90d`, `1h30m`, `3600s`, `15 minutes`.
pub(super) fn is_duration(value: &str) -> bool {
    let unit = |c: char| matches!(c, 's' | 'm' | 'h' | 'd' | 'w' | 'y' | 'u' | 'n');
    let short = (2..=12).contains(&value.len())
        && value.starts_with(|c: char| c.is_ascii_digit())
        && value.ends_with(unit)
        && value.chars().all(|c| c.is_ascii_digit() || unit(c) || c == '.');
    let letters = value.chars().filter(|c| unit(*c)).count();
    short && letters * 2 <= value.len()
}

/// `/run/secrets/token`, `./ca/key.pem`, `C:\keys\a.pfx`: where a secret is, not what it is.
pub(super) fn is_path(value: &str) -> bool {
    let windows = value.as_bytes().get(1) == Some(&b':')
        && (value.get(1..3) == Some(":\\") || value.get(1..4) == Some(":\\\\"));
    let begins =
        value.starts_with(['/', '~']) || value.starts_with("./") || value.starts_with("../");
    if !windows && !begins {
        return false;
    }
    let plain = |byte: u8| {
        byte.is_ascii_alphanumeric()
            || matches!(byte, b'/' | b'.' | b'_' | b'-' | b'~' | b'\\' | b':' | b'@' | b' ')
    };
    if value.len() > 256 || !value.bytes().all(plain) {
        return false;
    }
    let mut steps = value.split(['/', '\\']).filter(|step| !step.is_empty());
    let count = steps.clone().count();
    let upper = |step: &str| step.bytes().filter(u8::is_ascii_uppercase).count();
    let wordy = steps.all(|step| {
        step.len() <= 64
            && (upper(step) * 3 <= step.len() || !step.bytes().any(|b| b.is_ascii_digit()))
            && !looks_mixed(step)
    });
    wordy && (windows || (begins && count >= 2))
}

/// Whether capitals, small letters and digits change places often in a step of a path: then it is base64 with slashes.
fn looks_mixed(step: &str) -> bool {
    let any = |test: fn(&u8) -> bool| step.as_bytes().iter().any(test);
    step.len() >= 8
        && any(u8::is_ascii_uppercase)
        && any(u8::is_ascii_lowercase)
        && any(u8::is_ascii_digit)
        && !step.contains(['.', '-', '_'])
}

/// `db-credentials`, `web-tls-2024`: what objects are called, words with dashes between.
pub(super) fn is_object_name(value: &str) -> bool {
    let vowel = |c: char| matches!(c, 'a' | 'e' | 'i' | 'o' | 'u' | 'y');
    let part = |part: &str| {
        let letters = !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_lowercase());
        let number = part.len() <= 4 && part.bytes().all(|byte| byte.is_ascii_digit());
        let numbered = part.trim_end_matches(|c: char| c.is_ascii_digit());
        let short = part.len() - numbered.len() <= 2
            && !numbered.is_empty()
            && numbered.bytes().all(|byte| byte.is_ascii_lowercase());
        (letters && (part.len() <= 4 || part.contains(vowel))) || number || short
    };
    value.len() <= 128
        && value.starts_with(|c: char| c.is_ascii_lowercase())
        && value.contains(['-', '/', '.'])
        && value.split(['-', '/', '.']).all(part)
}
