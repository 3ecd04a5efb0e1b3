//! The masker: passes over a text until nothing new is found.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use aho_corasick::{AhoCorasick, MatchKind};
use memchr::{memchr, memrchr};
use regex::{Captures, Regex};

use crate::base64;
use crate::error::Error;
use crate::json;
use crate::kubernetes::{self, Look};
use crate::part::Part;
use crate::patterns::Pattern;
use crate::rules::Custom;
use crate::scan::Search;
use crate::spans::{Applied, Edit, Finder, Spans};

/// The name under which matches of the operator's expressions are counted.
const CUSTOM: &str = "custom";
/// How often a text is looked at; a short one more often, so that what is malformed comes to rest, too.
const MAX_PASSES: usize = 4;
const MAX_SHORT_PASSES: usize = 24;
/// From which length on a text is looked at again only where something was taken out.
const LONG: usize = 64 * 1024;
/// How far around a mask is looked again: so many lines, each no longer than this.
const NEAR_LINES: usize = 3;
const NEAR_BYTES: usize = 512;
/// How near to each other masks are that are looked at together.
const TOGETHER_BYTES: usize = 4 * NEAR_BYTES;
/// How short a known value may be.
const MIN_KNOWN_VALUE: usize = 6;

/// Takes secrets out of text; cheap to share, free of locks.
#[derive(Debug)]
pub struct Masker {
    search: Search,
    custom: Vec<Custom>,
    values: Option<AhoCorasick>,
}

/// A text without its secrets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Masked<'a> {
    /// The text; borrowed when nothing was found.
    pub text: Cow<'a, str>,
    /// How many secrets each pattern found; patterns that found none are left out.
    pub counts: BTreeMap<&'static str, usize>,
}

impl Masked<'_> {
    /// How many secrets were found in all.
    pub fn total(&self) -> usize {
        self.counts.values().sum()
    }
}

impl Masker {
    pub(crate) fn assemble(
        patterns: &BTreeSet<Pattern>,
        custom: Vec<Custom>,
        values: &[String],
    ) -> Result<Self, Error> {
        let mut known: Vec<String> = Vec::new();
        for value in values.iter().filter(|value| value.len() >= MIN_KNOWN_VALUE) {
            known.push(value.clone());
            // As the whole of an encoded text, as Kubernetes keeps it.
            known.push(base64::encode(value.as_bytes()));
        }
        let values = if known.is_empty() {
            None
        } else {
            let built = AhoCorasick::builder()
                .match_kind(MatchKind::LeftmostLongest)
                .build(&known)
                .map_err(|error| Error::Search(Box::new(error)))?;
            Some(built)
        };
        Ok(Self { search: Search::new(patterns)?, custom, values })
    }

    /// Whether secrets are found by names and prefixes alone, not by how random a word is, by values, or by expressions of an operator.
    pub(crate) fn finds_by_name(&self) -> bool {
        let by_chance = [Pattern::Base64Secret, Pattern::Base64Short, Pattern::HighEntropy];
        self.custom.is_empty()
            && self.values.is_none()
            && !by_chance.into_iter().any(|pattern| self.search.has(pattern))
    }

    /// Masks the whole of a part; fails on a secret over its end.
    pub(crate) fn mask_part(&self, part: &mut Part<'_>) -> Result<(), Error> {
        // What is taken out may change how the rest reads: look until nothing new is found.
        let passes = if part.text.len() > LONG { MAX_PASSES } else { MAX_SHORT_PASSES };
        for _ in 0..passes {
            let Some(next) = self.pass(&part.text, part.look)? else { break };
            let long = next.text.len() > LONG;
            let complete = long && next.plain && self.is_complete(&next, part.look)?;
            part.apply(next)?;
            if complete {
                break;
            }
        }
        for custom in &self.custom {
            if let Some(next) = replaced(custom, &part.text) {
                part.apply(next)?;
            }
        }
        Ok(())
    }

