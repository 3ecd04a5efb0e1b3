//! Makes one claimed score: two requests to a model, the second only for what the first left open.

use std::time::Duration;

use serde_json::json;
use tarsy_catalog::{Backend, ResolvedProvider, ResolvedScoring};
use tarsy_domain::event::{LlmInteractionKind, Role};
use tarsy_domain::score::ScoreFailure;
use tarsy_llm::{Attempt, Message, ResponseFormat, Timeouts};
use tarsy_store::{Judgement, NewLlmInteraction, ScoreEnd};

use crate::asking::{Answered, NoAnswer, Question, ask};
use crate::journal::StopReason;
use crate::prompts::{self, missing_tools_format, score_format};
use crate::scoring::answer::{self, Judged, Missing};
use crate::scoring::work::Work;

/// Claims of one score before it fails.
const MAX_ATTEMPTS: i32 = 5;

/// How a score ends, with the call that its last answer came of.
pub(super) type Ended = (ScoreEnd, Option<NewLlmInteraction>);

/// Who judges, and in which words.
pub(super) struct Judge<'a> {
    work: Work<'a>,
    scoring: &'a ResolvedScoring,
    /// Its models; the offline analyst is none.
    providers: Vec<ResolvedProvider>,
    instructions: String,
    prompt_version: String,
}

impl<'a> Judge<'a> {
    pub(super) fn new(work: Work<'a>, scoring: &'a ResolvedScoring) -> Self {
        let agent = &scoring.agent;
        let all = std::iter::once(&agent.provider).chain(&agent.fallbacks);
        let prompts = &work.scores.services.prompts;
        let instructions = prompts.score_instructions(&agent.custom_instructions);
        Self {
            work,
            scoring,
            providers: all.filter(|one| one.backend != Backend::Offline).cloned().collect(),
            prompt_version: prompts.score_version(&instructions),
            instructions,
        }
    }

    /// The end of the score. What an earlier owner was answered is not asked again.
    pub(super) async fn make(&self) -> Result<Ended, StopReason> {
        let Work { scores, claim, lease } = self.work;
        if claim.judgement.is_none() {
            let session = claim.session.id;
            let checks = lease.read(|| scores.leases.store.find_score_checks(session)).await?;
            let begin =
                || scores.leases.store.begin_score(claim.fence, &checks, &self.prompt_version);
            lease.read(begin).await?;
        }
        if claim.attempts > MAX_ATTEMPTS {
            return Ok(self.without_answer(ScoreFailure::AttemptsUsedUp));
        }
        if self.providers.is_empty() {
            return Ok(self.without_answer(ScoreFailure::NoModel));
        }
        if self.is_day_used_up().await? {
            return Ok(self.without_answer(ScoreFailure::BudgetUsedUp));
        }
        let mut messages = self.opening().await?;
        let judgement = match claim.judgement.clone() {
            Some(judgement) => judgement,
            None => match self
                .ask(&mut messages, 0, (score_format(), read_judged as Read<Judged>))
                .await?
            {
                Ok(answered) => self.store(answered).await?,
                Err(failure) => return Ok((ScoreEnd::Failed(failure), None)),
            },
        };
        messages.truncate(2);
        messages.push(Message::new(Role::Assistant, as_answer(&judgement)));
        let question = scores.services.prompts.score_tools();
        messages.push(Message::new(Role::User, question));
        let active = self.providers.iter().position(|one| one.name == judgement.provider);
        let form = (missing_tools_format(), read_missing as Read<Missing>);
        Ok(match self.ask(&mut messages, active.unwrap_or_default(), form).await? {
            Ok(Answered { value, call }) => (ScoreEnd::Completed(Ok(value.tools)), Some(call)),
            Err(failure) => (ScoreEnd::Completed(Err(failure)), None),
        })
    }

    /// The end without another answer: the first one counts, if there is one.
    pub(super) fn without_answer(&self, failure: ScoreFailure) -> Ended {
        (without_answer(self.work.claim.judgement.is_some(), failure), None)
    }

    async fn is_day_used_up(&self) -> Result<bool, StopReason> {
        let Work { scores, claim, lease } = self.work;
        let budget = scores.services.limits.daily;
        if budget.is_off() {
            return Ok(false);
        }
        let session = claim.session.id;
        let usage = lease.read(|| scores.leases.store.find_daily_usage(session, None)).await?;
        Ok(budget.reached(usage).is_some())
    }

