//! Keys of the Go implementation that are read and checked, and have no effect, or none yet. Each is warned of where it is
//! written.

use crate::check::Check;
use crate::path::Path;
use crate::yaml::{Kind, Node};

const NO_TOOLS: &str =
    "has no effect: who judges reads the record, answers twice and calls no tools";
const NO_REFLECTOR: &str = "has no effect: memories are made of reviews, not by a model";
const WAY_ON: &str = "remove it, or leave it for a version that has it";

/// Keys without an effect, `*` for any key or entry, and what is said of them.
const LATER: [(&[&str], &str); 5] = [
    (&["defaults", "scoring", "mcp_servers"], NO_TOOLS),
    (&["defaults", "scoring", "max_iterations"], NO_TOOLS),
    (&["defaults", "memory", "reflector_memory_limit"], NO_REFLECTOR),
    (&["agent_chains", "*", "scoring", "mcp_servers"], NO_TOOLS),
    (&["agent_chains", "*", "scoring", "max_iterations"], NO_TOOLS),
];

/// Warns of each key of a file that has no effect yet.
pub(crate) fn warn(check: &mut Check<'_>) {
    let root = &check.doc.root;
    for (pattern, message) in LATER {
        for path in matching(root, pattern, &Path::root()) {
            check.warning(&path, message, WAY_ON);
        }
    }
}

/// The paths of what is written at a pattern.
fn matching(node: &Node, pattern: &[&str], at: &Path) -> Vec<Path> {
    let Some((step, rest)) = pattern.split_first() else {
        return if node.is_null() { Vec::new() } else { vec![at.clone()] };
    };
    let below: Vec<(Path, &Node)> = match &node.kind {
        Kind::Scalar { .. } => Vec::new(),
        Kind::List(items) => {
            let any = items.iter().enumerate().filter(|_| *step == "*");
            any.map(|(index, item)| (at.index(index), item)).collect()
        }
        Kind::Map(entries) => {
            let named = entries.iter().filter(|entry| *step == "*" || entry.key == *step);
            named.map(|entry| (at.key(&entry.key), &entry.value)).collect()
        }
    };
    below.into_iter().flat_map(|(path, node)| matching(node, rest, &path)).collect()
}
