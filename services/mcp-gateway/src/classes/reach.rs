//! Whether a tool reaches addresses that its arguments name.

use rmcp::model::{JsonObject, ToolAnnotations};
use serde_json::Value;
use tarsy_catalog::ToolPolicy;
use tarsy_contracts::mcp::ToolReach;
use tarsy_effects::{ends_with_word, find_word};

use super::hints::are_all_defaults;
use crate::policy;

/// Words in the names of tools that reach an address which the caller chooses.
const TOOLS: &str = "browse browser crawl curl dig dns download fetch goto http https navigate \
    nslookup ping probe scrape screenshot traceroute url urls visit wget whois";
/// Last words of the names of parameters that hold such an address.
const ADDRESSES: &str = "href link links uri uris url urls webhook website";
/// The same for parameters that hold a host to connect to if there is a port beside it, or the tool's name is about
/// connections. Alone, they often name an object of the tool's own system.
const HOSTS: &str = "address domain fqdn host hostname hostnames hosts ip server";
/// Last words of further parameters that hold a host, of a tool that reaches any.
const TARGETS: &str = "addr broker brokers destination proxy servers target targets";
const PORT: &str = "port";
/// Words in the names of tools that connect to the host that a parameter names.
const CONNECTS: &str =
    "cert certificate connect port ports resolve scan socket ssl tcp telnet tls udp";

/// What a tool reaches, and why it is any host: by the operator's lists, what its server says, or the words in its name
/// and those of its parameters. A server that says that its tool reaches nothing else opens nothing by that.
pub(super) fn reach(
    policy: &ToolPolicy,
    name: &str,
    hints: &ToolAnnotations,
    schema: &JsonObject,
) -> (ToolReach, String) {
    let any_host = |reason| (ToolReach::AnyHost, reason);
    if let Some(glob) = policy::matching(&policy.reaches_any_host, name) {
        return any_host(format!("policy.reaches_any_host has '{glob}'"));
    }
    if policy::matching(&policy.reaches_own_system, name).is_some() {
        return (ToolReach::OwnSystem, String::new());
    }
    if hints.open_world_hint == Some(true) && !are_all_defaults(hints) {
        return any_host("its server says so".to_owned());
    }
    if let Some(word) = find_word(name, TOOLS) {
        return any_host(format!("its name has the word '{word}'"));
    }
    let parameters = || schema.get("properties").and_then(Value::as_object).into_iter().flatten();
    let connects = find_word(name, CONNECTS).is_some()
        || parameters().any(|(name, _)| ends_with_word(name, PORT));
    let address = parameters().find(|(name, property)| {
        is_address(name, property) || (connects && ends_with_word(name, HOSTS))
    });
    match address {
        Some((name, _)) => any_host(format!("it has the parameter '{name}'")),
        None => (ToolReach::Unstated, String::new()),
    }
}

/// Whether a parameter holds an address: by its format, or by the last word of its name. A number or a switch does not.
fn is_address(name: &str, property: &Value) -> bool {
    let kind = property.get("type").and_then(Value::as_str);
    if matches!(kind, Some("boolean" | "integer" | "number")) {
        return false;
    }
    let format = property.get("format").and_then(Value::as_str);
    matches!(format, Some("uri" | "url" | "iri" | "hostname" | "uri-reference"))
        || ends_with_word(name, ADDRESSES)
}

