//! Where the secrets are, and the text without them.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ops::Range;

use memchr::memchr_iter;

use crate::error::Error;
use crate::json::{self, Scalar};
use crate::patterns::Pattern;
use crate::yaml;

/// The name under which known values are counted.
pub(crate) const KNOWN_VALUE: &str = "known_value";

/// Patterns that know a secret by itself, wherever it stands.
const NAMELESS: [Pattern; 3] = [Pattern::Jwt, Pattern::Email, Pattern::UrlPassword];

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
        let range = between_escapes(text, range);
        let value = text.get(range.clone()).unwrap_or("?");
        if !range.is_empty() && !is_mask(value) {
            self.found.push(Span { range, finder });
        }
    }

    /// Takes over what was found in a view of the text.
    pub(crate) fn add_all(&mut self, other: Self, place: impl Fn(Range<usize>) -> Range<usize>) {
        let placed = other.found.into_iter();
        self.found.extend(placed.map(|span| Span { range: place(span.range), ..span }));
    }

    /// Notes again what was found, so many bytes further on.
    pub(crate) fn repeat(&mut self, found: Range<usize>, distance: usize) {
        for at in found {
            let Some(Span { range, finder }) = self.found.get(at).cloned() else { return };
            self.found.push(Span { range: range.start + distance..range.end + distance, finder });
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.found.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// Cuts what was found to one scalar of JSON. A key stays, unless it is a secret by itself.
    pub(crate) fn keep_within(&mut self, scalars: &[Scalar]) {
        for span in &mut self.found {
            let Span { range, finder } = span;
            let scalar = json::scalar_of(scalars, range);
            let by_name = matches!(finder, Finder::Pattern(pattern) if !NAMELESS.contains(pattern));
            let scalar = scalar.filter(|scalar| !scalar.is_key || !by_name);
            let place = scalar.map_or(0..0, |scalar| scalar.range.clone());
            let start = range.start.max(place.start);
            *range = start..range.end.min(place.end).max(start);
        }
        self.found.retain(|span| !span.range.is_empty());
    }

    /// Replaces the secrets; those that touch the same bytes become one, named by the one that reaches farthest.
    /// None if there are none.
    pub(crate) fn apply(mut self, text: &str) -> Result<Option<Applied>, Error> {
        if self.found.is_empty() {
            return Ok(None);
        }
        // Most texts have them in order already.
        let order = |span: &Span| (span.range.start, Reverse(span.range.end));
        if !self.found.is_sorted_by_key(order) {
            self.found.sort_by_key(order);
        }
        // Most masks are longer than what they replace.
        let mut masked = String::with_capacity(text.len() + MASK_LENGTH * self.found.len());
        let (mut edits, mut plain) = (Vec::with_capacity(self.found.len()), true);
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
            if let Some(end) = yaml::scalar_end(text, &span.range) {
                span.range.end = end;
                while spans.next_if(|next| next.range.start < end).is_some() {}
            }
            let misplaced = || Error::Misplaced { rule: span.finder.name() };
            let before = text.get(at..span.range.start).ok_or_else(misplaced)?;
            let value = text.get(span.range.clone()).ok_or_else(misplaced)?;
            plain &= value.bytes().all(is_plain);
            masked.push_str(before);
            let quote = missing_quote(text, &span.range);
            let start = masked.len();
            masked.extend([quote, span.finder.replacement(), quote]);
            at = span.range.end;
            edits.push(Edit {
                from: span.range,
                to: start..masked.len(),
                rule: span.finder.name(),
            });
        }
        masked.push_str(text.get(at..).unwrap_or_default());
        Ok(Some(Applied { text: masked, edits, plain }))
    }
}

/// A text after its secrets were taken out.
#[derive(Debug)]
pub(crate) struct Applied {
    pub(crate) text: String,
    /// What was replaced, in the order of the text.
    pub(crate) edits: Vec<Edit>,
    /// Whether all that was taken out were plain words, which nothing else can hang on.
    pub(crate) plain: bool,
}

