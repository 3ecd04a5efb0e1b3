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

use crate::engine::conversation::Voice;
use crate::engine::turn::{config, fallback, outlasts_us, pause};
use crate::owner::{Owner, Stop};

const TIME_LIMIT: Duration = Duration::from_mins(2);
/// How long it is at most, in tokens, if the provider keeps to it,
const LONGEST: u32 = 1_024;
/// and in bytes, whatever the provider does.
const MOST: usize = 64 * 1024;
/// Tries with one provider that refuses for now.
const TRIES: u32 = 3;

/// Writes the summary, or finds the one that an earlier owner wrote. The inner error is why there
/// is none.
pub(crate) async fn executive(
    owner: &Owner,
    chain: &ResolvedChain,
    analysis: &str,
) -> Result<Result<String, String>, Stop> {
    if let Some(written) = written_before(owner).await? {
        return Ok(Ok(written));
    }
    let prompts = &owner.app.prompts;
    let messages = vec![
        Message::new(Role::System, prompts.executive_summary_instructions()),
        Message::new(Role::User, prompts.executive_summary(analysis)),
    ];
    let mut provider = &chain.executive_summary_provider;
    let mut others = chain.executive_summary_fallbacks.iter();
    loop {
        let error = match with_one(owner, chain, provider, &messages).await? {
            Ok(text) => return Ok(Ok(text)),
            Err(error) => error,
        };
        let Some(next) = others.next() else { return Ok(Err(error)) };
        let names = (provider.name.as_str(), next.name.as_str());
        owner.commit(vec![fallback(None, names, &error, Voice::default())]).await?;
        provider = next;
    }
}

/// Asks one provider, again if it refuses for now.
async fn with_one(
    owner: &Owner,
    chain: &ResolvedChain,
    provider: &ResolvedProvider,
    messages: &[Message],
) -> Result<Result<String, String>, Stop> {
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
        let begun = Instant::now();
        let heard = timeout(TIME_LIMIT, ask(owner, chain, request));
        let heard = owner.unless_stopped(heard).await?.unwrap_or(Err(Error::Timeout));
        let asked = json!({ "provider": provider.name, "messages": messages });
        let text = heard.as_ref().map(|(text, _)| text.clone()).unwrap_or_default();
        let error = problem(&heard);
        let mut ops = vec![record(provider, asked, &heard, begun)];
        if error.is_none() {
            ops.push(told(text.clone()));
        }
        owner.commit(ops).await?;
        tries += 1;
        match (heard, error) {
            (_, None) => return Ok(Ok(text)),
            (Err(error), _) if error.is_retryable() && !outlasts_us(&error) && tries < TRIES => {
                owner.unless_stopped(sleep(pause(&error, tries))).await?;
            }
            (_, Some(error)) => return Ok(Err(error)),
        }
    }
}

/// Why this is no summary; nothing if it is one.
fn problem(heard: &Result<(String, Usage), Error>) -> Option<String> {
    match heard {
        Ok((text, _)) if text.is_empty() => Some("the model said nothing".to_owned()),
        Ok(_) => None,
        Err(error) => Some(error.to_string()),
    }
}

fn record(
    provider: &ResolvedProvider,
    asked: serde_json::Value,
    heard: &Result<(String, Usage), Error>,
    begun: Instant,
) -> Op {
    let (text, usage) = match heard {
        Ok((text, usage)) => (text.as_str(), *usage),
        Err(_) => ("", Usage::default()),
    };
    Op::LlmInteraction(NewLlmInteraction {
        id: InteractionId::fresh(),
        stage_id: None,
        execution_id: None,
        kind: LlmInteractionKind::ExecutiveSummary,
        model_name: provider.model.clone(),
        last_message_id: None,
        llm_request: asked,
        llm_response: json!({ "content": text }),
        thinking_content: None,
        response_metadata: None,
        input_tokens: Some(usage.input_tokens),
        output_tokens: Some(usage.output_tokens),
        total_tokens: Some(usage.total_tokens),
        thinking_tokens: Some(usage.thinking_tokens),
        duration_ms: i64::try_from(begun.elapsed().as_millis()).ok(),
        timed_out: matches!(heard, Err(Error::Timeout)),
        error_message: problem(heard),
    })
}

fn told(text: String) -> Op {
    Op::OpenEvent(NewTimelineEvent {
        id: TimelineEventId::fresh(),
        stage_id: None,
        execution_id: None,
        kind: TimelineKind::ExecutiveSummary,
        status: TimelineStatus::Completed,
        content: text,
        metadata: None,
    })
}

async fn written_before(owner: &Owner) -> Result<Option<String>, Stop> {
    let (store, session) = (&owner.app.store, owner.session());
    let events = owner.read(|| store.timeline(session, None, None)).await?;
    Ok(events
        .into_iter()
        .find(|event| event.kind == TimelineKind::ExecutiveSummary)
        .map(|event| event.content))
}

async fn ask(
    owner: &Owner,
    chain: &ResolvedChain,
    request: Request,
) -> Result<(String, Usage), Error> {
    let first = Duration::from_millis(chain.first_token_timeout_ms);
    let stall = Duration::from_millis(chain.stall_timeout_ms);
    let silent = |_| Error::Timeout;
    let mut chunks = timeout(first, owner.app.llm.generate(request)).await.map_err(silent)??;
    let (mut text, mut usage) = (String::new(), Usage::default());
    let mut patience = first;
    while let Some(chunk) = timeout(patience, chunks.next()).await.map_err(silent)? {
        patience = stall;
        match chunk? {
            Chunk::Text(delta) if text.len() + delta.len() > MOST => return Err(too_long()),
            Chunk::Text(delta) => text.push_str(&delta),
            Chunk::Usage(counted) => usage = counted,
            Chunk::Thinking(_)
            | Chunk::ToolCall(_)
            | Chunk::CodeExecution { .. }
            | Chunk::Grounding(_)
            | Chunk::ProviderState(_) => {}
        }
    }
    Ok((text.trim().to_owned(), usage))
}

fn too_long() -> Error {
    Error::Provider {
        message: "the model did not come to an end".to_owned(),
        code: "provider_error".to_owned(),
        retryable: true,
        retry_after: None,
    }
}
