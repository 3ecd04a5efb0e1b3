//! The run of dispatched agents beside the one that dispatched them.

use futures::StreamExt as _;
use futures::future::BoxFuture;
use futures::stream::FuturesUnordered;
use tarsy_contracts::failure::Failure;
use tarsy_domain::failure::FailureCode;
use tarsy_domain::status::WorkStatus;
use tarsy_store::{EndExecution, Op};
use tokio::time::sleep_until;

use crate::engine::context::Context;
use crate::engine::progress::publish_status;
use crate::engine::task::{AgentTask, Outcome, Purpose, StagePlan};
use crate::engine::team::{Member, Team};
use crate::engine::{agent, calls};
use crate::journal::StopReason;

/// The agents that an agent dispatched before, and those that it may; none for one that may dispatch none.
pub(crate) async fn load(ctx: &Context, task: &AgentTask<'_>) -> Result<Option<Team>, StopReason> {
    let Some(limits) = &task.spec.delegation else { return Ok(None) };
    let parent = task.execution;
    let stored = if task.is_resumed {
        ctx.journal.read(|store| store.list_sub_executions(parent)).await?
    } else {
        Vec::new()
    };
    Ok(Some(Team::of_stored(&ctx.journal, limits, stored)))
}

/// Runs an agent with those that it dispatches beside it. All of them have ended, and their ends are stored, when its own work
/// has: what still runs then is cancelled.
pub(crate) async fn beside(
    ctx: &Context,
    task: &AgentTask<'_>,
    work: impl Future<Output = Result<Outcome, StopReason>>,
) -> Result<Outcome, StopReason> {
    let Some(team) = task.team else { return work.await };
    let work = async {
        let outcome = work.await;
        team.close(outcome.is_err());
        outcome
    };
    let (outcome, members) = tokio::join!(work, run_members(ctx, task, team));
    let outcome = outcome?;
    members?;
    Ok(outcome)
}

/// Runs dispatched agents as they come, until the one that dispatches has ended.
async fn run_members(ctx: &Context, task: &AgentTask<'_>, team: &Team) -> Result<(), StopReason> {
    let mut running = FuturesUnordered::new();
    let mut stopped = Ok(());
    loop {
        let changed = team.changed();
        let mut changed = std::pin::pin!(changed);
        changed.as_mut().enable();
        let ready = team.start_ready();
        running.extend(ready.into_iter().map(|member| run_member(ctx, task, (team, member))));
        if running.is_empty() && team.is_closed() {
            return stopped;
        }
        tokio::select! {
            Some(ended) = running.next(), if !running.is_empty() => stopped = stopped.and(ended),
            () = changed => {}
        }
    }
}

/// Runs a dispatched agent, or what is left of its work, and stores its end.
fn run_member<'a>(
    ctx: &'a Context,
    parent: &'a AgentTask<'a>,
    (team, member): (&'a Team, Member),
) -> BoxFuture<'a, Result<(), StopReason>> {
    Box::pin(async move {
        let limits = parent.spec.delegation.as_ref();
        let Some(spec) = limits.and_then(|limits| limits.agent(&member.agent)) else {
            // The chain of a session stays as it is.
            let failure = Failure::new(FailureCode::UnusableChain, "the chain has no such agent");
            return end(ctx, (team, &member), Outcome::failed(failure)).await;
        };
        let _active = ctx.activity.start();
        let own = Context { journal: member.journal.clone(), ..ctx.clone() };
        let of_parent = parent.plan;
        let plan = StagePlan {
            chain: of_parent.chain,
            spec: of_parent.spec,
            index: of_parent.index,
            session: of_parent.session,
            findings: of_parent.findings,
            purpose: Purpose::Investigate,
            budget: of_parent.budget,
            now: of_parent.now,
            rollback: None,
            opening: Vec::new(),
        };
        let alone = AgentTask {
            plan: &plan,
            stage: parent.stage,
            execution: member.execution,
            index: member.number,
            spec,
            is_resumed: member.is_resumed,
            team: None,
            assignment: Some(&member.task),
        };
        let own_team = load(&own, &alone).await?;
        let task = AgentTask { team: own_team.as_ref(), ..alone };
        publish_status(ctx, &task, WorkStatus::Active, None).await;
        let ended = Box::pin(until_its_time_is_up(&own, &task, &member)).await;
        // The whole work stops: another owner goes on with it, or the end of the session is its end.
        if let Some(reason) = ctx.journal.stop_of_whole() {
            return Err(reason);
        }
        let outcome = match (ended, ctx.journal.stop_reason()) {
            (Err(_), Some(_)) => {
                Outcome::cancelled("the agent that dispatched it has ended".to_owned())
            }
            (ended, _) => ended.or_else(|reason| stopped_alone(team, &member, reason))?,
        };
        let (status, error) = (outcome.status, outcome.error.clone());
        end(ctx, (team, &member), outcome).await?;
        publish_status(ctx, &task, status, error.as_deref()).await;
        Ok(())
    })
}

/// The outcome of an agent that was stopped while the work of the session goes on.
fn stopped_alone(team: &Team, member: &Member, reason: StopReason) -> Result<Outcome, StopReason> {
    match reason {
        StopReason::TimedOut => {
            let seconds = (member.ends - member.begun).as_secs();
            let reason = format!("it did not conclude within {seconds} s");
            Ok(Outcome::timed_out(Failure::new(FailureCode::AgentTimedOut, reason)))
        }
        StopReason::Cancelled if team.is_closed() => {
            Ok(Outcome::cancelled("the agent that dispatched it has concluded".to_owned()))
        }
        StopReason::Cancelled => {
            Ok(Outcome::cancelled("the agent that dispatched it cancelled it".to_owned()))
        }
        reason => Err(reason),
    }
}

async fn until_its_time_is_up(
    own: &Context,
    task: &AgentTask<'_>,
    member: &Member,
) -> Result<Outcome, StopReason> {
    let work = beside(own, task, agent::run(own, task, None));
    let mut work = std::pin::pin!(work);
    tokio::select! {
        ended = &mut work => ended,
        () = sleep_until(member.ends) => {
            member.journal.stop_signal().stop(StopReason::TimedOut);
            work.await
        }
    }
}

/// Stores the end of a dispatched agent, and what it found for the one that dispatched it.
async fn end(
    ctx: &Context,
    (team, member): (&Team, &Member),
    mut outcome: Outcome,
) -> Result<(), StopReason> {
    let (id, status, error) = (member.execution, outcome.status, outcome.error.clone());
    let failure = outcome.failure.clone().map(|failure| failure.in_agent(&member.agent));
    let end = EndExecution { id, status, error, failure };
    if matches!(status, WorkStatus::Cancelled | WorkStatus::TimedOut) {
        calls::abandon(ctx, id).await?;
        ctx.journal.write(|store, fence| store.stop_execution(fence, end.clone())).await?;
    } else {
        ctx.journal.commit(vec![Op::EndExecution(end)]).await?;
    }
    // What is reported of a conclusion may be less than its text, or have a heading.
    let stored = ctx.journal.read(|store| store.find_execution(id)).await?;
    outcome.analysis = stored.and_then(|stored| stored.conclusion).unwrap_or_default();
    team.end(id, outcome);
    Ok(())
}
