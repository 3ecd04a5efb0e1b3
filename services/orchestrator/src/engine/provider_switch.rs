//! A fallback provider that replaces the active one, as the operations that store it.

use serde_json::json;
use tarsy_domain::event::TimelineKind;
use tarsy_llm::ProviderSwitch;
use tarsy_store::{self as store, Op};

use crate::engine::timeline::Scope;
use crate::metrics;

/// The longest reason on the timeline, in characters.
const MAX_REASON: usize = 500;

/// `since` is the sequence number of the new provider's first message; 0 for the executive summary.
pub(crate) fn ops(scope: Scope, switch: &ProviderSwitch<'_>, since: i32) -> Vec<Op> {
    let (from, to) = (switch.from.name.as_str(), switch.to.name.as_str());
    let reason: String = switch.reason().chars().take(MAX_REASON).collect();
    tracing::warn!(from, to, reason, "a fallback provider takes over");
    metrics::provider_fallback();
    let content = format!("The provider {from} could not be used: {reason}. {to} takes over.");
    let metadata = json!({ "from": from, "to": to, "reason": reason, "since": since });
    let stored =
        store::ProviderSwitch { execution_id: scope.execution, provider: to.to_owned(), since };
    vec![
        scope.event_with(TimelineKind::ProviderFallback, content, Some(metadata)),
        Op::SwitchProvider(stored),
    ]
}
