//! The prompts, as templates. Conversations and tool output are untrusted data: they stand between
//! tags that they cannot close.

use std::fmt::Write as _;

use minijinja::syntax::SyntaxConfig;
use minijinja::{Environment, context};
use tarsy_contracts::work::SummaryRequest;
use tarsy_domain::event::Role;
use tarsy_store::Message;
use tarsy_tokens::{cut, cut_front};

const TEMPLATES: [(&str, &str); 2] = [
    ("instructions", include_str!("prompts/instructions.md")),
    ("output", include_str!("prompts/output.md")),
];

/// The longest task at the beginning of a conversation, in tokens.
const MAX_TASK: usize = 8_000;
/// The longest rest of a conversation, in tokens; its newest part is kept.
const MAX_CONVERSATION: usize = 24_000;
/// The longest tool output, in tokens.
const MAX_OUTPUT: usize = 100_000;

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

    /// The user prompt: the conversation and the tool output, cut to `limit` tokens.
    pub(crate) fn output(
        &self,
        request: &SummaryRequest,
        conversation: &[Message],
        output: &str,
        limit: usize,
    ) -> anyhow::Result<String> {
        let shortened = cut(output, MAX_OUTPUT.min(limit));
        self.render(
            "output",
            context! {
                server => request.server_name.clone(),
                tool => request.tool_name.clone(),
                conversation => escaped(&excerpt(conversation)),
                was_cut => shortened.is_some(),
                output => escaped(shortened.as_deref().unwrap_or(output)),
            },
        )
    }

    /// What the agent reads after a summary that was cut at its limit.
    pub(crate) fn truncated(request: &SummaryRequest) -> String {
        format!("\n[The summary was cut at its limit of {} tokens.]", request.max_tokens)
    }

    fn render(&self, name: &str, values: minijinja::Value) -> anyhow::Result<String> {
        Ok(self.0.get_template(name)?.render(values)?.trim_end().to_owned())
    }
}

/// The conversation without its system prompt: the task, and the newest part of the rest.
fn excerpt(conversation: &[Message]) -> String {
    let mut messages = conversation.iter().filter(|message| message.role != Role::System);
    let first = messages.next().map(|message| message.content.as_str()).unwrap_or_default();
    let opening = cut(first, MAX_TASK).unwrap_or_else(|| first.to_owned());
    let mut rest = String::new();
    for message in messages {
        let author = match message.role {
            Role::Assistant => "The investigator",
            Role::Tool => "A tool",
            Role::User | Role::System => "The task",
        };
        let _ = writeln!(rest, "\n{author}: {}", message.content.trim());
        if let Some(calls) = &message.tool_calls {
            let _ = writeln!(rest, "calls: {calls}");
        }
    }
    let rest = cut_front(&rest, MAX_CONVERSATION).unwrap_or(rest);
    format!("The task: {}\n{rest}", opening.trim()).trim_end().to_owned()
}

/// Untrusted text that cannot close the tags around it.
fn escaped(text: &str) -> String {
    text.replace("<!--", "<!- -").replace("</", "<\u{200b}/")
}

#[cfg(test)]
mod tests;
