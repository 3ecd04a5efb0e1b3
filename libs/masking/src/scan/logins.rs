//! Passwords that have only a place on their line: in files of VPNs and mail servers, in checks of Nagios, behind `-u`.

mod jaas;

use std::ops::Range;

use memchr::{memchr, memchr2};

use super::lexical::{blanks_end, is_line_break, is_quote, quoted_within};
use super::scanner::Scanner;
use super::shape::{is_random, is_strong, is_version};
use super::statement::add;

/// How long a line is at most.
const MAX_LINE: usize = 512;
/// How long the name of a user is at most.
const MAX_USER: usize = 64;
/// How long a line with a host and a login is at most.
const MAX_LOGIN: usize = 256;

/// What a literal announces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Login {
    /// `jane : EAP "password"` and `: RSA key.pem "passphrase"` of `ipsec.secrets`.
    Ipsec,
    /// `# client server secret`, the heading of `chap-secrets`.
    Ppp,
    /// `check_command check_mysql!user!password` of Nagios.
    Check,
    /// `-u user:password` of whatever program.
    Option,
    /// `tacacs-server key 7 060506324F41` of network devices.
    NetworkKey,
    /// `com2sec name source community` of SNMP.
    Community,
    /// `$USER4$=password` of Nagios.
    Macro,
    /// The users of Kafka's `PlainLoginModule`: `user_alice="password"`.
    Jaas,
    /// `log in with admin / password` of a message.
    Pair,
    /// The same, known by the name of the user.
    Administrator,
}

/// What announces a login, in small letters.
pub(super) const LITERALS: [(&str, Login); 30] = [
    (": eap ", Login::Ipsec),
    (": xauth ", Login::Ipsec),
    (": ntlm ", Login::Ipsec),
    (": rsa ", Login::Ipsec),
    (": ecdsa ", Login::Ipsec),
    (": pkcs8 ", Login::Ipsec),
    (": pkcs12 ", Login::Ipsec),
    ("# client", Login::Ppp),
    ("check_command", Login::Check),
    (" -u ", Login::Option),
    ("\"-u\"", Login::Option),
    ("'-u'", Login::Option),
    ("-server key ", Login::NetworkKey),
    ("key-string ", Login::NetworkKey),
    ("isakmp key ", Login::NetworkKey),
    ("psk ascii ", Login::NetworkKey),
    ("com2sec ", Login::Community),
    ("log in with ", Login::Pair),
    ("login with ", Login::Pair),
    ("sign in with ", Login::Pair),
    ("allow ", Login::Pair),
    ("admin / ", Login::Administrator),
    ("administrator / ", Login::Administrator),
    ("root / ", Login::Administrator),
    ("$user", Login::Macro),
    (" -auth ", Login::Option),
    (" login=", Login::Option),
    ("basic-auth=", Login::Option),
    ("auth.user.info=", Login::Option),
    ("plainloginmodule required", Login::Jaas),
];

pub(super) fn look(scanner: &mut Scanner<'_, '_>, what: Login, start: usize, end: usize) {
    match what {
        Login::Ipsec => ipsec(scanner, end),
        Login::Ppp => ppp(scanner, start),
        Login::Check => check(scanner, end),
        Login::Option => option(scanner, end),
        Login::NetworkKey => network_key(scanner, end),
        Login::Jaas => jaas::users(scanner, end),
        Login::Pair => pair(scanner, end, |_| true),
        // `admin / Settings2` may be the way through a menu.
        Login::Administrator => {
            pair(scanner, start, |password| password.contains(|c: char| c.is_ascii_punctuation()));
        }
        Login::Macro => user_macro(scanner, end),
        Login::Community => {
            let line = end..line_end(scanner, end);
            let word = words(scanner, line).get(2).cloned();
            if let Some(word) = word.filter(|word| is_strong(scanner.slice(word.clone()))) {
                add(scanner, word);
            }
        }
    }
}

fn line_end(scanner: &Scanner<'_, '_>, from: usize) -> usize {
    scanner.line_end(from, MAX_LINE)
}

