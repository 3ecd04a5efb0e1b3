//! A migrated database and the things that tests put into it.

use std::time::Duration;

use futures::future::join_all;
use serde_json::{Value, json};
use sqlx::PgPool;
use tarsy_contracts::alert::AlertFields;
use tarsy_contracts::event::Committed;
use tarsy_contracts::timeline::{EndTimelineEvent, NewTimelineEvent};
use tarsy_domain::event::{LlmInteractionKind, Role, TimelineKind};
use tarsy_domain::id::{
    CallId, ExecutionId, InteractionId, MessageId, SessionId, StageId, TimelineEventId,
};
use tarsy_domain::status::{SessionStatus, TimelineStatus, WorkStatus};
use tarsy_store::{
    Batch, CallEnd, Claim, Created, EndExecution, EndStage, Fence, NewCall, NewExecution,
    NewLlmInteraction, NewMessage, NewSession, NewStage, Op, SessionEnd, SessionSettings, Store,
};
use tarsy_testkit::TestPg;

pub(crate) const LEASE: Duration = Duration::from_mins(10);

/// A store on a database of its own.
pub(crate) struct Db {
    pub(crate) store: Store,
    /// For what no product code may do, such as letting a lease run out.
    pub(crate) raw: PgPool,
    pub(crate) pg: TestPg,
}

pub(crate) async fn db() -> Db {
    let pg = TestPg::migrated().await.unwrap();
    let store = Store::connect(pg.url(), 20).await.unwrap();
    let raw =
        sqlx::postgres::PgPoolOptions::new().max_connections(2).connect_lazy(pg.url()).unwrap();
    Db { store, raw, pg }
}

pub(crate) fn alert() -> NewSession {
    NewSession {
        id: SessionId::new(),
        alert_data: "the disk of web-7f9.default is full".to_owned(),
        alert_type: Some("kubernetes".to_owned()),
        chain_id: "kubernetes".to_owned(),
        author: Some("alice".to_owned()),
        principal: None,
        runbook_url: None,
        mcp_selection: None,
        requested_provider: None,
        slack_message_fingerprint: None,
        fields: AlertFields::default(),
        idempotency: None,
        settings: SessionSettings { planned_stages: Some(2), ..SessionSettings::default() },
        config_snapshot: json!({"stages": [{"name": "triage"}, {"name": "fix"}]}),
        traceparent: None,
    }
}

impl Db {
    pub(crate) fn url(&self) -> &str {
        self.pg.url()
    }

    /// Opens so many connections, a few at a time: of many that are opened at once, the last may
    /// come too late on a slow machine.
    pub(crate) async fn open(&self, connections: usize) {
        for at_once in (4..=connections).step_by(4) {
            for answer in join_all((0..at_once).map(|_| self.store.ping())).await {
                answer.unwrap();
            }
        }
    }

    /// Another store on the same database, whose connections are new.
    pub(crate) async fn reconnect(&self) -> Store {
        Store::connect(self.pg.url(), 2).await.unwrap()
    }

    pub(crate) async fn pending(&self) -> SessionId {
        self.create(alert()).await
    }

    pub(crate) async fn create(&self, new: NewSession) -> SessionId {
        match self.store.insert_session(new).await.unwrap() {
            Created::New { session_id, .. } => session_id,
            other => panic!("not new: {other:?}"),
        }
    }

    /// A session in the hands of an owner.
    pub(crate) async fn claimed(&self) -> Claim {
        self.pending().await;
        self.claim().await.unwrap()
    }

    pub(crate) async fn claim(&self) -> Option<Claim> {
        self.store.claim_session("owner", LEASE, 100).await.unwrap()
    }

    /// A claimed session with one stage and one execution.
    pub(crate) async fn working(&self) -> Work {
        self.begin(self.claimed().await.fence).await
    }

    /// Begins one stage and one execution.
    pub(crate) async fn begin(&self, fence: Fence) -> Work {
        let (stage, execution) = (StageId::new(), ExecutionId::new());
        let batch = Batch::new()
            .with(Op::BeginStage(new_stage(stage, 0, "triage")))
            .with(Op::BeginExecution(new_execution(execution, stage, 1)));
        self.store.commit(fence, batch).await.unwrap();
        Work { fence, stage, execution }
    }

