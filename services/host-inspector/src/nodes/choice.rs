//! Which node a call is for: the one of its argument, or the only one that the alert names.

use tarsy_domain::suggest::nearest;
use tarsy_hosts::Host;

use super::directory::{Directory, Node, names};
use crate::error::ToolError;

/// What a call says about its node.
#[derive(Clone, Debug)]
pub(crate) struct Wanted {
    pub(crate) node: Option<String>,
    pub(crate) alert_hosts: Vec<Host>,
}

impl Wanted {
    /// The node that is meant.
    pub(crate) fn find<'a>(&self, directory: &'a Directory) -> Result<&'a Node, ToolError> {
        if directory.nodes.is_empty() {
            return Err(nothing_known(directory));
        }
        match &self.node {
            Some(name) => named(name, directory),
            None => of_alert(&self.alert_hosts, directory),
        }
    }
}

fn nothing_known(directory: &Directory) -> ToolError {
    let missing = directory.missing.describe();
    let missing = missing.unwrap_or_else(|| "HOST_INSPECTOR_NODES has no address".to_owned());
    ToolError::failed(
        format!("no inspector of a node can be reached: {missing}"),
        "call again; if it fails again, report that the nodes could not be inspected",
    )
}

fn named<'a>(name: &str, directory: &'a Directory) -> Result<&'a Node, ToolError> {
    let matching = host(name).map(|host| matching(&host, directory)).unwrap_or_default();
    match matching.as_slice() {
        [node] => Ok(node),
        [] => {
            let known = directory.nodes.iter().map(|node| node.name.as_str());
            let hint = nearest(name, known);
            let hint = hint.map(|near| format!("did you mean {near}? ")).unwrap_or_default();
            Err(ToolError::not_found(
                format!("no inspector runs on a node {name:?}; {}", directory.describe()),
                format!("{hint}write the name or the address of one of the nodes"),
            ))
        }
        several => Err(ToolError::invalid(
            format!(
                "{name:?} is the short name of several nodes: {}",
                names(several.iter().copied())
            ),
            "write the whole name",
        )),
    }
}

fn of_alert<'a>(hosts: &[Host], directory: &'a Directory) -> Result<&'a Node, ToolError> {
    let mut found: Vec<&Node> = hosts.iter().flat_map(|host| matching(host, directory)).collect();
    found.sort_by(|one, other| one.name.cmp(&other.name));
    found.dedup_by(|one, other| one.name == other.name);
    let fix = "name one with the argument node; the node of a pod is in its status";
    match found.as_slice() {
        [node] => Ok(node),
        [] => Err(ToolError::invalid(
            format!(
                "the alert names no node, and the argument node is missing; {}",
                directory.describe()
            ),
            fix,
        )),
        several => Err(ToolError::invalid(
            format!(
                "the alert names several nodes, and the argument node is missing: {}",
                names(several.iter().copied())
            ),
            fix,
        )),
    }
}

/// A name, or an address, with or without a port.
fn host(text: &str) -> Option<Host> {
    let text = text.trim();
    Host::parse(text).or_else(|| Host::of_address(&format!("http://{text}")))
}

