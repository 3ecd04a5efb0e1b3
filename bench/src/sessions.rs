//! Many sessions with a scripted model: how many a second and how much of the processors each takes, with few and many in
//! progress and stored.

use std::time::{Duration, Instant};

use anyhow::Context as _;
use futures::future::try_join_all;
use serde_json::Value;
use tarsy_e2e::{Answer, Gate, Llm, Plain, Script, Stack, StackOptions, usual};
use tarsy_store::Store;
use tarsy_testkit::Seen;

use crate::output;
use crate::processes;
use crate::report::Report;
use crate::size::Size;
use crate::table::{Measure, Row};

/// Sessions of one orchestrator, as many as it may have.
const WORKERS: u8 = 50;
/// One sender submits them all within a minute.
const LIMITS: &str = "  limits: {alerts_per_minute: 0}\n";
/// Connections of each process to PostgreSQL, whose embedded server has 200.
const CONNECTIONS: u8 = 3;
const SENDERS: u32 = 8;
const TIMEOUT: Duration = Duration::from_mins(2);
/// In progress at once, with none stored but those of before. The most come first, so that what a process does once, such as the
/// preparation of its statements, counts with many.
const IN_PROGRESS: &[u32] = &[2_000, 1_000, 100];
/// Stored before a thousand are in progress.
const STORED: u32 = 100_000;
const MANY_STORED: u32 = 1_000_000;
/// More than those among them that have not ended.
const UNFINISHED: u32 = 100;
/// How many times the least the most may cost.
const MOST: f64 = 1.3;

/// What sessions took that were in progress at once.
struct Measured {
    sessions: u32,
    stored: u32,
    took: Duration,
    /// Of all services.
    processor: Duration,
    postgresql: Duration,
    /// Bytes of the write-ahead log.
    log: u64,
}

impl Measured {
    fn rate(&self) -> f64 {
        f64::from(self.sessions) / self.took.as_secs_f64()
    }

    /// The time of processors for each session.
    fn cost(&self) -> Duration {
        (self.processor + self.postgresql) / self.sessions
    }

    fn rows(&self) -> [Row; 4] {
        let stored = match self.stored {
            0 => String::new(),
            stored => format!(" beside {stored} stored"),
        };
        let of_each = |time: Duration| Measure::Processor(time / self.sessions);
        [
            Row::alone(
                format!("{} sessions at once{stored}: POST → completed", self.sessions),
                Measure::Rate(self.rate()),
            ),
            Row::alone("processor time of all services for each session", of_each(self.processor)),
            Row::alone("processor time of PostgreSQL for each session", of_each(self.postgresql)),
            Row::alone(
                "write-ahead log of PostgreSQL for each session",
                Measure::Memory(self.log / 1024 / u64::from(self.sessions)),
            ),
        ]
    }
}

/// Few and many in progress, and many stored.
pub(crate) async fn measure(size: Size) -> anyhow::Result<Vec<Row>> {
    let in_progress = size.of(IN_PROGRESS, &[20, 10]);
    let mut all = Box::pin(measure_with(0, in_progress)).await?;
    let most = size.of(1_000, 20);
    all.extend(Box::pin(measure_with(size.of(STORED, 1_000), &[most])).await?);
    Ok(rows(&all))
}

/// The same sessions with none and with so many stored. More than [`MOST`] times the cost is a failure.
pub(crate) async fn measure_stored(stored: Option<String>, report: &mut Report) {
    const PART: &str = "stored";
    match Box::pin(beside_many(stored)).await {
        Ok(all) => {
            let spread = spread(&all);
            report.add(PART, Ok(rows(&all)));
            if spread > MOST {
                let dear =
                    anyhow::anyhow!("a session costs {spread:.2} times as much, above {MOST}");
                report.add(PART, Err(dear));
            }
        }
        Err(error) => report.add(PART, Err(error)),
    }
}

async fn beside_many(stored: Option<String>) -> anyhow::Result<Vec<Measured>> {
    let many = match stored {
        Some(text) => text.parse().context("the number of sessions")?,
        None => MANY_STORED,
    };
    let mut all = Vec::new();
    for stored in [0, many] {
        all.extend(Box::pin(measure_with(stored, &[1_000])).await?);
    }
    Ok(all)
}

fn rows(all: &[Measured]) -> Vec<Row> {
    let mut rows: Vec<Row> = all.iter().flat_map(Measured::rows).collect();
    let path = "processor time of a session: the most by the least of these (goal 1.3)";
    rows.push(Row::alone(path, Measure::Spread(spread(all))));
    rows
}

/// How many times the least cost the most is.
fn spread(all: &[Measured]) -> f64 {
    let costs = all.iter().map(|one| one.cost().as_secs_f64());
    let least = costs.clone().fold(f64::INFINITY, f64::min);
    costs.fold(0.0, f64::max) / least
}

