//! Which addresses of an authorization server are asked.
//!
//! Somebody outside names them: a tool server in its challenge and its metadata, an issuer in its discovery document. So they are
//! hostile until shown otherwise, unless they are on the host that the operator configured, or on a listed one.

use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

use reqwest::redirect::Policy;
use reqwest::{ClientBuilder, Proxy};
use tarsy_hosts::{Host, HostList, Network};
use url::Url;

use crate::proxies::Proxies;
use crate::resolver::Resolver;

/// Where requests go that are refused. The resolver refuses it: reqwest resolves no address that is written as a number,
/// and asks for a proxy before every connection.
const REFUSED: &str = "refused.invalid";
/// The longest host that a refusal names, in characters.
const MAX_HOST: usize = 100;

/// Why a request was not made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The host that was named, cut where it is long.
    pub host: String,
    /// What is wrong with it.
    pub fault: &'static str,
}

impl Refusal {
    fn of(host: &str, fault: &'static str) -> Self {
        Self { host: host.chars().take(MAX_HOST).collect(), fault }
    }
}

/// Decides which addresses are asked.
#[derive(Debug)]
pub struct Guard {
    /// The host of the operator's word.
    own: Option<Host>,
    /// Whether the operator's own address is without TLS.
    is_plain: bool,
    listed: HostList,
    proxies: Proxies,
    /// Whether proxies are asked for hosts that the operator named, and for no other.
    is_proxied_if_named: bool,
    refusal: Mutex<Option<Refusal>>,
}

impl Guard {
    /// `own` is the address that the operator configured, `listed` are other hosts that may be at private addresses. Requests
    /// that are allowed go through `proxies`, which then resolve the names.
    pub fn new(own: &Url, listed: HostList, proxies: Proxies) -> Self {
        Self {
            own: Host::of_url(own),
            is_plain: own.scheme() == "http",
            listed,
            proxies,
            is_proxied_if_named: false,
            refusal: Mutex::default(),
        }
    }

    /// For an address that a person with the right to do so chose: it may be inside, with or without TLS, but neither be
    /// link-local nor a metadata service.
    pub fn of_trial(proxies: Proxies) -> Self {
        Self {
            own: None,
            is_plain: true,
            listed: HostList::any(),
            proxies,
            is_proxied_if_named: false,
            refusal: Mutex::default(),
        }
    }

    /// Asks proxies for the operator's host and the listed ones alone: a proxy would find a name inside that somebody else
    /// chose, where nobody looks at its address.
    #[must_use]
    pub const fn proxied_if_named(mut self) -> Self {
        self.is_proxied_if_named = true;
        self
    }

    /// Why an address is refused; none if it may be asked. Names are not resolved here.
    pub fn refusal(&self, url: &Url) -> Option<Refusal> {
        self.fault(url).map(|fault| Refusal::of(url.host_str().unwrap_or("its host"), fault))
    }

