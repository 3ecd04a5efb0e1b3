//! Passwords in addresses: `scheme://user:password@host`.

use std::ops::Range;

use memchr::memchr;

use super::logins;
use super::scanner::Scanner;
use super::shape::is_placeholder;
use crate::patterns::Pattern;
use crate::spans::mask_end;

/// How far an address is followed.
const MAX_LENGTH: usize = 1024;
/// How long the name of a host may be.
const MAX_HOST: usize = 256;
/// How long a lone user name is at least that is taken for a token.
const TOKEN_LENGTH: usize = 20;

/// Looks behind `://`.
pub(super) fn look(scanner: &mut Scanner<'_, '_>, start: usize, from: usize) {
    if from < scanner.seen.url
        || !scanner.before(start).is_some_and(|byte| byte.is_ascii_alphanumeric())
    {
        return;
    }
    let ends = |byte: u8| {
        byte.is_ascii_whitespace() || matches!(byte, b'"' | b'\'' | b'`' | b'<' | b'>' | b'\\')
    };
    // The next address in the same run of characters is looked at on its own.
    let rest = scanner.bytes.get(from..).unwrap_or_default();
    let length = rest.iter().take(MAX_LENGTH).enumerate().position(|(index, byte)| {
        ends(*byte) || (*byte == b':' && rest.get(index + 1..index + 3) == Some(b"//"))
    });
    let address = scanner.slice(from..from + length.unwrap_or(rest.len().min(MAX_LENGTH)));
    let Some(user) = user_part(address) else { return };
    scanner.seen.url = from + user.len();
    match user.split_once(':') {
        // `user:password@` of a manual.
        // … or `[user[:password]@]`.
        Some((name, password)) if scanner.names.is_head(password) || name.contains('[') => {}
        Some((name, password)) if !password.is_empty() && !is_placeholder(password) => {
            let at = from + name.len() + 1;
            // What is masked was a whole password, however many `@` are behind it.
            if mask_end(scanner.text, at).is_some() {
                return;
            }
            scanner.add(at..at + password.len(), Pattern::UrlPassword);
        }
        Some(_) => {}
        None => {
            let token =
                user.len() >= TOKEN_LENGTH && user.bytes().any(|byte| byte.is_ascii_digit());
            if token
                && user
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
            {
                scanner.add(from..from + user.len(), Pattern::UrlPassword);
            }
        }
    }
}

/// What stands before the `@` of the host; a password may hold `/` and `@` itself.
fn user_part(address: &str) -> Option<&str> {
    let authority_end = address.find(['/', '?', '#']).unwrap_or(address.len());
    let authority = address.get(..authority_end)?;
    if let Some(at) = authority.rfind('@') {
        let last = address.rfind('@').filter(|last| *last > at && is_host(address, *last + 1));
        return address.get(..last.unwrap_or(at));
    }
    let (host, rest) = authority.split_once(':')?;
    // `host:8080/…@…` is a port, not a password; a password with a slash in it is not all digits before it.
    let port = !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit());
    if port || host.contains('[') || rest.is_empty() {
        return None;
    }
    let at = address.rfind('@')?;
    address.get(..at)
}

/// Whether a host with its port begins at a place: then the password before it has an `@` and a `/` in it.
fn is_host(address: &str, from: usize) -> bool {
    let rest = address.get(from..).unwrap_or_default();
    let host = rest.get(..rest.find(['/', '?']).unwrap_or(rest.len())).unwrap_or_default();
    host.split_once(':').is_some_and(|(name, port)| {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-');
        !name.is_empty()
            && name.bytes().all(plain)
            && !port.is_empty()
            && port.bytes().all(|byte| byte.is_ascii_digit())
    })
}

