//! The channel `sessions`: transient copies of what moves in the list, to all who watch it.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::ws::Utf8Bytes;
use futures::StreamExt as _;
use tarsy_bus::ConnectionState;
use tarsy_contracts::subject;
use tokio::sync::mpsc;
use tokio::time::MissedTickBehavior;

use crate::hub::{Command, Join, Presence, Tools};
use crate::metrics;
use crate::outbox::{Outbox, Pushed};
use crate::protocol::{Channel, Control};
use crate::watch::listen;

/// How often viewers that were too slow are looked after.
const SWEEP: Duration = Duration::from_millis(500);

struct Seat {
    outbox: Arc<Outbox>,
    presence: Presence,
    missed: bool,
}

/// Forwards what comes until the last viewer has left.
pub(crate) async fn run(tools: Tools, mut commands: mpsc::Receiver<Command>) {
    let mut connection = tools.bus.connection();
    let mut known = *connection.borrow_and_update();
    let Some(mut copies) = listen(&tools, subject::LIVE_SESSIONS.to_owned()).await else { return };
    let mut seats = Seats(HashMap::new());
    let mut sweep = tokio::time::interval(SWEEP);
    sweep.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            () = tools.stop.cancelled() => return,
            command = commands.recv() => match command {
                None => return,
                Some(Command::Join(join)) => seats.join(join, known.connected),
                Some(Command::Catchup { viewer, .. }) => seats.reload(viewer),
            },
            copy = copies.next() => if let Some(copy) = copy {
                if let Ok(frame) = Utf8Bytes::try_from(copy.payload) {
                    seats.forward(&frame);
                }
            } else {
                let subject = subject::LIVE_SESSIONS.to_owned();
                let Some(again) = listen(&tools, subject).await else { return };
                copies = again;
                seats.all_missed();
            },
            changed = connection.changed() => {
                if changed.is_err() {
                    return;
                }
                let now = *connection.borrow_and_update();
                seats.link_changed(known, now);
                known = now;
            }
            _ = sweep.tick() => seats.sweep(),
        }
    }
}

struct Seats(HashMap<u64, Seat>);

impl Seats {
    fn join(&mut self, join: Join, up: bool) {
        let Join { viewer, outbox, presence, .. } = join;
        if !up {
            outbox.push_control(Control::degraded(Channel::Sessions).frame());
        }
        self.0.insert(viewer, Seat { outbox, presence, missed: false });
    }

    /// Nothing is kept of this channel: who wants to catch up reads the list again.
    fn reload(&mut self, viewer: u64) {
        if let Some(seat) = self.0.get_mut(&viewer) {
            seat.missed = true;
        }
        self.sweep();
    }

    fn forward(&mut self, frame: &Utf8Bytes) {
        for seat in self.0.values_mut().filter(|seat| !seat.missed && !seat.presence.is_gone()) {
            seat.missed = seat.outbox.push_event(frame.clone()) == Pushed::Full;
        }
    }

    fn link_changed(&mut self, before: ConnectionState, now: ConnectionState) {
        if before.connected != now.connected {
            let channel = Channel::Sessions;
            let word = if now.connected {
                Control::recovered(channel)
            } else {
                Control::degraded(channel)
            };
            let frame = word.frame();
            for seat in self.0.values() {
                seat.outbox.push_control(frame.clone());
            }
        }
        if now.connected && before.generation != now.generation {
            self.all_missed();
        }
    }

    fn all_missed(&mut self) {
        for seat in self.0.values_mut() {
            seat.missed = true;
        }
        self.sweep();
    }

    fn sweep(&mut self) {
        self.0.retain(|_, seat| !seat.presence.is_gone());
        let frame = Control::overflow(Channel::Sessions).frame();
        for seat in self.0.values_mut().filter(|seat| seat.missed && seat.outbox.is_roomy()) {
            metrics::overflow("list");
            seat.outbox.push_control(frame.clone());
            seat.missed = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seated(seats: &mut Seats, viewer: u64) -> (Arc<Outbox>, Presence) {
        let (outbox, presence) = (Arc::new(Outbox::default()), Presence::default());
        let join =
            Join { viewer, outbox: Arc::clone(&outbox), presence: presence.clone(), after: 0 };
        seats.join(join, true);
        (outbox, presence)
    }

    #[test]
    fn who_was_too_slow_is_told_to_reload_once_there_is_room() {
        let mut seats = Seats(HashMap::new());
        let ((slow, _), (quick, _)) = (seated(&mut seats, 1), seated(&mut seats, 2));
        let copy = Utf8Bytes::from_static("{}");
        while slow.push_event(copy.clone()) == Pushed::Taken {}
        seats.forward(&copy);
        assert_eq!(quick.take_now(), std::slice::from_ref(&copy));
        seats.sweep();
        while !slow.is_roomy() {
            slow.take_now();
        }
        seats.sweep();
        let mut told = Vec::new();
        loop {
            let batch = slow.take_now();
            if batch.is_empty() {
                break;
            }
            told.extend(batch);
        }
        let overflows = told.iter().filter(|frame| frame.contains("catchup.overflow")).count();
        assert_eq!(overflows, 1);
        assert!(quick.take_now().is_empty());
    }

    #[test]
    fn a_new_connection_to_the_bus_makes_everybody_reload() {
        let mut seats = Seats(HashMap::new());
        let (outbox, presence) = seated(&mut seats, 1);
        let up = ConnectionState { connected: true, generation: 1 };
        seats.link_changed(up, ConnectionState { connected: false, generation: 1 });
        seats.link_changed(
            ConnectionState { connected: false, generation: 1 },
            ConnectionState { connected: true, generation: 2 },
        );
        let told = outbox.take_now();
        assert!(told[0].contains("connection.degraded"), "{told:?}");
        assert!(told[1].contains("connection.recovered"), "{told:?}");
        assert!(told[2].contains("catchup.overflow"), "{told:?}");
        presence.leave();
        seats.sweep();
        assert!(seats.0.is_empty());
    }
}
