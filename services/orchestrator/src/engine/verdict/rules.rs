//! Verdicts of the offline analyst.

use tarsy_catalog::ResolvedChain;
use tarsy_domain::id::{ExecutionId, StageId, VerdictId};
use tarsy_domain::status::WorkStatus;
use tarsy_domain::verdict::{Evidence, Verdict, VerdictFailure, choose};
use tarsy_store::{CallResult, Execution, NewVerdict, Op};

use crate::engine::context::Context;
use crate::engine::task::{AgentTask, Purpose};
use crate::engine::verdict::{charts, explained};
use crate::journal::StopReason;

/// The most results that evidence is looked up in, in bytes.
const MAX_RESULTS_BYTES: i64 = 32 * 1024 * 1024;

/// Who wrote the final analysis.
pub(super) enum Concluded {
    /// The offline analyst, with this verdict.
    ByRules(Result<VerdictId, VerdictFailure>),
    ByModel,
}

/// The operation that stores the verdict of an agent with its conclusion; none of a model, of a synthesis and of an answer.
/// Evidence that no stored result shows is left out, and a change that the session was not given.
pub(crate) async fn of_agent(
    ctx: &Context,
    task: &AgentTask<'_>,
    verdict: Option<Box<Verdict>>,
) -> Result<Option<Op>, StopReason> {
    let wanted = task.plan.purpose == Purpose::Investigate && task.plan.chain.verdict;
    let Some(mut verdict) = verdict.filter(|_| wanted) else { return Ok(None) };
    let (session, execution) = (ctx.journal.session(), task.execution);
    let known = ctx
        .journal
        .read(|store| store.find_evidence(session, execution, MAX_RESULTS_BYTES))
        .await?;
    let calls = known.map(|known| known.calls).unwrap_or_default();
    retain_shown(&mut verdict.evidence, &calls);
    for one in &mut verdict.alternatives {
        retain_shown(&mut one.evidence, &calls);
    }
    let given = task.plan.session.changes.as_ref();
    let near = given.map(|given| given.near.as_slice()).unwrap_or_default();
    explained::retain_given(&mut verdict, near);
    charts::draw(&mut verdict, &calls);
    Ok(Some(Op::StoreVerdict(NewVerdict {
        id: VerdictId::new(),
        execution_id: Some(execution),
        verdict: *verdict,
    })))
}

/// Who wrote the final analysis, and the verdict that stands for the agents. A synthesis stands for the agents whose
/// findings it joins.
pub(super) async fn concluded(
    ctx: &Context,
    chain: &ResolvedChain,
) -> Result<Concluded, StopReason> {
    let session = ctx.journal.session();
    let (stages, executions) = tokio::try_join!(
        ctx.journal.read(|store| store.list_stages(session)),
        ctx.journal.read(|store| store.list_executions(session)),
    )?;
    let last = stages.iter().filter(|stage| stage.chat_id.is_none());
    let Some(last) = last.max_by_key(|stage| stage.stage_index) else {
        return Ok(Concluded::ByModel);
    };
    let of_stage = |stage: StageId| -> Vec<&Execution> {
        let completed = |one: &&Execution| one.status == WorkStatus::Completed;
        executions.iter().filter(|one| one.stage_id == stage).filter(completed).collect()
    };
    let by_rules = |execution: &&Execution| is_offline(chain, execution);
    let authors = of_stage(last.id);
    if authors.is_empty() || !authors.iter().all(by_rules) {
        return Ok(Concluded::ByModel);
    }
    let agents = last.joins_stage_id.map_or(authors, of_stage);
    let ids: Vec<ExecutionId> = agents.iter().map(|agent| agent.id).collect();
    let mut stored = ctx.journal.read(|store| store.list_agent_verdicts(session)).await?;
    stored.retain(|one| ids.contains(&one.execution_id));
    let verdicts: Vec<&Verdict> = stored.iter().map(|one| &one.verdict).collect();
    let chosen = choose(&verdicts).and_then(|at| stored.get(at)).map(|one| one.id);
    let missing = if agents.iter().all(by_rules) {
        VerdictFailure::NothingFound
    } else {
        VerdictFailure::NoModel
    };
    Ok(Concluded::ByRules(chosen.ok_or(missing)))
}

/// Whether the provider that an agent used last is the offline analyst.
fn is_offline(chain: &ResolvedChain, execution: &Execution) -> bool {
    execution.active_provider.as_deref().is_some_and(|name| chain.is_by_rules(name))
}

/// Keeps what a result shows, with the line where it stands: the analyst may have read a shortened result.
fn retain_shown(evidence: &mut Vec<Evidence>, calls: &[CallResult]) {
    evidence.retain_mut(|one| {
        let call = calls.iter().find(|call| call.number == i64::from(one.call));
        let Some(line) = call.and_then(|call| line_of(&call.text, one)) else { return false };
        one.line = line;
        true
    });
}

/// The line that shows a quotation: the one it names, or the first one.
fn line_of(text: &str, quote: &Evidence) -> Option<u32> {
    let shows = |line: &str| line.contains(&quote.text);
    let named = usize::try_from(quote.line).ok()?.checked_sub(1)?;
    if text.lines().nth(named).is_some_and(shows) {
        return Some(quote.line);
    }
    text.lines().position(shows).and_then(|at| u32::try_from(at + 1).ok())
}

#[cfg(test)]
mod tests {
    use tarsy_domain::event::CallStatus;

    use super::*;

    fn quote(call: u32, line: u32, text: &str) -> Evidence {
        Evidence { call, line, text: text.to_owned() }
    }

    #[test]
    fn evidence_stands_where_a_result_shows_it() {
        let call = CallResult {
            number: 3,
            server_name: "host".to_owned(),
            tool_name: None,
            arguments: None,
            status: CallStatus::Completed,
            text: "a\n  /var 40G 39G\nb".to_owned(),
            answered_at: None,
        };
        let mut evidence = vec![
            quote(3, 2, "/var 40G"),
            quote(3, 9, "39G"),
            quote(3, 2, "41G"),
            quote(4, 2, "/var 40G"),
        ];
        retain_shown(&mut evidence, &[call]);
        assert_eq!(evidence, [quote(3, 2, "/var 40G"), quote(3, 2, "39G")]);
    }
}
