//! An agent's conversation with its model, as it is stored.

use tarsy_catalog::{ResolvedAgent, ResolvedProvider};
use tarsy_domain::event::Role;
use tarsy_domain::id::{ExecutionId, MessageId, StageId};
use tarsy_llm::{Message, ToolCall};
use tarsy_store::{Execution, Message as Stored, NewMessage, Op};

use crate::engine::react::{self, Step};

/// A conversation that grows only at its end.
#[derive(Clone, Debug)]
pub(crate) struct Conversation {
    stage: StageId,
    execution: ExecutionId,
    messages: Vec<Entry>,
    voice: ActiveProvider,
    /// The conclusion was requested; nothing but the answer to that follows.
    closing: bool,
}

/// Which of an agent's providers speaks, and since which place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ActiveProvider {
    /// 0 for the agent's own, then those that take over, in order.
    pub(crate) provider: usize,
    /// What was said before this place has no meaning for it but its words.
    pub(crate) since: i32,
}

#[derive(Clone, Debug)]
struct Entry {
    id: MessageId,
    sequence: i32,
    message: Message,
}

impl Conversation {
    /// The conversation that was stored, in its order.
    pub(crate) fn stored(stage: StageId, execution: ExecutionId, stored: Vec<Stored>) -> Self {
        let messages = stored
            .into_iter()
            .map(|row| Entry { id: row.id, sequence: row.sequence_number, message: decode(row) })
            .collect();
        Self { stage, execution, messages, voice: ActiveProvider::default(), closing: false }
    }

    /// Continues with the state of an earlier owner's execution: the active provider, and whether the conclusion was
    /// requested.
    pub(crate) fn resume(&mut self, spec: &ResolvedAgent, execution: &Execution) {
        self.closing = execution.closing_at.is_some();
        let active = execution.active_provider.as_deref();
        let fallback = spec.fallbacks.iter().position(|one| Some(one.name.as_str()) == active);
        if let Some(at) = fallback {
            let since = execution.active_provider_since;
            self.voice = ActiveProvider { provider: at + 1, since };
        }
    }

    /// The provider that speaks.
    pub(crate) fn provider<'a>(&self, spec: &'a ResolvedAgent) -> &'a ResolvedProvider {
        let at = self.voice.provider.checked_sub(1);
        at.and_then(|at| spec.fallbacks.get(at)).unwrap_or(&spec.provider)
    }

    /// The provider that takes over when this one cannot be used.
    pub(crate) fn next_provider<'a>(
        &self,
        spec: &'a ResolvedAgent,
    ) -> Option<&'a ResolvedProvider> {
        spec.fallbacks.get(self.voice.provider)
    }

    /// The next provider takes over from here on.
    pub(crate) fn take_over(&mut self) -> ActiveProvider {
        self.voice = ActiveProvider { provider: self.voice.provider + 1, since: self.next_place() };
        self.voice
    }

    /// Asks for the conclusion: the operation that stores it.
    pub(crate) fn close(&mut self, text: String) -> Op {
        self.closing = true;
        self.say(Message::new(Role::User, text))
    }

    /// Whether the conclusion was asked for.
    pub(crate) fn is_closing(&self) -> bool {
        self.closing
    }

    /// Whether nothing was said yet.
    pub(crate) fn is_empty(&self) -> bool {
        self.messages.is_empty()
    }

    /// What a model is given.
    pub(crate) fn messages(&self) -> Vec<Message> {
        let mut ordered: Vec<&Entry> = self.messages.iter().collect();
        ordered.sort_by_key(|entry| entry.sequence);
        let mut messages = Vec::with_capacity(ordered.len());
        for entry in ordered {
            let mut message = entry.message.clone();
            if entry.sequence < self.voice.since {
                // What one provider wants back means nothing to another.
                message.provider_state = None;
            }
            messages.push(message);
        }
        messages
    }

    /// The last message.
    pub(crate) fn last_id(&self) -> Option<MessageId> {
        self.messages.iter().max_by_key(|entry| entry.sequence).map(|entry| entry.id)
    }

    /// How often the model has spoken.
    pub(crate) fn turns(&self) -> usize {
        self.messages.iter().filter(|entry| entry.message.role == Role::Assistant).count()
    }

    /// The model's last words, when nobody has spoken after them but tools.
    pub(crate) fn open_turn(&self) -> Option<OpenTurn> {
        let last = self
            .messages
            .iter()
            .filter(|entry| entry.message.role != Role::Tool)
            .max_by_key(|entry| entry.sequence)?;
        if last.message.role != Role::Assistant {
            return None;
        }
        let calls = (last.sequence + 1..).zip(last.message.tool_calls.clone());
        let unanswered = calls
            .filter(|(sequence, _)| !self.messages.iter().any(|one| one.sequence == *sequence))
            .collect();
        Some(OpenTurn {
            content: last.message.content.clone(),
            has_calls: !last.message.tool_calls.is_empty(),
            unanswered,
        })
    }

    /// What the model's last words come to, when it calls tools by text and nobody has answered.
    pub(crate) fn step(&self) -> Option<Step> {
        let mut ordered: Vec<&Entry> = self.messages.iter().collect();
        ordered.sort_by_key(|entry| entry.sequence);
        let last = ordered.last().filter(|entry| entry.message.role == Role::Assistant)?.sequence;
        let spoken = ordered.iter().filter(|entry| entry.message.role == Role::Assistant);
        let said: Vec<&str> = spoken.map(|entry| entry.message.content.as_str()).collect();
        react::step(&said, last, self.closing)
    }

    /// The place after all that was said.
    pub(crate) fn next_place(&self) -> i32 {
        self.messages.iter().map(|entry| entry.sequence).max().map_or(0, |last| last + 1)
    }

    /// Says the next thing: the operation that stores it.
    pub(crate) fn say(&mut self, message: Message) -> Op {
        self.say_at(self.next_place(), message)
    }

    /// Says something at a place that was kept for it: the answer to a call.
    pub(crate) fn say_at(&mut self, sequence: i32, message: Message) -> Op {
        let id = MessageId::new();
        let op = encode(self.stage, self.execution, id, sequence, &message);
        self.messages.push(Entry { id, sequence, message });
        op
    }

    /// Whether a call of this id was asked for before.
    pub(crate) fn knows_call(&self, id: &str) -> bool {
        self.messages.iter().flat_map(|entry| &entry.message.tool_calls).any(|call| call.id == id)
    }
}

