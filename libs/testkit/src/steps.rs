//! A running session with one stage and one agent, and the rows that its owner writes.

use anyhow::Context as _;
use serde_json::json;
use tarsy_contracts::event::Committed;
use tarsy_contracts::timeline::{EndTimelineEvent, NewTimelineEvent};
use tarsy_domain::event::{LlmInteractionKind, Role, TimelineKind};
use tarsy_domain::id::{
    CallId, ExecutionId, InteractionId, MessageId, SessionId, StageId, TimelineEventId,
};
use tarsy_domain::status::TimelineStatus;
use tarsy_store::{
    Batch, Fence, NewCall, NewExecution, NewLlmInteraction, NewMessage, NewStage, Op, Store,
};

/// A running session with one stage and one agent.
#[derive(Debug, Clone, Copy)]
pub struct Investigation {
    pub fence: Fence,
    pub stage: StageId,
    pub execution: ExecutionId,
}

impl Investigation {
    /// Starts the first stage of a claimed session and its agent; the third value is what to publish.
    pub async fn start(store: &Store, fence: Fence) -> anyhow::Result<(Self, Vec<Committed>)> {
        let new = Self { fence, stage: StageId::new(), execution: ExecutionId::new() };
        let batch = Batch::new()
            .with(Op::BeginStage(Self::stage(new.stage, 0, "triage")))
            .with(Op::BeginExecution(Self::agent(new.execution, new.stage, 1)));
        let events = store.commit(fence, batch).await.context("the stage cannot start")?;
        Ok((new, events))
    }

    pub fn session_id(&self) -> SessionId {
        self.fence.session_id
    }

    /// A stage with one agent.
    pub fn stage(id: StageId, index: i32, name: &str) -> NewStage {
        NewStage {
            id,
            stage_index: index,
            stage_name: name.to_owned(),
            expected_agent_count: 1,
            parallel_type: None,
            success_policy: Some("any".to_owned()),
            joins_stage_id: None,
        }
    }

    /// The agent with this index, counted from 1, of a stage.
    pub fn agent(id: ExecutionId, stage_id: StageId, index: i32) -> NewExecution {
        NewExecution {
            id,
            stage_id,
            agent_name: format!("KubernetesAgent-{index}"),
            agent_index: index,
            iteration_strategy: "langchain".to_owned(),
            llm_provider: Some("offline".to_owned()),
            dispatched: None,
        }
    }

    /// A timeline event of the agent, without content.
    pub fn event(&self, kind: TimelineKind, status: TimelineStatus) -> NewTimelineEvent {
        NewTimelineEvent {
            id: TimelineEventId::new(),
            stage_id: Some(self.stage),
            execution_id: Some(self.execution),
            kind,
            status,
            content: String::new(),
            metadata: None,
        }
    }

    /// An answer of the model that is being written.
    pub fn streaming(&self) -> NewTimelineEvent {
        self.event(TimelineKind::LlmResponse, TimelineStatus::Streaming)
    }

    pub fn completed(event: &NewTimelineEvent, content: &str) -> EndTimelineEvent {
        EndTimelineEvent {
            id: event.id,
            kind: event.kind,
            status: TimelineStatus::Completed,
            content: content.to_owned(),
            metadata: None,
        }
    }

    /// The message with this number, counted from 0, of the agent's conversation.
    pub fn message(&self, number: i32, role: Role, content: &str) -> NewMessage {
        NewMessage {
            id: MessageId::new(),
            stage_id: self.stage,
            execution_id: self.execution,
            sequence_number: number,
            role,
            content: content.to_owned(),
            tool_calls: None,
            tool_call_id: None,
            tool_name: None,
            call_number: None,
            provider_state: None,
            alerts_until: None,
            continues: false,
            sub_execution_id: None,
        }
    }

    /// A completed model call of the agent.
    pub fn llm_interaction(&self, last_message_id: Option<MessageId>) -> NewLlmInteraction {
        NewLlmInteraction {
            id: InteractionId::new(),
            stage_id: Some(self.stage),
            execution_id: Some(self.execution),
            kind: LlmInteractionKind::Iteration,
            provider: "offline".to_owned(),
            model_name: "offline".to_owned(),
            last_message_id,
            llm_request: json!({"messages": 2}),
            llm_response: json!({"text": "done"}),
            thinking_content: Some("hm".to_owned()),
            response_metadata: None,
            input_tokens: Some(100),
            output_tokens: Some(20),
            total_tokens: Some(120),
            thinking_tokens: None,
            tokens_estimated: false,
            cost_micro_usd: None,
            duration_ms: Some(7),
            first_token_ms: None,
            finish_reason: None,
            timed_out: false,
            error_message: None,
            compaction: None,
            record: Box::default(),
            tools: Vec::new(),
        }
    }

    /// A started call of `kubernetes-server.pods_list` that a timeline event shows.
    pub fn tool_call(&self, timeline_event_id: TimelineEventId) -> NewCall {
        NewCall {
            id: InteractionId::new(),
            stage_id: self.stage,
            execution_id: self.execution,
            call_id: CallId::new(),
            gateway_instance: "gateway-1".to_owned(),
            server_name: "kubernetes-server".to_owned(),
            tool_name: "pods_list".to_owned(),
            tool_call_id: "call_1".to_owned(),
            tool_arguments: json!({"namespace": "default"}),
            timeline_event_id,
            answered_from: None,
        }
    }
}
