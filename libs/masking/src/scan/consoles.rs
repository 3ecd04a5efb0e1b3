//! Passwords that have only a place in a statement: SQL's `IDENTIFIED BY`, Redis' `AUTH` and ACL, a shell's pipe.

mod redis;

use std::ops::Range;

use memchr::{memchr2, memmem};

use super::lexical::{MAX_BLANKS, blanks_end, ends_string, is_line_break, quoted};
use super::logins::is_mixed;
use super::scanner::Scanner;
use super::shape::{is_prose, is_strong, is_word_for_nothing};
use super::statement::{MAX_STATEMENT, add, word};

/// How far before a new value its password is named, in bytes.
const NEAR_PASSWORD: usize = 120;
/// How far behind the name of a resource its result stands, in bytes.
const NEAR_RESULT: usize = 1024;

/// What a literal announces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Statement {
    /// `IDENTIFIED BY 'x'`, `IDENTIFIED WITH plugin BY 'x'`.
    Identified,
    /// `AUTH [user] password` of Redis, `AUTH PLAIN …` of SMTP.
    Auth,
    /// `"AUTH" "user" "password"`, as Redis prints what its clients send.
    QuotedAuth,
    /// The words behind the name of a user in an ACL of Redis.
    Acl,
    /// `sentinel auth-pass master password`.
    SentinelPassword,
    /// `echo password | program --password-stdin`: the program's part.
    Piped,
    /// `kubectl get secret … | base64 -d`, and what it printed on the next line.
    Decoded,
    /// `This password must only be used for the first login`, below the password.
    Announced,
    /// `stats auth user:password` of haproxy, `addauth digest user:password` of zookeeper.
    StatsAuth,
    /// `createUser name SHA "password" AES "password"` of SNMP.
    SnmpUser,
    /// The users of cloud-init: `chpasswd:`, then `user:password` lines.
    CloudInit,
    /// The word for a password in another language, a colon, and a value that is hardly a word.
    Foreign,
    /// `send "password\r"` of expect.
    Send,
    /// `New value: …` below a line about a password.
    Reset,
    /// `random_password` of Terraform: the `result` in its block.
    Generated,
}

/// What announces a statement, in small letters.
pub(super) const LITERALS: [(&str, Statement); 43] = [
    ("addauth digest ", Statement::StatsAuth),
    ("stats auth ", Statement::StatsAuth),
    ("createuser ", Statement::SnmpUser),
    ("chpasswd:", Statement::CloudInit),
    ("密码", Statement::Foreign),
    ("密碼", Statement::Foreign),
    ("口令", Statement::Foreign),
    ("パスワード", Statement::Foreign),
    ("비밀번호", Statement::Foreign),
    ("пароль", Statement::Foreign),
    ("Пароль", Statement::Foreign),
    ("mot de passe", Statement::Foreign),
    ("contraseña", Statement::Foreign),
    ("lösenord", Statement::Foreign),
    ("hasło", Statement::Foreign),
    ("senha", Statement::Foreign),
    ("identified ", Statement::Identified),
    ("auth ", Statement::Auth),
    ("auth2 ", Statement::Auth),
    ("\"auth\" \"", Statement::QuotedAuth),
    ("acl setuser ", Statement::Acl),
    ("user ", Statement::Acl),
    ("auth-pass ", Statement::SentinelPassword),
    ("-stdin", Statement::Piped),
    ("| chpasswd", Statement::Piped),
    ("| sudo -s", Statement::Piped),
    ("| kinit", Statement::Piped),
    ("| cryptsetup", Statement::Piped),
    ("| smbpasswd", Statement::Piped),
    ("| ssh-add", Statement::Piped),
    ("| su ", Statement::Piped),
    ("secret create ", Statement::Piped),
    ("| base64 -d", Statement::Decoded),
    ("| base64 --decode", Statement::Decoded),
    ("| base64 -D", Statement::Decoded),
    ("base64decode", Statement::Decoded),
    ("get secret ", Statement::Decoded),
    ("secrets versions access ", Statement::Decoded),
    ("admin initial-password", Statement::Decoded),
    ("this password must", Statement::Announced),
    ("send ", Statement::Send),
    ("new value: ", Statement::Reset),
    ("random_password", Statement::Generated),
];

