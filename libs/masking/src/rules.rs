//! What is masked: patterns, groups, and the operator's own expressions.

use regex::{Regex, RegexBuilder};
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::go;

/// What stands in the place of a custom match when the operator names nothing.
const CUSTOM_REPLACEMENT: &str = "[MASKED_CUSTOM]";
/// How large a custom expression may be that is compiled with the classes of Unicode.
const UNICODE_SIZE_LIMIT: usize = 1 << 20;
/// How large one may be that is compiled as Go reads it: `[^a]{1,1000}` takes 1.3 MiB.
const GO_SIZE_LIMIT: usize = 8 << 20;
/// How much memory a thread may use for the states of one expression: as many as a repeat up to 1,000 has.
const STATES_LIMIT: usize = 8 << 20;

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
    pub description: String,
}

/// A custom expression that compiled.
#[derive(Debug)]
pub(crate) struct Custom {
    pub(crate) regex: Regex,
    /// As Go reads the expression, where that is another one: what either finds is masked.
    pub(crate) other: Option<Regex>,
    pub(crate) replacement: String,
    /// The replacement has groups of the match.
    pub(crate) has_groups: bool,
}

impl CustomPattern {
    /// Checks that the expression compiles and matches at least one character.
    pub fn check(&self) -> Result<(), Error> {
        compile(self).map(|_| ())
    }
}

pub(crate) fn compile(custom: &CustomPattern) -> Result<Custom, Error> {
    let pattern = custom.pattern.clone();
    let regex = compile_either(&custom.pattern).map_err(|source| match source {
        regex::Error::CompiledTooBig(bytes) => Error::TooLarge { pattern, mebibytes: bytes >> 20 },
        source => Error::BadPattern { pattern, source: Box::new(source) },
    })?;
    if regex.is_match("") {
        return Err(Error::EmptyMatch { pattern: custom.pattern.clone() });
    }
    let other = go::other_reading(&custom.pattern);
    let other = other.and_then(|pattern| limited(&pattern, GO_SIZE_LIMIT).ok());
    let replacement = if custom.replacement.is_empty() {
        CUSTOM_REPLACEMENT.to_owned()
    } else {
        go::references(&custom.replacement, &custom.pattern, &regex)
    };
    Ok(Custom {
        regex,
        other: other.filter(|regex| !regex.is_match("")),
        has_groups: replacement.contains('$'),
        replacement,
    })
}

/// As it is written, with the classes of Unicode; where that is no expression, or a large one, as Go reads it.
fn compile_either(pattern: &str) -> Result<Regex, regex::Error> {
    let unicode = match limited(pattern, UNICODE_SIZE_LIMIT) {
        Ok(regex) => return Ok(regex),
        Err(error) => error,
    };
    let Some(go) = go::read(pattern) else { return Err(unicode) };
    let too_big = match limited(&go, GO_SIZE_LIMIT) {
        Err(error @ regex::Error::CompiledTooBig(_)) => error,
        other => return other.map_err(|_| unicode),
    };
    let Some(unbounded) = go::read_without_bounds(pattern) else { return Err(too_big) };
    limited(&unbounded, GO_SIZE_LIMIT).map_err(|_| too_big)
}

fn limited(pattern: &str, bytes: usize) -> Result<Regex, regex::Error> {
    RegexBuilder::new(pattern).size_limit(bytes).dfa_size_limit(STATES_LIMIT).build()
}
