//! The subscriptions of all viewers: a channel's task starts with its first subscriber and ends with its
//! last.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::mpsc;
use tokio_util::task::TaskTracker;

use crate::command::{Command, Subscribe, Subscribed};
use crate::outbox::Outbox;
use crate::protocol::Channel;
use crate::resources::Resources;
use crate::{metrics, session_list, session_task};

/// Commands that may wait for a channel's task.
const COMMAND_QUEUE: usize = 1024;

/// The channels with subscribers; cheap to clone.
#[derive(Clone)]
pub(crate) struct Hub(Arc<Inner>);

struct Inner {
    channels: Mutex<HashMap<Channel, Watched>>,
    resources: Resources,
    tasks: TaskTracker,
}

struct Watched {
    commands: mpsc::Sender<Command>,
    viewers: usize,
}

impl Hub {
    pub(crate) fn new(resources: Resources, tasks: TaskTracker) -> Self {
        Self(Arc::new(Inner { channels: Mutex::default(), resources, tasks }))
    }

    /// Subscribes a viewer to a channel until the returned subscription is dropped.
    pub(crate) async fn subscribe(
        &self,
        channel: Channel,
        viewer: u64,
        outbox: Arc<Outbox>,
        after: i64,
    ) -> ViewerSubscription {
        let subscribed = Subscribed::default();
        let subscription = ViewerSubscription {
            hub: self.clone(),
            channel,
            viewer,
            subscribed: subscribed.clone(),
            commands: self.add_viewer(channel),
        };
        subscription
            .send(Command::Subscribe(Subscribe { viewer, outbox, subscribed, after }))
            .await;
        subscription
    }

    fn add_viewer(&self, channel: Channel) -> mpsc::Sender<Command> {
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
        let (sender, receiver) = mpsc::channel(COMMAND_QUEUE);
        let resources = self.0.resources.clone();
        match channel {
            Channel::Sessions => drop(self.0.tasks.spawn(session_list::run(resources, receiver))),
            Channel::Session(id) => {
                drop(self.0.tasks.spawn(session_task::run(id, resources, receiver)));
            }
        }
        sender
    }

    fn remove_viewer(&self, channel: Channel) {
        let mut channels = self.lock();
        if let Entry::Occupied(mut entry) = channels.entry(channel) {
            entry.get_mut().viewers -= 1;
            if entry.get().viewers == 0 {
                // The task ends when its command queue closes.
                entry.remove();
                metrics::watched(channels.len());
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Channel, Watched>> {
        self.0.channels.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A viewer's subscription to a channel; dropping it unsubscribes.
pub(crate) struct ViewerSubscription {
    hub: Hub,
    channel: Channel,
    viewer: u64,
    subscribed: Subscribed,
    commands: mpsc::Sender<Command>,
}

impl ViewerSubscription {
    /// Sends the viewer again what follows this event.
    pub(crate) async fn catch_up(&self, after: i64) {
        self.send(Command::Catchup { viewer: self.viewer, after }).await;
    }

    async fn send(&self, command: Command) {
        if self.commands.send(command).await.is_err() {
            tracing::debug!(channel = %self.channel, "the channel's task has ended");
        }
    }
}

impl Drop for ViewerSubscription {
    fn drop(&mut self) {
        self.subscribed.end();
        self.hub.remove_viewer(self.channel);
    }
}
