//! Dependencies near an alert, as prompts show them.

use tarsy_contracts::dependency::Dependency;

use crate::prompts::fence::{cut, fenced};

/// The most of them that a prompt contains, in bytes: about 40 lines.
const MAX_BYTES: usize = 4 * 1024;

/// One line each; empty without any.
pub(super) fn lines(dependencies: &[Dependency]) -> String {
    let lines: Vec<String> = dependencies.iter().map(|one| fenced(&one.line())).collect();
    cut(&lines.join("\n"), MAX_BYTES)
}
