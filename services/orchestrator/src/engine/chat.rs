//! A question about a session that is over: one agent with the session's whole record.

use tarsy_catalog::{ResolvedAgent, ResolvedChain, ResolvedStage, SuccessPolicy};
use tarsy_domain::status::WorkStatus;
use tarsy_store::{ChatClaim, ChatEnd};

use crate::engine::budget::BudgetTracker;
use crate::engine::{recover, stage, wind_down};
use crate::owner::{Owner, StopReason};

/// Answers the question, or goes on answering it.
pub(crate) async fn answer(owner: &Owner, claim: &ChatClaim) -> Result<ChatEnd, StopReason> {
    let chain: ResolvedChain = match serde_json::from_value(claim.session.config_snapshot.clone()) {
        Ok(chain) => chain,
        Err(error) => {
            tracing::error!(%error, "the stored chain cannot be read");
            return Ok(failed("the chain stored with this session cannot be read"));
        }
    };
    let Some(agent) = &chain.chat else {
        return Ok(failed("the chain of this session has no chat"));
    };
    match reply(owner, claim, &chain, agent).await {
        Ok(end) => Ok(end),
        Err(stop) => Err(wind_down(owner, claim.resumed, stop).await),
    }
}

async fn reply(
    owner: &Owner,
    claim: &ChatClaim,
    chain: &ResolvedChain,
    agent: &ResolvedAgent,
) -> Result<ChatEnd, StopReason> {
    let past = if claim.resumed { recover(owner).await?.executions } else { Vec::new() };
    let (spec, id) = (stage_of(agent, claim), claim.stage.id);
    let budget = BudgetTracker::read(owner, chain.budget, Some(id)).await?;
    let plan = stage::Plan {
        chain,
        spec: &spec,
        index: claim.stage.stage_index,
        session: &claim.session,
        finished: &[],
        question: Some(&claim.question),
        joins: None,
        budget: &budget,
    };
    let past = past.iter().find(|execution| execution.stage_id == id);
    let outcome = stage::run_agent(owner, &plan, id, (1, agent), past).await?;
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