/// A product of its own with so many stored, and these numbers in progress one after the other.
async fn measure_with(stored: u32, in_progress: &[u32]) -> anyhow::Result<Vec<Measured>> {
    output::step(&format!("sessions at once beside {stored} stored: starting a stack of its own"));
    let gates: Vec<(u32, Gate)> = in_progress.iter().map(|many| (*many, Gate::default())).collect();
    let stack = start(stored, gates.clone()).await?;
    if stored > 0 {
        let store = Store::connect(&stack.database_url(), 1).await?;
        // What the overview counts in the background.
        while store.count_overview_hours().await? > 0 {}
        store.close();
    }
    let plain = Plain::connect(&stack.empty_database("plain_sessions").await?, 1).await?;
    let mut all = Vec::new();
    for (sessions, gate) in gates {
        let log = plain.log_bytes().await?;
        let (services, postgresql) = processor_time(&stack)?;
        let took = investigate(&stack, &gate, sessions).await?;
        let (services_after, postgresql_after) = processor_time(&stack)?;
        all.push(Measured {
            sessions,
            stored,
            took,
            processor: services_after.saturating_sub(services),
            postgresql: postgresql_after.saturating_sub(postgresql),
            log: (plain.log_bytes().await? - log).try_into()?,
        });
    }
    Ok(all)
}

/// Of all services, and of PostgreSQL.
fn processor_time(stack: &Stack) -> anyhow::Result<(Duration, Duration)> {
    Ok((processes::processor_time(stack)?, processes::processor_time_of_postgresql(stack)?))
}

/// What the alert of so many sessions is about.
fn object(sessions: u32) -> String {
    format!("The disk of db-{sessions} is 97 % full")
}

/// A stack whose model answers the agents of so many sessions once their gate is open.
async fn start(stored: u32, gates: Vec<(u32, Gate)>) -> anyhow::Result<Stack> {
    let most = gates.iter().map(|(sessions, _)| *sessions).max().unwrap_or_default();
    let script = Script::new(move |asked| {
        usual(asked).unwrap_or_else(|| {
            let answer = Answer::text("The disk is full because logs are not rotated.");
            let mut gates = gates.iter().filter(|(sessions, _)| asked.contains(&object(*sessions)));
            match gates.next() {
                Some((_, gate)) => Answer::Waits(gate.clone(), Box::new(answer)),
                None => answer,
            }
        })
    });
    Box::pin(Stack::start(StackOptions {
        llm: Llm::Scripted(script),
        llm_workers: None,
        orchestrators: u8::try_from(most.div_ceil(u32::from(WORKERS)))?,
        workers: WORKERS,
        cap: Some(most + UNFINISHED),
        durable: true,
        stored,
        system: LIMITS,
        variables: vec![
            ("LLM_SERVICE_MAX_TURNS", most.to_string()),
            ("TARSY_DATABASE_CONNECTIONS", CONNECTIONS.to_string()),
        ],
        ..StackOptions::default()
    }))
    .await
}

/// How long the sessions take from the first request to the last end.
async fn investigate(stack: &Stack, gate: &Gate, sessions: u32) -> anyhow::Result<Duration> {
    let before = completed(stack).await?;
    let start = Instant::now();
    submit(stack, sessions).await?;
    stack
        .wait_until("every session waits for its model", TIMEOUT, async |stack| {
            let open = u32::try_from(stack.model()?.open())?;
            Ok(Seen::value(open, |open| *open >= sessions))
        })
        .await?;
    let begun = start.elapsed();
    output::step(&format!("{sessions} sessions are in progress after {begun:.1?}"));
    gate.open();
    stack
        .wait_until("every session is over", TIMEOUT, async |stack| {
            Ok(Seen::equal(completed(stack).await?, before + u64::from(sessions)))
        })
        .await?;
    Ok(start.elapsed())
}

/// How many sessions of this bench have completed: those that are stored before have other types.
async fn completed(stack: &Stack) -> anyhow::Result<u64> {
    let path = "/api/v1/sessions?alert_type=plain&status=completed&page_size=1";
    let page = stack.get(path).await?;
    let total = page.pointer("/pagination/total_items").and_then(Value::as_u64);
    total.with_context(|| format!("no number of sessions: {page}"))
}

async fn submit(stack: &Stack, sessions: u32) -> anyhow::Result<()> {
    let text = format!("{} since 02:10; nothing was deployed today.", object(sessions));
    let sender = async |from: u32| {
        for _ in (from..sessions).step_by(SENDERS as usize) {
            stack.submit("plain", &text).await?;
        }
        anyhow::Ok(())
    };
    try_join_all((0..SENDERS).map(sender)).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_object_of_few_sessions_is_not_in_that_of_many() {
        assert!(!object(1_000).contains(&object(100)), "each has a gate of its own");
    }

    #[test]
    fn the_spread_is_how_many_times_the_least_cost_the_most_is() {
        let cost = |milliseconds| Measured {
            sessions: 10,
            stored: 0,
            took: Duration::from_secs(1),
            processor: Duration::from_millis(milliseconds),
            postgresql: Duration::from_millis(milliseconds),
            log: 0,
        };
        assert!((spread(&[cost(20), cost(10), cost(30)]) - 3.0).abs() < f64::EPSILON);
    }
}
