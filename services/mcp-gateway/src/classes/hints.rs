//! What a server says of its tool, if it says anything.

use rmcp::model::ToolAnnotations;

/// Whether the hints of a tool that is not read-only are those that the protocol assumes without any. Some SDKs
/// send them for every tool.
pub(super) fn are_defaults(hints: &ToolAnnotations) -> bool {
    (hints.read_only_hint, hints.destructive_hint) == (None, None) || are_all_defaults(hints)
}

/// Whether all hints are given, as the protocol assumes them without any.
pub(super) fn are_all_defaults(hints: &ToolAnnotations) -> bool {
    hints.read_only_hint == Some(false)
        && hints.destructive_hint == Some(true)
        && hints.idempotent_hint == Some(false)
        && hints.open_world_hint == Some(true)
}
