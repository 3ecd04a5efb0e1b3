//! Memories and past sessions that an agent searches: TARSy answers these calls itself, and keeps what it answered.

use std::sync::Arc;

use serde_json::{Value, json};
use tarsy_catalog::RESERVED_ID;
use tarsy_contracts::mcp::{Tool, ToolTerms};
use tarsy_domain::id::CallId;
use tarsy_domain::status::SessionOrigin;
use tarsy_llm::ToolCall;
use tarsy_store::{SearchQuery, SessionQuery};

use crate::engine::context::Context;
use crate::engine::own_tool;
use crate::engine::task::AgentTask;
use crate::journal::StopReason;
use crate::limits::is_small;

const RECALL: &str = "recall";
const SEARCH: &str = "search_past_sessions";
const TOOLS: [&str; 2] = [RECALL, SEARCH];
/// Memories, or sessions, of one answer.
const MAX_FOUND: usize = 10;
/// The longest text that is searched for, in characters.
const MAX_QUERY: usize = 200;

/// Whether a call searches memories or past sessions. Such a call is no look, and its result is data from outside.
pub(crate) fn is_own(name: &str) -> bool {
    own_tool::named(name, &TOOLS).is_some()
}

/// The tools that an agent is offered, with those of memory if there were memories when its session began. A small context window
/// has no room for them; an agent without tools keeps those of its provider, which are off beside any other.
pub(crate) fn with_tools(task: &AgentTask<'_>, tools: Arc<[Tool]>) -> Arc<[Tool]> {
    let has_any = task.plan.session.recalled.is_some();
    if !has_any || tools.is_empty() || is_small(&task.spec.provider) {
        return tools;
    }
    tools.iter().cloned().chain(own()).collect()
}

fn own() -> [Tool; 2] {
    [
        tool(
            RECALL,
            "Searches what people confirmed in reviews of earlier investigations: short facts about causes. Of now it shows nothing.",
            "What it is about: names of services and objects, words of the symptom",
        ),
        tool(
            SEARCH,
            "Searches past alerts, findings and tool results. Each result says whether a person reviewed the session.",
            "Words that all occur in one text",
        ),
    ]
}

fn tool(name: &str, description: &str, query: &str) -> Tool {
    Tool {
        server: RESERVED_ID.to_owned(),
        name: name.to_owned(),
        description: description.to_owned(),
        input_schema: json!({
            "type": "object",
            "properties": {"query": {"type": "string", "description": query}},
            "required": ["query"],
            "additionalProperties": false,
        }),
        read_only: true,
        idempotent: true,
        terms: ToolTerms::default(),
    }
}

/// The answer to a call of a tool of memory, or why it has none; nothing for any other call.
pub(crate) async fn answer(
    ctx: &Context,
    task: &AgentTask<'_>,
    (call, id): (&ToolCall, CallId),
) -> Result<Option<Result<String, String>>, StopReason> {
    let Some(tool) = own_tool::named(&call.name, &TOOLS) else { return Ok(None) };
    if task.plan.session.origin == SessionOrigin::Replay {
        return own_tool::recorded(ctx, id).await.map(Some);
    }
    if task.plan.session.recalled.is_none() {
        return Ok(Some(Err("There are no memories.".to_owned())));
    }
    let arguments: Value = serde_json::from_str(&call.arguments).unwrap_or_default();
    let query = arguments.get("query").and_then(Value::as_str).unwrap_or_default().trim();
    if query.is_empty() {
        return Ok(Some(Err("Write what to search for as `query`.".to_owned())));
    }
    let query: String = query.chars().take(MAX_QUERY).collect();
    Ok(Some(Ok(match tool {
        RECALL => recall(ctx, &query).await?,
        _ => search(ctx, &query).await?,
    })))
}

async fn recall(ctx: &Context, query: &str) -> Result<String, StopReason> {
    let session = ctx.journal.session();
    let meaning = ctx.meaning_of(query).await?;
    let found =
        ctx.journal.read(|store| store.recall(session, query, meaning.as_ref(), MAX_FOUND)).await?;
    Ok(ctx.services.prompts.recalled(&found))
}

async fn search(ctx: &Context, query: &str) -> Result<String, StopReason> {
    let query = SearchQuery {
        text: query.to_owned(),
        filter: SessionQuery::default(),
        // The session itself may be among them.
        limit: MAX_FOUND + 1,
        after: None,
    };
    let page = ctx.journal.read(|store| store.search(&query)).await?;
    let session = ctx.journal.session();
    let others = page.hits.into_iter().filter(|hit| hit.session.id != session);
    let hits: Vec<_> = others.take(MAX_FOUND).collect();
    Ok(ctx.services.prompts.past_sessions(&hits))
}
