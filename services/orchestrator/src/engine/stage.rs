//! One stage: its agents run at once, one or many, and its policy decides what came of them.

use futures::FutureExt as _;
use futures::future::{BoxFuture, Shared, join, join_all};
use tarsy_catalog::{OnUnverified, ResolvedAgent, ResolvedStage, SuccessPolicy};
use tarsy_domain::id::{ExecutionId, StageId};
use tarsy_domain::status::WorkStatus;
use tarsy_store::{EndExecution, EndStage, Execution, NewExecution, NewStage, Op, Stage};

use crate::engine::context::Context;
use crate::engine::progress::publish_status;
use crate::engine::task::{AgentTask, Outcome, Purpose, StagePlan};
use crate::engine::tools::Tools;
use crate::engine::{agent, claims, delegation, rollback, synthesis};
use crate::journal::StopReason;

/// What stores the beginning of a stage and of its agents.
type Stored<'a> = Shared<BoxFuture<'a, Result<(), StopReason>>>;

/// An agent of a stage, with its execution.
struct Agent<'a> {
    /// Its number in the stage, from 1.
    index: i32,
    spec: &'a ResolvedAgent,
    execution: ExecutionId,
    /// As an earlier owner left it.
    previous: Option<&'a Execution>,
    ends_stage: bool,
}

impl<'a> Agent<'a> {
    /// The agent, with the operation that begins its execution unless an earlier owner did.
    fn new(
        stage: StageId,
        (index, spec): (i32, &'a ResolvedAgent),
        previous: Option<&'a Execution>,
    ) -> (Self, Option<Op>) {
        let execution = previous.map_or_else(ExecutionId::new, |previous| previous.id);
        let begin = || {
            Op::BeginExecution(NewExecution {
                id: execution,
                stage_id: stage,
                agent_name: spec.name.clone(),
                agent_index: index,
                iteration_strategy: spec.strategy.as_str().to_owned(),
                llm_provider: Some(spec.provider.name.clone()),
                dispatched: None,
            })
        };
        let op = previous.is_none().then(begin);
        (Self { index, spec, execution, previous, ends_stage: false }, op)
    }

    /// Its end, if an earlier owner stored it.
    fn ended(&self) -> Option<&'a Execution> {
        self.previous.filter(|execution| execution.status.is_terminal())
    }
}

/// Runs a stage, or what is left of it.
pub(crate) async fn run(
    ctx: &Context,
    plan: &StagePlan<'_>,
    previous: Option<&Stage>,
    executions: &[Execution],
) -> Result<(StageId, Outcome), StopReason> {
    let stage = previous.map_or_else(StageId::new, |previous| previous.id);
    let mut ops = plan.opening.clone();
    ops.extend(previous.is_none().then(|| Op::BeginStage(new_stage(stage, plan))));
    let mut agents = Vec::new();
    for agent in (1_i32..).zip(&plan.spec.agents) {
        let is_of_agent = |one: &&Execution| {
            one.stage_id == stage && one.agent_index == agent.0 && one.parent_execution_id.is_none()
        };
        let (agent, begin) = Agent::new(stage, agent, executions.iter().find(is_of_agent));
        agents.push(agent);
        ops.extend(begin);
    }
    let stored = ctx.journal.commit(ops).boxed().shared();
    let mut is_open = previous.is_none_or(|stage| !stage.status.is_terminal());
    if let [only] = agents.as_mut_slice() {
        only.ends_stage = is_open && only.ended().is_none();
        is_open &= !only.ends_stage;
    }
    let agents = agents.into_iter().map(|agent| run_agent(ctx, plan, (stage, agent), &stored));
    let (begun, outcomes) = join(stored.clone(), join_all(agents)).await;
    begun?;
    let outcomes = outcomes.into_iter().collect::<Result<Vec<_>, _>>()?;
    let outcome = apply_policy(plan.spec, &outcomes);
    if is_open {
        ctx.journal.commit(vec![end_stage(stage, plan, &outcome)]).await?;
    }
    Ok((stage, outcome))
}

fn end_stage(id: StageId, plan: &StagePlan<'_>, outcome: &Outcome) -> Op {
    Op::EndStage(EndStage {
        id,
        name: plan.spec.name.clone(),
        index: plan.index,
        status: outcome.status,
        error: outcome.error.clone(),
    })
}

fn new_stage(id: StageId, plan: &StagePlan<'_>) -> NewStage {
    let agents = plan.spec.agents.len();
    let policy = match plan.spec.success_policy {
        SuccessPolicy::All => "all",
        SuccessPolicy::Any => "any",
    };
    NewStage {
        id,
        stage_index: plan.index,
        stage_name: plan.spec.name.clone(),
        expected_agent_count: i32::try_from(agents).unwrap_or(i32::MAX),
        parallel_type: plan.spec.parallel_type.clone(),
        success_policy: (agents > 1).then(|| policy.to_owned()),
        joins_stage_id: match plan.purpose {
            Purpose::Synthesize(joined) => Some(joined),
            Purpose::Investigate | Purpose::Answer(_) => None,
        },
    }
}

/// Runs the only agent of a stage that is stored, or what is left of its work. The stage is not ended.
pub(crate) async fn run_only_agent(
    ctx: &Context,
    plan: &StagePlan<'_>,
    stage: StageId,
    spec: &ResolvedAgent,
    previous: Option<&Execution>,
) -> Result<Outcome, StopReason> {
    let (agent, begin) = Agent::new(stage, (1, spec), previous);
    let stored = ctx.journal.commit(begin.into_iter().collect()).boxed().shared();
    run_agent(ctx, plan, (stage, agent), &stored).await
}

