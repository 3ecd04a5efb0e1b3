//! Every text that a model is given, rendered from templates.
//!
//! Instructions have three tiers: those of every investigator, those of each MCP server's owner, and
//! those of the agent's owner. Alerts, runbooks and tool results are data from outside and are fenced.

mod action;
mod alert;
mod attached;
mod brief;
mod calendar;
mod changes;
mod compaction;
mod cut;
mod delegation;
mod dependencies;
mod fence;
mod history;
mod investigation;
mod look;
mod memories;
pub(crate) mod prose;
mod recall;
mod results;
mod score;
mod seen_before;
mod skills;
mod verdict;

use std::collections::BTreeMap;

use minijinja::syntax::SyntaxConfig;
use minijinja::{Environment, context};
use tarsy_analyst::LABEL;
use tarsy_catalog::ResolvedAgent;
use tarsy_contracts::mcp::{FailedServer, Tool};
use tarsy_store::{NewClaim, secret};

use crate::limits::is_small;
pub(crate) use crate::prompts::alert::Alert;
pub(crate) use crate::prompts::attached::alert_text;
pub(crate) use crate::prompts::brief::{brief, named, with_arguments};
pub(crate) use crate::prompts::calendar::calendar;
pub(crate) use crate::prompts::compaction::{note_omitted, shortened};
pub(crate) use crate::prompts::cut::{Cut, mark_truncated};
pub(crate) use crate::prompts::delegation::SubAgentResult;
use crate::prompts::fence::{fenced, line};
pub(crate) use crate::prompts::history::SessionRecord;
use crate::prompts::history::session_history;
use crate::prompts::investigation::{BYTES_PER_TOKEN, agent_record, records};
pub(crate) use crate::prompts::investigation::{Investigation, fair_length};
pub(crate) use crate::prompts::look::{Unseen, headed};
pub(crate) use crate::prompts::results::ToolResultText;
pub(crate) use crate::prompts::score::{missing_tools_format, score_format};
pub(crate) use crate::prompts::verdict::{change_id, evidence_id, verdict_format};

const TEMPLATES: [(&str, &str); 40] = [
    ("instructions", include_str!("prompts/instructions.md")),
    ("task", include_str!("prompts/task.md")),
    ("chat_instructions", include_str!("prompts/chat_instructions.md")),
    ("chat", include_str!("prompts/chat.md")),
    ("forced_conclusion", include_str!("prompts/forced_conclusion.md")),
    ("look", include_str!("prompts/look.md")),
    ("continue", include_str!("prompts/continue.md")),
    ("gathering", include_str!("prompts/gathering.md")),
    ("gathered", include_str!("prompts/gathered.md")),
    ("repair", include_str!("prompts/repair.md")),
    ("executive_summary_instructions", include_str!("prompts/executive_summary_instructions.md")),
    ("executive_summary", include_str!("prompts/executive_summary.md")),
    ("synthesis_instructions", include_str!("prompts/synthesis_instructions.md")),
    ("synthesis", include_str!("prompts/synthesis.md")),
    ("react", include_str!("prompts/react.md")),
    ("react_repair", include_str!("prompts/react_repair.md")),
    ("skills", include_str!("prompts/skills.md")),
    ("recalled", include_str!("prompts/recalled.md")),
    ("past_sessions", include_str!("prompts/past_sessions.md")),
    ("action", include_str!("prompts/action.md")),
    ("delegation", include_str!("prompts/delegation.md")),
    ("assignment", include_str!("prompts/assignment.md")),
    ("sub_agent_result", include_str!("prompts/sub_agent_result.md")),
    ("awaited", include_str!("prompts/awaited.md")),
    ("tool_result", include_str!("prompts/tool_result.md")),
    ("not_called", include_str!("prompts/not_called.md")),
    ("observation", include_str!("prompts/observation.md")),
    ("repeated", include_str!("prompts/repeated.md")),
    ("unchanged", include_str!("prompts/unchanged.md")),
    ("summarized", include_str!("prompts/summarized.md")),
    ("verdict_instructions", include_str!("prompts/verdict_instructions.md")),
    ("verdict", include_str!("prompts/verdict.md")),
    ("attached_alerts", include_str!("prompts/attached_alerts.md")),
    ("verdict_repair", include_str!("prompts/verdict_repair.md")),
    ("score_instructions", include_str!("prompts/score_instructions.md")),
    ("score", include_str!("prompts/score.md")),
    ("score_tools", include_str!("prompts/score_tools.md")),
    ("score_repair", include_str!("prompts/score_repair.md")),
    ("prose_instructions", include_str!("prompts/prose_instructions.md")),
    ("prose", include_str!("prompts/prose.md")),
];

