//! The executive summary: one call after the chain; the session stands without it.

use std::time::{Duration, Instant};

use futures::StreamExt as _;
use serde_json::json;
use tarsy_catalog::ResolvedChain;
use tarsy_domain::event::{LlmInteractionKind, Role, TimelineKind};
use tarsy_domain::id::{InteractionId, TimelineEventId};
use tarsy_domain::status::TimelineStatus;
use tarsy_llm::{Chunk, Config, Error, Message, Request, Usage};
use tarsy_store::{NewLlmInteraction, NewTimelineEvent, Op};

use crate::owner::{Owner, Stop};

const TIME_LIMIT: Duration = Duration::from_mins(2);
const LONGEST: u32 = 1_024;

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
    let provider = &chain.executive_summary_provider;
    let request = Request {
        session_id: owner.session(),
        execution_id: None,
        messages: messages.clone(),
        tools: Vec::new(),
        config: Config::from(provider),
        max_output_tokens: Some(LONGEST),
        deadline: TIME_LIMIT,
    };
    let begun = Instant::now();
    let heard = tokio::time::timeout(TIME_LIMIT, ask(owner, request));
    let heard = owner.unless_stopped(heard).await?.unwrap_or(Err(Error::Timeout));
    let (text, usage, error) = match heard {
        Ok((text, usage)) if !text.is_empty() => (text, usage, None),
        Ok((_, usage)) => (String::new(), usage, Some("the model said nothing".to_owned())),
        Err(error) => (String::new(), Usage::default(), Some(error.to_string())),
    };
    let mut ops = vec![Op::LlmInteraction(NewLlmInteraction {
        id: InteractionId::fresh(),
        stage_id: None,
        execution_id: None,
        kind: LlmInteractionKind::ExecutiveSummary,
        model_name: provider.model.clone(),
        last_message_id: None,
        llm_request: json!({ "provider": provider.name, "messages": messages }),
        llm_response: json!({ "content": text }),
        thinking_content: None,
        response_metadata: None,
        input_tokens: Some(usage.input_tokens),
        output_tokens: Some(usage.output_tokens),
        total_tokens: Some(usage.total_tokens),
        thinking_tokens: Some(usage.thinking_tokens),
        duration_ms: i64::try_from(begun.elapsed().as_millis()).ok(),
        error_message: error.clone(),
    })];
    if error.is_none() {
        ops.push(Op::OpenEvent(NewTimelineEvent {
            id: TimelineEventId::fresh(),
            stage_id: None,
            execution_id: None,
            kind: TimelineKind::ExecutiveSummary,
            status: TimelineStatus::Completed,
            content: text.clone(),
            metadata: None,
        }));
    }
    owner.commit(ops).await?;
    Ok(error.map_or(Ok(text), Err))
}

async fn written_before(owner: &Owner) -> Result<Option<String>, Stop> {
    let (store, session) = (&owner.app.store, owner.session());
    let events = owner.read(|| store.timeline(session, None, None)).await?;
    Ok(events
        .into_iter()
        .find(|event| event.kind == TimelineKind::ExecutiveSummary)
        .map(|event| event.content))
}

async fn ask(owner: &Owner, request: Request) -> Result<(String, Usage), Error> {
    let mut chunks = owner.app.llm.generate(request).await?;
    let (mut text, mut usage) = (String::new(), Usage::default());
    while let Some(chunk) = chunks.next().await {
        match chunk? {
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
