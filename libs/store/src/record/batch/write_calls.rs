//! The trace: calls of models and of tools.

use tarsy_domain::event::{CallStatus, FinishReason};
use tarsy_domain::id::{CallId, SessionId};
use uuid::Uuid;

use crate::database::pool::Connection;
use crate::error::Error;
use crate::figures::daily_usage;
use crate::record::batch::op::{
    CallEnd, DeliveredResult, NewCall, NewLlmInteraction, NewSummary, NewToolList, ReassignCall,
};
use crate::record::batch::statement::Statement;
use crate::record::batch::write_timeline::{all, column};

/// The version of TARSy that writes.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Records a call of a model.
pub(super) fn llm(statement: &mut Statement, call: &NewLlmInteraction, tool_set: Option<&str>) {
    let record = &call.record;
    statement
    .part(
        "insert into llm_interactions
            (id, session_id, stage_id, execution_id, interaction_type, model_name, last_message_id,
             llm_request, llm_response, thinking_content, response_metadata, input_tokens,
             output_tokens, total_tokens, thinking_tokens, duration_ms, error_message, timed_out,
             provider, finish_reason, shortened_messages, omitted_messages, whole_tokens, tool_set, backend,
             max_output_tokens, native_tools, prompt_version, tarsy_version, model_version, response_id, vendor_finish_reason, cost_micro_usd, first_token_ms, response_format, answer_notes, tokens_estimated)
         select $2, $1, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20,
             $21, $22, $23, $24, $25, $26, $27, $28, $29, $30, $31, $32, $33, $34, $35, $36, $37
         from fence
         returning 1",
    )
    .bind(call.id.uuid())
    .bind(call.stage_id.map(Uuid::from))
    .bind(call.execution_id.map(Uuid::from))
    .bind(call.kind.as_str())
    .bind(&call.model_name)
    .bind(call.last_message_id.map(Uuid::from))
    .bind(&call.llm_request)
    .bind(&call.llm_response)
    .bind(&call.thinking_content)
    .bind(&call.response_metadata)
    .bind(call.input_tokens)
    .bind(call.output_tokens)
    .bind(call.total_tokens)
    .bind(call.thinking_tokens)
    .bind(call.duration_ms)
    .bind(&call.error_message)
    .bind(call.timed_out)
    .bind(&call.provider)
    .bind(call.finish_reason.map(FinishReason::as_str))
    .bind(call.compaction.as_ref().map(|compaction| compaction.shortened_messages))
    .bind(call.compaction.as_ref().map(|compaction| compaction.omitted_messages))
    .bind(call.compaction.as_ref().map(|compaction| compaction.whole_tokens))
    .bind(tool_set)
    .bind(&record.backend)
    .bind(record.max_output_tokens)
    .bind(&record.native_tools)
    .bind(&record.prompt_version)
    .bind(VERSION)
    .bind(&record.model_version)
    .bind(&record.response_id)
    .bind(&record.vendor_finish_reason)
    .bind(call.cost_micro_usd)
    .bind(call.first_token_ms)
    .bind(&record.response_format)
    .bind(&record.answer_notes)
    .bind(call.tokens_estimated);
    let counted = call.total_tokens.map_or_else(
        || i64::from(call.input_tokens.unwrap_or(0)) + i64::from(call.output_tokens.unwrap_or(0)),
        i64::from,
    );
    daily_usage::add(statement, call.stage_id, counted);
}

/// Writes tool calls down before they are made.
pub(super) fn start(statement: &mut Statement, calls: &[&NewCall]) {
    if calls.is_empty() {
        return;
    }
    statement
    .part(
        "insert into mcp_interactions
            (id, session_id, stage_id, execution_id, status, call_id, gateway_instance,
             interaction_type, server_name, tool_name, tool_call_id, tool_arguments, timeline_event_id,
             call_number, answered_from)
         select id, $1, stage_id, execution_id, 'started', call_id, gateway_instance, 'tool_call',
             server_name, tool_name, tool_call_id, tool_arguments, timeline_event_id, fence.call + c.n - 1,
             answered_from
         from fence, unnest($2::uuid[], $3::uuid[], $4::uuid[], $5::uuid[], $6::text[], $7::text[],
                $8::text[], $9::text[], $10::jsonb[], $11::uuid[], $12::bigint[])
            with ordinality
            as c (id, stage_id, execution_id, call_id, gateway_instance, server_name, tool_name,
                tool_call_id, tool_arguments, timeline_event_id, answered_from, n)
         returning 1",
    )
    .bind(column(calls, |call| call.id.uuid()))
    .bind(column(calls, |call| call.stage_id.uuid()))
    .bind(column(calls, |call| call.execution_id.uuid()))
    .bind(column(calls, |call| call.call_id.uuid()))
    .bind(column(calls, |call| call.gateway_instance.as_str()))
    .bind(column(calls, |call| call.server_name.as_str()))
    .bind(column(calls, |call| call.tool_name.as_str()))
    .bind(column(calls, |call| call.tool_call_id.as_str()))
    .bind(column(calls, |call| call.tool_arguments.clone()))
    .bind(column(calls, |call| call.timeline_event_id.uuid()))
    .bind(column(calls, |call| call.answered_from));
}

