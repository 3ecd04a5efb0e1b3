//! The task of one session with viewers: subscribes, reads, and passes everything to the [`Feed`].

use std::sync::Arc;
use std::time::Duration;

use axum::extract::ws::Utf8Bytes;
use futures::StreamExt as _;
use futures::stream::FuturesUnordered;
use tarsy_contracts::live::{Live, Snapshot, SnapshotRequest, StreamingText};
use tarsy_contracts::subject;
use tarsy_domain::backoff::Backoff;
use tarsy_domain::id::SessionId;
use tokio::sync::mpsc;
use tokio::time::{Instant, MissedTickBehavior};

use crate::command::Command;
use crate::feed::{CATCHUP, Feed, Job, Page, Read};
use crate::metrics;
use crate::resources::Resources;
use crate::row::Row;

/// How often a session is compared with its table.
const RESYNC: Duration = Duration::from_secs(5);
/// How often subscribers that were too slow are checked for capacity.
const SWEEP: Duration = Duration::from_millis(250);
/// How long the owner may take to answer with its text.
const SNAPSHOT_TIMEOUT: Duration = Duration::from_millis(500);
/// The same for summarizers, some of which may not have started.
const SUMMARY_TIMEOUT: Duration = Duration::from_millis(150);
/// The least time between two reads of the table and the owner.
const LOOK_PAUSE: Duration = Duration::from_millis(50);
/// The delay before a missing event is looked for again: its row may not be visible yet.
const GAP_RETRY: Backoff = Backoff::new(Duration::from_millis(100), Duration::from_millis(1_600));
/// The delay before a failed read is retried.
const READ_PAUSE: Duration = Duration::from_secs(1);
/// The delay before an owner that did not answer is asked again.
const OWNER_PAUSE: Duration = Duration::from_millis(250);

type Failed = tarsy_store::Error;

