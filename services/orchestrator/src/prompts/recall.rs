//! What agents read of their searches in memories and past sessions.

use minijinja::context;
use tarsy_contracts::memory::GivenMemory;
use tarsy_contracts::search::{SearchHit, SearchMatch};
use tarsy_domain::review::Review;

use super::Prompts;
use super::fence::line;
use super::memories::shown;

impl Prompts {
    /// The answer to a search in memories.
    pub(crate) fn recalled(&self, memories: &[GivenMemory]) -> String {
        self.render("recalled", context! { memories => shown(memories) })
    }

    /// The answer to a search in past sessions.
    pub(crate) fn past_sessions(&self, hits: &[SearchHit]) -> String {
        let sessions: Vec<_> = hits.iter().map(session).collect();
        self.render("past_sessions", context! { sessions })
    }
}

fn session(hit: &SearchHit) -> minijinja::Value {
    let session = &hit.session;
    let title = session.title.as_ref().or(session.alert_type.as_ref());
    let is_wrong = session.review == Some(Review::Wrong);
    let texts = hit.matches.iter().filter(|one| !is_wrong || !is_finding(one));
    let texts: Vec<String> =
        texts.map(|one| format!("{}: {}", one.kind, line(&one.excerpt))).collect();
    let review = match session.review {
        None => "Nobody reviewed it: what it found is unconfirmed.",
        Some(Review::Accurate) => "A person reviewed its finding as accurate.",
        Some(Review::Partly) => "A person reviewed its finding as right in part only.",
        Some(Review::Wrong) => "A person reviewed its finding as wrong; it is not repeated here.",
    };
    context! {
        id => session.id.to_string(),
        date => session.created_at.strftime("%Y-%m-%d").to_string(),
        title => title.map_or_else(|| "an alert without a title".to_owned(), |title| line(title)),
        review,
        texts,
    }
}

/// Whether a text is what a session found, and not what an alert or a tool stated.
fn is_finding(one: &SearchMatch) -> bool {
    ["final_analysis", "executive_summary", "verdict", "answer"].contains(&one.kind.as_str())
}
