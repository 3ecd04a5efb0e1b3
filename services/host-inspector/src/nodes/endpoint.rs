//! A configured URL, each address of which is an inspector.

use std::time::Duration;

use anyhow::{Context as _, ensure};
use tokio::time::timeout;
use url::Url;

use crate::resolve::resolve;

/// How long a host name may take to resolve.
const RESOLVE: Duration = Duration::from_secs(2);

/// A URL such as `http://host-inspectors.tarsy-hosts.svc:18080/mcp`.
pub(super) struct Endpoint(Url);

impl Endpoint {
    pub(super) fn parse(text: &str) -> anyhow::Result<Self> {
        let example =
            "write URLs such as http://host-inspectors.tarsy-hosts.svc:18080/mcp, comma-separated";
        let url = Url::parse(text).with_context(|| format!("{text:?} is no URL; {example}"))?;
        // The text may hold a password.
        ensure!(
            url.username().is_empty() && url.password().is_none() && url.query().is_none(),
            "a URL has a user name, a password or a query; the token goes into HOST_INSPECTOR_NODES_TOKEN"
        );
        // An address of many is called by its number, for which there is no certificate.
        ensure!(url.scheme() == "http" && url.has_host(), "{text:?} is no URL of http; {example}");
        Ok(Self(url))
    }

    /// The URL with each address of its host name in place of the name; empty if it has none now.
    pub(super) async fn addresses(&self) -> Vec<Url> {
        let resolved = match timeout(RESOLVE, resolve(&self.0)).await {
            Ok(Ok(resolved)) => resolved,
            Ok(Err(error)) => {
                tracing::warn!(url = %self.0, %error, "the inspectors of nodes have no address");
                Vec::new()
            }
            Err(_) => {
                tracing::warn!(url = %self.0, "the name of the inspectors of nodes did not resolve in time");
                Vec::new()
            }
        };
        let with_address = |address: std::net::SocketAddr| {
            let mut url = self.0.clone();
            url.set_ip_host(address.ip()).is_ok().then_some(url)
        };
        resolved.into_iter().filter_map(with_address).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_url_of_inspectors_is_refused_without_its_password() {
        assert!(Endpoint::parse("http://inspectors.hosts.svc:18080/mcp").is_ok());
        for (text, word) in [
            ("inspectors:18080", "no URL of http"),
            ("no url", "is no URL"),
            ("https://inspectors/mcp", "no URL of http"),
            ("http://u:hunter2@inspectors/mcp", "HOST_INSPECTOR_NODES_TOKEN"),
            ("http://inspectors/mcp?token=hunter2", "HOST_INSPECTOR_NODES_TOKEN"),
        ] {
            let error = Endpoint::parse(text).err().expect(text).to_string();
            assert!(error.contains(word) && !error.contains("hunter2"), "{text}: {error}");
        }
    }

    #[tokio::test]
    async fn each_address_of_a_name_is_one_inspector() {
        let endpoint = Endpoint::parse("http://[::1]:18080/mcp").expect("a URL");
        let urls: Vec<String> = endpoint.addresses().await.iter().map(Url::to_string).collect();
        assert_eq!(urls, ["http://[::1]:18080/mcp"]);
        let endpoint = Endpoint::parse("http://localhost:18080/mcp").expect("a URL");
        let found = endpoint.addresses().await;
        assert!(found.iter().any(|url| url.as_str() == "http://127.0.0.1:18080/mcp"), "{found:?}");
        let endpoint = Endpoint::parse("http://no-such-name.invalid:18080/mcp").expect("a URL");
        assert!(endpoint.addresses().await.is_empty());
    }
}
