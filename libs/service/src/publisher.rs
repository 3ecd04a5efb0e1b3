//! Takes committed events to the bus, in order, and marks them published; a sweeper takes what was
//! missed. The table is the truth: whatever is lost on this way is found there.

use std::collections::BTreeMap;
use std::time::Duration;

use futures::future::join_all;
use tarsy_bus::Bus;
use tarsy_contracts::event::Committed;
use tarsy_domain::id::SessionId;
use tarsy_store::Store;
use tarsy_telemetry::register_counter;
use tokio::sync::mpsc;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tracing::{Instrument as _, Span};

use crate::context::ServiceContext;

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
/// Sessions whose missed events are remembered here; those of more are left to the sweeper.
const BEHIND: usize = 10_000;
/// The pause before what could not be published is tried again.
const AGAIN: Duration = Duration::from_millis(300);
/// How long after the hard stop the last events may take.
const LAST: Duration = Duration::from_secs(3);

const LEFT: &str = "tarsy_events_left_to_sweeper_total";
const PUBLISHED: &str = "tarsy_events_published_total";
const SWEPT: &str = "tarsy_events_swept_total";

/// Publishes committed events; cheap to clone.
#[derive(Clone, Debug)]
pub struct Publisher(mpsc::Sender<Vec<Queued>>);

/// An event, and the span in whose trace it is published.
#[derive(Debug)]
struct Queued {
    event: Committed,
    span: Span,
}

impl Queued {
    /// An event that is published in the current trace.
    fn new(event: Committed) -> Self {
        Self { event, span: Span::current() }
    }
}

impl Publisher {
    /// Starts the publisher and the sweeper of this process.
    pub fn start(service: &ServiceContext, bus: &Bus, store: &Store) -> Self {
        for name in [LEFT, PUBLISHED, SWEPT] {
            register_counter(name);
        }
        let (sender, receiver) = mpsc::channel(WAITING);
        let work = Work::new(bus, store);
        let stopping = service.stopping();
        service.spawn_aux("events.publish", work.run(receiver, service.hard_stop()));
        let sweep = Work::new(bus, store);
        service.spawn_aux("events.sweep", sweep.sweep(stopping));
        Self(sender)
    }

    /// Hands over events that are committed; never waits.
    pub fn publish(&self, events: Vec<Committed>) {
        if events.is_empty() {
            return;
        }
        let queued = events.into_iter().map(Queued::new).collect();
        if let Err(error) = self.0.try_send(queued) {
            metrics::counter!("tarsy_events_left_to_sweeper_total").increment(1);
            tracing::debug!(%error, "left to the sweeper");
        }
    }
}

struct Work {
    bus: Bus,
    store: Store,
    marks: Vec<(SessionId, i64)>,
    /// The first event of a session that could not be published: what follows it waits, too.
    behind: BTreeMap<SessionId, i64>,
    /// No sooner is that tried again.
    again_at: Instant,
}

impl Work {
    fn new(bus: &Bus, store: &Store) -> Self {
        Self {
            bus: bus.clone(),
            store: store.clone(),
            marks: Vec::new(),
            behind: BTreeMap::new(),
            again_at: Instant::now(),
        }
    }

    /// Runs until every [`Publisher`] is gone, so that what is committed last is published, too;
    /// after the hard stop not for long.
    async fn run(mut self, mut receiver: mpsc::Receiver<Vec<Queued>>, hard: CancellationToken) {
        let mut every = tokio::time::interval(MARK_EVERY);
        every.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        let mut over = std::pin::pin!(async {
            hard.cancelled().await;
            tokio::time::sleep(LAST).await;
        });
        loop {
            tokio::select! {
                biased;
                () = &mut over => break,
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
                _ = every.tick(), if !(self.marks.is_empty() && self.behind.is_empty()) => {
                    self.catch_up().await;
                    self.mark().await;
                }
            }
            if self.marks.len() >= MARKED_AT_ONCE {
                self.mark().await;
            }
        }
        self.catch_up().await;
        self.mark().await;
    }

    /// Publishes what is not behind something that could not be published.
    async fn publish(&mut self, mut events: Vec<Queued>) {
        events.retain(|queued| !self.behind.contains_key(&queued.event.session_id));
        for chunk in events.chunks(AT_ONCE) {
            self.publish_at_once(chunk).await;
        }
    }

    async fn publish_at_once(&mut self, events: &[Queued]) {
        if !self.bus.is_connected() {
            for queued in events {
                self.fall_behind(&queued.event);
            }
            return;
        }
        let sent = events
            .iter()
            .map(|queued| self.bus.publish_event(&queued.event).instrument(queued.span.clone()));
        let sent = join_all(sent).await;
        for (event, result) in events.iter().map(|queued| &queued.event).zip(sent) {
            match result {
                Ok(()) => self.marks.push((event.session_id, event.seq)),
                Err(error) => {
                    tracing::debug!(
                        session.id = %event.session_id,
                        seq = event.seq,
                        error = %tarsy_telemetry::chain(&error),
                        "an event is published later"
                    );
                    self.fall_behind(event);
                }
            }
        }
    }

    fn fall_behind(&mut self, event: &Committed) {
        if self.behind.len() < BEHIND || self.behind.contains_key(&event.session_id) {
            let first = self.behind.entry(event.session_id).or_insert(event.seq);
            *first = event.seq.min(*first);
        }
        self.again_at = Instant::now() + AGAIN;
    }

    /// Publishes from the table what could not be published, each session's in order.
    async fn catch_up(&mut self) {
        for (session, first) in self.behind.clone() {
            if !self.bus.is_connected() || Instant::now() < self.again_at {
                return;
            }
            self.behind.remove(&session);
            let missed = match self.store.list_events(session, first - 1, SWEPT_AT_ONCE).await {
                Ok(missed) => missed,
                Err(error) => {
                    tracing::debug!(error = %tarsy_telemetry::chain(&error), "not caught up");
                    self.behind.insert(session, first);
                    self.again_at = Instant::now() + AGAIN;
                    return;
                }
            };
            let (read, last) = (missed.len(), missed.last().map(|event| event.seq));
            let missed: Vec<Queued> = missed.into_iter().map(Queued::new).collect();
            for chunk in missed.chunks(AT_ONCE) {
                if !self.behind.contains_key(&session) {
                    self.publish_at_once(chunk).await;
                }
            }
            // There may be more than was read; the next round sees.
            let full = usize::try_from(SWEPT_AT_ONCE).is_ok_and(|limit| read >= limit);
            if let Some(last) = last.filter(|_| full) {
                self.behind.entry(session).or_insert(last + 1);
            }
        }
    }

    async fn mark(&mut self) {
        if self.marks.is_empty() {
            return;
        }
        let marks = std::mem::take(&mut self.marks);
        metrics::counter!("tarsy_events_published_total").increment(marks.len() as u64);
        if let Err(error) = self.store.set_published(&marks).await {
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
            while self.bus.is_connected() && !stopping.is_cancelled() {
                let missed =
                    match self.store.list_unpublished_events(MISSED_AFTER, SWEPT_AT_ONCE).await {
                        Ok(missed) => missed,
                        Err(error) => {
                            tracing::debug!(error = %tarsy_telemetry::chain(&error), "no sweep");
                            break;
                        }
                    };
                let found = missed.len();
                if found > 0 {
                    metrics::counter!("tarsy_events_swept_total").increment(found as u64);
                    self.publish(missed.into_iter().map(Queued::new).collect()).await;
                    // What fails here is found again by the next sweep.
                    self.behind.clear();
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
