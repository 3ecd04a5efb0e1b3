//! What is said to an agent that concludes without a look.

use minijinja::context;

use super::Prompts;
use super::fence::line;

/// What an agent has not looked at, though it could.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Unseen {
    /// No call of a tool was answered.
    Everything,
    /// These tools, as `server.tool`, which the chain requires.
    Tools(Vec<String>),
}

impl Prompts {
    /// Sends an agent back; `tools` are those to begin with.
    pub(crate) fn look(&self, tools: &[String], by_text: bool) -> String {
        let tools: Vec<String> = tools.iter().map(|tool| line(tool)).collect();
        self.render("look", context! { tools, by_text })
    }
}
