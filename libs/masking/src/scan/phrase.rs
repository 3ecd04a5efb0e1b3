//! Values that are joined to their key by words, not signs: sentences, directives, SQL.

use std::ops::Range;

use memchr::{memchr, memchr3};

use super::class::{KeyClass, Word};
use super::lexical::{Joint, blanks_end, is_at_line_start, quoted};
use super::scanner::Scanner;
use super::shape::{is_object_name, is_random, is_strong, is_uuid};

/// How long the sentence may be that announces a password.
const MAX_SENTENCE: usize = 160;
/// How far an unquoted value is followed.
const MAX_WORD: usize = 4096;
/// Directives whose value follows after a blank.
const DIRECTIVES: [&str; 10] = [
    "requirepass",
    "masterauth",
    "bindpw",
    "rootpw",
    "sasl-secret",
    "auth_pass",
    "rocommunity",
    "rwcommunity",
    "secret_key",
    "insecure-password",
];

/// Where the value begins that a phrase joins to a key.
pub(super) fn joint(
    scanner: &Scanner<'_, '_>,
    key: &Range<usize>,
    after: usize,
    class: KeyClass,
) -> Option<Joint> {
    let blank = blanks_end(scanner, after);
    // `secret 5 $1$…`: the kind of a hash.
    let kind = scanner.byte(blank).is_some_and(|byte| byte.is_ascii_digit())
        && scanner.byte(blank + 1) == Some(b' ')
        && blank > after;
    let encrypted = scanner.slice(blank..blank + 4) == "ENC " && blank > after;
    let blank = if kind { blank + 2 } else { blank + 4 * usize::from(encrypted) };
    let quote = |at: usize| matches!(scanner.byte(at), Some(b'\'' | b'"'));
    let plain = |at: usize| Some(Joint::at(at));
    let word = scanner.slice(key.clone());
    if class.word == Word::Password && scanner.byte(after) == Some(b'(') && quote(after + 1) {
        return plain(after + 1);
    }
    if blank == after {
        return None;
    }
    // `rootpw --iscrypted $6$…`, `rootpw --lock`
    if scanner.stands_at(blank, "--") && is_directive(scanner, key, word) {
        let end = scanner.run_end(blank, 32, |byte| byte.is_ascii_graphic());
        let next = blanks_end(scanner, end);
        let value = scanner.byte(next).is_some_and(|byte| byte.is_ascii_graphic() && byte != b'-');
        return plain(next).filter(|_| value && next > end);
    }
    let sql = class.word == Word::Password && scanner.byte(blank) == Some(b'\'');
    let sql = sql || ends_statement(scanner, blank, class);
    let power_shell = word.ends_with("SecureString") && quote(blank);
    let stored = word == "SecureString" && scanner.byte(after) == Some(b'\t');
    if sql
        || stored
        || power_shell
        || is_quoted_word(scanner, blank, class)
        || is_setting(scanner, key, blank, class)
        || is_directive(scanner, key, word)
        || follows_login(scanner, key, word)
        || follows_user(scanner, key, word)
    {
        return plain(blank);
    }
    let whole = |at: usize| Some(Joint { whole: true, ..Joint::at(at) });
    if !word.eq_ignore_ascii_case("bearer") && is_followed_by_random(scanner, blank, class) {
        return whole(blank);
    }
    is_set_to(scanner, after, blank)
        .or_else(|| follows_verb(scanner, blank))
        .or_else(|| of_user(scanner, blank, class))
        .or_else(|| odd_word(scanner, blank, class))
        .and_then(plain)
        .or_else(|| announced(scanner, blank, class).and_then(whole))
}

/// `created bootstrap token k9x2ab.0123456789abcdef`: a word that only a generator makes.
fn is_followed_by_random(scanner: &Scanner<'_, '_>, at: usize, class: KeyClass) -> bool {
    let start = at + usize::from(matches!(scanner.byte(at), Some(b'"' | b'\'' | b'`' | b'(')));
    let end = scanner.run_end(start, MAX_WORD, |byte| {
        byte.is_ascii_alphanumeric()
            || matches!(byte, b'+' | b'/' | b'=' | b'_' | b'-' | b'.' | b'~')
    });
    let value = scanner.slice(start..end).trim_end_matches('.');
    let bootstrap = value.len() == 23
        && value.as_bytes().get(6) == Some(&b'.')
        && value
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'.')
        && value.bytes().any(|byte| byte.is_ascii_digit());
    let least = if class.word == Word::Key { 16 } else { 20 };
    bootstrap || (value.len() >= least && is_random(value) && !is_uuid(value))
}

