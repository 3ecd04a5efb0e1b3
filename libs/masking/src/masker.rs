//! The masker: text in, text without secrets out.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use aho_corasick::{AhoCorasick, MatchKind};

use crate::base64;
use crate::catalog::Pattern;
use crate::error::Error;
use crate::kubernetes;
use crate::rules::{Builder, Custom, MaskingRules};
use crate::scan::Search;
use crate::spans::{Finder, Spans};

/// The longest text that is masked at once.
pub const MAX_TEXT_BYTES: usize = 64 * 1024 * 1024;
/// What is shown instead of a text that could not be masked.
pub const WITHHELD: &str = "[The text was withheld: it could not be checked for secrets.]";
/// The name under which matches of the operator's expressions are counted.
const CUSTOM: &str = "custom";
/// How often a text is looked at.
const MAX_PASSES: usize = 4;
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

/// A text that was masked, or kept as it is because that failed.
#[derive(Debug)]
pub struct Kept<'a> {
    /// The text.
    pub text: Cow<'a, str>,
    /// Why the text is unmasked, if it is.
    pub failure: Option<Error>,
}

impl Masker {
    /// Starts a masker with nothing on.
    pub fn builder() -> Builder {
        Builder::default()
    }

    /// Builds a masker for rules; unknown names and expressions that do not compile are errors.
    pub fn new(rules: &MaskingRules) -> Result<Self, Error> {
        Self::builder().rules(rules).build()
    }

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

    /// Masks a text.
    pub fn mask<'a>(&self, text: &'a str) -> Result<Masked<'a>, Error> {
        if text.len() > MAX_TEXT_BYTES {
            return Err(Error::TooLong { bytes: text.len(), limit: MAX_TEXT_BYTES });
        }
        let mut counts = BTreeMap::new();
        let mut masked = Cow::Borrowed(text);
        // What is taken out may change how the rest reads: look until nothing new is found.
        for _ in 0..MAX_PASSES {
            match self.pass(&masked, &mut counts)? {
                Some(next) => masked = Cow::Owned(next),
                None => break,
            }
        }
        Ok(Masked { text: self.apply_custom(masked, &mut counts), counts })
    }

    /// One look at a text; none if it has no secrets.
    fn pass(
        &self,
        text: &str,
        counts: &mut BTreeMap<&'static str, usize>,
    ) -> Result<Option<String>, Error> {
        let mut spans = Spans::default();
        if self.search.has(Pattern::KubernetesSecret) {
            for range in kubernetes::find(text) {
                spans.add(text, range, Finder::Pattern(Pattern::KubernetesSecret));
            }
        }
        self.search.run(text, &mut spans);
        if let Some(values) = &self.values {
            for hit in values.find_iter(text) {
                spans.add(text, hit.range(), Finder::KnownValue);
            }
        }
        spans.apply(text, counts)
    }

    fn apply_custom<'a>(
        &self,
        text: Cow<'a, str>,
        counts: &mut BTreeMap<&'static str, usize>,
    ) -> Cow<'a, str> {
        let mut text = text;
        for custom in &self.custom {
            let found = custom.regex.find_iter(&text).count();
            if found > 0 {
                *counts.entry(CUSTOM).or_insert(0) += found;
                text = Cow::Owned(
                    custom.regex.replace_all(&text, custom.replacement.as_str()).into_owned(),
                );
            }
        }
        text
    }

    /// Masks a text, or withholds all of it if that fails: for what tools answer.
    pub fn mask_or_withhold<'a>(&self, text: &'a str) -> Masked<'a> {
        self.mask(text)
            .unwrap_or_else(|_| Masked { text: Cow::Borrowed(WITHHELD), counts: BTreeMap::new() })
    }

    /// Masks a text, or keeps it as it is if that fails, and says so: for alerts.
    pub fn mask_or_keep<'a>(&self, text: &'a str) -> Kept<'a> {
        match self.mask(text) {
            Ok(masked) => Kept { text: masked.text, failure: None },
            Err(error) => Kept { text: Cow::Borrowed(text), failure: Some(error) },
        }
    }
}
