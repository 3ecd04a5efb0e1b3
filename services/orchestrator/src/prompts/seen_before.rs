//! Reviewed sessions about the same problem, as prompts show them.

use minijinja::context;
use tarsy_contracts::review::SeenBefore;
use tarsy_domain::review::Review;

use crate::prompts::fence::{cut, fenced, line};

/// The most of one session that a prompt contains, in bytes.
pub(super) const MAX_BYTES: usize = 2_048;
/// The most of that for the actual cause.
const MAX_CAUSE_BYTES: usize = 1_024;

/// The sessions as the templates name them.
pub(super) fn sessions(seen_before: &[SeenBefore]) -> Vec<minijinja::Value> {
    seen_before
        .iter()
        .map(|one| context! { ended => one.ended_at.strftime("%Y-%m-%d").to_string(), record => record(one) })
        .collect()
}

/// Of a finding that was wrong, only that it was: a model must not take it for a fact.
fn record(one: &SeenBefore) -> String {
    let mut parts = vec![outcome(one.review).to_owned()];
    if let Some(object) = &one.object {
        parts.push(format!("Object: {}", line(object)));
    }
    if let Some(category) = &one.category {
        parts.push(format!("Category: {}", line(category)));
    }
    if let Some(cause) = &one.actual_cause {
        parts.push(format!(
            "The actual cause, as a person wrote it: {}",
            cut(&fenced(cause), MAX_CAUSE_BYTES)
        ));
    }
    if let Some(finding) = one.finding.as_deref().filter(|_| one.review != Review::Wrong) {
        parts.push(format!("The finding then:\n{}", fenced(finding)));
    }
    cut(&parts.join("\n"), MAX_BYTES)
}

const fn outcome(review: Review) -> &'static str {
    match review {
        Review::Accurate => "A person reviewed the finding then as accurate.",
        Review::Partly => "A person reviewed the finding then as right in part only.",
        Review::Wrong => "A person reviewed the finding then as wrong; it is not repeated here.",
    }
}
