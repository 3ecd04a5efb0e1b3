//! Why a body cannot be read.

use tarsy_lenient::Unreadable;

use crate::limits::MAX_OPENED;

/// Why a body cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Illegible {
    #[error("the body {0}")]
    Json(#[from] Unreadable),
    #[error("the body is XML; send JSON, or a text")]
    Xml,
    #[error("the Content-Encoding is {0}; send gzip, deflate, or the body as it is")]
    Encoding(
        /// At most 40 characters.
        String,
    ),
    #[error("the body does not have its Content-Encoding; send it as it is")]
    Broken,
    #[error("the body has more than {MAX_OPENED} bytes once it is open; send it as it is")]
    TooLong,
}

impl Illegible {
    /// Whether the body is a text for people.
    pub(crate) const fn is_text(&self) -> bool {
        matches!(self, Self::Json(Unreadable::Syntax(_)))
    }
}
