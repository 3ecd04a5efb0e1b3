//! The user who sent a request, from the headers of a trusted proxy.

use std::net::IpAddr;
use std::sync::Arc;

use http::{HeaderMap, HeaderName};
use ipnet::IpNet;

/// The author of what no trusted proxy vouches for.
pub const ANONYMOUS: &str = "api-client";

/// The headers that name a user, most trusted first.
const HEADERS: [&str; 3] = ["x-forwarded-user", "x-forwarded-email", "x-remote-user"];

/// The longest name that is kept, in characters.
const MAX_CHARS: usize = 255;

/// The networks whose word about a user is believed.
#[derive(Clone, Debug, Default)]
pub struct TrustedProxies(Arc<[IpNet]>);

impl TrustedProxies {
    /// Believes peers within these networks.
    pub fn new(networks: &[IpNet]) -> Self {
        Self(networks.into())
    }

    pub fn include(&self, peer: IpAddr) -> bool {
        let peer = peer.to_canonical();
        self.0.iter().any(|network| network.contains(&peer))
    }
}

/// The user whom a trusted proxy names, else [`ANONYMOUS`].
pub fn name(headers: &HeaderMap, peer: Option<IpAddr>, trusted: &TrustedProxies) -> String {
    let believed = peer.is_some_and(|peer| trusted.include(peer));
    let named = believed.then(|| HEADERS.iter().find_map(|name| header(headers, name)));
    named.flatten().unwrap_or_else(|| ANONYMOUS.to_owned())
}

/// The value of a header that names a user, without control characters; none if nothing is left, or if the header stands
/// more than once: then nobody knows which of them the proxy wrote.
pub fn header(headers: &HeaderMap, name: &str) -> Option<String> {
    let value = headers.get(name).filter(|_| !is_repeated(headers, name))?;
    clean(std::str::from_utf8(value.as_bytes()).ok()?)
}

/// Whether a header stands more than once.
pub fn is_repeated(headers: &HeaderMap, name: &str) -> bool {
    let name = HeaderName::try_from(name);
    name.is_ok_and(|name| headers.get_all(name).iter().nth(1).is_some())
}

/// A user's name without control characters, of a bounded length; none if nothing is left.
pub fn clean(text: &str) -> Option<String> {
    let clean: String = text.chars().filter(|c| !c.is_control()).take(MAX_CHARS).collect();
    let clean = clean.trim();
    (!clean.is_empty()).then(|| clean.to_owned())
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        pairs.iter().map(|(n, v)| (n.parse().unwrap(), HeaderValue::from_str(v).unwrap())).collect()
    }

    fn proxies() -> TrustedProxies {
        TrustedProxies::new(&["10.0.0.0/8".parse().unwrap()])
    }

    #[test]
    fn the_users_name_goes_before_the_address_and_the_remote_user() {
        let peer = Some("10.1.2.3".parse().unwrap());
        let all = headers(&[
            ("x-remote-user", "remote"),
            ("x-forwarded-email", "a@example.org"),
            ("x-forwarded-user", "alice"),
        ]);
        assert_eq!(name(&all, peer, &proxies()), "alice");
        let some = headers(&[("x-remote-user", "remote"), ("x-forwarded-user", "  ")]);
        assert_eq!(name(&some, peer, &proxies()), "remote");
        assert_eq!(name(&HeaderMap::new(), peer, &proxies()), ANONYMOUS);
    }

    #[test]
    fn an_untrusted_peer_cannot_name_its_user() {
        let claim = headers(&[("x-forwarded-user", "root")]);
        for peer in [None, Some("192.0.2.1".parse().unwrap())] {
            assert_eq!(name(&claim, peer, &proxies()), ANONYMOUS);
        }
    }

    #[test]
    fn a_user_who_is_named_twice_is_nobody() {
        let mut claim = headers(&[("x-forwarded-user", "alice")]);
        claim.append("x-forwarded-user", HeaderValue::from_static("root"));
        assert_eq!(name(&claim, Some("10.1.2.3".parse().unwrap()), &proxies()), ANONYMOUS);
    }

    #[test]
    fn a_proxy_is_known_by_its_mapped_address_too() {
        let claim = headers(&[("x-forwarded-user", "alice")]);
        let peer = Some("::ffff:10.0.0.1".parse().unwrap());
        assert_eq!(name(&claim, peer, &proxies()), "alice");
    }
}
