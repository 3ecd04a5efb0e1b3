//! The trace: every call of a model and of a tool, where it was made.

use std::collections::HashMap;

use serde_json::Value;
use sqlx::postgres::PgRow;
use tarsy_contracts::trace::{
    Compaction, LlmBrief, LlmInteraction, McpBrief, McpInteraction, RequestRecord, Trace,
    TraceExecution, TraceMessage, TraceStage,
};
use tarsy_domain::id::{ExecutionId, InteractionId, SessionId, StageId};

use crate::database::cells::Cells;
use crate::database::store::Store;
use crate::error::Error;

/// The messages of a request that belongs to no stored conversation: a summary's, the executive
/// summary's.
fn inline_conversation(request: &Value) -> Vec<TraceMessage> {
    let messages = request.get("messages").cloned().map(serde_json::from_value);
    messages.and_then(Result::ok).unwrap_or_default()
}

fn llm_brief(row: &PgRow) -> Result<LlmBrief, Error> {
    let cells = Cells::new(row, "llm_interactions");
    Ok(LlmBrief {
        id: cells.id("id")?,
        kind: cells.word("interaction_type")?,
        provider: cells.maybe_text("provider")?,
        model_name: cells.text("model_name")?,
        input_tokens: cells.get("input_tokens")?,
        output_tokens: cells.get("output_tokens")?,
        total_tokens: cells.get("total_tokens")?,
        thinking_tokens: cells.get("thinking_tokens")?,
        tokens_estimated: cells.get("tokens_estimated")?,
        cost_micro_usd: cells.get("cost_micro_usd")?,
        duration_ms: cells.get("duration_ms")?,
        first_token_ms: cells.get("first_token_ms")?,
        finish_reason: cells.maybe_word("finish_reason")?,
        timed_out: cells.get("timed_out")?,
        error_message: cells.maybe_text("error_message")?,
        compaction: compaction(&cells)?,
        created_at: cells.time("created_at")?,
    })
}

fn compaction(cells: &Cells<'_>) -> Result<Option<Compaction>, Error> {
    let whole_tokens: Option<i64> = cells.get("whole_tokens")?;
    let Some(whole_tokens) = whole_tokens else { return Ok(None) };
    Ok(Some(Compaction {
        shortened_messages: cells.get("shortened_messages")?,
        omitted_messages: cells.get("omitted_messages")?,
        whole_tokens,
    }))
}

fn mcp_brief(row: &PgRow) -> Result<McpBrief, Error> {
    let cells = Cells::new(row, "mcp_interactions");
    Ok(McpBrief {
        id: cells.id("id")?,
        kind: cells.word("interaction_type")?,
        status: cells.word("status")?,
        server_name: cells.text("server_name")?,
        tool_name: cells.maybe_text("tool_name")?,
        call_number: cells.get("call_number")?,
        duration_ms: cells.get("duration_ms")?,
        refused_by_policy: cells.get("refused_by_policy")?,
        error_message: cells.maybe_text("error_message")?,
        result_tokens: cells.get("result_tokens")?,
        delivered_tokens: cells.get("delivered_tokens")?,
        answered_from: cells.get("answered_from")?,
        created_at: cells.time("created_at")?,
    })
}

fn record(cells: &Cells<'_>) -> Result<RequestRecord, Error> {
    Ok(RequestRecord {
        backend: cells.maybe_text("backend")?,
        max_output_tokens: cells.get("max_output_tokens")?,
        native_tools: cells.get::<Option<Vec<String>>>("native_tools")?.unwrap_or_default(),
        prompt_version: cells.maybe_text("prompt_version")?,
        tarsy_version: cells.maybe_text("tarsy_version")?,
        model_version: cells.maybe_text("model_version")?,
        response_id: cells.maybe_text("response_id")?,
        vendor_finish_reason: cells.maybe_text("vendor_finish_reason")?,
        tool_set: cells.maybe_text("tool_set")?,
        response_format: cells.maybe_text("response_format")?,
        answer_notes: cells.get("answer_notes")?,
    })
}

