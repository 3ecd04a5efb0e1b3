//! Every word that a model is given, as templates.
//!
//! Instructions have three tiers: what every investigator does, what each MCP server's owner says,
//! and what the agent's owner says. Alerts, runbooks and tool output are data from outside; they
//! are fenced off as such.

mod investigation;

use minijinja::syntax::SyntaxConfig;
use minijinja::{Environment, context};
use tarsy_catalog::{Budget, ResolvedAgent, ResolvedChain};
use tarsy_contracts::mcp::{FailedServer, Tool};
use tarsy_store::Session;

use crate::engine::StageResult;
use crate::engine::budget::Limit;
use crate::engine::text::cut;
pub(crate) use crate::prompts::investigation::Investigation;

const TEMPLATES: [(&str, &str); 15] = [
    ("instructions", include_str!("prompts/instructions.md")),
    ("task", include_str!("prompts/task.md")),
    ("chat_instructions", include_str!("prompts/chat_instructions.md")),
    ("chat", include_str!("prompts/chat.md")),
    ("forced_conclusion", include_str!("prompts/forced_conclusion.md")),
    ("executive_summary_instructions", include_str!("prompts/executive_summary_instructions.md")),
    ("executive_summary", include_str!("prompts/executive_summary.md")),
    ("synthesis_instructions", include_str!("prompts/synthesis_instructions.md")),
    ("synthesis", include_str!("prompts/synthesis.md")),
    ("react", include_str!("prompts/react.md")),
    ("react_repair", include_str!("prompts/react_repair.md")),
    ("tool_result", include_str!("prompts/tool_result.md")),
    ("not_called", include_str!("prompts/not_called.md")),
    ("observation", include_str!("prompts/observation.md")),
    ("summarized", include_str!("prompts/summarized.md")),
];