/// The nodes of this name or address; without one, those whose name begins with it up to a dot.
fn matching<'a>(wanted: &Host, directory: &'a Directory) -> Vec<&'a Node> {
    let is_exact = |node: &&Node| {
        node.address.as_ref() == Some(wanted) || Host::parse(&node.name).as_ref() == Some(wanted)
    };
    let exact: Vec<&Node> = directory.nodes.iter().filter(is_exact).collect();
    let Host::Name(short) = wanted else { return exact };
    if !exact.is_empty() {
        return exact;
    }
    let is_short = |node: &&Node| {
        let first = node.name.split_once('.').map(|(first, _)| first);
        first.is_some_and(|first| first.eq_ignore_ascii_case(short))
    };
    directory.nodes.iter().filter(is_short).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::super::directory::Missing;
    use super::*;

    fn directory(nodes: &[(&str, &str)]) -> Directory {
        let node = |(name, address): &(&str, &str)| Node {
            name: (*name).to_owned(),
            address: Host::parse(address),
            url: "http://10.1.0.1:18080/mcp".parse().expect("a URL"),
        };
        Directory::new(nodes.iter().map(node).collect(), Missing::default())
    }

    fn cluster() -> Directory {
        directory(&[
            ("db-1.eu.example.com", "10.0.0.3"),
            ("db-1.us.example.com", "10.0.0.4"),
            ("web-1.example.com", "10.0.0.1"),
            ("web-2", "10.0.0.2"),
        ])
    }

    fn found(node: Option<&str>, alert: &[&str]) -> Result<String, Value> {
        let alert_hosts = alert.iter().filter_map(|text| Host::parse(text)).collect();
        let wanted = Wanted { node: node.map(str::to_owned), alert_hosts };
        let cluster = cluster();
        wanted.find(&cluster).map(|node| node.name.clone()).map_err(|error| error.to_json())
    }

    #[test]
    fn an_argument_is_a_name_a_short_name_or_an_address() {
        for (text, name) in [
            ("web-1.example.com", "web-1.example.com"),
            ("WEB-1.example.com.", "web-1.example.com"),
            (" web-1 ", "web-1.example.com"),
            ("web-1:9100", "web-1.example.com"),
            ("10.0.0.1", "web-1.example.com"),
            ("10.0.0.2:9100", "web-2"),
            ("[::ffff:10.0.0.2]:9100", "web-2"),
            ("db-1.us.example.com", "db-1.us.example.com"),
        ] {
            // The alert does not matter then.
            assert_eq!(found(Some(text), &["10.0.0.4"]), Ok(name.to_owned()), "{text}");
        }
    }

    #[test]
    fn a_short_name_of_several_nodes_is_no_choice() {
        let error = found(Some("db-1"), &[]).expect_err("several").to_string();
        assert!(error.contains("db-1.eu.example.com, db-1.us.example.com"), "{error}");
        assert!(error.contains("whole name") && !error.contains("web-2"), "{error}");
    }

    #[test]
    fn a_node_without_an_inspector_is_named_with_those_that_have_one() {
        for (text, near) in [("wbe-2", "did you mean web-2?"), ("10.0.0.9", "10.0.0.9")] {
            let error = found(Some(text), &["web-2"]).expect_err(text);
            assert_eq!(error["error"]["kind"], "not_found");
            let error = error.to_string();
            assert!(error.contains("no inspector runs") && error.contains(near), "{error}");
            assert!(error.contains("db-1.eu.example.com"), "{error}");
        }
        for text in ["", "*", "http://web-2", "web-3.web-2"] {
            assert!(found(Some(text), &["web-2"]).is_err(), "{text}");
        }
    }

    #[test]
    fn the_one_node_that_the_alert_names_is_meant() {
        for alert in [&["web-2"][..], &["shop.example", "10.0.0.2"], &["web-2", "10.0.0.2"]] {
            assert_eq!(found(None, alert), Ok("web-2".to_owned()), "{alert:?}");
        }
        assert_eq!(found(None, &["web-1"]), Ok("web-1.example.com".to_owned()));
        for (alert, words) in [
            (&[][..], "names no node"),
            (&["shop.example"], "names no node"),
            (&["web-2", "10.0.0.1"], "several nodes"),
            (&["db-1"], "several nodes"),
        ] {
            let error = found(None, alert).expect_err("no choice").to_string();
            assert!(error.contains(words) && error.contains("argument node"), "{alert:?}: {error}");
        }
    }

    #[test]
    fn at_most_twenty_names_are_listed_with_the_count_of_the_rest() {
        let all: Vec<String> = (0..57).map(|number| format!("node-{number:02}")).collect();
        let nodes: Vec<(&str, &str)> = all.iter().map(|name| (name.as_str(), "")).collect();
        let missing = Missing { refused: 1, unanswered: 2, nameless: 0 };
        let text = Directory::new(directory(&nodes).nodes, missing);
        let text = text.describe();
        assert!(text.contains("node-19 and 37 more") && !text.contains("node-20"), "{text}");
        assert!(text.contains("1 inspector refused the token"), "{text}");
        assert!(
            text.contains("2 inspectors did not answer") && !text.contains("NODE_NAME"),
            "{text}"
        );
    }

    #[test]
    fn without_any_node_the_reason_is_reported() {
        let wanted = Wanted { node: Some("web-1".to_owned()), alert_hosts: Vec::new() };
        let missing = Missing { refused: 3, unanswered: 0, nameless: 0 };
        for (missing, word) in
            [(missing, "HOST_INSPECTOR_NODES_TOKEN"), (Missing::default(), "no address")]
        {
            let error = wanted.find(&Directory::new(Vec::new(), missing)).expect_err("none");
            assert!(error.to_string().contains(word), "{error}");
        }
    }
}
