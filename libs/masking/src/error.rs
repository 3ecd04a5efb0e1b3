//! Why a masker cannot be built, or a text cannot be masked.

use tarsy_domain::code::{Code, Coded};

/// What went wrong.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A pattern of this name does not exist.
    #[error("unknown masking pattern {name:?}{}", suggestion(nearest.as_deref()))]
    UnknownPattern {
        name: String,
        /// The known name that is most like it.
        nearest: Option<&'static str>,
    },
    /// A group of this name does not exist.
    #[error("unknown masking pattern group {name:?}{}", suggestion(nearest.as_deref()))]
    UnknownGroup {
        name: String,
        /// The known name that is most like it.
        nearest: Option<&'static str>,
    },
    /// A pattern of the operator is not a regular expression we understand.
    #[error("custom masking pattern {pattern:?} does not compile")]
    BadPattern {
        pattern: String,
        #[source]
        source: Box<regex::Error>,
    },
    /// A pattern of the operator is larger than what is compiled.
    #[error(
        "custom masking pattern {pattern:?} is too large: compiled, it takes more than {mebibytes} MiB"
    )]
    TooLarge {
        pattern: String,
        /// The limit.
        mebibytes: usize,
    },
    /// A pattern of the operator matches where nothing is.
    #[error(
        "custom masking pattern {pattern:?} matches empty text: make it match at least one character"
    )]
    EmptyMatch { pattern: String },
    /// The set of literals could not be built.
    #[error("could not build the search for secrets")]
    Search(#[source] Box<aho_corasick::BuildError>),
    /// A rule of ours for a vendor's token cannot be read; a bug of ours.
    #[error("the rule {line:?} cannot be read")]
    BadRule { line: &'static str },
    /// A secret is longer than what is looked at together.
    #[error("a secret did not end within {bytes} bytes")]
    Endless {
        /// How much was looked at.
        bytes: usize,
    },
    /// A secret was found at a place that does not fit the text; a bug of ours.
    #[error("a secret found by {rule} lies at a place that does not fit the text")]
    Misplaced {
        /// The name of the pattern.
        rule: &'static str,
    },
}

fn suggestion(nearest: Option<&str>) -> String {
    nearest.map_or_else(String::new, |name| format!("; did you mean {name:?}?"))
}

impl Coded for Error {
    fn code(&self) -> Code {
        match self {
            Self::UnknownPattern { .. }
            | Self::UnknownGroup { .. }
            | Self::BadPattern { .. }
            | Self::TooLarge { .. }
            | Self::EmptyMatch { .. }
            | Self::Endless { .. } => Code::Invalid,
            Self::Search(_) | Self::BadRule { .. } | Self::Misplaced { .. } => Code::Internal,
        }
    }
}