/// The string at the end of the line, behind the name of a file or nothing.
fn ipsec(scanner: &mut Scanner<'_, '_>, from: usize) {
    let file = scanner.run_end(from, MAX_LINE, |byte| byte.is_ascii_graphic() && byte != b'"');
    let at = blanks_end(scanner, file);
    if scanner.byte(at) != Some(b'"') {
        return;
    }
    if at < scanner.seen.unclosed {
        return;
    }
    let Some(range) = quoted_within(scanner, at, MAX_LINE) else { return };
    if range.len() >= MAX_LINE || scanner.byte(range.end) != Some(b'"') {
        scanner.seen.unclosed = range.end;
    }
    let end = blanks_end(scanner, range.end + 1);
    if scanner.byte(end).is_none_or(is_line_break) {
        add(scanner, range);
    }
}

/// The third word of each line below the heading.
fn ppp(scanner: &mut Scanner<'_, '_>, start: usize) {
    if start < scanner.seen.login || !is_heading(scanner, start) {
        return;
    }
    let mut at = line_end(scanner, start) + 1;
    while at < scanner.bytes.len() {
        let end = line_end(scanner, at);
        let words = words(scanner, at..end);
        let comment = scanner.byte(at) == Some(b'#');
        if (!comment && !(3..=5).contains(&words.len())) || (comment && is_heading(scanner, at)) {
            break;
        }
        if let Some(secret) = words.get(2).filter(|_| !comment) {
            add(scanner, secret.clone());
        }
        at = end + 1;
    }
    scanner.seen.login = at;
}

/// Whether a line names the columns of `chap-secrets`.
fn is_heading(scanner: &Scanner<'_, '_>, start: usize) -> bool {
    let heading = scanner.slice(start..line_end(scanner, start));
    let mut names = heading.trim_start_matches('#').split_ascii_whitespace();
    ["client", "server", "secret"].iter().all(|name| names.next() == Some(name))
}

/// The first words of a line, without their double quotes; none if one of them does not end.
fn words(scanner: &Scanner<'_, '_>, line: Range<usize>) -> Vec<Range<usize>> {
    let (mut at, mut words) = (blanks_end(scanner, line.start), Vec::new());
    while at < line.end && words.len() < 6 {
        let quoted = scanner.byte(at) == Some(b'"');
        let start = at + usize::from(quoted);
        let ends = |byte: u8| if quoted { byte == b'"' } else { byte.is_ascii_whitespace() };
        let end = scanner.run_end(start, line.end - start, |byte| !ends(byte));
        if quoted && end == line.end {
            return Vec::new();
        }
        words.push(start..end);
        at = blanks_end(scanner, end + usize::from(quoted));
    }
    words
}

/// The argument behind the name of a user.
fn check(scanner: &mut Scanner<'_, '_>, from: usize) {
    let line = scanner.slice(from..line_end(scanner, from));
    let (mut at, mut user, mut found) = (from, false, Vec::new());
    for (index, argument) in line.split('!').enumerate() {
        let range = at..at + argument.len();
        at = range.end + 1;
        let variable = argument.starts_with('$') && argument.ends_with('$');
        let measure = argument.contains(['%', ',', '=', ' ']) || argument.starts_with('-');
        if user && is_strong(argument) && !variable && !measure && !is_version(argument) {
            found.push(range);
        }
        user = index > 0 && is_user(argument);
    }
    for range in found {
        add(scanner, range);
    }
}

pub(super) fn is_user(word: &str) -> bool {
    word.len() <= MAX_USER
        && word.starts_with(|c: char| c.is_ascii_alphabetic())
        && word
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-' | b'@'))
}

