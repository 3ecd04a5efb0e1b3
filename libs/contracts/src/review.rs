//! Reviews of sessions, and earlier sessions about the same problem, as the API shows them and the store reads them for it.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use tarsy_domain::id::SessionId;
use tarsy_domain::review::Review;
use utoipa::ToSchema;

/// The sessions before one whose alert has the same fingerprint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct EarlierSessions {
    /// How many there are; at most 100 are counted.
    pub count: i64,
    /// The newest of them.
    #[schema(value_type = Option<Uuid>)]
    pub last_session_id: Option<SessionId>,
}

/// A person's judgement of what a session found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = ReviewView)]
pub struct SessionReview {
    /// `accurate`, `partly` or `wrong`.
    #[schema(value_type = String, example = "accurate")]
    pub review: Review,
    /// What the actual cause was, masked.
    pub actual_cause: Option<String>,
    /// The object that the cause was in, such as a service or a pod; masked.
    pub object: Option<String>,
    /// The kind of cause, such as `configuration`; masked.
    pub category: Option<String>,
    pub reviewer: String,
    pub reviewed_at: Timestamp,
}

/// A reviewed session about the same problem, as it stood when a later investigation began and was given to it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SeenBefore {
    #[schema(value_type = Uuid)]
    pub session_id: SessionId,
    /// What a person thought of its finding: `accurate`, `partly` or `wrong`.
    #[schema(value_type = String)]
    pub review: Review,
    /// What the actual cause was, as that person wrote it.
    pub actual_cause: Option<String>,
    pub object: Option<String>,
    /// The kind of cause.
    pub category: Option<String>,
    /// What was found then, in short; of a finding that was wrong, nothing.
    pub finding: Option<String>,
    pub ended_at: Timestamp,
}
