//! The loop that calls a model: attempts, retries, provider fallback.
//!
//! ```
//! use std::time::Duration;
//!
//! use async_trait::async_trait;
//! use tarsy_catalog::ResolvedProvider;
//! use tarsy_llm::{
//!     Call, Chunk, End, FailedAttempt, Flow, Llm, Message, NativeToolUse, ProviderSwitch, Retries,
//!     Sink, Timeouts, ToolCalls, call,
//! };
//! use tokio_util::sync::CancellationToken;
//! # use tarsy_domain::{event::Role, id::SessionId};
//!
//! /// Prints what a real sink would publish and store.
//! struct Printer;
//!
//! #[async_trait]
//! impl Sink for Printer {
//!     /// Why storing failed: a lost lease, a shutdown.
//!     type Error = std::convert::Infallible;
//!
//!     async fn chunk(&mut self, chunk: &Chunk) -> Result<Flow, Self::Error> {
//!         if let Chunk::Text(delta) = chunk {
//!             print!("{delta}");
//!         }
//!         Ok(Flow::Continue)
//!     }
//!
//!     async fn attempt_failed(&mut self, failed: &FailedAttempt<'_>) -> Result<(), Self::Error> {
//!         println!("\nfailed: {}", failed.failure);
//!         Ok(())
//!     }
//!
//!     async fn provider_switched(&mut self, it: ProviderSwitch<'_>) -> Result<(), Self::Error> {
//!         println!("{} replaces {}: {}", it.to.name, it.from.name, it.reason());
//!         Ok(())
//!     }
//! }
//!
//! async fn summarize(
//!     llm: &dyn Llm,
//!     session: SessionId,
//!     provider: &ResolvedProvider,
//!     fallbacks: &[ResolvedProvider],
//!     cancel: &CancellationToken,
//! ) -> Option<String> {
//!     let request = Call {
//!         session_id: session,
//!         execution_id: None,
//!         messages: vec![Message::new(Role::User, "Summarize: …")],
//!         compact: None,
//!         tools: Vec::new(),
//!         tool_calls: ToolCalls::Ignore,
//!         response_format: None,
//!         native_tools: NativeToolUse::Off,
//!         provider,
//!         fallbacks,
//!         max_output_tokens: Some(1_024),
//!         max_bytes: 64 * 1024,
//!         timeouts: Timeouts {
//!             first_token: Duration::from_secs(60),
//!             idle: Duration::from_secs(60),
//!             total: Duration::from_secs(120),
//!         },
//!         retries: Retries::SUMMARY,
//!         previous_timeouts: 0,
//!     };
//!     let interaction = call(llm, request, &mut Printer, cancel).await;
//!     match interaction.end {
//!         // Store `interaction.messages` and the attempt; mark it if `answer.is_truncated()`.
//!         End::Answered(answer) => Some(answer.text),
//!         // Store `last`, too: the sink has not received it.
//!         End::Failed { last, .. } => {
//!             println!("no summary: {}", last.failure);
//!             None
//!         }
//!         // Close what was published under the caller's own reason.
//!         End::Cancelled(_) | End::SinkFailed(..) => None,
//!     }
//! }
//! ```

use std::time::Duration;

use tarsy_catalog::{NativeTools, ResolvedProvider};
use tarsy_domain::id::{ExecutionId, SessionId};
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use crate::attempt::{AttemptEnd, Bounds, Receiver};
use crate::decision::{Failed, Failures, Next, next};
use crate::model::Llm;
use crate::policy::{Retries, Timeouts};
use crate::record::{Attempt, End, FailedAttempt, Failure, Interaction, TimeoutKind};
use crate::request::{Compact, Config, Message, Prompt, Request, ResponseFormat, ToolDefinition};
use crate::sink::{Admission, ProviderSwitch, Sink};