/// The password of a pair that cannot be a user and a group, or a name and a tag.
fn option(scanner: &mut Scanner<'_, '_>, from: usize) {
    let comma = blanks_end(scanner, from);
    let at = blanks_end(scanner, comma + usize::from(scanner.byte(comma) == Some(b',')));
    let quote = scanner.byte(at).filter(|byte| is_quote(Some(*byte)));
    let start = at + usize::from(quote.is_some());
    // The user is short, so that most of what is no pair is told by a few bytes.
    let colon = scanner.run_end(start, MAX_USER + 1, |byte| byte != b':');
    if start < scanner.seen.option
        || scanner.byte(colon) != Some(b':')
        || !is_user(scanner.slice(start..colon))
    {
        return;
    }
    let end = scanner.run_end(colon, MAX_LINE, |byte| match quote {
        Some(quote) => byte != quote && !is_line_break(byte),
        None => byte.is_ascii_graphic() && !matches!(byte, b'"' | b'\'' | b'\\'),
    });
    if quote.is_none() {
        scanner.seen.option = end;
    }
    let password = colon + 1..end;
    let value = scanner.slice(password.clone());
    if is_mixed(value) || is_random(value) {
        add(scanner, password);
    }
}

/// Whether small letters, capitals, digits and signs stand together, at least three of the four.
pub(super) fn is_mixed(value: &str) -> bool {
    let any = |test: fn(&u8) -> bool| value.as_bytes().iter().any(test);
    // A strong one has a letter and a digit.
    is_strong(value)
        && (any(u8::is_ascii_punctuation)
            || (any(u8::is_ascii_lowercase) && any(u8::is_ascii_uppercase)))
        && !value.contains([':', '/'])
        && !is_version(value)
}

/// The last word of the line; the number before it is the kind of its encoding.
fn network_key(scanner: &mut Scanner<'_, '_>, from: usize) {
    let kind = scanner.run_end(from, 2, |byte| byte.is_ascii_digit());
    let at = if kind > from { blanks_end(scanner, kind) } else { from };
    let end = scanner.run_end(at, MAX_LINE, |byte| byte.is_ascii_graphic() && byte != b'"');
    let peer = scanner.slice(end..scanner.bytes.len().min(end + 9));
    let ends = scanner.byte(end).is_none_or(is_line_break)
        || peer.starts_with(" address")
        || peer.starts_with(" hostname");
    if ends && at != kind && (kind > from || is_strong(scanner.slice(at..end))) {
        add(scanner, at..end);
    }
}

/// What a macro with a number stands for, if that is hardly a path or an address.
fn user_macro(scanner: &mut Scanner<'_, '_>, from: usize) {
    let digits = scanner.run_end(from, 3, |byte| byte.is_ascii_digit());
    if digits == from || !scanner.stands_at(digits, "$=") {
        return;
    }
    let at = digits + 2;
    let end = scanner.run_end(at, MAX_LINE, |byte| byte.is_ascii_graphic());
    if is_strong(scanner.slice(at..end)) {
        add(scanner, at..end);
    }
}

/// `user / password` or `user:password`.
fn pair(scanner: &mut Scanner<'_, '_>, from: usize, is_likely: impl Fn(&str) -> bool) {
    let user = scanner.run_end(from, MAX_USER, |byte| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-' | b'@')
    });
    let sign = blanks_end(scanner, user);
    if user == from || !matches!(scanner.byte(sign), Some(b'/' | b':')) {
        return;
    }
    let at = blanks_end(scanner, sign + 1);
    let end = scanner.run_end(at, MAX_LINE, |byte| {
        byte.is_ascii_graphic() && !matches!(byte, b'"' | b'\'' | b'\\' | b'<')
    });
    let password = scanner.slice(at..end).trim_end_matches(['.', ',', ')', ';']);
    if is_mixed(password) && is_likely(password) {
        add(scanner, at..at + password.len());
    }
}

