//! A host, in one spelling.

use std::fmt;
use std::net::IpAddr;

use url::Url;

/// The longest name of a host, and the longest part of it between two dots (RFC 1035).
const LONGEST_NAME: usize = 253;
const LONGEST_LABEL: usize = 63;

/// A host, however it was written.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Host {
    /// In lower case and in ASCII, without a dot at the end: letters, digits, `-`, `_` and `.`.
    Name(String),
    /// An address; an IPv4 address that was written as IPv6 is IPv4.
    Address(IpAddr),
}

impl Host {
    /// Reads a host alone: a name, or an address in any notation, in brackets or not. None if it is neither.
    pub fn parse(text: &str) -> Option<Self> {
        if let Ok(address) = text.parse::<IpAddr>() {
            return Some(Self::Address(address.to_canonical()));
        }
        // Not what the standard of URLs decodes or drops: another program may leave it as it is.
        let is_plain = |c: char| c.is_alphanumeric() || "-_.".contains(c);
        if !text.starts_with('[') && !text.chars().all(is_plain) {
            return None;
        }
        Self::from_parsed(url::Host::parse(text).ok()?)
    }

    /// The host of an address with a scheme; none if it has none, or if programs might disagree about it: with user
    /// names, backslashes, spaces or percent signs before the path.
    pub fn of_address(text: &str) -> Option<Self> {
        let (scheme, rest) = text.split_once("://")?;
        let is_scheme = !scheme.is_empty()
            && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte));
        let authority = rest.split(['/', '?', '#']).next()?;
        let is_odd = |c: char| c == '\\' || c.is_whitespace() || c.is_control();
        if !is_scheme || text.contains(is_odd) || authority.contains(['@', '%']) {
            return None;
        }
        // The rules of http for every scheme: others leave numbers as they are written.
        Self::of_url(&Url::parse(&format!("http://{rest}")).ok()?)
    }

    /// The host of a URL of http or https.
    pub fn of_url(url: &Url) -> Option<Self> {
        Self::from_parsed(url.host()?.to_owned())
    }

    fn from_parsed(host: url::Host<String>) -> Option<Self> {
        Some(match host {
            url::Host::Ipv4(address) => Self::Address(address.into()),
            url::Host::Ipv6(address) => Self::Address(IpAddr::from(address).to_canonical()),
            url::Host::Domain(name) => {
                let name = name.strip_suffix('.').unwrap_or(&name).to_ascii_lowercase();
                let is_name = name.len() <= LONGEST_NAME && name.split('.').all(is_label);
                return is_name.then_some(Self::Name(name));
            }
        })
    }
}

fn is_label(label: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
    !label.is_empty() && label.len() <= LONGEST_LABEL && label.bytes().all(is_allowed)
}

impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => f.write_str(name),
            Self::Address(address) => address.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(text: &str) -> Host {
        Host::Name(text.to_owned())
    }

    fn address(text: &str) -> Host {
        Host::Address(text.parse().unwrap())
    }

    #[test]
    fn each_spelling_of_a_host_is_the_same_host() {
        for text in ["example.com", "EXAMPLE.com", "example.com.", "ｅxample.com"] {
            assert_eq!(Host::parse(text), Some(name("example.com")), "{text}");
        }
        assert_eq!(Host::parse("Web_1-a"), Some(name("web_1-a")));
        for text in ["127.0.0.1", "127.1", "0x7f.1", "0177.0.0.1", "2130706433", "127.0.0.1."] {
            assert_eq!(Host::parse(text), Some(address("127.0.0.1")), "{text}");
        }
        for text in ["::ffff:127.0.0.1", "[::ffff:7f00:1]"] {
            assert_eq!(Host::parse(text), Some(address("127.0.0.1")), "{text}");
        }
        assert_eq!(Host::parse("[::1]"), Some(address("::1")));
        for text in ["", ".", "a b", "a/b", "fe80::1%eth0", "[fe80::1%25eth0]", "300.1.1.1"] {
            assert_eq!(Host::parse(text), None, "{text}");
        }
    }

    #[test]
    fn only_letters_digits_hyphens_underscores_and_dots_make_a_name() {
        for text in ["*", "*.example", "a*", "!", "a,b", "$(id)", "a;b", "a'b", "a+b", "{a}", "~"] {
            assert_eq!(Host::parse(text), None, "{text}");
            assert_eq!(Host::of_address(&format!("http://{text}/")), None, "{text}");
        }
        for text in ["ex%61mple.com", "a\u{ad}b", "a..b", "..", ".a", "a:80", "a:b", "[a]"] {
            assert_eq!(Host::parse(text), None, "{text}");
        }
        for (label, is_name) in [("a".repeat(63), true), ("a".repeat(64), false)] {
            assert_eq!(Host::parse(&label).is_some(), is_name, "{label}");
            assert_eq!(Host::of_address(&format!("http://{label}/")).is_some(), is_name);
        }
        assert_eq!(Host::parse(&"ab.".repeat(85)), None, "254 letters and dots");
    }

    #[test]
    fn an_address_whose_host_is_in_doubt_has_none() {
        for text in ["https://example.com:8443/a?b#c", "ftp://Example.com.", "ws://example.com"] {
            assert_eq!(Host::of_address(text), Some(name("example.com")), "{text}");
        }
        assert_eq!(Host::of_address("git://2130706433/a"), Some(address("127.0.0.1")));
        for text in [
            "https://example.com@evil.example/",
            "https://user:pass@example.com/",
            "https://example.com\\@evil.example/",
            "https://example.com%2f@evil.example/",
            "https://exa\tmple.com/",
            "https://example.com /",
            "https:///",
            "://example.com",
            "a b://example.com",
            "example.com/a",
        ] {
            assert_eq!(Host::of_address(text), None, "{text}");
        }
    }
}
