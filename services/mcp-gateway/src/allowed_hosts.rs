//! Which hosts a call may name.
//!
//! A model has read text that anybody may have written, and may obey it. With the policy `enforce`, a call of a tool
//! that reaches addresses is made only if its arguments name hosts, and all of them are allowed: by the policy, or by
//! the alert. The calls of a person, and those that a person approved, reach every host.

use std::net::IpAddr;

use serde_json::{Map, Value};
use tarsy_catalog::{PolicyMode, ToolPolicy};
use tarsy_contracts::mcp::{Caller, Requirement, Tool, ToolReach};
use tarsy_hosts::{Host, HostList, is_restricted};

use crate::classes::names_address;
use crate::text::truncate;

/// Schemes of addresses that a tool may connect to, where nothing says that it does.
const SCHEMES: [&str; 10] =
    ["http", "https", "ws", "wss", "ftp", "ftps", "sftp", "ssh", "git", "gopher"];
/// The longest address in a message, in bytes.
const SHOWN_BYTES: usize = 100;
/// What stands around an address in a text.
const QUOTES: &[char] = &['"', '\'', '<', '>', '(', ')', '{', '}', ',', ';', '.', '`'];
/// What divides the addresses of a list.
const SEPARATORS: &[char] = &[',', ';', '|'];
/// What stands before a host in an option, as in `--proxy=evil.example`, and in `user@evil.example`.
const OPTIONS: &[char] = &['=', '@'];

/// Whether a person has approved a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Approval {
    Given,
    None,
}

impl Approval {
    /// A call that needs an approval and has a permit was approved; one that is judged to read needs none.
    pub(crate) fn of(tool: &Tool, permit: Option<&str>) -> Self {
        match tool.terms.requirement {
            Requirement::Approval if permit == Some(&tool.terms.definition) => Self::Given,
            _ => Self::None,
        }
    }
}

/// The hosts that a call of a tool may name.
#[derive(Debug)]
pub(crate) struct AllowedHosts {
    hosts: HostList,
    /// Whether the arguments are checked.
    is_limited: bool,
}

impl AllowedHosts {
    pub(crate) fn of(policy: &ToolPolicy, caller: &Caller, approval: Approval) -> Self {
        let listed = policy.host_list();
        // Whoever approved the call has seen its arguments.
        let is_approved = approval == Approval::Given;
        match caller {
            Caller::Model { alert_hosts } if policy.mode == PolicyMode::Enforce && !is_approved => {
                let of_alert = alert_hosts.iter().filter(|_| policy.alert_hosts);
                let of_alert =
                    of_alert.filter_map(|text| Host::parse(text)).filter(may_be_of_alert);
                Self { hosts: listed.and(HostList::of(of_alert)), is_limited: true }
            }
            // Such a call reaches no server.
            Caller::Replay => Self { hosts: HostList::of([]), is_limited: true },
            Caller::Model { .. } | Caller::Person => {
                Self { hosts: HostList::any().and(listed), is_limited: false }
            }
        }
    }

    /// Why a call may not be made with these arguments; none if it may.
    pub(crate) fn refusal(&self, tool: &Tool, arguments: &Map<String, Value>) -> Option<String> {
        let limited = self.is_limited.then_some(&self.hosts)?;
        Some(explain(tool, fault(tool.terms.reach, arguments, limited)?))
    }

    /// The hosts, as entries of a list.
    pub(crate) fn entries(&self) -> Vec<String> {
        self.hosts.entries().collect()
    }
}

/// An alert does not open the metadata service of a cloud.
fn may_be_of_alert(host: &Host) -> bool {
    !matches!(host, Host::Address(address) if is_restricted(*address))
}

