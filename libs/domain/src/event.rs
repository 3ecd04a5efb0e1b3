//! The kinds of timeline events, messages and interactions.

use crate::string_enum::string_enum;

string_enum! {
    TimelineKind {
        /// The model's reasoning.
        LlmThinking,
        /// The model's visible text.
        LlmResponse,
        /// A tool call with its result.
        LlmToolCall,
        /// The summary that replaces a large tool result.
        McpToolSummary,
        /// An error, described for a person.
        Error,
        /// A question in the chat.
        UserQuestion,
        /// The executive summary of the session.
        ExecutiveSummary,
        /// An agent's conclusion.
        FinalAnalysis,
        /// Code that the provider executed.
        CodeExecution,
        /// Results of the provider's own search.
        GoogleSearchResult,
        /// Content that the provider fetched from a URL.
        UrlContextResult,
        /// Another provider replaces one that failed.
        ProviderFallback,
        /// A budget of the session is used up: the agent calls no more tools and concludes.
        BudgetReached,
        /// A tool call waits for a person's decision, or waited for it.
        ToolApproval,
        /// A tool result or the alert contains text that is addressed to a model.
        InjectedInstructions,
        /// An alert of a source belongs to the session, or is resolved.
        AlertReceived,
        /// What became of a call that was to change something.
        ActionOutcome,
    }
}

string_enum! {
    /// What became of a request to approve a tool call.
    ApprovalDecision {
        /// A person allowed the call.
        Approved,
        /// A person forbade it.
        Denied,
        /// Nobody decided in time; the same as denied.
        Expired,
    }
}

string_enum! {
    /// The author of a message in a conversation with a model.
    Role {
        /// Instructions.
        System,
        /// The task, and questions.
        User,
        /// The model.
        Assistant,
        /// The result of a tool call.
        Tool,
    }
}

string_enum! {
    /// Why the model was called.
    LlmInteractionKind {
        /// One turn of an agent.
        Iteration,
        /// The turn that concluded.
        FinalAnalysis,
        /// The executive summary of the session.
        ExecutiveSummary,
        /// An answer in the chat.
        ChatResponse,
        /// The summary of a tool result.
        Summarization,
        /// One analysis made of those of several agents.
        Synthesis,
        /// A conclusion that was requested because a limit was reached.
        ForcedConclusion,
        /// The verdict of the session.
        Verdict,
        /// The judgement of how well the session was investigated.
        Score,
        /// The prose of a postmortem.
        Postmortem,
    }
}

string_enum! {
    /// Why a model stopped writing, as its provider reports it.
    FinishReason {
        /// The answer is complete.
        Stop,
        /// The limit of output tokens was reached: the answer is truncated.
        Length,
        /// The model waits for the results of tool calls.
        ToolCalls,
        /// The provider's content filter interrupted the answer.
        ContentFilter,
    }
}

string_enum! {
    /// Which table records an interaction.
    InteractionKind {
        /// A call of a model.
        Llm,
        /// A call of a tool, or a listing of tools.
        Mcp,
    }
}

string_enum! {
    /// What a recorded MCP interaction is.
    McpInteractionKind {
        /// A tool was called.
        ToolCall,
        /// A server's tools were listed for an agent.
        ToolList,
    }
}

string_enum! {
    /// The state of a tool call.
    CallStatus {
        /// It is recorded and may have been sent to the gateway.
        Started,
        /// The tool returned a result.
        Completed,
        /// The tool returned an error, or could not be called.
        Failed,
        /// The outcome cannot be determined.
        Unknown,
    }
}

string_enum! {
    /// The state of the summary of a tool result.
    SummaryStatus {
        /// It is not claimed.
        Pending,
        /// A summarizer holds its lease.
        InProgress,
        /// Its text replaces the result.
        Completed,
        /// It has no text and will not get one.
        Failed,
    }
}
