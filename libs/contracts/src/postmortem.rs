//! A postmortem that is made of the records of sessions. Its texts are those of the records, masked, or sentences made of them.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use tarsy_domain::id::SessionId;
use tarsy_domain::postmortem::{CauseState, MomentKind, ProseFailure, ProseSection, ProseStatus};
use tarsy_domain::status::SessionStatus;
use utoipa::ToSchema;

use crate::claim::ClaimCounts;

/// What happened, why, what became of it, and what is left to do, as far as records show it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Postmortem {
    /// The alert in one line.
    pub title: String,
    /// The sessions that it is made of, the one that was asked for first.
    pub sessions: Vec<PostmortemSession>,
    /// Sentences.
    pub summary: Vec<String>,
    /// The executive summary of the first session, as its author wrote it.
    pub executive_summary: Option<String>,
    pub impact: PostmortemImpact,
    /// The incident in the order of time.
    pub timeline: Vec<PostmortemMoment>,
    /// Moments that are left out because there are very many.
    pub moments_left_out: usize,
    pub cause: PostmortemCause,
    /// What helped to find or end it.
    pub helped: Vec<String>,
    /// What was not examined, failed or was not there.
    pub missing: Vec<String>,
    /// What is left to do.
    pub actions: Vec<PostmortemAction>,
    /// Questions about the sessions with their answers.
    pub questions: Vec<PostmortemQuestion>,
    /// What the records do not have, and a person has to write.
    pub to_fill: Vec<String>,
    /// Other sessions that may be about the same incident.
    pub related: Vec<RelatedSession>,
    /// What a model wrote of it; none before somebody asked, and of several sessions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prose: Option<PostmortemProse>,
}

/// What a model wrote of an incident from the facts of its record: each sentence names those it rests on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PostmortemProse {
    /// `pending`, `in_progress`, `completed` or `failed`. Until it is completed, what rules write is the text.
    #[schema(value_type = String, example = "completed")]
    pub status: ProseStatus,
    /// Why there is none: `invalid`, `failed`, `timed_out`, `budget_used_up`, `attempts_used_up` or `unreadable`.
    #[schema(value_type = Option<String>)]
    pub failure: Option<ProseFailure>,
    /// The provider whose model wrote it.
    pub provider: Option<String>,
    pub model: Option<String>,
    pub requested_by: String,
    pub requested_at: Timestamp,
    pub finished_at: Option<Timestamp>,
    /// In the order of their sections.
    pub sentences: Vec<ProseSentence>,
    /// Sentences of the model that were left out, because they rest on no fact.
    pub left_out: i32,
    /// The facts that the model was given.
    pub facts: Vec<PostmortemFact>,
    /// What a person made of it, which is shown in its place.
    pub edited: Option<EditedProse>,
    /// Whether the record has changed since the model was given its facts.
    pub outdated: bool,
}

/// A fact of a record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PostmortemFact {
    #[schema(example = "F7")]
    pub id: String,
    pub text: String,
    /// Who or what states it, such as `call 3 (ops.logs)`.
    pub source: String,
}

/// A sentence that a model wrote.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ProseSentence {
    /// `summary`, `what_happened` or `lessons`.
    #[schema(value_type = String, example = "summary")]
    pub section: ProseSection,
    pub text: String,
    /// The ids of the facts that it rests on, at least one.
    pub facts: Vec<String>,
}

/// The sections of the prose, as a person wrote them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ProseTexts {
    /// At most 8,000 characters each.
    pub summary: String,
    pub what_happened: String,
    pub lessons: String,
}

/// A person's version of the prose.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct EditedProse {
    #[serde(flatten)]
    pub texts: ProseTexts,
    pub by: String,
    pub at: Timestamp,
}

impl PostmortemProse {
    /// Whether it stands in the place of what rules write.
    pub fn is_shown(&self) -> bool {
        self.status == ProseStatus::Completed
    }
}