/// What the model said last, and which of its calls still lack an answer.
#[derive(Clone, Debug)]
pub(crate) struct OpenTurn {
    /// Its text.
    pub(crate) content: String,
    /// It asked for calls.
    pub(crate) has_calls: bool,
    /// Calls without an answer, each with the place that is kept for it.
    pub(crate) unanswered: Vec<(i32, ToolCall)>,
}

fn decode(row: Stored) -> Message {
    let tool_calls =
        row.tool_calls.and_then(|calls| serde_json::from_value(calls).ok()).unwrap_or_default();
    Message {
        role: row.role,
        content: row.content,
        tool_calls,
        tool_call_id: row.tool_call_id,
        tool_name: row.tool_name,
        provider_state: row.provider_state,
    }
}

fn encode(
    stage: StageId,
    execution: ExecutionId,
    id: MessageId,
    sequence: i32,
    message: &Message,
) -> Op {
    let tool_calls = if message.tool_calls.is_empty() {
        None
    } else {
        serde_json::to_value(&message.tool_calls).ok()
    };
    Op::AppendMessage(NewMessage {
        id,
        stage_id: stage,
        execution_id: execution,
        sequence_number: sequence,
        role: message.role,
        content: message.content.clone(),
        tool_calls,
        tool_call_id: message.tool_call_id.clone(),
        tool_name: message.tool_name.clone(),
        provider_state: message.provider_state.clone(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(id: &str) -> ToolCall {
        ToolCall { id: id.to_owned(), name: "host.uptime".to_owned(), arguments: "{}".to_owned() }
    }

    fn conversation() -> Conversation {
        Conversation::stored(StageId::new(), ExecutionId::new(), Vec::new())
    }

    fn answer(id: &str) -> Message {
        Message { tool_call_id: Some(id.to_owned()), ..Message::new(Role::Tool, id) }
    }

    #[test]
    fn a_question_without_an_answer_is_no_open_turn() {
        let mut talk = conversation();
        assert!(talk.is_empty());
        talk.say(Message::new(Role::System, "be brief"));
        talk.say(Message::new(Role::User, "what is wrong?"));
        assert!(talk.open_turn().is_none());
        assert_eq!(talk.turns(), 0);
    }

    #[test]
    fn a_provider_that_takes_over_is_not_given_what_the_other_wanted_back() {
        let mut talk = conversation();
        talk.say(Message::new(Role::User, "what is wrong?"));
        let state = || Some(vec![1, 2, 3]);
        talk.say(Message { provider_state: state(), ..Message::new(Role::Assistant, "hm") });
        assert_eq!(talk.messages()[1].provider_state, state());
        assert_eq!(talk.take_over(), ActiveProvider { provider: 1, since: 2 });
        talk.say(Message { provider_state: state(), ..Message::new(Role::Assistant, "ah") });
        let states: Vec<_> = talk.messages().into_iter().map(|one| one.provider_state).collect();
        assert_eq!(states, [None, None, state()]);
    }

    #[test]
    fn an_answer_to_the_request_for_a_conclusion_is_the_conclusion() {
        let mut talk = conversation();
        talk.say(Message::new(Role::User, "conclude"));
        assert!(!talk.is_closing());
        talk.close("conclude now".to_owned());
        assert!(talk.is_closing());
        talk.say(Message::new(Role::Assistant, "Action: look"));
        assert_eq!(talk.step(), Some(Step::Conclusion("Action: look".to_owned())));
    }

    #[test]
    fn answers_take_the_places_of_their_calls_whatever_comes_first() {
        let mut talk = conversation();
        talk.say(Message::new(Role::User, "what is wrong?"));
        let calls = vec![call("a"), call("b"), call("c")];
        talk.say(Message { tool_calls: calls, ..Message::new(Role::Assistant, "looking") });
        let open = talk.open_turn().unwrap().unanswered;
        assert_eq!(
            open.iter().map(|(at, call)| (*at, call.id.as_str())).collect::<Vec<_>>(),
            [(2, "a"), (3, "b"), (4, "c")]
        );
        talk.say_at(4, answer("c"));
        talk.say_at(2, answer("a"));
        let open = talk.open_turn().unwrap().unanswered;
        assert_eq!(open.len(), 1);
        assert_eq!(open[0].0, 3);
        talk.say_at(3, answer("b"));
        let said: Vec<String> = talk.messages().into_iter().map(|one| one.content).collect();
        assert_eq!(said, ["what is wrong?", "looking", "a", "b", "c"]);
        assert!(talk.open_turn().unwrap().unanswered.is_empty());
        assert!(talk.knows_call("b") && !talk.knows_call("d"));
    }
}
