//! A session that this bench owns, and whose text it writes as an orchestrator does.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::Context as _;
use serde_json::json;
use tarsy_bus::{Bus, BusOptions, BusSecurity};
use tarsy_contracts::alert::AlertFields;
use tarsy_contracts::event::Committed;
use tarsy_contracts::live::{Live, Snapshot, SnapshotRequest, StreamingText};
use tarsy_contracts::subject;
use tarsy_contracts::timeline::{EndTimelineEvent, NewTimelineEvent};
use tarsy_domain::event::TimelineKind;
use tarsy_domain::id::{SessionId, TimelineEventId};
use tarsy_domain::status::{SessionStatus, TimelineStatus};
use tarsy_e2e::Stack;
use tarsy_store::{Batch, Fence, NewSession, Op, SessionEnd, Store};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// Longer than the bench.
const LEASE: Duration = Duration::from_mins(10);
/// How often the session may be snatched by an orchestrator before this bench has it.
const TRIES: usize = 5;

pub(crate) struct Source {
    bus: Bus,
    store: Store,
    fence: Fence,
    writing: Arc<Mutex<Snapshot>>,
    stop: CancellationToken,
    tasks: TaskTracker,
}

impl Source {
    pub(crate) async fn start(stack: &Stack) -> anyhow::Result<Self> {
        let bus = connect(&stack.nats_url()).await?;
        let store = Store::connect(&stack.database_url(), 2).await?;
        let fence = own(&store, TRIES).await?;
        let writing: Arc<Mutex<Snapshot>> = Arc::default();
        let (stop, tasks) = (CancellationToken::new(), TaskTracker::new());
        let (asked, snapshots, stopped) = (bus.clone(), Arc::clone(&writing), stop.clone());
        tasks.spawn(async move {
            let subject = subject::live_snapshot(fence.session_id);
            let answer = move |_: SnapshotRequest| {
                let snapshot = snapshots.lock().unwrap_or_else(PoisonError::into_inner).clone();
                async move { Ok(snapshot) }
            };
            asked.respond(subject, None, 8, stopped, answer).await
        });
        Ok(Self { bus, store, fence, writing, stop, tasks })
    }

    pub(crate) fn session(&self) -> SessionId {
        self.fence.session_id
    }

    /// A new text, of which nothing is written yet.
    pub(crate) async fn open(&self) -> anyhow::Result<TimelineEventId> {
        let id = TimelineEventId::new();
        self.commit(Op::OpenEvent(event(id, TimelineStatus::Streaming, String::new()))).await?;
        let text = StreamingText { event_id: id, content: String::new() };
        self.writing.lock().unwrap_or_else(PoisonError::into_inner).streams = vec![text];
        Ok(id)
    }

    pub(crate) async fn write(&self, live: &Live, piece: &str) -> anyhow::Result<()> {
        if let Some(text) =
            self.writing.lock().unwrap_or_else(PoisonError::into_inner).streams.first_mut()
        {
            text.content.push_str(piece);
        }
        Ok(self.bus.publish(subject::live_session(self.session()), live).await?)
    }

    /// Ends a text.
    pub(crate) async fn close(&self, id: TimelineEventId) -> anyhow::Result<()> {
        let streams = {
            let mut writing = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
            std::mem::take(&mut writing.streams)
        };
        self.commit(Op::CloseEvent(EndTimelineEvent {
            id,
            kind: TimelineKind::LlmResponse,
            status: TimelineStatus::Completed,
            content: streams.into_iter().map(|text| text.content).collect(),
            metadata: None,
        }))
        .await
    }

    async fn commit(&self, op: Op) -> anyhow::Result<()> {
        self.publish(self.store.commit(self.fence, Batch::new().with(op)).await?).await
    }

    async fn publish(&self, committed: Vec<Committed>) -> anyhow::Result<()> {
        for event in &committed {
            self.bus.publish_event(event).await?;
        }
        let keys: Vec<_> = committed.iter().map(|event| (event.session_id, event.seq)).collect();
        Ok(self.store.set_published(&keys).await?)
    }

    /// Ends the session: one that stays in progress has a place under the cap of concurrent sessions until its lease is
    /// over, and is then investigated.
    pub(crate) async fn stop(self) -> anyhow::Result<()> {
        self.stop.cancel();
        self.tasks.close();
        self.tasks.wait().await;
        let end = SessionEnd {
            status: SessionStatus::Completed,
            final_analysis: None,
            executive_summary: None,
            executive_summary_error: None,
            verdict_failure: None,
            error_message: None,
            failure: None,
        };
        self.publish(self.store.finish_session(self.fence, end).await?).await?;
        self.store.close();
        Ok(())
    }
}

/// Connects to the bus as a service does, and waits until the connection stands.
pub(crate) async fn connect(url: &str) -> anyhow::Result<Bus> {
    let bus = Bus::connect(BusOptions {
        url: url.to_owned(),
        service: "bench",
        instance: "bench".to_owned(),
        security: BusSecurity::default(),
        replicas: 1,
    })
    .await?;
    let mut connection = bus.connection();
    tokio::time::timeout(Duration::from_secs(10), connection.wait_for(|state| state.connected))
        .await
        .context("NATS does not answer")??;
    Ok(bus)
}

/// Puts a session into the queue and takes it out.
pub(crate) async fn own(store: &Store, tries: usize) -> anyhow::Result<Fence> {
    for _ in 0..tries {
        let session = session();
        let id = session.id;
        store.insert_session(session).await?;
        if let Some(claim) = store.claim_session("bench", LEASE, 1000).await?
            && claim.session.id == id
        {
            return Ok(claim.fence);
        }
    }
    anyhow::bail!("another owner took the session {tries} times")
}

fn session() -> NewSession {
    NewSession {
        id: SessionId::new(),
        alert_data: "bench".to_owned(),
        alert_type: None,
        chain_id: "bench".to_owned(),
        author: None,
        principal: None,
        runbook_url: None,
        mcp_selection: None,
        requested_provider: None,
        slack_message_fingerprint: None,
        fields: AlertFields::default(),
        idempotency: None,
        settings: tarsy_store::SessionSettings::default(),
        config_snapshot: json!({}),
        traceparent: None,
    }
}

/// A timeline event of a session itself.
pub(crate) fn event(
    id: TimelineEventId,
    status: TimelineStatus,
    content: String,
) -> NewTimelineEvent {
    NewTimelineEvent {
        id,
        stage_id: None,
        execution_id: None,
        kind: TimelineKind::LlmResponse,
        status,
        content,
        metadata: None,
    }
}
