//! The investigation of one session: its chain, stage by stage, from wherever it stopped.

mod agent;
pub(crate) mod budget;
mod calls;
mod chat;
mod conversation;
pub(crate) mod history;
mod react;
mod repetition;
mod stage;
mod summaries;
mod summary;
mod synthesis;
pub(crate) mod text;
mod tools;
mod turn;

use tarsy_catalog::ResolvedChain;
use tarsy_contracts::live::LiveBody;
use tarsy_domain::status::{SessionStatus, WorkStatus};
use tarsy_store::{Claim, Execution, SessionEnd, Stage};

use crate::engine::budget::BudgetTracker;
pub(crate) use crate::engine::chat::answer;
use crate::engine::stage::Outcome;
use crate::owner::{Owner, StopReason};
use crate::runbook;

/// Why a session, or its summary, came to no end of its own.
const OUT_OF_TIME: &str = "the session ran out of time";

/// How the work on a session ended.
#[derive(Clone, Debug)]
pub(crate) struct Ending {
    /// Why it was stopped, if it was.
    pub(crate) stop: Option<StopReason>,
    /// What is written as the session's end; without meaning when another owner goes on.
    pub(crate) end: SessionEnd,
}

impl Ending {
    /// Stopped, perhaps after something was found.
    fn stopped_with(stop: StopReason, found: Option<String>) -> Self {
        let (status, error) = match stop {
            StopReason::TimedOut => (SessionStatus::TimedOut, Some(OUT_OF_TIME)),
            StopReason::Cancelled
            | StopReason::Fenced
            | StopReason::Shutdown
            | StopReason::Stuck => (SessionStatus::Cancelled, None),
        };
        let end = SessionEnd {
            status,
            final_analysis: found,
            executive_summary: None,
            executive_summary_error: None,
            error_message: error.map(str::to_owned),
        };
        Self { stop: Some(stop), end }
    }

    /// Failed before anything was found.
    fn failed(error: String) -> Self {
        Self::ended(SessionStatus::Failed, None, Some(error))
    }

    fn ended(status: SessionStatus, found: Option<String>, error: Option<String>) -> Self {
        let end = SessionEnd {
            status,
            final_analysis: found,
            executive_summary: None,
            executive_summary_error: None,
            error_message: error,
        };
        Self { stop: None, end }
    }
}

/// What an earlier owner left.
#[derive(Debug, Default)]
pub(crate) struct PreviousAttempt {
    stages: Vec<Stage>,
    executions: Vec<Execution>,
}

impl PreviousAttempt {
    fn stage(&self, index: i32) -> Option<&Stage> {
        self.stages.iter().find(|stage| stage.stage_index == index)
    }
}

/// A finished stage, for the next one to build on.
#[derive(Clone, Debug)]
pub(crate) struct StageResult {
    /// Its name.
    pub(crate) name: String,
    /// What it found.
    pub(crate) analysis: String,
}

/// The end of a session whose cancel outlived its owner.
pub(crate) async fn stopped_before(owner: &Owner) -> Ending {
    match found_so_far(owner).await {
        Ok(found) => Ending::stopped_with(StopReason::Cancelled, found),
        Err(stop) => Ending::stopped_with(stop, None),
    }
}

/// The end of a session that outlived too many owners.
pub(crate) async fn attempts_exhausted(owner: &Owner, attempts: i32) -> Ending {
    let error = format!("given up after {attempts} attempts; every worker was lost on the way");
    match found_so_far(owner).await {
        Ok(found) => Ending::ended(SessionStatus::Failed, found, Some(error)),
        Err(stop) => Ending::stopped_with(stop, None),
    }
}

/// What earlier owners had found: the last conclusion on the timeline. Their open calls are let go.
async fn found_so_far(owner: &Owner) -> Result<Option<String>, StopReason> {
    abandon_calls(owner).await?;
    last_conclusion(owner).await
}

/// The conclusion that an agent reached last.
async fn last_conclusion(owner: &Owner) -> Result<Option<String>, StopReason> {
    let (store, session) = (&owner.app.store, owner.session());
    owner.read(|| store.find_last_conclusion(session)).await
}

/// Lets go of the calls that earlier owners left open.
pub(crate) async fn abandon_calls(owner: &Owner) -> Result<(), StopReason> {
    let (store, session) = (&owner.app.store, owner.session());
    for execution in owner.read(|| store.list_executions(session)).await? {
        if !execution.status.is_terminal() {
            calls::abandon(owner, execution.id).await?;
        }
    }
    Ok(())
}

/// Stops for good; what an earlier owner had left running, and this one never came to, is let go.
pub(crate) async fn wind_down(owner: &Owner, resumed: bool, stop: StopReason) -> StopReason {
    match stop {
        StopReason::Cancelled | StopReason::TimedOut if resumed => {
            abandon_calls(owner).await.err().unwrap_or(stop)
        }
        _ => stop,
    }
}

/// Runs the chain, or what is left of it.
pub(crate) async fn investigate(owner: &Owner, claim: &Claim) -> Ending {
    let chain: ResolvedChain = match serde_json::from_value(claim.session.config_snapshot.clone()) {
        Ok(chain) => chain,
        Err(error) => {
            tracing::error!(%error, "the stored chain cannot be read");
            return Ending::failed("the chain stored with this session cannot be read".to_owned());
        }
    };
    let mut finished = Vec::new();
    match run_chain(owner, claim, &chain, &mut finished).await {
        Ok(ending) => ending,
        Err(stop) => {
            let stop = wind_down(owner, claim.resumed, stop).await;
            let found = match (last_analysis(&finished), stop) {
                // The first stage was stopped; one of its agents may have concluded.
                (None, StopReason::Cancelled | StopReason::TimedOut) => {
                    last_conclusion(owner).await
                }
                (found, _) => Ok(found),
            };
            found.map_or_else(
                |stop| Ending::stopped_with(stop, None),
                |found| Ending::stopped_with(stop, found),
            )
        }
    }
}