/// Looks at a line of a file of keys (`1 SHA1 HEX:…`, as NTP reads it) or of logins (`[host]:port user:password`, as
/// Postfix reads it).
pub(super) fn look_at_line(scanner: &mut Scanner<'_, '_>, line: Range<usize>) {
    let bytes = scanner.bytes.get(line.clone()).unwrap_or_default();
    let begins = bytes
        .first()
        .is_some_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'[' | b'*'));
    if !begins || bytes.len() > MAX_LINE {
        return;
    }
    if bytes.first().is_some_and(u8::is_ascii_digit) {
        return numbered_key(scanner, line);
    }
    let text = scanner.slice(line.clone());
    let text = if text.ends_with(|c: char| c.is_ascii_graphic()) { text } else { text.trim_end() };
    let Some(blank) = memchr2(b' ', b'\t', bytes) else {
        if bytes.len() <= MAX_LOGIN && memchr2(b':', b'=', bytes).is_some() {
            host_and_login(scanner, line.start, text);
        }
        return;
    };
    if text.ends_with('s') && text.contains('=') {
        return with_groups(scanner, line.start, text);
    }
    let (host, login) =
        (text.get(..blank).unwrap_or_default(), text.get(blank..).unwrap_or_default());
    if memchr(b'.', host.as_bytes()).is_none() || !is_mail_host(host) {
        return;
    }
    let login = login.trim_start();
    if login.contains([' ', '\t', '"', '=']) {
        return;
    }
    if let Some((user, password)) = login.split_once(':')
        && is_user(user)
        && is_strong(password)
        && !password.contains([':', '/'])
        && !is_version(password)
    {
        let end = line.start + text.len();
        add(scanner, end - password.len()..end);
    }
}

/// `*.example.org:user:password`, as Exim reads it.
fn host_and_login(scanner: &mut Scanner<'_, '_>, start: usize, text: &str) {
    let mut fields = text.split(':');
    let (Some(host), Some(user), Some(password), None) =
        (fields.next(), fields.next(), fields.next(), fields.next())
    else {
        return with_groups(scanner, start, text);
    };
    let any = host.strip_prefix("*.").unwrap_or(host);
    if (host == "*" || is_mail_host(any))
        && is_user(user)
        && is_strong(password)
        && !password.contains(['.', '/'])
    {
        add(scanner, start + text.len() - password.len()..start + text.len());
    }
}

/// `user=password, group,group`, as `ActiveMQ` reads it.
fn with_groups(scanner: &mut Scanner<'_, '_>, start: usize, text: &str) {
    let Some((user, rest)) = text.split_once('=') else { return };
    let Some((password, groups)) = rest.split_once(',') else { return };
    let group = |group: &str| {
        let name = group.trim();
        name.len() >= 4 && name.ends_with('s') && name.bytes().all(|byte| byte.is_ascii_lowercase())
    };
    let plain = !password.contains([' ', ':', '/', '"', '.', '{', '[']) && !is_version(password);
    if is_user(user) && plain && is_strong(password) && groups.split(',').all(group) {
        let from = start + user.len() + 1;
        add(scanner, from..from + password.len());
    }
}

fn numbered_key(scanner: &mut Scanner<'_, '_>, line: Range<usize>) {
    let digits = scanner.run_end(line.start, 6, |byte| byte.is_ascii_digit());
    if scanner.byte(digits) != Some(b' ') {
        return;
    }
    let words = words(scanner, digits..line.end);
    let methods = ["MD5", "SHA1", "SHA256", "SHA384", "SHA512", "AES128", "AES256", "M"];
    if let [method, key] = &*words
        && methods.contains(&scanner.slice(method.clone()))
        && is_strong(scanner.slice(key.clone()))
    {
        add(scanner, key.clone());
    }
}

/// `[smtp.example.com]:587`, `smtp.example.com`.
fn is_mail_host(word: &str) -> bool {
    let (name, port) = match word.rsplit_once(':') {
        Some((name, port)) => (name, port),
        None => (word, ""),
    };
    let bare = name.strip_prefix('[').and_then(|name| name.strip_suffix(']'));
    let host = bare.unwrap_or(name);
    let top = host.rsplit('.').next().unwrap_or_default();
    port.bytes().all(|byte| byte.is_ascii_digit())
        && host.contains('.')
        && host.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-'))
        && top.len() >= 2
        && top.bytes().all(|byte| byte.is_ascii_alphabetic())
}
