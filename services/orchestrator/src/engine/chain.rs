//! The chain of a session, stage by stage, and the end that it leads to.

use jiff::Timestamp;
use tarsy_catalog::{ResolvedAgent, ResolvedChain, ResolvedStage};
use tarsy_contracts::failure::Failure;
use tarsy_contracts::live::LiveBody;
use tarsy_domain::failure::FailureCode;
use tarsy_domain::id::StageId;
use tarsy_domain::status::{Phase, SessionOrigin, SessionStatus, WorkStatus};
use tarsy_domain::verdict::VerdictFailure;
use tarsy_store::{Claim, Op, Session, SessionEnd};

use crate::engine::budget::BudgetTracker;
use crate::engine::context::Context;
use crate::engine::daily_budget;
use crate::engine::progress::publish_to_list;
use crate::engine::recovery::{self, PreviousAttempt};
use crate::engine::task::{Outcome, Purpose, StagePlan};
use crate::engine::{
    changes, dependencies, injected, memory, prompt_overrides, runbook, stage, summary, synthesis,
    verdict,
};
use crate::journal::{StopReason, ends_work};
use crate::prompts::Finding;

/// Why a session, or its summary, has no end of its own.
const OUT_OF_TIME: &str = "the session ran out of time";

/// Runs the chain, or what is left of it. An error means that another owner continues, or that the
/// lease is lost; there is no end to write.
pub(crate) async fn investigate(ctx: &Context, claim: &Claim) -> Result<SessionEnd, StopReason> {
    let chain: ResolvedChain = match serde_json::from_value(claim.session.config_snapshot.clone()) {
        Ok(chain) => chain,
        Err(error) => {
            tracing::error!(%error, "the stored chain cannot be read");
            let reason = "the chain stored with this session cannot be read";
            let failure = Failure::new(FailureCode::UnusableChain, reason);
            return Ok(end(SessionStatus::Failed, None, Some(failure)));
        }
    };
    let ctx = &match prompt_overrides::apply(ctx, &claim.session).await? {
        Ok(ctx) => ctx,
        Err(error) => {
            let failure = Failure::new(FailureCode::UnusablePrompts, error);
            return Ok(end(SessionStatus::Failed, None, Some(failure)));
        }
    };
    let mut run =
        ChainRun { ctx, chain: &chain, findings: Vec::new(), next_index: 0, opening: Vec::new() };
    match run.all_stages(claim).await {
        Ok(end) => Ok(end),
        Err(reason) => {
            let reason = recovery::wind_down(ctx, claim.resumed, reason).await;
            if !ends_work(reason) {
                return Err(reason);
            }
            let found = match run.last_analysis() {
                // The first stage was stopped; one of its agents may have concluded.
                None => recovery::last_conclusion(ctx).await?,
                found => found,
            };
            Ok(stopped(reason, found))
        }
    }
}

/// The end of a session that was cancelled while it had no owner.
pub(crate) async fn end_cancelled(ctx: &Context) -> Result<SessionEnd, StopReason> {
    let found = found_by_earlier_owners(ctx).await?;
    Ok(stopped(StopReason::Cancelled, found))
}

/// The end of a session after its last attempt.
pub(crate) async fn end_exhausted(ctx: &Context, attempts: i32) -> Result<SessionEnd, StopReason> {
    let found = found_by_earlier_owners(ctx).await?;
    let reason = format!("failed after {attempts} attempts; each of its workers was lost");
    let failure = Failure::new(FailureCode::WorkersLost, reason);
    Ok(end(SessionStatus::Failed, found, Some(failure)))
}

/// The last conclusion of earlier owners, whose open calls are abandoned.
async fn found_by_earlier_owners(ctx: &Context) -> Result<Option<String>, StopReason> {
    recovery::abandon_open_calls(ctx).await?;
    recovery::last_conclusion(ctx).await
}

/// The end of a session that was cancelled or ran out of time.
fn stopped(reason: StopReason, found: Option<String>) -> SessionEnd {
    if reason == StopReason::TimedOut {
        let failure = Failure::new(FailureCode::SessionTimedOut, OUT_OF_TIME);
        end(SessionStatus::TimedOut, found, Some(failure))
    } else {
        end(SessionStatus::Cancelled, found, None)
    }
}

