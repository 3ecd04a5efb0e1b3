//! The proxies that the environment names: `HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY` and `NO_PROXY`, in either case.
//!
//! This machine and the services of its cluster are never asked through one, whatever `NO_PROXY` lists: a proxy of a company
//! reaches neither.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hyper_util::client::proxy::matcher::Matcher;
use tarsy_hosts::{Host, Network};
use url::Url;

/// Names that are resolved inside a cluster alone.
const OF_CLUSTER: [&str; 2] = [".svc", ".cluster.local"];

/// The proxies for requests to others.
#[derive(Clone, Debug, Default)]
pub struct Proxies(Option<Arc<Matcher>>);

impl Proxies {
    /// Those of this process's environment.
    pub fn of_environment() -> Self {
        Self(Some(Arc::new(Matcher::from_env())))
    }

    /// No proxy, whatever the environment has.
    pub const fn none() -> Self {
        Self(None)
    }

    /// The proxy of a request; none if it is made directly.
    pub fn of(&self, url: &Url) -> Option<Url> {
        let matcher = self.0.as_ref()?;
        if Host::of_url(url).is_none_or(|host| is_near(&host)) {
            return None;
        }
        let found = matcher.intercept(&url.as_str().parse().ok()?)?;
        let mut proxy = Url::parse(&found.uri().to_string()).ok()?;
        if let Some(text) = found.basic_auth().and_then(|value| credentials(value.as_bytes())) {
            let (user, password) = text.split_once(':').unwrap_or((&text, ""));
            proxy.set_username(user).ok()?;
            proxy.set_password(Some(password)).ok()?;
        }
        Some(proxy)
    }

    /// Whether a host is that of a proxy.
    pub(crate) fn is_at(&self, host: &str) -> bool {
        ["http://public.invalid", "https://public.invalid"]
            .into_iter()
            .filter_map(|url| self.of(&Url::parse(url).ok()?))
            .any(|proxy| proxy.host_str() == Some(host))
    }
}

/// Whether a host is this machine, or in its cluster or network.
fn is_near(host: &Host) -> bool {
    match host {
        Host::Address(address) => !Network::of(*address).may_be_named(false),
        Host::Name(name) => {
            host.is_loopback()
                || !name.contains('.')
                || OF_CLUSTER.iter().any(|suffix| name.ends_with(suffix))
        }
    }
}

/// The name and the password of a header for a proxy.
fn credentials(header: &[u8]) -> Option<String> {
    let encoded = header.strip_prefix(b"Basic ")?;
    String::from_utf8(STANDARD.decode(encoded).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One proxy for everything but these hosts, as `ALL_PROXY` and `NO_PROXY` name them.
    fn through(proxy: &str, no_proxy: &str) -> Proxies {
        Proxies(Some(Arc::new(Matcher::builder().all(proxy).no(no_proxy).build())))
    }

    #[test]
    fn this_machine_and_its_cluster_are_asked_directly_whatever_no_proxy_lists() {
        let proxies = through("http://proxy.corp.example:3128", "internal.example,10.0.0.0/8");
        let proxy = |url: &str| proxies.of(&Url::parse(url).unwrap()).map(String::from);
        let asked = Some("http://proxy.corp.example:3128/".to_owned());
        for outside in
            ["https://slack.com/api", "http://api.example.com:8080/x", "https://9.9.9.9/"]
        {
            assert_eq!(proxy(outside), asked, "{outside}");
        }
        for near in [
            "http://127.0.0.1:8080/",
            "http://localhost:8080/",
            "http://a.localhost/",
            "http://[::1]:8080/",
            "http://[fd00::7]/",
            "http://192.168.1.7/",
            "http://api-gateway:8080/",
            "http://llm-service.tarsy.svc:50051/",
            "https://kubernetes.default.svc.cluster.local/",
            "http://169.254.169.254/",
            "https://internal.example/",
            "https://a.internal.example/",
        ] {
            assert_eq!(proxy(near), None, "{near}");
        }
        assert_eq!(Proxies::none().of(&Url::parse("https://slack.com").unwrap()), None);
    }

    #[test]
    fn a_proxy_is_sent_the_name_and_the_password_of_its_address() {
        let proxies = through("http://us%40er:pass%3Aword@proxy.example:3128", "");
        let proxy = proxies.of(&Url::parse("https://slack.com").unwrap()).unwrap();
        assert_eq!((proxy.username(), proxy.password()), ("us%40er", Some("pass%3Aword")));
        assert!(!format!("{proxies:?}").contains("word"), "{proxies:?}");
        assert!(proxies.is_at("proxy.example") && !proxies.is_at("slack.com"));
    }
}
