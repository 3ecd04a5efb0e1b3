//! What the caller may set: the folders whose logs can be read, the hosts that probes may reach, and the nodes of a
//! cluster.

use secrecy::SecretString;

/// The variable that replaces the default list of readable logs.
const LOG_PATHS: &str = "HOST_INSPECTOR_LOG_PATHS";
/// The variable with the hosts that every call may reach.
const HOSTS: &str = "HOST_INSPECTOR_HOSTS";
/// The variable with the name of the node that this inspector runs on.
const NODE_NAME: &str = "HOST_INSPECTOR_NODE_NAME";
/// The variable with the URLs of the inspectors of nodes.
pub(crate) const NODES: &str = "HOST_INSPECTOR_NODES";
/// The variable with their token.
pub(crate) const NODES_TOKEN: &str = "HOST_INSPECTOR_NODES_TOKEN";

/// The settings of the inspector.
#[derive(Clone, Debug)]
pub struct Options {
    /// Absolute patterns of readable log files; `*` stays within a folder, `**` goes below it.
    pub log_paths: Vec<String>,
    /// Hosts that every call may reach, beside those that come with a call: names, `*.example.com`, addresses,
    /// networks, `*`.
    pub hosts: Vec<String>,
    /// The name of this node, which results state; none where there is one machine only.
    pub node: Option<String>,
    /// Calls go to these inspectors instead of this machine.
    pub nodes: Option<NodesOptions>,
}

/// The inspectors of the nodes of a cluster.
#[derive(Clone, Debug)]
pub struct NodesOptions {
    /// URLs of `http`; every address of a host name is the inspector of one node.
    pub urls: Vec<String>,
    /// The bearer token of all of them; none if they require none.
    pub token: Option<SecretString>,
}

impl Default for Options {
    fn default() -> Self {
        let log_paths = vec!["/var/log/**".to_owned()];
        Self { log_paths, hosts: Vec::new(), node: None, nodes: None }
    }
}

impl Options {
    /// Reads `HOST_INSPECTOR_LOG_PATHS` (colon-separated patterns), `HOST_INSPECTOR_HOSTS` (comma-separated),
    /// `HOST_INSPECTOR_NODE_NAME`, `HOST_INSPECTOR_NODES` (comma-separated) and `HOST_INSPECTOR_NODES_TOKEN`; without
    /// them, the default.
    #[expect(
        clippy::disallowed_methods,
        reason = "this program stands alone, outside the service shell"
    )]
    pub fn from_env() -> Self {
        Self::read(|name| std::env::var(name).ok())
    }

    fn read(variable: impl Fn(&str) -> Option<String>) -> Self {
        let list = |name, divider| variable(name).map(|text| parts(&text, divider));
        let word = |name| variable(name).map(|text| text.trim().to_owned());
        let token = word(NODES_TOKEN).filter(|token| !token.is_empty()).map(SecretString::from);
        let urls = list(NODES, ',').filter(|urls| !urls.is_empty());
        let default = Self::default();
        Self {
            log_paths: list(LOG_PATHS, ':')
                .filter(|paths| !paths.is_empty())
                .unwrap_or(default.log_paths),
            hosts: list(HOSTS, ',').unwrap_or_default(),
            node: word(NODE_NAME).filter(|name| !name.is_empty()),
            nodes: urls.map(|urls| NodesOptions { urls, token }),
        }
    }
}

fn parts(text: &str, divider: char) -> Vec<String> {
    text.split(divider).map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use secrecy::ExposeSecret as _;

    use super::*;

    fn read(variables: &[(&str, &str)]) -> Options {
        Options::read(|name| {
            let found = variables.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn a_colon_separated_list_becomes_patterns_and_an_empty_one_the_default() {
        let options = read(&[(LOG_PATHS, "/var/log/**: /srv/app/*.log :")]);
        assert_eq!(options.log_paths, ["/var/log/**", "/srv/app/*.log"]);
        for empty in [&[(LOG_PATHS, " : ")][..], &[]] {
            assert_eq!(read(empty).log_paths, ["/var/log/**"]);
        }
    }

    #[test]
    fn nodes_are_urls_with_a_token_that_is_not_printed() {
        let urls = "http://a.svc:18080/mcp, http://b.svc:18080/mcp";
        let options = read(&[(NODES, urls), (NODES_TOKEN, "of-the-nodes\n"), (NODE_NAME, " n-1 ")]);
        assert!(!format!("{options:?}").contains("of-the-nodes"));
        assert_eq!(options.node.as_deref(), Some("n-1"));
        let nodes = options.nodes.expect("nodes");
        assert_eq!(nodes.urls, ["http://a.svc:18080/mcp", "http://b.svc:18080/mcp"]);
        let token = nodes.token.expect("a token");
        assert_eq!(token.expose_secret(), "of-the-nodes");
        assert!(read(&[(NODES, " , "), (NODES_TOKEN, "t"), (NODE_NAME, "")]).nodes.is_none());
    }
}