pub(super) fn look(scanner: &mut Scanner<'_, '_>, what: Statement, start: usize, end: usize) {
    match what {
        Statement::Identified => identified(scanner, end),
        Statement::Auth => redis::auth(scanner, start, end),
        Statement::QuotedAuth => redis::quoted_auth(scanner, end - 1),
        Statement::Acl => redis::acl(scanner, start, end),
        Statement::SentinelPassword => {
            let master = word(scanner, end);
            let next = blanks_end(scanner, master.end);
            if next > master.end {
                let password = word(scanner, next);
                add(scanner, password);
            }
        }
        Statement::Piped => piped(scanner, start),
        Statement::Decoded => decoded(scanner, start, end),
        Statement::Announced => announced(scanner, start),
        Statement::StatsAuth => {
            let login = word(scanner, end);
            if let Some((user, _)) = scanner.slice(login.clone()).split_once(':') {
                add(scanner, login.start + user.len() + 1..login.end);
            }
        }
        Statement::SnmpUser => snmp_user(scanner, end),
        Statement::CloudInit => cloud_init(scanner, start, end),
        Statement::Foreign => foreign(scanner, end),
        Statement::Send => send(scanner, start, end),
        Statement::Reset => reset(scanner, start, end),
        Statement::Generated => generated(scanner, end),
    }
}

/// The last word of a line, if the text before speaks of a password.
fn reset(scanner: &mut Scanner<'_, '_>, start: usize, end: usize) {
    let from = scanner.text.ceil_char_boundary(start.saturating_sub(NEAR_PASSWORD));
    let about = scanner.slice(from..start).to_ascii_lowercase();
    let value = word(scanner, end);
    let ends = matches!(scanner.byte(value.end), None | Some(b'\n' | b'\r'));
    if about.contains("password") && ends && is_strong(scanner.slice(value.clone())) {
        add(scanner, value);
    }
}

/// The string of the first `result` behind the name of the resource, before another resource begins.
fn generated(scanner: &mut Scanner<'_, '_>, from: usize) {
    let until = scanner.bytes.len().min(from + NEAR_RESULT);
    let block = scanner.bytes.get(from..until).unwrap_or_default();
    let Some(at) = memmem::find(block, b"result") else { return };
    if memmem::find(block.get(..at).unwrap_or_default(), b"resource \"").is_some() {
        return;
    }
    let name = from + at + "result".len();
    let at =
        scanner.run_end(name, MAX_BLANKS, |byte| matches!(byte, b'"' | b'\\' | b' ' | b'=' | b':'));
    // The last sign passed over is the quote of the value.
    if at > name + 1
        && let Some(range) = quoted(scanner, at - 1)
    {
        add(scanner, range);
    }
}

fn identified(scanner: &mut Scanner<'_, '_>, from: usize) {
    let near = scanner.bytes.get(from..scanner.bytes.len().min(from + 160)).unwrap_or_default();
    let line = from + memchr2(b'\n', b';', near).unwrap_or(near.len());
    let text = scanner.slice(from..line).to_ascii_lowercase();
    let Some(by) = ["by password ", "by ", "as "]
        .iter()
        .filter_map(|word| Some((text.find(word)?, word.len())))
        .filter(|(at, _)| {
            *at == 0
                || text.get(..*at).is_some_and(|head| head.starts_with("with ") || head == "by ")
        })
        .min()
    else {
        return;
    };
    let at = blanks_end(scanner, from + by.0 + by.1);
    if let Some(range) = quoted(scanner, at) {
        if !range.is_empty() && !ends_string(scanner, &range) {
            add(scanner, range);
        }
        return;
    }
    // `IDENTIFIED BY tiger;` of Oracle.
    let end = scanner.run_end(at, 128, |byte| {
        !byte.is_ascii_whitespace() && !matches!(byte, b';' | b'"' | b'\'' | b'\\' | b',' | b')')
    });
    let value = scanner.slice(at..end);
    if by.0 == 0 && in_statement(scanner, from) && !is_prose(value) && !is_word_for_nothing(value) {
        add(scanner, at..end);
    }
}