    /// Instructions and the first request: the record as people see it, without the questions about it.
    async fn opening(&self) -> Result<Vec<Message>, StopReason> {
        let Work { scores, claim, lease } = self.work;
        let (store, session) = (&scores.leases.store, claim.session.id);
        let mut stages = lease.read(|| store.list_stages(session)).await?;
        let mut events = lease.read(|| store.list_history(session)).await?;
        let material = lease.read(|| store.find_verdict_material(session)).await?;
        stages.retain(|stage| stage.chat_id.is_none());
        let is_own = |id| stages.iter().any(|stage| stage.id == id);
        events.retain(|one| one.event.stage_id.is_none_or(is_own));
        let record = prompts::SessionRecord { stages, events };
        // The smallest of all: each that takes over gets the same prompt.
        let tokens = self.providers.iter().map(ResolvedProvider::max_request_tokens).min();
        let alert = prompts::Alert::of_record(&claim.session, tokens.unwrap_or_default());
        let request = scores.services.prompts.score(&alert, &record, &material.unused_tools);
        Ok(vec![
            Message::new(Role::System, self.instructions.clone()),
            Message::new(Role::User, request),
        ])
    }

    async fn store(&self, answered: Answered<Judged>) -> Result<Judgement, StopReason> {
        let Work { scores, claim, lease } = self.work;
        let Answered { value, call } = answered;
        let judgement = Judgement {
            score: value.score,
            analysis: value.analysis,
            failure_tags: value.failure_tags,
            provider: call.provider.clone(),
            model: call.model_name.clone(),
        };
        let judge =
            || scores.leases.store.judge_score(claim.fence, judgement.clone(), call.clone());
        scores.leases.publisher.publish(lease.write(judge).await?);
        Ok(judgement)
    }

    /// A valid answer, or why there is none. Messages of a repair stay behind the others.
    async fn ask<T: Send>(
        &self,
        messages: &mut Vec<Message>,
        active: usize,
        (format, read): (ResponseFormat, Read<T>),
    ) -> Result<Result<Answered<T>, ScoreFailure>, StopReason> {
        let prompts = &self.work.scores.services.prompts;
        let question = Question {
            session: self.work.claim.session.id,
            kind: LlmInteractionKind::Score,
            format,
            read: &read,
            repair: &|problem: &str| prompts.score_repair(problem),
            prompt_version: &self.prompt_version,
            timeouts: timeouts(self.scoring),
        };
        let providers = self.providers.get(active..).unwrap_or_default();
        let answered = ask(&self.work, messages, providers, &question).await?;
        Ok(answered.map_err(|why| match why {
            NoAnswer::Invalid => ScoreFailure::Invalid,
            NoAnswer::Failed => ScoreFailure::Failed,
            NoAnswer::TimedOut => ScoreFailure::TimedOut,
        }))
    }
}

/// Reads an answer with what of it could not be used, or says what is wrong with it.
type Read<T> = fn(&Attempt<'_>) -> Result<(T, Vec<String>), String>;

fn read_judged(attempt: &Attempt<'_>) -> Result<(Judged, Vec<String>), String> {
    let mut read = answer::judged(&attempt.tool_calls, &attempt.text)?;
    let notes = std::mem::take(&mut read.notes);
    Ok((read, notes))
}

fn read_missing(attempt: &Attempt<'_>) -> Result<(Missing, Vec<String>), String> {
    let mut read = answer::missing(&attempt.tool_calls, &attempt.text)?;
    let notes = std::mem::take(&mut read.notes);
    Ok((read, notes))
}

/// The end of a score whose next answer is missing.
pub(super) fn without_answer(is_judged: bool, failure: ScoreFailure) -> ScoreEnd {
    if is_judged { ScoreEnd::Completed(Err(failure)) } else { ScoreEnd::Failed(failure) }
}

/// The first answer as it is kept: a model that goes on with another owner is shown the same.
fn as_answer(judgement: &Judgement) -> String {
    let Judgement { score, analysis, failure_tags, .. } = judgement;
    let tags: Vec<&str> = failure_tags.iter().map(|tag| tag.as_str()).collect();
    json!({ "analysis": analysis, "failure_tags": tags, "score": score }).to_string()
}

fn timeouts(scoring: &ResolvedScoring) -> Timeouts {
    Timeouts {
        first_token: Duration::from_millis(scoring.first_token_timeout_ms),
        idle: Duration::from_millis(scoring.stall_timeout_ms),
        total: Duration::from_millis(scoring.iteration_timeout_ms),
    }
}
