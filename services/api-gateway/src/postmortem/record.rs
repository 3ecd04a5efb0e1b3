//! What a postmortem is made of.

use tarsy_contracts::review::SessionReview;
use tarsy_contracts::session::SessionDetail;
use tarsy_contracts::triage::SessionTriage;
use tarsy_domain::event::ApprovalDecision;
use tarsy_domain::review::Review;
use tarsy_domain::verdict::Verdict;
use tarsy_store::IncidentFacts;

/// All that is known of a session.
#[derive(Clone, Debug)]
pub(crate) struct Record {
    pub(crate) detail: SessionDetail,
    pub(crate) facts: IncidentFacts,
    pub(crate) triage: SessionTriage,
    /// The one that counts.
    pub(crate) review: Option<SessionReview>,
    /// Of the dashboard.
    pub(crate) page: String,
}

impl Record {
    /// The alert in one line.
    pub(super) fn title(&self) -> &str {
        let item = &self.detail.item;
        let title = item.title.as_deref().or(item.alert_type.as_deref());
        title.unwrap_or("An alert without a title")
    }

    /// Whether a person says that what the investigation found is wrong: nothing is concluded from it then.
    pub(super) fn is_rejected(&self) -> bool {
        self.review.as_ref().is_some_and(|review| review.review == Review::Wrong)
    }

    /// What was found, unless a person says that it is wrong.
    pub(super) fn verdict(&self) -> Option<&Verdict> {
        self.detail.verdict.as_ref().filter(|_| !self.is_rejected())
    }

    /// What the investigation wrote in summary, unless a person says that it is wrong, or what the cause is in truth.
    pub(super) fn executive_summary(&self) -> Option<String> {
        let corrected = self.review.as_ref().is_some_and(|review| review.actual_cause.is_some());
        let written = self.detail.item.executive_summary.clone();
        written.filter(|_| !self.is_rejected() && !corrected)
    }

    /// Who approved a call.
    pub(super) fn approver(&self, number: Option<i64>) -> Option<&str> {
        let mut decisions = self.facts.decisions.iter();
        let approved = decisions.find(|one| {
            one.decision == ApprovalDecision::Approved
                && number.is_some()
                && one.call_number == number
        });
        approved?.decided_by.as_deref()
    }

    /// `call 3 (ops.logs)`.
    pub(super) fn call(&self, number: i64) -> String {
        let known = self.facts.calls.iter().find(|call| call.number == number);
        known.map_or_else(
            || format!("call {number}"),
            |call| format!("call {number} ({})", call.tool),
        )
    }
}
