//! What several agents did, for the model that joins their findings.

use tarsy_domain::event::TimelineKind;
use tarsy_store::{Execution, TimelineEvent};

use crate::engine::text::STORED_TOKENS;

/// A result keeps at least so many tokens, however many there are.
const LEAST_TOKENS: usize = 200;

/// One agent's work on a stage.
#[derive(Clone, Debug)]
pub(crate) struct Investigation {
    /// The agent, and how it ended.
    pub(crate) execution: Execution,
    /// All that it put on the timeline.
    pub(crate) events: Vec<TimelineEvent>,
}

/// How long each result of these investigations may be, so that all of them fit into so many tokens.
pub(super) fn share(investigations: &[Investigation], tokens: usize) -> usize {
    let events = investigations.iter().flat_map(|one| &one.events);
    let calls = events.filter(|event| event.kind == TimelineKind::LlmToolCall).count();
    (tokens / calls.max(1)).clamp(LEAST_TOKENS, STORED_TOKENS)
}