/// The most instructions of one rendering with templates that a person wrote: a loop in them ends.
const OVERRIDE_FUEL: u64 = 5_000_000;

/// Claims that a request for a correction names; more are too many to correct one by one.
const MAX_REPAIRED: usize = 30;

/// What a finished stage found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Finding {
    /// The stage's name.
    pub(crate) stage: String,
    pub(crate) analysis: String,
}

/// The compiled templates.
#[derive(Debug)]
pub(crate) struct Prompts {
    environment: Environment<'static>,
    version: String,
}

impl Prompts {
    pub(crate) fn new() -> anyhow::Result<Self> {
        let built_in = TEMPLATES.map(|(name, text)| (name, text.to_owned()));
        Ok(Self::compile(built_in, None)?)
    }

    /// The templates, some of them replaced by name. The error is for the person who wrote them.
    pub(crate) fn with_overrides(mut overrides: BTreeMap<String, String>) -> Result<Self, String> {
        let templates =
            TEMPLATES.map(|(name, text)| (name, overrides.remove(name).unwrap_or(text.to_owned())));
        if let Some(name) = overrides.keys().next() {
            let known = TEMPLATES.map(|(name, _)| name).join(", ");
            return Err(format!("there is no prompt template {name:?}; there are {known}"));
        }
        Self::compile(templates, Some(OVERRIDE_FUEL))
            .map_err(|error| format!("a prompt template is not valid: {error:#}"))
    }

