//! The records of several agents, for the model that joins their findings.

use minijinja::context;
use tarsy_domain::event::TimelineKind;
use tarsy_store::{Execution, HistoryEvent};

use crate::limits::MAX_SHOWN_TOKENS;
use crate::prompts::fence::{fenced, line};
use crate::prompts::history::agent_history;

/// An estimate, for texts whose tokens are not counted yet.
pub(super) const BYTES_PER_TOKEN: usize = 4;
/// The least of each tool result, in tokens. If that is too much in all, the oldest are left out.
const MIN_RESULT_TOKENS: usize = 200;

/// One agent's work on a stage.
#[derive(Clone, Debug)]
pub(crate) struct Investigation {
    pub(crate) execution: Execution,
    /// Its timeline, in order.
    pub(crate) events: Vec<HistoryEvent>,
}

/// The record of each agent; together they have at most this many bytes.
pub(super) fn records(investigations: &[Investigation], max_bytes: usize) -> Vec<String> {
    let result_tokens = result_share(investigations, max_bytes);
    let record = |one: &Investigation, max| agent_history(&one.events, result_tokens, max);
    let whole: Vec<String> = investigations.iter().map(|one| record(one, usize::MAX)).collect();
    let lengths: Vec<usize> = whole.iter().map(String::len).collect();
    let max = fair_length(&lengths, max_bytes);
    let bounded = investigations.iter().zip(whole);
    bounded.map(|(one, text)| if text.len() > max { record(one, max) } else { text }).collect()
}

/// The tokens of each tool result, so that all of them take three quarters of the bytes.
fn result_share(investigations: &[Investigation], max_bytes: usize) -> usize {
    let events = investigations.iter().flat_map(|one| &one.events);
    let calls = events.filter(|one| one.event.kind == TimelineKind::LlmToolCall).count();
    let tokens = max_bytes / 4 * 3 / BYTES_PER_TOKEN;
    (tokens / calls.max(1)).clamp(MIN_RESULT_TOKENS, MAX_SHOWN_TOKENS)
}

/// The length to which the longest texts are cut so that all of them fit; short texts leave their
/// share to the others.
pub(crate) fn fair_length(lengths: &[usize], max_bytes: usize) -> usize {
    let mut sorted = lengths.to_vec();
    sorted.sort_unstable();
    let mut left = max_bytes;
    for (at, length) in sorted.iter().enumerate() {
        let fair = left / (sorted.len() - at);
        if *length > fair {
            return fair;
        }
        left -= length;
    }
    usize::MAX
}

/// One agent's investigation, with its record.
pub(super) fn agent_record((one, record): (&Investigation, &String)) -> minijinja::Value {
    context! {
        name => one.execution.agent_name.clone(),
        strategy => one.execution.iteration_strategy.clone(),
        provider => one.execution.llm_provider.clone(),
        status => one.execution.status.as_str(),
        error => one.execution.error_message.as_deref().map(line),
        record => fenced(record),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_records_leave_their_share_to_the_others() {
        assert_eq!(fair_length(&[], 10), usize::MAX);
        assert_eq!(fair_length(&[10, 20, 30], 60), usize::MAX);
        assert_eq!(fair_length(&[10, 20, 30], 50), 20);
        assert_eq!(fair_length(&[100, 5, 100], 105), 50);
        assert_eq!(fair_length(&[100, 100], 0), 0);
    }
}
