//! The task of one watched session: listens, reads, and lets the [`Feed`] decide.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::ws::Utf8Bytes;
use futures::StreamExt as _;
use futures::stream::FuturesUnordered;
use tarsy_bus::Subscription;
use tarsy_contracts::live::{Live, Snapshot, SnapshotRequest, StreamingText};
use tarsy_contracts::subject;
use tarsy_domain::id::SessionId;
use tokio::sync::mpsc;
use tokio::time::{Instant, MissedTickBehavior};

use crate::feed::{CATCHUP, Feed, Job, Page, Read};
use crate::hub::{Command, Tools};
use crate::metrics;
use crate::row::Row;

/// How often a session is compared with its table.
const RESYNC: Duration = Duration::from_secs(5);
/// How often viewers that were too slow are looked after.
const SWEEP: Duration = Duration::from_millis(250);
/// How long the owner may take to tell its text.
const SNAPSHOT_PATIENCE: Duration = Duration::from_millis(500);
/// The same for summarizers, of which some may not have begun.
const SUMMARY_PATIENCE: Duration = Duration::from_millis(150);
/// The least time between two looks at the table and the owner.
const LOOK_PAUSE: Duration = Duration::from_millis(50);
/// How long to wait before a failed read is tried again.
const READ_PAUSE: Duration = Duration::from_secs(1);
/// How long to wait before an owner that did not answer is asked again.
const OWNER_PAUSE: Duration = Duration::from_millis(250);

type Failed = tarsy_store::Error;

/// Serves a session's viewers until the last one has left.
pub(crate) async fn run(session: SessionId, tools: Tools, mut commands: mpsc::Receiver<Command>) {
    let mut connection = tools.bus.connection();
    let mut known = *connection.borrow_and_update();
    // First listen, then read: what happens in between comes twice and is told once.
    let subjects = (subject::events_of(session), subject::live_session(session));
    let Some(mut events) = listen(&tools, subjects.0.clone()).await else { return };
    let Some(mut live) = listen(&tools, subjects.1.clone()).await else { return };
    let mut desk = Desk::new(session, &tools);
    desk.set_link(known.connected);
    let mut resync = interval(RESYNC);
    let mut sweep = interval(SWEEP);
    loop {
        desk.begin_work();
        tokio::select! {
            () = tools.stop.cancelled() => return,
            command = commands.recv() => match command {
                None => return,
                Some(Command::Join(join)) => desk.feed.join(join),
                Some(Command::Catchup { viewer, after }) => desk.feed.catch_up(viewer, after),
            },
            event = events.next() => if let Some(event) = event {
                desk.event(event.payload);
            } else {
                let Some(again) = listen(&tools, subjects.0.clone()).await else { return };
                events = again;
                desk.feed.missed_something();
            },
            text = live.next() => if let Some(text) = text {
                desk.live(text.payload);
            } else {
                let Some(again) = listen(&tools, subjects.1.clone()).await else { return };
                live = again;
                desk.feed.missed_something();
            },
            Some((read, page)) = desk.reads.next() => desk.history(read, page),
            Some((job, page, snapshot)) = desk.looks.next() => desk.looked(job, page, snapshot),
            () = tokio::time::sleep_until(desk.not_before), if desk.must_wait() => {}
            changed = connection.changed() => {
                if changed.is_err() {
                    return;
                }
                let now = *connection.borrow_and_update();
                desk.set_link(now.connected);
                if now.connected && now.generation != known.generation {
                    desk.feed.missed_something();
                }
                known = now;
            }
            _ = resync.tick() => desk.feed.tick(),
            _ = sweep.tick(), if desk.feed.has_muted() => desk.feed.sweep(),
        }
    }
}

/// Listens on a subject, however long it takes; nothing once the relay stops.
pub(crate) async fn listen(tools: &Tools, subject: String) -> Option<Subscription> {
    loop {
        let tried = tokio::select! {
            () = tools.stop.cancelled() => return None,
            tried = tools.bus.subscribe(subject.clone()) => tried,
        };
        match tried {
            Ok(subscription) => return Some(subscription),
            Err(error) => {
                tracing::warn!(subject, error = %tarsy_telemetry::chain(&error), "cannot listen");
                tokio::time::sleep(READ_PAUSE).await;
            }
        }
    }
}

fn interval(period: Duration) -> tokio::time::Interval {
    let mut interval = tokio::time::interval_at(Instant::now() + period, period);
    interval.set_missed_tick_behavior(MissedTickBehavior::Delay);
    interval
}

type ReadDone = (Read, Result<Page, Failed>);
type LookDone = (Job, Result<Page, Failed>, Option<Snapshot>);

/// The feed with the reads that it waits for.
struct Desk<'a> {
    session: SessionId,
    tools: &'a Tools,
    feed: Feed,
    reads: FuturesUnordered<futures::future::BoxFuture<'a, ReadDone>>,
    looks: FuturesUnordered<futures::future::BoxFuture<'a, LookDone>>,
    not_before: Instant,
    link_up: bool,
    table_up: bool,
}

impl<'a> Desk<'a> {
    fn new(session: SessionId, tools: &'a Tools) -> Self {
        Self {
            session,
            tools,
            feed: Feed::new(session, Arc::clone(&tools.clock)),
            reads: FuturesUnordered::new(),
            looks: FuturesUnordered::new(),
            not_before: Instant::now(),
            link_up: true,
            table_up: true,
        }
    }

