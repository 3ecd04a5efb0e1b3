//! How work ended.

use tarsy_contracts::failure::Failure;
use tarsy_domain::status::WorkStatus;

/// How the work of an agent or a stage ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Outcome {
    pub(crate) status: WorkStatus,
    /// Empty if nothing was found.
    pub(crate) analysis: String,
    /// In a sentence.
    pub(crate) error: Option<String>,
    /// The same as facts; none of what was cancelled.
    pub(crate) failure: Option<Box<Failure>>,
}

impl Outcome {
    pub(crate) fn completed(analysis: String) -> Self {
        Self { status: WorkStatus::Completed, analysis, error: None, failure: None }
    }

    pub(crate) fn failed(failure: Failure) -> Self {
        Self::without(WorkStatus::Failed, failure)
    }

    pub(crate) fn cancelled(error: String) -> Self {
        let (status, analysis) = (WorkStatus::Cancelled, String::new());
        Self { status, analysis, error: Some(error), failure: None }
    }

    pub(crate) fn timed_out(failure: Failure) -> Self {
        Self::without(WorkStatus::TimedOut, failure)
    }

    fn without(status: WorkStatus, failure: Failure) -> Self {
        let (analysis, error) = (String::new(), Some(failure.reason.clone()));
        Self { status, analysis, error, failure: Some(Box::new(failure)) }
    }
}
