//! When a fault began, as its evidence shows it.

use tarsy_evidence::{ClaimKind, extract};

use crate::facts::{Event, Facts};
use crate::verdict::Quote;

/// The age of the first event among the quotations, or the first time that stands in one.
pub(crate) fn of(evidence: &[Quote], facts: &Facts) -> Option<String> {
    evidence.iter().find_map(|quote| age(quote, facts).or_else(|| time(&quote.text)))
}

fn age(quote: &Quote, facts: &Facts) -> Option<String> {
    let is_quoted = |event: &&Event| {
        let number = facts.results.get(event.result).map(|result| result.number);
        let has_time = !event.seen.trim().is_empty();
        number == Some(quote.call) && event.line == quote.line && has_time
    };
    facts.events.iter().find(is_quoted).map(|event| first_seen(&event.seen).to_owned())
}

/// Of a repeated event, how long it has been repeated: `75s (x12 over 3m)`.
fn first_seen(age: &str) -> &str {
    let over = age.split_once(" over ").map(|(_, over)| over.trim_end_matches(')'));
    over.unwrap_or(age).trim()
}

fn time(line: &str) -> Option<String> {
    let claims = extract(line);
    let found = claims.iter().find(|claim| claim.kind() == ClaimKind::Time)?;
    line.get(found.range.clone()).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_beginning_is_a_time_or_an_age_as_it_stands_in_the_line() {
        assert_eq!(first_seen("75s (x12 over 3m)"), "3m");
        assert_eq!(first_seen("4h"), "4h");
        let line = "2026-03-01T10:00:05Z checkout: connection refused by postgres:5432";
        assert_eq!(time(line).as_deref(), Some("2026-03-01T10:00:05Z"));
        assert_eq!(time("connection refused by postgres:5432"), None);
    }
}
