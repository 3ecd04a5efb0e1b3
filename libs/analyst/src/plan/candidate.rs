//! A call that could be made.

use crate::transcript::ToolCall;

/// A call with its value.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    pub(super) value: f64,
    pub(super) call: ToolCall,
}
