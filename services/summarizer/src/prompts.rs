//! Every word that a model is given, as templates. Conversations and tool output are data from
//! outside; they are fenced off as such.

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

/// The longest that the task at the conversation's beginning is told, in tokens.
const TASK: usize = 8_000;
/// The longest that what followed is told, in tokens; the newest of it.
const TALK: usize = 24_000;
/// The longest output that a model is given, in tokens.
const OUTPUT: usize = 100_000;

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

    /// How to write a summary.
    pub(crate) fn instructions(&self, request: &SummaryRequest) -> anyhow::Result<String> {
        self.render("instructions", context! { tokens => request.max_tokens })
    }

    /// What to summarize, and what for. A provider that takes less than the longest output gets less.
    pub(crate) fn output(
        &self,
        request: &SummaryRequest,
        talk: &[Message],
        output: &str,
        takes: usize,
    ) -> anyhow::Result<String> {
        let whole = cut(output, OUTPUT.min(takes));
        self.render(
            "output",
            context! {
                server => request.server_name.clone(),
                tool => request.tool_name.clone(),
                conversation => fenced(&told(talk)),
                was_cut => whole.is_some(),
                output => fenced(whole.as_deref().unwrap_or(output)),
            },
        )
    }

    fn render(&self, name: &str, values: minijinja::Value) -> anyhow::Result<String> {
        Ok(self.0.get_template(name)?.render(values)?.trim_end().to_owned())
    }
}

/// The conversation without its instructions: the task, and the newest of what followed.
fn told(talk: &[Message]) -> String {
    let mut said = talk.iter().filter(|message| message.role != Role::System);
    let first = said.next().map(|message| message.content.as_str()).unwrap_or_default();
    let opening = cut(first, TASK).unwrap_or_else(|| first.to_owned());
    let mut rest = String::new();
    for message in said {
        let who = match message.role {
            Role::Assistant => "The investigator",
            Role::Tool => "A tool",
            Role::User | Role::System => "The task",
        };
        let _ = writeln!(rest, "\n{who}: {}", message.content.trim());
        if let Some(calls) = &message.tool_calls {
            let _ = writeln!(rest, "calls: {calls}");
        }
    }
    let rest = cut_front(&rest, TALK).unwrap_or(rest);
    format!("The task: {}\n{rest}", opening.trim()).trim_end().to_owned()
}

/// Text from outside cannot close the fence around it.
fn fenced(text: &str) -> String {
    text.replace("<!--", "<!- -").replace("</", "<\u{200b}/")
}

#[cfg(test)]
mod tests;