/// One replacement.
#[derive(Debug)]
pub(crate) struct Edit {
    /// Where the secret was.
    pub(crate) from: Range<usize>,
    /// Where its mask is.
    pub(crate) to: Range<usize>,
    pub(crate) rule: &'static str,
}

impl Applied {
    /// Where a place of the text before is now; the replacement that took it out, if one did.
    pub(crate) fn moved(&self, place: usize) -> Result<usize, &Edit> {
        let next = self.edits.partition_point(|edit| edit.from.end <= place);
        match self.edits.get(next) {
            Some(edit) if edit.from.start < place => return Err(edit),
            _ => {}
        }
        let last = next.checked_sub(1).and_then(|last| self.edits.get(last));
        Ok(last.map_or(place, |edit| place - edit.from.end + edit.to.end))
    }

    /// Counts what was replaced within a part of the text as it is now.
    pub(crate) fn count(&self, part: &Range<usize>, counts: &mut BTreeMap<&'static str, usize>) {
        // Neighbours mostly have one rule.
        for edits in self.edits.chunk_by(|a, b| a.rule == b.rule) {
            let count = edits.iter().filter(|edit| part.contains(&edit.to.start)).count();
            if let Some(first) = edits.first().filter(|_| count > 0) {
                *counts.entry(first.rule).or_insert(0) += count;
            }
        }
    }
}

/// Whether a byte of a secret has no meaning to any reader of ours.
fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(byte, b'+' | b'/' | b'=' | b'.' | b'_' | b'~' | b'%' | b'!' | b'*')
}

/// Leaves an escape whole that a range begins or ends inside: its backslash would change what stands behind the mask.
fn between_escapes(text: &str, range: Range<usize>) -> Range<usize> {
    let Range { mut start, mut end } = range;
    let slashes = |until: usize, from: usize| {
        let before = text.as_bytes().get(from..until).unwrap_or_default();
        before.iter().rev().take_while(|byte| **byte == b'\\').count()
    };
    if slashes(start, 0) % 2 == 1 && start < end {
        let first = text.get(start..).and_then(|rest| rest.chars().next());
        start += first.map_or(0, |first| if first == 'u' { 5 } else { first.len_utf8() });
        start = text.ceil_char_boundary(start).min(end);
    }
    let quoted = matches!(text.as_bytes().get(end), Some(b'"' | b'\''));
    let trailing = if start < end { slashes(end, start) } else { 0 };
    if trailing > 0 && (quoted || trailing % 2 == 1) {
        end -= if quoted { trailing } else { 1 };
    }
    start..end.max(start)
}

/// The quotes that a mask needs where JSON has a number or a truth value: as the last string before it has them.
fn missing_quote<'a>(text: &'a str, range: &Range<usize>) -> &'a str {
    let before = text.get(..range.start).unwrap_or_default();
    let after = text.get(range.end..).unwrap_or_default().trim_ascii_start();
    let ends =
        after.is_empty() || after.starts_with([',', '}', ']']) || is_line_end(text, range.end);
    if !ends {
        return "";
    }
    let joint = before.trim_ascii_end();
    let key = match joint.as_bytes().last() {
        Some(b':') => joint.strip_suffix(':').filter(|key| ends_with_key(key)),
        Some(b'[' | b',') if is_literal(text.get(range.clone()).unwrap_or_default()) => {
            let near = text.ceil_char_boundary(joint.len().saturating_sub(NEAR));
            let last = joint.get(near..).and_then(|near| near.rfind('"'));
            let literals =
                |byte: u8| byte.is_ascii_digit() || b" \t\r\n[],:{}-+.eEtrufalsn".contains(&byte);
            last.map(|last| near + last)
                .filter(|last| joint.bytes().skip(last + 1).all(literals))
                .and_then(|last| joint.get(..=last))
        }
        _ => None,
    };
    let Some(key) = key else { return "" };
    let quote = key.len() - 1;
    let before = key.get(..quote).unwrap_or_default();
    let slashes = quote - before.trim_end_matches('\\').len();
    // Two and two are escaped themselves and belong to the string.
    key.get(if slashes % 2 == 1 { quote - slashes } else { quote }..).unwrap_or_default()
}

