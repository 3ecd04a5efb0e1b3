//! What the built-in host inspector gets beside the arguments of a call, and what one of them means.

use std::borrow::Cow;

use rmcp::model::RequestMetaObject;
use serde_json::{Map, Value, json};
use tarsy_catalog::{Endpoint, HOST_INSPECTOR_COMMAND, McpServer};
use tarsy_contracts::mcp::Caller;

use crate::allowed_hosts::{AllowedHosts, Resolution};

/// Where the inspector finds the hosts that a call may reach because the operator lists them.
const HOSTS_KEY: &str = "tarsy/hosts";
/// The same for those that the alert names.
const HOSTS_OF_ALERT_KEY: &str = "tarsy/hosts_of_alert";
/// Where it finds the hosts that the alert names, by which it chooses a node.
const ALERT_HOSTS_KEY: &str = "tarsy/alert_hosts";
/// The argument by which it chooses a node.
const NODE: &str = "node";

/// The `_meta` of a call; none for other servers, which have no business with the hosts of an alert.
pub(crate) fn meta(
    server: &McpServer,
    allowed: &AllowedHosts,
    caller: &Caller,
) -> Option<RequestMetaObject> {
    is_host_inspector(server).then(|| {
        let mut meta = RequestMetaObject::default();
        meta.insert(HOSTS_KEY.to_owned(), json!(allowed.listed()));
        meta.insert(HOSTS_OF_ALERT_KEY.to_owned(), json!(allowed.of_alert()));
        if let Caller::Model { alert_hosts } = caller
            && !alert_hosts.is_empty()
        {
            meta.insert(ALERT_HOSTS_KEY.to_owned(), json!(alert_hosts));
        }
        meta
    })
}

/// The arguments that may name hosts to reach. A node is none: it only chooses among the inspectors that the operator has
/// configured.
pub(crate) fn checked<'a>(
    server: &McpServer,
    arguments: &'a Map<String, Value>,
) -> Cow<'a, Map<String, Value>> {
    if !is_host_inspector(server) || !arguments.contains_key(NODE) {
        return Cow::Borrowed(arguments);
    }
    let mut arguments = arguments.clone();
    arguments.remove(NODE);
    Cow::Owned(arguments)
}

/// The inspector connects by itself, to what it has checked; another server resolves names as it likes.
pub(crate) fn resolution(server: &McpServer) -> Resolution {
    if is_host_inspector(server) { Resolution::AtServer } else { Resolution::Here }
}

/// Whether a server is the built-in inspector, which is started as a subprocess.
pub(crate) fn is_host_inspector(server: &McpServer) -> bool {
    matches!(
        &server.transport.endpoint,
        Endpoint::Stdio(child) if child.command == HOST_INSPECTOR_COMMAND
    )
}

#[cfg(test)]
mod tests {
    use tarsy_catalog::{Catalog, Env, Source, Sources};
    use tarsy_contracts::mcp::{Tool, ToolReach, ToolTerms};

    use super::*;
    use crate::allowed_hosts::Approval;

    fn server(id: &str) -> McpServer {
        let text = "mcp_servers:\n  other:\n    transport: {type: stdio, command: other}\n";
        let source = Source { name: "tarsy.yaml".to_owned(), text: text.to_owned() };
        let sources = Sources { tarsy: Some(source), ..Sources::default() };
        let env = Env::empty().without_llm_credentials().without_slack_token();
        Catalog::load(sources, &env).unwrap().servers[id].clone()
    }

    fn probe() -> Tool {
        Tool {
            server: "host".to_owned(),
            name: "http_probe".to_owned(),
            description: String::new(),
            input_schema: json!({}),
            read_only: true,
            idempotent: true,
            terms: ToolTerms { reach: ToolReach::AnyHost, ..ToolTerms::default() },
        }
    }

    #[test]
    fn the_hosts_of_the_alert_go_to_the_inspector_alone() {
        let caller = Caller::Model { alert_hosts: vec!["web-1".to_owned()] };
        let (host, other) = (server("host"), server("other"));
        let allowed = AllowedHosts::of(&host.policy, &caller, Approval::None);
        let sent = meta(&host, &allowed, &caller).unwrap();
        let expected = json!({
            "tarsy/hosts": [], "tarsy/hosts_of_alert": ["web-1"], "tarsy/alert_hosts": ["web-1"],
        });
        assert_eq!(json!(sent), expected);
        assert!(meta(&other, &allowed, &caller).is_none());
        for caller in [Caller::Person, Caller::default()] {
            let sent = meta(&host, &allowed, &caller).unwrap();
            assert!(!sent.contains_key(ALERT_HOSTS_KEY), "{caller:?}");
        }
    }

    #[tokio::test]
    async fn a_node_is_no_host_that_is_reached() {
        let (host, other, caller) = (server("host"), server("other"), Caller::default());
        let allowed = AllowedHosts::of(&host.policy, &caller, Approval::None);
        let refusal = async |server: &McpServer, arguments: &Value| {
            let checked = checked(server, arguments.as_object().unwrap());
            allowed.refusal(&probe(), &checked, resolution(server)).await
        };
        let evil = json!({"node": "web-1.example.com", "url": "http://evil.example/"});
        assert!(refusal(&host, &evil).await.unwrap().contains("evil.example"));
        let node = refusal(&host, &json!({"node": "web-1.example.com"})).await.unwrap();
        assert!(node.contains("no host that can be checked"), "{node}");
        let node = refusal(&other, &json!({"node": "web-1.example.com"})).await.unwrap();
        assert!(node.contains("web-1.example.com"), "{node}");
    }
}
