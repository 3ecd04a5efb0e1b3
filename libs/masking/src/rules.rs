//! What is masked: patterns, groups, and the operator's own expressions.

use std::collections::BTreeSet;

use regex::{Regex, RegexBuilder};
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::masker::Masker;
use crate::patterns::{Pattern, group, known_groups, known_patterns, nearest};

/// What stands in the place of a custom match when the operator names nothing.
const CUSTOM_REPLACEMENT: &str = "[MASKED_CUSTOM]";
/// How large a compiled custom expression may be.
const CUSTOM_SIZE_LIMIT: usize = 1 << 20;

/// Which secrets to take out of a text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MaskingRules {
    /// Names of pattern groups that are on.
    pub pattern_groups: Vec<String>,
    /// Names of single patterns that are on.
    pub patterns: Vec<String>,
    /// The operator's own expressions, applied after the built-in patterns in their order.
    pub custom_patterns: Vec<CustomPattern>,
}

impl MaskingRules {
    /// The rules of one group.
    pub fn group(name: &str) -> Self {
        Self { pattern_groups: vec![name.to_owned()], ..Self::default() }
    }
}

/// An expression of the operator.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CustomPattern {
    /// A regular expression that matches at least one character.
    pub pattern: String,
    /// What replaces a match; `$1` or `${name}` stands for a group. Empty means `[MASKED_CUSTOM]`.
    pub replacement: String,
    /// What it is for.
    pub description: String,
}

/// A custom expression that compiled.
#[derive(Debug)]
pub(crate) struct Custom {
    pub(crate) regex: Regex,
    pub(crate) replacement: String,
}

/// Builds a [`Masker`] step by step.
#[derive(Clone, Debug, Default)]
pub struct Builder {
    rules: MaskingRules,
    values: Vec<String>,
}

impl Builder {
    /// Turns a group on.
    #[must_use]
    pub fn group(mut self, name: &str) -> Self {
        self.rules.pattern_groups.push(name.to_owned());
        self
    }

    /// Turns a pattern on.
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

impl CustomPattern {
    /// Checks that the expression compiles and matches at least one character.
    pub fn check(&self) -> Result<(), Error> {
        compile(self).map(|_| ())
    }
}

fn compile(custom: &CustomPattern) -> Result<Custom, Error> {
    let regex = RegexBuilder::new(&custom.pattern).size_limit(CUSTOM_SIZE_LIMIT).build().map_err(
        |source| Error::BadPattern { pattern: custom.pattern.clone(), source: Box::new(source) },
    )?;
    if regex.is_match("") {
        return Err(Error::EmptyMatch { pattern: custom.pattern.clone() });
    }
    let replacement = if custom.replacement.is_empty() {
        CUSTOM_REPLACEMENT.to_owned()
    } else {
        custom.replacement.clone()
    };
    Ok(Custom { regex, replacement })
}
