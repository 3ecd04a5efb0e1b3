//! What stands after a key that names a secret and is none: stand-ins, sentences, names, places, code.

use std::ops::Range;

use super::class::Word;
use super::lexical::{Found, line_start};
use super::nothing::is_no_value;
use super::scanner::Scanner;
use super::sentence::is_sentence;
use super::shape::{begins_code, is_object_name, is_prose, is_strong};
use super::signs::Signs;

/// Types that stand after the name of a field in programs.
const TYPES: [&str; 10] = [
    "SecretString",
    "SecretStr",
    "String",
    "string",
    "Password",
    "&str",
    "Buffer",
    "Uint8Array",
    "ByteArray",
    "CharSequence",
];
/// Types of small letters that have a type in angle brackets.
const GENERIC: [&str; 8] = ["output", "input", "list", "map", "set", "array", "vec", "promise"];
/// How far before a label of a metric its name is.
const MAX_LABELS: usize = 512;

/// Whether a value after a key is no secret.
pub(super) fn is_harmless(
    scanner: &Scanner<'_, '_>,
    word: Word,
    found: &Found,
    key: &Range<usize>,
) -> bool {
    let value = scanner.slice(found.range.clone());
    let signs = Signs::of(value);
    is_no_value(value, word, signs)
        || is_name(scanner, value, word, found, key)
        || (!found.quoted && found.colon && is_sentence(scanner, value, word, found))
        || (!found.quoted && is_code(scanner, value, signs, found, key))
        || is_expression(value)
        // `--password via the command line`
        || (!found.quoted && scanner.byte(key.start) == Some(b'-') && is_prose(value))
        // `requirepass is not set`
        || (found.range.start == key.end + 1
            && scanner.byte(key.end) == Some(b' ')
            && is_prose(value))
        || is_default_in_comment(scanner, value, key)
        || (!found.quoted && is_in_parentheses(scanner, value, found, key))
        || (found.quoted && is_label(scanner, key) && !is_strong(value))
        || is_about_to_be_read(scanner, found)
}

/// `# adminPassword: admin`: what would be if nothing were set.
fn is_default_in_comment(scanner: &Scanner<'_, '_>, value: &str, key: &Range<usize>) -> bool {
    if is_strong(value) || value.bytes().any(|byte| byte.is_ascii_digit()) {
        return false;
    }
    let line = line_start(scanner, key.start);
    let head = scanner.slice(scanner.text.ceil_char_boundary(line)..key.start).trim_ascii_start();
    head.starts_with('#') && head.trim_start_matches('#').bytes().all(|b| b" \t-\"'".contains(&b))
}

/// `pam_unix(passwd:chauthtok)`: a part of a program and what it does.
fn is_in_parentheses(
    scanner: &Scanner<'_, '_>,
    value: &str,
    found: &Found,
    key: &Range<usize>,
) -> bool {
    scanner.before(key.start) == Some(b'(')
        && scanner.byte(found.range.end) == Some(b')')
        && key.end + 1 == found.range.start
        && value.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_')
}

/// Whether a value is the name of an object that holds the secret, not the secret.
fn is_name(
    scanner: &Scanner<'_, '_>,
    value: &str,
    word: Word,
    found: &Found,
    key: &Range<usize>,
) -> bool {
    let name = scanner.slice(key.clone()).trim_start_matches('-');
    let digit = value.bytes().any(|byte| byte.is_ascii_digit());
    let last = scanner.before(key.start);
    let behind =
        |text: &str| last == text.bytes().last() && scanner.slice(0..key.start).ends_with(text);
    let lone = matches!(name, "secret" | "secrets" | "Secret" | "credentials" | "secretKey");
    (name == "Secret" && !digit)
        || (matches!(name, "secretKey" | "remoteKey") && is_beside_reference(scanner, found, key))
        || (word == Word::Secret && value.contains('/') && is_object_name(value))
        || (lone && is_object_name(value) && !is_beside_scheme(scanner, name, key))
        || (name.eq_ignore_ascii_case("signingkey") && is_key_id(value))
        || (found.quoted && found.colon && is_label_of(name, value))
        || (word != Word::Password && scanner.names.names_secret(value))
        || scanner.names.is_head(value.trim_start_matches('$'))
        || behind("checksum/")
        || behind("--from-file=")
        // `session:token:count` is the name of an entry.
        || (last == Some(b':') && found.colon && !found.quoted && !digit && !value.contains(['!', '$', '@']))
        || (word != Word::Password
            && !found.quoted
            && found.range.start == key.end + 1
            && is_entry_name(value))
        // `arn:aws:secretsmanager:…:secret:name` and `example.com/auth-secret: name` name a Secret.
        || (word == Word::Secret && matches!(last, Some(b':' | b'/')) && !found.quoted && found.colon)
        // `:token="csrfToken"` binds an attribute to a name.
        || (found.quoted
            && behind(" :")
            && value.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'.'))
        || (name == "PWD" && value.starts_with(['/', '~']))
}

