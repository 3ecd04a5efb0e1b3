//! What several agents did, for the model that joins their findings.

use tarsy_domain::event::TimelineKind;
use tarsy_store::{Execution, TimelineEvent};

use crate::engine::history;
use crate::engine::text::STORED_TOKENS;
use crate::prompts::BYTES_PER_TOKEN;

/// A result keeps at least so many tokens, however many there are; if that is too much in all, the
/// oldest go.
const LEAST_TOKENS: usize = 200;

/// One agent's work on a stage.
#[derive(Clone, Debug)]
pub(crate) struct Investigation {
    /// The agent, and how it ended.
    pub(crate) execution: Execution,
    /// All that it put on the timeline.
    pub(crate) events: Vec<TimelineEvent>,
}

/// What each of these agents did; all of it together takes at most so many bytes.
pub(super) fn records(investigations: &[Investigation], room: usize) -> Vec<String> {
    let longest = share(investigations, room);
    let told = |room| move |one: &Investigation| history::of_agent(&one.events, longest, room);
    let whole: Vec<String> = investigations.iter().map(told(usize::MAX)).collect();
    let lengths: Vec<usize> = whole.iter().map(String::len).collect();
    let fair = level(&lengths, room);
    let bounded = investigations.iter().zip(whole);
    bounded.map(|(one, text)| if text.len() > fair { told(fair)(one) } else { text }).collect()
}

/// How long each result of these investigations may be, in tokens, so that all of them fit into three
/// quarters of the room.
fn share(investigations: &[Investigation], room: usize) -> usize {
    let events = investigations.iter().flat_map(|one| &one.events);
    let calls = events.filter(|event| event.kind == TimelineKind::LlmToolCall).count();
    let tokens = room / 4 * 3 / BYTES_PER_TOKEN;
    (tokens / calls.max(1)).clamp(LEAST_TOKENS, STORED_TOKENS)
}

/// The length to which the longest texts are cut so that all of them fit: who says little leaves room
/// to the others.
fn level(lengths: &[usize], room: usize) -> usize {
    let mut sorted = lengths.to_vec();
    sorted.sort_unstable();
    let mut left = room;
    for (at, length) in sorted.iter().enumerate() {
        let fair = left / (sorted.len() - at);
        if *length > fair {
            return fair;
        }
        left -= length;
    }
    usize::MAX
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_says_little_leaves_room_to_the_others() {
        assert_eq!(level(&[], 10), usize::MAX);
        assert_eq!(level(&[10, 20, 30], 60), usize::MAX);
        assert_eq!(level(&[10, 20, 30], 50), 20);
        assert_eq!(level(&[100, 5, 100], 105), 50);
        assert_eq!(level(&[100, 100], 0), 0);
    }
}
