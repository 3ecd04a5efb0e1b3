//! An agent's conversation with its model, as it is stored.

mod gathered;
mod gathering;
mod given;

use tarsy_catalog::{ResolvedAgent, ResolvedProvider};
use tarsy_domain::claim::ConclusionCause;
use tarsy_domain::event::Role;
use tarsy_domain::id::{ExecutionId, MessageId, StageId};
use tarsy_llm::{Message, ToolCall};
use tarsy_store::{ConclusionRequest, Execution, Message as Stored, NewMessage, Op};

use crate::engine::continued::joined;
use crate::engine::conversation::gathered::{ANALYST, Gathered};

/// A conversation that grows only at its end.
#[derive(Clone, Debug)]
pub(crate) struct Conversation {
    stage: StageId,
    execution: ExecutionId,
    entries: Vec<Entry>,
    provider: ActiveProvider,
    conclusion_requested: bool,
    repair_requested: bool,
    look_requested: bool,
    gathering: Option<Gathered>,
}

/// Which of an agent's providers is called.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ActiveProvider {
    /// 0 for the agent's own, then its fallbacks in order.
    pub(crate) index: usize,
    /// The first sequence number of its turns. Earlier messages are sent without provider state.
    pub(crate) since: i32,
}

/// A call that the model requested and that has no result yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PendingCall {
    /// The sequence number that is reserved for the result.
    pub(crate) sequence: i32,
    pub(crate) call: ToolCall,
}

/// The model's last message, if only tool results follow it.
#[derive(Clone, Debug)]
pub(crate) struct LastTurn {
    pub(crate) content: String,
    pub(crate) has_calls: bool,
    /// In the order in which the model requested them.
    pub(crate) pending: Vec<PendingCall>,
}

/// The texts of a model that has no function calls.
#[derive(Clone, Debug)]
pub(crate) struct OpenTexts {
    pub(crate) texts: Vec<String>,
    /// The sequence number of the last one.
    pub(crate) last: i32,
    /// If the conclusion is requested: how many of the last ones answer the request.
    pub(crate) conclusions: usize,
}

#[derive(Clone, Debug)]
struct Entry {
    id: MessageId,
    sequence: i32,
    message: Message,
    alerts_until: Option<i64>,
    /// Whether it asks to go on from what came of an answer whose time was up.
    continues: bool,
    /// The dispatched execution whose result it gives.
    sub_execution: Option<ExecutionId>,
}

impl Conversation {
    /// The conversation as it was stored, in its order.
    pub(crate) fn from_stored(stage: StageId, execution: ExecutionId, stored: Vec<Stored>) -> Self {
        let entries = stored
            .into_iter()
            .map(|row| Entry {
                id: row.id,
                sequence: row.sequence_number,
                alerts_until: row.alerts_until,
                continues: row.continues,
                sub_execution: row.sub_execution_id,
                message: decode(row),
            })
            .collect();
        let provider = ActiveProvider::default();
        Self {
            stage,
            execution,
            entries,
            provider,
            conclusion_requested: false,
            repair_requested: false,
            look_requested: false,
            gathering: None,
        }
    }

    /// Continues with the state of the stored execution: its active provider, and whether the
    /// conclusion is requested.
    pub(crate) fn resume(&mut self, spec: &ResolvedAgent, execution: &Execution) {
        self.conclusion_requested = execution.closing_at.is_some();
        self.repair_requested = execution.repair_requested_at.is_some();
        self.look_requested = execution.look_requested_at.is_some();
        self.gathering = Gathered::of(execution);
        let active = execution.active_provider.as_deref();
        let fallback = spec.fallbacks.iter().position(|one| Some(one.name.as_str()) == active);
        if let Some(at) = fallback {
            let since = execution.active_provider_since;
            self.provider = ActiveProvider { index: at + 1, since };
        }
    }

