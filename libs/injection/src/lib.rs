//! Finds text that is addressed to a model in what tools return and alerts carry.
//!
//! Pure: text in, findings out. Logs, tickets and web pages may contain sentences that anybody wrote for the model that
//! will read them: "ignore your instructions", a forged system message, an order to call a tool. [`find`]
//! recognises their usual forms, also in other spellings, markup, escapes and encodings.
//!
//! # Limits
//!
//! No list of forms is complete: a text without a finding is not safe, and a finding is no proof of an attack. Callers use
//! findings to require a person's approval, never to trust a text.
//!
//! The time grows with the length of the text alone. At most [`MAX_FINDINGS`] are returned, the first ones; an excerpt has at
//! most [`MAX_EXCERPT`] characters.

mod encoded;
mod finding;
mod markup;
mod phrases;
mod requests;
mod words;

pub use crate::finding::{Finding, Kind, MAX_EXCERPT, MAX_FINDINGS};
use crate::words::Words;

/// Finds where a text addresses a model, in the order of the lines. `tools` are the names that the model can call.
pub fn find(text: &str, tools: &[&str]) -> Vec<Finding> {
    let mut found = find_plain(text, tools);
    for part in encoded::parts(text) {
        let line = words::line_at(text, part.start);
        let inner = find_plain(&part.decoded, tools);
        found.extend(inner.into_iter().map(|finding| Finding { line, ..finding }));
    }
    found.sort_by_key(|finding| (finding.line, finding.kind));
    found.dedup_by_key(|finding| (finding.line, finding.kind));
    found.truncate(MAX_FINDINGS);
    found
}

fn find_plain(text: &str, tools: &[&str]) -> Vec<Finding> {
    let words = Words::new(text);
    let places = phrases::places(&words)
        .chain(requests::places(&words, tools))
        .map(|(kind, at)| (kind, words.source(at)))
        .chain(markup::places(text));
    places.map(|(kind, at)| finding(text, kind, at)).collect()
}

/// The finding at a byte of the text.
fn finding(text: &str, kind: Kind, at: usize) -> Finding {
    let begin = text.get(..at).and_then(|before| before.rfind('\n')).map_or(0, |end| end + 1);
    let line = text.get(begin..).unwrap_or_default().lines().next().unwrap_or_default();
    let skipped = line.get(..at.saturating_sub(begin)).map_or(0, |before| before.chars().count());
    // A little of what stands before the place shows where it comes from.
    let skipped = skipped.saturating_sub(MAX_EXCERPT / 4);
    let excerpt = line.chars().filter(|sign| !words::is_invisible(*sign));
    let excerpt: String = excerpt.skip(skipped).take(MAX_EXCERPT).collect();
    Finding { kind, line: words::line_at(text, at), excerpt: excerpt.trim().to_owned() }
}