/// Gives a started call to another gateway.
pub(super) async fn move_to(
    tx: &mut Connection,
    session: SessionId,
    moved: &ReassignCall,
) -> Result<(), Error> {
    let done = sqlx::query(
        "update mcp_interactions set gateway_instance = $3
         where call_id = $2 and session_id = $1 and status = 'started'",
    )
    .bind(session.uuid())
    .bind(moved.call_id.uuid())
    .bind(&moved.gateway_instance)
    .execute(tx)
    .await?;
    all(done.rows_affected(), 1, "tool call")
}

/// Notes the outcome of a started call, and how much of its result the model received, if it did.
pub(super) fn finish(statement: &mut Statement, end: &CallEnd, delivered: Option<DeliveredResult>) {
    statement
        .part(
            "update mcp_interactions m
             set status = $3, tool_result = $4, duration_ms = $5, error_message = $6,
                refused_by_policy = $7, injected_instructions = $8,
                result_tokens = coalesce($9, m.result_tokens),
                delivered_tokens = coalesce($10, m.delivered_tokens)
             from fence
             where m.call_id = $2 and m.session_id = $1 and m.status = 'started'
             returning 1",
        )
        .bind(end.call_id.uuid())
        .bind(end.status.as_str())
        .bind(&end.tool_result)
        .bind(end.duration_ms)
        .bind(&end.error_message)
        .bind(end.refused_by_policy)
        .bind(end.injected_instructions)
        .bind(delivered.map(|delivered| delivered.result_tokens))
        .bind(delivered.map(|delivered| delivered.delivered_tokens))
        .expect(1, "tool call");
}

/// Keeps the whole result of a finished call whose shown result was cut.
pub(super) fn keep_whole(statement: &mut Statement, end: &CallEnd, whole: &str) {
    statement
        .part(
            "insert into tool_results (id, interaction_id, content)
             select $3, m.id, $4 from fence, mcp_interactions m where m.call_id = $2
             returning 1",
        )
        .bind(end.call_id.uuid())
        .bind(Uuid::now_v7())
        .bind(whole);
}

/// Notes how much of a result the model received. A second delivery, by a new owner, replaces the first.
pub(super) fn deliver(statement: &mut Statement, delivered: &DeliveredResult) {
    statement
        .part(
            "update mcp_interactions m set result_tokens = $3, delivered_tokens = $4
             from fence
             where m.call_id = $2 and m.session_id = $1 and m.status <> 'started'
             returning 1",
        )
        .bind(delivered.call_id.uuid())
        .bind(delivered.result_tokens)
        .bind(delivered.delivered_tokens)
        .expect(1, "tool call");
}

/// Asks for the summary of a call's result.
pub(super) async fn summarize(
    tx: &mut Connection,
    session: SessionId,
    summary: &NewSummary,
) -> Result<(), Error> {
    let done = sqlx::query(
        "insert into summaries (id, mcp_interaction_id, session_id, status, request)
         select $3, id, session_id, 'pending', $4
         from mcp_interactions where call_id = $2 and session_id = $1",
    )
    .bind(session.uuid())
    .bind(summary.call_id.uuid())
    .bind(summary.id.uuid())
    .bind(&summary.request)
    .execute(tx)
    .await?;
    all(done.rows_affected(), 1, "tool call")
}

/// Records what a server offers an agent.
pub(super) fn list(statement: &mut Statement, list: &NewToolList, tool_set: Option<&str>) {
    let failed = list.error_message.is_some();
    let status = if failed { CallStatus::Failed } else { CallStatus::Completed };
    statement
        .part(
            "insert into mcp_interactions
                (id, session_id, stage_id, execution_id, status, call_id, gateway_instance,
                 interaction_type, server_name, tool_result, available_tools, duration_ms, error_message,
                 tool_set)
             select $2, $1, $3, $4, $5, $6, $7, 'tool_list', $8, $9, $10, $11, $12, $13 from fence
             returning 1",
        )
        .bind(list.id.uuid())
        .bind(list.stage_id.uuid())
        .bind(list.execution_id.uuid())
        .bind(status.as_str())
        .bind(CallId::new().uuid())
        .bind(&list.gateway_instance)
        .bind(&list.server_name)
        .bind(&list.description)
        .bind(&list.available_tools)
        .bind(list.duration_ms)
        .bind(&list.error_message)
        .bind(tool_set);
}