fn end(status: SessionStatus, found: Option<String>, failure: Option<Failure>) -> SessionEnd {
    SessionEnd {
        status,
        final_analysis: found,
        executive_summary: None,
        executive_summary_error: None,
        verdict_failure: None,
        error_message: failure.as_ref().map(|failure| failure.reason.clone()),
        failure,
    }
}

/// The time that prompts give. A replay has that of its original.
fn now(session: &Session) -> Option<Timestamp> {
    match session.origin {
        SessionOrigin::Replay => Some(session.received_at),
        SessionOrigin::Alert | SessionOrigin::Recording => session.started_at,
    }
}

/// A chain while it runs.
struct ChainRun<'a> {
    ctx: &'a Context,
    chain: &'a ResolvedChain,
    /// Of the finished stages; a synthesis replaces those of its stage.
    findings: Vec<Finding>,
    /// Of the next stage in the session: a synthesis is a stage of its own.
    next_index: i32,
    /// What is stored when the first stage begins.
    opening: Vec<Op>,
}

/// What all stages of a chain share.
struct Shared<'a> {
    session: &'a Session,
    budget: &'a BudgetTracker,
    previous: &'a PreviousAttempt,
}

impl ChainRun<'_> {
    async fn all_stages(&mut self, claim: &Claim) -> Result<SessionEnd, StopReason> {
        if !claim.resumed
            && let Some(reached) = daily_budget::reached(self.ctx, None).await?
        {
            let failure = Failure::new(FailureCode::DailyBudgetUsedUp, reached.describe_refusal());
            return Ok(end(SessionStatus::Failed, None, Some(failure)));
        }
        let previous = recovery::load(self.ctx, claim.resumed).await?;
        injected::report_alert(self.ctx, &claim.session).await?;
        let session = runbook::load(self.ctx, &claim.session).await?;
        let session = self.give(session).await?;
        let journal = &self.ctx.journal;
        let budget = self.chain.budget;
        let budget = BudgetTracker::of_investigation(journal, budget, claim.resumed).await?;
        let shared = Shared { session: &session, budget: &budget, previous: &previous };
        for spec in &self.chain.stages {
            let (id, outcome) = self.stage(&shared, spec, Purpose::Investigate).await?;
            if let Some(end) = self.failure(&spec.name, &outcome) {
                return Ok(end);
            }
            self.findings.push(Finding { stage: spec.name.clone(), analysis: outcome.analysis });
            if let Some(agent) = &spec.synthesis
                && let Some(end) = self.synthesize(&shared, (spec, agent), id).await?
            {
                return Ok(end);
            }
        }
        self.finish().await
    }

    /// The session with what its agents are given beside the alert.
    async fn give(&mut self, mut session: Session) -> Result<Session, StopReason> {
        let (ctx, chain) = (self.ctx, self.chain);
        let (memories, changes, dependencies) = tokio::try_join!(
            memory::load(ctx, chain, &session),
            changes::load(ctx, chain, &session),
            dependencies::load(ctx, chain, &session),
        )?;
        self.opening.extend(memories.map(|memories| memories.give(&mut session)));
        if let Some((given, ops)) = changes {
            session.changes = Some(given);
            self.opening.extend(ops);
        }
        if let Some((given, ops)) = dependencies {
            session.dependencies = Some(given);
            self.opening.extend(ops);
        }
        Ok(session)
    }

    /// Joins the findings of a stage. Returns the session's end if that fails.
    async fn synthesize(
        &mut self,
        shared: &Shared<'_>,
        (spec, agent): (&ResolvedStage, &ResolvedAgent),
        joined: StageId,
    ) -> Result<Option<SessionEnd>, StopReason> {
        let spec = synthesis::stage(spec, agent);
        let (_, outcome) = self.stage(shared, &spec, Purpose::Synthesize(joined)).await?;
        if let Some(end) = self.failure(&spec.name, &outcome) {
            return Ok(Some(end));
        }
        if let Some(last) = self.findings.last_mut() {
            last.analysis = outcome.analysis;
        }
        Ok(None)
    }

    async fn stage(
        &mut self,
        shared: &Shared<'_>,
        spec: &ResolvedStage,
        purpose: Purpose<'_>,
    ) -> Result<(StageId, Outcome), StopReason> {
        let index = self.next_index;
        self.next_index = index.saturating_add(1);
        let findings = match purpose {
            // It reads the whole timelines of its stage instead of the findings.
            Purpose::Synthesize(_) => self.findings.split_last().map_or(&[][..], |(_, all)| all),
            Purpose::Investigate | Purpose::Answer(_) => &self.findings,
        };
        let phase = match purpose {
            Purpose::Synthesize(_) => Phase::Synthesizing,
            Purpose::Investigate | Purpose::Answer(_) => Phase::Investigating,
        };
        self.publish_progress(index, &spec.name, spec.agents.len(), phase).await;
        let plan = StagePlan {
            chain: self.chain,
            spec,
            index,
            session: shared.session,
            findings,
            purpose,
            budget: shared.budget,
            now: now(shared.session),
            rollback: None,
            opening: std::mem::take(&mut self.opening),
        };
        let previous = shared.previous;
        stage::run(self.ctx, &plan, previous.stage(index), &previous.executions).await
    }

    /// Writes the executive summary and the verdict at the same time. The session completes without them, too.
    async fn finish(&self) -> Result<SessionEnd, StopReason> {
        let Some(analysis) = self.last_analysis() else {
            let failure = Failure::new(FailureCode::UnusableChain, "the chain has no stages");
            return Ok(end(SessionStatus::Failed, None, Some(failure)));
        };
        self.publish_progress(self.total() - 1, "executive summary", 0, Phase::Finalizing).await;
        let (summary, verdict) = tokio::join!(
            summary::executive(self.ctx, self.chain, &analysis),
            verdict::record(self.ctx, self.chain, &analysis),
        );
        let summary = match summary {
            Err(StopReason::TimedOut) => Err(OUT_OF_TIME.to_owned()),
            written => written?,
        };
        let verdict = match verdict {
            Err(StopReason::TimedOut) => Err(VerdictFailure::TimedOut),
            recorded => recorded?,
        };
        let mut end = end(SessionStatus::Completed, Some(analysis), None);
        match summary {
            Ok(text) => end.executive_summary = Some(text),
            Err(error) => end.executive_summary_error = Some(error),
        }
        end.verdict_failure = verdict.err();
        Ok(end)
    }

    /// The session's end if a stage did not complete, with what was found until then.
    fn failure(&self, name: &str, outcome: &Outcome) -> Option<SessionEnd> {
        let status = match outcome.status {
            WorkStatus::Completed => return None,
            WorkStatus::TimedOut => SessionStatus::TimedOut,
            _ => SessionStatus::Failed,
        };
        let why = outcome.error.as_deref().unwrap_or("no agent finished");
        let error = format!("stage {name:?} failed: {why}");
        let found = Some(outcome.analysis.clone()).filter(|text| !text.is_empty());
        let failure = outcome.failure.clone().map(|failure| failure.in_stage(name));
        let end = end(status, found.or_else(|| self.last_analysis()), failure);
        Some(SessionEnd { error_message: Some(error), ..end })
    }

    fn last_analysis(&self) -> Option<String> {
        self.findings.last().map(|finding| finding.analysis.clone())
    }

    async fn publish_progress(&self, index: i32, name: &str, agents: usize, phase: Phase) {
        let total = self.total();
        let body = LiveBody::SessionProgress {
            current_stage_name: name.to_owned(),
            current_stage_index: index + 1,
            total_stages: total,
            active_executions: i32::try_from(agents).unwrap_or(i32::MAX),
            status_text: format!("{name} ({} of {total}): {phase}", index + 1),
        };
        publish_to_list(self.ctx, body).await;
    }

    /// How many stages the session has, syntheses included.
    fn total(&self) -> i32 {
        let syntheses = self.chain.stages.iter().filter(|stage| stage.synthesis.is_some()).count();
        i32::try_from(self.chain.stages.len() + syntheses).unwrap_or(i32::MAX)
    }
}
