//! What an agent is given between its turns: alerts that came later, and what agents that it dispatched found.

use tarsy_domain::event::Role;
use tarsy_domain::id::ExecutionId;
use tarsy_llm::Message;
use tarsy_store::Op;

use super::{Conversation, Entry};

impl Conversation {
    /// Adds a message at the end that has the alerts of sources until this place.
    pub(crate) fn append_with_alerts(&mut self, message: Message, until: Option<i64>) -> Op {
        let entry = Entry::new(self.next_sequence(), message);
        self.push(Entry { alerts_until: until, ..entry })
    }

    /// The place of the last alert of a source that the agent was given; 0 before the first.
    pub(crate) fn alerts_until(&self) -> i64 {
        self.entries.iter().filter_map(|entry| entry.alerts_until).max().unwrap_or(0)
    }

    /// Adds a message at the end that gives the result of a dispatched execution.
    pub(crate) fn append_result_of(&mut self, execution: ExecutionId, text: String) -> Op {
        let entry = Entry::new(self.next_sequence(), Message::new(Role::User, text));
        self.push(Entry { sub_execution: Some(execution), ..entry })
    }

    /// The dispatched executions whose results the agent was given.
    pub(crate) fn given_results(&self) -> impl Iterator<Item = ExecutionId> {
        self.entries.iter().filter_map(|entry| entry.sub_execution)
    }

    /// Whether the model's last turn called a tool and got its result.
    pub(crate) fn last_turn_called(&self) -> bool {
        let turns = self.entries.iter().filter(|entry| entry.message.role == Role::Assistant);
        let Some(last) = turns.max_by_key(|entry| entry.sequence) else { return false };
        let is_answer = |entry: &Entry| {
            entry.sequence == last.sequence + 1 && entry.message.call_number.is_some()
        };
        !last.message.tool_calls.is_empty() || self.entries.iter().any(is_answer)
    }
}

#[cfg(test)]
mod tests {
    use tarsy_domain::id::StageId;
    use tarsy_llm::ToolCall;

    use super::*;

    #[test]
    fn a_result_is_no_request_and_a_turn_that_called_is_known_from_one_that_did_not() {
        let mut conversation =
            Conversation::from_stored(StageId::new(), ExecutionId::new(), Vec::new());
        conversation.append(Message::new(Role::User, "the alert"));
        assert!(!conversation.last_turn_called());
        let tool_calls = vec![ToolCall { id: "a".to_owned(), ..ToolCall::default() }];
        conversation.append(Message { tool_calls, ..Message::new(Role::Assistant, "") });
        conversation.append(Message::new(Role::Tool, "dispatched"));
        assert!(conversation.last_turn_called());
        let execution = ExecutionId::new();
        conversation.append_result_of(execution, "it is the disk".to_owned());
        assert!(conversation.last_turn_called() && conversation.requests().is_empty());
        assert_eq!(conversation.given_results().collect::<Vec<_>>(), [execution]);
        conversation.append(Message::new(Role::Assistant, "The disk."));
        assert!(!conversation.last_turn_called());
    }

    #[test]
    fn a_turn_that_called_by_text_has_a_numbered_observation_behind_it() {
        let mut conversation =
            Conversation::from_stored(StageId::new(), ExecutionId::new(), Vec::new());
        conversation.append(Message::new(Role::Assistant, "Action: host.load"));
        let observation = Message::new(Role::User, "Observation: 40");
        conversation.append(Message { call_number: Some(1), ..observation });
        assert!(conversation.last_turn_called());
    }
}
