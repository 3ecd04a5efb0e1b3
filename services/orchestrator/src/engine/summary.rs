//! The executive summary: one call after the chain; the session stands without it.

use std::time::Duration;

use futures::StreamExt as _;
use serde_json::json;
use tarsy_catalog::{ResolvedChain, ResolvedProvider};
use tarsy_domain::event::{LlmInteractionKind, Role, TimelineKind};
use tarsy_domain::id::{InteractionId, TimelineEventId};
use tarsy_domain::status::TimelineStatus;
use tarsy_llm::{Chunk, Error, Message, Request, Usage};
use tarsy_store::{NewLlmInteraction, NewTimelineEvent, Op};
use tokio::time::{Instant, sleep, timeout};

use crate::engine::conversation::ActiveProvider;
use crate::engine::turn::{Failure, config, fallback, pause, retry_after_exceeds, stopped};
use crate::owner::{Owner, StopReason};

const TIME_LIMIT: Duration = Duration::from_mins(2);
/// How long it is at most, in tokens, if the provider keeps to it,
const LONGEST: u32 = 1_024;
/// and in bytes, whatever the provider does.
const MOST: usize = 64 * 1024;
/// Tries with one provider that refuses for now.
const TRIES: u32 = 3;

/// What the model has said so far, and what that cost if it is known.
#[derive(Debug, Default)]
struct PartialAnswer {
    text: String,
    usage: Option<Usage>,
}

/// Writes the summary, or finds the one that an earlier owner wrote. The inner error is why there
/// is none.
pub(crate) async fn executive(
    owner: &Owner,
    chain: &ResolvedChain,
    analysis: &str,
) -> Result<Result<String, String>, StopReason> {
    let (store, session) = (&owner.app.store, owner.session());
    let row = owner.read(|| store.find_session(session)).await?;
    let (written, active) =
        row.map_or((None, None), |row| (row.executive_summary, row.executive_summary_provider));
    if let Some(written) = written {
        return Ok(Ok(written));
    }
    let prompts = &owner.app.prompts;
    let messages = vec![
        Message::new(Role::System, prompts.executive_summary_instructions()),
        Message::new(Role::User, prompts.executive_summary(analysis)),
    ];
    let mut others = still_to_ask(chain, active.as_deref()).into_iter();
    let mut provider = others.next().unwrap_or(&chain.executive_summary_provider);
    loop {
        let is_last = others.len() == 0;
        let error = match with_one(owner, chain, (provider, is_last), &messages).await? {
            Ok(text) => return Ok(Ok(text)),
            Err(error) => error,
        };
        let Some(next) = others.next() else { return Ok(Err(error)) };
        let names = (provider.name.as_str(), next.name.as_str());
        owner.commit(fallback(None, names, &error, ActiveProvider::default()).into()).await?;
        provider = next;
    }
}

/// The active provider, also under an earlier owner, and those that can replace it.
fn still_to_ask<'a>(chain: &'a ResolvedChain, active: Option<&str>) -> Vec<&'a ResolvedProvider> {
    let fallbacks = &chain.executive_summary_fallbacks;
    let at = fallbacks.iter().position(|one| Some(one.name.as_str()) == active);
    let tried = at.map_or(0, |at| at + 1);
    std::iter::once(&chain.executive_summary_provider).chain(fallbacks).skip(tried).collect()
}

