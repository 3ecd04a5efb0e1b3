//! A conversation as a model would be given it, and its answer.

use tarsy_domain::verdict::Verdict;

use crate::transcript::Tool;

/// Who wrote a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    System,
    User,
    Assistant,
    Tool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    pub role: Role,
    pub content: String,
    pub calls: Vec<CallRequest>,
    /// The id of the call that it answers; empty for other messages.
    pub call_id: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallRequest {
    pub id: String,
    /// `server.tool`.
    pub name: String,
    /// JSON text.
    pub arguments: String,
}

/// What a model would be given.
#[derive(Clone, Debug, Default)]
pub struct Conversation {
    pub messages: Vec<Message>,
    pub tools: Vec<Tool>,
    /// The most tokens of a summary; none leaves it to the analyst.
    pub max_output_tokens: Option<u32>,
    /// Begins the ids of calls, so that agents that run at once do not share any.
    pub id_prefix: String,
}

/// What is answered. The same conversation gets the same answer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answer {
    pub thinking: String,
    pub text: String,
    pub calls: Vec<CallRequest>,
    /// Of a report, with a cause or without.
    pub verdict: Option<Box<Verdict>>,
}
