//! A relay with its servers, an owner that writes events, and viewers.

use std::net::SocketAddr;
use std::time::Duration;

use futures::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use tarsy_bus::{Bus, BusOptions};
use tarsy_contracts::event::Committed;
use tarsy_contracts::live::{Live, LiveBody, Snapshot, SnapshotRequest, StreamingText};
use tarsy_contracts::subject;
use tarsy_domain::clock::{Clock as _, SystemClock};
use tarsy_domain::event::TimelineKind;
use tarsy_domain::id::{SessionId, TimelineEventId};
use tarsy_domain::status::TimelineStatus;
use tarsy_service::{ServiceContext, Settings};
use tarsy_store::{Batch, EndTimelineEvent, Fence, NewSession, NewTimelineEvent, Op, Store};
use tarsy_testkit::{TestNats, TestPg};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::tungstenite::{self, Message};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream};

const PATIENCE: Duration = Duration::from_mins(1);

pub(crate) struct World {
    pub(crate) store: Store,
    pub(crate) bus: Bus,
    pub(crate) service: ServiceContext,
    pub(crate) nats: TestNats,
    pub(crate) address: SocketAddr,
    _pg: TestPg,
}

/// A running session and the right to write to it.
#[derive(Clone, Copy)]
pub(crate) struct Running {
    pub(crate) id: SessionId,
    fence: Fence,
}

impl World {
    pub(crate) async fn start() -> Self {
        let (pg, nats) = (TestPg::start().await.unwrap(), TestNats::start().await.unwrap());
        let store = Store::connect(pg.url(), 4).await.unwrap();
        store.migrate().await.unwrap();
        let settings = Settings::from_map(
            [("DATABASE_URL", pg.url()), ("NATS_URL", nats.url()), ("TARSY_INSTANCE", "relay-1")]
                .into_iter()
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .collect(),
        )
        .unwrap();
        let service = ServiceContext::default();
        let router = tarsy_stream_relay::build(&settings, &service).await.unwrap();
        let anywhere = SocketAddr::from(([127, 0, 0, 1], 0));
        let address = service.serve_http("http", anywhere, router).await.unwrap();
        let bus = Bus::connect(BusOptions {
            url: nats.url().to_owned(),
            service: "test",
            instance: "owner-1".to_owned(),
            credentials: None,
        })
        .await
        .unwrap();
        let mut connection = bus.connection();
        timeout(PATIENCE, connection.wait_for(|state| state.connected)).await.unwrap().unwrap();
        Self { store, bus, service, nats, address, _pg: pg }
    }

    /// A session with two events: it waits, it runs.
    pub(crate) async fn session(&self) -> Running {
        let id = SessionId::new();
        let new = NewSession {
            id,
            alert_data: "x".to_owned(),
            alert_type: None,
            chain_id: "host".to_owned(),
            author: None,
            runbook_url: None,
            mcp_selection: None,
            slack_message_fingerprint: None,
            idempotency_key: None,
            settings: tarsy_store::SessionSettings::default(),
            config_snapshot: json!({}),
        };
        self.store.insert_session(new).await.unwrap();
        let lease = Duration::from_mins(5);
        let claim = self.store.claim_session("owner-1", lease, 100).await.unwrap().unwrap();
        assert_eq!(claim.session.id, id);
        Running { id, fence: claim.fence }
    }

    pub(crate) async fn commit(&self, session: Running, ops: Vec<Op>) -> Vec<Committed> {
        let batch = ops.into_iter().fold(Batch::new(), Batch::with);
        self.store.commit(session.fence, batch).await.unwrap()
    }

    /// Commits and publishes, as an owner does.
    pub(crate) async fn tell(&self, session: Running, ops: Vec<Op>) {
        for event in self.commit(session, ops).await {
            self.bus.publish_event(&event).await.unwrap();
        }
    }

    pub(crate) async fn chunk(&self, session: Running, id: TimelineEventId, at: u64, text: &str) {
        let live = Live {
            session_id: session.id,
            timestamp: SystemClock.now(),
            body: LiveBody::Chunk { event_id: id, delta: text.to_owned(), offset: at },
        };
        self.bus.publish(subject::live_session(session.id), &live).await.unwrap();
    }

    /// An owner that knows this much of a text.
    pub(crate) fn owner_knows(&self, session: Running, id: TimelineEventId, text: &str) {
        let (bus, stop) = (self.bus.clone(), self.service.stopping());
        let streams = vec![StreamingText { event_id: id, content: text.to_owned() }];
        let snapshot = Snapshot { streams, others: 0 };
        self.service.spawn_aux("owner", async move {
            let subject = subject::live_snapshot(session.id);
            let answer = move |_: SnapshotRequest| {
                let snapshot = snapshot.clone();
                async move { Ok(snapshot) }
            };
            bus.respond(subject, None, 4, stop, answer).await.unwrap();
        });
    }