    /// Starts the reads that the feed asks for; one look at a time, with a pause between.
    fn begin_work(&mut self) {
        for read in self.feed.reads() {
            self.read(read, Duration::ZERO);
        }
        if self.looks.is_empty()
            && Instant::now() >= self.not_before
            && let Some(job) = self.feed.job()
        {
            self.not_before = Instant::now() + LOOK_PAUSE;
            self.looks.push(Box::pin(look(self.tools, self.session, job)));
        }
    }

    fn must_wait(&self) -> bool {
        self.looks.is_empty() && self.feed.has_work()
    }

    fn read(&mut self, read: Read, pause: Duration) {
        let (tools, session) = (self.tools, self.session);
        self.reads.push(Box::pin(async move {
            tokio::time::sleep(pause).await;
            // One more than is told, to know whether there are more.
            (read, page(tools, session, read.after, CATCHUP + 1).await)
        }));
    }

    fn event(&mut self, payload: bytes::Bytes) {
        if let Some(row) = Row::read(payload) {
            self.feed.event(row);
        } else {
            tracing::warn!(session = %self.session, "an event without number was left out");
        }
    }

    fn live(&mut self, payload: bytes::Bytes) {
        let read: Result<Live, _> = serde_json::from_slice(&payload);
        match (read, Utf8Bytes::try_from(payload)) {
            (Ok(live), Ok(frame)) => self.feed.live(&live.body, &frame),
            _ => {
                tracing::debug!(session = %self.session, "live text of another shape was left out");
            }
        }
    }

    fn history(&mut self, read: Read, page: Result<Page, Failed>) {
        match page {
            Ok(page) => {
                self.set_table(true);
                self.feed.history(read, page);
            }
            Err(error) => {
                self.failed(&error);
                if self.feed.awaits(read) {
                    self.read(read, READ_PAUSE);
                }
            }
        }
    }

    fn looked(&mut self, job: Job, page: Result<Page, Failed>, snapshot: Option<Snapshot>) {
        match page {
            Ok(page) => {
                self.set_table(true);
                if job.snapshot && snapshot.is_none() {
                    self.not_before = Instant::now() + OWNER_PAUSE;
                }
                self.feed.looked(job, page, snapshot);
                if job.tries > 0 {
                    // A row that is not visible yet gets more time with every look.
                    let pause = LOOK_PAUSE * 2_u32.saturating_pow(job.tries.min(5));
                    self.not_before = Instant::now() + pause;
                }
            }
            Err(error) => {
                self.failed(&error);
                self.feed.missed_something();
                self.not_before = Instant::now() + READ_PAUSE;
            }
        }
    }

    fn failed(&mut self, error: &Failed) {
        let session = self.session;
        tracing::warn!(%session, error = %tarsy_telemetry::chain(error), "events cannot be read");
        self.set_table(false);
    }

    fn set_link(&mut self, up: bool) {
        self.link_up = up;
        self.feed.set_degraded(!(self.link_up && self.table_up));
    }

    fn set_table(&mut self, up: bool) {
        self.table_up = up;
        self.feed.set_degraded(!(self.link_up && self.table_up));
    }
}

/// Asks the owner, if wanted, and then the table: what the owner knows was stored before.
async fn look(tools: &Tools, session: SessionId, job: Job) -> LookDone {
    let snapshot = if job.snapshot { ask_owner(tools, session).await } else { None };
    let page = match job.after {
        Some(after) => page(tools, session, after, CATCHUP).await,
        None => Ok(Page::default()),
    };
    (job, page, snapshot)
}

async fn page(tools: &Tools, session: SessionId, after: i64, limit: usize) -> Result<Page, Failed> {
    let _turn = tools.reads.acquire().await;
    let last = tools.store.find_last_event_seq(session).await?;
    if last.unwrap_or(0) <= after {
        return Ok(Page { last, rows: Vec::new() });
    }
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let rows = tools.store.list_events(session, after, limit).await?;
    Ok(Page { last, rows: rows.into_iter().map(Row::stored).collect() })
}

async fn ask_owner(tools: &Tools, session: SessionId) -> Option<Snapshot> {
    let subject = subject::live_snapshot(session);
    let asked = tools
        .bus
        .request::<_, Snapshot>(subject, &SnapshotRequest::default(), SNAPSHOT_PATIENCE)
        .await;
    match asked {
        Ok(mut snapshot) => {
            metrics::snapshot("told");
            if snapshot.others > 0 {
                snapshot.streams.extend(ask_summarizers(tools, session, snapshot.others).await);
            }
            Some(snapshot)
        }
        Err(tarsy_bus::Error::NoResponders { .. }) => {
            // Between two owners, or before one has reconnected: no word about what it knows.
            metrics::snapshot("nobody");
            None
        }
        Err(error) => {
            metrics::snapshot("failed");
            tracing::debug!(%session, error = %tarsy_telemetry::chain(&error), "no snapshot");
            None
        }
    }
}

/// Asks those who write summaries for the session; whoever is late is asked again at the next look.
async fn ask_summarizers(tools: &Tools, session: SessionId, count: u32) -> Vec<StreamingText> {
    let (subject, count) = (subject::live_summaries(session), count as usize);
    let asked = tools
        .bus
        .request_many::<_, Snapshot>(subject, &SnapshotRequest::default(), count, SUMMARY_PATIENCE)
        .await;
    let snapshots = asked.unwrap_or_else(|error| {
        tracing::debug!(%session, error = %tarsy_telemetry::chain(&error), "no summaries");
        Vec::new()
    });
    snapshots.into_iter().flat_map(|snapshot| snapshot.streams).collect()
}
