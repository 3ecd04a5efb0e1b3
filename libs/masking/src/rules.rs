//! What is masked: patterns, groups, and the operator's own expressions.

use regex::{Regex, RegexBuilder};
use serde::{Deserialize, Serialize};

use crate::error::Error;

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

impl CustomPattern {
    /// Checks that the expression compiles and matches at least one character.
    pub fn check(&self) -> Result<(), Error> {
        compile(self).map(|_| ())
    }
}

pub(crate) fn compile(custom: &CustomPattern) -> Result<Custom, Error> {
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