    /// Waits until somebody answers for a session's text.
    pub(crate) async fn owner_is_there(&self, session: Running) {
        let subject = subject::live_snapshot(session.id);
        let ask = async || {
            let request = SnapshotRequest::default();
            let wait = Duration::from_secs(1);
            self.bus.request::<_, Snapshot>(subject.clone(), &request, wait).await
        };
        while ask().await.is_err() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    pub(crate) async fn viewer(&self) -> Viewer {
        let mut viewer = Viewer::connect(self.address, None).await.unwrap();
        assert_eq!(viewer.next().await["type"], "connection.established");
        viewer
    }

    /// A viewer of a session that has been told everything up to now.
    pub(crate) async fn watching(&self, session: Running) -> Viewer {
        let mut viewer = self.viewer().await;
        viewer.subscribe(session).await;
        let last = self.store.find_last_event_seq(session.id).await.unwrap().unwrap();
        while viewer.next().await["db_event_id"] != last {}
        viewer
    }
}

pub(crate) fn opens(id: TimelineEventId) -> Op {
    Op::OpenEvent(NewTimelineEvent {
        id,
        stage_id: None,
        execution_id: None,
        kind: TimelineKind::LlmResponse,
        status: TimelineStatus::Streaming,
        content: String::new(),
        metadata: None,
    })
}

/// An event that happens at once.
pub(crate) fn happens(text: &str) -> Op {
    Op::OpenEvent(NewTimelineEvent {
        id: TimelineEventId::new(),
        stage_id: None,
        execution_id: None,
        kind: TimelineKind::Error,
        status: TimelineStatus::Completed,
        content: text.to_owned(),
        metadata: None,
    })
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

pub(crate) struct Viewer(WebSocketStream<MaybeTlsStream<TcpStream>>);

impl Viewer {
    pub(crate) async fn connect(
        address: SocketAddr,
        origin: Option<&str>,
    ) -> Result<Self, Box<tungstenite::Error>> {
        let mut request = format!("ws://{address}/api/v1/ws").into_client_request().unwrap();
        if let Some(origin) = origin {
            request.headers_mut().insert("origin", origin.parse().unwrap());
        }
        let (socket, _) = tokio_tungstenite::connect_async(request).await.map_err(Box::new)?;
        Ok(Self(socket))
    }

    pub(crate) async fn say(&mut self, text: impl ToString) {
        self.0.send(Message::text(text.to_string())).await.unwrap();
    }

    pub(crate) async fn subscribe(&mut self, session: Running) {
        let channel = format!("session:{}", session.id);
        self.say(json!({"action": "subscribe", "channel": channel})).await;
        let answer = self.next().await;
        assert_eq!(answer, json!({"type": "subscription.confirmed", "channel": channel}));
    }

    /// The next message.
    pub(crate) async fn next(&mut self) -> Value {
        loop {
            match timeout(PATIENCE, self.0.next()).await.expect("a message in time") {
                Some(Ok(Message::Text(text))) => return serde_json::from_str(&text).unwrap(),
                Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
                other => panic!("the relay said {other:?}"),
            }
        }
    }

    /// The next word about a subscription to this channel; others are left out.
    pub(crate) async fn answer(&mut self, channel: &str) -> Value {
        loop {
            let message = self.next().await;
            let kind = message["type"].as_str().unwrap();
            if kind.starts_with("subscription.") && message["channel"] == channel {
                return message;
            }
        }
    }

    /// The next message of this type; others are left out.
    pub(crate) async fn until(&mut self, kind: &str) -> Value {
        loop {
            let message = self.next().await;
            if message["type"] == kind {
                return message;
            }
        }
    }

    /// Puts a text together from chunks, each of which must begin where the text ends.
    pub(crate) async fn read_text(&mut self, length: usize) -> String {
        let mut text = String::new();
        while text.len() < length {
            let chunk = self.until("stream.chunk").await;
            assert_eq!(chunk["offset"], text.len(), "a hole or an overlap after {text:?}");
            text.push_str(chunk["delta"].as_str().unwrap());
        }
        text
    }

    /// The code that the relay closes with.
    pub(crate) async fn closed(&mut self) -> u16 {
        loop {
            match timeout(PATIENCE, self.0.next()).await.expect("a close in time") {
                Some(Ok(Message::Close(Some(frame)))) => return frame.code.into(),
                Some(Ok(_)) => {}
                other => panic!("instead of a close came {other:?}"),
            }
        }
    }

    /// Whether the relay gave up on this viewer: it says so, or the connection is gone.
    pub(crate) async fn is_cut_off(&mut self) -> bool {
        loop {
            match timeout(PATIENCE, self.0.next()).await {
                Ok(Some(Ok(Message::Close(frame)))) => {
                    return frame.is_none_or(|frame| u16::from(frame.code) == 1013);
                }
                Ok(Some(Ok(_))) => {}
                Ok(None | Some(Err(_))) => return true,
                Err(_) => return false,
            }
        }
    }

    /// Nothing but what belongs to other tests' noise may come before the answer to a ping.
    pub(crate) async fn is_told_nothing_more(&mut self) {
        self.say(json!({"action": "ping"})).await;
        assert_eq!(self.next().await["type"], "pong");
    }
}