/// The message for a model and a person.
fn explain(tool: &Tool, fault: Fault) -> String {
    let (name, server) = (tool.full_name(), &tool.server);
    let why = match tool.terms.reach {
        ToolReach::AnyHost => format!("it reaches any host ({})", tool.terms.reach_reason),
        ToolReach::OwnSystem | ToolReach::Unstated => "it may reach the address".to_owned(),
    };
    let fault = match fault {
        Fault::NoHost => "its arguments name no host that can be checked".to_owned(),
        Fault::Unclear(text) => {
            format!("{:?} has no host that can be checked", truncate(text, SHOWN_BYTES))
        }
        Fault::NotAllowed(host) => {
            let host = truncate(host.to_string(), SHOWN_BYTES);
            format!("{host} is neither listed in policy.hosts nor a host of the alert")
        }
    };
    format!(
        "The tool '{name}' was not called: {why}, and {fault} (policy of the server '{server}'). Do not retry it \
         with this host; use another tool, or report what could not be done."
    )
}

#[derive(Debug, PartialEq, Eq)]
enum Fault {
    NoHost,
    Unclear(String),
    NotAllowed(Host),
}

fn fault(reach: ToolReach, arguments: &Map<String, Value>, allowed: &HostList) -> Option<Fault> {
    let mut named = Vec::new();
    match reach {
        ToolReach::OwnSystem => return None,
        ToolReach::Unstated => collect(arguments, &mut named, &|_, text| url(text)),
        ToolReach::AnyHost => {
            collect(arguments, &mut named, &address);
            if named.is_empty() {
                let Some(text) = only_word(arguments) else {
                    return (!allowed.is_any()).then_some(Fault::NoHost);
                };
                named.push(bare(text));
            }
        }
    }
    named.into_iter().find_map(|host| match host {
        Ok(host) if allowed.contains(&host) => None,
        Ok(host) => Some(Fault::NotAllowed(host)),
        Err(text) => Some(Fault::Unclear(text)),
    })
}

/// A host, or the text that might name one.
type Named = Result<Host, String>;

/// Reads each text of the arguments with the name of its parameter; lists belong to the parameter before them.
fn collect(
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

/// The hosts that a text may name, for a tool that reaches any host: the whole text if its parameter holds addresses, and
/// each of its words that is an address or looks like a host.
fn address(parameter: &str, text: &str) -> Vec<Named> {
    if names_address(parameter) && !text.is_empty() && !text.contains("://") {
        return vec![bare(text)];
    }
    text.split_whitespace().flat_map(word).collect()
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

/// The host of an address without a scheme, or of a host alone.
fn bare(text: &str) -> Named {
    let text = text.trim_start_matches('/');
    Host::parse(text)
        .or_else(|| Host::of_address(&format!("http://{text}")))
        .ok_or_else(|| text.to_owned())
}

/// Whether a text could be a host, with or without a port and a path: an address of four numbers or of IPv6, or labels of
/// which the last is a word.
fn looks_like_host(text: &str) -> bool {
    let in_brackets = text.strip_prefix('[').and_then(|rest| rest.split_once(']'));
    let six = in_brackets.map_or(text, |(address, _)| address);
    if text.starts_with("//") || six.parse::<IpAddr>().is_ok() {
        return true;
    }
    let host = text.split(['/', ':', '?', '#']).next().unwrap_or_default().trim_end_matches('.');
    if host.split('.').count() == 4 && matches!(Host::parse(host), Some(Host::Address(_))) {
        return true;
    }
    let is_label = |c: char| c.is_alphanumeric() || "-_.".contains(c);
    let last = host.rsplit_once('.').map(|(_, last)| last);
    host.chars().all(is_label)
        && last.is_some_and(|last| last.chars().count() > 1 && !last.starts_with(char::is_numeric))
}

/// The text of arguments that have only one, if it is a single word.
fn only_word(arguments: &Map<String, Value>) -> Option<&str> {
    let mut texts = arguments.values().filter_map(Value::as_str).map(str::trim);
    let is_word = |text: &str| !text.is_empty() && !text.contains(char::is_whitespace);
    texts.next().filter(|text| is_word(text) && texts.next().is_none())
}

#[cfg(test)]
mod tests;
