//! Asks a model for the verdict: one call with a tool that records it, and one repair.

use std::sync::Arc;
use std::time::Duration;

use jsonschema::Validator;
use serde_json::json;
use tarsy_catalog::{Backend, ResolvedChain, ResolvedProvider};
use tarsy_contracts::mcp::Tool;
use tarsy_domain::event::{CallStatus, LlmInteractionKind, Role};
use tarsy_domain::id::VerdictId;
use tarsy_domain::verdict::{Verdict, VerdictFailure};
use tarsy_llm::{
    Attempt, Call, End, Failure, Message, NativeToolUse, Retries, ToolCalls, ToolDefinition, call,
};
use tarsy_store::{NewVerdict, Op, VerdictMaterial};
use tokio::time::{Instant, sleep_until};

use crate::engine::compaction::compact;
use crate::engine::context::Context;
use crate::engine::llm_record::{AttemptError, CallRecord};
use crate::engine::session_call::{SessionSink, providers, timeouts};
use crate::engine::timeline::Scope;
use crate::engine::verdict::answer::{self, Stated};
use crate::journal::StopReason;
use crate::prompts::verdict_tool;

/// How long all calls for a verdict may take: the session waits for it.
const TIME_LIMIT: Duration = Duration::from_mins(3);
/// The output limit that the provider is given, in tokens: some thinking, and a page of JSON.
const MAX_TOKENS: u32 = 4_096;
/// The longest answer of a provider that ignores its output limit, in bytes.
const MAX_BYTES: usize = 64 * 1024;
/// Answers that are asked for: the first, and one repair.
const MAX_ANSWERS: usize = 2;

/// A request for a verdict, and what its answers are checked against.
struct Request<'a> {
    ctx: &'a Context,
    chain: &'a ResolvedChain,
    analysis: &'a str,
    material: VerdictMaterial,
    tool: Tool,
    validator: Validator,
    deadline: Instant,
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
    let tool = verdict_tool(material.evidence.len());
    let validator = match jsonschema::validator_for(&tool.input_schema) {
        Ok(validator) => validator,
        Err(error) => {
            tracing::error!(%error, "the schema of a verdict is not valid");
            return Ok(Err(VerdictFailure::Failed));
        }
    };
    let deadline = Instant::now() + TIME_LIMIT;
    Request { ctx, chain, analysis, material, tool, validator, deadline }.ask(&providers).await
}