/// Whether `IDENTIFIED` at the end of this range belongs to a statement: `CREATE USER x IDENTIFIED`. "A dashboard
/// identified by its UID" is a sentence.
fn in_statement(scanner: &Scanner<'_, '_>, end: usize) -> bool {
    let start = scanner.run_start(end, 200, |byte| !matches!(byte, b'\n' | b';'));
    let before = scanner.slice(start..end).to_ascii_lowercase();
    ["create ", "alter ", "grant ", "set ", "connect ", "role "]
        .iter()
        .any(|word| before.contains(word))
}

/// The words that `echo` or `printf` give to a pipe before a place; in parentheses there may be several.
fn piped(scanner: &mut Scanner<'_, '_>, start: usize) {
    let line = scanner.text.ceil_char_boundary(scanner.line_start(start, 512));
    // Most lines echo nothing; what was searched for an earlier pipe is not searched again.
    let unsearched = line.max(scanner.seen.no_echo.min(start));
    let searched =
        scanner.bytes.get(unsearched.saturating_sub(8).max(line)..start).unwrap_or_default();
    let echoes = |word: &[u8]| memmem::find(searched, word).is_some();
    if !echoes(b"echo ") && !echoes(b"printf ") {
        scanner.seen.no_echo = start;
        return;
    }
    let before = scanner.slice(line..start);
    let at_pipe = scanner.byte(start) == Some(b'|');
    let pipe = if at_pipe { Some(before.len()) } else { before.rfind('|') };
    let Some(head) = pipe.and_then(|pipe| before.get(..pipe)) else { return };
    let places = |word: &str| -> Vec<usize> {
        head.match_indices(word).map(|(at, _)| at + word.len()).collect()
    };
    let mut echoes = places("echo ");
    if echoes.is_empty() {
        echoes = places("printf ");
    }
    let group = head.trim_end().ends_with(')');
    let first = if group { 0 } else { echoes.len().saturating_sub(1) };
    let ends = echoes.iter().skip(1).map(|next| next - "echo ".len()).chain([head.len()]);
    let words: Vec<Range<usize>> =
        echoes.iter().zip(ends).skip(first).map(|(at, end)| line + at..line + end).collect();
    for word in words {
        echoed(scanner, word, at_pipe);
    }
}

/// The lone word on the line below a command that decodes a Secret.
fn decoded(scanner: &mut Scanner<'_, '_>, start: usize, from: usize) {
    let line = scanner.line_start(start, 256);
    let command = scanner.bytes.get(line..start).unwrap_or_default();
    let end = scanner.line_end(from, 256);
    let next = scanner.run_end(end, 2, is_line_break);
    let stop = scanner.run_end(next, 512, |byte| byte.is_ascii_graphic());
    let alone = scanner.byte(stop).is_none_or(is_line_break);
    let itself = scanner.slice(start..from);
    let asks = next > end
        && alone
        && (itself.contains("secret")
            || itself.contains("password")
            || memmem::find(command, b"secret").is_some());
    if asks && is_strong(scanner.slice(next..stop)) {
        add(scanner, next..stop);
    }
}

/// The lone word on the line above, or one further up.
fn announced(scanner: &mut Scanner<'_, '_>, start: usize) {
    let line = scanner.line_start(start, 64);
    let stop = scanner.run_start(line, 4, |byte| byte.is_ascii_whitespace());
    let from = scanner.run_start(stop, 128, |byte| byte.is_ascii_graphic());
    let alone = scanner.before(from).is_none_or(is_line_break);
    if stop < line && alone && is_strong(scanner.slice(from..stop)) {
        add(scanner, from..stop);
    }
}

/// Takes what one `echo` prints.
fn echoed(scanner: &mut Scanner<'_, '_>, range: Range<usize>, at_pipe: bool) {
    let text = scanner.slice(range.clone()).trim_end();
    let mut at = range.start;
    for option in ["-n ", "-e ", "%s "] {
        if scanner.slice(at..at + option.len()) == option {
            at += option.len();
        }
    }
    let frame = |c: char| matches!(c, '"' | '\'' | '\\' | ' ');
    let trails = |c: char| frame(c) || matches!(c, ')' | ';');
    let end = range.start + text.trim_end_matches(trails).trim_end_matches("\\n").len();
    let value = scanner.slice(at..end);
    let from = at + (value.len() - value.trim_start_matches(frame).len());
    let value = scanner.slice(from..end);
    // `root:password` for chpasswd.
    let name = value.split_once(':').filter(|_| at_pipe);
    let from = name.map_or(from, |(user, _)| from + user.len() + 1);
    if !value.starts_with('$') && !value.contains("$(") {
        add(scanner, from..end);
    }
}