/// Whether the name of a parameter says that its value is an address or a host.
pub(crate) fn names_address(parameter: &str) -> bool {
    [ADDRESSES, HOSTS, TARGETS].iter().any(|known| ends_with_word(parameter, known))
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tarsy_catalog::{Catalog, Env};

    use super::*;

    fn schema(parameters: &[&str]) -> JsonObject {
        let properties = parameters.iter().map(|name| ((*name).to_owned(), json!({})));
        JsonObject::from_iter([("properties".to_owned(), Value::Object(properties.collect()))])
    }

    fn reading(name: &str, parameters: &[&str]) -> ToolReach {
        let hints = ToolAnnotations::new();
        reach(&ToolPolicy::default(), name, &hints, &schema(parameters)).0
    }

    #[test]
    fn tools_that_take_addresses_reach_any_host_without_a_word_of_their_servers() {
        for (name, parameters) in [
            ("fetch", &[][..]),
            ("browser_navigate", &[]),
            ("dnsLookup", &["name"]),
            ("get_page", &["url"]),
            ("check", &["targetHost", "port"]),
            ("check_tls", &["hostname"]),
            ("tcp_connect", &["server"]),
            ("notify", &["slack_webhook"]),
        ] {
            assert_eq!(reading(name, parameters), ToolReach::AnyHost, "{name}");
        }
    }

    #[test]
    fn tools_of_a_cluster_or_a_database_are_not() {
        for (name, parameters) in [
            ("pods_list", &["namespace", "labelSelector"][..]),
            ("pods_log", &["name", "namespace", "container", "tail"]),
            ("resources_get", &["apiVersion", "kind", "name", "namespace"]),
            ("nodes_stats_summary", &["name"]),
            ("events_list", &["namespace"]),
            ("query_range", &["query", "start", "end", "step"]),
            ("execute_sql", &["sql"]),
            ("search_logs", &["query", "hostCount"]),
            ("host_metrics", &["host", "period"]),
            ("get_certificate", &["name", "namespace"]),
        ] {
            assert_eq!(reading(name, parameters), ToolReach::Unstated, "{name}");
        }
        let counted = json!({"properties": {"urls": {"type": "integer"}}});
        let hints = ToolAnnotations::new();
        let counted = counted.as_object().unwrap();
        let found = reach(&ToolPolicy::default(), "stats", &hints, counted);
        assert_eq!(found.0, ToolReach::Unstated);
    }

    #[test]
    fn the_operators_lists_come_first_and_then_the_server() {
        let policy = ToolPolicy {
            reaches_any_host: vec!["sneaky_*".to_owned()],
            reaches_own_system: vec!["*_status".to_owned()],
            ..ToolPolicy::default()
        };
        let mut hints = ToolAnnotations::new();
        let found =
            |name, hints: &ToolAnnotations| reach(&policy, name, hints, &schema(&["url"])).0;
        hints.open_world_hint = Some(false);
        assert_eq!(found("sneaky_status", &hints), ToolReach::AnyHost);
        assert_eq!(found("url_status", &hints), ToolReach::OwnSystem);
        for name in ["fetch", "get_state"] {
            assert_eq!(found(name, &hints), ToolReach::AnyHost, "a hint opens no address: {name}");
        }
        let pods = reach(&policy, "pods_list", &hints, &schema(&["namespace"])).0;
        assert_eq!(pods, ToolReach::Unstated);
        hints.open_world_hint = Some(true);
        assert_eq!(found("url_status", &hints), ToolReach::OwnSystem);
        assert_eq!(found("pods", &hints), ToolReach::AnyHost);
    }

    #[test]
    fn the_built_in_server_of_kubernetes_reaches_the_cluster_alone() {
        let catalog = Catalog::builtin(&Env::empty()).unwrap();
        let policy = &catalog.servers["kubernetes-server"].policy;
        // What kubernetes-mcp-server says of each of its tools.
        let mut hints = ToolAnnotations::new();
        (hints.read_only_hint, hints.open_world_hint) = (Some(true), Some(true));
        for name in ["pods_list_in_namespace", "events_list", "resources_get", "pods_log"] {
            let found = reach(policy, name, &hints, &schema(&["namespace", "name"])).0;
            assert_eq!(found, ToolReach::OwnSystem, "{name}");
        }
    }

    #[test]
    fn hints_that_are_the_defaults_of_the_protocol_count_as_none() {
        let mut defaults = ToolAnnotations::new();
        (defaults.read_only_hint, defaults.destructive_hint) = (Some(false), Some(true));
        (defaults.idempotent_hint, defaults.open_world_hint) = (Some(false), Some(true));
        let found = |name| reach(&ToolPolicy::default(), name, &defaults, &JsonObject::new()).0;
        assert_eq!(found("pods_list"), ToolReach::Unstated);
        assert_eq!(found("fetch"), ToolReach::AnyHost);
    }
}
