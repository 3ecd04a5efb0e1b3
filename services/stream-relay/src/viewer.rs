//! One viewer: its socket, its queue and its subscriptions.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::ws::{CloseFrame, Message, Utf8Bytes, WebSocket, close_code};
use futures::stream::{SplitSink, SplitStream};
use futures::{SinkExt as _, StreamExt as _};
use tarsy_web::{CredentialEnd, credential};
use tokio::time::{MissedTickBehavior, timeout};
use tokio_tungstenite::tungstenite;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::hub::{Hub, ViewerSubscription};
use crate::metrics;
use crate::outbox::Outbox;
use crate::protocol::{Action, Channel, Control};

/// Channels that one viewer may subscribe to.
const MAX_CHANNELS: usize = 64;
/// How long a queue may stay full, or a write to the socket take.
const WRITE_TIMEOUT: Duration = Duration::from_secs(10);
/// How often the socket is pinged.
const PING_INTERVAL: Duration = Duration::from_secs(25);
/// How long a viewer may send nothing, not even pongs.
const IDLE_TIMEOUT: Duration = Duration::from_secs(75);
/// How long sending the close frame may take.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(1);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Close {
    /// The viewer closed it, or it broke.
    Left,
    /// Nothing came for too long.
    Idle,
    /// It sent more than is taken.
    TooLong,
    /// It cannot keep up.
    TooSlow,
    /// The credential that opened it expired or was revoked.
    CredentialEnded,
    /// The relay stops.
    Stopping,
}

/// What ends the service of a viewer, beside the viewer.
pub(crate) struct Ends {
    pub(crate) credential: Option<CredentialEnd>,
    pub(crate) stop: CancellationToken,
}

impl Close {
    const fn frame(self) -> (u16, &'static str) {
        match self {
            Self::Left => (close_code::NORMAL, "goodbye"),
            Self::Idle => (close_code::AWAY, "nothing was received for too long"),
            Self::TooLong => (close_code::SIZE, "the message is too long"),
            Self::TooSlow => (close_code::AGAIN, "too slow to keep up; connect again"),
            Self::CredentialEnded => {
                (credential::CREDENTIAL_ENDED, credential::CREDENTIAL_ENDED_REASON)
            }
            Self::Stopping => (close_code::RESTART, "the server restarts; connect again"),
        }
    }

    const fn label(self) -> &'static str {
        match self {
            Self::Left => "left",
            Self::Idle => "idle",
            Self::TooLong => "too_long",
            Self::TooSlow => "too_slow",
            Self::CredentialEnded => "credential_ended",
            Self::Stopping => "stopping",
        }
    }
}

/// Serves one viewer until either side closes.
pub(crate) async fn serve(socket: WebSocket, hub: Hub, viewer: u64, ends: Ends) {
    let outbox = Arc::new(Outbox::default());
    let connection_id = Uuid::now_v7().to_string();
    outbox.push_control(Control::Established { connection_id }.frame());
    let (mut sink, stream) = socket.split();
    let connection =
        Connection { hub, viewer, outbox: Arc::clone(&outbox), subscriptions: HashMap::new() };
    let close = tokio::select! {
        () = ends.stop.cancelled() => Close::Stopping,
        () = CredentialEnd::wait(ends.credential) => Close::CredentialEnded,
        close = write(&mut sink, &outbox) => close,
        close = connection.read(stream) => close,
    };
    outbox.close();
    metrics::closed(close.label());
    let (code, reason) = close.frame();
    let frame = CloseFrame { code, reason: Utf8Bytes::from_static(reason) };
    let sent = timeout(CLOSE_TIMEOUT, sink.send(Message::Close(Some(frame))));
    if !matches!(sent.await, Ok(Ok(()))) {
        tracing::trace!(viewer, "the socket was gone before its close");
    }
}

async fn write(sink: &mut SplitSink<WebSocket, Message>, outbox: &Outbox) -> Close {
    let mut ping = tokio::time::interval(PING_INTERVAL);
    ping.set_missed_tick_behavior(MissedTickBehavior::Delay);
    ping.reset();
    loop {
        let frames = tokio::select! {
            frames = outbox.take() => frames.into_iter().map(Message::Text).collect(),
            _ = ping.tick() => vec![Message::Ping(bytes::Bytes::new())],
        };
        for frame in frames {
            match timeout(WRITE_TIMEOUT, sink.feed(frame)).await {
                Ok(Ok(())) => {}
                Ok(Err(_)) => return Close::Left,
                Err(_) => return Close::TooSlow,
            }
        }
        match timeout(WRITE_TIMEOUT, sink.flush()).await {
            Ok(Ok(())) => {}
            Ok(Err(_)) => return Close::Left,
            Err(_) => return Close::TooSlow,
        }
        if outbox.full_for() > WRITE_TIMEOUT {
            return Close::TooSlow;
        }
    }
}

fn broken(error: axum::Error) -> Close {
    match error.into_inner().downcast_ref::<tungstenite::Error>() {
        Some(tungstenite::Error::Capacity(_)) => Close::TooLong,
        _ => Close::Left,
    }
}

/// The requests of a viewer.
struct Connection {
    hub: Hub,
    viewer: u64,
    outbox: Arc<Outbox>,
    subscriptions: HashMap<Channel, ViewerSubscription>,
}

impl Connection {
    async fn read(mut self, mut stream: SplitStream<WebSocket>) -> Close {
        loop {
            match timeout(IDLE_TIMEOUT, stream.next()).await {
                Err(_) => return Close::Idle,
                Ok(None | Some(Ok(Message::Close(_)))) => return Close::Left,
                Ok(Some(Err(error))) => return broken(error),
                Ok(Some(Ok(Message::Text(text)))) => self.handle(&text).await,
                Ok(Some(Ok(Message::Binary(_)))) => {
                    self.reply(&Control::error(
                        "binary messages are not understood; send JSON text",
                    ));
                }
                Ok(Some(Ok(Message::Ping(_) | Message::Pong(_)))) => {}
            }
        }
    }

    async fn handle(&mut self, text: &str) {
        match Action::parse(text) {
            Err(refusal) => self.reply(&refusal),
            Ok(Action::Ping) => self.reply(&Control::Pong),
            Ok(Action::Subscribe(channel, after)) => self.subscribe(channel, after).await,
            Ok(Action::Unsubscribe(channel)) => drop(self.subscriptions.remove(&channel)),
            Ok(Action::Catchup(channel, after)) => match self.subscriptions.get(&channel) {
                Some(subscription) => subscription.catch_up(after).await,
                None => self.reply(&Control::SubscriptionError {
                    channel: channel.to_string(),
                    message: "channel: is not subscribed; subscribe to it first".to_owned(),
                }),
            },
        }
    }

    async fn subscribe(&mut self, channel: Channel, after: i64) {
        if self.subscriptions.len() >= MAX_CHANNELS && !self.subscriptions.contains_key(&channel) {
            self.reply(&Control::SubscriptionError {
                channel: channel.to_string(),
                message: format!("too many channels: at most {MAX_CHANNELS}; unsubscribe from one"),
            });
            return;
        }
        // A second subscription replaces the first.
        self.subscriptions.remove(&channel);
        self.reply(&Control::Confirmed { channel: channel.to_string() });
        let outbox = Arc::clone(&self.outbox);
        let subscription = self.hub.subscribe(channel, self.viewer, outbox, after).await;
        self.subscriptions.insert(channel, subscription);
    }

    fn reply(&self, control: &Control) {
        self.outbox.push_control(control.frame());
    }
}