/// Bytes that stand for one token, before it is counted.
const BYTES_PER_TOKEN: usize = 4;
/// The longest reason, in characters, that a missing server is given.
const LONGEST_ERROR: usize = 500;

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

    /// Who the agent is and how it works: general, servers, own.
    pub(crate) fn instructions(
        &self,
        agent: &ResolvedAgent,
        failed: &[FailedServer],
        missing: &[String],
    ) -> String {
        self.tiers("instructions", agent, failed, missing)
    }

    /// The same for an agent that answers questions about a session that is over.
    pub(crate) fn chat_instructions(
        &self,
        agent: &ResolvedAgent,
        failed: &[FailedServer],
        missing: &[String],
    ) -> String {
        self.tiers("chat_instructions", agent, failed, missing)
    }

    fn tiers(
        &self,
        template: &str,
        agent: &ResolvedAgent,
        failed: &[FailedServer],
        missing: &[String],
    ) -> String {
        let servers: Vec<_> = agent
            .servers
            .iter()
            .filter(|server| !server.instructions.trim().is_empty())
            .map(|server| context! { id => server.id.clone(), text => server.instructions.trim() })
            .collect();
        let failed: Vec<_> = failed
            .iter()
            .map(|server| context! { id => server.server.clone(), error => line(&server.error) })
            .collect();
        let missing: Vec<_> = missing.iter().map(|tool| line(tool)).collect();
        let own = agent.custom_instructions.trim();
        self.render(template, context! { servers, failed, missing, own })
    }

    /// What there is to find out, for a model that takes so many tokens.
    pub(crate) fn task(
        &self,
        session: &Session,
        chain: &ResolvedChain,
        finished: &[StageResult],
        tokens: usize,
    ) -> String {
        let finished = findings(finished);
        self.render(
            "task",
            context! {
                alert_type => session.alert_type.clone(),
                received => session.created_at.to_string(),
                alert => alert(session, tokens),
                runbook => runbook(session, chain),
                runbook_url => session.runbook_url.as_deref().filter(|_| session.runbook.is_none()),
                finished,
            },
        )
    }

    /// A question, and the record that it is asked about, for a model that takes so many tokens.
    pub(crate) fn chat(
        &self,
        session: &Session,
        chain: &ResolvedChain,
        history: &str,
        question: &str,
        tokens: usize,
    ) -> String {
        self.render(
            "chat",
            context! {
                status => session.status.as_str(),
                alert_type => session.alert_type.clone(),
                received => session.created_at.to_string(),
                alert => alert(session, tokens),
                runbook => runbook(session, chain),
                history => fenced(history),
                question => fenced(question),
            },
        )
    }

    /// No more iterations: conclude.
    pub(crate) fn forced_conclusion(&self, iterations: u32) -> String {
        let reason = format!("All {iterations} iterations are used");
        self.render("forced_conclusion", context! { reason })
    }

    /// A budget is used up: conclude.
    pub(crate) fn out_of_budget(&self, limit: Limit, budget: Budget) -> String {
        let (maximum, words) = (limit.of(budget), limit.words());
        let reason = format!("The budget of {maximum} {words} is used up");
        self.render("forced_conclusion", context! { reason })
    }

    /// What a model is told of a call that its budget has no room for.
    pub(crate) fn not_called(&self, budget: Budget) -> String {
        self.render("not_called", context! { maximum => budget.tool_calls })
    }

    /// How to join what several agents found.
    pub(crate) fn synthesis_instructions(&self, agent: &ResolvedAgent) -> String {
        let own = agent.custom_instructions.trim();
        self.render("synthesis_instructions", context! { own })
    }

    /// What to join: at most so many tokens, as far as the agents' records can be cut.
    pub(crate) fn synthesis(
        &self,
        session: &Session,
        stage: &str,
        finished: &[StageResult],
        investigations: &[Investigation],
        tokens: usize,
    ) -> String {
        let fixed = alert(session, tokens).len()
            + finished.iter().map(|stage| stage.analysis.len()).sum::<usize>();
        let limit = tokens.saturating_mul(BYTES_PER_TOKEN);
        // An alert that leaves no room leaves some all the same: without findings there is nothing to join.
        let least = limit / 4;
        let mut room = limit.saturating_sub(fixed).max(least);
        loop {
            let records = investigation::records(investigations, room);
            let agents: Vec<_> = investigations.iter().zip(&records).map(told).collect();
            let text = self.render(
                "synthesis",
                context! {
                    stage,
                    alert_type => session.alert_type.clone(),
                    received => session.created_at.to_string(),
                    alert => alert(session, tokens),
                    finished => findings(finished),
                    agents,
                },
            );
            // Logs and numbers have more tokens than words of the same length.
            if room == least || tarsy_tokens::measure(&text, tokens) <= tokens {
                return text;
            }
            room = (room / 4 * 3).max(least);
        }
    }

    /// How a model that cannot call tools calls them by text; goes after the instructions.
    pub(crate) fn react(&self, tools: &[Tool]) -> String {
        let tools: Vec<_> = tools
            .iter()
            .map(|tool| {
                context! {
                    name => tool.full_name(),
                    description => line(&tool.description),
                    schema => fenced(&tool.input_schema.to_string()),
                }
            })
            .collect();
        self.render("react", context! { tools })
    }

    /// What a model is told whose message is neither a call nor a conclusion.
    pub(crate) fn react_repair(&self, problem: &str) -> String {
        self.render("react_repair", context! { problem })
    }

    /// The result of a call, under the number that the model cites it by.
    pub(crate) fn tool_result(&self, number: i64, text: &str, failed: bool) -> String {
        self.render("tool_result", context! { number, text => fenced(text), failed })
    }

    /// The same for a model that calls by text.
    pub(crate) fn observation(&self, number: i64, text: &str, failed: bool) -> String {
        self.render("observation", context! { number, text => fenced(text), failed })
    }

    /// What stands in for the result of a call that was too large.
    pub(crate) fn summarized(&self, number: i64, tokens: usize, summary: &str) -> String {
        self.render("summarized", context! { number, tokens, summary })
    }

    /// How to write the executive summary.
    pub(crate) fn executive_summary_instructions(&self) -> String {
        self.render("executive_summary_instructions", context! {})
    }

    /// What to summarise.
    pub(crate) fn executive_summary(&self, analysis: &str) -> String {
        self.render("executive_summary", context! { analysis => fenced(analysis) })
    }

    fn render(&self, name: &str, values: minijinja::Value) -> String {
        let rendered = self.0.get_template(name).and_then(|template| template.render(values));
        rendered.map_or_else(
            |error| {
                // The templates are ours and tested; a model is better told little than nothing.
                tracing::error!(template = name, %error, "a prompt could not be rendered");
                String::new()
            },
            |text| text.trim_end().to_owned(),
        )
    }
}

/// One agent's investigation, with the record of it.
fn told((one, record): (&Investigation, &String)) -> minijinja::Value {
    context! {
        name => one.execution.agent_name.clone(),
        strategy => one.execution.iteration_strategy.clone(),
        provider => one.execution.llm_provider.clone(),
        status => one.execution.status.as_str(),
        error => one.execution.error_message.as_deref().map(line),
        record => fenced(record),
    }
}

/// The alert: at most half of what a model takes.
fn alert(session: &Session, tokens: usize) -> String {
    let text = &session.alert_data;
    cut(text, tokens / 2).map_or_else(|| fenced(text), |short| fenced(&short))
}

/// The runbook that the alert names; without its text, the default one.
fn runbook(session: &Session, chain: &ResolvedChain) -> String {
    fenced(session.runbook.as_deref().unwrap_or(&chain.runbook).trim())
}

/// What finished stages found, for the next ones.
fn findings(finished: &[StageResult]) -> Vec<minijinja::Value> {
    finished
        .iter()
        .map(|stage| context! { name => stage.name.clone(), analysis => fenced(&stage.analysis) })
        .collect()
}

/// A text from outside stays in its line of the list.
fn line(error: &str) -> String {
    let words: Vec<&str> = error.split_whitespace().collect();
    fenced(&words.join(" ").chars().take(LONGEST_ERROR).collect::<String>())
}

/// Text from outside cannot close the fence around it.
fn fenced(text: &str) -> String {
    text.replace("<!--", "<!- -").replace("</", "<\u{200b}/")
}

#[cfg(test)]
mod tests;
