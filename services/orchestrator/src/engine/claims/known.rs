//! What the author of a text can know, and what it was given.

use std::collections::BTreeSet;

use tarsy_contracts::{change, dependency};
use tarsy_domain::id::StageId;
use tarsy_evidence::{Content, extract};
use tarsy_store::{CallResult, Op, Session, StoredEvidence};

use crate::engine::claims::checker::{NO_CALL, Source};
use crate::engine::context::Context;
use crate::engine::conversation::Conversation;
use crate::engine::task::{AgentTask, Purpose};
use crate::engine::{delegation, own_tool, recall, skills};
use crate::journal::StopReason;
use crate::prompts;

/// The most alerts that a check reads.
const MAX_ATTACHED: i64 = 200;

/// What claims of a conclusion may rest on. Only answers may rest on the record: it is what they are about.
pub(super) fn sources(evidence: StoredEvidence, purpose: Purpose<'_>) -> Vec<Source> {
    let mut sources: Vec<Source> = evidence.calls.into_iter().filter_map(call).collect();
    if matches!(purpose, Purpose::Answer(_)) {
        sources.push(Source::text(NO_CALL, &evidence.record.join("\n\n")));
    }
    sources
}

/// What claims of the executive summary may rest on: the analysis. A call that the analysis cites stands for it, so that
/// the summary may cite it, too.
pub(super) fn analysis(analysis: &str, summary: &str) -> Vec<Source> {
    let cited: BTreeSet<u32> =
        citations(summary).intersection(&citations(analysis)).copied().collect();
    let numbers = std::iter::once(NO_CALL).chain(cited);
    numbers.map(|number| Source::text(number, analysis)).collect()
}

fn citations(text: &str) -> BTreeSet<u32> {
    let claims = extract(text).into_iter();
    claims
        .filter_map(|claim| match claim.content {
            Content::Citation { call, .. } => Some(call),
            _ => None,
        })
        .collect()
}

fn call(call: CallResult) -> Option<Source> {
    let tool = call.tool_name.unwrap_or_default();
    Some(Source {
        number: u32::try_from(call.number).ok()?,
        tool: format!("{}.{tool}", call.server_name),
        arguments: call.arguments.map(|arguments| arguments.to_string()).unwrap_or_default(),
        text: call.text,
        answered_at: call.answered_at,
    })
}

/// The alert, its runbook, the changes and the dependencies near it and when it came.
pub(super) fn of_alert(session: &Session) -> Vec<String> {
    let mut given = vec![session.alert_data.clone(), session.created_at.to_string()];
    given.extend(session.changes.as_ref().map(|changes| change::lines(&changes.near)));
    given.extend(session.dependencies.as_ref().map(|given| dependency::lines(&given.near)));
    given.extend(
        [&session.alert_type, &session.runbook, &session.runbook_url]
            .into_iter()
            .flatten()
            .cloned(),
    );
    given
}

/// Takes skills out of the evidence: they show nothing of the present state. What they say needs no evidence.
pub(super) fn skills(task: &AgentTask<'_>, evidence: &mut StoredEvidence) -> Vec<String> {
    let loaded = evidence.calls.extract_if(.., |call| {
        let tool = call.tool_name.as_deref().unwrap_or_default();
        skills::is_own(&call.server_name) && !own_tool::is_of_rows(&call.server_name, tool)
    });
    // Those of an agent that dispatches, and of past sessions, say nothing that a finding may rest on.
    let loaded = loaded.filter(|call| {
        let tool = call.tool_name.as_deref().unwrap_or_default();
        let name = format!("{}.{tool}", call.server_name);
        !delegation::is_own(&name) && !recall::is_own(&name)
    });
    let mut texts: Vec<String> = loaded.map(|call| call.text).collect();
    let required = task.spec.required_skills.iter();
    let required = required.filter_map(|name| task.plan.chain.skill(name));
    texts.extend(required.map(|skill| skill.body.clone()));
    texts
}

/// Everything that an agent was given and that is no result of a call: the alert, the question, its instructions, which
/// tools it lacks, what the provider's own tools returned.
pub(super) async fn given(
    ctx: &Context,
    task: &AgentTask<'_>,
    conversation: &Conversation,
    evidence: &StoredEvidence,
) -> Result<Vec<String>, StopReason> {
    let plan = task.plan;
    let mut given = of_alert(plan.session);
    given.push(plan.chain.runbook.clone());
    given.extend(attached(ctx, conversation.alerts_until()).await?);
    given.extend(task.assignment.map(str::to_owned));
    given.push(task.spec.custom_instructions.clone());
    given.extend(task.calendar());
    given.extend(task.spec.servers.iter().map(|server| server.instructions.clone()));
    given.extend(evidence.unavailable.iter().chain(&evidence.native_results).cloned());
    // Requests to conclude name the limit that is reached.
    given.extend(conversation.requests());
    match plan.purpose {
        Purpose::Investigate => {}
        Purpose::Answer(question) => given.push(question.to_owned()),
        Purpose::Synthesize(joined) => given.extend(agents(ctx, joined).await?),
    }
    Ok(given)
}

/// Alerts that came after the session's text and that the agent was given.
async fn attached(ctx: &Context, until: i64) -> Result<Vec<String>, StopReason> {
    if until == 0 {
        return Ok(Vec::new());
    }
    let session = ctx.journal.session();
    let found =
        ctx.journal.read(|store| store.list_attached_alerts(session, 0, MAX_ATTACHED)).await?;
    let given = found.alerts.iter().filter(|alert| alert.seq <= until);
    Ok(given.map(prompts::alert_text).collect())
}

/// The text of an event that begins.
pub(super) fn content(op: &Op) -> Option<String> {
    match op {
        Op::OpenEvent(event) => Some(event.content.clone()),
        _ => None,
    }
}

/// The agents whose work is joined, and how many they are.
async fn agents(ctx: &Context, stage: StageId) -> Result<Vec<String>, StopReason> {
    let session = ctx.journal.session();
    let executions = ctx.journal.read(|store| store.list_executions(session)).await?;
    let joined = executions
        .into_iter()
        .filter(|execution| execution.stage_id == stage && execution.parent_execution_id.is_none());
    let mut texts: Vec<String> = joined
        .map(|one| {
            format!("{}: {} {}", one.agent_name, one.status, one.error_message.unwrap_or_default())
        })
        .collect();
    texts.push(format!("{} agents", texts.len()));
    Ok(texts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_may_cite_what_its_analysis_cites() {
        let numbers = |summary: &str| -> Vec<u32> {
            let sources = analysis("The disk is full [call 2], the load is low [call 3].", summary);
            sources.into_iter().map(|source| source.number).collect()
        };
        assert_eq!(numbers("The disk is full."), [NO_CALL]);
        assert_eq!(numbers("The disk is full [call 2], not the memory [call 9]."), [NO_CALL, 2]);
    }
}
