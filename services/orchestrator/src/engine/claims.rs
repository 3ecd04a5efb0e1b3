//! What models wrote is checked against the results of calls, before it is stored.
//!
//! A text is compared with what its author can know: an agent's with its own calls and those of earlier stages, an
//! answer's also with the record of the session, the executive summary with its analysis. What the author was given
//! needs no evidence. A check that fails leaves a record of that, and never fails the session.

mod checker;
mod known;
mod reported;

use std::collections::BTreeSet;

use tarsy_catalog::{Backend, OnUnverified};
use tarsy_domain::claim::{CheckFailure, CheckedText, Verdict};
use tarsy_domain::event::CallStatus;
use tarsy_domain::id::{ClaimCheckId, TimelineEventId};
use tarsy_store::{CallResult, NewClaim, NewClaimCheck, Op, Session};

pub(crate) use crate::engine::claims::checker::Checker;
use crate::engine::claims::checker::Job;
pub(crate) use crate::engine::claims::reported::reported;
use crate::engine::context::Context;
use crate::engine::conversation::Conversation;
use crate::engine::own_tool;
use crate::engine::task::{AgentTask, Purpose};
use crate::journal::StopReason;
use crate::metrics;

/// The most results that one check reads, in bytes. Their readings take several times as much memory.
const MAX_EVIDENCE_BYTES: i64 = 32 * 1024 * 1024;

/// A text that is about to be stored.
#[derive(Clone, Copy)]
pub(crate) struct NewText<'a> {
    /// The event that will show it.
    pub(crate) event: TimelineEventId,
    pub(crate) text: &'a str,
    /// Events of the same turn: what the provider's own tools returned.
    pub(crate) looked_up: &'a [Op],
}

/// A check, and what it does not store.
pub(crate) struct Checked {
    pub(crate) check: NewClaimCheck,
    /// Neither a tool call nor a tool of the provider returned anything that the text could rest on.
    pub(crate) rests_on_nothing: bool,
    /// The tools, as `server.tool`, that answered a call that the text may rest on.
    pub(crate) answered: BTreeSet<String>,
}

/// Checks an agent's conclusion.
pub(crate) async fn of_conclusion(
    ctx: &Context,
    task: &AgentTask<'_>,
    conversation: &Conversation,
    new: NewText<'_>,
) -> Result<Checked, StopReason> {
    let (session, execution) = (ctx.journal.session(), task.execution);
    let evidence = ctx
        .journal
        .read(|store| store.find_evidence(session, execution, MAX_EVIDENCE_BYTES))
        .await?;
    let (mut successful_calls, mut outcome) = (0, Err(CheckFailure::TooLarge));
    let (mut rests_on_nothing, mut answered) = (false, BTreeSet::new());
    if let Some(mut evidence) = evidence {
        let skills = known::skills(task, &mut evidence);
        // What changed shows nothing of the present state.
        let is_look = |one: &&CallResult| {
            let tool = one.tool_name.as_deref().unwrap_or_default();
            one.status == CallStatus::Completed && !own_tool::is_of_rows(&one.server_name, tool)
        };
        let completed = evidence.calls.iter().filter(is_look);
        successful_calls = completed.clone().count();
        answered = completed.map(full_name).collect();
        let looked_up = !evidence.native_results.is_empty() || !new.looked_up.is_empty();
        rests_on_nothing = successful_calls == 0 && !looked_up;
        let mut given = known::given(ctx, task, conversation, &evidence).await?;
        given.extend(new.looked_up.iter().filter_map(known::content));
        given.extend(skills);
        let sources = known::sources(evidence, task.plan.purpose);
        let job = Job { text: new.text.to_owned(), sources, given };
        outcome = ctx.services.checker.run(&ctx.journal, job).await;
    }
    report(&outcome);
    let check = NewClaimCheck {
        id: ClaimCheckId::new(),
        execution_id: Some(execution),
        timeline_event_id: Some(new.event),
        text: match task.plan.purpose {
            Purpose::Investigate => CheckedText::FinalAnalysis,
            Purpose::Synthesize(_) => CheckedText::Synthesis,
            Purpose::Answer(_) => CheckedText::ChatAnswer,
        },
        successful_calls,
        outcome,
    };
    Ok(Checked { check, rests_on_nothing, answered })
}

fn full_name(call: &CallResult) -> String {
    format!("{}.{}", call.server_name, call.tool_name.as_deref().unwrap_or_default())
}

/// Checks the executive summary of an analysis.
pub(crate) async fn of_summary(
    ctx: &Context,
    session: Option<&Session>,
    analysis: &str,
    new: NewText<'_>,
) -> Result<Checked, StopReason> {
    let id = ctx.journal.session();
    let (successful_calls, executions) = tokio::try_join!(
        ctx.journal.read(|store| store.count_successful_calls(id)),
        ctx.journal.read(|store| store.list_executions(id)),
    )?;
    let given = session.map(known::of_alert).unwrap_or_default();
    // What repeats a guess is not verified by it.
    let is_guess = successful_calls == 0 && executions.iter().any(|one| one.unseen.is_some());
    let sources = if is_guess { Vec::new() } else { known::analysis(analysis, new.text) };
    let job = Job { text: new.text.to_owned(), sources, given };
    let outcome = ctx.services.checker.run(&ctx.journal, job).await;
    report(&outcome);
    let check = NewClaimCheck {
        id: ClaimCheckId::new(),
        execution_id: None,
        timeline_event_id: Some(new.event),
        text: CheckedText::ExecutiveSummary,
        successful_calls,
        outcome,
    };
    // Whether its analysis rests on something is that one's matter.
    Ok(Checked { check, rests_on_nothing: false, answered: BTreeSet::new() })
}

/// What is reported of an agent's text. An answer in the chat was read while it was written.
pub(crate) fn policy(task: &AgentTask<'_>) -> OnUnverified {
    match task.plan.purpose {
        Purpose::Answer(_) => OnUnverified::Mark,
        Purpose::Investigate | Purpose::Synthesize(_) => task.plan.chain.claims.on_unverified,
    }
}

/// The claims that an agent is asked to correct; empty if it concludes with this text.
pub(crate) fn to_correct<'a>(
    task: &AgentTask<'_>,
    conversation: &Conversation,
    check: &'a NewClaimCheck,
) -> Vec<&'a NewClaim> {
    let plan = task.plan;
    let is_model = conversation.provider(task.spec).backend != Backend::Offline;
    let may = plan.chain.claims.repair
        && is_model
        && !matches!(plan.purpose, Purpose::Answer(_))
        && !conversation.is_repair_requested()
        && plan.budget.reached().is_none();
    let is_wrong = |claim: &&NewClaim| {
        matches!(claim.verdict, Verdict::Unsupported | Verdict::Contradicted | Verdict::NoSuchCall)
    };
    check.claims().iter().filter(|claim| may && is_wrong(claim)).collect()
}

fn report(outcome: &Result<Vec<NewClaim>, CheckFailure>) {
    match outcome {
        Ok(claims) => {
            metrics::claim_check("completed");
            for claim in claims {
                metrics::claim(claim.verdict);
            }
        }
        Err(failure) => {
            metrics::claim_check(failure.as_str());
            tracing::warn!(failure = failure.as_str(), "the claims of a text could not be checked");
        }
    }
}
