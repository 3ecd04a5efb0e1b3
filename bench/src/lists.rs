//! Lists, filters, the search and the overview of a million sessions, through the store's own functions. Unlike the other
//! parts it has a limit: what people wait for must not grow with the sessions that are stored.

use std::time::{Duration, Instant};

use anyhow::Context as _;
use comfy_table::presets::UTF8_FULL_CONDENSED;
use comfy_table::{CellAlignment, Table};
use tarsy_store::Store;
use tarsy_testkit::{RequestGroup, TestPg, list_requests, seed_sessions};

use crate::output;
use crate::samples::Samples;
use crate::table::millis;

const SESSIONS: u32 = 1_000_000;
/// Requests of a group that are sent at least, so that its p99 is more than the slowest one.
const SAMPLES: usize = 200;
/// Bounds of how often each request is sent: a group of one is not sent for minutes, and each of a large one several times.
const REPETITIONS: [usize; 2] = [5, 40];
/// What 99 of 100 requests may take.
const LIMIT: Duration = Duration::from_millis(100);

/// Measurements of a group of requests.
struct Row {
    name: String,
    requests: usize,
    all: Samples,
    /// The request with the greatest median.
    slowest: String,
    slowest_median: Duration,
}

impl Row {
    /// Every request of the group is below the limit in the median, and 99 of 100 samples of all are.
    fn is_slow(&self) -> bool {
        self.all.percentile(99) > LIMIT || self.slowest_median > LIMIT
    }
}

/// Measures all requests on a new database of so many sessions, which is on `TARSY_TEST_DATABASE_URL` or on an embedded
/// PostgreSQL that is deleted afterwards; or on the database of a URL, which is used as it is. With `only`, the groups whose
/// name contains it.
pub(crate) async fn measure(which: Option<String>, only: Option<String>) -> anyhow::Result<()> {
    let only = only.unwrap_or_default();
    if let Some(url) = which.as_deref().filter(|text| text.starts_with("postgres")) {
        return report(&Store::connect(url, 2).await?, &only).await;
    }
    let sessions = match which {
        Some(text) => text.parse().context("the number of sessions")?,
        None => SESSIONS,
    };
    let pg = TestPg::start().await?;
    let store = Store::connect(pg.url(), 2).await?;
    store.migrate().await?;
    output::step(&format!("seeding {sessions} sessions"));
    let start = Instant::now();
    seed_sessions(pg.url(), sessions).await?;
    output::step(&format!("seeded in {} s", start.elapsed().as_secs()));
    report(&store, &only).await
}

async fn report(store: &Store, only: &str) -> anyhow::Result<()> {
    while store.count_overview_hours().await? > 0 {}
    let mut measured = Vec::new();
    for group in list_requests().into_iter().filter(|group| group.name.contains(only)) {
        measured.push(sample(store, group).await?);
    }
    store.close();
    output::answer(&draw(&measured));
    let slow: Vec<&str> =
        measured.iter().filter(|row| row.is_slow()).map(|row| row.name.as_str()).collect();
    anyhow::ensure!(slow.is_empty(), "above {} ms: {}", LIMIT.as_millis(), slow.join(", "));
    Ok(())
}

async fn sample(store: &Store, group: RequestGroup) -> anyhow::Result<Row> {
    let [least, most] = REPETITIONS;
    let repetitions = (SAMPLES / group.requests.len().max(1)).clamp(least, most);
    let mut row = Row {
        name: group.name,
        requests: group.requests.len(),
        all: Samples::default(),
        slowest: String::new(),
        slowest_median: Duration::ZERO,
    };
    for (name, request) in group.requests {
        let mut samples = Samples::default();
        // The first one warms up.
        for number in 0..=repetitions {
            let start = Instant::now();
            request.send(store).await.with_context(|| format!("{} {name}", row.name))?;
            if number > 0 {
                samples.push(start.elapsed());
            }
        }
        let median = samples.percentile(50);
        if median > LIMIT {
            output::step(&format!("{} {name}: {} ms", row.name, millis(median)));
        }
        if median >= row.slowest_median {
            (row.slowest, row.slowest_median) = (name, median);
        }
        row.all.absorb(samples);
    }
    Ok(row)
}

fn draw(measured: &[Row]) -> String {
    let mut table = Table::new();
    table.load_style(UTF8_FULL_CONDENSED);
    table.set_header(["requests", "n", "p50 ms", "p99 ms", "slowest of them", "its p50", ""]);
    for column in [1, 2, 3, 5] {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    for row in measured {
        table.add_row([
            row.name.clone(),
            row.requests.to_string(),
            millis(row.all.percentile(50)),
            millis(row.all.percentile(99)),
            row.slowest.clone(),
            millis(row.slowest_median),
            if row.is_slow() { "above the limit".to_owned() } else { String::new() },
        ]);
    }
    table.to_string()
}
