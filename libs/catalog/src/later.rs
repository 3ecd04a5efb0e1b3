//! Keys of the Go implementation that are read and checked, and have no effect yet. Each is warned of where it is written.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::check::Check;
use crate::path::Path;
use crate::rule::{AgentName, As, Between, Each, ProviderName, ServerName};
use crate::strategy::LlmBackend;
use crate::yaml::{Kind, Node};

const NO_SCORES: &str = "has no effect yet: sessions are not scored";
const NO_REFLECTOR: &str = "has no effect: memories are made of reviews, not by a model";
const WAY_ON: &str = "remove it, or leave it for a version that has it";

/// Keys without an effect, `*` for any key or entry, and what is said of them.
const LATER: [(&[&str], &str); 4] = [
    (&["queue", "scoring_shutdown_timeout"], NO_SCORES),
    (&["defaults", "scoring"], NO_SCORES),
    (&["defaults", "memory", "reflector_memory_limit"], NO_REFLECTOR),
    (&["agent_chains", "*", "scoring"], NO_SCORES),
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

/// How finished sessions are scored.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Scoring {
    /// Without effect yet: whether they are scored
    pub enabled: bool,
    /// Without effect yet: the agent that scores
    #[serde(with = "As::<AgentName>")]
    pub agent: Option<String>,
    /// Without effect yet
    pub llm_backend: Option<LlmBackend>,
    /// Without effect yet
    #[serde(with = "As::<ProviderName>")]
    pub llm_provider: Option<String>,
    /// Without effect yet
    #[serde(with = "Each::<ServerName>")]
    pub mcp_servers: Option<Vec<String>>,
    /// Without effect yet
    #[serde(with = "As::<Between<1, 1000>>")]
    pub max_iterations: Option<u32>,
}