/// Looks at `jdbc:oracle:thin:user/password@…`, whose address comes after the credentials.
pub(super) fn look_at_oracle(scanner: &mut Scanner<'_, '_>, from: usize) {
    let end = scanner.seen.oracle.end(scanner.bytes, from, MAX_LENGTH, |byte| {
        !byte.is_ascii_whitespace() && !matches!(byte, b'@' | b'"' | b'\'' | b'<' | b'>')
    });
    let login = scanner.slice(from..end);
    if scanner.byte(end) == Some(b'@')
        && let Some((user, password)) = login.split_once('/')
        && !is_placeholder(password)
    {
        scanner.add(from + user.len() + 1..end, Pattern::UrlPassword);
    }
}

/// Looks at `user:password@tcp(host:3306)/name`, as Go writes it, from its `@` on.
pub(super) fn look_at_dsn(scanner: &mut Scanner<'_, '_>, at: usize) {
    let limit = (at - scanner.seen.dsn.min(at)).min(MAX_LENGTH);
    let start = scanner.run_start(at, limit, |byte| {
        !byte.is_ascii_whitespace() && !matches!(byte, b'"' | b'\'' | b'`')
    });
    scanner.seen.dsn = at + 1;
    let login = scanner.slice(scanner.text.ceil_char_boundary(start)..at);
    if login.contains("://") {
        return;
    }
    if let Some((_, password)) = login.split_once(':')
        && !is_placeholder(password)
    {
        scanner.add(at - password.len()..at, Pattern::UrlPassword);
    }
}

/// Finds the lines of files of logins: `host:port:database:user:password` of PostgreSQL, `host user:password` of Postfix.
pub(super) fn scan_lines(scanner: &mut Scanner<'_, '_>) {
    let mut at = 0;
    while let Some(rest) = scanner.bytes.get(at..).filter(|rest| !rest.is_empty()) {
        let length = memchr(b'\n', rest).unwrap_or(rest.len());
        pgpass(scanner, at..at + length);
        user_of_list(scanner, at..at + length);
        logins::look_at_line(scanner, at..at + length);
        at += length + 1;
    }
}

/// `"user" "password"`, as `PgBouncer` reads its users.
fn user_of_list(scanner: &mut Scanner<'_, '_>, line: Range<usize>) {
    if scanner.byte(line.start) != Some(b'"') || line.len() > MAX_HOST {
        return;
    }
    let mut fields = scanner.slice(line.clone()).trim_end().split('"');
    let fields = [(); 6].map(|()| fields.next());
    if let [Some(""), Some(user), Some(" "), Some(password), Some(""), None] = fields
        && logins::is_user(user)
        && logins::is_mixed(password)
        && !is_placeholder(password)
    {
        let start = line.start + user.len() + "\"\" \"".len();
        scanner.add(start..start + password.len(), Pattern::Password);
    }
}

fn pgpass(scanner: &mut Scanner<'_, '_>, line: Range<usize>) {
    let bytes = scanner.bytes.get(line.clone()).unwrap_or_default();
    let Some(colon) = memchr(b':', bytes.get(..bytes.len().min(MAX_HOST)).unwrap_or_default())
    else {
        return;
    };
    let port = bytes.get(colon + 1..).unwrap_or_default();
    let digits = port.iter().take(6).take_while(|byte| byte.is_ascii_digit()).count();
    let any = usize::from(port.first() == Some(&b'*'));
    if (!(4..=5).contains(&digits) && any == 0) || port.get(digits + any) != Some(&b':') {
        return;
    }
    let text = scanner.slice(line.clone()).trim_end();
    let fields: Vec<&str> = text.splitn(5, ':').collect();
    let odd = |field: &&str| field.is_empty() || field.contains([' ', '/', '"', '\'', '{']);
    if let [_, _, database, _, password] = &*fields
        && !fields.iter().take(4).any(odd)
        && !password.contains(' ')
        && !password.is_empty()
        && !database.bytes().all(|byte| byte.is_ascii_digit())
        && !is_placeholder(password)
    {
        let end = line.start + text.len();
        scanner.add(end - password.len()..end, Pattern::UrlPassword);
    }
}
