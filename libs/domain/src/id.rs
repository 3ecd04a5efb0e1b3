//! Typed identifiers, all UUID version 7: they sort by the time they were made.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
        )]
        #[serde(transparent)]
        pub struct $name(Uuid);

        impl $name {
            /// Makes a fresh, time-ordered identifier.
            pub fn fresh() -> Self {
                Self(Uuid::now_v7())
            }

            /// The bare UUID, as the database and the wire carry it.
            pub const fn uuid(self) -> Uuid {
                self.0
            }
        }

        impl From<Uuid> for $name {
            fn from(raw: Uuid) -> Self {
                Self(raw)
            }
        }

        impl From<$name> for Uuid {
            fn from(id: $name) -> Self {
                id.0
            }
        }

        impl std::str::FromStr for $name {
            type Err = uuid::Error;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                Uuid::parse_str(text).map(Self)
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

id! {
    /// Names one investigation session.
    SessionId
}
id! {
    /// Names one stage of a session's chain.
    StageId
}
id! {
    /// Names one agent's work within a stage.
    ExecutionId
}
id! {
    /// Names one timeline event; live chunks refer to it.
    TimelineEventId
}
id! {
    /// Names one message of an execution's conversation.
    MessageId
}
id! {
    /// Names one recorded LLM or tool interaction.
    InteractionId
}
id! {
    /// Names one tool call; the same call id is never executed twice.
    CallId
}
id! {
    /// Names one lease on MCP sessions, held by an agent execution.
    LeaseId
}
id! {
    /// Names the chat of a session.
    ChatId
}
id! {
    /// Names one question of a chat.
    ChatMessageId
}
id! {
    /// Names one summary of a tool result.
    SummaryId
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fresh_identifiers_sort_by_the_time_they_were_made() {
        let first = SessionId::fresh();
        let second = SessionId::fresh();
        assert!(first < second);
    }

    #[test]
    fn an_identifier_survives_its_text_form() {
        let id = ExecutionId::fresh();
        assert_eq!(id.to_string().parse::<ExecutionId>().unwrap(), id);
    }
}
