//! Requests to approve calls.

use std::time::Duration;

use serde_json::Value;
use tarsy_domain::access::Identification;
use tarsy_domain::id::{ApprovalId, CallId, ExecutionId, TimelineEventId};

/// A request to approve a call.
#[derive(Clone, Debug, PartialEq)]
pub struct NewApproval {
    pub id: ApprovalId,
    pub execution_id: ExecutionId,
    pub call_id: CallId,
    /// Shows it on the timeline.
    pub timeline_event_id: TimelineEventId,
    pub server_name: String,
    pub tool_name: String,
    pub tool_arguments: Value,
    /// What the tool says of itself, as a digest.
    pub definition: String,
    /// Why a person has to decide.
    pub reason: String,
    /// How long a person may take.
    pub timeout: Duration,
    /// The decision of a person who asked for this very call; none if somebody has to decide.
    pub decided: Option<Approver>,
}

/// Who approved a call by asking for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Approver {
    pub name: String,
    pub with: Identification,
}
