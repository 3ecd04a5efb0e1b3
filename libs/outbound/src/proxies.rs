//! The proxies that the environment names: `HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY` and `NO_PROXY`, in either case.
//!
//! A proxy resolves the names that it is asked for, so what is checked of addresses after that is not checked here.
//! This machine and the services of its cluster are never asked through one, whatever `NO_PROXY` lists: a proxy of a company
//! reaches neither.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hyper_util::client::proxy::matcher::{Intercept, Matcher};
use reqwest::{ClientBuilder, Proxy};
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
        if let Some((user, password)) = credentials(&found) {
            proxy.set_username(&user).ok()?;
            proxy.set_password(Some(&password)).ok()?;
        }
        Some(proxy)
    }

    /// Makes a client send its requests through them, instead of what the client itself reads in the environment.
    pub fn apply(&self, builder: ClientBuilder) -> ClientBuilder {
        self.apply_where(builder, |_| true)
    }

    /// Likewise, for the addresses that are permitted to be asked through a proxy; others are asked directly.
    pub fn apply_where(
        &self,
        builder: ClientBuilder,
        permits: impl Fn(&Url) -> bool + Send + Sync + 'static,
    ) -> ClientBuilder {
        let proxies = self.clone();
        let intercept = Proxy::custom(move |url| permits(url).then(|| proxies.of(url)).flatten());
        builder.no_proxy().proxy(intercept)
    }

    /// Whether a host is that of a proxy.
    pub fn is_at(&self, host: &str) -> bool {
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

/// The name and the password that a proxy is sent, decoded.
fn credentials(found: &Intercept) -> Option<(String, String)> {
    if let Some((user, password)) = found.raw_auth() {
        return Some((user.to_owned(), password.to_owned()));
    }
    let encoded = found.basic_auth()?.as_bytes().strip_prefix(b"Basic ")?;
    let text = String::from_utf8(STANDARD.decode(encoded).ok()?).ok()?;
    let (user, password) = text.split_once(':').unwrap_or((&text, ""));
    Some((user.to_owned(), password.to_owned()))
}

#[cfg(test)]
mod tests;
