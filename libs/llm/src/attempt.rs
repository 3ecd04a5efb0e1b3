//! One attempt: a request, and the stream of its answer.

use std::time::Duration;

use futures::StreamExt as _;
use tokio::time::{Instant, sleep_until, timeout_at};
use tokio_util::sync::CancellationToken;

use crate::error::Error;
use crate::model::{Chunks, Llm};
use crate::policy::{MAX_TOOL_CALLS, Timeouts};
use crate::record::{Attempt, Degenerate, Extra, Failure, TimeoutKind};
use crate::repetition::RepetitionDetector;
use crate::request::{Chunk, Request};
use crate::sink::{Flow, Sink};
use crate::usage;

pub(crate) enum AttemptEnd<E> {
    /// The answer is complete; it may be empty.
    Complete,
    Failed(Failure),
    Cancelled,
    SinkFailed(E),
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    pub(crate) timeouts: Timeouts,
    /// Of text, thinking, tool calls and extras together.
    pub(crate) max_bytes: usize,
    pub(crate) ignore_tool_calls: bool,
}

/// An attempt while its answer arrives.
pub(crate) struct Receiver<'a, 'p, S> {
    sink: &'a mut S,
    cancel: &'a CancellationToken,
    bounds: Bounds,
    attempt: &'a mut Attempt<'p>,
    started: Instant,
    bytes: usize,
    text: RepetitionDetector,
    thinking: RepetitionDetector,
}

/// When waiting for the next chunk ends, and what that means.
#[derive(Clone, Copy, Debug)]
struct Wait {
    until: Instant,
    kind: TimeoutKind,
}

impl Wait {
    /// Waits from now on, but not beyond the end of the attempt.
    fn new(limit: Duration, kind: TimeoutKind, end: Wait) -> Self {
        let until = Instant::now() + limit;
        if until < end.until { Self { until, kind } } else { end }
    }
}

impl<'a, 'p, S: Sink> Receiver<'a, 'p, S> {
    pub(crate) fn new(
        sink: &'a mut S,
        cancel: &'a CancellationToken,
        bounds: Bounds,
        attempt: &'a mut Attempt<'p>,
    ) -> Self {
        Self {
            sink,
            cancel,
            bounds,
            attempt,
            started: Instant::now(),
            bytes: 0,
            text: RepetitionDetector::default(),
            thinking: RepetitionDetector::default(),
        }
    }

    /// Sends the request and receives its answer; what arrived is in the attempt, however it ended.
    pub(crate) async fn run(mut self, llm: &dyn Llm, request: Request) -> AttemptEnd<S::Error> {
        // Rules report no tokens because they use none.
        let read = (!request.config.is_offline()).then(|| usage::of_request(&request));
        let end = self.receive(llm, request).await.err().unwrap_or(AttemptEnd::Complete);
        self.attempt.duration = self.started.elapsed();
        if let Some(read) = read {
            usage::complete(self.attempt, read);
        }
        self.sink.flush().await;
        end
    }

    async fn receive(
        &mut self,
        llm: &dyn Llm,
        request: Request,
    ) -> Result<(), AttemptEnd<S::Error>> {
        let Timeouts { first_token, idle, total } = self.bounds.timeouts;
        let end = Wait { until: self.started + total, kind: TimeoutKind::Total(total) };
        let mut wait = Wait::new(first_token, TimeoutKind::FirstToken(first_token), end);
        let mut chunks = self.open(llm, request, wait).await?;
        loop {
            let chunk = match self.next(&mut chunks, wait).await? {
                None => return Ok(()),
                Some(Ok(chunk)) => chunk,
                Some(Err(error)) => return Err(AttemptEnd::Failed(self.failure(error))),
            };
            if self.accept(chunk).await? == Flow::Finish {
                return Ok(());
            }
            // From now, not from the chunk's arrival: the sink's writes may take long.
            wait = Wait::new(idle, TimeoutKind::Idle(idle), end);
        }
    }

    async fn open(
        &self,
        llm: &dyn Llm,
        request: Request,
        wait: Wait,
    ) -> Result<Chunks, AttemptEnd<S::Error>> {
        let answer = tokio::select! {
            biased;
            () = self.cancel.cancelled() => return Err(AttemptEnd::Cancelled),
            answer = timeout_at(wait.until, llm.generate(request)) => answer,
        };
        match answer {
            Ok(Ok(chunks)) => Ok(chunks),
            Ok(Err(error)) => Err(AttemptEnd::Failed(self.failure(error))),
            Err(_) => Err(AttemptEnd::Failed(Failure::Timeout(wait.kind))),
        }
    }

