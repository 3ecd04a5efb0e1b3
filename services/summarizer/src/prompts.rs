//! The prompts, as templates. Conversations and tool output are untrusted data: they stand between
//! tags that they cannot close.

mod context_window;

use minijinja::syntax::SyntaxConfig;
use minijinja::{Environment, context};
use tarsy_contracts::work::SummaryRequest;
use tarsy_store::Message;

pub(crate) use crate::prompts::context_window::PromptLimits;
use crate::prompts::context_window::{Fitted, fit};

const TEMPLATES: [(&str, &str); 2] = [
    ("instructions", include_str!("prompts/instructions.md")),
    ("output", include_str!("prompts/output.md")),
];

/// What the system prompt and the words around the texts take, in tokens.
const FIXED_TOKENS: usize = 1_000;

/// The templates, compiled.
#[derive(Debug)]
pub(crate) struct Prompts(Environment<'static>);

impl Prompts {
    /// Compiles the templates.
    pub(crate) fn new() -> anyhow::Result<Self> {
        let mut environment = Environment::new();
        let syntax = SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build()?;
        environment.set_syntax(syntax);
        for (name, text) in TEMPLATES {
            environment.add_template(name, text)?;
        }
        Ok(Self(environment))
    }

    /// The system prompt.
    pub(crate) fn instructions(&self, request: &SummaryRequest) -> anyhow::Result<String> {
        self.render("instructions", context! { tokens => request.max_tokens })
    }

    /// The user prompt: the question, the tool output, and as much of the conversation as fits. If not both
    /// fit, three quarters are for the output.
    pub(crate) fn output(
        &self,
        request: &SummaryRequest,
        conversation: &[Message],
        output: &str,
        limits: PromptLimits,
    ) -> anyhow::Result<String> {
        let question = request.question.as_deref().map(escaped);
        let fixed = FIXED_TOKENS + question.as_deref().map_or(0, tarsy_tokens::estimate);
        let request_tokens = limits.request.saturating_sub(fixed);
        let limits = PromptLimits { request: request_tokens, ..limits };
        let Fitted { conversation, output, was_cut } = fit(conversation, output, limits);
        self.render(
            "output",
            context! {
                server => request.server_name.clone(),
                tool => request.tool_name.clone(),
                question,
                conversation => escaped(&conversation),
                was_cut,
                output => escaped(&output),
            },
        )
    }

    /// What the agent reads after a summary that was cut at its limit.
    pub(crate) fn truncated(request: &SummaryRequest, time_up: bool) -> String {
        if time_up {
            return "\n[The summary was cut off when its time was up.]".to_owned();
        }
        format!("\n[The summary was cut at its limit of {} tokens.]", request.max_tokens)
    }

    fn render(&self, name: &str, values: minijinja::Value) -> anyhow::Result<String> {
        Ok(self.0.get_template(name)?.render(values)?.trim_end().to_owned())
    }
}

/// Untrusted text that cannot close the tags around it.
fn escaped(text: &str) -> String {
    text.replace("<!--", "<!- -").replace("</", "<\u{200b}/")
}

#[cfg(test)]
mod tests;
