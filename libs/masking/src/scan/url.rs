//! Passwords in addresses: `scheme://user:password@host`.

use super::harmless::is_placeholder;
use super::scanner::Scanner;
use crate::patterns::Pattern;

/// How far an address is followed.
const MAX_LENGTH: usize = 1024;
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
        Some((name, password)) if !password.is_empty() && !is_placeholder(password) => {
            let at = from + name.len() + 1;
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
        return authority.get(..at);
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

/// Looks at `jdbc:oracle:thin:user/password@…`, whose address comes after the credentials.
pub(super) fn look_at_oracle(scanner: &mut Scanner<'_, '_>, from: usize) {
    let end = scanner.run_end(from, MAX_LENGTH, |byte| {
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

/// Looks at a line of `.pgpass`: `host:5432:database:user:password`.
pub(super) fn look_at_pgpass(scanner: &mut Scanner<'_, '_>, port: usize) {
    let start = scanner.run_start(port, 256, |byte| byte != b'\n');
    let end = scanner.run_end(port, MAX_LENGTH, |byte| !byte.is_ascii_whitespace());
    let fields: Vec<&str> = scanner.slice(start..end).splitn(5, ':').collect();
    if let [_, _, _, _, password] = &*fields
        && !fields.iter().any(|field| field.is_empty() || field.contains([' ', '/', '"']))
        && !is_placeholder(password)
    {
        scanner.add(end - password.len()..end, Pattern::UrlPassword);
    }
}
