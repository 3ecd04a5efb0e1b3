//! Memories: facts that people confirmed in reviews, as the API shows them and investigations are given them.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use tarsy_domain::id::{MemoryId, SessionId};
use tarsy_domain::memory::{MemoryEffect, MemoryState};
use tarsy_domain::review::Review;
use utoipa::ToSchema;

/// A fact that people confirmed in reviews.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Memory {
    #[schema(value_type = Uuid)]
    pub id: MemoryId,
    /// What was the case, on one line; masked.
    pub text: String,
    /// What it is about, such as a service or a pod.
    pub object: Option<String>,
    /// The kind of cause, such as `configuration`.
    pub category: Option<String>,
    /// `active`, or `retired`: then investigations are not given it.
    #[schema(value_type = String, example = "active")]
    pub state: MemoryState,
    /// How many sessions confirm it.
    pub confirmations: i32,
    /// How many sessions were wrong with it.
    pub contradictions: i32,
    /// When the first review stated it.
    pub created_at: Timestamp,
    /// When a review confirmed it last.
    pub confirmed_at: Timestamp,
    /// Who wrote its text or decided its state last; none for one that reviews alone made.
    pub edited_by: Option<String>,
    pub edited_at: Option<Timestamp>,
    /// The sessions that confirm or contradict it, the newest first; at most 10.
    pub sources: Vec<MemorySource>,
}

/// A reviewed session that confirms or contradicts a memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct MemorySource {
    #[schema(value_type = Uuid)]
    pub session_id: SessionId,
    /// The title of its alert, or else its type.
    pub title: Option<String>,
    /// `confirms` or `contradicts`.
    #[schema(value_type = String)]
    pub effect: MemoryEffect,
    /// What its reviewer thought of its finding: `accurate`, `partly` or `wrong`.
    #[schema(value_type = String)]
    pub review: Review,
    pub reviewer: String,
    pub ended_at: Timestamp,
}

/// Memories, those that were confirmed last first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct MemoryPage {
    pub memories: Vec<Memory>,
    /// Asks for what follows; none at the end.
    pub next_cursor: Option<String>,
}

/// A memory as it stood when an investigation was given it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct GivenMemory {
    #[schema(value_type = Uuid)]
    pub memory_id: MemoryId,
    pub text: String,
    pub object: Option<String>,
    pub category: Option<String>,
    pub confirmations: i32,
    /// When a review confirmed it last.
    pub confirmed_at: Timestamp,
    /// The session that confirmed it last.
    #[schema(value_type = Uuid)]
    pub session_id: SessionId,
    /// What its reviewer thought of its finding: `accurate`, `partly` or `wrong`.
    #[schema(value_type = String)]
    pub review: Review,
    pub ended_at: Timestamp,
}
