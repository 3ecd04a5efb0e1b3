//! Lists, filters, the search and the overview of a million sessions, through the store's own functions. Unlike the other
//! parts it has a limit: what people wait for must not grow with the sessions that are stored.

use std::time::{Duration, Instant};

use anyhow::Context as _;
use comfy_table::presets::UTF8_FULL_CONDENSED;
use comfy_table::{CellAlignment, Table};
use tarsy_store::Store;
use tarsy_testkit::{ListRequest, TestPg, list_requests, seed_sessions};

use crate::output;
use crate::samples::Samples;
use crate::table::millis;

const SESSIONS: u32 = 1_000_000;
/// Each request is sent so often.
const SAMPLES: usize = 40;
const WARM_UP: usize = 3;
/// What 99 of 100 requests may take.
const LIMIT: Duration = Duration::from_millis(100);

/// Measures all requests on a new database of so many sessions, which is on `TARSY_TEST_DATABASE_URL` or on an embedded
/// PostgreSQL that is deleted afterwards; or on the database of a URL, which is used as it is.
pub(crate) async fn measure(which: Option<String>) -> anyhow::Result<()> {
    if let Some(url) = which.as_deref().filter(|text| text.starts_with("postgres")) {
        return report(&Store::connect(url, 2).await?).await;
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
    report(&store).await
}

async fn report(store: &Store) -> anyhow::Result<()> {
    while store.count_overview_hours().await? > 0 {}
    let mut measured = Vec::new();
    for (name, request) in list_requests() {
        measured.push((name, sample(store, &request).await?));
    }
    store.close();
    output::answer(&draw(&measured));
    let slow: Vec<&str> = measured
        .iter()
        .filter(|(_, samples)| samples.percentile(99) > LIMIT)
        .map(|(name, _)| name.as_str())
        .collect();
    anyhow::ensure!(slow.is_empty(), "above {} ms: {}", LIMIT.as_millis(), slow.join(", "));
    Ok(())
}

async fn sample(store: &Store, request: &ListRequest) -> anyhow::Result<Samples> {
    let mut samples = Samples::default();
    for number in 0..WARM_UP + SAMPLES {
        let start = Instant::now();
        request.send(store).await?;
        if number >= WARM_UP {
            samples.push(start.elapsed());
        }
    }
    Ok(samples)
}

fn draw(measured: &[(String, Samples)]) -> String {
    let mut table = Table::new();
    table.load_style(UTF8_FULL_CONDENSED);
    table.set_header(["request", "p50 ms", "p99 ms", "limit ms", ""]);
    for column in 1..4 {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    for (name, samples) in measured {
        let (p50, p99) = (samples.percentile(50), samples.percentile(99));
        let verdict = if p99 > LIMIT { "above the limit" } else { "" };
        let limit = LIMIT.as_millis().to_string();
        table.add_row([name.clone(), millis(p50), millis(p99), limit, verdict.to_owned()]);
    }
    table.to_string()
}