/// How far before a value in a list its neighbours are.
const NEAR: usize = 128;

/// Whether a text ends with a name in quotes.
fn ends_with_key(text: &str) -> bool {
    let Some(name) = text.strip_suffix('"').map(|text| text.trim_end_matches('\\')) else {
        return false;
    };
    let from = name.ceil_char_boundary(name.len().saturating_sub(NEAR));
    let near = name.get(from..).unwrap_or_default();
    near.rfind('"')
        .and_then(|quote| near.get(quote + 1..))
        .is_some_and(|key| !key.is_empty() && !key.trim_start().starts_with([':', ',', ']', '}']))
}

fn is_line_end(text: &str, at: usize) -> bool {
    let rest = text.get(at..).unwrap_or_default().trim_start_matches([' ', '\t']);
    rest.starts_with(['\n', '\r'])
}

/// Whether JSON writes a value without quotes.
fn is_literal(value: &str) -> bool {
    let number = value
        .bytes()
        .all(|byte| byte.is_ascii_digit() || matches!(byte, b'-' | b'+' | b'.' | b'e' | b'E'));
    number || matches!(value, "true" | "false" | "null")
}

/// How long a replacement is, about.
const MASK_LENGTH: usize = 18;
/// How long what a replacement says may be, with its bracket.
const MAX_MASK: usize = 65;
/// How each of our replacements begins.
const MASK: &str = "[MASKED_";

/// Where one of our replacements ends that begins at a place.
pub(crate) fn mask_end(text: &str, at: usize) -> Option<usize> {
    if text.as_bytes().get(at) != Some(&b'[') {
        return None;
    }
    let rest = text.as_bytes().get(at..)?.strip_prefix(MASK.as_bytes())?;
    let near = rest.get(..rest.len().min(MAX_MASK))?;
    let length = near.iter().position(|byte| !is_mask_letter(*byte))?;
    let closes = length > 0 && near.get(length) == Some(&b']');
    closes.then_some(at + MASK.len() + length + 1)
}

/// Where our replacements are in a text.
pub(crate) fn masks(text: &str) -> Vec<Range<usize>> {
    let begins = memchr_iter(b'[', text.as_bytes());
    begins.filter_map(|at| Some(at..mask_end(text, at)?)).collect()
}

fn is_mask_letter(byte: u8) -> bool {
    byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_'
}

/// Whether a value is one of our replacements and nothing else.
pub(crate) fn is_mask(value: &str) -> bool {
    value
        .strip_prefix(MASK)
        .and_then(|rest| rest.strip_suffix(']'))
        .is_some_and(|what| !what.is_empty() && what.bytes().all(is_mask_letter))
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
        let applied = spans.apply(text).expect("in place").expect("something");
        assert_eq!(applied.text, "a[MASKED_PASSWORD][MASKED_EMAIL]hij");
        let mut counts = BTreeMap::new();
        applied.count(&(0..usize::MAX), &mut counts);
        assert_eq!(counts, BTreeMap::from([("password", 1), ("email", 1)]));
        assert_eq!(applied.moved(1).ok(), Some(1));
        assert!(applied.moved(3).is_err());
        assert_eq!(applied.moved(6).ok(), Some(18));
        assert_eq!(applied.moved(10).ok(), Some(applied.text.len()));
    }

    #[test]
    fn a_span_outside_the_text_is_an_error_not_a_panic() {
        let mut spans = Spans::default();
        spans.add("é", 1..2, Finder::KnownValue);
        assert!(spans.apply("é").is_err());
    }

    #[test]
    fn only_a_whole_mask_counts_as_masked() {
        assert!(is_mask("[MASKED_API_KEY]"));
        for text in ["[MASKED_]", "[MASKED_X]y", "x[MASKED_X]", "[MASKED_x]"] {
            assert!(!is_mask(text), "{text}");
        }
    }
}