fn message(row: &PgRow) -> Result<TraceMessage, Error> {
    let cells = Cells::new(row, "messages");
    Ok(TraceMessage {
        role: cells.word("role")?,
        content: cells.text("content")?,
        tool_calls: cells.maybe_json("tool_calls")?,
        tool_call_id: cells.maybe_text("tool_call_id")?,
        tool_name: cells.maybe_text("tool_name")?,
    })
}

impl Store {
    /// The calls of a session, where they were made; empty for a session that made none.
    #[tracing::instrument(name = "db.trace.list", skip_all)]
    pub async fn find_trace(&self, session: SessionId) -> Result<Trace, Error> {
        let (mut llm, session_interactions) = self.llm_briefs(session).await?;
        let mut mcp = self.mcp_briefs(session).await?;
        let rows = sqlx::query(
            "select s.id as stage_id, s.stage_name, e.id as execution_id, e.agent_name, e.parent_execution_id, e.task
             from stages s left join agent_executions e on e.stage_id = s.id
                left join agent_executions p on p.id = e.parent_execution_id
                left join agent_executions g on g.id = p.parent_execution_id
                left join agent_executions r on r.id = g.parent_execution_id
             where s.session_id = $1
             order by s.stage_index, array_remove(array[r.agent_index, g.agent_index, p.agent_index, e.agent_index], null)",
        )
        .bind(session.uuid())
        .fetch_all(&self.pool)
        .await?;
        let mut stages: Vec<TraceStage> = Vec::new();
        for row in &rows {
            let cells = Cells::new(row, "stages");
            let stage_id: StageId = cells.id("stage_id")?;
            if stages.last().is_none_or(|last| last.stage_id != stage_id) {
                let stage_name = cells.text("stage_name")?;
                stages.push(TraceStage { stage_id, stage_name, executions: Vec::new() });
            }
            let execution: Option<ExecutionId> = cells.maybe_id("execution_id")?;
            if let (Some(execution_id), Some(stage)) = (execution, stages.last_mut()) {
                stage.executions.push(TraceExecution {
                    execution_id,
                    agent_name: cells.text("agent_name")?,
                    parent_execution_id: cells.maybe_id("parent_execution_id")?,
                    task: cells.maybe_text("task")?,
                    llm_interactions: llm.remove(&execution_id).unwrap_or_default(),
                    mcp_interactions: mcp.remove(&execution_id).unwrap_or_default(),
                });
            }
        }
        Ok(Trace { stages, session_interactions })
    }

    /// Calls of models by execution, and those that no execution made.
    async fn llm_briefs(
        &self,
        session: SessionId,
    ) -> Result<(HashMap<ExecutionId, Vec<LlmBrief>>, Vec<LlmBrief>), Error> {
        let rows = sqlx::query(
            "select id, execution_id, interaction_type, provider, model_name, input_tokens,
                output_tokens, total_tokens, thinking_tokens, tokens_estimated, cost_micro_usd, duration_ms, first_token_ms, finish_reason, timed_out,
                error_message, shortened_messages, omitted_messages, whole_tokens, created_at
             from llm_interactions where session_id = $1 order by created_at, id",
        )
        .bind(session.uuid())
        .fetch_all(&self.pool)
        .await?;
        let mut of_executions: HashMap<ExecutionId, Vec<LlmBrief>> = HashMap::new();
        let mut of_session = Vec::new();
        for row in &rows {
            match Cells::new(row, "llm_interactions").maybe_id("execution_id")? {
                Some(execution) => {
                    of_executions.entry(execution).or_default().push(llm_brief(row)?);
                }
                None => of_session.push(llm_brief(row)?),
            }
        }
        Ok((of_executions, of_session))
    }

    async fn mcp_briefs(
        &self,
        session: SessionId,
    ) -> Result<HashMap<ExecutionId, Vec<McpBrief>>, Error> {
        let rows = sqlx::query(
            "select id, execution_id, interaction_type, status, server_name, tool_name, call_number,
                duration_ms, refused_by_policy, error_message, result_tokens, delivered_tokens, answered_from, created_at
             from mcp_interactions
             where session_id = $1 and execution_id is not null order by created_at, id",
        )
        .bind(session.uuid())
        .fetch_all(&self.pool)
        .await?;
        let mut of_executions: HashMap<ExecutionId, Vec<McpBrief>> = HashMap::new();
        for row in &rows {
            let execution = Cells::new(row, "mcp_interactions").id("execution_id")?;
            of_executions.entry(execution).or_default().push(mcp_brief(row)?);
        }
        Ok(of_executions)
    }

