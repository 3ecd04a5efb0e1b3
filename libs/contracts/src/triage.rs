//! The state of work on sessions, as the API shows it and the store reads it for it.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use tarsy_domain::id::TriageEntryId;
use tarsy_domain::triage::Triage;
use utoipa::ToSchema;

/// The state of work on a session, and how it came to be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = TriageView)]
pub struct SessionTriage {
    /// `new`, `taken` or `done`.
    #[schema(value_type = String, example = "taken")]
    pub triage: Triage,
    /// Who works on it, or did; none of a new one.
    pub assignee: Option<String>,
    /// Changes and notes, the newest first.
    pub entries: Vec<TriageEntry>,
}

/// A change of the state of work, or a note.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = TriageEntryView)]
pub struct TriageEntry {
    #[schema(value_type = Uuid)]
    pub id: TriageEntryId,
    /// The state that it set: `new`, `taken` or `done`; none of a note alone.
    #[schema(value_type = Option<String>)]
    pub triage: Option<Triage>,
    pub assignee: Option<String>,
    /// What the author wrote, masked.
    pub note: Option<String>,
    /// Who did it; none if a later alert of the same problem did.
    pub author: Option<String>,
    pub created_at: Timestamp,
}
