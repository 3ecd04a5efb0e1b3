//! How work ended.

use tarsy_domain::status::WorkStatus;

/// How the work of an agent or a stage ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Outcome {
    pub(crate) status: WorkStatus,
    /// Empty if nothing was found.
    pub(crate) analysis: String,
    pub(crate) error: Option<String>,
}

impl Outcome {
    pub(crate) fn completed(analysis: String) -> Self {
        Self { status: WorkStatus::Completed, analysis, error: None }
    }

    pub(crate) fn failed(error: String) -> Self {
        Self { status: WorkStatus::Failed, analysis: String::new(), error: Some(error) }
    }

    pub(crate) fn cancelled(error: String) -> Self {
        Self { status: WorkStatus::Cancelled, analysis: String::new(), error: Some(error) }
    }

    pub(crate) fn timed_out(error: String) -> Self {
        Self { status: WorkStatus::TimedOut, analysis: String::new(), error: Some(error) }
    }
}
