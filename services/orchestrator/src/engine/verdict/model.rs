//! Asks a model for the verdict: one call for a JSON object, and one for those of its members that only the model can mend.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tarsy_catalog::{Backend, ResolvedChain, ResolvedProvider};
use tarsy_domain::event::{LlmInteractionKind, Role};
use tarsy_domain::id::VerdictId;
use tarsy_domain::verdict::{Verdict, VerdictFailure};
use tarsy_llm::{Attempt, Call, End, Failure, Message, NativeToolUse, ResponseFormat, call};
use tarsy_store::{NewVerdict, Op, VerdictMaterial};
use tokio::time::Instant;

use crate::engine::context::Context;
use crate::engine::llm_record::{AttemptError, CallRecord};
use crate::engine::session_call::{SessionSink, providers, timeouts};
use crate::engine::timeline::Scope;
use crate::engine::typed_call::{MAX_TOKENS, typed_call};
use crate::engine::verdict::answer::{self, Answer, Reading};
use crate::engine::verdict::charts;
use crate::journal::StopReason;
use crate::prompts::verdict_format;

/// How long all calls for a verdict may take: the session waits for it.
const TIME_LIMIT: Duration = Duration::from_mins(3);
/// Answers that are asked for: the first, and one repair.
const MAX_ANSWERS: usize = 2;

/// A request for a verdict, and what its answers are checked against.
struct Request<'a> {
    ctx: &'a Context,
    chain: &'a ResolvedChain,
    analysis: &'a str,
    material: VerdictMaterial,
    deadline: Instant,
}

/// An answer whose verdict lacks what only the model can mend.
struct Unmended {
    answer: Answer,
    verdict: Verdict,
    /// The members that are asked for again.
    members: Vec<&'static str>,
}

/// Asks for the verdict and stores it.
pub(super) async fn record(
    ctx: &Context,
    chain: &ResolvedChain,
    analysis: &str,
) -> Result<Result<(), VerdictFailure>, StopReason> {
    let session = ctx.journal.session();
    let row = ctx.journal.read(|store| store.find_session(session)).await?;
    let active = row.and_then(|row| row.executive_summary_provider);
    let (provider, fallbacks) = providers(chain, active.as_deref());
    if provider.backend == Backend::Offline {
        return Ok(Err(VerdictFailure::NoModel));
    }
    let models = fallbacks.iter().filter(|one| one.backend != Backend::Offline);
    let providers: Vec<ResolvedProvider> =
        std::iter::once(provider).chain(models).cloned().collect();
    let material = ctx.journal.read(|store| store.find_verdict_material(session)).await?;
    let answers = timeouts(chain).of(provider, 0).total * 2;
    let deadline = Instant::now() + TIME_LIMIT.max(answers);
    Request { ctx, chain, analysis, material, deadline }.ask(&providers).await
}

