//! What a search finds.

use serde::{Deserialize, Serialize};
use tarsy_domain::id::TimelineEventId;
use utoipa::ToSchema;

use crate::session::SessionItem;

/// A page of a search, the newest session first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SearchPage {
    /// The sessions that were found; there may be fewer than were asked for although more follow.
    pub hits: Vec<SearchHit>,
    /// Asks for what follows; none at the end.
    pub next_cursor: Option<String>,
}

/// A session in which all words occur in one text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SearchHit {
    pub session: SessionItem,
    /// Texts in which the words occur, at most 3.
    pub matches: Vec<SearchMatch>,
}

/// A text in which the words occur.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SearchMatch {
    /// `alert`, `final_analysis`, `executive_summary`, `verdict`, `tool_call`, `question`, `answer` or `error`.
    pub kind: String,
    /// The step that shows it, if there is one.
    #[schema(value_type = Option<Uuid>)]
    pub timeline_event_id: Option<TimelineEventId>,
    /// The tool call's number in the session.
    pub call_number: Option<i64>,
    /// The part of the text around the words.
    pub excerpt: String,
    /// Where the words stand in the excerpt.
    pub ranges: Vec<TextRange>,
}

/// A part of a text, in UTF-16 code units: as browsers count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TextRange {
    /// The first one.
    pub start: usize,
    /// Behind the last one.
    pub end: usize,
}
