//! Answers of a form, asked for under a lease that is not a session's: of scores and of prose. Each attempt is stored before the next.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use serde_json::{Map, Value, json};
use tarsy_catalog::ResolvedProvider;
use tarsy_domain::event::LlmInteractionKind;
use tarsy_domain::id::SessionId;
use tarsy_llm::{
    Admission, Attempt, Chunk, End, FailedAttempt, Failure, Flow, Message, NativeToolUse,
    ProviderSwitch, ResponseFormat, Sink, Timeouts, ToolCall, call,
};
use tarsy_service::{Lease, LeaseTerms};
use tarsy_store::NewLlmInteraction;

use crate::engine::{
    AttemptError, CallRecord, MAX_TOKENS, Scope, Services, json_object, repair, typed_call,
    wait_in_line,
};
use crate::journal::StopReason;
use crate::metrics;

/// Answers to one request: the first, and one repair.
const MAX_ANSWERS: u32 = 2;
/// Renewals within the time of a lease: lost ones must not cost it.
const RENEWALS: u32 = 4;
/// The least time for all calls of a piece of work, with those that stand in line.
const TIME_LIMIT: Duration = Duration::from_mins(30);

/// The terms of work that asks so many questions, each with `answer_ms` for an answer, and began `elapsed` ago.
pub(crate) fn terms(
    lease: Duration,
    questions: u32,
    answer_ms: u64,
    elapsed: Duration,
) -> LeaseTerms {
    let answers = Duration::from_millis(answer_ms).saturating_mul(questions * MAX_ANSWERS);
    LeaseTerms {
        renew_every: Some(lease / RENEWALS),
        time_left: TIME_LIMIT.max(answers).saturating_sub(elapsed),
    }
}

/// The work that asks, and where its calls are stored.
#[async_trait]
pub(crate) trait Asking: Sync {
    fn lease(&self) -> &Lease;

    fn services(&self) -> &Services;

    /// Stores a call whose answer is not used, under the fence of the work.
    async fn store_call(&self, call: NewLlmInteraction) -> Result<(), StopReason>;
}

/// Reads an answer with what of it could not be used, or says what is wrong with it.
pub(crate) type Read<'a, T> = dyn Fn(&Attempt<'_>) -> Result<(T, Vec<String>), String> + Sync + 'a;

/// What is asked of a model.
pub(crate) struct Question<'a, T> {
    pub(crate) session: SessionId,
    pub(crate) kind: LlmInteractionKind,
    pub(crate) format: ResponseFormat,
    pub(crate) read: &'a Read<'a, T>,
    /// The request for a valid answer, after one that is not.
    pub(crate) repair: &'a (dyn Fn(&str) -> String + Sync),
    pub(crate) prompt_version: &'a str,
    pub(crate) timeouts: Timeouts,
}

/// An answer that could be read, and the call that it came of.
pub(crate) struct Answered<T> {
    pub(crate) value: T,
    pub(crate) call: NewLlmInteraction,
}

/// Why there is no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoAnswer {
    /// Each could not be read.
    Invalid,
    Failed,
    TimedOut,
}

/// A valid answer of the first of these providers, or of one that takes over. Messages of a repair stay behind the others.
pub(crate) async fn ask<T: Send>(
    asking: &impl Asking,
    messages: &mut Vec<Message>,
    mut providers: &[ResolvedProvider],
    question: &Question<'_, T>,
) -> Result<Result<Answered<T>, NoAnswer>, StopReason> {
    for _ in 0..MAX_ANSWERS {
        let mut sink = AskingSink { asking, record: record(messages, question), switches: 0 };
        let attempt = match once(&mut sink, messages.clone(), providers, question).await? {
            Ok(attempt) => attempt,
            Err(why) => return Ok(Err(why)),
        };
        providers = providers.get(sink.switches..).unwrap_or_default();
        match (question.read)(&attempt) {
            Ok((value, notes)) => {
                sink.record.answer_notes = notes;
                let (text, calls) = (&attempt.text, &attempt.tool_calls);
                let call = sink.record.answered_call(&attempt, text, calls);
                return Ok(Ok(Answered { value, call }));
            }
            Err(problem) => {
                let message = format!("the answer is not valid: {problem}");
                let error = AttemptError { message, timed_out: false };
                sink.store_failure(&attempt, error).await?;
                messages.extend(repair(&attempt, &(question.repair)(&problem)));
            }
        }
    }
    Ok(Err(NoAnswer::Invalid))
}

