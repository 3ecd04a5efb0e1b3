//! A relay on its servers, and an owner that writes events.

use std::net::SocketAddr;
use std::ops::Deref;
use std::time::Duration;

use tarsy_contracts::event::Committed;
use tarsy_contracts::live::{Live, LiveBody, Snapshot, SnapshotRequest, StreamingText};
use tarsy_contracts::subject;
use tarsy_contracts::timeline::{EndTimelineEvent, NewTimelineEvent};
use tarsy_domain::clock::{Clock as _, SystemClock};
use tarsy_domain::event::TimelineKind;
use tarsy_domain::id::{SessionId, TimelineEventId};
use tarsy_domain::status::TimelineStatus;
use tarsy_service::{ServiceContext, Settings};
use tarsy_store::{Batch, Fence, Op};
use tarsy_testkit::{TestNats, TestStack, a_session, eventually};

use crate::viewer::Viewer;

pub(crate) struct Stack {
    servers: TestStack,
    pub(crate) service: ServiceContext,
    pub(crate) address: SocketAddr,
}

/// A running session and the right to write to it.
#[derive(Clone, Copy)]
pub(crate) struct Running {
    pub(crate) id: SessionId,
    fence: Fence,
}

impl Stack {
    pub(crate) async fn start() -> Self {
        Self::on(TestNats::start().await.unwrap()).await
    }

    /// With a nats-server that may be stopped.
    pub(crate) async fn with_dedicated_nats() -> Self {
        Self::on(TestNats::dedicated().await.unwrap()).await
    }

    async fn on(nats: TestNats) -> Self {
        let servers = TestStack::with_nats(nats).await.unwrap();
        let settings = Settings::from_map(servers.environment("stream-relay", "relay-1")).unwrap();
        let service = ServiceContext::default();
        let router = tarsy_stream_relay::build(&settings, &service).await.unwrap();
        let any_port = SocketAddr::from(([127, 0, 0, 1], 0));
        let address = service.serve_http("http", any_port, router).await.unwrap();
        Self { servers, service, address }
    }

    pub(crate) fn nats(&mut self) -> &mut TestNats {
        &mut self.servers.nats
    }

    /// A session with two events: it was created, it was claimed.
    pub(crate) async fn session(&self) -> Running {
        let claim = a_session().running(&self.store, "owner-1").await.unwrap();
        Running { id: claim.session.id, fence: claim.fence }
    }

    pub(crate) async fn commit(&self, session: Running, ops: Vec<Op>) -> Vec<Committed> {
        let batch = ops.into_iter().fold(Batch::new(), Batch::with);
        self.store.commit(session.fence, batch).await.unwrap()
    }

    /// Commits and publishes, as an owner does.
    pub(crate) async fn write(&self, session: Running, ops: Vec<Op>) {
        self.publish(&self.commit(session, ops).await).await.unwrap();
    }

    pub(crate) async fn chunk(&self, session: Running, id: TimelineEventId, at: u64, text: &str) {
        let live = Live {
            session_id: session.id,
            timestamp: SystemClock.now(),
            body: LiveBody::Chunk { event_id: id, delta: text.to_owned(), offset: at },
        };
        self.bus.publish(subject::live_session(session.id), &live).await.unwrap();
    }

    /// Starts an owner that answers snapshot requests with this much of a text.
    pub(crate) async fn respond_with(&self, session: Running, id: TimelineEventId, text: &str) {
        self.respond_with_all(session, &[(id, text)]).await;
    }

    pub(crate) async fn respond_with_all(
        &self,
        session: Running,
        texts: &[(TimelineEventId, &str)],
    ) {
        let (bus, stop) = (self.bus.clone(), self.service.stopping());
        let text = |(id, text): &(TimelineEventId, &str)| StreamingText {
            event_id: *id,
            content: (*text).to_owned(),
        };
        let snapshot = Snapshot { streams: texts.iter().map(text).collect(), others: 0 };
        self.service.spawn_aux("owner", async move {
            let subject = subject::live_snapshot(session.id);
            let answer = move |_: SnapshotRequest| {
                let snapshot = snapshot.clone();
                async move { Ok(snapshot) }
            };
            bus.respond(subject, None, 4, stop, answer).await.unwrap();
        });
        let request = SnapshotRequest::default();
        eventually("the owner responds", async || {
            let subject = subject::live_snapshot(session.id);
            let timeout = Duration::from_secs(1);
            self.bus.request::<_, Snapshot>(subject, &request, timeout).await.is_ok()
        })
        .await;
    }

    pub(crate) async fn viewer(&self) -> Viewer {
        let mut viewer = Viewer::connect(self.address, None).await.unwrap();
        assert_eq!(viewer.next().await["type"], "connection.established");
        viewer
    }

    /// A subscriber of a session that has received every event up to now.
    pub(crate) async fn subscriber(&self, session: Running) -> Viewer {
        let mut viewer = self.viewer().await;
        viewer.subscribe(session).await;
        let last = self.store.find_last_event_seq(session.id).await.unwrap().unwrap();
        while viewer.next().await["db_event_id"] != last {}
        viewer
    }
}

impl Deref for Stack {
    type Target = TestStack;

    fn deref(&self) -> &TestStack {
        &self.servers
    }
}

pub(crate) fn opens(id: TimelineEventId) -> Op {
    Op::OpenEvent(event(id, TimelineKind::LlmResponse, TimelineStatus::Streaming, ""))
}

/// An event that is complete from the start.
pub(crate) fn happens(text: &str) -> Op {
    let id = TimelineEventId::new();
    Op::OpenEvent(event(id, TimelineKind::Error, TimelineStatus::Completed, text))
}

pub(crate) fn closes(id: TimelineEventId, text: &str) -> Op {
    Op::CloseEvent(EndTimelineEvent {
        id,
        kind: TimelineKind::LlmResponse,
        status: TimelineStatus::Completed,
        content: text.to_owned(),
        metadata: None,
    })
}

fn event(
    id: TimelineEventId,
    kind: TimelineKind,
    status: TimelineStatus,
    content: &str,
) -> NewTimelineEvent {
    NewTimelineEvent {
        id,
        stage_id: None,
        execution_id: None,
        kind,
        status,
        content: content.to_owned(),
        metadata: None,
    }
}
