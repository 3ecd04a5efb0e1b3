//! What a model reads of its calls.

use minijinja::context;

use super::Prompts;
use super::fence::fenced;

/// The result of a call as a model reads it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ToolResultText<'a> {
    /// The call's number in the session.
    pub(crate) number: i64,
    pub(crate) text: &'a str,
    pub(crate) failed: bool,
    /// Whether the operator wrote it, so that it may be followed.
    pub(crate) is_skill: bool,
    /// Whether it contains text that is addressed to a model.
    pub(crate) addresses_model: bool,
}

impl ToolResultText<'_> {
    fn values(&self) -> minijinja::Value {
        let Self { number, failed, is_skill, addresses_model, .. } = *self;
        context! { number, text => fenced(self.text), failed, is_skill, addresses_model }
    }
}

impl Prompts {
    /// The result of a call that exceeds the budget of `maximum` tool calls.
    pub(crate) fn not_called(&self, maximum: u32) -> String {
        self.render("not_called", context! { maximum })
    }

    /// The result of a call, with the number for citations.
    pub(crate) fn tool_result(&self, result: &ToolResultText<'_>) -> String {
        self.render("tool_result", result.values())
    }

    /// The same for a model that calls tools by text.
    pub(crate) fn observation(&self, result: &ToolResultText<'_>) -> String {
        self.render("observation", result.values())
    }

    /// The summary that replaces a large result of so many tokens.
    pub(crate) fn summarized(&self, number: i64, tokens: usize, summary: &str) -> String {
        self.render("summarized", context! { number, tokens, summary })
    }

    /// The answer to a call that was not made, because it repeats an earlier one: their numbers, and how often the model
    /// has asked for the result if that is too often.
    pub(crate) fn repeated(
        &self,
        (number, earlier): (i64, i64),
        too_often: Option<i64>,
        by_text: bool,
    ) -> String {
        self.render("repeated", context! { number, earlier, too_often, by_text })
    }

    /// The answer to a call whose result is that of an earlier one.
    pub(crate) fn unchanged(&self, number: i64, earlier: i64, by_text: bool) -> String {
        self.render("unchanged", context! { number, earlier, by_text })
    }
}