    pub(crate) fn provider<'a>(&self, spec: &'a ResolvedAgent) -> &'a ResolvedProvider {
        if self.is_gathering() {
            return &ANALYST;
        }
        let fallback = self.provider.index.checked_sub(1);
        fallback.and_then(|at| spec.fallbacks.get(at)).unwrap_or(&spec.provider)
    }

    /// The providers that take over in turn if the active one cannot be used.
    pub(crate) fn fallbacks<'a>(&self, spec: &'a ResolvedAgent) -> &'a [ResolvedProvider] {
        let all = spec.fallbacks.get(self.provider.index..).unwrap_or_default();
        if self.is_gathering() { &[] } else { all }
    }

    pub(crate) fn switch_provider(&mut self) -> ActiveProvider {
        self.provider =
            ActiveProvider { index: self.provider.index + 1, since: self.next_sequence() };
        self.provider
    }

    /// Requests the conclusion; returns the operations that store the request.
    pub(crate) fn request_conclusion(&mut self, cause: ConclusionCause, text: String) -> [Op; 2] {
        self.conclusion_requested = true;
        let request = ConclusionRequest { execution_id: self.execution, cause };
        [Op::RequestConclusion(request), self.append(Message::new(Role::User, text))]
    }

    /// Requests a corrected conclusion; returns the operations that store the request.
    pub(crate) fn request_repair(&mut self, text: String) -> [Op; 2] {
        (self.conclusion_requested, self.repair_requested) = (true, true);
        [Op::RequestRepair(self.execution), self.append(Message::new(Role::User, text))]
    }

    /// Asks to go on from what came of an answer; returns the operation that stores the request.
    pub(crate) fn request_continuation(&mut self, text: String) -> Op {
        let message = Message::new(Role::User, text);
        self.push(Entry { continues: true, ..Entry::new(self.next_sequence(), message) })
    }

    /// How often the model was asked to go on from what came of an answer.
    pub(crate) fn continuations(&self) -> usize {
        self.entries.iter().filter(|entry| entry.continues).count()
    }

    /// Whether the conclusion was to be corrected: the last user message requests it.
    pub(crate) fn is_repair_requested(&self) -> bool {
        self.repair_requested
    }

    /// Whether the last user message requests the conclusion.
    pub(crate) fn is_conclusion_requested(&self) -> bool {
        self.conclusion_requested
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The messages for the model, in order.
    pub(crate) fn messages(&self) -> Vec<Message> {
        let mut messages = Vec::with_capacity(self.entries.len());
        for entry in self.ordered() {
            let mut message = entry.message.clone();
            if entry.sequence < self.provider.since {
                // The state of one provider means nothing to another.
                message.provider_state = None;
            }
            messages.push(message);
        }
        messages
    }

    /// Counts the tokens of messages that are new, once there are more bytes than so many tokens: no token is
    /// shorter than a byte.
    pub(crate) fn count_tokens(&mut self, limit: usize) {
        let bytes: usize = self.entries.iter().map(|entry| entry.message.content.len()).sum();
        if bytes > limit / 2 {
            self.entries.iter_mut().for_each(|entry| entry.message.count_tokens());
        }
    }

    pub(crate) fn last_id(&self) -> Option<MessageId> {
        self.entries.iter().max_by_key(|entry| entry.sequence).map(|entry| entry.id)
    }

    /// How many turns the model has had, those that came in several parts once.
    pub(crate) fn turns(&self) -> usize {
        self.turn_entries().len()
    }

    /// The last parts of the model's turns, in order.
    fn turn_entries(&self) -> Vec<&Entry> {
        let ordered = self.ordered();
        let is_turn = |(at, entry): &(usize, &&Entry)| {
            entry.message.role == Role::Assistant
                && ordered.get(at + 1).is_none_or(|next| !next.continues)
        };
        ordered.iter().enumerate().filter(is_turn).map(|(_, entry)| *entry).collect()
    }

    /// The text of a turn, with its earlier parts.
    fn text_of(&self, turn: &Entry) -> String {
        let find = |sequence: i32| self.entries.iter().find(|one| one.sequence == sequence);
        let (mut text, mut first) = (turn.message.content.clone(), turn.sequence);
        while find(first - 1).is_some_and(|request| request.continues) {
            match find(first - 2) {
                Some(part) if part.message.role == Role::Assistant => {
                    text = joined(&part.message.content, &text);
                    first -= 2;
                }
                // Nothing but reasoning had come.
                _ => first -= 1,
            }
        }
        text
    }

    /// The model's last turn, unless a user message follows it.
    pub(crate) fn last_turn(&self) -> Option<LastTurn> {
        let entries = self.visible().filter(|entry| entry.message.role != Role::Tool);
        let last = entries.max_by_key(|entry| entry.sequence)?;
        if last.message.role != Role::Assistant {
            return None;
        }
        let calls = (last.sequence + 1..).zip(last.message.tool_calls.clone());
        let pending = calls
            .filter(|(sequence, _)| !self.entries.iter().any(|one| one.sequence == *sequence))
            .map(|(sequence, call)| PendingCall { sequence, call })
            .collect();
        Some(LastTurn {
            content: self.text_of(last),
            has_calls: !last.message.tool_calls.is_empty(),
            pending,
        })
    }

    /// The texts of the model's turns, if one of them is the last message.
    pub(crate) fn open_texts(&self) -> Option<OpenTexts> {
        let last = self.visible().max_by_key(|entry| entry.sequence)?;
        let last = Some(last).filter(|entry| entry.message.role == Role::Assistant)?.sequence;
        let turns = self.turn_entries();
        let texts = turns.iter().map(|entry| self.text_of(entry)).collect();
        // The request itself stands after a reply to the turn before it: only between two
        // conclusions is there a single message.
        let repaired = turns.windows(2).rev().take_while(|pair| match pair {
            [before, after] => after.sequence - before.sequence == 2,
            _ => false,
        });
        Some(OpenTexts { texts, last, conclusions: 1 + repaired.count() })
    }

    /// The model's last turn, whatever follows it: its sequence number, and the ids of its calls.
    pub(crate) fn last_calls(&self) -> Option<(i32, Vec<String>)> {
        let turns = self.visible().filter(|entry| entry.message.role == Role::Assistant);
        let last = turns.max_by_key(|entry| entry.sequence)?;
        let ids = last.message.tool_calls.iter().map(|call| call.id.clone());
        Some((last.sequence, ids.collect()))
    }

    /// The sequence number after the last message.
    pub(crate) fn next_sequence(&self) -> i32 {
        self.entries.iter().map(|entry| entry.sequence).max().map_or(0, |last| last + 1)
    }

    /// Adds a message at the end; returns the operation that stores it.
    pub(crate) fn append(&mut self, message: Message) -> Op {
        self.insert(self.next_sequence(), message)
    }

    /// Adds a message at the sequence number that is reserved for it: the result of a call.
    pub(crate) fn insert(&mut self, sequence: i32, message: Message) -> Op {
        self.push(Entry::new(sequence, message))
    }

    fn push(&mut self, entry: Entry) -> Op {
        let op = self.encode(&entry);
        self.entries.push(entry);
        op
    }

    /// What the model was asked after its task, such as to conclude. Results that it is given as text are none, nor is
    /// the request for a corrected conclusion, which repeats what is wrong, nor one to go on, which repeats its reasoning, nor one to
    /// conclude from a report.
    pub(crate) fn requests(&self) -> Vec<String> {
        let asked = self.ordered().into_iter().filter(|entry| entry.is_request());
        let mut texts: Vec<String> = asked
            .skip(1)
            .filter(|entry| !self.has_report(entry))
            .map(|entry| entry.message.content.clone())
            .collect();
        if self.repair_requested {
            texts.pop();
        }
        texts
    }

    /// The conversation as it was before the last user message; none if that is its task.
    pub(crate) fn before_last_request(&self) -> Option<Self> {
        let requests = self.visible().filter(|entry| entry.is_request());
        let requests: Vec<i32> = requests.map(|entry| entry.sequence).collect();
        let last = requests.iter().max().filter(|_| requests.len() > 1)?;
        let mut earlier = self.clone();
        earlier.entries.retain(|entry| entry.sequence < *last);
        Some(earlier)
    }

    /// Whether a call with this id was requested before.
    pub(crate) fn has_call(&self, id: &str) -> bool {
        self.entries.iter().flat_map(|entry| &entry.message.tool_calls).any(|call| call.id == id)
    }

    fn ordered(&self) -> Vec<&Entry> {
        let mut ordered: Vec<&Entry> = self.visible().collect();
        ordered.sort_by_key(|entry| entry.sequence);
        ordered
    }

    fn encode(&self, entry: &Entry) -> Op {
        let Entry { id, sequence, message, alerts_until, continues, sub_execution } = entry;
        let tool_calls = if message.tool_calls.is_empty() {
            None
        } else {
            serde_json::to_value(&message.tool_calls).ok()
        };
        Op::AppendMessage(NewMessage {
            id: *id,
            stage_id: self.stage,
            execution_id: self.execution,
            sequence_number: *sequence,
            role: message.role,
            content: message.content.clone(),
            tool_calls,
            tool_call_id: message.tool_call_id.clone(),
            tool_name: message.tool_name.clone(),
            call_number: message.call_number,
            provider_state: message.provider_state.clone(),
            alerts_until: *alerts_until,
            continues: *continues,
            sub_execution_id: *sub_execution,
        })
    }
}

