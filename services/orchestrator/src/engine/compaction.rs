//! Shortens a conversation until its request fits the provider's context window.
//!
//! The oldest results lose their middle first. If that is not enough, the oldest turns are left out with their
//! results, and what is new is cut last. The first messages, the newest turn, and the pairs of calls and results
//! stay. Each step makes more space than it must, in the order in which the conversation grew: the requests
//! of the turns that follow begin with the same messages, which a provider's cache then recognizes.

use tarsy_catalog::ResolvedProvider;
use tarsy_contracts::trace::Compaction;
use tarsy_domain::event::Role;
use tarsy_llm::{Message, Prompt, ToolDefinition};

use crate::prompts;

/// What stays of an old result, in bytes: its call, and the lines at its beginning and end.
const SHORT_RESULT: usize = 800;
/// What vendors add to each message, such as its role and ids, in tokens.
const MESSAGE_TOKENS: usize = 8;
/// What the note on omitted messages takes, in tokens.
const NOTE_TOKENS: usize = 100;
/// Bytes of provider state that count as one token.
const STATE_BYTES: usize = 4;

/// The messages of a request to this provider. A resumed session sends the same: nothing else has influence.
pub(crate) fn compact(
    messages: &[Message],
    tools: &[ToolDefinition],
    provider: &ResolvedProvider,
) -> Prompt {
    let limit = provider.max_request_tokens().saturating_sub(NOTE_TOKENS);
    let least = |message: &Message| bytes(message) + MESSAGE_TOKENS;
    // No token is shorter than a byte.
    let fits = tools.iter().map(definition_bytes).chain(messages.iter().map(least)).sum::<usize>()
        <= limit;
    if fits {
        return Prompt { messages: messages.to_vec(), compaction: None };
    }
    let mut window = Window::new(messages, tools, limit);
    let whole = window.tokens(messages.len());
    window.make_space();
    window.prompt(whole)
}

/// A message as it is sent.
struct Part<'a> {
    message: &'a Message,
    /// Replaces its content.
    short: Option<String>,
    tokens: usize,
}

/// A conversation, and how much of it is sent.
struct Window<'a> {
    /// In tokens.
    limit: usize,
    tools: usize,
    parts: Vec<Part<'a>>,
    /// The model's first turn; system prompt and task stand before it.
    first: usize,
    /// The messages from `first` to here are left out.
    omitted_to: usize,
    /// The results before this one are short.
    shortened_to: usize,
}

impl<'a> Window<'a> {
    fn new(messages: &'a [Message], tools: &[ToolDefinition], limit: usize) -> Self {
        let part = |message| Part { message, short: None, tokens: tokens(message, None) };
        let parts: Vec<Part<'_>> = messages.iter().map(part).collect();
        let is_turn = |part: &Part<'_>| part.message.role == Role::Assistant;
        let first = parts.iter().position(is_turn).unwrap_or(parts.len());
        let tools = tools.iter().map(definition_tokens).sum();
        Self { limit, tools, parts, first, omitted_to: first, shortened_to: first }
    }

    /// The tokens of the request that ends before this message.
    fn tokens(&self, end: usize) -> usize {
        self.tools + self.sum(0, self.first) + self.sum(self.omitted_to, end)
    }

    fn sum(&self, from: usize, to: usize) -> usize {
        self.parts.get(from..to).unwrap_or_default().iter().map(|part| part.tokens).sum()
    }

    /// Repeats what every earlier request needed, then what the one that is to be sent needs.
    fn make_space(&mut self) {
        let end = self.parts.len();
        for at in self.first + 1..end {
            if self.is_turn(at) {
                self.make_space_until(at);
            }
        }
        self.make_space_until(end);
        if self.tokens(end) > self.limit {
            self.cut_task();
            self.cut_newest();
        }
    }

    fn make_space_until(&mut self, end: usize) {
        // The more, the longer the beginning of the requests stays as it is.
        let target = self.limit / 4 * 3;
        if self.tokens(end) <= self.limit {
            return;
        }
        let newest = self.last_turn(end);
        while self.shortened_to < newest && self.tokens(end) > target {
            self.shorten(self.shortened_to, SHORT_RESULT);
            self.shortened_to += 1;
        }
        if self.least_tokens(newest, end) <= self.limit {
            return;
        }
        while self.omitted_to < newest && self.least_tokens(newest, end) > target {
            self.omitted_to = self.next_turn(self.omitted_to).min(newest);
        }
    }

    /// What would be left if the task and the newest results were cut, too.
    fn least_tokens(&self, newest: usize, end: usize) -> usize {
        let half = self.limit / 2;
        let task = self.sum(0, self.first).min(half);
        let new = self.sum(newest, end).min(half);
        self.tools + task + self.sum(self.omitted_to, newest) + new
    }

