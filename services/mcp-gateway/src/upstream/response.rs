//! What a server answers to a call.

use rmcp::model::{CallToolResult, InputRequiredResult, ServerResult};
use serde_json::Value;

use crate::failure::Failure;

/// The final response to a call.
pub(crate) enum ToolResponse {
    Result {
        result: Box<CallToolResult>,
        /// How the structured content differs from the schema that the tool declares.
        schema_mismatch: Option<String>,
    },
    /// A JSON value that is not a result of the protocol.
    Unrecognized(Value),
}

/// A response to a call: the final one, or a request for more input.
pub(super) enum CallReply {
    Final(ToolResponse),
    InputRequired(Box<InputRequiredResult>),
}

impl CallReply {
    pub(super) fn read(reply: ServerResult) -> Result<Self, Failure> {
        match reply {
            ServerResult::CallToolResult(result) => Ok(Self::Final(ToolResponse::Result {
                result: Box::new(result),
                schema_mismatch: None,
            })),
            ServerResult::InputRequiredResult(input) => Ok(Self::InputRequired(Box::new(input))),
            ServerResult::CreateTaskResult(_) => Err(Failure::Unsupported(
                "the tool answers with a task, which this gateway does not support".to_owned(),
            )),
            other => serde_json::to_value(other)
                .map(|value| Self::Final(ToolResponse::Unrecognized(value)))
                .map_err(|error| {
                    Failure::Unsupported(format!("the answer cannot be read: {error}"))
                }),
        }
    }
}
