//! The kinds of things that a timeline, a conversation and the trace record.

use serde::{Deserialize, Serialize};

macro_rules! kinds {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize,
            strum::Display, strum::EnumString, strum::IntoStaticStr,
        )]
        #[serde(rename_all = "snake_case")]
        #[strum(serialize_all = "snake_case")]
        pub enum $name { $($(#[$vdoc])* $variant),+ }

        impl $name {
            /// The word as the database and the wire spell it.
            pub fn as_str(self) -> &'static str {
                self.into()
            }
        }
    };
}

kinds! {
    /// What a timeline event tells.
    TimelineKind {
        /// The model's reasoning.
        LlmThinking,
        /// The model's visible text.
        LlmResponse,
        /// A tool call with its result.
        LlmToolCall,
        /// The summary that stands in for a large tool result.
        McpToolSummary,
        /// Something went wrong, in words for a person.
        Error,
        /// A question asked in the chat.
        UserQuestion,
        /// The short summary of the whole session.
        ExecutiveSummary,
        /// An agent's conclusion.
        FinalAnalysis,
        /// Code that the provider ran.
        CodeExecution,
        /// What the provider's search found.
        GoogleSearchResult,
        /// What the provider read from a URL.
        UrlContextResult,
        /// Another provider takes over from one that cannot be used.
        ProviderFallback,
        /// A budget of the session is used up: no more tools, one conclusion.
        BudgetReached,
    }
}

kinds! {
    /// Who speaks in a conversation.
    Role {
        /// Instructions.
        System,
        /// The task, and questions.
        User,
        /// The model.
        Assistant,
        /// A tool's answer.
        Tool,
    }
}

kinds! {
    /// Why the model was called.
    LlmInteractionKind {
        /// One turn of an agent.
        Iteration,
        /// The turn that concluded.
        FinalAnalysis,
        /// The session's short summary.
        ExecutiveSummary,
        /// An answer in the chat.
        ChatResponse,
        /// A tool result made short.
        Summarization,
        /// Several agents' findings made one.
        Synthesis,
        /// The conclusion that a limit forced.
        ForcedConclusion,
    }
}

kinds! {
    /// What became of a tool call.
    CallStatus {
        /// It was written down and handed to the gateway.
        Started,
        /// It answered.
        Completed,
        /// It answered with an error, or could not be made.
        Failed,
        /// Nobody can tell any more.
        Unknown,
    }
}

kinds! {
    /// How far the summary of a tool result has come.
    SummaryStatus {
        /// Nobody has taken it.
        Pending,
        /// A summarizer works on it.
        InProgress,
        /// It stands in for the result.
        Completed,
        /// There is none, and there will be none.
        Failed,
    }
}
