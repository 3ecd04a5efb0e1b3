//! Servers, a scripted model, sessions with a result to summarize, and summarizers.

use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tarsy_bus::Bus;
use tarsy_catalog::{Catalog, Env, Queue};
use tarsy_contracts::live::{Snapshot, SnapshotRequest, StreamingText};
use tarsy_contracts::subject;
use tarsy_contracts::timeline::{EndTimelineEvent, NewTimelineEvent, TimelineEvent};
use tarsy_contracts::work::SummaryRequest;
use tarsy_domain::event::{CallStatus, Role, SummaryStatus, TimelineKind};
use tarsy_domain::id::{
    CallId, ExecutionId, InteractionId, MessageId, SessionId, StageId, SummaryId, TimelineEventId,
};
use tarsy_domain::status::TimelineStatus;
use tarsy_llm::{Chunk, Script, ScriptedLlm, Usage};
use tarsy_service::ServiceContext;
use tarsy_store::{
    Batch, CallEnd, Fence, NewCall, NewExecution, NewMessage, NewStage, NewSummary, Op, Store,
    Summary,
};
use tarsy_summarizer::{Parts, start_with};
use tarsy_testkit::{KillableService, TestStack, WAIT, a_session, connect_bus, eventually};

/// A lease that does not expire while its holder runs, however slow the machine.
const LEASE: Duration = Duration::from_mins(2);
/// A lease whose expiry a test waits for.
const SHORT_LEASE: Duration = Duration::from_secs(8);

pub(crate) struct Stack {
    servers: TestStack,
    pub(crate) llm: ScriptedLlm,
}

/// A result that waits for its summary.
pub(crate) struct PendingSummary {
    pub(crate) fence: Fence,
    pub(crate) call: CallId,
    pub(crate) execution: ExecutionId,
    stage: StageId,
    event: TimelineEventId,
}

impl PendingSummary {
    fn new(fence: Fence) -> Self {
        Self {
            fence,
            call: CallId::new(),
            execution: ExecutionId::new(),
            stage: StageId::new(),
            event: TimelineEventId::new(),
        }
    }

    pub(crate) fn session(&self) -> SessionId {
        self.fence.session_id
    }
}

impl Stack {
    pub(crate) async fn new(turns: impl IntoIterator<Item = Script>) -> Self {
        Self { servers: TestStack::start().await.unwrap(), llm: ScriptedLlm::new(turns) }
    }

    /// Starts a summarizer; it ends with the test.
    pub(crate) async fn summarizer(&self, name: &str) -> ServiceContext {
        let service = ServiceContext::default();
        start(
            &self.pg.url_as("summarizer"),
            self.nats.url(),
            name,
            self.llm.clone(),
            LEASE,
            &service,
        )
        .await;
        service
    }

    /// The same with a short lease: it looks after its rows every few seconds.
    pub(crate) async fn watchful_summarizer(&self, name: &str) -> ServiceContext {
        let service = ServiceContext::default();
        start(
            &self.pg.url_as("summarizer"),
            self.nats.url(),
            name,
            self.llm.clone(),
            SHORT_LEASE,
            &service,
        )
        .await;
        service
    }

    /// The texts that summarizers which answer within `wait` are streaming for a session.
    pub(crate) async fn streaming(&self, session: SessionId, wait: Duration) -> Vec<StreamingText> {
        let (subject, request) = (subject::live_summaries(session), SnapshotRequest::default());
        let answers: Vec<Snapshot> =
            self.bus.request_many(subject, &request, 1, wait).await.unwrap();
        answers.into_iter().flat_map(|answer| answer.streams).collect()
    }

    /// Waits until the streaming text of a session is this.
    pub(crate) async fn until_streaming(&self, session: SessionId, text: Option<&str>) {
        eventually("the summarizer streams the text", async || {
            let streams = self.streaming(session, Duration::from_millis(500)).await;
            streams.first().map(|stream| stream.content.as_str()) == text
        })
        .await;
    }