/// A session of a postmortem.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PostmortemSession {
    #[schema(value_type = Uuid)]
    pub id: SessionId,
    /// Its page of the dashboard.
    pub page: String,
    #[schema(value_type = String, example = "completed")]
    pub status: SessionStatus,
    pub created_at: Timestamp,
    pub completed_at: Option<Timestamp>,
}

/// Where and for how long, and how it was noticed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PostmortemImpact {
    pub severity: Option<String>,
    pub service: Option<String>,
    pub namespace: Option<String>,
    pub cluster: Option<String>,
    /// When it began, as far as it is known.
    pub began: Option<PostmortemTime>,
    /// When the first alert of it came.
    pub noticed: Option<PostmortemTime>,
    /// When it was over; none if no record shows it.
    pub ended: Option<PostmortemTime>,
    /// From its beginning to the first alert.
    pub seconds_to_notice: Option<i64>,
    /// From the first alert to the end of the first session that states a cause.
    pub seconds_to_cause: Option<i64>,
    /// From its beginning to its end.
    pub seconds: Option<i64>,
    /// Different alerts.
    pub alerts: i64,
    /// How often these were sent.
    pub notifications: i64,
    /// What depends on what it is about.
    pub dependents: Vec<String>,
}

/// A time with what states it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PostmortemTime {
    pub at: Timestamp,
    /// Such as `call 3 (ops.logs)`.
    pub stated_by: String,
}

/// Something that happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PostmortemMoment {
    pub at: Timestamp,
    /// `change`, `signal`, `alert`, `repeat`, `resolved`, `finding`, `action` or `person`.
    #[schema(value_type = String, example = "change")]
    pub kind: MomentKind,
    pub text: String,
    /// Who or what states it.
    pub source: String,
    /// A page about it.
    pub link: Option<String>,
}

/// Why it happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PostmortemCause {
    /// `reviewed`, `stated` or `not_found`.
    #[schema(value_type = String, example = "stated")]
    pub state: CauseState,
    /// The cause; without one, that none was found.
    pub text: String,
    /// What became of the alert's own statement.
    pub alert_statement: Option<String>,
    /// What speaks for a cause without deciding.
    pub hint: Option<String>,
    /// The kind of cause, as people read it.
    pub category: Option<String>,
    /// What the cause is in.
    pub object: Option<String>,
    /// Since when, as a result shows it.
    pub since: Option<String>,
    /// `low`, `medium` or `high`; none of a cause that a person named.
    pub confidence: Option<String>,
    /// Who reviewed the finding, when, and how.
    pub review: Option<String>,
    pub evidence: Vec<PostmortemEvidence>,
    /// The change that explains it.
    #[serde(default)]
    pub change: Option<PostmortemMoment>,
    /// Other causes that were considered, with why they are ruled out or rank lower.
    pub alternatives: Vec<String>,
    /// What the other sessions found.
    pub others: Vec<String>,
    /// The claims of the texts of the first session, and how many of them a result shows; none if nothing was checked.
    pub claims: Option<ClaimCounts>,
}

/// A line of a result that the cause rests on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PostmortemEvidence {
    /// Such as `call 3 (ops.logs)`.
    pub source: String,
    /// Word for word.
    pub text: String,
}

/// Something to do. Owner and due date are left to a person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PostmortemAction {
    pub text: String,
    /// What of the record it follows from.
    pub because: String,
    pub owner: Option<String>,
}

/// A question about a session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PostmortemQuestion {
    pub question: String,
    pub author: String,
    pub asked_at: Timestamp,
    /// None while it is not answered.
    pub answer: Option<String>,
}

/// A session that may be about the same incident.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RelatedSession {
    #[schema(value_type = Uuid)]
    pub id: SessionId,
    /// The alert in one line.
    pub title: Option<String>,
    pub created_at: Timestamp,
    /// `same_alert` or `same_group`.
    #[schema(example = "same_alert")]
    pub because: String,
}
