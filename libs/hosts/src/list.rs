//! Lists of hosts, as operators write them.

use std::fmt;

use ipnet::IpNet;

use crate::host::Host;
use crate::names;
use crate::network::is_restricted;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HostList(Vec<Entry>);

/// An entry that is neither a host nor a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidEntry(pub String);

impl fmt::Display for InvalidEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} is neither a host nor a network", self.0)
    }
}

impl std::error::Error for InvalidEntry {}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Entry {
    /// `*`
    Any,
    Name(String),
    /// `*.example.com`: each name below it.
    Below(String),
    /// One address, or `10.0.0.0/8`.
    Network(IpNet),
}

impl HostList {
    /// Reads entries: `*`, names, `*.` before a name, addresses, networks.
    pub fn parse<T: AsRef<str>>(
        entries: impl IntoIterator<Item = T>,
    ) -> Result<Self, InvalidEntry> {
        let entry = |text: T| {
            let text = text.as_ref();
            Entry::parse(text).ok_or_else(|| InvalidEntry(text.to_owned()))
        };
        entries.into_iter().map(entry).collect::<Result<_, _>>().map(Self)
    }

    /// These hosts and no others, whatever their names look like.
    pub fn of(hosts: impl IntoIterator<Item = Host>) -> Self {
        let entry = |host| match host {
            Host::Name(name) => Entry::Name(name),
            Host::Address(address) => Entry::Network(address.into()),
        };
        Self(hosts.into_iter().map(entry).collect())
    }

    pub fn any() -> Self {
        Self(vec![Entry::Any])
    }

    /// Whether every host is listed.
    pub fn is_any(&self) -> bool {
        self.0.contains(&Entry::Any)
    }

    /// The hosts of both lists.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        self.0.extend(other.0);
        self
    }

    /// Whether a host is listed. Metadata services are so only one by one, not by a pattern or as a part of a network.
    pub fn contains(&self, host: &Host) -> bool {
        self.0.iter().any(|entry| match (entry, host) {
            (Entry::Network(network), Host::Address(address)) => {
                let is_single = network.prefix_len() == network.max_prefix_len();
                network.contains(address) && (is_single || !is_restricted(*address))
            }
            (Entry::Any, Host::Address(address)) => !is_restricted(*address),
            (Entry::Any, Host::Name(name)) => !names::is_metadata(name),
            (Entry::Name(listed), Host::Name(name)) => listed == name,
            (Entry::Below(parent), Host::Name(name)) => {
                let below = name.strip_suffix(parent.as_str());
                below.is_some_and(|below| below.len() > 1 && below.ends_with('.'))
                    && !names::is_metadata(name)
            }
            _ => false,
        })
    }

    /// The entries, as they could be written.
    pub fn entries(&self) -> impl Iterator<Item = String> {
        self.0.iter().map(|entry| match entry {
            Entry::Any => "*".to_owned(),
            Entry::Name(name) => name.clone(),
            Entry::Below(parent) => format!("*.{parent}"),
            Entry::Network(network) if network.prefix_len() == network.max_prefix_len() => {
                network.addr().to_string()
            }
            Entry::Network(network) => network.to_string(),
        })
    }
}

impl Entry {
    fn parse(text: &str) -> Option<Self> {
        if text == "*" {
            return Some(Self::Any);
        }
        if let Some(parent) = text.strip_prefix("*.") {
            return match Host::parse(parent)? {
                Host::Name(name) => Some(Self::Below(name)),
                Host::Address(_) => None,
            };
        }
        if let Ok(network) = text.parse::<IpNet>() {
            return Some(Self::Network(network.trunc()));
        }
        match Host::parse(text)? {
            Host::Name(name) => Some(Self::Name(name)),
            Host::Address(address) => Some(Self::Network(address.into())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(entries: &[&str]) -> HostList {
        HostList::parse(entries).unwrap()
    }

    fn host(text: &str) -> Host {
        Host::parse(text).unwrap()
    }

    #[test]
    fn a_host_is_listed_by_its_whole_name() {
        let list = list(&["example.com", "*.shop.example", "10.0.0.0/8", "::1"]);
        for listed in ["Example.COM.", "a.shop.example", "a.b.shop.example", "10.1.2.3", "[::1]"] {
            assert!(list.contains(&host(listed)), "{listed}");
        }
        for other in
            ["a.example.com", "evil-example.com", "shop.example", "evilshop.example", "11.0.0.1"]
        {
            assert!(!list.contains(&host(other)), "{other}");
        }
        let written: Vec<String> = list.entries().collect();
        assert_eq!(written, ["example.com", "*.shop.example", "10.0.0.0/8", "::1"]);
        assert_eq!(HostList::parse(&written).unwrap(), list);
    }

    #[test]
    fn restricted_addresses_are_listed_one_by_one() {
        let metadata = host("169.254.169.254");
        for entry in ["*", "0.0.0.0/0", "169.254.0.0/16"] {
            assert!(!list(&[entry]).contains(&metadata), "{entry}");
        }
        assert!(list(&["169.254.169.254"]).contains(&metadata));
        let named = host("metadata.google.internal");
        for entry in ["*", "*.google.internal", "*.internal"] {
            assert!(!list(&[entry]).contains(&named), "{entry}");
        }
        assert!(list(&["metadata.google.internal"]).contains(&named));
    }

    #[test]
    fn what_is_no_host_is_named() {
        for entry in ["", "a b", "https://example.com", "a.*.b", "*x", "*.10.0.0.1", "10.0.0.0/33"]
        {
            let error = HostList::parse([entry]).unwrap_err();
            assert_eq!(error, InvalidEntry(entry.to_owned()));
        }
    }

    #[test]
    fn a_pattern_in_a_text_is_no_host() {
        let list =
            HostList::of(["*", "*.example", "0.0.0.0/0"].into_iter().filter_map(Host::parse));
        assert_eq!(list, HostList::default());
    }
}
