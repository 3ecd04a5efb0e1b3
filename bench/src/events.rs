//! An event made durable, beside a plain INSERT of the same payload.

use std::time::Instant;

use futures::future::try_join_all;
use tarsy_domain::id::TimelineEventId;
use tarsy_domain::status::TimelineStatus;
use tarsy_e2e::{Plain, Stack};
use tarsy_store::{Batch, Fence, Op, Store};

use crate::chunks::{event, own};
use crate::output;
use crate::samples::Samples;
use crate::size::Size;
use crate::table::{Measure, Row};

const WRITERS: u32 = 8;
const TEXT: &str = "The disk of db-1 is full because the write-ahead log is not archived any more.";

/// The same work by the product and by plain SQL.
struct Sides {
    store: Store,
    fences: Vec<Fence>,
    plain: Plain,
    payload: String,
    /// How many events a writer writes in a round.
    each: usize,
}

impl Sides {
    async fn start(stack: &Stack, each: usize) -> anyhow::Result<Self> {
        // A database of its own: no orchestrator claims these sessions, no sweeper publishes them.
        let store = Store::connect(&stack.empty_database("events").await?, WRITERS).await?;
        store.migrate().await?;
        let mut fences = Vec::new();
        for _ in 0..WRITERS {
            fences.push(own(&store, 1).await?);
        }
        let plain = Plain::connect(&stack.empty_database("plain_events").await?, WRITERS).await?;
        let mut payload = String::new();
        // Every connection is there before anything is measured.
        for events in try_join_all(fences.iter().map(|fence| commit(&store, *fence))).await? {
            payload = events;
        }
        Ok(Self { store, fences, plain, payload, each })
    }

    async fn product(&self, writers: usize) -> anyhow::Result<Samples> {
        let writers = self.fences.iter().take(writers).map(|fence| async {
            let mut samples = Samples::default();
            for _ in 0..self.each {
                let start = Instant::now();
                commit(&self.store, *fence).await?;
                samples.push(start.elapsed());
            }
            anyhow::Ok(samples)
        });
        joined(try_join_all(writers).await?)
    }

    async fn raw(&self, writers: usize) -> anyhow::Result<Samples> {
        let writers = self.fences.iter().take(writers).map(|_| async {
            let mut samples = Samples::default();
            for _ in 0..self.each {
                let start = Instant::now();
                self.plain.insert(&self.payload).await?;
                samples.push(start.elapsed());
            }
            anyhow::Ok(samples)
        });
        joined(try_join_all(writers).await?)
    }
}

fn joined(all: Vec<Samples>) -> anyhow::Result<Samples> {
    let mut joined = Samples::default();
    for samples in all {
        joined.absorb(samples);
    }
    anyhow::ensure!(joined.len() > 0, "nothing was written");
    Ok(joined)
}

async fn commit(store: &Store, fence: Fence) -> anyhow::Result<String> {
    let event = event(TimelineEventId::new(), TimelineStatus::Completed, TEXT.to_owned());
    let events = store.commit(fence, Batch::new().with(Op::OpenEvent(event))).await?;
    Ok(events.into_iter().map(|event| event.payload).collect())
}

pub(crate) async fn measure(stack: &Stack, size: Size) -> anyhow::Result<Vec<Row>> {
    output::step("an event made durable, beside a plain INSERT");
    // The two sides take turns, so that a busy moment of the machine hits both.
    let (rounds, each) = size.of((5, 60), (1, 3));
    let sides = Sides::start(stack, each).await?;
    let mut rows = Vec::new();
    for writers in [1, WRITERS as usize] {
        let (mut product, mut raw) = (Samples::default(), Samples::default());
        let (mut product_time, mut raw_time) = (0.0, 0.0);
        let (mut product_log, mut raw_log) = (0, 0);
        for _ in 0..rounds {
            let (start, before) = (Instant::now(), sides.plain.log_bytes().await?);
            raw.absorb(sides.raw(writers).await?);
            raw_time += start.elapsed().as_secs_f64();
            let (start, between) = (Instant::now(), sides.plain.log_bytes().await?);
            product.absorb(sides.product(writers).await?);
            product_time += start.elapsed().as_secs_f64();
            raw_log += between - before;
            product_log += sides.plain.log_bytes().await? - between;
        }
        let events = i64::try_from(product.len())?;
        let why = format!(
            "four rows in three tables with their indexes (fence and numbers, timeline event, event) \
             against one row: {} bytes of write-ahead log for an event against {}",
            product_log / events,
            raw_log / events
        );
        #[expect(clippy::cast_precision_loss, reason = "some thousands")]
        let rate = |samples: &Samples, time: f64| Measure::Rate(samples.len() as f64 / time);
        let rates = (rate(&product, product_time), rate(&raw, raw_time));
        let latencies = (Measure::Latency(product), Measure::Latency(raw));
        for (what, (product, raw)) in [("", latencies), (", a second", rates)] {
            let many =
                if writers == 1 { "1 writer".to_owned() } else { format!("{writers} writers") };
            rows.push(Row {
                path: format!("event made durable, {many}{what}"),
                product,
                raw: Some(("INSERT of its payload", raw)),
                why: why.clone(),
                why_tail: why.clone(),
            });
        }
    }
    Ok(rows)
}