impl Request<'_> {
    async fn ask(
        &self,
        providers: &[ResolvedProvider],
    ) -> Result<Result<(), VerdictFailure>, StopReason> {
        let prompts = &self.ctx.services.prompts;
        let mut messages = vec![
            Message::new(Role::System, prompts.verdict_instructions()),
            Message::new(Role::User, prompts.verdict(self.analysis, &self.material)),
        ];
        let mut active = 0;
        for _ in 0..MAX_ANSWERS {
            let mut sink = SessionSink::new(self.ctx, self.record(&messages));
            let remaining = providers.get(active..).unwrap_or_default();
            let attempt = match self.call(&mut sink, messages.clone(), remaining).await? {
                Ok(attempt) => attempt,
                Err(failure) => return Ok(Err(failure)),
            };
            active += sink.switches;
            match self.check(&attempt).await? {
                Ok(verdict) => return self.store(&sink, &attempt, verdict).await.map(Ok),
                Err(problems) => {
                    let message = format!("the verdict is not valid: {}", problems.join("; "));
                    let error = AttemptError { message, timed_out: false };
                    sink.store_failure(&attempt, error).await?;
                    messages.extend(self.repair(&attempt, &problems));
                }
            }
        }
        Ok(Err(VerdictFailure::Invalid))
    }

    /// One answer, or why there is none.
    async fn call<'p>(
        &self,
        sink: &mut SessionSink<'_>,
        messages: Vec<Message>,
        providers: &'p [ResolvedProvider],
    ) -> Result<Result<Attempt<'p>, VerdictFailure>, StopReason> {
        let Some((provider, fallbacks)) = providers.split_first() else {
            return Ok(Err(VerdictFailure::Failed));
        };
        let request = self.llm_call(messages, (provider, fallbacks));
        let token = self.ctx.journal.stop_signal().token().child_token();
        let end = {
            let running = call(self.ctx.services.llm.as_ref(), request, sink, &token);
            let mut running = std::pin::pin!(running);
            tokio::select! {
                interaction = &mut running => interaction.end,
                () = sleep_until(self.deadline) => {
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
        messages: Vec<Message>,
        (provider, fallbacks): (&'p ResolvedProvider, &'p [ResolvedProvider]),
    ) -> Call<'p> {
        let tool = ToolDefinition {
            name: self.tool.full_name(),
            description: self.tool.description.clone(),
            parameters_schema: self.tool.input_schema.to_string(),
        };
        Call {
            session_id: self.ctx.journal.session(),
            execution_id: None,
            messages,
            compact: Some(compact),
            tools: vec![tool],
            tool_calls: ToolCalls::Accept,
            native_tools: NativeToolUse::Off,
            provider,
            fallbacks,
            max_output_tokens: Some(MAX_TOKENS),
            max_bytes: MAX_BYTES,
            timeouts: timeouts(self.chain),
            retries: Retries::SUMMARY,
            previous_timeouts: 0,
        }
    }

    fn record(&self, messages: &[Message]) -> CallRecord {
        CallRecord {
            scope: Scope::SESSION,
            kind: LlmInteractionKind::Verdict,
            native_tools: NativeToolUse::Off,
            last_message: None,
            messages: Some(json!(messages)),
            tools: Arc::new([self.tool.clone()]),
            max_output_tokens: Some(MAX_TOKENS),
            prompt_version: self.ctx.services.prompts.version().to_owned(),
        }
    }

    /// The verdict of an answer, or what is wrong with it.
    async fn check(
        &self,
        attempt: &Attempt<'_>,
    ) -> Result<Result<Verdict, Vec<String>>, StopReason> {
        let material = &self.material;
        let succeeded = material.calls.iter().any(|call| call.status == CallStatus::Completed);
        let known = (material.evidence.as_slice(), succeeded);
        let read = answer::read(&attempt.tool_calls, &attempt.text, &self.validator, known);
        let verdict = match read {
            Ok(verdict) => verdict,
            Err(problems) => return Ok(Err(problems)),
        };
        let stated = answer::stated(&verdict, self.analysis);
        if stated.is_empty() {
            return Ok(Ok(verdict));
        }
        let session = self.ctx.journal.session();
        let texts: Vec<String> = stated.iter().map(|one| one.text.clone()).collect();
        let texts = &texts;
        let unknown =
            self.ctx.journal.read(|store| store.list_unknown_texts(session, texts)).await?;
        let is_unknown = |one: &&Stated| unknown.contains(&one.text);
        let problems: Vec<String> = stated.iter().filter(is_unknown).map(Stated::problem).collect();
        Ok(if problems.is_empty() { Ok(verdict) } else { Err(problems) })
    }

    async fn store(
        &self,
        sink: &SessionSink<'_>,
        attempt: &Attempt<'_>,
        verdict: Verdict,
    ) -> Result<(), StopReason> {
        let id = VerdictId::new();
        let record = sink.record.answered(attempt, &attempt.text, &attempt.tool_calls);
        let new = NewVerdict { id, execution_id: None, verdict };
        let ops = vec![record, Op::StoreVerdict(new), Op::SetVerdict(id)];
        self.ctx.journal.commit(ops).await
    }

    /// The answer, and the request to repair it: the result of its tool call, if it made one.
    fn repair(&self, attempt: &Attempt<'_>, problems: &[String]) -> Vec<Message> {
        let text = self.ctx.services.prompts.verdict_repair(problems);
        let mut calls = attempt.tool_calls.clone();
        // Some models give their calls no id.
        for (call, number) in calls.iter_mut().zip(1..).filter(|(call, _)| call.id.is_empty()) {
            call.id = format!("verdict-{number}");
        }
        let answer = Message {
            tool_calls: calls.clone(),
            provider_state: attempt.provider_state.clone(),
            ..Message::new(Role::Assistant, attempt.text.clone())
        };
        if calls.is_empty() {
            return vec![answer, Message::new(Role::User, text)];
        }
        let results = calls.into_iter().map(|made| Message {
            tool_call_id: Some(made.id),
            tool_name: Some(made.name),
            ..Message::new(Role::Tool, text.clone())
        });
        std::iter::once(answer).chain(results).collect()
    }
}
