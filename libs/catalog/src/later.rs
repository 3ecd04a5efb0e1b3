//! Keys that the Go implementation reads or passes over, and TARSy does not: those of its later versions, and those of another
//! transport. Each is warned of where it is written.

use crate::path::{Path, Step};

const WAY_ON: &str = "remove it, or leave it for a version that has it";

/// Keys that the Go implementation got after August 2026, wherever they stand.
const NEWER: [&str; 12] = [
    "compose",
    "compose_provider",
    "compose_backend",
    "compose_fallback_list",
    "executive_summary",
    "executive_summary_backend",
    "executive_summary_fallback_list",
    "fallback_list",
    "fallback_lists",
    "label_map",
    "label_maps",
    "prompt_caching",
];
/// The same of providers.
const NEWER_OF_PROVIDERS: [&str; 1] = ["reasoning_effort"];

/// What is said of an unknown key instead of an error, if it is one of those.
pub(crate) fn newer(path: &Path) -> Option<(&'static str, &'static str)> {
    let Some(Step::Key(key)) = path.steps().last() else { return None };
    let is_of_provider =
        matches!(path.steps().first(), Some(Step::Key(first)) if first == "llm_providers");
    let is_newer = NEWER.contains(&key.as_str())
        || is_of_provider && NEWER_OF_PROVIDERS.contains(&key.as_str());
    is_newer.then_some(("has no effect: a later version of the Go implementation has it", WAY_ON))
}

/// What is said instead of an error of a key that only another type of tool server has.
pub(crate) fn of_another_transport(path: &Path) -> Option<(&'static str, &'static str)> {
    let mut keys = path.keys();
    let is_transport = keys.next() == Some("mcp_servers") && keys.nth(1) == Some("transport");
    let way_on = "remove it, or correct `type` beside it";
    is_transport.then_some(("has no effect for a server of this type", way_on))
}