/// `PSK "…"` and `password "…";`: a string is all that follows.
fn ends_statement(scanner: &Scanner<'_, '_>, at: usize, class: KeyClass) -> bool {
    scanner.byte(at) == Some(b'"')
        && quoted(scanner, at).is_some_and(|range| {
            let end = blanks_end(scanner, range.end + 1);
            let line = matches!(scanner.byte(end), None | Some(b'\n' | b'\r' | b'}'));
            scanner.byte(end) == Some(b';') || (line && class.word == Word::Password)
        })
}

/// `user "jane" password "x7" ssl`: a string that is hardly a word.
fn is_quoted_word(scanner: &Scanner<'_, '_>, at: usize, class: KeyClass) -> bool {
    class.word == Word::Password
        && scanner.byte(at) == Some(b'"')
        && quoted(scanner, at).is_some_and(|range| {
            is_strong(scanner.slice(range.clone())) && scanner.byte(range.end + 1) == Some(b' ')
        })
}

/// `auth_pass k33p` and `enable secret 5 $1$…` at the end of a line: a key and a word that is hardly one.
fn is_setting(scanner: &Scanner<'_, '_>, key: &Range<usize>, at: usize, class: KeyClass) -> bool {
    let word = matches!(class.word, Word::Password | Word::Key | Word::Secret | Word::Token);
    let name = scanner.slice(key.clone());
    let compound = class.word == Word::Password
        || name.contains(['_', '-'])
        || name.ends_with("community")
        || name == "secret";
    if !word || !compound {
        return false;
    }
    let end = scanner.run_end(at, MAX_WORD, |byte| !byte.is_ascii_whitespace() && byte != b';');
    let rest = scanner.run_end(end, 8, |byte| matches!(byte, b' ' | b';' | b'\t'));
    let access = name.ends_with("community")
        && matches!(scanner.slice(rest..rest + 2), "RO" | "RW" | "ro" | "rw");
    let alone = access || matches!(scanner.byte(rest), None | Some(b'\n' | b'\r' | b'}'));
    let value = scanner.slice(at..end);
    let first = matches!(class.word, Word::Password | Word::Secret)
        || access
        || is_at_line_start(scanner, key.start);
    alone && first && is_strong(value) && !is_object_name(value) && !is_assignment(value)
        // `PASSWORD  PASSWORD2`: the next heading of a table.
        && !scanner.names.is_head(value.trim_end_matches(|c: char| c.is_ascii_digit()))
}

/// `took=41ms`: the next field of a line, not the value of the key before it.
fn is_assignment(value: &str) -> bool {
    value.trim_end_matches('=').split_once('=').is_some_and(|(name, _)| {
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_')
    })
}

fn is_directive(scanner: &Scanner<'_, '_>, key: &Range<usize>, word: &str) -> bool {
    let blank = scanner.before(key.start) == Some(b' ');
    let before = |length: usize| scanner.slice(key.start.saturating_sub(length)..key.start);
    let set = blank && before(14).ends_with("configure set ");
    let known = DIRECTIVES.iter().any(|known| word.eq_ignore_ascii_case(known));
    let console = || blank && before(11).eq_ignore_ascii_case("config set ");
    set || word == "insecure-password"
        || (known && (console() || is_at_line_start(scanner, key.start)))
}

/// `PASS …` of FTP and POP3: the line before has the user, or asks for the password.
fn follows_user(scanner: &Scanner<'_, '_>, key: &Range<usize>, word: &str) -> bool {
    if word != "PASS" {
        return false;
    }
    let line = scanner.line_start(key.start, 64);
    let last = scanner.line_start(line.saturating_sub(1), 128);
    let last = scanner.slice(last..line);
    ["331 ", "USER ", "+OK"].iter().any(|sign| last.contains(sign))
}

/// `machine x login y password z`, on one line or several.
fn follows_login(scanner: &Scanner<'_, '_>, key: &Range<usize>, word: &str) -> bool {
    if word != "password" {
        return false;
    }
    let from = scanner.text.ceil_char_boundary(key.start.saturating_sub(160));
    let mut words = scanner.slice(from..key.start).split_ascii_whitespace().rev();
    words.next().is_some() && words.next() == Some("login")
}

/// `'db.password' to 'x7…'` of a log: both in quotes.
fn is_set_to(scanner: &Scanner<'_, '_>, after: usize, blank: usize) -> Option<usize> {
    let at = blank + "to ".len();
    let value = if scanner.stands_at(blank, "to ") { quoted(scanner, at) } else { None };
    let in_quotes = matches!(scanner.before(after), Some(b'\'' | b'"'));
    (in_quotes && is_strong(scanner.slice(value?))).then_some(at)
}

