//! Why a value could not be read.

use std::fmt::{self, Display};

use serde::de::{self, Expected, Unexpected};

use crate::path::Path;
use crate::report::advice;

/// Separates the message of a fault from its suggestion, because serde passes both as one text.
const SUGGESTION: char = '\u{1f}';
/// Stands for the value as it was written, with `{{.NAME}}` instead of what the variable holds.
pub(crate) const WRITTEN: char = '\u{1e}';

/// The first thing that is wrong with a value.
#[derive(Debug)]
pub(crate) struct Fault {
    /// The path of the value; unknown until the fault has passed the reader of that value.
    pub(crate) path: Option<Path>,
    pub(crate) kind: FaultKind,
}

#[derive(Debug)]
pub(crate) enum FaultKind {
    /// A mapping at the path lacks a key.
    Missing { key: &'static str, variant: Option<Variant> },
    /// The value at the path is wrong.
    Wrong { message: String, suggestion: Option<String> },
}

/// A variant of an enumeration that a tag chose.
#[derive(Clone, Debug)]
pub(crate) struct Variant {
    /// The name of the enumeration, such as `server`.
    pub(crate) of: &'static str,
    pub(crate) tag: &'static str,
}

impl Display for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of type {}", self.of, self.tag)
    }
}

/// An error for any deserializer: what is wrong and what to write instead.
pub(crate) fn fault<E: de::Error>(message: impl Display, suggestion: impl Display) -> E {
    E::custom(format_args!("{message}{SUGGESTION}{suggestion}"))
}

impl Fault {
    /// The fault with its path, unless it has one already.
    pub(crate) fn at(mut self, path: &Path) -> Self {
        self.path.get_or_insert_with(|| path.clone());
        self
    }

    /// Replaces [`WRITTEN`] by the value as it stands in the file.
    pub(crate) fn quoting(mut self, written: &str) -> Self {
        if let FaultKind::Wrong { message, suggestion } = &mut self.kind {
            *message = message.replace(WRITTEN, written);
            if let Some(text) = suggestion {
                *text = text.replace(WRITTEN, written);
            }
        }
        self
    }
}

impl Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            FaultKind::Missing { key, .. } => write!(f, "{key} is missing"),
            FaultKind::Wrong { message, .. } => f.write_str(message),
        }
    }
}

impl std::error::Error for Fault {}

impl de::Error for Fault {
    fn custom<T: Display>(text: T) -> Self {
        let text = text.to_string();
        let (message, suggestion) = match text.split_once(SUGGESTION) {
            Some((message, suggestion)) => (message.to_owned(), Some(suggestion.to_owned())),
            None => (text, None),
        };
        Self { path: None, kind: FaultKind::Wrong { message, suggestion } }
    }

    fn missing_field(key: &'static str) -> Self {
        Self { path: None, kind: FaultKind::Missing { key, variant: None } }
    }

    fn unknown_variant(variant: &str, known: &'static [&'static str]) -> Self {
        let suggestion = match advice(variant, known.iter().copied()) {
            Some(nearest) if nearest.starts_with("did") => {
                Some(format!("{nearest} known: {}", known.join(", ")))
            }
            other => other,
        };
        let message = format!("unknown value \"{WRITTEN}\"");
        Self { path: None, kind: FaultKind::Wrong { message, suggestion } }
    }

    fn invalid_type(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        let expected = match expected.to_string() {
            text if text == "a string" => "text".to_owned(),
            text if text == "a boolean" => "true or false".to_owned(),
            text if text == "a sequence" => "a list".to_owned(),
            text if text == "a map" || text.starts_with("struct ") => "keys and values".to_owned(),
            text => text,
        };
        let (found, is_scalar) = match found {
            Unexpected::Seq => ("a list".to_owned(), false),
            Unexpected::Map => ("keys and values".to_owned(), false),
            _ => (format!("\"{WRITTEN}\""), true),
        };
        let suggestion = match expected.as_str() {
            "a list" if is_scalar => "write [a, b], or a line `- a` for each entry".to_owned(),
            "keys and values" if is_scalar => "write its keys on indented lines below".to_owned(),
            "true or false" if is_scalar => "write true or false".to_owned(),
            _ => format!("write {expected} here"),
        };
        fault(format_args!("must be {expected}, not {found}"), suggestion)
    }
}
