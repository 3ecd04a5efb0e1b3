//! A file and the places of everything in it.

use std::collections::BTreeSet;

use crate::env::Env;
use crate::path::{Path, Step};
use crate::yaml::{Kind, Node, Place};

/// A file and the places of everything in it.
#[derive(Debug)]
pub(crate) struct Doc {
    pub(crate) file: String,
    pub(crate) root: Node,
}

impl Doc {
    /// The place of a value; of the nearest thing around it when it is not written.
    pub(crate) fn place(&self, path: &Path) -> Place {
        self.nearest(path).0.place
    }

    /// The place of a key; of its value when the key has none of its own.
    pub(crate) fn key_place(&self, path: &Path) -> Place {
        let (Some(parent), Some(Step::Key(key))) = (path.parent(), path.steps().last()) else {
            return self.place(path);
        };
        let entries = self.nearest(&parent).0.entries();
        entries
            .iter()
            .find(|entry| entry.key == *key)
            .map_or_else(|| self.place(path), |entry| entry.place)
    }

    /// The text that was written here.
    pub(crate) fn text(&self, path: &Path) -> Option<&str> {
        match self.nearest(path) {
            (Node { kind: Kind::Scalar { text, .. }, .. }, true) => Some(text),
            _ => None,
        }
    }

    /// Whether a text was written here.
    pub(crate) fn has_text(&self, path: &Path) -> bool {
        let (node, found) = self.nearest(path);
        found && matches!(node.kind, Kind::Scalar { .. }) && !node.is_null()
    }

    /// The places of values that name variables which services with this environment need not have.
    pub(crate) fn open_variables(&self, env: &Env) -> BTreeSet<(usize, usize)> {
        let mut places = BTreeSet::new();
        if !env.checks_tool_secrets() {
            let servers = self.root.get("mcp_servers").map(Node::entries).unwrap_or_default();
            let transports = servers.iter().filter_map(|server| server.value.get("transport"));
            transports.for_each(|transport| transport.variables(&mut places));
        }
        if !env.checks_slack_token() {
            let receivers = [
                ("notifications", "destinations"),
                ("system", "slack"),
                ("system", "mattermost"),
                ("system", "teams"),
            ];
            let receivers =
                receivers.into_iter().filter_map(|(outer, key)| self.root.get(outer)?.get(key));
            receivers.for_each(|receiver| receiver.variables(&mut places));
        }
        places
    }

    /// The value at a path, or the nearest one around it; and whether it is the former.
    fn nearest(&self, path: &Path) -> (&Node, bool) {
        let mut node = &self.root;
        for step in path.steps() {
            let next = match (step, &node.kind) {
                (Step::Key(key), Kind::Map(_)) => node.get(key),
                (Step::Index(index), Kind::List(items)) => items.get(*index),
                _ => None,
            };
            match next {
                Some(next) => node = next,
                None => return (node, false),
            }
        }
        (node, true)
    }
}
