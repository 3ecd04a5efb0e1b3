//! One stage: its agents at once, one or many, and what they came to together.

use futures::future::join_all;
use tarsy_catalog::{ResolvedAgent, ResolvedChain, ResolvedStage, SuccessPolicy};
use tarsy_domain::id::{ExecutionId, StageId};
use tarsy_domain::status::WorkStatus;
use tarsy_store::{EndExecution, EndStage, Execution, NewExecution, NewStage, Op, Session, Stage};

use crate::engine::budget::BudgetTracker;
use crate::engine::{StageResult, agent};
use crate::owner::{Owner, StopReason};

/// What a stage is asked to do.
pub(crate) struct Plan<'a> {
    /// The chain it is part of.
    pub(crate) chain: &'a ResolvedChain,
    /// Its place in the configuration.
    pub(crate) spec: &'a ResolvedStage,
    /// Its place in the session, from 0.
    pub(crate) index: i32,
    /// The session.
    pub(crate) session: &'a Session,
    /// The stages before it.
    pub(crate) finished: &'a [StageResult],
    /// The question that it answers, when it is a turn of a chat.
    pub(crate) question: Option<&'a str>,
    /// The stage whose findings it joins, when it is a synthesis.
    pub(crate) joins: Option<StageId>,
    /// What the session has used up.
    pub(crate) budget: &'a BudgetTracker,
}

/// What a stage came to.
#[derive(Clone, Debug)]
pub(crate) struct Outcome {
    /// Its end.
    pub(crate) status: WorkStatus,
    /// What it found.
    pub(crate) analysis: String,
    /// Why it failed.
    pub(crate) error: Option<String>,
}

/// Runs a stage, or what is left of it.
pub(crate) async fn run(
    owner: &Owner,
    plan: &Plan<'_>,
    past: Option<&Stage>,
    executions: &[Execution],
) -> Result<(StageId, Outcome), StopReason> {
    let stage = match past {
        Some(stage) => stage.id,
        None => begin(owner, plan).await?,
    };
    let agents = (1_i32..).zip(&plan.spec.agents).map(|(index, spec)| {
        let past = executions
            .iter()
            .find(|execution| execution.stage_id == stage && execution.agent_index == index);
        run_agent(owner, plan, stage, (index, spec), past)
    });
    let outcomes = join_all(agents).await.into_iter().collect::<Result<Vec<_>, _>>()?;
    let outcome = together(plan.spec, &outcomes);
    if past.is_none_or(|stage| !stage.status.is_terminal()) {
        owner
            .commit(vec![Op::EndStage(EndStage {
                id: stage,
                name: plan.spec.name.clone(),
                index: plan.index,
                status: outcome.status,
                error: outcome.error.clone(),
            })])
            .await?;
    }
    Ok((stage, outcome))
}

async fn begin(owner: &Owner, plan: &Plan<'_>) -> Result<StageId, StopReason> {
    let id = StageId::new();
    let agents = plan.spec.agents.len();
    let policy = match plan.spec.success_policy {
        SuccessPolicy::All => "all",
        SuccessPolicy::Any => "any",
    };
    owner
        .commit(vec![Op::BeginStage(NewStage {
            id,
            stage_index: plan.index,
            stage_name: plan.spec.name.clone(),
            expected_agent_count: i32::try_from(agents).unwrap_or(i32::MAX),
            parallel_type: plan.spec.parallel_type.clone(),
            success_policy: (agents > 1).then(|| policy.to_owned()),
            joins_stage_id: plan.joins,
        })])
        .await?;
    Ok(id)
}

/// Runs one agent of a stage, or what is left of its work.
pub(crate) async fn run_agent(
    owner: &Owner,
    plan: &Plan<'_>,
    stage: StageId,
    (index, spec): (i32, &ResolvedAgent),
    past: Option<&Execution>,
) -> Result<Outcome, StopReason> {
    let execution = match past {
        Some(execution) if execution.status.is_terminal() => {
            return Ok(finished_before(execution));
        }
        Some(execution) => execution.id,
        None => begin_agent(owner, stage, index, spec).await?,
    };
    let task = agent::Task { plan, stage, execution, index, spec };
    let outcome = Box::pin(agent::run(owner, &task)).await?;
    owner
        .commit(vec![Op::EndExecution(EndExecution {
            id: execution,
            status: outcome.status,
            error: outcome.error.clone(),
        })])
        .await?;
    task.tell_status(owner, outcome.status, outcome.error.as_deref()).await;
    Ok(outcome)
}

async fn begin_agent(
    owner: &Owner,
    stage: StageId,
    index: i32,
    spec: &ResolvedAgent,
) -> Result<ExecutionId, StopReason> {
    let id = ExecutionId::new();
    owner
        .commit(vec![Op::BeginExecution(NewExecution {
            id,
            stage_id: stage,
            agent_name: spec.name.clone(),
            agent_index: index,
            iteration_strategy: spec.strategy.as_str().to_owned(),
            llm_provider: Some(spec.provider.name.clone()),
        })])
        .await?;
    Ok(id)
}

/// The outcome of an execution that an earlier owner finished.
fn finished_before(execution: &Execution) -> Outcome {
    Outcome {
        status: execution.status,
        analysis: execution.conclusion.clone().unwrap_or_default(),
        error: execution.error_message.clone(),
    }
}

/// The stage's end by its policy, and what its agents found. Under their names when there are
/// several: that is kept when their synthesis fails.
fn together(spec: &ResolvedStage, outcomes: &[Outcome]) -> Outcome {
    let completed = outcomes.iter().filter(|one| one.status == WorkStatus::Completed).count();
    let enough = match spec.success_policy {
        SuccessPolicy::All => completed == outcomes.len(),
        SuccessPolicy::Any => completed > 0,
    };
    if let ([one], true) = (outcomes, enough) {
        return one.clone();
    }
    let named = || spec.agents.iter().zip(outcomes);
    let analysis = named()
        .filter(|(_, outcome)| outcome.status == WorkStatus::Completed)
        .map(|(agent, outcome)| format!("## {}\n\n{}", agent.name, outcome.analysis))
        .collect::<Vec<_>>()
        .join("\n\n");
    if enough {
        return Outcome { status: WorkStatus::Completed, analysis, error: None };
    }
    let unfinished = || outcomes.iter().filter(|one| one.status != WorkStatus::Completed);
    let status = if unfinished().all(|one| one.status == WorkStatus::TimedOut) {
        WorkStatus::TimedOut
    } else {
        WorkStatus::Failed
    };
    let errors = named()
        .filter_map(|(agent, outcome)| {
            let error = outcome.error.as_deref()?;
            Some(format!("{} {}: {error}", agent.name, outcome.status))
        })
        .collect::<Vec<_>>()
        .join("; ");
    Outcome { status, analysis, error: Some(errors) }
}