impl Entry {
    fn new(sequence: i32, message: Message) -> Self {
        let (id, alerts_until) = (MessageId::new(), None);
        Self { id, sequence, message, alerts_until, continues: false, sub_execution: None }
    }

    /// Whether it is the task, or asks for something new.
    fn is_request(&self) -> bool {
        let message = &self.message;
        message.role == Role::User
            && message.call_number.is_none()
            && !self.continues
            && self.sub_execution.is_none()
    }
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
        call_number: row.call_number,
        tokens: None,
        provider_state: row.provider_state,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(id: &str) -> ToolCall {
        ToolCall {
            id: id.to_owned(),
            name: "host.uptime".to_owned(),
            arguments: "{}".to_owned(),
            ..ToolCall::default()
        }
    }

    fn conversation() -> Conversation {
        Conversation::from_stored(StageId::new(), ExecutionId::new(), Vec::new())
    }

    fn result(id: &str) -> Message {
        Message { tool_call_id: Some(id.to_owned()), ..Message::new(Role::Tool, id) }
    }

    #[test]
    fn a_conversation_without_an_answer_has_no_turn() {
        let mut conversation = conversation();
        assert!(conversation.is_empty());
        conversation.append(Message::new(Role::System, "be brief"));
        conversation.append(Message::new(Role::User, "what is wrong?"));
        assert!(conversation.last_turn().is_none());
        assert_eq!(conversation.turns(), 0);
    }

