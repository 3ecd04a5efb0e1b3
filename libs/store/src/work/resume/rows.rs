//! Stages, executions, messages and calls as they stand.

use std::time::Duration;

use jiff::Timestamp;
use serde_json::Value;
use sqlx::postgres::PgRow;
use tarsy_contracts::failure::Failure;
use tarsy_domain::event::{CallStatus, Role};
use tarsy_domain::id::{
    CallId, ChatId, ExecutionId, InteractionId, MessageId, StageId, TimelineEventId,
};
use tarsy_domain::status::WorkStatus;

use crate::database::cells::Cells;
use crate::error::Error;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stage {
    pub id: StageId,
    /// Its name in the chain.
    pub stage_name: String,
    /// Its position in the chain, from 0.
    pub stage_index: i32,
    /// The chat whose question it answers.
    pub chat_id: Option<ChatId>,
    pub status: WorkStatus,
    /// How many agents work in it.
    pub expected_agent_count: i32,
    /// `multi_agent` or `replica`, if more than one agent works.
    pub parallel_type: Option<String>,
    pub success_policy: Option<String>,
    /// The stage whose findings it joins, if it is a synthesis.
    pub joins_stage_id: Option<StageId>,
    pub error_message: Option<String>,
    pub started_at: Option<Timestamp>,
    pub completed_at: Option<Timestamp>,
}

/// An agent's execution as it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Execution {
    pub id: ExecutionId,
    pub stage_id: StageId,
    pub agent_name: String,
    /// Its position in the stage, or among those that its parent dispatched, from 1.
    pub agent_index: i32,
    /// The execution of the agent that dispatched it; none for an agent of a stage.
    pub parent_execution_id: Option<ExecutionId>,
    /// What it was dispatched for.
    pub task: Option<String>,
    pub iteration_strategy: String,
    /// The provider with which it started.
    pub llm_provider: Option<String>,
    /// The provider in use: a fallback after a switch.
    pub active_provider: Option<String>,
    /// The sequence number of the first message that belongs to the active provider.
    pub active_provider_since: i32,
    /// When its conclusion was requested because a limit was reached.
    pub closing_at: Option<Timestamp>,
    /// When it was asked to correct its conclusion.
    pub repair_requested_at: Option<Timestamp>,
    /// When it was sent back to look, because its conclusion rested on nothing.
    pub look_requested_at: Option<Timestamp>,
    /// What its conclusion does not rest on though it could have looked; empty if no call succeeded at all.
    pub unseen: Option<Vec<String>>,
    /// The sequence number of the first message with which the offline analyst gathers its evidence.
    pub gathering_since: Option<i32>,
    /// That of the message after the last one; none until then.
    pub gathering_until: Option<i32>,
    pub conclusion: Option<String>,
    pub status: WorkStatus,
    pub error_message: Option<String>,
    /// Why it failed, as facts.
    pub failure: Option<Failure>,
    pub started_at: Option<Timestamp>,
    pub completed_at: Option<Timestamp>,
}

/// An execution that another one dispatched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubExecution {
    pub execution: Execution,
    /// The time since it began, by the clock of the database.
    pub elapsed: Duration,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    pub id: MessageId,
    /// Its position in the conversation, from 0.
    pub sequence_number: i32,
    pub role: Role,
    pub content: String,
    pub tool_calls: Option<Value>,
    pub tool_call_id: Option<String>,
    pub tool_name: Option<String>,
    /// The number of the call whose result it is.
    pub call_number: Option<i64>,
    /// State of the provider that is sent back with it.
    pub provider_state: Option<Vec<u8>>,
    /// The place of the last alert of a source that it gives to the agent.
    pub alerts_until: Option<i64>,
    /// Whether it asks to go on from what came of an answer whose time was up.
    pub continues: bool,
    /// The dispatched execution whose result it gives.
    pub sub_execution_id: Option<ExecutionId>,
}

/// A tool call as it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// The name of its record.
    pub id: InteractionId,
    pub call_id: CallId,
    pub status: CallStatus,
    pub gateway_instance: Option<String>,
    pub server_name: String,
    pub tool_name: Option<String>,
    /// The model's name for the call.
    pub tool_call_id: Option<String>,
    pub tool_arguments: Option<Value>,
    /// Its result, cut to what is shown.
    pub tool_result: Option<String>,
    pub timeline_event_id: Option<TimelineEventId>,
    /// Its number in the session, from 1.
    pub call_number: i64,
    /// In how many places its result addresses a model.
    pub injected_instructions: i32,
    pub error_message: Option<String>,
    /// The number of the earlier call that answered it; it was not made.
    pub answered_from: Option<i64>,
}