    pub(crate) async fn expire(&self, session: SessionId) {
        sqlx::query("update session_control set lease_expires_at = now() - interval '1 second' where session_id = $1")
            .bind(session.uuid())
            .execute(&self.raw)
            .await
            .unwrap();
    }

    pub(crate) async fn status(&self, session: SessionId) -> SessionStatus {
        self.store.find_session_status(session).await.unwrap().unwrap().status
    }

    /// The numbers of a session's events.
    pub(crate) async fn seqs(&self, session: SessionId) -> Vec<i64> {
        let events = self.store.list_events(session, 0, 10_000).await.unwrap();
        events.iter().map(|event| event.seq).collect()
    }

    pub(crate) async fn count(&self, sql: &'static str) -> i64 {
        sqlx::query_scalar(sql).fetch_one(&self.raw).await.unwrap()
    }
}

#[derive(Clone, Copy)]
pub(crate) struct Work {
    pub(crate) fence: Fence,
    pub(crate) stage: StageId,
    pub(crate) execution: ExecutionId,
}

impl Work {
    pub(crate) fn open(&self, kind: TimelineKind, status: TimelineStatus) -> NewTimelineEvent {
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

    pub(crate) fn streaming(&self) -> NewTimelineEvent {
        self.open(TimelineKind::LlmResponse, TimelineStatus::Streaming)
    }

    pub(crate) fn message(&self, number: i32, role: Role, content: &str) -> NewMessage {
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

    pub(crate) fn llm(&self, last: Option<MessageId>) -> NewLlmInteraction {
        NewLlmInteraction {
            id: InteractionId::new(),
            stage_id: Some(self.stage),
            execution_id: Some(self.execution),
            kind: LlmInteractionKind::Iteration,
            provider: "offline".to_owned(),
            model_name: "offline".to_owned(),
            last_message_id: last,
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
            first_token_ms: Some(4),
            finish_reason: None,
            timed_out: false,
            error_message: None,
            compaction: None,
            record: Box::default(),
            tools: Vec::new(),
        }
    }

    pub(crate) fn call(&self, event: TimelineEventId) -> NewCall {
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
            timeline_event_id: event,
            answered_from: None,
        }
    }
}

pub(crate) fn new_stage(id: StageId, index: i32, name: &str) -> NewStage {
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

pub(crate) fn end_stage(id: StageId, index: i32, name: &str, status: WorkStatus) -> EndStage {
    EndStage { id, name: name.to_owned(), index, status, error: None }
}

pub(crate) fn new_execution(id: ExecutionId, stage_id: StageId, agent_index: i32) -> NewExecution {
    NewExecution {
        id,
        stage_id,
        agent_name: format!("KubernetesAgent-{agent_index}"),
        agent_index,
        iteration_strategy: "langchain".to_owned(),
        llm_provider: Some("offline".to_owned()),
        dispatched: None,
    }
}

pub(crate) fn end_execution(id: ExecutionId, status: WorkStatus) -> EndExecution {
    EndExecution { id, status, error: None, failure: None }
}

pub(crate) fn close(event: &NewTimelineEvent, content: &str) -> EndTimelineEvent {
    EndTimelineEvent {
        id: event.id,
        kind: event.kind,
        status: TimelineStatus::Completed,
        content: content.to_owned(),
        metadata: None,
    }
}

pub(crate) fn call_end(call: &NewCall, result: &str) -> CallEnd {
    CallEnd {
        call_id: call.call_id,
        status: tarsy_domain::event::CallStatus::Completed,
        tool_result: result.to_owned(),
        whole_result: None,
        duration_ms: Some(5),
        refused_by_policy: false,
        injected_instructions: 0,
        error_message: None,
    }
}

pub(crate) fn end(status: SessionStatus) -> SessionEnd {
    SessionEnd {
        status,
        final_analysis: None,
        executive_summary: None,
        executive_summary_error: None,
        verdict_failure: None,
        error_message: None,
        failure: None,
    }
}

pub(crate) fn payload(event: &Committed) -> Value {
    serde_json::from_str(&event.payload).unwrap()
}