    #[test]
    fn the_answers_to_a_requested_conclusion_are_counted() {
        let mut conversation = conversation();
        conversation.append(Message::new(Role::User, "what is wrong?"));
        conversation.append(Message::new(Role::Assistant, "Action: host.load"));
        conversation.append(Message::new(Role::User, "Observation: 40"));
        conversation.request_conclusion(ConclusionCause::Iterations, "conclude".to_owned());
        assert!(conversation.open_texts().is_none());
        for expected in [1, 2] {
            conversation.append(Message::new(Role::Assistant, "Action: host.load"));
            assert_eq!(conversation.open_texts().unwrap().conclusions, expected);
            conversation.append(Message::new(Role::User, "write your conclusion"));
        }
    }

    #[test]
    fn the_parts_of_an_answer_are_one_turn_and_no_request() {
        let mut conversation = conversation();
        conversation.append(Message::new(Role::User, "what is wrong?"));
        conversation.request_continuation("you thought: the load".to_owned());
        conversation.append(Message::new(Role::Assistant, "The disk"));
        conversation.request_continuation("go on".to_owned());
        assert!(conversation.last_turn().is_none());
        assert_eq!((conversation.turns(), conversation.continuations()), (0, 2));
        conversation.append(Message::new(Role::Assistant, "is full."));
        assert_eq!(conversation.last_turn().unwrap().content, "The disk is full.");
        assert_eq!(conversation.open_texts().unwrap().texts, ["The disk is full."]);
        assert_eq!((conversation.turns(), conversation.requests().len()), (1, 0));
        conversation.request_repair("correct it".to_owned());
        let earlier = conversation.before_last_request().unwrap();
        assert_eq!(earlier.last_turn().unwrap().content, "The disk is full.");
    }

    #[test]
    fn a_fallback_gets_no_state_of_the_provider_before_it() {
        let mut conversation = conversation();
        conversation.append(Message::new(Role::User, "what is wrong?"));
        let state = || Some(vec![1, 2, 3]);
        let turn =
            |text: &str| Message { provider_state: state(), ..Message::new(Role::Assistant, text) };
        conversation.append(turn("hm"));
        assert_eq!(conversation.messages()[1].provider_state, state());
        assert_eq!(conversation.switch_provider(), ActiveProvider { index: 1, since: 2 });
        conversation.append(turn("ah"));
        let states: Vec<_> =
            conversation.messages().into_iter().map(|one| one.provider_state).collect();
        assert_eq!(states, [None, None, state()]);
    }

    #[test]
    fn results_take_the_places_of_their_calls_in_whatever_order_they_come() {
        let mut conversation = conversation();
        conversation.append(Message::new(Role::User, "what is wrong?"));
        let calls = vec![call("a"), call("b"), call("c")];
        conversation
            .append(Message { tool_calls: calls, ..Message::new(Role::Assistant, "looking") });
        let pending = conversation.last_turn().unwrap().pending;
        let places: Vec<_> =
            pending.iter().map(|one| (one.sequence, one.call.id.as_str())).collect();
        assert_eq!(places, [(2, "a"), (3, "b"), (4, "c")]);
        conversation.insert(4, result("c"));
        conversation.insert(2, result("a"));
        let pending = conversation.last_turn().unwrap().pending;
        assert_eq!(pending, [PendingCall { sequence: 3, call: call("b") }]);
        conversation.insert(3, result("b"));
        let texts: Vec<String> =
            conversation.messages().into_iter().map(|one| one.content).collect();
        assert_eq!(texts, ["what is wrong?", "looking", "a", "b", "c"]);
        assert!(conversation.last_turn().unwrap().pending.is_empty());
        assert!(conversation.has_call("b") && !conversation.has_call("d"));
    }
}
