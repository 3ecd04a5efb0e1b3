//! Who watches what: a channel's task starts with its first viewer and ends with its last.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tarsy_bus::Bus;
use tarsy_domain::clock::Clock;
use tarsy_store::Store;
use tokio::sync::{Semaphore, mpsc};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::outbox::Outbox;
use crate::protocol::Channel;
use crate::{list, metrics, watch};

/// Commands that may wait for a channel's task.
const MAILBOX: usize = 1024;
/// Reads of the table at once, over all channels.
const READS: usize = 16;

/// Whether a viewer still watches a channel.
#[derive(Clone, Debug, Default)]
pub(crate) struct Presence(Arc<AtomicBool>);

impl Presence {
    pub(crate) fn is_gone(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    pub(crate) fn leave(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// A viewer that wants to watch.
#[derive(Debug)]
pub(crate) struct Join {
    pub(crate) viewer: u64,
    pub(crate) outbox: Arc<Outbox>,
    pub(crate) presence: Presence,
    /// The last event that it has.
    pub(crate) after: i64,
}

/// What a channel's task is told.
#[derive(Debug)]
pub(crate) enum Command {
    Join(Join),
    Catchup { viewer: u64, after: i64 },
}

/// What a channel's task works with.
#[derive(Clone)]
pub(crate) struct Tools {
    pub(crate) bus: Bus,
    pub(crate) store: Store,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) reads: Arc<Semaphore>,
    pub(crate) stop: CancellationToken,
}

impl Tools {
    pub(crate) fn new(
        bus: Bus,
        store: Store,
        clock: Arc<dyn Clock>,
        stop: CancellationToken,
    ) -> Self {
        Self { bus, store, clock, reads: Arc::new(Semaphore::new(READS)), stop }
    }
}

/// The channels that are watched.
#[derive(Clone)]
pub(crate) struct Hub(Arc<Inner>);

struct Inner {
    channels: Mutex<HashMap<Channel, Watched>>,
    tools: Tools,
    tasks: TaskTracker,
}

struct Watched {
    commands: mpsc::Sender<Command>,
    viewers: usize,
}

impl Hub {
    pub(crate) fn new(tools: Tools, tasks: TaskTracker) -> Self {
        Self(Arc::new(Inner { channels: Mutex::default(), tools, tasks }))
    }

    /// Makes a viewer watch a channel until what is returned is dropped.
    pub(crate) async fn watch(
        &self,
        channel: Channel,
        viewer: u64,
        outbox: Arc<Outbox>,
        after: i64,
    ) -> Watch {
        let presence = Presence::default();
        let watch = Watch {
            hub: self.clone(),
            channel,
            viewer,
            presence: presence.clone(),
            commands: self.enter(channel),
        };
        watch.tell(Command::Join(Join { viewer, outbox, presence, after })).await;
        watch
    }

    fn enter(&self, channel: Channel) -> mpsc::Sender<Command> {
        let mut channels = self.lock();
        match channels.entry(channel) {
            Entry::Occupied(mut entry) => {
                let watched = entry.get_mut();
                watched.viewers += 1;
                if watched.commands.is_closed() {
                    watched.commands = self.start(channel);
                }
                watched.commands.clone()
            }
            Entry::Vacant(entry) => {
                let commands = self.start(channel);
                entry.insert(Watched { commands: commands.clone(), viewers: 1 });
                metrics::watched(channels.len());
                commands
            }
        }
    }

    fn start(&self, channel: Channel) -> mpsc::Sender<Command> {
        let (sender, receiver) = mpsc::channel(MAILBOX);
        let tools = self.0.tools.clone();
        match channel {
            Channel::Sessions => drop(self.0.tasks.spawn(list::run(tools, receiver))),
            Channel::Session(id) => drop(self.0.tasks.spawn(watch::run(id, tools, receiver))),
        }
        sender
    }

    fn leave(&self, channel: Channel) {
        let mut channels = self.lock();
        if let Entry::Occupied(mut entry) = channels.entry(channel) {
            entry.get_mut().viewers -= 1;
            if entry.get().viewers == 0 {
                // The task sees its mailbox close and ends.
                entry.remove();
                metrics::watched(channels.len());
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Channel, Watched>> {
        self.0.channels.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A viewer's hold on a channel; dropping it lets go.
pub(crate) struct Watch {
    hub: Hub,
    channel: Channel,
    viewer: u64,
    presence: Presence,
    commands: mpsc::Sender<Command>,
}

impl Watch {
    /// Has the viewer told again what came after this event.
    pub(crate) async fn catch_up(&self, after: i64) {
        self.tell(Command::Catchup { viewer: self.viewer, after }).await;
    }

    async fn tell(&self, command: Command) {
        if self.commands.send(command).await.is_err() {
            tracing::debug!(channel = %self.channel, "the channel's task has ended");
        }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.presence.leave();
        self.hub.leave(self.channel);
    }
}
