//! Which nodes there are, as their inspectors said.

use std::time::Duration;

use tarsy_hosts::Host;
use tokio::time::Instant;
use url::Url;

/// The most names in a message.
const SHOWN: usize = 20;

/// A node whose inspector answered.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) name: String,
    /// The address of the node itself, which is not that of its inspector; none if it does not know it.
    pub(super) address: Option<Host>,
    /// Where its inspector is.
    pub(super) url: Url,
}

/// The nodes at one moment.
pub(crate) struct Directory {
    /// By name.
    pub(super) nodes: Vec<Node>,
    pub(super) missing: Missing,
    at: Instant,
}

/// Inspectors that are there, and whose node is not known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Missing {
    /// They refused the token.
    pub(super) refused: usize,
    /// They did not answer, or with an error.
    pub(super) unanswered: usize,
    /// They do not know their node.
    pub(super) nameless: usize,
}

impl Directory {
    pub(super) fn new(nodes: Vec<Node>, missing: Missing) -> Self {
        Self { nodes, missing, at: Instant::now() }
    }

    pub(super) fn age(&self) -> Duration {
        self.at.elapsed()
    }

    /// The names, at most 20 of them, and what may be missing.
    pub(super) fn describe(&self) -> String {
        let names = names(self.nodes.iter());
        match self.missing.describe() {
            Some(missing) => format!("the nodes are: {names}; {missing}"),
            None => format!("the nodes are: {names}"),
        }
    }
}

impl Missing {
    /// For a model and an operator; none if nothing is missing.
    pub(super) fn describe(self) -> Option<String> {
        let counts = [
            (
                self.refused,
                "refused the token: HOST_INSPECTOR_NODES_TOKEN of mcp-gateway and TARSY_MCP_SERVER_TOKEN of the \
                 inspectors have to be the same",
            ),
            (self.unanswered, "did not answer"),
            (self.nameless, "did not say which node they run on (HOST_INSPECTOR_NODE_NAME)"),
        ];
        let counts = counts.iter().filter(|(count, _)| *count > 0);
        let texts: Vec<String> = counts
            .map(|(count, what)| {
                format!("{count} inspector{} {what}", if *count == 1 { "" } else { "s" })
            })
            .collect();
        (!texts.is_empty()).then(|| texts.join("; "))
    }
}

/// Names for a message, at most 20, with the count of the rest.
pub(super) fn names<'a>(nodes: impl ExactSizeIterator<Item = &'a Node>) -> String {
    let rest = nodes.len().saturating_sub(SHOWN);
    let shown: Vec<&str> = nodes.take(SHOWN).map(|node| node.name.as_str()).collect();
    let shown = shown.join(", ");
    if rest > 0 { format!("{shown} and {rest} more") } else { shown }
}
