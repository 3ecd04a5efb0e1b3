//! The hosts that arguments name.

use std::net::IpAddr;

use reqwest::Url;
use serde_json::{Map, Value};
use tarsy_hosts::{Host, Network};

use crate::classes::names_address;

/// Schemes of addresses that a tool may connect to, where nothing says that it does.
const SCHEMES: [&str; 10] =
    ["http", "https", "ws", "wss", "ftp", "ftps", "sftp", "ssh", "git", "gopher"];
/// What stands around an address in a text.
const QUOTES: &[char] = &['"', '\'', '<', '>', '(', ')', '{', '}', ',', ';', '.', '`'];
/// What divides the addresses of a list, and stands around one in `tcp(127.0.0.1:3306)`.
const SEPARATORS: &[char] = &[',', ';', '|', '(', ')'];
/// What stands before a host in an option, as in `--proxy=evil.example`, and in `user@evil.example`.
const OPTIONS: &[char] = &['=', '@'];

/// A host, or the text that might name one.
pub(super) type Named = Result<Host, String>;

/// Reads each text of the arguments with the name of its parameter; lists belong to the parameter before them.
pub(super) fn collect(
    arguments: &Map<String, Value>,
    named: &mut Vec<Named>,
    read: &impl Fn(&str, &str) -> Vec<Named>,
) {
    let mut open: Vec<(&str, &Value)> =
        arguments.iter().map(|(name, value)| (name.as_str(), value)).collect();
    while let Some((name, value)) = open.pop() {
        match value {
            Value::String(text) => named.extend(read(name, text.trim())),
            Value::Array(values) => open.extend(values.iter().map(|value| (name, value))),
            Value::Object(fields) => {
                // A name may be an address as well, as in headers and maps.
                named.extend(fields.keys().flat_map(|key| url(key)));
                open.extend(fields.iter().map(|(name, value)| (name.as_str(), value)));
            }
            // An IPv4 address may be written as one number.
            Value::Number(number) => named.extend(read(name, &number.to_string())),
            Value::Null | Value::Bool(_) => {}
        }
    }
}

/// The host of a text that is one address as a whole.
fn url(text: &str) -> Vec<Named> {
    let scheme = text.split_once("://").map(|(scheme, _)| scheme.to_ascii_lowercase());
    let is_url = scheme.is_some_and(|scheme| SCHEMES.contains(&scheme.as_str()))
        && !text.contains(char::is_whitespace);
    if is_url { vec![Host::of_address(text).ok_or_else(|| text.to_owned())] } else { Vec::new() }
}

/// The hosts of a text, for a tool of which nothing says that it reaches any: that of an address as a whole, and a metadata
/// service where the parameter holds a host. Other hosts there may be the names of what its own system has.
pub(super) fn of_unstated(parameter: &str, text: &str) -> Vec<Named> {
    let found = url(text);
    if !found.is_empty() || !names_address(parameter) {
        return found;
    }
    let is_restricted = |named: &Named| named.as_ref().is_ok_and(Host::is_restricted);
    address(parameter, text).into_iter().filter(is_restricted).collect()
}

/// The hosts that a text may name, for a tool that reaches any host: the whole text if its parameter holds addresses, and
/// each of its words that is an address or looks like a host.
pub(super) fn address(parameter: &str, text: &str) -> Vec<Named> {
    if names_address(parameter) && !text.contains("://") {
        let is_between = |c: char| c.is_whitespace() || SEPARATORS.contains(&c);
        return text.split(is_between).filter(|text| !text.is_empty()).map(bare).collect();
    }
    text.split_whitespace().flat_map(word).collect()
}

/// The hosts of addresses alone: of a parameter that holds one, and of URLs.
pub(super) fn plainly(parameter: &str, text: &str) -> Vec<Named> {
    if names_address(parameter) {
        return address(parameter, text);
    }
    text.split_whitespace().filter_map(|word| with_scheme(word.trim_matches(QUOTES))).collect()
}

/// The hosts of a word: of a URL as a whole, and of what separators divide, as in a list or in an option of a program.
fn word(word: &str) -> Vec<Named> {
    let word = word.trim_matches(QUOTES);
    let mut named: Vec<Named> = with_scheme(word).into_iter().collect();
    let parts = word.split(SEPARATORS).flat_map(|part| match with_scheme(part) {
        Some(host) => vec![host],
        None => part.split(OPTIONS).filter(|text| looks_like_host(text)).map(bare).collect(),
    });
    // The first part of a URL was read with it.
    named.extend(parts.skip(named.len()));
    named
}

fn with_scheme(text: &str) -> Option<Named> {
    text.contains("://").then(|| Host::of_address(text).ok_or_else(|| text.to_owned()))
}

/// The hosts that some program might read in an address that is in doubt.
pub(super) fn in_doubt(text: &str) -> Vec<Host> {
    let rest = text.split_once(':').map_or(text, |(_, rest)| rest).trim_start_matches(['/', '\\']);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let is_between = |c: char| "\\@%".contains(c) || c.is_whitespace() || c.is_control();
    let parts = authority.split(is_between).flat_map(|part| {
        let name = part.split(':').next().unwrap_or_default();
        [Host::parse(part), Host::parse(name)].into_iter().flatten()
    });
    let parsed = Url::parse(text).ok();
    parsed.as_ref().and_then(Host::of_url).into_iter().chain(parts).collect()
}

/// The host of an address without a scheme, or of a host alone.
pub(super) fn bare(text: &str) -> Named {
    // With fewer slashes than usual some programs read a URL, and others a path.
    let is_url = text.split_once(':').is_some_and(|(scheme, rest)| {
        SCHEMES.contains(&scheme.to_ascii_lowercase().as_str()) && rest.starts_with(['/', '\\'])
    });
    if is_url {
        return Err(text.to_owned());
    }
    let text = text.trim_start_matches('/');
    Host::parse(text)
        .or_else(|| Host::of_address(&format!("http://{text}")))
        .ok_or_else(|| text.to_owned())
}

/// Whether a text could be a host, with or without a port and a path: an address of four numbers or of IPv6, labels of which
/// the last is a word, or what leads to this machine or a metadata service in another notation.
fn looks_like_host(text: &str) -> bool {
    let in_brackets = text.strip_prefix('[').and_then(|rest| rest.split_once(']'));
    let six = in_brackets.map_or(text, |(address, _)| address);
    let without_zone = six.split('%').next().unwrap_or_default();
    if text.starts_with("//") || without_zone.parse::<IpAddr>().is_ok() {
        return true;
    }
    let host = text.split(['/', ':', '?', '#']).next().unwrap_or_default().trim_end_matches('.');
    match Host::parse(host) {
        Some(Host::Address(_)) if host.split('.').count() == 4 => return true,
        Some(Host::Address(address)) => {
            return matches!(Network::of(address), Network::Loopback | Network::Metadata);
        }
        Some(name) if name.is_loopback() => return true,
        Some(Host::Name(_)) | None => {}
    }
    let is_label = |c: char| c.is_alphanumeric() || "-_.".contains(c);
    let last = host.rsplit_once('.').map(|(_, last)| last);
    host.chars().all(is_label)
        && last.is_some_and(|last| last.chars().count() > 1 && !last.starts_with(char::is_numeric))
}

/// The text of arguments that have only one, if it is a single word.
pub(super) fn only_word(arguments: &Map<String, Value>) -> Option<&str> {
    let mut texts = arguments.values().filter_map(Value::as_str).map(str::trim);
    let is_word = |text: &str| !text.is_empty() && !text.contains(char::is_whitespace);
    texts.next().filter(|text| is_word(text) && texts.next().is_none())
}