    /// Starts a summarizer that can be killed.
    pub(crate) async fn killable_summarizer(&self) -> KillableService {
        let (pg, nats) = (self.pg.url_as("summarizer"), self.nats.url().to_owned());
        let llm = self.llm.clone();
        let service = async move {
            start(&pg, &nats, "killable", llm, SHORT_LEASE, &ServiceContext::default()).await;
        };
        KillableService::start(service).await.unwrap()
    }

    /// A claimed session whose agent's call is finished and requests a summary of its result.
    pub(crate) async fn ask(&self, result: &str) -> PendingSummary {
        self.ask_with(result, |request| request).await
    }

    /// The same with a changed request.
    pub(crate) async fn ask_with(
        &self,
        result: &str,
        change: impl FnOnce(Value) -> Value,
    ) -> PendingSummary {
        let session = a_session().alert("the load of web-1 is 40");
        let fence = session.running(&self.store, "owner").await.unwrap().fence;
        let asked = PendingSummary::new(fence);
        let summary = SummaryId::new();
        let request = change(request(&asked));
        self.store.commit(fence, work(&asked, summary, result, request)).await.unwrap();
        self.bus.wake_summarizers(summary).await.unwrap();
        asked
    }

    /// The summary, once it has ended.
    pub(crate) async fn ended(&self, asked: &PendingSummary) -> Summary {
        let look = async {
            loop {
                let row = self.store.find_summary(asked.call).await.unwrap().unwrap();
                if matches!(row.status, SummaryStatus::Completed | SummaryStatus::Failed) {
                    return row;
                }
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        };
        tokio::time::timeout(WAIT, look).await.unwrap()
    }

    /// The summaries on the timeline.
    pub(crate) async fn timeline(&self, asked: &PendingSummary) -> Vec<TimelineEvent> {
        let events =
            self.store.list_timeline(asked.session(), None, None).await.unwrap().into_iter();
        events.filter(|event| event.kind == TimelineKind::McpToolSummary).collect()
    }

    /// Waits until the timeline has so many summaries.
    pub(crate) async fn started(&self, asked: &PendingSummary, count: usize) -> Vec<TimelineEvent> {
        let look = async {
            loop {
                let events = self.timeline(asked).await;
                if events.len() >= count {
                    return events;
                }
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        };
        tokio::time::timeout(WAIT, look).await.unwrap()
    }

    /// No number of the session's events is missing.
    pub(crate) async fn check_gapless(&self, asked: &PendingSummary) {
        let stored = self.store.list_events(asked.session(), 0, 1_000).await.unwrap();
        let numbers: Vec<i64> = stored.iter().map(|event| event.seq).collect();
        assert_eq!(numbers, (1..=i64::try_from(stored.len()).unwrap()).collect::<Vec<_>>());
    }
}

fn request(asked: &PendingSummary) -> Value {
    let request = SummaryRequest {
        stage_id: asked.stage,
        execution_id: asked.execution,
        tool_event_id: asked.event,
        server_name: "host".to_owned(),
        tool_name: "journal".to_owned(),
        call_number: 1,
        original_tokens: 30_000,
        max_tokens: 500,
        question: None,
        provider: provider("offline"),
        fallbacks: Vec::new(),
        timeout_ms: 30_000,
        first_token_timeout_ms: None,
        idle_timeout_ms: None,
    };
    serde_json::to_value(request).unwrap()
}

impl Deref for Stack {
    type Target = TestStack;

    fn deref(&self) -> &TestStack {
        &self.servers
    }
}

fn work(asked: &PendingSummary, summary: SummaryId, result: &str, request: Value) -> Batch {
    let (stage, event) = (asked.stage, asked.event);
    Batch::new()
        .with(Op::BeginStage(NewStage {
            id: stage,
            stage_index: 0,
            stage_name: "look".to_owned(),
            expected_agent_count: 1,
            parallel_type: None,
            success_policy: None,
            joins_stage_id: None,
        }))
        .with(Op::BeginExecution(NewExecution {
            id: asked.execution,
            stage_id: stage,
            agent_name: "HostAgent".to_owned(),
            agent_index: 1,
            iteration_strategy: "langchain".to_owned(),
            llm_provider: Some("offline".to_owned()),
            dispatched: None,
        }))
        .with(message(asked.execution, stage, 0, Role::System, "You are an investigator."))
        .with(message(asked.execution, stage, 1, Role::User, "The load of web-1 is 40."))
        .with(Op::OpenEvent(NewTimelineEvent {
            id: event,
            stage_id: Some(stage),
            execution_id: Some(asked.execution),
            kind: TimelineKind::LlmToolCall,
            status: TimelineStatus::Streaming,
            content: String::new(),
            metadata: None,
        }))
        .with(Op::CallStarted(NewCall {
            id: InteractionId::new(),
            stage_id: stage,
            execution_id: asked.execution,
            call_id: asked.call,
            gateway_instance: "gateway".to_owned(),
            server_name: "host".to_owned(),
            tool_name: "journal".to_owned(),
            tool_call_id: "call-1".to_owned(),
            tool_arguments: json!({}),
            timeline_event_id: event,
            answered_from: None,
        }))
        .with(Op::CallFinished(CallEnd {
            call_id: asked.call,
            status: CallStatus::Completed,
            tool_result: "cut".to_owned(),
            whole_result: Some(result.to_owned()),
            duration_ms: Some(5),
            refused_by_policy: false,
            injected_instructions: 0,
            error_message: None,
        }))
        .with(Op::CloseEvent(EndTimelineEvent {
            id: event,
            kind: TimelineKind::LlmToolCall,
            status: TimelineStatus::Completed,
            content: "cut".to_owned(),
            metadata: None,
        }))
        .with(Op::RequestSummary(NewSummary { id: summary, call_id: asked.call, request }))
}

fn message(execution: ExecutionId, stage: StageId, at: i32, role: Role, content: &str) -> Op {
    Op::AppendMessage(NewMessage {
        id: MessageId::new(),
        stage_id: stage,
        execution_id: execution,
        sequence_number: at,
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
    })
}

/// A provider with a model under this name, as a session's snapshot has it.
pub(crate) fn provider(name: &str) -> Value {
    let catalog = Catalog::builtin(&Env::empty()).unwrap();
    let chain = catalog.resolve_chain(Some("host"), None).unwrap();
    let mut provider = serde_json::to_value(&chain.executive_summary_provider).unwrap();
    let fields = provider.as_object_mut().unwrap();
    fields.insert("name".to_owned(), json!(name));
    fields.insert("backend".to_owned(), json!("langchain"));
    provider
}

async fn start(
    pg: &str,
    nats: &str,
    name: &str,
    llm: ScriptedLlm,
    lease: Duration,
    service: &ServiceContext,
) {
    let queue = Queue { orphan_threshold: lease, ..Catalog::builtin(&Env::empty()).unwrap().queue };
    let parts = Parts {
        store: Store::connect(pg, 4).await.unwrap(),
        bus: connect(nats, name).await,
        llm: Arc::new(llm),
        queue,
    };
    start_with(parts, service).unwrap();
}

async fn connect(url: &str, instance: &str) -> Bus {
    connect_bus(url, "summarizer", instance).await.unwrap()
}

pub(crate) fn words(text: &str) -> Vec<Chunk> {
    text.split_inclusive(' ').map(|word| Chunk::Text(word.to_owned())).collect()
}

pub(crate) fn answers(text: &str) -> Script {
    let mut chunks = words(text);
    chunks.push(Chunk::Usage(Usage {
        input_tokens: 900,
        output_tokens: 12,
        total_tokens: 912,
        ..Usage::default()
    }));
    Script::Answer(chunks)
}
