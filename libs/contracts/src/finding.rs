//! What an investigation found, as lists show it.

use serde::{Deserialize, Serialize};
use tarsy_domain::verdict::{Confidence, Outcome};
use utoipa::ToSchema;

/// What an investigation found, in a line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FindingSummary {
    /// `cause_found`, `no_fault_found` or `not_examinable`.
    #[schema(value_type = String)]
    pub outcome: Outcome,
    /// The cause; without one, `Cause not found`, `No fault found` or `Cannot be examined`.
    pub headline: String,
    /// What became of the alert's own statement, in a sentence; empty if the author wrote none.
    pub answer: String,
    /// How sure the author is: `low`, `medium` or `high`.
    #[schema(value_type = String)]
    pub confidence: Confidence,
}
