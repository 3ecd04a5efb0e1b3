//! What a postmortem is made of.

use tarsy_contracts::review::SessionReview;
use tarsy_contracts::session::SessionDetail;
use tarsy_contracts::triage::SessionTriage;
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

    /// `call 3 (ops.logs)`.
    pub(super) fn call(&self, number: i64) -> String {
        let known = self.facts.calls.iter().find(|call| call.number == number);
        known.map_or_else(
            || format!("call {number}"),
            |call| format!("call {number} ({})", call.tool),
        )
    }
}
