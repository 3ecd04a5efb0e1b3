//! What of a conversation and of a tool output fits into the context window of a summary's model.

use std::fmt::Write as _;

use tarsy_domain::event::Role;
use tarsy_store::Message;
use tarsy_tokens::{count, cut, cut_front, ends};

/// `cut` and `cut_front` take tokens and count this many bytes for each.
const BYTES_PER_TOKEN: usize = 4;

/// What the providers of a summary accept, in tokens.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PromptLimits {
    pub(crate) request: usize,
    /// Of a tool output.
    pub(crate) output: usize,
}

#[derive(Clone, Debug)]
pub(super) struct Fitted {
    pub(super) conversation: String,
    pub(super) output: String,
    /// The end of the output is missing.
    pub(super) was_cut: bool,
}

/// A conversation without its system prompt, as text.
struct Excerpt {
    /// An alert stands at its beginning, a question at its end.
    task: String,
    rest: String,
}

/// The conversation and the output, cut until they have at most this many tokens together. If not both fit, three
/// quarters are for the output.
pub(super) fn fit(conversation: &[Message], output: &str, limits: PromptLimits) -> Fitted {
    let excerpt = Excerpt::of(conversation);
    let shortened = cut(output, limits.output);
    let mut was_cut = shortened.is_some();
    let mut output = shortened.unwrap_or_else(|| output.to_owned());
    // No token is shorter than a byte.
    if excerpt.len() + output.len() <= limits.request {
        return Fitted { conversation: excerpt.whole(), output, was_cut };
    }
    let (of_output, of_excerpt) = (count(&output), count(&excerpt.task) + count(&excerpt.rest));
    let most = limits.request.saturating_sub(of_excerpt).max(limits.request / 4 * 3);
    if of_output > most
        && let Some(shorter) = cut_bytes(&output, output.len() * most / of_output)
    {
        (output, was_cut) = (shorter, true);
    }
    let left = limits.request.saturating_sub(of_output.min(most));
    let conversation = if of_excerpt > left {
        excerpt.cut(excerpt.len() * left / of_excerpt)
    } else {
        excerpt.whole()
    };
    Fitted { conversation, output, was_cut }
}

impl Excerpt {
    fn of(conversation: &[Message]) -> Self {
        let mut messages = conversation.iter().filter(|message| message.role != Role::System);
        let task = messages.next().map(|message| message.content.trim().to_owned());
        let mut rest = String::new();
        for message in messages {
            let _ = writeln!(rest, "\n{}: {}", author(message), message.content.trim());
            if let Some(calls) = &message.tool_calls {
                let _ = writeln!(rest, "calls: {calls}");
            }
        }
        Self { task: task.unwrap_or_default(), rest }
    }

    fn len(&self) -> usize {
        self.task.len() + self.rest.len()
    }

    fn whole(&self) -> String {
        format!("The task: {}\n{}", self.task, self.rest).trim_end().to_owned()
    }

    /// At most about this many bytes: the beginning and the end of the task, and the newest part of the rest.
    fn cut(&self, bytes: usize) -> String {
        let of_task = bytes.saturating_sub(self.rest.len()).max(bytes / 2);
        let task = match ends(&self.task, of_task) {
            Some((head, tail)) => {
                let shown = head.len() + tail.len();
                format!("{head}\n[cut here: {shown} of {} bytes shown]\n{tail}", self.task.len())
            }
            None => self.task.clone(),
        };
        let of_rest = bytes.saturating_sub(task.len());
        let rest = cut_front(&self.rest, of_rest / BYTES_PER_TOKEN);
        Self { task, rest: rest.unwrap_or_else(|| self.rest.clone()) }.whole()
    }
}

/// Who wrote a message. Models without function calls receive observations from the user.
fn author(message: &Message) -> String {
    match (message.role, message.call_number) {
        (Role::Assistant, _) => "The investigator".to_owned(),
        (_, Some(number)) => format!("Observation of [call {number}]"),
        (Role::Tool, None) => "Observation".to_owned(),
        (Role::User | Role::System, None) => "Instruction".to_owned(),
    }
}

fn cut_bytes(text: &str, bytes: usize) -> Option<String> {
    cut(text, bytes / BYTES_PER_TOKEN)
}