/// `password is …` in a message.
fn follows_verb(scanner: &Scanner<'_, '_>, blank: usize) -> Option<usize> {
    let verb = [&b"is "[..], b"was ", b"is: ", b"lautet "].into_iter().find(|verb| {
        scanner
            .bytes
            .get(blank..blank + verb.len())
            .is_some_and(|word| word.eq_ignore_ascii_case(verb))
    })?;
    let at = blanks_end(scanner, blank + verb.len());
    // `COMMENT ON COLUMN users.password IS 'bcrypt hash, never log it'`
    let text = quoted(scanner, at).map_or("", |range| scanner.slice(range));
    let blanks = text.matches(' ').count();
    if blanks > 2 || (blanks > 1 && !text.bytes().any(|byte| byte.is_ascii_digit())) {
        return None;
    }
    let first = scanner.byte(at);
    // The string ends that the sentence is in.
    let ends = |byte: u8| byte == b'"' && first != Some(b'"');
    let end = scanner.run_end(at, MAX_WORD, |byte| !byte.is_ascii_whitespace() && !ends(byte));
    // "the password is wrong" is a sentence; "the password is hunter2" is not.
    let strange = scanner
        .slice(at..end)
        .trim_end_matches(['.', ',', '!', '?', ')', ':', ';'])
        .bytes()
        .any(|byte| !byte.is_ascii_lowercase() && byte != b'-');
    strange.then_some(at)
}

/// `PASSWORD elastic = …`, as Elasticsearch prints what it made.
fn of_user(scanner: &Scanner<'_, '_>, blank: usize, class: KeyClass) -> Option<usize> {
    if class.word != Word::Password {
        return None;
    }
    let name = scanner.run_end(blank, 64, |byte| byte.is_ascii_alphanumeric() || byte == b'_');
    if !scanner.stands_at(name, " = ") {
        return None;
    }
    let at = name + 3;
    let end = scanner.run_end(at, MAX_WORD, |byte| byte.is_ascii_graphic());
    let value = scanner.slice(at..end);
    let any = |test: fn(&u8) -> bool| value.as_bytes().iter().any(test);
    // A short one may have hardly a digit.
    let made = value.len() >= 16
        && value.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && any(u8::is_ascii_uppercase)
        && any(u8::is_ascii_lowercase);
    (made || is_random(value)).then_some(at)
}

/// `create user ops password F5sh!pw9 role admin`: letters, digits and signs that no word of a sentence has.
fn odd_word(scanner: &Scanner<'_, '_>, blank: usize, class: KeyClass) -> Option<usize> {
    if class.word != Word::Password {
        return None;
    }
    let end = scanner.run_end(blank, 64, |byte| byte.is_ascii_graphic());
    let value = scanner.slice(blank..end);
    let signs = ['!', '@', '#', '$', '%', '^', '*', '?', '~'];
    let odd = value.len() >= 8
        && value.contains(signs)
        && !value.contains(['=', '(', '"', '\'', '<', '/', ':']);
    (odd && is_strong(value) && !value.ends_with(signs) && !value.starts_with(['$', '%', '@', '#']))
        .then_some(blank)
}

/// `password for bob: …` and `use the following password to proceed:`, with the value at the end of the line or alone on
/// one of the next two.
fn announced(scanner: &Scanner<'_, '_>, from: usize, class: KeyClass) -> Option<usize> {
    if !matches!(class.word, Word::Password | Word::Token) {
        return None;
    }
    let near = scanner.bytes.get(from..scanner.bytes.len().min(from + MAX_SENTENCE))?;
    memchr(b':', near)?;
    let end = from + memchr3(b'\n', b'\r', b'"', near).unwrap_or(near.len());
    let sentence = scanner.slice(from..end);
    let colon = sentence.find(": ").or_else(|| sentence.strip_suffix(':').map(str::len))?;
    let words = sentence.get(..colon)?.bytes().all(|byte| {
        byte.is_ascii_alphanumeric()
            || matches!(byte, b' ' | b'@' | b'.' | b'(' | b')' | b'`' | b'-' | b'_' | b'/' | b'\'')
    });
    let mut at = blanks_end(scanner, from + colon + 1);
    if at == end {
        at = scanner.run_end(at, 4, |byte| matches!(byte, b'\r' | b'\n'));
        at = blanks_end(scanner, at);
    }
    let stop = scanner.run_end(at, MAX_WORD, |byte| !byte.is_ascii_whitespace());
    let alone = matches!(scanner.byte(blanks_end(scanner, stop)), None | Some(b'\r' | b'\n'));
    let value = scanner.slice(at..stop);
    let hash = value.len() == 32 && value.bytes().all(|byte| byte.is_ascii_hexdigit());
    let odd = value.bytes().any(|byte| {
        byte.is_ascii_uppercase()
            || matches!(byte, b'!' | b'*' | b'+' | b'#' | b'$' | b'%' | b'^' | b'&' | b'=' | b'?')
    });
    let made = value.len() >= 32 && is_random(value) && !is_uuid(value);
    let likely = match class.word {
        Word::Token => made,
        _ => hash || (odd && is_strong(value)),
    };
    (words && alone && likely).then_some(at)
}