    /// Whether nothing new is found near what was taken out: enough where all of that was plain words, which open and
    /// close nothing. Where most of the text is near, the next look at all of it says the same.
    fn is_complete(&self, applied: &Applied, look: Look) -> Result<bool, Error> {
        let parts = neighbourhoods(applied);
        if 2 * parts.iter().map(Range::len).sum::<usize>() > applied.text.len() {
            return Ok(false);
        }
        for part in parts {
            let near = applied.text.get(part).unwrap_or_default();
            if self.pass(near, Look { is_whole: false, ..look })?.is_some() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// One look at a text; none if it has no secrets.
    fn pass(&self, text: &str, look: Look) -> Result<Option<Applied>, Error> {
        let mut spans = Spans::default();
        if self.search.has(Pattern::KubernetesSecret) {
            let values = kubernetes::find(text, look).into_iter();
            // The source of a chart has templates where a Secret has values.
            for range in values.filter(|range| !is_template(text, range)) {
                spans.add(text, range, Finder::Pattern(Pattern::KubernetesSecret));
            }
        }
        self.search.run(text, &mut spans);
        if let Some(values) = &self.values {
            for hit in values.find_iter(text) {
                spans.add(text, hit.range(), Finder::KnownValue);
            }
        }
        if !spans.is_empty()
            && let Some(scalars) = json::scalars(text)
        {
            spans.keep_within(&scalars);
        }
        spans.apply(text)
    }
}

/// `{{ .Values.password | b64enc }}` and nothing else.
fn is_template(text: &str, range: &Range<usize>) -> bool {
    let value = text.get(range.clone()).unwrap_or_default().trim();
    let inside = value.strip_prefix("{{").and_then(|value| value.strip_suffix("}}"));
    inside.is_some_and(|inside| !inside.contains(['{', '}']) && inside.contains([' ', '.']))
}

/// The places of an operator's expression, in their order, with what replaces each.
fn matches<'a>(custom: &'a Custom, regex: &Regex, text: &str) -> Vec<(Range<usize>, Cow<'a, str>)> {
    if !custom.has_groups {
        // Where each group begins need not be found out.
        let found = regex.find_iter(text);
        return found.map(|one| (one.range(), Cow::from(&custom.replacement))).collect();
    }
    let expanded = |found: Captures<'_>| {
        let mut replacement = String::new();
        found.expand(&custom.replacement, &mut replacement);
        Some((found.get(0)?.range(), Cow::from(replacement)))
    };
    regex.captures_iter(text).filter_map(expanded).collect()
}

/// Replaces the matches of an operator's expression; none if there are none.
fn replaced(custom: &Custom, text: &str) -> Option<Applied> {
    let mut found = matches(custom, &custom.regex, text);
    if let Some(other) = &custom.other {
        found.extend(matches(custom, other, text));
        found.sort_by_key(|(range, _)| (range.start, Reverse(range.end)));
        found.dedup_by(|(next, _), (range, _)| {
            let overlaps = next.start < range.end;
            range.end = range.end.max(if overlaps { next.end } else { 0 });
            overlaps
        });
    }
    let mut masked = Replaced::default();
    for (range, replacement) in found {
        masked.replace(text, range, &replacement);
    }
    masked.applied(text)
}

/// A text in which matches are replaced one after the other.
#[derive(Default)]
struct Replaced {
    text: String,
    edits: Vec<Edit>,
    at: usize,
}

impl Replaced {
    fn replace(&mut self, from: &str, range: Range<usize>, replacement: &str) {
        self.text.push_str(from.get(self.at..range.start).unwrap_or_default());
        let start = self.text.len();
        self.text.push_str(replacement);
        self.at = range.end;
        self.edits.push(Edit { from: range, to: start..self.text.len(), rule: CUSTOM });
    }

    fn applied(mut self, from: &str) -> Option<Applied> {
        if self.edits.is_empty() {
            return None;
        }
        self.text.push_str(from.get(self.at..).unwrap_or_default());
        Some(Applied { text: self.text, edits: self.edits, plain: false })
    }
}

/// The parts of a text around its masks; neighbours are one part, because each look has its price.
fn neighbourhoods(applied: &Applied) -> Vec<Range<usize>> {
    let text = &applied.text;
    let (mut parts, mut edits) = (Vec::new(), applied.edits.iter().peekable());
    while let Some(edit) = edits.next() {
        let mut last = edit.to.end;
        while let Some(next) = edits.next_if(|next| next.to.start < last + TOGETHER_BYTES) {
            last = next.to.end;
        }
        let start = around(text, edit.to.start, |rest| memrchr(b'\n', rest), true);
        parts.push(start..around(text, last, |rest| memchr(b'\n', rest), false));
    }
    parts
}

/// Where the neighbourhood of a place begins or ends: a few lines away, and not too far.
fn around(text: &str, at: usize, line_end: impl Fn(&[u8]) -> Option<usize>, back: bool) -> usize {
    let mut place = at;
    for _ in 0..NEAR_LINES {
        let next = if back {
            let from = place.saturating_sub(NEAR_BYTES);
            let rest = text.as_bytes().get(from..place).unwrap_or_default();
            line_end(rest).map_or(from, |newline| from + newline)
        } else {
            let to = text.len().min(place + NEAR_BYTES);
            let rest = text.as_bytes().get(place..to).unwrap_or_default();
            line_end(rest).map_or(to, |newline| place + newline + 1)
        };
        place = next;
    }
    if back { text.floor_char_boundary(place) } else { text.ceil_char_boundary(place) }
}