    /// Cuts the task to half of the request, or to what the rest leaves.
    fn cut_task(&mut self) {
        let Some(task) = self.first.checked_sub(1) else { return };
        let tokens = self.parts.get(task).map_or(0, |part| part.tokens);
        let others = self.tokens(self.parts.len()) - tokens;
        self.cut(task, self.limit.saturating_sub(others).max(self.limit / 2));
    }

    /// Cuts the newest results, so that all of them fit; short ones stay whole.
    fn cut_newest(&mut self) {
        let end = self.parts.len();
        let over = |window: &Self| window.tokens(end).saturating_sub(window.limit);
        if over(self) == 0 {
            return;
        }
        let results: Vec<usize> = (self.last_turn(end)..end)
            .filter(|at| *at >= self.first && !self.is_turn(*at))
            .collect();
        let lengths: Vec<usize> =
            results.iter().filter_map(|at| self.parts.get(*at)).map(|part| part.tokens).collect();
        let available = lengths.iter().sum::<usize>().saturating_sub(over(self));
        let most = prompts::fair_length(&lengths, available);
        for at in results {
            self.cut(at, most);
        }
    }

    /// Cuts a message to this many tokens, but not below the length of an old result.
    fn cut(&mut self, at: usize, most: usize) {
        let Some(part) = self.parts.get(at).filter(|part| part.tokens > most) else { return };
        let bytes = part.message.content.len() * most / part.tokens.max(1);
        // The note takes some of it.
        self.shorten(at, bytes.saturating_sub(SHORT_RESULT / 2).max(SHORT_RESULT));
    }

    /// Replaces a result by its beginning and end. What the model wrote stays as it is.
    fn shorten(&mut self, at: usize, bytes: usize) {
        let Some(part) = self.parts.get_mut(at) else { return };
        let message = part.message;
        if message.role == Role::Assistant {
            return;
        }
        let Some(short) = prompts::shortened(&message.content, message.call_number, bytes) else {
            return;
        };
        if short.len() < message.content.len() {
            part.tokens = tokens(message, Some(&short));
            part.short = Some(short);
        }
    }

    fn is_turn(&self, at: usize) -> bool {
        self.parts.get(at).is_some_and(|part| part.message.role == Role::Assistant)
    }

    /// Where the last turn before this message begins; there, if there is none.
    fn last_turn(&self, end: usize) -> usize {
        (self.first..end).rev().find(|at| self.is_turn(*at)).unwrap_or(end)
    }

    fn next_turn(&self, after: usize) -> usize {
        (after + 1..self.parts.len()).find(|at| self.is_turn(*at)).unwrap_or(self.parts.len())
    }

    fn prompt(self, whole: usize) -> Prompt {
        let omitted = self.omitted_to - self.first;
        let left_out = self.parts.get(self.first..self.omitted_to).unwrap_or_default();
        let calls: Vec<i64> = left_out.iter().filter_map(|part| part.message.call_number).collect();
        let (first, omitted_to) = (self.first, self.omitted_to);
        let is_sent = |at: usize| at < first || at >= omitted_to;
        let sent = self.parts.into_iter().enumerate().filter(|(at, _)| is_sent(*at));
        let (mut messages, mut shortened) = (Vec::new(), 0);
        for (at, part) in sent {
            let mut message = part.message.clone();
            if let Some(short) = part.short {
                (message.content, message.tokens) = (short, None);
                shortened += 1;
            }
            if omitted > 0 && at + 1 == first {
                message.content = prompts::note_omitted(&message.content, omitted, &calls);
                message.tokens = None;
            }
            messages.push(message);
        }
        let compaction = (omitted > 0 || shortened > 0).then(|| Compaction {
            shortened_messages: shortened,
            omitted_messages: i32::try_from(omitted).unwrap_or(i32::MAX),
            whole_tokens: i64::try_from(whole).unwrap_or(i64::MAX),
        });
        Prompt { messages, compaction }
    }
}

fn bytes(message: &Message) -> usize {
    let calls = message.tool_calls.iter().map(|call| call.name.len() + call.arguments.len());
    let state = message.provider_state.as_ref().map_or(0, Vec::len);
    message.content.len() + calls.sum::<usize>() + state
}

/// The tokens of a message, with this text instead of its own if there is one.
fn tokens(message: &Message, short: Option<&str>) -> usize {
    let counted = short.map_or_else(
        || message.counted_tokens(),
        |short| tarsy_tokens::count(short) + message.call_tokens(),
    );
    let state = message.provider_state.as_ref().map_or(0, Vec::len) / STATE_BYTES;
    counted + state + MESSAGE_TOKENS
}

fn definition_bytes(tool: &ToolDefinition) -> usize {
    tool.name.len() + tool.description.len() + tool.parameters_schema.len() + MESSAGE_TOKENS
}

fn definition_tokens(tool: &ToolDefinition) -> usize {
    let texts = [&tool.name, &tool.description, &tool.parameters_schema];
    texts.into_iter().map(|text| tarsy_tokens::count(text)).sum::<usize>() + MESSAGE_TOKENS
}

#[cfg(test)]
mod tests;
