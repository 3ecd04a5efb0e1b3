//! What the checks of a session's texts found, as the API shows it, and the store reads it.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use tarsy_domain::claim::{CheckFailure, CheckedText, ClaimKind, Verdict};
use tarsy_domain::id::{ClaimCheckId, ExecutionId, TimelineEventId};
use utoipa::ToSchema;

/// How many claims there are, and how many of them a result shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ClaimCounts {
    pub total: i32,
    pub verified: i32,
}

/// The checks of a session's texts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ClaimChecks {
    /// The oldest first.
    pub checks: Vec<ClaimCheck>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ClaimCheck {
    #[schema(value_type = Uuid)]
    pub id: ClaimCheckId,
    /// Which text: `final_analysis`, `synthesis`, `chat_answer` or `executive_summary`.
    #[schema(value_type = String, example = "final_analysis")]
    pub text: CheckedText,
    /// The execution of the agent that wrote it; none for the executive summary.
    #[schema(value_type = Option<Uuid>)]
    pub execution_id: Option<ExecutionId>,
    /// The timeline event whose content it is; none for a conclusion that its agent was asked to correct.
    #[schema(value_type = Option<Uuid>)]
    pub timeline_event_id: Option<TimelineEventId>,
    pub checked_at: Timestamp,
    /// Why it could not be checked: `too_large`, `timed_out` or `failed`.
    #[schema(value_type = Option<String>)]
    pub failure: Option<CheckFailure>,
    /// Calls with a result that the text could rest on.
    pub successful_calls: i32,
    pub claims: i32,
    /// How many of them a result shows.
    pub verified: i32,
    /// Its claims in the order of the text.
    pub items: Vec<ClaimItem>,
    /// Claims that are not among the items, because there are very many; none of them has a worse verdict.
    pub items_left_out: i32,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ClaimItem {
    /// `citation`, `quantity`, `time`, `quotation` or `name`.
    #[schema(value_type = String, example = "quantity")]
    pub kind: ClaimKind,
    /// As it stands in the text, cut to its first 500 characters.
    pub text: String,
    /// Where it begins in the content of the timeline event, in UTF-16 code units.
    pub start: i32,
    /// Where it ends, in UTF-16 code units.
    pub end: i32,
    /// `supported`, `uncited`, `supported_elsewhere`, `unsupported`, `contradicted` or `no_such_call`.
    #[schema(value_type = String, example = "contradicted")]
    pub verdict: Verdict,
    /// The call whose result shows it, or something else instead. None also where the analysis or the record of the
    /// session shows it.
    pub call: Option<i64>,
    /// The line there, from 1.
    pub line: Option<i32>,
    /// What a result shows instead, cut to its first 500 characters.
    pub shown: Option<String>,
}
