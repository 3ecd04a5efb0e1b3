//! Typed ids, all UUID version 7: they sort by their creation time.

use std::fmt;

use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use uuid::Uuid;

/// A text that is no id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("an ID is a UUID, such as 0193a5c4-7d1e-7f30-9b52-64e78c40a1d2")]
pub struct InvalidId;

/// Reads an id. The error comes from within, where formats know which member they read.
struct Text;

impl Visitor<'_> for Text {
    type Value = Uuid;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an ID, as a text")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Uuid, E> {
        Uuid::parse_str(text).map_err(|_| E::custom(InvalidId))
    }
}

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
        #[serde(transparent)]
        pub struct $name(Uuid);

        impl $name {
            /// Makes an id that sorts after all that this process made before.
            #[expect(clippy::new_without_default, reason = "each id is another: there is no default")]
            pub fn new() -> Self {
                Self(Uuid::now_v7())
            }

            /// The UUID, as the database and the wire carry it.
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
            type Err = InvalidId;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                Uuid::parse_str(text).map(Self).map_err(|_| InvalidId)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                deserializer.deserialize_str(Text).map(Self)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

id! {
    SessionId
}
id! {
    StageId
}
id! {
    /// One agent's work within a stage.
    ExecutionId
}
id! {
    TimelineEventId
}
id! {
    MessageId
}
id! {
    /// A recorded LLM or tool interaction.
    InteractionId
}
id! {
    /// An alert of a source, as one change of it.
    IntakeAlertId
}
id! {
    /// A tool call; a call with the same id is executed at most once.
    CallId
}
id! {
    /// A lease on MCP sessions, held by one agent execution.
    LeaseId
}
id! {
    /// A request for a person's decision about a tool call.
    ApprovalId
}
id! {
    /// A call that changes something, with what it is meant to do.
    ActionId
}
id! {
    ChatId
}
id! {
    /// A question of a chat.
    ChatMessageId
}
id! {
    /// The summary of a tool result.
    SummaryId
}
id! {
    /// The check of a text against the results of calls.
    ClaimCheckId
}
id! {
    /// What an investigation found, typed.
    VerdictId
}
id! {
    /// A judgement of how well a session was investigated.
    ScoreId
}
id! {
    /// A request for the prose of a postmortem.
    ProseId
}
id! {
    /// A change of the state of work on a session, or a note.
    TriageEntryId
}
id! {
    /// A fact that reviews confirmed.
    MemoryId
}
id! {
    /// A change of a system.
    ChangeId
}

#[cfg(test)]
mod tests {
    use serde::de::value::{Error, StrDeserializer};

    use super::*;

    #[test]
    fn ids_sort_by_their_creation_time() {
        let first = SessionId::new();
        let second = SessionId::new();
        assert!(first < second);
    }

    #[test]
    fn what_is_no_id_is_refused_in_plain_words() {
        for text in ["abc", "", "0193a5c4-7d1e-7f30-9b52-64e78c40a1dz"] {
            assert_eq!(text.parse::<SessionId>(), Err(InvalidId), "{text}");
            let error = SessionId::deserialize(StrDeserializer::<Error>::new(text)).unwrap_err();
            assert_eq!(error.to_string(), InvalidId.to_string(), "{text}");
        }
    }

    #[test]
    fn an_id_is_parsed_from_its_text() {
        let id = ExecutionId::new();
        assert_eq!(id.to_string().parse::<ExecutionId>().unwrap(), id);
    }
}
