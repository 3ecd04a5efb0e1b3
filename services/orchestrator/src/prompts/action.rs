//! What agents read that may change something.

use minijinja::context;

use super::Prompts;

impl Prompts {
    /// How an agent of type `action` works; follows its system prompt.
    pub(crate) fn action(&self, is_enabled: bool) -> String {
        self.render("action", context! { is_enabled })
    }
}