impl Request<'_> {
    async fn ask(
        &self,
        providers: &[ResolvedProvider],
    ) -> Result<Result<(), VerdictFailure>, StopReason> {
        let prompts = &self.ctx.services.prompts;
        let mut format = verdict_format(&self.material, &[]);
        let mut messages = vec![
            Message::new(Role::System, prompts.verdict_instructions()),
            Message::new(Role::User, prompts.verdict(self.analysis, &self.material, &format)),
        ];
        let mut active = 0;
        let mut kept: Option<Unmended> = None;
        for answers in 1..=MAX_ANSWERS {
            let mut sink = SessionSink::new(self.ctx, self.record(&messages, &format));
            let request = (messages.clone(), format.clone());
            let remaining = providers.get(active..).unwrap_or_default();
            let attempt = match self.call(&mut sink, request, remaining).await? {
                Ok(attempt) => attempt,
                Err(failure) => return self.end_with(kept, failure).await,
            };
            active += sink.switches;
            let problems = match self.read(&attempt, kept.as_ref()).await? {
                Ok((answer, reading)) => {
                    sink.record.answer_notes.clone_from(&reading.notes);
                    if reading.problems.is_empty() || answers == MAX_ANSWERS {
                        let record =
                            sink.record.answered(&attempt, &attempt.text, &attempt.tool_calls);
                        return self.store(Some(record), reading.verdict).await.map(Ok);
                    }
                    let members: Vec<_> = reading.problems.iter().map(|one| one.member).collect();
                    format = verdict_format(&self.material, &members);
                    kept = Some(Unmended { answer, verdict: reading.verdict, members });
                    reading.problems.iter().map(ToString::to_string).collect()
                }
                Err(problem) => vec![problem],
            };
            let message = format!("the verdict is not valid: {}", problems.join("; "));
            let error = AttemptError { message, timed_out: false };
            sink.store_failure(&attempt, error).await?;
            let members = kept.as_ref().map_or(&[][..], |kept| &kept.members);
            messages.extend(repair(&attempt, &prompts.verdict_repair(&problems, members)));
        }
        self.end_with(kept, VerdictFailure::Invalid).await
    }

    /// Ends with the verdict of an earlier answer, if one could be read.
    async fn end_with(
        &self,
        kept: Option<Unmended>,
        failure: VerdictFailure,
    ) -> Result<Result<(), VerdictFailure>, StopReason> {
        match kept {
            Some(kept) => self.store(None, kept.verdict).await.map(Ok),
            None => Ok(Err(failure)),
        }
    }

    /// One answer, or why there is none.
    async fn call<'p>(
        &self,
        sink: &mut SessionSink<'_>,
        request: (Vec<Message>, ResponseFormat),
        providers: &'p [ResolvedProvider],
    ) -> Result<Result<Attempt<'p>, VerdictFailure>, StopReason> {
        let Some((provider, fallbacks)) = providers.split_first() else {
            return Ok(Err(VerdictFailure::Failed));
        };
        let request = self.llm_call(request, (provider, fallbacks));
        let token = self.ctx.journal.stop_signal().token().child_token();
        let in_line = sink.in_line.clone();
        let end = {
            let running = call(self.ctx.services.llm.as_ref(), request, sink, &token);
            let mut running = std::pin::pin!(running);
            tokio::select! {
                interaction = &mut running => interaction.end,
                () = in_line.until(self.deadline) => {
                    // A call that is dropped would leave no record.
                    token.cancel();
                    running.await.end
                }
            }
        };
        match end {
            End::Answered(attempt) => Ok(Ok(attempt)),
            End::Failed { last, .. } => {
                sink.store_failure(&last.attempt, AttemptError::of(&last)).await?;
                Ok(Err(match last.failure {
                    Failure::Timeout(_) => VerdictFailure::TimedOut,
                    Failure::Error(_) | Failure::Empty | Failure::Degenerate(_) => {
                        VerdictFailure::Failed
                    }
                }))
            }
            End::Cancelled(attempt) => {
                if let Some(reason) = self.ctx.journal.stop_reason() {
                    return Err(sink.store_stop(reason, attempt).await);
                }
                if let Some(attempt) = attempt {
                    let message = "the time for the verdict ran out".to_owned();
                    let error = AttemptError { message, timed_out: true };
                    sink.store_failure(&attempt, error).await?;
                }
                Ok(Err(VerdictFailure::TimedOut))
            }
            End::SinkFailed(reason, attempt) => Err(sink.store_stop(reason, attempt).await),
        }
    }

    fn llm_call<'p>(
        &self,
        asked: (Vec<Message>, ResponseFormat),
        providers: (&'p ResolvedProvider, &'p [ResolvedProvider]),
    ) -> Call<'p> {
        typed_call(self.ctx.journal.session(), asked, providers, timeouts(self.chain))
    }

    fn record(&self, messages: &[Message], format: &ResponseFormat) -> CallRecord {
        CallRecord {
            scope: Scope::SESSION,
            kind: LlmInteractionKind::Verdict,
            native_tools: NativeToolUse::Off,
            last_message: None,
            messages: Some(json!(messages)),
            tools: Arc::default(),
            max_output_tokens: Some(MAX_TOKENS),
            prompt_version: self.ctx.services.prompts.version().to_owned(),
            response_format: Some(format.schema.clone()),
            answer_notes: Vec::new(),
        }
    }

    /// What could be read of an answer, and of that which it mends; otherwise why it is none.
    async fn read(
        &self,
        attempt: &Attempt<'_>,
        before: Option<&Unmended>,
    ) -> Result<Result<(Answer, Reading), String>, StopReason> {
        let asked = before.map_or(&[][..], |kept| &kept.members);
        let answer = match answer::decode(&attempt.tool_calls, &attempt.text, asked) {
            Ok(answer) => answer,
            Err(problem) => return Ok(Err(problem)),
        };
        let answer = match before {
            Some(kept) => kept.answer.clone().with(answer, &kept.members),
            None => answer,
        };
        let mut reading = answer::read(answer.clone(), &self.material);
        reading.leave_out_change(&self.material.changes, self.analysis);
        let stated = answer::stated(&reading.verdict, self.analysis);
        if !stated.is_empty() {
            let (session, texts) = (self.ctx.journal.session(), &stated);
            let unknown =
                self.ctx.journal.read(|store| store.list_unknown_texts(session, texts)).await?;
            reading.leave_out(&unknown);
        }
        Ok(Ok((answer, reading)))
    }

    async fn store(&self, record: Option<Op>, mut verdict: Verdict) -> Result<(), StopReason> {
        let session = self.ctx.journal.session();
        let cited = &charts::cited(&verdict);
        let calls = self
            .ctx
            .journal
            .read(|store| store.list_call_results(session, cited, charts::MAX_RESULTS_BYTES))
            .await?;
        charts::draw(&mut verdict, &calls);
        let id = VerdictId::new();
        let new = NewVerdict { id, execution_id: None, verdict };
        let mut ops: Vec<Op> = record.into_iter().collect();
        ops.extend([Op::StoreVerdict(new), Op::SetVerdict(id)]);
        self.ctx.journal.commit(ops).await
    }
}

/// The answer, and the request to repair it: the result of its tool call, if it made one.
pub(crate) fn repair(attempt: &Attempt<'_>, text: &str) -> Vec<Message> {
    let mut calls = attempt.tool_calls.clone();
    // Some models give their calls no id.
    for (call, number) in calls.iter_mut().zip(1..).filter(|(call, _)| call.id.is_empty()) {
        call.id = format!("answer-{number}");
    }
    let answer = Message {
        tool_calls: calls.clone(),
        provider_state: attempt.provider_state.clone(),
        ..Message::new(Role::Assistant, attempt.text.clone())
    };
    if calls.is_empty() {
        return vec![answer, Message::new(Role::User, text.to_owned())];
    }
    let results = calls.into_iter().map(|made| Message {
        tool_call_id: Some(made.id),
        tool_name: Some(made.name),
        ..Message::new(Role::Tool, text.to_owned())
    });
    std::iter::once(answer).chain(results).collect()
}