/// `bucket:rate` behind `token:`, the name of an entry of Redis.
fn is_entry_name(value: &str) -> bool {
    let part = |part: &str| {
        part.len() >= 3 && part.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-')
    };
    value.contains(':') && value.split(':').all(part)
}

/// `type: Bearer` before `credentials: …`, as Prometheus reads it.
fn is_beside_scheme(scanner: &Scanner<'_, '_>, name: &str, key: &Range<usize>) -> bool {
    let from = scanner.text.ceil_char_boundary(key.start.saturating_sub(NEAR_SCHEME));
    let before = scanner.slice(from..key.start);
    name == "credentials"
        && before.contains("type")
        && ["Bearer", "bearer", "Basic"].iter().any(|scheme| before.contains(scheme))
}

/// The id or fingerprint of a key of GPG.
fn is_key_id(value: &str) -> bool {
    matches!(value.len(), 8 | 16 | 40)
        && value.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'A'..=b'F'))
}

/// `"apiKey": "API key"`: what a form shows of a field.
fn is_label_of(name: &str, value: &str) -> bool {
    let letters = |text: &'_ str| {
        text.bytes().filter(u8::is_ascii_alphabetic).map(|byte| byte.to_ascii_lowercase()).collect()
    };
    let words: (Vec<u8>, Vec<u8>) =
        if value.contains(' ') { (letters(name), letters(value)) } else { return false };
    words.0 == words.1
}

/// How far before credentials their scheme stands, in bytes.
const NEAR_SCHEME: usize = 48;
/// How far from the name of a key its reference stands.
const NEAR_REFERENCE: usize = 240;

/// Whether an `ExternalSecret` says where the value of a key is: `secretKey: username`, `remoteRef: …`.
fn is_beside_reference(scanner: &Scanner<'_, '_>, found: &Found, key: &Range<usize>) -> bool {
    let text = scanner.text;
    let from = text.ceil_char_boundary(key.start.saturating_sub(NEAR_REFERENCE));
    let to = text.floor_char_boundary(found.range.end + NEAR_REFERENCE);
    [from..key.start, found.range.end..to]
        .into_iter()
        .any(|range| scanner.slice(range).contains("remoteRef"))
}

