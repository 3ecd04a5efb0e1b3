//! What becomes of an answer that was still being written when its time was up: the agent goes on from it, concludes, or
//! ends with what it has.

use std::time::Duration;

use tarsy_domain::claim::ConclusionCause;
use tarsy_llm::{Attempt, End, FailedAttempt, Failure, Message, TimeoutKind};
use tarsy_store::Op;

use crate::engine::conversation::Conversation;
use crate::prompts::Prompts;

/// How often an agent may go on from what came of an answer; the next time it must conclude.
const MAX_CONTINUATIONS: usize = 2;

/// Whether a turn can be followed by another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LastWords {
    /// The agent can go on.
    No,
    /// It is to conclude.
    Conclusion,
    /// It is to correct its conclusion, of which a part is worth less than the first one.
    Correction,
}

pub(super) fn last_words(conversation: &Conversation) -> LastWords {
    if conversation.is_repair_requested() {
        LastWords::Correction
    } else if conversation.is_conclusion_requested() {
        LastWords::Conclusion
    } else {
        LastWords::No
    }
}

/// The end of a call; an answer that was cut and of which nothing can be used failed.
pub(super) fn usable<E>(end: End<'_, E>, last_words: LastWords) -> End<'_, E> {
    match end {
        End::Answered(attempt) => match attempt.cut {
            Some(kind) if !is_usable(&attempt, last_words) => {
                let failure = Failure::Timeout(kind);
                End::Failed { last: FailedAttempt { attempt, failure }, times: 1 }
            }
            _ => End::Answered(attempt),
        },
        end => end,
    }
}

fn is_usable(attempt: &Attempt<'_>, last_words: LastWords) -> bool {
    match last_words {
        LastWords::No => true,
        LastWords::Conclusion => !attempt.text.trim().is_empty(),
        LastWords::Correction => false,
    }
}

/// Stores what came of an answer, and asks to go on from it, or after some times to conclude. `message` has no calls.
pub(super) fn go_on(
    conversation: &mut Conversation,
    prompts: &Prompts,
    (message, reasoning): (Message, &str),
    limit: TimeoutKind,
) -> Vec<Op> {
    let limit: Duration = match limit {
        TimeoutKind::FirstToken(limit) | TimeoutKind::Idle(limit) | TimeoutKind::Total(limit) => {
            limit
        }
    };
    let is_written = !message.content.trim().is_empty();
    let mut ops = Vec::new();
    if is_written {
        ops.push(conversation.append(message));
    }
    if conversation.continuations() < MAX_CONTINUATIONS {
        let text = prompts.go_on(limit, (!is_written).then_some(reasoning));
        ops.push(conversation.request_continuation(text));
    } else {
        let text = prompts.slow_conclusion(limit);
        ops.extend(conversation.request_conclusion(ConclusionCause::Time, text));
    }
    ops
}