    /// One call of a model of this session, with its conversation.
    #[tracing::instrument(name = "db.trace.find_llm", skip_all)]
    pub async fn find_llm_interaction(
        &self,
        session: SessionId,
        id: InteractionId,
    ) -> Result<Option<LlmInteraction>, Error> {
        let row = sqlx::query(
            "select id, interaction_type, provider, model_name, input_tokens, output_tokens,
                total_tokens, thinking_tokens, tokens_estimated, cost_micro_usd, duration_ms, first_token_ms, finish_reason, timed_out, error_message,
                shortened_messages, omitted_messages, whole_tokens, created_at,
                thinking_content, llm_request, llm_response, response_metadata, tool_set, backend,
                max_output_tokens, native_tools, prompt_version, tarsy_version, model_version, response_id,
                vendor_finish_reason, response_format, answer_notes
             from llm_interactions where id = $2 and session_id = $1",
        )
        .bind(session.uuid())
        .bind(id.uuid())
        .fetch_optional(&self.pool)
        .await?;
        let Some(row) = row else { return Ok(None) };
        let mut conversation: Vec<TraceMessage> = sqlx::query(
            "select m.role, m.content, m.tool_calls, m.tool_call_id, m.tool_name
             from llm_interactions i
             join messages last on last.id = i.last_message_id
             join messages m on m.execution_id = last.execution_id
                and m.sequence_number <= last.sequence_number
             where i.id = $1 order by m.sequence_number",
        )
        .bind(id.uuid())
        .fetch_all(&self.pool)
        .await?
        .iter()
        .map(message)
        .collect::<Result<_, _>>()?;
        let cells = Cells::new(&row, "llm_interactions");
        let record = record(&cells)?;
        let tools = self.list_tool_set(record.tool_set.as_deref()).await?;
        let llm_request: Value = cells.get("llm_request")?;
        if conversation.is_empty() {
            conversation = inline_conversation(&llm_request);
        }
        Ok(Some(LlmInteraction {
            brief: llm_brief(&row)?,
            thinking_content: cells.maybe_text("thinking_content")?,
            llm_request,
            llm_response: cells.get("llm_response")?,
            response_metadata: cells.maybe_json("response_metadata")?,
            conversation,
            record,
            tools,
        }))
    }

    /// One call of a tool of this session.
    #[tracing::instrument(name = "db.trace.find_mcp", skip_all)]
    pub async fn find_mcp_interaction(
        &self,
        session: SessionId,
        id: InteractionId,
    ) -> Result<Option<McpInteraction>, Error> {
        let row = sqlx::query(
            "select m.id, m.interaction_type, m.status, m.server_name, m.tool_name,
                m.call_number, m.duration_ms, m.refused_by_policy, m.error_message, m.created_at,
                m.result_tokens, m.delivered_tokens, m.answered_from, m.tool_set, m.tool_arguments, coalesce(r.content, m.tool_result) as tool_result, m.available_tools
             from mcp_interactions m left join tool_results r on r.interaction_id = m.id
             where m.id = $2 and m.session_id = $1",
        )
        .bind(session.uuid())
        .bind(id.uuid())
        .fetch_optional(&self.pool)
        .await?;
        let Some(row) = row else { return Ok(None) };
        let cells = Cells::new(&row, "mcp_interactions");
        let tool_set = cells.maybe_text("tool_set")?;
        Ok(Some(McpInteraction {
            brief: mcp_brief(&row)?,
            tool_arguments: cells.maybe_json("tool_arguments")?,
            tool_result: cells.maybe_text("tool_result")?,
            available_tools: cells.maybe_json("available_tools")?,
            tools: self.list_tool_set(tool_set.as_deref()).await?,
        }))
    }
}
