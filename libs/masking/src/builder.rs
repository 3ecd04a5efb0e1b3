//! How a masker is built and used.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use tarsy_domain::suggest::nearest;

use crate::error::Error;
use crate::masker::{Masked, Masker};
use crate::part::Part;
use crate::patterns::{Pattern, group, known_groups, known_patterns};
use crate::rules::{CustomPattern, MaskingRules, compile};
use crate::stream::{self, Sizes, Stream};

/// What is shown instead of a text that could not be masked.
pub const WITHHELD: &str = "[The text was withheld: it could not be checked for secrets.]";
/// Begins what a secret is replaced by.
pub const MARK: &str = "[MASKED_";

/// Builds a [`Masker`] step by step.
#[derive(Clone, Debug, Default)]
pub struct Builder {
    rules: MaskingRules,
    values: Vec<String>,
}

impl Builder {
    #[must_use]
    pub fn group(mut self, name: &str) -> Self {
        self.rules.pattern_groups.push(name.to_owned());
        self
    }

    #[must_use]
    pub fn pattern(mut self, name: &str) -> Self {
        self.rules.patterns.push(name.to_owned());
        self
    }

    /// Adds an expression of the operator.
    #[must_use]
    pub fn custom(mut self, pattern: CustomPattern) -> Self {
        self.rules.custom_patterns.push(pattern);
        self
    }

    /// Adds all of some rules.
    #[must_use]
    pub fn rules(mut self, rules: &MaskingRules) -> Self {
        self.rules.pattern_groups.extend(rules.pattern_groups.iter().cloned());
        self.rules.patterns.extend(rules.patterns.iter().cloned());
        self.rules.custom_patterns.extend(rules.custom_patterns.iter().cloned());
        self
    }

    /// Masks this very value wherever it stands, plain or in base64; values below six characters are too common for it.
    #[must_use]
    pub fn secret_value(mut self, value: &str) -> Self {
        self.values.push(value.to_owned());
        self
    }

    /// Checks the names and expressions, and prepares the search.
    pub fn build(self) -> Result<Masker, Error> {
        let mut patterns = BTreeSet::new();
        for name in &self.rules.pattern_groups {
            let members = group(name).ok_or_else(|| Error::UnknownGroup {
                name: name.clone(),
                nearest: nearest(name, known_groups()),
            })?;
            patterns.extend(members);
        }
        for name in &self.rules.patterns {
            let pattern = Pattern::named(name).ok_or_else(|| Error::UnknownPattern {
                name: name.clone(),
                nearest: nearest(name, known_patterns()),
            })?;
            patterns.insert(pattern);
        }
        let custom =
            self.rules.custom_patterns.iter().map(compile).collect::<Result<Vec<_>, _>>()?;
        Masker::assemble(&patterns, custom, &self.values)
    }
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

    /// Masks a text; a very long one in parts, so that it costs little more memory than itself.
    pub fn mask<'a>(&self, text: &'a str) -> Result<Masked<'a>, Error> {
        if text.len() > stream::WHOLE {
            let mut stream = self.stream();
            let mut masked = stream.push(text)?;
            let rest = stream.finish()?;
            masked.push_str(&rest.text);
            return Ok(Masked { text: Cow::Owned(masked), counts: rest.counts });
        }
        let mut part = Part::whole(text);
        self.mask_part(&mut part)?;
        Ok(Masked { text: part.text, counts: part.counts })
    }

    /// Masks a text that comes in chunks.
    pub fn stream(&self) -> Stream<'_> {
        Stream::new(self, Sizes::default())
    }

    /// Masks a text, or withholds all of it if that fails.
    pub fn mask_or_withhold<'a>(&self, text: &'a str) -> Masked<'a> {
        self.mask(text)
            .unwrap_or_else(|_| Masked { text: Cow::Borrowed(WITHHELD), counts: BTreeMap::new() })
    }
}