/// Whether the key is the label of a metric: `name{token="…"`.
fn is_label(scanner: &Scanner<'_, '_>, key: &Range<usize>) -> bool {
    if !matches!(scanner.before(key.start), Some(b'{' | b',' | b' '))
        || !matches!(scanner.byte(key.end), Some(b'=' | b'!'))
    {
        return false;
    }
    let open = scanner.behind_last_of([b'{', b'}', b'\n'], key.start, MAX_LABELS);
    scanner.before(open) == Some(b'{')
        && scanner.before(open - 1).is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// `read -p "Password: " PASSWORD`: what is in quotes is a question, and nothing follows.
fn is_about_to_be_read(scanner: &Scanner<'_, '_>, found: &Found) -> bool {
    if !found.quoted {
        return false;
    }
    let value = scanner.slice(found.range.clone());
    let asks = value.trim_end().ends_with(':') && value.contains(' ');
    let runs = scanner.before(found.range.start) == Some(b'`') && value.contains(' ');
    asks || runs
}

/// An expression of a program or a template language, not a value.
fn is_code(
    scanner: &Scanner<'_, '_>,
    value: &str,
    signs: Signs,
    found: &Found,
    key: &Range<usize>,
) -> bool {
    let digit = signs.has(Signs::DIGIT);
    let next = scanner.byte(found.range.end);
    if signs.is_word() {
        return is_word_of_code(scanner, value, found, key);
    }
    let word_byte = |byte: u8| {
        byte.is_ascii_alphanumeric()
            || matches!(byte, b'_' | b'.' | b'[' | b']' | b'-' | b'>' | b'?' | b'!')
    };
    let (first, rest) = value.split_once(['.', '[', '?', '>']).unwrap_or((value, ""));
    let reference = begins_code(first)
        && (!rest.is_empty() || value.ends_with(['[', '(']) || next == Some(b' '))
        && rest.bytes().all(word_byte);
    let next_call = matches!(next, Some(b'(' | b'[')) && !digit;
    // `keychain["password"]`, cut at its quote.
    let subscript = matches!(next, Some(b'"' | b'\''))
        && value.ends_with(['[', '('])
        && value.strip_suffix(['[', '(']).is_some_and(|name| {
            !name.is_empty()
                && name.bytes().all(|b| b.is_ascii_alphabetic() || matches!(b, b'_' | b'.'))
        });
    // `lookup "v1" "Secret"` of a template, `got "short"` of a test.
    let command = scanner.stands_at(found.range.end, " \"")
        && value.bytes().all(|byte| byte.is_ascii_lowercase());
    reference
        || is_generic(scanner, value, found)
        || (signs.has(Signs::OPEN) && is_call(value, next))
        || next_call
        || command
        || subscript
        || TYPES.contains(&value.trim_end_matches('?'))
        || (signs.has(Signs::DASH) && is_cmdlet(value))
        || value.starts_with('`')
        || (signs.has(Signs::DOT) && is_dotted(scanner, value, found))
        || is_same_name(scanner.slice(key.clone()), value)
        || (value.starts_with('$') && is_script_variable(value))
        || (value.starts_with(':') && !digit)
        || (signs.has(Signs::COLON) && value.contains("::") && !digit)
}

/// The same for letters and digits only, which few of the tests concern.
fn is_word_of_code(
    scanner: &Scanner<'_, '_>,
    value: &str,
    found: &Found,
    key: &Range<usize>,
) -> bool {
    let lower = || value.bytes().all(|byte| byte.is_ascii_lowercase());
    let behind = match scanner.byte(found.range.end) {
        Some(b' ') => begins_code(value) || (scanner.stands_at(found.range.end, " \"") && lower()),
        Some(b'(' | b'[') => !value.bytes().any(|byte| byte.is_ascii_digit()),
        Some(b'<') => is_generic(scanner, value, found),
        _ => false,
    };
    behind || TYPES.contains(&value) || is_same_name(scanner.slice(key.clone()), value)
}

/// `Option<String>`, `Zeroizing<Vec<u8>>`, whole or cut at the bracket.
fn is_generic(scanner: &Scanner<'_, '_>, value: &str, found: &Found) -> bool {
    let (name, arguments) = match value.strip_suffix('>').and_then(|value| value.split_once('<')) {
        Some((name, arguments)) => (name, arguments),
        None if scanner.byte(found.range.end) == Some(b'<') => {
            (value, scanner.slice(found.range.end + 1..found.range.end + 2))
        }
        None => return false,
    };
    let letter = |byte: u8| byte.is_ascii_alphabetic();
    (name.starts_with(|c: char| c.is_ascii_uppercase()) || GENERIC.contains(&name))
        && name.bytes().all(letter)
        && !arguments.is_empty()
        && arguments.bytes().all(|byte| letter(byte) || b"<>,&' _:".contains(&byte))
}

/// `getToken('x')`, also cut at a quote or a bracket.
fn is_call(value: &str, next: Option<u8>) -> bool {
    let word = |text: &str| {
        text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_.:>-?!\"'/$,[](".contains(&byte))
    };
    let Some((name, argument)) = value.split_once('(') else { return false };
    let closes =
        argument.ends_with(')') || matches!(next, Some(b')' | b'"' | b'\'' | b'(' | b',' | b'`'));
    name.len() > 2
        && word(name)
        && name.bytes().any(|byte| byte.is_ascii_lowercase())
        && (closes || argument.is_empty() || !value.bytes().any(|byte| byte.is_ascii_digit()))
        && (argument.is_empty() || word(argument.trim_end_matches([')', ';', ','])))
}

