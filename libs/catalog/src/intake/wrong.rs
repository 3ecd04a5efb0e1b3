//! What the checks of sources and rules find.

use crate::check::Check;
use crate::path::Path;

/// Something that is wrong with a value, and where it is below a section.
#[derive(Debug)]
pub(crate) struct Wrong {
    pub(super) keys: Vec<String>,
    pub(super) message: String,
    pub(super) suggestion: String,
    /// The keys of which one is missing. One that is written and could not be read has been reported already.
    pub(super) missing: &'static [&'static str],
}

impl Wrong {
    pub(super) fn of(key: &str, message: impl Into<String>, suggestion: impl Into<String>) -> Self {
        let keys = vec![key.to_owned()];
        Self { keys, message: message.into(), suggestion: suggestion.into(), missing: &[] }
    }

    /// One of these keys is missing; the problem is shown at the first one.
    pub(super) fn missing(
        missing: &'static [&'static str],
        message: impl Into<String>,
        suggestion: impl Into<String>,
    ) -> Self {
        let first = missing.first().copied().unwrap_or_default();
        Self { missing, ..Self::of(first, message, suggestion) }
    }

    pub(crate) fn report(self, at: &Path, check: &mut Check<'_>) {
        if self.missing.iter().any(|key| check.has_text(&at.key(key))) {
            return;
        }
        let path = self.keys.iter().fold(at.clone(), |path, key| path.key(key));
        check.problem(&path, self.message, self.suggestion);
    }
}
