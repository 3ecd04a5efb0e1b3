//! Takes committed events to the bus, in order, and marks them published; a sweeper takes what was
//! missed. The table is the truth: whatever is lost on this way is found there.

use std::time::Duration;

use futures::future::join_all;
use tarsy_bus::Bus;
use tarsy_contracts::event::Committed;
use tarsy_domain::id::SessionId;
use tarsy_store::Store;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::shell::Shell;

/// Batches that may wait; more are left to the sweeper.
const WAITING: usize = 4096;
/// Events published at once.
const AT_ONCE: usize = 64;
/// Events marked in one statement.
const MARKED_AT_ONCE: usize = 256;
const MARK_EVERY: Duration = Duration::from_millis(100);
const SWEEP_EVERY: Duration = Duration::from_secs(5);
/// An event this old that is not marked was missed.
const MISSED_AFTER: Duration = Duration::from_secs(4);
const SWEPT_AT_ONCE: i64 = 500;

/// Publishes committed events; cheap to clone.
#[derive(Clone, Debug)]
pub struct Publisher(mpsc::Sender<Vec<Committed>>);

impl Publisher {
    /// Starts the publisher and the sweeper of this process.
    pub fn start(shell: &Shell, bus: &Bus, store: &Store) -> Self {
        let (sender, receiver) = mpsc::channel(WAITING);
        let work = Work { bus: bus.clone(), store: store.clone(), marks: Vec::new() };
        let stopping = shell.stopping();
        shell.spawn_aux("events.publish", work.run(receiver, shell.hard_stop()));
        let sweep = Work { bus: bus.clone(), store: store.clone(), marks: Vec::new() };
        shell.spawn_aux("events.sweep", sweep.sweep(stopping));
        Self(sender)
    }

    /// Hands over events that are committed; never waits.
    pub fn publish(&self, events: Vec<Committed>) {
        if events.is_empty() {
            return;
        }
        if let Err(error) = self.0.try_send(events) {
            metrics::counter!("tarsy_events_left_to_sweeper_total").increment(1);
            tracing::debug!(%error, "left to the sweeper");
        }
    }
}

struct Work {
    bus: Bus,
    store: Store,
    marks: Vec<(SessionId, i64)>,
}

impl Work {
    /// Runs until every [`Publisher`] is gone, so that what is committed last is published, too.
    async fn run(mut self, mut receiver: mpsc::Receiver<Vec<Committed>>, hard: CancellationToken) {
        let mut every = tokio::time::interval(MARK_EVERY);
        every.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                biased;
                () = hard.cancelled() => break,
                batch = receiver.recv() => match batch {
                    Some(first) => {
                        let mut events = first;
                        while events.len() < AT_ONCE
                            && let Ok(more) = receiver.try_recv()
                        {
                            events.extend(more);
                        }
                        self.publish(events).await;
                    }
                    None => break,
                },
                _ = every.tick(), if !self.marks.is_empty() => self.mark().await,
            }
            if self.marks.len() >= MARKED_AT_ONCE {
                self.mark().await;
            }
        }
        self.mark().await;
    }

    async fn publish(&mut self, events: Vec<Committed>) {
        if !self.bus.connected() {
            return;
        }
        for chunk in events.chunks(AT_ONCE) {
            let sent = join_all(chunk.iter().map(|event| self.bus.publish_event(event))).await;
            for (event, result) in chunk.iter().zip(sent) {
                match result {
                    Ok(()) => self.marks.push((event.session_id, event.seq)),
                    Err(error) => {
                        tracing::debug!(
                            session.id = %event.session_id,
                            seq = event.seq,
                            error = %tarsy_telemetry::chain(&error),
                            "an event is left to the sweeper"
                        );
                    }
                }
            }
        }
    }

    async fn mark(&mut self) {
        if self.marks.is_empty() {
            return;
        }
        let marks = std::mem::take(&mut self.marks);
        metrics::counter!("tarsy_events_published_total").increment(marks.len() as u64);
        if let Err(error) = self.store.mark_published(&marks).await {
            // The sweeper publishes them again, and the stream drops what it has.
            tracing::debug!(error = %tarsy_telemetry::chain(&error), "events stay unmarked");
        }
    }

    async fn sweep(mut self, stopping: CancellationToken) {
        loop {
            tokio::select! {
                () = stopping.cancelled() => return,
                () = tokio::time::sleep(SWEEP_EVERY) => {}
            }
            while self.bus.connected() && !stopping.is_cancelled() {
                let missed = match self.store.unpublished(MISSED_AFTER, SWEPT_AT_ONCE).await {
                    Ok(missed) => missed,
                    Err(error) => {
                        tracing::debug!(error = %tarsy_telemetry::chain(&error), "no sweep");
                        break;
                    }
                };
                let found = missed.len();
                if found > 0 {
                    metrics::counter!("tarsy_events_swept_total").increment(found as u64);
                    self.publish(missed).await;
                }
                let published = self.marks.len();
                self.mark().await;
                if published < found || found < usize::try_from(SWEPT_AT_ONCE).unwrap_or(usize::MAX)
                {
                    break;
                }
            }
        }
    }
}
