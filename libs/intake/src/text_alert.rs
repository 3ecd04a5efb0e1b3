//! An alert that somebody wrote as a text.

use serde_json::{Value, json};

use crate::alert::Draft;
use crate::title::title_of;
use crate::usual;

/// The alert of a text: its title is the first line that means something, and its lines may have further members.
pub(crate) fn draft(raw: Value) -> Draft {
    let text = raw.as_str().unwrap_or_default();
    let payload = json!({"title": title_of(text), "message": text});
    let draft = usual::read(&payload).drafts.pop().unwrap_or_default();
    Draft { raw, ..draft }
}