/// A call of a model, with its bounds.
#[derive(Clone, Debug)]
pub struct Call<'a> {
    pub session_id: SessionId,
    pub execution_id: Option<ExecutionId>,
    /// A provider that takes over is given them without provider state.
    pub messages: Vec<Message>,
    /// Shortens the messages for each provider; none if they fit every provider.
    pub compact: Option<Compact>,
    pub tools: Vec<ToolDefinition>,
    pub tool_calls: ToolCalls,
    /// The form of the answer; none leaves it to the model.
    pub response_format: Option<ResponseFormat>,
    pub native_tools: NativeToolUse,
    pub provider: &'a ResolvedProvider,
    /// The providers that take over, in order.
    pub fallbacks: &'a [ResolvedProvider],
    /// None leaves it to the provider.
    pub max_output_tokens: Option<u32>,
    /// The longest answer, thinking and tool calls included; a longer one is cut off and retried.
    pub max_bytes: usize,
    pub timeouts: Timeouts,
    pub retries: Retries,
    /// Timeouts of `provider` in a row before this call, such as those of an earlier owner.
    pub previous_timeouts: u32,
}

/// What happens to tool calls of the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolCalls {
    Accept,
    /// They are dropped: none was offered, or they are made by text.
    Ignore,
}

/// Whether the provider's own tools, such as its web search, may be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NativeToolUse {
    AsConfigured,
    /// The prompt has text from tools: those that search or open addresses are off, unless the provider's configuration
    /// allows them.
    WithToolText,
    Off,
}

impl NativeToolUse {
    pub fn of(self, provider: &ResolvedProvider) -> NativeTools {
        match self {
            Self::AsConfigured => provider.native_tools,
            Self::WithToolText => provider.native_tools_with_tool_text(),
            Self::Off => NativeTools::default(),
        }
    }
}

/// Calls a model until it answers, its retries and fallbacks are exhausted, or the call is cancelled.
///
/// Each attempt is one request to llm-service, which does not retry. The future must be awaited to
/// its end: dropping it loses the record of the attempt that runs. To stop it, cancel the token.
pub async fn call<'a, S: Sink>(
    llm: &dyn Llm,
    call: Call<'a>,
    sink: &mut S,
    cancel: &CancellationToken,
) -> Interaction<'a, S::Error> {
    let failures = Failures { timeouts: call.previous_timeouts, ..Failures::default() };
    let mut state = Loop { llm, call, sink, cancel, failures, switches: 0, failed: Vec::new() };
    let end = state.run().await;
    Interaction { messages: state.call.messages, failed: state.failed, end }
}

/// A call while it runs.
struct Loop<'a, 's, S> {
    llm: &'s dyn Llm,
    call: Call<'a>,
    sink: &'s mut S,
    cancel: &'s CancellationToken,
    /// Of the active provider.
    failures: Failures,
    /// How many providers have been replaced.
    switches: usize,
    failed: Vec<FailedAttempt<'a>>,
}