/// `send "password\r"` on the line behind the one that expects a password.
fn send(scanner: &mut Scanner<'_, '_>, start: usize, from: usize) {
    let at = from + usize::from(scanner.slice(from..from + 3) == "-- ") * 3;
    if !scanner.is_word_start(start) || scanner.byte(at) != Some(b'"') {
        return;
    }
    let before = scanner.bytes.get(start.saturating_sub(120)..start).unwrap_or_default();
    let asked = [&b"assword"[..], b"assphrase", b"asscode"]
        .iter()
        .any(|word| memmem::find(before, word).is_some());
    if let Some(range) = quoted(scanner, at) {
        let text = scanner.slice(range.clone());
        let end = range.start
            + text.trim_end_matches("\\r").trim_end_matches("\\n").trim_end_matches("\\r").len();
        // Without the question, only what is hardly a command.
        let returns = end < range.end;
        if asked || (returns && is_mixed(scanner.slice(range.start..end))) {
            add(scanner, range.start..end);
        }
    }
}

fn foreign(scanner: &mut Scanner<'_, '_>, from: usize) {
    let sign = blanks_end(scanner, from);
    let signs = ["：", ":", "="];
    let Some(length) = signs.iter().find(|s| scanner.stands_at(sign, s)).map(|s| s.len()) else {
        return;
    };
    let at = blanks_end(scanner, sign + length);
    let range = quoted(scanner, at).unwrap_or_else(|| {
        let end = scanner.run_end(at, 128, |byte| byte.is_ascii_graphic() && byte != b'"');
        at..at + scanner.slice(at..end).trim_end_matches(['.', ',', ')']).len()
    });
    if is_strong(scanner.slice(range.clone())) {
        add(scanner, range);
    }
}

/// The words behind the names of methods.
fn snmp_user(scanner: &mut Scanner<'_, '_>, from: usize) {
    if from < scanner.seen.snmp {
        return;
    }
    let end = scanner.line_end(from, 512);
    scanner.seen.snmp = end;
    let (mut at, mut after_method, mut found) = (from, false, Vec::new());
    for part in scanner.slice(from..end).split(' ') {
        let method = ["MD5", "SHA", "AES", "DES"].iter().any(|known| part.starts_with(known));
        if after_method && !part.is_empty() {
            found.push(trimmed(scanner, at..at + part.len()));
        }
        after_method = method;
        at += part.len() + 1;
    }
    for range in found {
        add(scanner, range);
    }
}

fn trimmed(scanner: &Scanner<'_, '_>, range: Range<usize>) -> Range<usize> {
    let text = scanner.slice(range.clone());
    let start = range.start + (text.len() - text.trim_start_matches(['"', '\'']).len());
    start..(start + text.trim_matches(['"', '\'']).len())
}

/// The lines below `chpasswd:` that are `user:password` and nothing else.
fn cloud_init(scanner: &mut Scanner<'_, '_>, start: usize, from: usize) {
    if start < scanner.seen.users {
        return;
    }
    let mut at = scanner.run_end(from, 64, |byte| byte != b'\n') + 1;
    if scanner.before(at) != Some(b'\n') {
        return;
    }
    let indent = start - scanner.run_start(start, 64, |byte| byte != b'\n');
    let mut found = Vec::new();
    while at < scanner.bytes.len() {
        let end = scanner.run_end(at, MAX_STATEMENT, |byte| byte != b'\n');
        let text = scanner.slice(at..end);
        let content = text.trim_start_matches([' ', '-']);
        if text.len() - content.len() <= indent || content.is_empty() {
            break;
        }
        if let Some((user, password)) = content.trim_end().split_once(':')
            && !password.is_empty()
            && !password.contains(' ')
            && password != "R"
            && password != "RANDOM"
        {
            let place = at + (text.len() - content.len()) + user.len() + 1;
            found.push(place..place + password.len());
        }
        at = end + 1;
    }
    scanner.seen.users = at;
    for range in found {
        add(scanner, range);
    }
}