/// Runs one agent of a stage, or what is left of its work, once both are stored.
async fn run_agent(
    ctx: &Context,
    plan: &StagePlan<'_>,
    (stage, agent): (StageId, Agent<'_>),
    stored: &Stored<'_>,
) -> Result<Outcome, StopReason> {
    let _active = ctx.activity.start();
    if let Some(execution) = agent.ended() {
        stored.clone().await?;
        return Ok(stored_outcome(execution));
    }
    let Agent { index, spec, execution, previous, ends_stage } = agent;
    let is_resumed = previous.is_some();
    let (team, assignment) = (None, None);
    let alone = AgentTask { plan, stage, execution, index, spec, is_resumed, team, assignment };
    let team = delegation::load(ctx, &alone).await?;
    let task = AgentTask { team: team.as_ref(), ..alone };
    let opened = begin(ctx, &task, stored).await?;
    let mut outcome = match plan.purpose {
        Purpose::Synthesize(joined) => Box::pin(synthesis::run(ctx, &task, joined)).await?,
        Purpose::Answer(_) if let Some(turn) = plan.rollback => {
            Box::pin(rollback::run(ctx, &task, turn)).await?
        }
        Purpose::Investigate | Purpose::Answer(_) => {
            let work = Box::pin(agent::run(ctx, &task, opened));
            Box::pin(delegation::beside(ctx, &task, work)).await?
        }
    };
    // What is reported of a conclusion may be less than its text, or have a heading.
    let is_reported =
        plan.purpose == Purpose::Investigate || claims::policy(&task) != OnUnverified::Mark;
    if is_reported && outcome.status == WorkStatus::Completed {
        let stored = ctx.journal.read(|store| store.find_execution(execution)).await?;
        outcome.analysis = stored.and_then(|stored| stored.conclusion).unwrap_or_default();
    }
    outcome.failure = outcome.failure.map(|failure| Box::new(failure.in_agent(&spec.name)));
    let (status, error) = (outcome.status, outcome.error.clone());
    let failure = outcome.failure.clone().map(|failure| *failure);
    let mut ops = vec![Op::EndExecution(EndExecution { id: execution, status, error, failure })];
    if ends_stage {
        let outcome = apply_policy(plan.spec, std::slice::from_ref(&outcome));
        ops.push(end_stage(stage, plan, &outcome));
    }
    ctx.journal.commit(ops).await?;
    publish_status(ctx, &task, status, outcome.error.as_deref()).await;
    Ok(outcome)
}

/// Waits until an agent is stored, and opens the tools of one that begins meanwhile.
async fn begin(
    ctx: &Context,
    task: &AgentTask<'_>,
    stored: &Stored<'_>,
) -> Result<Option<Tools>, StopReason> {
    let is_by_tools =
        !matches!(task.plan.purpose, Purpose::Synthesize(_)) && task.plan.rollback.is_none();
    let begun = async {
        stored.clone().await?;
        publish_status(ctx, task, WorkStatus::Active, None).await;
        if is_by_tools && !task.is_resumed {
            agent::publish_opening(ctx, task).await;
        }
        Ok(())
    };
    let opened = async { if is_by_tools { agent::open_ahead(ctx, task).await } else { Ok(None) } };
    match join(begun, opened).await {
        (Ok(()), opened) => opened,
        (Err(reason), opened) => {
            if let Ok(Some(tools)) = opened {
                tools.close().await;
            }
            Err(reason)
        }
    }
}

/// The outcome of an agent whose end an earlier owner stored.
fn stored_outcome(execution: &Execution) -> Outcome {
    Outcome {
        status: execution.status,
        analysis: execution.conclusion.clone().unwrap_or_default(),
        error: execution.error_message.clone(),
        failure: execution.failure.clone().map(Box::new),
    }
}

/// The stage's outcome by its policy. Several analyses stand under the names of their agents; their
/// synthesis replaces them, unless it fails.
fn apply_policy(spec: &ResolvedStage, outcomes: &[Outcome]) -> Outcome {
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
        return Outcome::completed(analysis);
    }
    let mut unfinished = outcomes.iter().filter(|one| one.status != WorkStatus::Completed);
    let status = if unfinished.all(|one| one.status == WorkStatus::TimedOut) {
        WorkStatus::TimedOut
    } else {
        WorkStatus::Failed
    };
    let errors = named()
        .filter_map(|(agent, outcome)| describe_error(&agent.name, outcome))
        .collect::<Vec<_>>()
        .join("; ");
    // The first one; the sentence has all of them.
    let failure = outcomes.iter().find_map(|outcome| outcome.failure.clone());
    Outcome { status, analysis, error: Some(errors), failure }
}

/// What became of an agent, in words: `Diagnosis timed out: the model did not answer`.
fn describe_error(agent: &str, outcome: &Outcome) -> Option<String> {
    let error = outcome.error.as_deref()?;
    Some(format!("{agent} {}: {error}", outcome.status.as_str().replace('_', " ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_of_a_stage_has_words_and_no_identifiers() {
        let outcome = |status, error: Option<&str>| Outcome {
            status,
            analysis: String::new(),
            error: error.map(str::to_owned),
            failure: None,
        };
        let timed_out = outcome(WorkStatus::TimedOut, Some("the model did not answer"));
        assert_eq!(
            describe_error("Diagnosis", &timed_out).as_deref(),
            Some("Diagnosis timed out: the model did not answer")
        );
        assert_eq!(describe_error("Diagnosis", &outcome(WorkStatus::Completed, None)), None);
    }
}