impl<'a, S: Sink> Loop<'a, '_, S> {
    async fn run(&mut self) -> End<'a, S::Error> {
        loop {
            if let Err(end) = self.next_attempt().await {
                return end;
            }
        }
    }

    /// One attempt; the error is the end of the call.
    async fn next_attempt(&mut self) -> Result<(), End<'a, S::Error>> {
        let mut attempt = Attempt::new(self.provider());
        let began = Instant::now();
        let place = self.admit().await?;
        attempt.waited = (!place.is_free()).then(|| began.elapsed());
        let end = self.attempt(&mut attempt).await;
        drop(place);
        let failure = match end {
            AttemptEnd::Complete if attempt.is_empty() => Failure::Empty,
            AttemptEnd::Complete => return Err(End::Answered(attempt)),
            AttemptEnd::Failed(Failure::Timeout(kind @ TimeoutKind::Total(_)))
                if attempt.is_kept(self.call.retries.on_cut) =>
            {
                attempt.cut = Some(kind);
                return Err(End::Answered(attempt));
            }
            AttemptEnd::Failed(failure) => failure,
            AttemptEnd::Cancelled => return Err(End::Cancelled(Some(attempt))),
            AttemptEnd::SinkFailed(error) => return Err(End::SinkFailed(error, Some(attempt))),
        };
        self.after(FailedAttempt { attempt, failure }).await
    }

    /// Waits until a request may be sent.
    async fn admit(&mut self) -> Result<Admission, End<'a, S::Error>> {
        let provider = self.provider();
        tokio::select! {
            biased;
            () = self.cancel.cancelled() => Err(End::Cancelled(None)),
            place = self.sink.admit(provider) => {
                place.map_err(|error| End::SinkFailed(error, None))
            }
        }
    }

    fn provider(&self) -> &'a ResolvedProvider {
        let active = self.switches.checked_sub(1).and_then(|at| self.call.fallbacks.get(at));
        active.unwrap_or(self.call.provider)
    }

    async fn attempt(&mut self, attempt: &mut Attempt<'a>) -> AttemptEnd<S::Error> {
        let call = &self.call;
        let prompt = match call.compact {
            Some(compact) => compact(&call.messages, &call.tools, attempt.provider),
            None => Prompt { messages: call.messages.clone(), compaction: None },
        };
        attempt.compaction = prompt.compaction;
        let timeouts = call.timeouts.of(attempt.provider, self.failures.timeouts);
        let request = Request {
            session_id: call.session_id,
            execution_id: call.execution_id,
            messages: prompt.messages,
            tools: call.tools.clone(),
            response_format: call.response_format.clone(),
            config: config(attempt.provider, call.native_tools),
            max_output_tokens: call.max_output_tokens,
            deadline: timeouts.total,
        };
        let bounds = Bounds {
            timeouts,
            max_bytes: call.max_bytes,
            ignore_tool_calls: call.tool_calls == ToolCalls::Ignore,
        };
        self.sink.attempt_started(attempt.provider);
        Receiver::new(self.sink, self.cancel, bounds, attempt).run(self.llm, request).await
    }

    /// Prepares what follows a failed attempt, or ends the call.
    async fn after(&mut self, last: FailedAttempt<'a>) -> Result<(), End<'a, S::Error>> {
        let fallback = self.call.fallbacks.get(self.switches);
        let failed = Failed { failure: &last.failure, has_output: last.attempt.has_output() };
        let times = self.failures.count(failed, &self.call.retries);
        let decision = next(failed, times, fallback.is_some(), &self.call.retries);
        tracing::warn!(
            provider = last.attempt.provider.name, failure = %cause(&last.failure), ?decision,
            "a model's attempt failed"
        );
        match (decision, fallback) {
            (Next::Retry(pause), _) => {
                let repeated = self.failures.unavailable > 1 && failed.is_unavailable();
                self.record_failed(last, repeated).await?;
                self.pause(pause.duration()).await
            }
            (Next::FallBack { times }, Some(to)) => {
                let (from, failure) = (last.attempt.provider, last.failure.clone());
                self.record_failed(last, false).await?;
                let switch = ProviderSwitch { from, to, failure: &failure, times };
                let switched = self.sink.provider_switched(switch).await;
                switched.map_err(|error| End::SinkFailed(error, None))?;
                self.fall_back();
                Ok(())
            }
            (Next::FallBack { times } | Next::Fail { times }, _) => {
                Err(End::Failed { last, times })
            }
        }
    }

    /// Passes a failed attempt to the sink, unless it only repeats that no model can be reached.
    async fn record_failed(
        &mut self,
        attempt: FailedAttempt<'a>,
        repeated: bool,
    ) -> Result<(), End<'a, S::Error>> {
        if repeated {
            self.sink.attempt_discarded();
            return Ok(());
        }
        match self.sink.attempt_failed(&attempt).await {
            Ok(()) => {
                self.failed.push(attempt);
                Ok(())
            }
            Err(error) => Err(End::SinkFailed(error, Some(attempt.attempt))),
        }
    }

    async fn pause(&self, pause: Duration) -> Result<(), End<'a, S::Error>> {
        tokio::select! {
            biased;
            () = self.cancel.cancelled() => Err(End::Cancelled(None)),
            () = sleep(pause) => Ok(()),
        }
    }

    fn fall_back(&mut self) {
        self.switches += 1;
        self.failures = Failures::default();
        for message in &mut self.call.messages {
            // What one provider wants back means nothing to another.
            message.provider_state = None;
        }
    }
}

fn config(provider: &ResolvedProvider, native_tools: NativeToolUse) -> Config {
    let mut config = Config::from(provider);
    let on = native_tools.of(provider).names();
    config.native_tools.iter_mut().for_each(|(name, is_on)| *is_on = on.contains(&name.as_str()));
    config
}

/// A failure with its sources, for the log.
fn cause(failure: &Failure) -> String {
    match failure {
        Failure::Error(error) => tarsy_telemetry::chain(error).to_string(),
        Failure::Timeout(_) | Failure::Empty | Failure::Degenerate(_) => failure.to_string(),
    }
}

#[cfg(test)]
mod tests;
