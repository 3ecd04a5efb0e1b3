//! The task of the channel `sessions`: forwards transient copies of changes in the session list.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::ws::Utf8Bytes;
use futures::StreamExt as _;
use tarsy_bus::ConnectionState;
use tarsy_contracts::subject;
use tokio::sync::mpsc;
use tokio::time::MissedTickBehavior;

use crate::command::{Command, Subscribe, Subscribed};
use crate::metrics;
use crate::outbox::{Outbox, Pushed};
use crate::protocol::{Channel, Control};
use crate::resources::Resources;

/// How often subscribers that were too slow are checked for capacity.
const SWEEP_INTERVAL: Duration = Duration::from_millis(500);

struct Subscriber {
    outbox: Arc<Outbox>,
    subscribed: Subscribed,
    /// Copies were dropped since the last overflow message.
    missed: bool,
}

/// Forwards copies until the last viewer has unsubscribed.
pub(crate) async fn run(resources: Resources, mut commands: mpsc::Receiver<Command>) {
    let mut connection = resources.bus.connection();
    let mut known = *connection.borrow_and_update();
    let Some(mut copies) = resources.subscribe(subject::LIVE_SESSIONS.to_owned()).await else {
        return;
    };
    let mut subscribers = Subscribers(HashMap::new());
    let mut sweep = tokio::time::interval(SWEEP_INTERVAL);
    sweep.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            () = resources.stop.cancelled() => return,
            command = commands.recv() => match command {
                None => return,
                Some(Command::Subscribe(subscribe)) => subscribers.subscribe(subscribe, known.connected),
                Some(Command::Catchup { viewer, .. }) => subscribers.reload(viewer),
            },
            copy = copies.next() => if let Some(copy) = copy {
                if let Ok(frame) = Utf8Bytes::try_from(copy.payload) {
                    subscribers.forward(&frame);
                }
            } else {
                let subject = subject::LIVE_SESSIONS.to_owned();
                let Some(again) = resources.subscribe(subject).await else { return };
                copies = again;
                subscribers.mark_all_missed();
            },
            changed = connection.changed() => {
                if changed.is_err() {
                    return;
                }
                let now = *connection.borrow_and_update();
                subscribers.connection_changed(known, now);
                known = now;
            }
            _ = sweep.tick() => subscribers.sweep(),
        }
    }
}

struct Subscribers(HashMap<u64, Subscriber>);

impl Subscribers {
    fn subscribe(&mut self, subscribe: Subscribe, up: bool) {
        let Subscribe { viewer, outbox, subscribed, .. } = subscribe;
        if !up {
            outbox.push_control(Control::degraded(Channel::Sessions).frame());
        }
        self.0.insert(viewer, Subscriber { outbox, subscribed, missed: false });
    }

    /// This channel has no history: a viewer that catches up reads the list again.
    fn reload(&mut self, viewer: u64) {
        if let Some(subscriber) = self.0.get_mut(&viewer) {
            subscriber.missed = true;
        }
        self.sweep();
    }

    fn forward(&mut self, frame: &Utf8Bytes) {
        for subscriber in self
            .0
            .values_mut()
            .filter(|subscriber| !subscriber.missed && !subscriber.subscribed.has_ended())
        {
            subscriber.missed = subscriber.outbox.push_event(frame.clone()) == Pushed::Full;
        }
    }

    fn connection_changed(&mut self, before: ConnectionState, now: ConnectionState) {
        if before.connected != now.connected {
            let channel = Channel::Sessions;
            let control = if now.connected {
                Control::recovered(channel)
            } else {
                Control::degraded(channel)
            };
            let frame = control.frame();
            for subscriber in self.0.values() {
                subscriber.outbox.push_control(frame.clone());
            }
        }
        if now.connected && before.generation != now.generation {
            self.mark_all_missed();
        }
    }

    fn mark_all_missed(&mut self) {
        for subscriber in self.0.values_mut() {
            subscriber.missed = true;
        }
        self.sweep();
    }

    fn sweep(&mut self) {
        self.0.retain(|_, subscriber| !subscriber.subscribed.has_ended());
        let frame = Control::overflow(Channel::Sessions).frame();
        for subscriber in self
            .0
            .values_mut()
            .filter(|subscriber| subscriber.missed && subscriber.outbox.has_spare_capacity())
        {
            metrics::overflow("list");
            subscriber.outbox.push_control(frame.clone());
            subscriber.missed = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn subscribed(subscribers: &mut Subscribers, viewer: u64) -> (Arc<Outbox>, Subscribed) {
        let (outbox, subscribed) = (Arc::new(Outbox::default()), Subscribed::default());
        let subscribe = Subscribe {
            viewer,
            outbox: Arc::clone(&outbox),
            subscribed: subscribed.clone(),
            after: 0,
        };
        subscribers.subscribe(subscribe, true);
        (outbox, subscribed)
    }

    #[test]
    fn a_slow_subscriber_reloads_once_there_is_capacity() {
        let mut subscribers = Subscribers(HashMap::new());
        let ((slow, _), (quick, _)) =
            (subscribed(&mut subscribers, 1), subscribed(&mut subscribers, 2));
        let copy = Utf8Bytes::from_static("{}");
        while slow.push_event(copy.clone()) == Pushed::Taken {}
        subscribers.forward(&copy);
        assert_eq!(quick.take_now(), std::slice::from_ref(&copy));
        subscribers.sweep();
        while !slow.has_spare_capacity() {
            slow.take_now();
        }
        subscribers.sweep();
        let mut frames = Vec::new();
        loop {
            let batch = slow.take_now();
            if batch.is_empty() {
                break;
            }
            frames.extend(batch);
        }
        let overflows = frames.iter().filter(|frame| frame.contains("catchup.overflow")).count();
        assert_eq!(overflows, 1);
        assert!(quick.take_now().is_empty());
    }

    #[test]
    fn a_reconnect_to_the_bus_makes_every_subscriber_reload() {
        let mut subscribers = Subscribers(HashMap::new());
        let (outbox, subscribed) = subscribed(&mut subscribers, 1);
        let up = ConnectionState { connected: true, generation: 1 };
        subscribers.connection_changed(up, ConnectionState { connected: false, generation: 1 });
        subscribers.connection_changed(
            ConnectionState { connected: false, generation: 1 },
            ConnectionState { connected: true, generation: 2 },
        );
        let frames = outbox.take_now();
        assert!(frames[0].contains("connection.degraded"), "{frames:?}");
        assert!(frames[1].contains("connection.recovered"), "{frames:?}");
        assert!(frames[2].contains("catchup.overflow"), "{frames:?}");
        subscribed.end();
        subscribers.sweep();
        assert!(subscribers.0.is_empty());
    }
}