async fn run_chain(
    owner: &Owner,
    claim: &Claim,
    chain: &ResolvedChain,
    finished: &mut Vec<StageResult>,
) -> Result<Ending, StopReason> {
    let past = if claim.resumed { recover(owner).await? } else { PreviousAttempt::default() };
    let session = &runbook::load(owner, &claim.session).await?;
    let budget = BudgetTracker::read(owner, chain.budget, None).await?;
    // One counter for the session: a synthesis is a stage of its own.
    let mut indexes = 0_i32..;
    for spec in &chain.stages {
        let index = indexes.next().unwrap_or(i32::MAX);
        progress(owner, chain, (index, &spec.name), spec.agents.len(), "investigating").await;
        let plan = stage::Plan {
            chain,
            spec,
            index,
            session,
            finished,
            question: None,
            joins: None,
            budget: &budget,
        };
        let (id, outcome) = stage::run(owner, &plan, past.stage(index), &past.executions).await?;
        if let Some(ending) = fatal(&spec.name, &outcome, finished) {
            return Ok(ending);
        }
        finished.push(StageResult { name: spec.name.clone(), analysis: outcome.analysis });
        let Some(agent) = &spec.synthesis else { continue };

        let index = indexes.next().unwrap_or(i32::MAX);
        let spec = synthesis::stage(spec, agent);
        progress(owner, chain, (index, &spec.name), 1, "synthesizing").await;
        let before = finished.split_last().map_or(&[][..], |(_, before)| before);
        let plan = stage::Plan {
            chain,
            spec: &spec,
            index,
            session,
            finished: before,
            question: None,
            joins: Some(id),
            budget: &budget,
        };
        let (_, outcome) = stage::run(owner, &plan, past.stage(index), &past.executions).await?;
        if let Some(ending) = fatal(&spec.name, &outcome, finished) {
            return Ok(ending);
        }
        if let Some(last) = finished.last_mut() {
            last.analysis = outcome.analysis;
        }
    }
    let Some(analysis) = last_analysis(finished) else {
        return Ok(Ending::failed("the chain has no stages".to_owned()));
    };
    progress(owner, chain, (stages(chain) - 1, "executive summary"), 0, "finalizing").await;
    let summary = match summary::executive(owner, chain, &analysis).await {
        Err(StopReason::TimedOut) => Err(OUT_OF_TIME.to_owned()),
        written => written?,
    };
    let mut ending = Ending::ended(SessionStatus::Completed, Some(analysis), None);
    match summary {
        Ok(text) => ending.end.executive_summary = Some(text),
        // The investigation stands without its summary.
        Err(error) => ending.end.executive_summary_error = Some(error),
    }
    Ok(ending)
}

/// The end of a session whose stage did not complete; what was found is kept.
fn fatal(name: &str, outcome: &Outcome, finished: &[StageResult]) -> Option<Ending> {
    let status = match outcome.status {
        WorkStatus::Completed => return None,
        WorkStatus::TimedOut => SessionStatus::TimedOut,
        _ => SessionStatus::Failed,
    };
    let why = outcome.error.as_deref().unwrap_or("no agent finished");
    let error = format!("stage {name:?} failed: {why}");
    let here = Some(outcome.analysis.clone()).filter(|text| !text.is_empty());
    Some(Ending::ended(status, here.or_else(|| last_analysis(finished)), Some(error)))
}

/// Reads what an earlier owner left, and closes what it left open.
async fn recover(owner: &Owner) -> Result<PreviousAttempt, StopReason> {
    let session = owner.session();
    let store = &owner.app.store;
    let closed = owner.read(|| store.interrupt_streaming(owner.fence)).await?;
    tracing::info!(interrupted = closed.len(), "going on where another stopped");
    owner.app.publisher.publish(closed);
    let stages = owner.read(|| store.list_stages(session)).await?;
    let executions = owner.read(|| store.list_executions(session)).await?;
    Ok(PreviousAttempt { stages, executions })
}

async fn progress(
    owner: &Owner,
    chain: &ResolvedChain,
    (index, name): (i32, &str),
    agents: usize,
    phase: &str,
) {
    let total = stages(chain);
    owner
        .tell_list(LiveBody::SessionProgress {
            current_stage_name: name.to_owned(),
            current_stage_index: index + 1,
            total_stages: total,
            active_executions: i32::try_from(agents).unwrap_or(i32::MAX),
            status_text: format!("{name} ({} of {total}): {phase}", index + 1),
        })
        .await;
}

/// How many stages a session of this chain has, each synthesis among them.
fn stages(chain: &ResolvedChain) -> i32 {
    let syntheses = chain.stages.iter().filter(|stage| stage.synthesis.is_some()).count();
    i32::try_from(chain.stages.len() + syntheses).unwrap_or(i32::MAX)
}

fn last_analysis(finished: &[StageResult]) -> Option<String> {
    finished.last().map(|stage| stage.analysis.clone())
}
