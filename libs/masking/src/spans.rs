//! Where the secrets are, and the text without them.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::catalog::Pattern;
use crate::error::Error;

/// The name under which known values are counted.
pub(crate) const KNOWN_VALUE: &str = "known_value";

/// Which rule found a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Finder {
    /// A built-in pattern.
    Pattern(Pattern),
    /// A rule for the tokens of a vendor, by its name.
    Vendor(Pattern, &'static str),
    /// A value the caller knows to be secret.
    KnownValue,
}

impl Finder {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Pattern(pattern) => pattern.name(),
            Self::Vendor(_, rule) => rule,
            Self::KnownValue => KNOWN_VALUE,
        }
    }

    fn replacement(self) -> &'static str {
        match self {
            Self::Pattern(pattern) | Self::Vendor(pattern, _) => pattern.replacement(),
            Self::KnownValue => "[MASKED_SECRET]",
        }
    }
}

/// A secret in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) range: Range<usize>,
    pub(crate) finder: Finder,
}

/// The secrets of a text, as they are found.
#[derive(Debug, Default)]
pub(crate) struct Spans {
    found: Vec<Span>,
}

impl Spans {
    /// Notes a secret; nothing and what is masked already are left out.
    pub(crate) fn add(&mut self, text: &str, range: Range<usize>, finder: Finder) {
        let value = text.get(range.clone()).unwrap_or("?");
        if !range.is_empty() && !is_mask(value) {
            self.found.push(Span { range, finder });
        }
    }

    /// Replaces the secrets; those that touch the same bytes become one, named by the one that reaches farthest.
    /// None if there are none.
    pub(crate) fn apply(
        mut self,
        text: &str,
        counts: &mut BTreeMap<&'static str, usize>,
    ) -> Result<Option<String>, Error> {
        if self.found.is_empty() {
            return Ok(None);
        }
        self.found.sort_by(|a, b| {
            a.range.start.cmp(&b.range.start).then_with(|| b.range.end.cmp(&a.range.end))
        });
        let mut masked = String::with_capacity(text.len());
        let mut at = 0;
        let mut spans = self.found.into_iter().peekable();
        while let Some(mut span) = spans.next() {
            let mut longest = span.range.len();
            while let Some(next) = spans.next_if(|next| next.range.start < span.range.end) {
                span.range.end = span.range.end.max(next.range.end);
                if next.range.len() > longest {
                    longest = next.range.len();
                    span.finder = next.finder;
                }
            }
            let misplaced = || Error::Misplaced { rule: span.finder.name() };
            let before = text.get(at..span.range.start).ok_or_else(misplaced)?;
            text.get(span.range.clone()).ok_or_else(misplaced)?;
            masked.push_str(before);
            let quote = missing_quote(text, &span.range);
            masked.extend([quote, span.finder.replacement(), quote]);
            at = span.range.end;
            *counts.entry(span.finder.name()).or_insert(0) += 1;
        }
        masked.push_str(text.get(at..).unwrap_or_default());
        Ok(Some(masked))
    }
}

/// The quotes that a mask needs where JSON has a number or a truth value: as its key has them.
fn missing_quote<'a>(text: &'a str, range: &Range<usize>) -> &'a str {
    let before = text.get(..range.start).unwrap_or_default();
    let colon = before.trim_end_matches([' ', '\t']).strip_suffix(':');
    let Some(key) = colon.filter(|key| key.ends_with('"')) else { return "" };
    let slashes = key.trim_end_matches('"').len();
    let start = key.get(..slashes).unwrap_or_default().trim_end_matches('\\').len();
    let quote = key.get(start..).unwrap_or_default();
    let after = text.get(range.end..).unwrap_or_default().trim_start_matches([' ', '\t']);
    let ends = after.is_empty() || after.starts_with([',', '}', ']', '\n', '\r']);
    if ends && quote.matches('"').count() == 1 { quote } else { "" }
}

/// Where one of our replacements ends that begins at a place.
pub(crate) fn mask_end(text: &str, at: usize) -> Option<usize> {
    let rest = text.get(at..)?.strip_prefix("[MASKED_")?;
    let close = rest.bytes().take(64).position(|byte| byte == b']')?;
    let end = at + "[MASKED_".len() + close + 1;
    text.get(at..end).filter(|value| is_mask(value)).map(|_| end)
}

/// Whether a value is one of our replacements and nothing else.
pub(crate) fn is_mask(value: &str) -> bool {
    value.strip_prefix("[MASKED_").and_then(|rest| rest.strip_suffix(']')).is_some_and(|what| {
        !what.is_empty()
            && what
                .bytes()
                .all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overlapping_secrets_become_one_and_neighbours_stay_two() {
        let text = "abcdefghij";
        let mut spans = Spans::default();
        spans.add(text, 1..3, Finder::Pattern(Pattern::Jwt));
        spans.add(text, 2..6, Finder::Pattern(Pattern::Password));
        spans.add(text, 6..7, Finder::Pattern(Pattern::Email));
        let mut counts = BTreeMap::new();
        let masked = spans.apply(text, &mut counts).expect("in place");
        assert_eq!(masked.as_deref(), Some("a[MASKED_PASSWORD][MASKED_EMAIL]hij"));
        assert_eq!(counts, BTreeMap::from([("password", 1), ("email", 1)]));
    }

    #[test]
    fn a_span_outside_the_text_is_an_error_not_a_panic() {
        let mut spans = Spans::default();
        spans.add("é", 1..2, Finder::KnownValue);
        assert!(spans.apply("é", &mut BTreeMap::new()).is_err());
    }

    #[test]
    fn only_a_whole_mask_counts_as_masked() {
        assert!(is_mask("[MASKED_API_KEY]"));
        for text in ["[MASKED_]", "[MASKED_X]y", "x[MASKED_X]", "[MASKED_x]"] {
            assert!(!is_mask(text), "{text}");
        }
    }
}
