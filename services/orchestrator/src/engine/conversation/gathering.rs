//! A model that does not look is sent back, and then the offline analyst gathers evidence: the model does not see that part of
//! the conversation, and the analyst sees nothing of the model.

use tarsy_domain::event::Role;
use tarsy_llm::Message;
use tarsy_store::{Gathering, Op};

use super::{Conversation, Entry};
use crate::engine::conversation::gathered::Gathered;

impl Conversation {
    /// Sends the agent back to look; returns the operations that store the request.
    pub(crate) fn request_look(&mut self, text: String) -> [Op; 2] {
        self.look_requested = true;
        [Op::RequestLook(self.execution), self.append(Message::new(Role::User, text))]
    }

    /// Whether the agent was sent back to look.
    pub(crate) fn is_look_requested(&self) -> bool {
        self.look_requested
    }

    /// Whether it is the analyst's turn.
    pub(crate) fn is_gathering(&self) -> bool {
        self.gathering.is_some_and(|gathered| gathered.until.is_none())
    }

    /// Whether evidence was gathered, or is.
    pub(crate) fn is_gathering_begun(&self) -> bool {
        self.gathering.is_some()
    }

    /// Begins with this message; returns the operations that store it.
    pub(crate) fn begin_gathering(&mut self, text: String) -> [Op; 2] {
        let (execution_id, since) = (self.execution, self.next_sequence());
        self.gathering = Some(Gathered { since, until: None });
        let message = self.append(Message::new(Role::User, text));
        [Op::Gather(Gathering { execution_id, since, until: None }), message]
    }

    /// Ends it; returns the operation that stores it.
    pub(crate) fn end_gathering(&mut self) -> Option<Op> {
        let (execution_id, until) = (self.execution, Some(self.next_sequence()));
        let gathered = self.gathering.as_mut()?;
        gathered.until = until;
        Some(Op::Gather(Gathering { execution_id, since: gathered.since, until }))
    }

    /// The analyst's report, once it has ended.
    pub(crate) fn report(&self) -> Option<&str> {
        let gathered = self.gathering.filter(|gathered| gathered.until.is_some())?;
        let own = self.entries.iter().filter(|entry| {
            gathered.contains(entry.sequence) && entry.message.role == Role::Assistant
        });
        let last = own.max_by_key(|entry| entry.sequence)?;
        Some(&last.message.content)
    }

    /// What the analyst had read when it wrote its report.
    pub(crate) fn gathered(&self) -> Option<Vec<Message>> {
        let gathered = self.gathering?;
        let until = gathered.until?;
        let mut reader = self.clone();
        reader.gathering = Some(Gathered { until: None, ..gathered });
        reader.entries.retain(|entry| entry.sequence < until);
        let mut messages = reader.messages();
        messages.pop_if(|last| last.role == Role::Assistant)?;
        Some(messages)
    }

    /// Whether a message has the analyst's report.
    pub(super) fn has_report(&self, entry: &Entry) -> bool {
        self.gathering.is_some_and(|gathered| gathered.until == Some(entry.sequence))
    }

    /// The messages of whoever has the turn. The analyst has the task, the alerts that came since, and its own messages.
    pub(super) fn visible(&self) -> impl Iterator<Item = &Entry> {
        let first = self.entries.iter().find(|entry| entry.message.role == Role::User);
        let task = first.map(|entry| entry.sequence);
        self.entries.iter().filter(move |entry| match self.gathering {
            None => true,
            Some(gathered) if gathered.until.is_some() => !gathered.contains(entry.sequence),
            Some(gathered) if entry.sequence >= gathered.since => entry.sequence > gathered.since,
            Some(_) => {
                entry.message.role == Role::System
                    || task == Some(entry.sequence)
                    || entry.alerts_until.is_some()
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use tarsy_domain::id::{ExecutionId, StageId};
    use tarsy_llm::ToolCall;

    use super::*;

    /// What the analyst has before its report.
    const READ: [&str; 4] = ["be brief", "the alert", "", "load 40"];

    fn texts(conversation: &Conversation) -> Vec<String> {
        conversation.messages().into_iter().map(|message| message.content).collect()
    }

    #[test]
    fn model_and_analyst_see_nothing_of_each_other_but_the_report() {
        let mut conversation =
            Conversation::from_stored(StageId::new(), ExecutionId::new(), Vec::new());
        for (role, text) in [
            (Role::System, "be brief"),
            (Role::User, "the alert"),
            (Role::Assistant, "a guess"),
            (Role::User, "look"),
            (Role::Assistant, "the same"),
        ] {
            conversation.append(Message::new(role, text));
        }
        conversation.begin_gathering("the analyst looks".to_owned());
        assert!(conversation.is_gathering() && conversation.turns() == 0);
        assert_eq!(texts(&conversation), ["be brief", "the alert"]);
        assert!(conversation.last_turn().is_none());
        let call = ToolCall { id: "a".to_owned(), ..ToolCall::default() };
        let asks = Message { tool_calls: vec![call], ..Message::new(Role::Assistant, "") };
        conversation.append(asks);
        conversation.append(Message::new(Role::Tool, "load 40"));
        conversation.append(Message::new(Role::Assistant, "the report"));
        assert_eq!(texts(&conversation), ["be brief", "the alert", "", "load 40", "the report"]);
        assert_eq!((conversation.report(), conversation.turns()), (None, 2));
        conversation.end_gathering();
        assert_eq!(conversation.report(), Some("the report"));
        let read = conversation.gathered().unwrap();
        assert_eq!(read.iter().map(|one| one.content.as_str()).collect::<Vec<_>>(), READ);
        assert_eq!(conversation.last_turn().unwrap().content, "the same");
        conversation.append(Message::new(Role::User, "conclude from the report"));
        assert_eq!(conversation.gathered().unwrap().len(), READ.len());
        let seen =
            ["be brief", "the alert", "a guess", "look", "the same", "conclude from the report"];
        assert_eq!(texts(&conversation), seen);
        assert_eq!(conversation.requests(), ["look"], "the report is no evidence for itself");
        assert!(conversation.has_call("a"), "ids stay unique");
    }
}