macro_rules! execution_columns {
    () => {
        "e.id, e.stage_id, e.agent_name, e.agent_index, e.parent_execution_id, e.task, e.iteration_strategy, e.llm_provider, \
         e.active_provider, e.active_provider_since, e.closing_at, e.repair_requested_at, e.look_requested_at, \
         e.unseen, e.gathering_since, e.gathering_until, e.conclusion, e.status, e.error_message, e.failure, e.started_at, e.completed_at"
    };
}
pub(crate) use execution_columns;

pub(super) fn stage(row: &PgRow) -> Result<Stage, Error> {
    let cells = Cells::new(row, "stages");
    Ok(Stage {
        id: cells.id("id")?,
        stage_name: cells.text("stage_name")?,
        stage_index: cells.get("stage_index")?,
        chat_id: cells.maybe_id("chat_id")?,
        status: cells.word("status")?,
        expected_agent_count: cells.get("expected_agent_count")?,
        parallel_type: cells.maybe_text("parallel_type")?,
        success_policy: cells.maybe_text("success_policy")?,
        joins_stage_id: cells.maybe_id("joins_stage_id")?,
        error_message: cells.maybe_text("error_message")?,
        started_at: cells.maybe_time("started_at")?,
        completed_at: cells.maybe_time("completed_at")?,
    })
}

/// Also reads rows that have more columns, as the detail's.
pub(crate) fn execution(row: &PgRow) -> Result<Execution, Error> {
    let cells = Cells::new(row, "agent_executions");
    Ok(Execution {
        id: cells.id("id")?,
        stage_id: cells.id("stage_id")?,
        agent_name: cells.text("agent_name")?,
        agent_index: cells.get("agent_index")?,
        parent_execution_id: cells.maybe_id("parent_execution_id")?,
        task: cells.maybe_text("task")?,
        iteration_strategy: cells.text("iteration_strategy")?,
        llm_provider: cells.maybe_text("llm_provider")?,
        active_provider: cells.maybe_text("active_provider")?,
        active_provider_since: cells.get("active_provider_since")?,
        closing_at: cells.maybe_time("closing_at")?,
        repair_requested_at: cells.maybe_time("repair_requested_at")?,
        look_requested_at: cells.maybe_time("look_requested_at")?,
        unseen: cells.get("unseen")?,
        gathering_since: cells.get("gathering_since")?,
        gathering_until: cells.get("gathering_until")?,
        conclusion: cells.maybe_text("conclusion")?,
        status: cells.word("status")?,
        error_message: cells.maybe_text("error_message")?,
        failure: cells.maybe_decoded("failure")?,
        started_at: cells.maybe_time("started_at")?,
        completed_at: cells.maybe_time("completed_at")?,
    })
}

pub(super) fn message(row: &PgRow) -> Result<Message, Error> {
    let cells = Cells::new(row, "messages");
    Ok(Message {
        id: cells.id("id")?,
        sequence_number: cells.get("sequence_number")?,
        role: cells.word("role")?,
        content: cells.text("content")?,
        tool_calls: cells.maybe_json("tool_calls")?,
        tool_call_id: cells.maybe_text("tool_call_id")?,
        tool_name: cells.maybe_text("tool_name")?,
        call_number: cells.get("call_number")?,
        provider_state: cells.get("provider_state")?,
        alerts_until: cells.get("alerts_until")?,
        continues: cells.get("continues")?,
        sub_execution_id: cells.maybe_id("sub_execution_id")?,
    })
}

pub(super) fn call(row: &PgRow) -> Result<Call, Error> {
    let cells = Cells::new(row, "mcp_interactions");
    Ok(Call {
        id: cells.id("id")?,
        call_id: cells.id("call_id")?,
        status: cells.word("status")?,
        gateway_instance: cells.maybe_text("gateway_instance")?,
        server_name: cells.text("server_name")?,
        tool_name: cells.maybe_text("tool_name")?,
        tool_call_id: cells.maybe_text("tool_call_id")?,
        tool_arguments: cells.maybe_json("tool_arguments")?,
        tool_result: cells.maybe_text("tool_result")?,
        timeline_event_id: cells.maybe_id("timeline_event_id")?,
        call_number: cells.get("call_number")?,
        injected_instructions: cells.get("injected_instructions")?,
        error_message: cells.maybe_text("error_message")?,
        answered_from: cells.get("answered_from")?,
    })
}
