//! The answer to a question about a finished session: one agent with the session's whole record.

use tarsy_catalog::{ResolvedAgent, ResolvedChain, ResolvedStage, SuccessPolicy};
use tarsy_domain::status::WorkStatus;
use tarsy_store::{ChatClaim, ChatEnd, RollbackTurn};

use crate::engine::budget::BudgetTracker;
use crate::engine::context::Context;
use crate::engine::task::{Purpose, StagePlan};
use crate::engine::{prompt_overrides, recovery, stage};
use crate::journal::StopReason;

/// Answers the question, or continues its answer.
pub(crate) async fn answer(ctx: &Context, claim: &ChatClaim) -> Result<ChatEnd, StopReason> {
    let chain: ResolvedChain = match serde_json::from_value(claim.session.config_snapshot.clone()) {
        Ok(chain) => chain,
        Err(error) => {
            tracing::error!(%error, "the stored chain cannot be read");
            return Ok(failed("the chain stored with this session cannot be read"));
        }
    };
    let stage = claim.stage.id;
    let rollback = ctx.journal.read(|store| store.find_rollback(stage)).await?;
    let agent = match &rollback {
        Some(turn) => chain.acting(&turn.agent_name),
        None => chain.chat.as_ref(),
    };
    let Some(agent) = agent else {
        return Ok(failed(match rollback {
            Some(_) => "the chain of this session has not the agent any more that made the call",
            None => "the chain of this session has no chat",
        }));
    };
    let ctx = &match prompt_overrides::apply(ctx, &claim.session).await? {
        Ok(ctx) => ctx,
        Err(error) => return Ok(failed(&error)),
    };
    match run_agent(ctx, claim, &chain, (agent, rollback.as_ref())).await {
        Ok(end) => Ok(end),
        Err(reason) => Err(recovery::wind_down(ctx, claim.resumed, reason).await),
    }
}

async fn run_agent(
    ctx: &Context,
    claim: &ChatClaim,
    chain: &ResolvedChain,
    (agent, rollback): (&ResolvedAgent, Option<&RollbackTurn>),
) -> Result<ChatEnd, StopReason> {
    recovery::load(ctx, claim.resumed).await?;
    let (spec, id, session) = (stage_of(agent, claim), claim.stage.id, claim.session.id);
    let executions = ctx.journal.read(|store| store.list_executions(session)).await?;
    let budget = BudgetTracker::of_stage(&ctx.journal, chain.budget, id).await?;
    let plan = StagePlan {
        chain,
        spec: &spec,
        index: claim.stage.stage_index,
        session: &claim.session,
        findings: &[],
        purpose: Purpose::Answer(&claim.question),
        budget: &budget,
        now: claim.stage.started_at,
        rollback,
        opening: Vec::new(),
    };
    let execution = executions
        .iter()
        .find(|execution| execution.stage_id == id && execution.parent_execution_id.is_none());
    let outcome = stage::run_only_agent(ctx, &plan, id, agent, execution).await?;
    Ok(ChatEnd { status: outcome.status, error: outcome.error })
}

fn failed(error: &str) -> ChatEnd {
    ChatEnd { status: WorkStatus::Failed, error: Some(error.to_owned()) }
}

fn stage_of(agent: &ResolvedAgent, claim: &ChatClaim) -> ResolvedStage {
    ResolvedStage {
        name: claim.stage.stage_name.clone(),
        agents: vec![agent.clone()],
        parallel_type: None,
        success_policy: SuccessPolicy::Any,
        synthesis: None,
    }
}