    fn fault(&self, url: &Url) -> Option<&'static str> {
        let is_safe = url.scheme() == "https" || (self.is_plain && url.scheme() == "http");
        let Some(host) = Host::of_url(url).filter(|_| is_safe) else {
            return Some("it is not https");
        };
        if !url.username().is_empty() || url.password().is_some() {
            return Some("it has a user name");
        }
        if self.is_own(&host) {
            return None;
        }
        let is_inside = match &host {
            Host::Name(_) => !host.may_be_of_alert() && !self.listed.contains(&host),
            Host::Address(address) => {
                !Network::of(*address).may_be_named(self.listed.contains(&host))
            }
        };
        is_inside.then_some("it is not public")
    }

    /// The proxy of a request that is allowed; none if it is made directly.
    fn proxy(&self, url: &Url) -> Option<Url> {
        let host = Host::of_url(url)?;
        let is_named = || self.is_own(&host) || self.listed.contains(&host);
        if self.is_proxied_if_named && !is_named() { None } else { self.proxies.of(url) }
    }

    /// Whether a name may lead to an address.
    fn permits(&self, name: &str, address: IpAddr) -> bool {
        if name == REFUSED {
            return false;
        }
        if self.proxies.is_at(name) {
            return true;
        }
        let Some(host) = Host::parse(name) else { return false };
        let is_listed = || {
            let address = Host::Address(address.to_canonical());
            self.listed.contains(&host) || self.listed.contains(&address)
        };
        self.is_own(&host) || Network::of(address).may_be_named(is_listed())
    }

    /// Whether it is the operator's host; each name of this machine is the same host.
    fn is_own(&self, host: &Host) -> bool {
        self.own
            .as_ref()
            .is_some_and(|own| own == host || (own.is_loopback() && host.is_loopback()))
    }

    /// A client for such addresses alone. It follows no redirect.
    pub fn limit(self: &Arc<Self>, builder: ClientBuilder) -> ClientBuilder {
        let (of_requests, of_names) = (Arc::clone(self), Arc::clone(self));
        let intercept = Proxy::custom(move |url| {
            let Some(refusal) = of_requests.refusal(url) else {
                return of_requests.proxy(url);
            };
            of_requests.note(refusal);
            Url::parse(&format!("http://{REFUSED}")).ok()
        });
        let resolver = Resolver::new(move |name, address| {
            let is_permitted = of_names.permits(name, address);
            if !is_permitted && name != REFUSED {
                of_names.note(Refusal::of(name, "it leads to an address that is not public"));
            }
            is_permitted
        });
        builder
            .redirect(Policy::none())
            // Those of the environment are asked for by the guard, which looks at the address first.
            .no_proxy()
            .proxy(intercept)
            .dns_resolver(Arc::new(resolver))
    }

    /// What was refused last; it is returned once.
    pub fn take_refusal(&self) -> Option<Refusal> {
        self.refusal.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn note(&self, refusal: Refusal) {
        *self.refusal.lock().unwrap_or_else(PoisonError::into_inner) = Some(refusal);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guard(server: &str, listed: &[&str]) -> Guard {
        let server = Url::parse(server).unwrap();
        Guard::new(&server, HostList::parse(listed).unwrap(), Proxies::none())
    }

    fn is_asked(guard: &Guard, url: &str) -> bool {
        guard.fault(&Url::parse(url).unwrap()).is_none()
    }

    #[test]
    fn a_tool_server_names_no_authorization_server_inside() {
        let guard = guard("https://mcp.example/mcp", &[]);
        assert!(is_asked(&guard, "https://auth.example/.well-known/oauth-authorization-server"));
        assert!(is_asked(&guard, "https://mcp.example:8443/token"));
        for inside in [
            "https://10.0.0.7/token",
            "https://0x0a000007/token",
            "https://127.0.0.1:8080/api/v1/approvals",
            "https://[::1]/token",
            "https://[::ffff:10.0.0.7]/token",
            "https://[64:ff9b::10.0.0.7]/token",
            "https://localhost/token",
            "https://a.localhost./token",
            "https://169.254.169.254/latest/meta-data",
            "https://[fd00:ec2::254]/",
            "https://metadata.google.internal/computeMetadata/v1/",
            "https://0.0.0.0/token",
            "http://auth.example/token",
            "http://mcp.example/token",
            "ftp://mcp.example/token",
            "file:///etc/passwd",
            "https://user@auth.example/token",
        ] {
            assert!(!is_asked(&guard, inside), "{inside}");
        }
        for (name, address, is_permitted) in [
            ("auth.example", "9.9.9.9", true),
            ("auth.example", "10.0.0.7", false),
            ("auth.example", "127.0.0.1", false),
            ("auth.example", "169.254.169.254", false),
            ("mcp.example", "10.0.0.7", true),
            (REFUSED, "9.9.9.9", false),
        ] {
            assert_eq!(
                guard.permits(name, address.parse().unwrap()),
                is_permitted,
                "{name} {address}"
            );
        }
    }

    #[test]
    fn the_host_of_a_tool_server_inside_and_listed_ones_are_asked() {
        let own =
            guard("http://10.0.0.5:8000/mcp", &["sso.corp.example", "10.0.0.9", "169.254.169.254"]);
        for asked in [
            "http://10.0.0.5:9000/token",
            "https://10.0.0.5/token",
            "http://sso.corp.example/token",
            "https://10.0.0.9/token",
        ] {
            assert!(is_asked(&own, asked), "{asked}");
        }
        for other in ["http://10.0.0.6/token", "http://127.0.0.1/token", "http://169.254.169.254/"]
        {
            assert!(!is_asked(&own, other), "{other}");
        }
        for (name, address, is_permitted) in [
            ("sso.corp.example", "10.1.2.3", true),
            ("sso.corp.example", "169.254.169.253", false),
            ("other.example", "10.0.0.9", true),
            ("other.example", "10.1.2.3", false),
        ] {
            assert_eq!(
                own.permits(name, address.parse().unwrap()),
                is_permitted,
                "{name} {address}"
            );
        }
        let here = guard("http://localhost:8000/mcp", &[]);
        assert!(is_asked(&here, "http://127.0.0.1:9000/token"));
        assert!(here.permits("localhost", "127.0.0.1".parse().unwrap()));
        assert!(!is_asked(&here, "http://10.0.0.6/token"));
    }

    #[test]
    fn an_address_on_trial_may_be_inside_but_no_metadata_service() {
        let guard = Guard::of_trial(Proxies::none());
        for asked in [
            "http://127.0.0.1:8000/mcp",
            "http://10.0.0.5/mcp",
            "https://tools.example/mcp",
            "http://tools.monitoring.svc:8000/mcp",
        ] {
            assert!(is_asked(&guard, asked), "{asked}");
        }
        for refused in [
            "http://169.254.169.254/latest/meta-data",
            "http://[::ffff:169.254.169.254]/",
            "http://0xa9fea9fe/",
            "http://metadata.google.internal/computeMetadata/v1/",
            "http://100.100.100.200/",
            "http://0.0.0.0:9090/",
            "http://me@tools.example/mcp",
            "ftp://tools.example/",
        ] {
            assert!(!is_asked(&guard, refused), "{refused}");
        }
        assert!(guard.permits("tools.example", "10.0.0.5".parse().unwrap()));
        assert!(!guard.permits("tools.example", "169.254.169.254".parse().unwrap()));
        assert!(!guard.permits("tools.example", "fd00:ec2::254".parse().unwrap()));
    }
}