/// Serves a session's viewers until the last one has unsubscribed.
pub(crate) async fn run(
    session: SessionId,
    resources: Resources,
    mut commands: mpsc::Receiver<Command>,
) {
    let mut connection = resources.bus.connection();
    let mut known = *connection.borrow_and_update();
    // Subscribe first, then read: what happens in between comes twice and is sent once.
    let subjects = (subject::events_of(session), subject::live_session(session));
    let Some(mut events) = resources.subscribe(subjects.0.clone()).await else { return };
    let Some(mut live) = resources.subscribe(subjects.1.clone()).await else { return };
    let mut task = SessionTask::new(session, &resources);
    task.set_connected(known.connected);
    let mut resync = interval(RESYNC);
    let mut sweep = interval(SWEEP);
    loop {
        task.begin_work();
        tokio::select! {
            () = resources.stop.cancelled() => return,
            command = commands.recv() => match command {
                None => return,
                Some(Command::Subscribe(subscribe)) => task.feed.subscribe(subscribe),
                Some(Command::Catchup { viewer, after }) => task.feed.catch_up(viewer, after),
            },
            event = events.next() => if let Some(event) = event {
                task.event(event.payload);
            } else {
                let Some(again) = resources.subscribe(subjects.0.clone()).await else { return };
                events = again;
                task.feed.resync();
            },
            text = live.next() => if let Some(text) = text {
                task.live(text.payload);
            } else {
                let Some(again) = resources.subscribe(subjects.1.clone()).await else { return };
                live = again;
                task.feed.resync();
            },
            Some((read, page)) = task.reads.next() => task.history(read, page),
            Some((job, page, snapshot)) = task.looks.next() => task.looked(job, page, snapshot),
            () = tokio::time::sleep_until(task.not_before), if task.must_wait() => {}
            changed = connection.changed() => {
                if changed.is_err() {
                    return;
                }
                let now = *connection.borrow_and_update();
                task.set_connected(now.connected);
                if now.connected && now.generation != known.generation {
                    task.feed.resync();
                }
                known = now;
            }
            _ = resync.tick() => task.feed.tick(),
            _ = sweep.tick(), if task.feed.has_paused() => task.feed.sweep(),
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
struct SessionTask<'a> {
    session: SessionId,
    resources: &'a Resources,
    feed: Feed,
    reads: FuturesUnordered<futures::future::BoxFuture<'a, ReadDone>>,
    looks: FuturesUnordered<futures::future::BoxFuture<'a, LookDone>>,
    not_before: Instant,
    connected: bool,
    table_readable: bool,
}

impl<'a> SessionTask<'a> {
    fn new(session: SessionId, resources: &'a Resources) -> Self {
        Self {
            session,
            resources,
            feed: Feed::new(session, Arc::clone(&resources.clock)),
            reads: FuturesUnordered::new(),
            looks: FuturesUnordered::new(),
            not_before: Instant::now(),
            connected: true,
            table_readable: true,
        }
    }

    /// Starts the reads that the feed needs; one look at a time, with a pause between.
    fn begin_work(&mut self) {
        for read in self.feed.reads() {
            self.read(read, Duration::ZERO);
        }
        if self.looks.is_empty()
            && Instant::now() >= self.not_before
            && let Some(job) = self.feed.job()
        {
            self.not_before = Instant::now() + LOOK_PAUSE;
            self.looks.push(Box::pin(look(self.resources, self.session, job)));
        }
    }

    fn must_wait(&self) -> bool {
        self.looks.is_empty() && self.feed.has_work()
    }

    fn read(&mut self, read: Read, pause: Duration) {
        let (resources, session) = (self.resources, self.session);
        self.reads.push(Box::pin(async move {
            tokio::time::sleep(pause).await;
            // One more than is sent, to know whether there are more.
            (read, page(resources, session, read.after, CATCHUP + 1).await)
        }));
    }

    fn event(&mut self, payload: bytes::Bytes) {
        if let Some(row) = Row::read(payload) {
            self.feed.event(row);
        } else {
            tracing::warn!(session = %self.session, "skipped an event without a number");
        }
    }

    fn live(&mut self, payload: bytes::Bytes) {
        let read: Result<Live, _> = serde_json::from_slice(&payload);
        match (read, Utf8Bytes::try_from(payload)) {
            (Ok(live), Ok(frame)) => self.feed.live(&live.body, &frame),
            _ => {
                tracing::debug!(session = %self.session, "skipped live text of another shape");
            }
        }
    }

    fn history(&mut self, read: Read, page: Result<Page, Failed>) {
        match page {
            Ok(page) => {
                self.set_table_readable(true);
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
                self.set_table_readable(true);
                if job.snapshot && snapshot.is_none() {
                    self.not_before = Instant::now() + OWNER_PAUSE;
                }
                self.feed.looked(job, page, snapshot);
                if job.tries > 0 {
                    self.not_before = Instant::now() + GAP_RETRY.pause(job.tries);
                }
            }
            Err(error) => {
                self.failed(&error);
                self.feed.resync();
                self.not_before = Instant::now() + READ_PAUSE;
            }
        }
    }

    fn failed(&mut self, error: &Failed) {
        let session = self.session;
        tracing::warn!(%session, error = %tarsy_telemetry::chain(error), "could not read events");
        self.set_table_readable(false);
    }

    fn set_connected(&mut self, up: bool) {
        self.connected = up;
        self.feed.set_degraded(!(self.connected && self.table_readable));
    }

    fn set_table_readable(&mut self, up: bool) {
        self.table_readable = up;
        self.feed.set_degraded(!(self.connected && self.table_readable));
    }
}

/// Asks the owner, if requested, and then reads the table: what the owner knows was stored before.
async fn look(resources: &Resources, session: SessionId, job: Job) -> LookDone {
    let asked = if job.snapshot { ask_owner(resources, session).await } else { None };
    let page = match job.after {
        Some(after) => page(resources, session, after, CATCHUP).await,
        None => Ok(Page::default()),
    };
    let snapshot = match asked {
        Some(snapshot) => only_streaming(resources, session, snapshot).await.map(Some),
        None => Ok(None),
    };
    match (page, snapshot) {
        (Ok(page), Ok(snapshot)) => (job, Ok(page), snapshot),
        (Err(error), _) | (_, Err(error)) => (job, Err(error), None),
    }
}

/// The snapshot without the texts of events that have ended: an owner that was suspended still has
/// them, and any owner does for a moment after it stored the end.
async fn only_streaming(
    resources: &Resources,
    session: SessionId,
    mut snapshot: Snapshot,
) -> Result<Snapshot, Failed> {
    if snapshot.streams.is_empty() {
        return Ok(snapshot);
    }
    let ids: Vec<_> = snapshot.streams.iter().map(|stream| stream.event_id).collect();
    let _turn = resources.reads.acquire().await;
    let streaming = resources.store.list_streaming_events(session, &ids).await?;
    snapshot.streams.retain(|stream| streaming.contains(&stream.event_id));
    Ok(snapshot)
}

async fn page(
    resources: &Resources,
    session: SessionId,
    after: i64,
    limit: usize,
) -> Result<Page, Failed> {
    let _turn = resources.reads.acquire().await;
    let last = resources.store.find_last_event_seq(session).await?;
    if last.unwrap_or(0) <= after {
        return Ok(Page { last, rows: Vec::new() });
    }
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let rows = resources.store.list_events(session, after, limit).await?;
    Ok(Page { last, rows: rows.into_iter().map(Row::stored).collect() })
}

async fn ask_owner(resources: &Resources, session: SessionId) -> Option<Snapshot> {
    let subject = subject::live_snapshot(session);
    let asked = resources
        .bus
        .request::<_, Snapshot>(subject, &SnapshotRequest::default(), SNAPSHOT_TIMEOUT)
        .await;
    match asked {
        Ok(mut snapshot) => {
            metrics::snapshot("answered");
            if snapshot.others > 0 {
                snapshot.streams.extend(ask_summarizers(resources, session, snapshot.others).await);
            }
            Some(snapshot)
        }
        Err(tarsy_bus::Error::NoResponders { .. }) => {
            // Between two owners, or before one has reconnected: nothing is known about its text.
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

/// Asks the summarizers of the session; one that is late is asked again at the next read.
async fn ask_summarizers(
    resources: &Resources,
    session: SessionId,
    count: u32,
) -> Vec<StreamingText> {
    let (subject, count) = (subject::live_summaries(session), count as usize);
    let asked = resources
        .bus
        .request_many::<_, Snapshot>(subject, &SnapshotRequest::default(), count, SUMMARY_TIMEOUT)
        .await;
    let snapshots = asked.unwrap_or_else(|error| {
        tracing::debug!(%session, error = %tarsy_telemetry::chain(&error), "no summaries");
        Vec::new()
    });
    snapshots.into_iter().flat_map(|snapshot| snapshot.streams).collect()
}
