//! One viewer: its socket, its queue, what it watches.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::ws::{CloseFrame, Message, Utf8Bytes, WebSocket, close_code};
use futures::stream::{SplitSink, SplitStream};
use futures::{SinkExt as _, StreamExt as _};
use tokio::time::{MissedTickBehavior, timeout};
use tokio_tungstenite::tungstenite;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::hub::{Hub, Watch};
use crate::metrics;
use crate::outbox::Outbox;
use crate::protocol::{Action, Channel, Control};

/// How many channels one viewer may watch.
const MAX_CHANNELS: usize = 64;
/// How long a viewer may be too slow, or its socket refuse a write.
const PATIENCE: Duration = Duration::from_secs(10);
/// How often a silent viewer is asked whether it is there.
const PING: Duration = Duration::from_secs(25);
/// How long nothing at all may come from a viewer.
const SILENCE: Duration = Duration::from_secs(75);
/// How long the last word may take.
const FAREWELL: Duration = Duration::from_secs(1);

/// Why a socket is closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Close {
    /// The viewer closed it, or it broke.
    Left,
    /// Nothing came for too long.
    Silent,
    /// It sent more than is taken.
    TooLong,
    /// It cannot keep up.
    TooSlow,
    /// The relay stops.
    Stopping,
}

impl Close {
    const fn frame(self) -> (u16, &'static str) {
        match self {
            Self::Left => (close_code::NORMAL, "goodbye"),
            Self::Silent => (close_code::AWAY, "nothing was heard for too long"),
            Self::TooLong => (close_code::SIZE, "the message is too long"),
            Self::TooSlow => (close_code::AGAIN, "too slow to keep up; connect again"),
            Self::Stopping => (close_code::RESTART, "the server restarts; connect again"),
        }
    }

    const fn word(self) -> &'static str {
        match self {
            Self::Left => "left",
            Self::Silent => "silent",
            Self::TooLong => "too_long",
            Self::TooSlow => "too_slow",
            Self::Stopping => "stopping",
        }
    }
}

/// Serves one viewer until either side closes.
pub(crate) async fn serve(socket: WebSocket, hub: Hub, viewer: u64, stop: CancellationToken) {
    let outbox = Arc::new(Outbox::default());
    let connection_id = Uuid::now_v7().to_string();
    outbox.push_control(Control::Established { connection_id }.frame());
    let (mut sink, stream) = socket.split();
    let desk = Desk { hub, viewer, outbox: Arc::clone(&outbox), watches: HashMap::new() };
    let close = tokio::select! {
        () = stop.cancelled() => Close::Stopping,
        close = write(&mut sink, &outbox) => close,
        close = desk.read(stream) => close,
    };
    outbox.close();
    metrics::closed(close.word());
    let (code, reason) = close.frame();
    let frame = CloseFrame { code, reason: Utf8Bytes::from_static(reason) };
    let farewell = timeout(FAREWELL, sink.send(Message::Close(Some(frame))));
    if !matches!(farewell.await, Ok(Ok(()))) {
        tracing::trace!(viewer, "the socket was gone before its close");
    }
}

async fn write(sink: &mut SplitSink<WebSocket, Message>, outbox: &Outbox) -> Close {
    let mut ping = tokio::time::interval(PING);
    ping.set_missed_tick_behavior(MissedTickBehavior::Delay);
    ping.reset();
    loop {
        let frames = tokio::select! {
            frames = outbox.take() => frames.into_iter().map(Message::Text).collect(),
            _ = ping.tick() => vec![Message::Ping(bytes::Bytes::new())],
        };
        for frame in frames {
            match timeout(PATIENCE, sink.feed(frame)).await {
                Ok(Ok(())) => {}
                Ok(Err(_)) => return Close::Left,
                Err(_) => return Close::TooSlow,
            }
        }
        match timeout(PATIENCE, sink.flush()).await {
            Ok(Ok(())) => {}
            Ok(Err(_)) => return Close::Left,
            Err(_) => return Close::TooSlow,
        }
        if outbox.full_for() > PATIENCE {
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

/// What a viewer asks for.
struct Desk {
    hub: Hub,
    viewer: u64,
    outbox: Arc<Outbox>,
    watches: HashMap<Channel, Watch>,
}

impl Desk {
    async fn read(mut self, mut stream: SplitStream<WebSocket>) -> Close {
        loop {
            match timeout(SILENCE, stream.next()).await {
                Err(_) => return Close::Silent,
                Ok(None | Some(Ok(Message::Close(_)))) => return Close::Left,
                Ok(Some(Err(error))) => return broken(error),
                Ok(Some(Ok(Message::Text(text)))) => self.hear(&text).await,
                Ok(Some(Ok(Message::Binary(_)))) => {
                    self.say(&Control::error("binary messages are not understood; send JSON text"));
                }
                Ok(Some(Ok(Message::Ping(_) | Message::Pong(_)))) => {}
            }
        }
    }

    async fn hear(&mut self, text: &str) {
        match Action::parse(text) {
            Err(refusal) => self.say(&refusal),
            Ok(Action::Ping) => self.say(&Control::Pong),
            Ok(Action::Subscribe(channel, after)) => self.subscribe(channel, after).await,
            Ok(Action::Unsubscribe(channel)) => drop(self.watches.remove(&channel)),
            Ok(Action::Catchup(channel, after)) => match self.watches.get(&channel) {
                Some(watch) => watch.catch_up(after).await,
                None => self.say(&Control::SubscriptionError {
                    channel: channel.to_string(),
                    message: "channel: is not subscribed; subscribe to it first".to_owned(),
                }),
            },
        }
    }

    async fn subscribe(&mut self, channel: Channel, after: i64) {
        if self.watches.len() >= MAX_CHANNELS && !self.watches.contains_key(&channel) {
            self.say(&Control::SubscriptionError {
                channel: channel.to_string(),
                message: format!("too many channels: at most {MAX_CHANNELS}; unsubscribe from one"),
            });
            return;
        }
        // Whoever subscribes again begins again.
        self.watches.remove(&channel);
        self.say(&Control::Confirmed { channel: channel.to_string() });
        let outbox = Arc::clone(&self.outbox);
        let watch = self.hub.watch(channel, self.viewer, outbox, after).await;
        self.watches.insert(channel, watch);
    }

    fn say(&self, word: &Control) {
        self.outbox.push_control(word.frame());
    }
}