    fn compile(
        templates: [(&'static str, String); TEMPLATES.len()],
        fuel: Option<u64>,
    ) -> Result<Self, minijinja::Error> {
        let mut environment = Environment::new();
        let syntax = SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build()?;
        environment.set_syntax(syntax);
        environment.set_fuel(fuel);
        let mut all = String::new();
        for (name, text) in templates {
            for part in [name, &text] {
                // Each part ends with a character that no part has.
                all.push_str(part);
                all.push('\0');
            }
            environment.add_template_owned(name, text)?;
        }
        Ok(Self { environment, version: secret::hex_hash(&all) })
    }

    /// The SHA-256 of the templates: sessions with the same one were prompted in the same words.
    pub(crate) fn version(&self) -> &str {
        &self.version
    }

    /// The system prompt of an investigation.
    pub(crate) fn instructions(
        &self,
        agent: &ResolvedAgent,
        failed: &[FailedServer],
        missing: &[String],
    ) -> String {
        self.tiers("instructions", agent, failed, missing)
    }

    /// The system prompt of an answer to a question about a finished session.
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
        let brief = is_small(&agent.provider);
        self.render(template, context! { brief, servers, failed, missing, own })
    }

    /// The user prompt of an investigation.
    pub(crate) fn task(&self, alert: &Alert<'_>, findings: &[Finding]) -> String {
        let finished = fenced_findings(findings);
        self.render(
            "task",
            context! {
                alert_type => alert.kind,
                received => &alert.received,
                calendar => &alert.calendar,
                alert => &alert.data,
                attached => &alert.attached,
                runbook => &alert.runbook,
                runbook_url => alert.missing_runbook,
                changes => &alert.changes,
                dependencies => &alert.dependencies,
                seen_before => &alert.seen_before,
                memories => &alert.memories,
                finished,
            },
        )
    }

    /// The user prompt of an answer: the question, and as much of the record that it is about as fits
    /// into three quarters of what the model accepts. The rest is for the calls of the answer.
    pub(crate) fn chat(&self, alert: &Alert<'_>, record: &SessionRecord, question: &str) -> String {
        let tokens = alert.max_tokens / 4 * 3;
        let limit = tokens.saturating_mul(BYTES_PER_TOKEN);
        let fixed = alert.data.len() + alert.runbook.len() + question.len();
        let least = limit / 4;
        let mut bytes = limit.saturating_sub(fixed).max(least);
        loop {
            let text = self.render(
                "chat",
                context! {
                    status => alert.status,
                    alert_type => alert.kind,
                    received => &alert.received,
                    calendar => &alert.calendar,
                    alert => &alert.data,
                    attached => &alert.attached,
                    runbook => &alert.runbook,
                    history => fenced(&session_history(record, bytes)),
                    question => fenced(question),
                },
            );
            // Logs and numbers have more tokens than prose of the same length.
            if bytes == least || tarsy_tokens::measure(&text, tokens) <= tokens {
                return text;
            }
            bytes = (bytes / 4 * 3).max(least);
        }
    }

    /// Requests the conclusion after the last iteration.
    pub(crate) fn forced_conclusion(&self, iterations: u32) -> String {
        let reason = format!("All {iterations} iterations are used");
        self.render("forced_conclusion", context! { reason })
    }

    /// Requests the conclusion when a budget is used up.
    pub(crate) fn budget_conclusion(&self, amount: &str) -> String {
        let reason = format!("The budget of {amount} is used up");
        self.render("forced_conclusion", context! { reason })
    }

    /// Requests the conclusion of a model that asks for the same results again and again.
    pub(crate) fn repetition_conclusion(&self) -> String {
        let reason = "You have asked for the same results three times, and they are above";
        self.render("forced_conclusion", context! { reason })
    }

    /// Requests the conclusion of a model whose messages stay invalid.
    pub(crate) fn form_conclusion(&self) -> String {
        let reason = "Two of your messages in a row could not be read";
        self.render("forced_conclusion", context! { reason })
    }

    /// Requests a conclusion without these claims, of which no result shows any. The first 30 are named.
    pub(crate) fn repair(&self, claims: &[&NewClaim]) -> String {
        let shown: Vec<_> = claims.iter().take(MAX_REPAIRED).map(|claim| repaired(claim)).collect();
        let more = claims.len() - shown.len();
        self.render("repair", context! { claims => shown, more })
    }

    /// The system prompt of a synthesis.
    pub(crate) fn synthesis_instructions(&self, agent: &ResolvedAgent) -> String {
        let own = agent.custom_instructions.trim();
        self.render("synthesis_instructions", context! { own })
    }

    /// The user prompt of a synthesis. The agents' records are cut until it has at most as many
    /// tokens as the model accepts, or a quarter of them is left to the records.
    pub(crate) fn synthesis(
        &self,
        alert: &Alert<'_>,
        stage: &str,
        findings: &[Finding],
        investigations: &[Investigation],
    ) -> String {
        let tokens = alert.max_tokens;
        let fixed =
            alert.data.len() + findings.iter().map(|finding| finding.analysis.len()).sum::<usize>();
        let limit = tokens.saturating_mul(BYTES_PER_TOKEN);
        let least = limit / 4;
        let mut bytes = limit.saturating_sub(fixed).max(least);
        loop {
            let records = records(investigations, bytes);
            let agents: Vec<_> = investigations.iter().zip(&records).map(agent_record).collect();
            let text = self.render(
                "synthesis",
                context! {
                    stage,
                    alert_type => alert.kind,
                    received => &alert.received,
                    alert => &alert.data,
                    attached => &alert.attached,
                    finished => fenced_findings(findings),
                    agents,
                },
            );
            // Logs and numbers have more tokens than prose of the same length.
            if bytes == least || tarsy_tokens::measure(&text, tokens) <= tokens {
                return text;
            }
            bytes = (bytes / 4 * 3).max(least);
        }
    }

    /// How a model calls tools by text; follows the system prompt.
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

    /// The answer to a message that is neither a call nor a conclusion.
    pub(crate) fn react_repair(&self, problem: &str, concluding: bool) -> String {
        self.render("react_repair", context! { problem, concluding })
    }

    /// The system prompt of the executive summary.
    pub(crate) fn executive_summary_instructions(&self) -> String {
        self.render("executive_summary_instructions", context! {})
    }

    /// The user prompt of the executive summary.
    pub(crate) fn executive_summary(&self, analysis: &str) -> String {
        self.render("executive_summary", context! { analysis => fenced(analysis) })
    }

    fn render(&self, name: &str, values: minijinja::Value) -> String {
        let rendered =
            self.environment.get_template(name).and_then(|template| template.render(values));
        rendered.map_or_else(
            |error| {
                // Each template has a test. An empty prompt is better than a lost session.
                tracing::error!(template = name, %error, "a prompt could not be rendered");
                String::new()
            },
            |text| text.trim_end().to_owned(),
        )
    }
}

/// A claim as the template names it: its text, what is wrong with it, and what a result shows.
fn repaired(claim: &NewClaim) -> minijinja::Value {
    context! {
        text => line(&claim.text),
        verdict => claim.verdict.as_str(),
        call => claim.call,
        line => claim.line,
        shown => claim.shown.as_deref().map(line),
    }
}

/// What finished stages found, as the templates name it. That rules wrote it is said of their report alone: models copy the words.
fn fenced_findings(findings: &[Finding]) -> Vec<minijinja::Value> {
    let label = format!("{LABEL}\n\n");
    findings
        .iter()
        .map(|one| (one.stage.clone(), one.analysis.replace(&label, "")))
        .map(|(name, analysis)| context! { name, analysis => fenced(&analysis) })
        .collect()
}

#[cfg(test)]
mod tests;