/// `random_password.token.result` behind ` = `: what another part of the program has.
fn is_dotted(scanner: &Scanner<'_, '_>, value: &str, found: &Found) -> bool {
    let name = |part: &str| {
        !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'_')
    };
    value.split('.').all(name) && scanner.stands_at(found.range.start.saturating_sub(3), " = ")
}

/// `ConvertTo-SecureString`, `Get-Content`: a command of `PowerShell`.
fn is_cmdlet(value: &str) -> bool {
    value.split_once('-').is_some_and(|(verb, noun)| {
        let capital = |text: &str| {
            text.len() >= 2
                && text.starts_with(|c: char| c.is_ascii_uppercase())
                && text.bytes().all(|byte| byte.is_ascii_alphabetic())
                && text.bytes().any(|byte| byte.is_ascii_lowercase())
        };
        capital(verb) && capital(noun)
    })
}

/// `token=token`, `this.apiKey = apiKey`, `password: userPassword`.
fn is_same_name(key: &str, value: &str) -> bool {
    let word = value.bytes().all(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'.'));
    if !word {
        return false;
    }
    let letters = |text: &'_ str| text.bytes().filter(u8::is_ascii_alphanumeric).count();
    let ends_with = |text: &str, end: &str| {
        let plain = |byte: &u8| byte.is_ascii_alphanumeric();
        let mut letters = text.bytes().rev().filter(plain);
        end.bytes()
            .rev()
            .filter(plain)
            .all(|byte| letters.next().is_some_and(|letter| letter.eq_ignore_ascii_case(&byte)))
    };
    let capitals = value.bytes().all(|byte| byte.is_ascii_uppercase());
    // `mypassword` is one, `userPassword` and `user_password` are names.
    let named = value.contains(['_', '.']) || value.bytes().skip(1).any(|b| b.is_ascii_uppercase());
    let least = if capitals { 3 } else { 4 };
    letters(value) >= least
        && (ends_with(key, value) || (named && letters(key) >= 4 && ends_with(value, key)))
}

/// `$_POST['password']`, `$row->token`, `$config['x']`.
fn is_script_variable(value: &str) -> bool {
    let name = value.trim_start_matches(['$', '{']);
    let end = name.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(name.len());
    let rest = name.get(end..).unwrap_or_default();
    end > 0 && (rest.starts_with("->") || rest.starts_with('[') || rest.starts_with("::"))
}

/// Text in which code is certain wherever it stands.
fn is_expression(value: &str) -> bool {
    match value.bytes().next() {
        Some(b'o') => value.starts_with("os.environ"),
        Some(b'p') => value.starts_with("process.env"),
        Some(b's') => value.starts_with("secrets."),
        Some(b'B') => value.starts_with("Bearer $"),
        Some(b'$' | b'{') => {
            value.starts_with("${env")
                || (value.starts_with("{{") || value.starts_with("${"))
                    && value.ends_with('}')
                    && !value.contains("}-")
                || is_joined_variables(value)
        }
        _ => false,
    }
}

/// `$USER:$PASSWORD`, `{user}:{password}`.
fn is_joined_variables(value: &str) -> bool {
    value.split(':').all(|part| {
        let name = part.trim_start_matches(['$', '{']).trim_end_matches('}');
        part.len() > name.len()
            && !name.is_empty()
            && part.starts_with(['$', '{'])
            && name.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'_' || byte == b'.')
            && (part.starts_with('{')
                || name.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_'))
    })
}
