//! What a server says of its tool, if it says anything.

use rmcp::model::ToolAnnotations;

/// What a server says of a tool that it does not call read-only; none if its hints are those that the protocol assumes without
/// any, which some SDKs send for every tool.
pub(super) fn change(hints: &ToolAnnotations) -> Option<&'static str> {
    match (hints.read_only_hint, hints.destructive_hint) {
        (None, None) => None,
        _ if are_all_defaults(hints) => None,
        (_, Some(true)) => Some("its server marks it as destructive"),
        (Some(false), _) => Some("its server marks it as not read-only"),
        _ => Some("its server marks it as one that adds something"),
    }
}

/// Whether all hints are given, as the protocol assumes them without any.
pub(super) fn are_all_defaults(hints: &ToolAnnotations) -> bool {
    hints.read_only_hint == Some(false)
        && hints.destructive_hint == Some(true)
        && hints.idempotent_hint == Some(false)
        && hints.open_world_hint == Some(true)
}