/// One answer, or why there is none.
async fn once<'p, A: Asking, T: Send>(
    sink: &mut AskingSink<'_, A>,
    messages: Vec<Message>,
    providers: &'p [ResolvedProvider],
    question: &Question<'_, T>,
) -> Result<Result<Attempt<'p>, NoAnswer>, StopReason> {
    let Some((provider, fallbacks)) = providers.split_first() else {
        return Ok(Err(NoAnswer::Failed));
    };
    let asked = (messages, question.format.clone());
    let request = typed_call(question.session, asked, (provider, fallbacks), question.timeouts);
    let (lease, llm) = (sink.asking.lease(), &sink.asking.services().llm);
    match call(llm.as_ref(), request, sink, lease.signal().token()).await.end {
        End::Answered(attempt) => Ok(Ok(attempt)),
        End::Failed { last, .. } => {
            sink.store_failure(&last.attempt, AttemptError::of(&last)).await?;
            Ok(Err(match last.failure {
                Failure::Timeout(_) => NoAnswer::TimedOut,
                Failure::Error(_) | Failure::Empty | Failure::Degenerate(_) => NoAnswer::Failed,
            }))
        }
        End::Cancelled(attempt) => {
            let reason = lease.stopped().unwrap_or(StopReason::Shutdown);
            Err(sink.store_stop(reason, attempt).await)
        }
        End::SinkFailed(reason, attempt) => Err(sink.store_stop(reason, attempt).await),
    }
}

/// The members of the one object that an answer is, and what was mended to decode it. Two objects are none: one of them may
/// repeat what a result says.
pub(crate) fn members(
    calls: &[ToolCall],
    answer: &str,
    max_values: usize,
) -> Result<(Map<String, Value>, Vec<String>), String> {
    let json = match calls {
        [] => json_object(answer).ok_or("it is no JSON object")?,
        [call] => call.arguments.as_str(),
        _ => return Err("it has more than one call".to_owned()),
    };
    let decoded = tarsy_lenient::decode_at_most(json.as_bytes(), None, max_values)
        .map_err(|error| format!("it {error}"))?;
    let Value::Object(members) = decoded.value else {
        return Err("it is no JSON object".to_owned());
    };
    Ok((members, decoded.notes.iter().map(ToString::to_string).collect()))
}

fn record<T>(messages: &[Message], question: &Question<'_, T>) -> CallRecord {
    CallRecord {
        scope: Scope::SESSION,
        kind: question.kind,
        native_tools: NativeToolUse::Off,
        last_message: None,
        messages: Some(json!(messages)),
        tools: Arc::default(),
        max_output_tokens: Some(MAX_TOKENS),
        prompt_version: question.prompt_version.to_owned(),
        response_format: Some(question.format.schema.clone()),
        answer_notes: Vec::new(),
    }
}

/// Stores the attempts; nobody watches the text while it is written.
struct AskingSink<'a, A> {
    asking: &'a A,
    record: CallRecord,
    /// How many providers have been replaced.
    switches: usize,
}

impl<A: Asking> AskingSink<'_, A> {
    /// Records an attempt whose answer is not used. Its usage counts, whatever becomes of this process.
    async fn store_failure(
        &self,
        attempt: &Attempt<'_>,
        error: AttemptError,
    ) -> Result<(), StopReason> {
        self.asking.store_call(self.record.failed_call(attempt, error)).await
    }

    /// Records an attempt that was running when the work stopped. Returns the reason to stop with.
    async fn store_stop(&self, reason: StopReason, attempt: Option<Attempt<'_>>) -> StopReason {
        let (Some(attempt), Some(error)) = (attempt, AttemptError::of_stop(reason)) else {
            return reason;
        };
        self.store_failure(&attempt, error).await.err().unwrap_or(reason)
    }
}

#[async_trait]
impl<A: Asking> Sink for AskingSink<'_, A> {
    type Error = StopReason;

    async fn admit(&mut self, provider: &ResolvedProvider) -> Result<Admission, StopReason> {
        let kind = self.record.kind.as_str();
        let behind = |calls: u32| {
            tracing::info!(provider = provider.name, calls, kind, "waits in line");
            std::future::ready(())
        };
        let queue = &self.asking.services().queue;
        wait_in_line((queue, self.asking.lease()), provider, behind).await
    }

    async fn chunk(&mut self, _chunk: &Chunk) -> Result<Flow, StopReason> {
        Ok(Flow::Continue)
    }

    async fn attempt_failed(&mut self, failed: &FailedAttempt<'_>) -> Result<(), StopReason> {
        self.store_failure(&failed.attempt, AttemptError::of(failed)).await
    }

    async fn provider_switched(&mut self, switch: ProviderSwitch<'_>) -> Result<(), StopReason> {
        self.switches += 1;
        metrics::provider_fallback();
        let (from, to) = (&switch.from.name, &switch.to.name);
        tracing::warn!(from, to, reason = switch.reason(), "another provider answers");
        Ok(())
    }
}