/// Asks one provider, again if it refuses for now; the last one also if it wants to be left alone for
/// long.
async fn with_one(
    owner: &Owner,
    chain: &ResolvedChain,
    (provider, is_last): (&ResolvedProvider, bool),
    messages: &[Message],
) -> Result<Result<String, String>, StopReason> {
    let mut tries = 0;
    loop {
        let request = Request {
            session_id: owner.session(),
            execution_id: None,
            messages: messages.to_vec(),
            tools: Vec::new(),
            // The analysis stands for itself: nothing is looked up for its summary.
            config: config(provider, true),
            max_output_tokens: Some(LONGEST),
            deadline: TIME_LIMIT,
        };
        if let Some(stop) = owner.stopped() {
            return Err(stop);
        }
        let (begun, mut said) = (Instant::now(), PartialAnswer::default());
        let heard = timeout(TIME_LIMIT, ask(owner, chain, request, &mut said));
        let heard = owner.unless_stopped(heard).await;
        let asked = json!({ "provider": provider.name, "messages": messages });
        let heard = match heard {
            Ok(heard) => heard.unwrap_or(Err(Error::Timeout)),
            Err(stop) => {
                if let Some((_, failure)) = stopped(stop) {
                    owner
                        .commit(vec![record(provider, asked, &said, Some(failure), begun)])
                        .await?;
                }
                return Err(stop);
            }
        };
        let problem = match &heard {
            Ok(()) if said.text().is_empty() => Some("the model said nothing".to_owned()),
            Ok(()) => None,
            Err(error) => Some(error.to_string()),
        };
        let timed_out = matches!(heard, Err(Error::Timeout));
        let failure = problem.as_deref().map(|why| Failure { why, timed_out });
        let mut ops = vec![record(provider, asked, &said, failure, begun)];
        if failure.is_none() {
            ops.push(told(said.text().to_owned()));
            ops.push(Op::SetExecutiveSummary(said.text().to_owned()));
        }
        owner.commit(ops).await?;
        tries += 1;
        match (heard, problem) {
            (_, None) => return Ok(Ok(said.text().to_owned())),
            (Err(error), _)
                if error.is_retryable()
                    && (is_last || !retry_after_exceeds(&error))
                    && tries < TRIES =>
            {
                owner.unless_stopped(sleep(pause(&error, tries))).await?;
            }
            (_, Some(problem)) => return Ok(Err(problem)),
        }
    }
}

impl PartialAnswer {
    fn text(&self) -> &str {
        self.text.trim()
    }
}

fn record(
    provider: &ResolvedProvider,
    asked: serde_json::Value,
    said: &PartialAnswer,
    failure: Option<Failure<'_>>,
    begun: Instant,
) -> Op {
    let usage = said.usage;
    Op::LlmInteraction(NewLlmInteraction {
        id: InteractionId::new(),
        stage_id: None,
        execution_id: None,
        kind: LlmInteractionKind::ExecutiveSummary,
        provider: provider.name.clone(),
        model_name: provider.model.clone(),
        last_message_id: None,
        llm_request: asked,
        llm_response: json!({ "content": said.text() }),
        thinking_content: None,
        response_metadata: None,
        input_tokens: usage.map(|usage| usage.input_tokens),
        output_tokens: usage.map(|usage| usage.output_tokens),
        total_tokens: usage.map(|usage| usage.total_tokens),
        thinking_tokens: usage.map(|usage| usage.thinking_tokens),
        duration_ms: i64::try_from(begun.elapsed().as_millis()).ok(),
        finish_reason: None,
        timed_out: failure.is_some_and(|failure| failure.timed_out),
        error_message: failure.map(|failure| failure.why.to_owned()),
    })
}

fn told(text: String) -> Op {
    Op::OpenEvent(NewTimelineEvent {
        id: TimelineEventId::new(),
        stage_id: None,
        execution_id: None,
        kind: TimelineKind::ExecutiveSummary,
        status: TimelineStatus::Completed,
        content: text,
        metadata: None,
    })
}

async fn ask(
    owner: &Owner,
    chain: &ResolvedChain,
    request: Request,
    said: &mut PartialAnswer,
) -> Result<(), Error> {
    let first = Duration::from_millis(chain.first_token_timeout_ms);
    let stall = Duration::from_millis(chain.stall_timeout_ms);
    let silent = |_| Error::Timeout;
    let mut chunks = timeout(first, owner.app.llm.generate(request)).await.map_err(silent)??;
    let mut patience = first;
    while let Some(chunk) = timeout(patience, chunks.next()).await.map_err(silent)? {
        patience = stall;
        match chunk? {
            Chunk::Text(delta) if said.text.len() + delta.len() > MOST => return Err(too_long()),
            Chunk::Text(delta) => said.text.push_str(&delta),
            Chunk::Usage(counted) => said.usage = Some(counted),
            Chunk::Thinking(_)
            | Chunk::ToolCall(_)
            | Chunk::CodeExecution { .. }
            | Chunk::Grounding(_)
            | Chunk::ProviderState(_)
            | Chunk::Finish(_) => {}
        }
    }
    Ok(())
}

fn too_long() -> Error {
    Error::Provider {
        message: "the model did not come to an end".to_owned(),
        code: "provider_error".to_owned(),
        retryable: true,
        retry_after: None,
    }
}
