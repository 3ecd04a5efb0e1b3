//! Changes near an alert, as prompts show them.

use tarsy_contracts::change::Change;

use crate::prompts::fence::{cut, fenced};

/// The most of them that a prompt contains, in bytes: about 20 lines.
const MAX_BYTES: usize = 8 * 1024;

/// One line each; empty without any.
pub(super) fn lines(changes: &[Change]) -> String {
    let lines: Vec<String> = changes.iter().map(|change| fenced(&change.line())).collect();
    cut(&lines.join("\n"), MAX_BYTES)
}
