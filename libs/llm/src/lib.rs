//! Calls a model: the offline analyst in this process, every other one through llm-service.
//!
//! [`call()`] is the only loop in the product that calls a model: timeouts, size limits, retries and
//! provider fallback live here and nowhere else. The crate knows the wire and nothing of prompts,
//! and it stores nothing: a call is a value that its caller stores. With the feature `fake` a
//! scripted model stands in for tests.

mod attempt;
mod balance;
mod call;
mod decision;
mod endpoint;
mod error;
mod grpc;
mod masked;
mod model;
mod offline;
mod policy;
mod record;
mod repetition;
mod request;
mod route;
#[cfg(any(test, feature = "fake"))]
mod scripted;
mod sink;
mod usage;

pub use call::{Call, NativeToolUse, ToolCalls, call};
pub use endpoint::Endpoint;
pub use error::Error;
pub use grpc::{EmbedPurpose, EmbedRequest, GrpcLlm};
pub use masked::{AnswerMasks, MaskedLlm};
pub use model::{Chunks, Llm};
pub use offline::{OfflineLlm, conclude_offline};
pub use policy::{OnCut, OnTimeout, OnUnavailable, Retries, Timeouts};
pub use record::{
    Attempt, Degenerate, End, Extra, FailedAttempt, Failure, Interaction, TimeoutKind,
};
pub use request::{
    Chunk, Compact, Config, Grounding, GroundingSource, GroundingSupport, Message, Prompt, Request,
    ResponseFormat, ResponseInfo, ToolCall, ToolDefinition, Unmasked, UrlRead, Usage,
};
pub use route::ProviderLlm;
#[cfg(any(test, feature = "fake"))]
pub use scripted::{Script, ScriptedLlm};
pub use sink::{Admission, Flow, ProviderSwitch, Sink};