    /// The next chunk, none at the end; meanwhile the sink is flushed when it asks for it.
    async fn next(
        &mut self,
        chunks: &mut Chunks,
        wait: Wait,
    ) -> Result<Option<Result<Chunk, Error>>, AttemptEnd<S::Error>> {
        loop {
            let flush_at = self.sink.flush_at();
            let flush = async {
                match flush_at {
                    Some(at) => sleep_until(at).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                biased;
                () = self.cancel.cancelled() => return Err(AttemptEnd::Cancelled),
                () = flush => {}
                // A chunk that is there counts, also when this process was too busy to look in time.
                chunk = chunks.next() => return Ok(chunk),
                () = sleep_until(wait.until) => {
                    return Err(AttemptEnd::Failed(Failure::Timeout(wait.kind)));
                }
            }
            self.sink.flush().await;
        }
    }

    async fn accept(&mut self, chunk: Chunk) -> Result<Flow, AttemptEnd<S::Error>> {
        if matches!(chunk, Chunk::Text(_) | Chunk::Thinking(_)) {
            self.attempt.first_token.get_or_insert_with(|| self.started.elapsed());
        }
        if self.bounds.ignore_tool_calls
            && let Chunk::ToolCall(call) = &chunk
        {
            tracing::debug!(tool.name = call.name, "a tool call that was not offered is dropped");
            return Ok(Flow::Continue);
        }
        let degenerate = self.check(&chunk);
        self.attempt.add(&chunk);
        let flow = self.sink.chunk(&chunk).await.map_err(AttemptEnd::SinkFailed)?;
        match degenerate {
            Some(kind) => Err(AttemptEnd::Failed(Failure::Degenerate(kind))),
            None => Ok(flow),
        }
    }

    /// Whether the answer, with this chunk, is degenerate.
    fn check(&mut self, chunk: &Chunk) -> Option<Degenerate> {
        self.bytes += chunk.bytes();
        let calls =
            self.attempt.tool_calls.len() + usize::from(matches!(chunk, Chunk::ToolCall(_)));
        if self.bytes > self.bounds.max_bytes || calls > MAX_TOOL_CALLS {
            return Some(Degenerate::TooLarge);
        }
        let repeats = match chunk {
            Chunk::Text(delta) => self.text.push(delta),
            Chunk::Thinking(delta) => self.thinking.push(delta),
            Chunk::ToolCall(_)
            | Chunk::Usage(_)
            | Chunk::CodeExecution { .. }
            | Chunk::Grounding(_)
            | Chunk::UrlContext(_)
            | Chunk::Response(_)
            | Chunk::Verdict(_)
            | Chunk::ProviderState(_)
            | Chunk::Finish(_) => false,
        };
        repeats.then_some(Degenerate::Repetition)
    }

    /// An error of the stream; a deadline that llm-service reports is the attempt's total timeout.
    fn failure(&self, error: Error) -> Failure {
        match error {
            Error::Timeout => Failure::Timeout(TimeoutKind::Total(self.bounds.timeouts.total)),
            error => Failure::Error(error),
        }
    }
}

impl Attempt<'_> {
    fn add(&mut self, chunk: &Chunk) {
        match chunk {
            Chunk::Text(delta) => self.text.push_str(delta),
            Chunk::Thinking(delta) => self.thinking.push_str(delta),
            Chunk::ToolCall(call) => self.tool_calls.push(call.clone()),
            Chunk::Usage(usage) => self.usage = Some(*usage),
            Chunk::ProviderState(state) => self.provider_state = Some(state.clone()),
            Chunk::CodeExecution { code, result } => self
                .extras
                .push(Extra::CodeExecution { code: code.clone(), result: result.clone() }),
            Chunk::Grounding(found) => self.extras.push(Extra::Grounding(found.clone())),
            Chunk::UrlContext(pages) => self.extras.push(Extra::UrlContext(pages.clone())),
            Chunk::Response(info) => self.response = Some(info.as_ref().clone()),
            Chunk::Verdict(verdict) => self.verdict = Some(verdict.clone()),
            Chunk::Finish(reason) => self.finish_reason = Some(*reason),
        }
    }
}
