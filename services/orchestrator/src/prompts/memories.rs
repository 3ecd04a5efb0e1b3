//! Memories, as prompts show them.

use minijinja::context;
use tarsy_contracts::memory::GivenMemory;
use tarsy_domain::review::Review;

use crate::prompts::fence::{cut, line};

/// The most of one memory that a prompt contains, in bytes.
const MAX_BYTES: usize = 1_024;

/// The memories as the templates name them.
pub(super) fn shown(memories: &[GivenMemory]) -> Vec<minijinja::Value> {
    memories
        .iter()
        .map(|one| context! { confirmed => one.confirmed_at.strftime("%Y-%m-%d").to_string(), record => record(one) })
        .collect()
}

fn record(one: &GivenMemory) -> String {
    let mut parts = vec![line(&one.text)];
    if let Some(object) = &one.object {
        parts.push(format!("Object: {}", line(object)));
    }
    if let Some(category) = &one.category {
        parts.push(format!("Category: {}", line(category)));
    }
    let ended = one.ended_at.strftime("%Y-%m-%d");
    let reviewed = match one.review {
        Review::Accurate => "whose finding a person reviewed as accurate",
        Review::Partly => {
            "whose finding a person reviewed as right in part only; this is what they wrote"
        }
        Review::Wrong => "whose finding a person reviewed as wrong; this is what they wrote",
    };
    parts.push(format!("From session {}, which ended {ended}, {reviewed}.", one.session_id));
    if one.confirmations > 1 {
        parts.push(format!("{} sessions confirm it.", one.confirmations));
    }
    cut(&parts.join("\n"), MAX_BYTES)
}
