//! An agent's conversation with its model, as it is stored.

use tarsy_domain::event::Role;
use tarsy_domain::id::{ExecutionId, MessageId, StageId};
use tarsy_llm::{Message, ToolCall};
use tarsy_store::{Message as Stored, NewMessage, Op};

use crate::engine::react::{self, Step};

/// A conversation that grows only at its end.
#[derive(Clone, Debug)]
pub(crate) struct Conversation {
    stage: StageId,
    execution: ExecutionId,
    messages: Vec<Entry>,
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
        Self { stage, execution, messages }
    }

    /// Whether nothing was said yet.
    pub(crate) fn is_empty(&self) -> bool {
        self.messages.is_empty()
    }

    /// What a model is given.
    pub(crate) fn messages(&self) -> Vec<Message> {
        let mut ordered: Vec<&Entry> = self.messages.iter().collect();
        ordered.sort_by_key(|entry| entry.sequence);
        ordered.into_iter().map(|entry| entry.message.clone()).collect()
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
    pub(crate) fn step(&self, max_iterations: u32) -> Option<Step> {
        let mut ordered: Vec<&Entry> = self.messages.iter().collect();
        ordered.sort_by_key(|entry| entry.sequence);
        let last = ordered.last().filter(|entry| entry.message.role == Role::Assistant)?.sequence;
        let spoken = ordered.iter().filter(|entry| entry.message.role == Role::Assistant);
        let said: Vec<&str> = spoken.map(|entry| entry.message.content.as_str()).collect();
        react::step(&said, last, max_iterations)
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
        let id = MessageId::fresh();
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
        Conversation::stored(StageId::fresh(), ExecutionId::fresh(), Vec::new())
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
