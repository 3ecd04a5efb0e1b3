//! Where stdio servers run if not as processes of the gateway.

use std::collections::BTreeMap;

use secrecy::SecretString;
use tarsy_catalog::Remote;
use url::Url;

/// Another process of the same configuration, `tarsy-mcp-gateway serve --all`, that starts the stdio servers: it has the network that
/// tool servers may have, and the gateway that of the bus.
#[derive(Clone, Debug)]
pub struct StdioHost {
    /// Such as `http://tool-servers:8080`.
    pub url: Url,
    /// What it knows the gateway by.
    pub token: Option<SecretString>,
}

impl StdioHost {
    /// The address of a server there.
    pub(super) fn remote(&self, server: &str) -> Remote {
        let mut url = self.url.clone();
        if let Ok(mut path) = url.path_segments_mut() {
            path.pop_if_empty().push("mcp").push(server);
        }
        Remote {
            url,
            bearer_token: self.token.clone(),
            verify_ssl: true,
            ca_file: None,
            timeout: None,
            custom_headers: BTreeMap::new(),
            session_cleanup_url: None,
            oauth: None,
            pooling: true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_server_has_its_path() {
        for url in ["http://tool-servers:8080", "http://tool-servers:8080/"] {
            let host = StdioHost { url: url.parse().unwrap(), token: None };
            assert_eq!(host.remote("host").url.as_str(), "http://tool-servers:8080/mcp/host");
        }
    }
}
