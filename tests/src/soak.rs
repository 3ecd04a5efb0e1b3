//! A steady load with faults: memory and file descriptors of every process over time, and whether they are flat.

mod load;
mod verdict;

use std::collections::BTreeMap;
use std::time::Duration;

use rand::rngs::StdRng;
use rand::seq::IndexedRandom as _;
use rand::{Rng as _, SeedableRng as _};
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

use crate::chaos::fault::{Fault, Suspended};
use crate::chaos::inject::Injector;
use crate::chaos::life::Access;
use crate::chaos::script;
use crate::model::Gate;
use crate::posts::Failures;
use crate::process::{Sample, sample};
use crate::soak::load::Load;
use crate::soak::verdict::Series;
use crate::stack::{Backend, Stack};

/// How often processes are measured.
const SAMPLE_EVERY: Duration = Duration::from_secs(5);
const MINUTE: Duration = Duration::from_mins(1);
/// The pause between two faults, in seconds.
const FAULT_PAUSE: std::ops::Range<u64> = 20..40;
/// The longest that a fault lasts, in milliseconds.
const LONGEST_FAULT: u64 = 8_000;
/// Services that are killed. Every kind of service has another process that lives to the end and is judged.
const VICTIMS: [&str; 2] = ["orchestrator-2", "mcp-gateway-2"];

/// The result of a run.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    pub minutes: u64,
    pub sessions: usize,
    pub completed: usize,
    pub faults: usize,
    /// Processes whose memory or descriptors grew, and by how much.
    pub grown: Vec<String>,
    pub seed: u64,
}

impl Outcome {
    /// Whether every session completed and every process is flat.
    pub fn is_good(&self) -> bool {
        self.sessions > 0 && self.completed == self.sessions && self.grown.is_empty()
    }
}

impl std::fmt::Display for Outcome {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { minutes, sessions, completed, faults, grown, seed } = self;
        write!(
            out,
            "minutes {minutes}, faults {faults}, sessions {sessions}, completed {completed}, grown {}, seed {seed}",
            grown.len()
        )
    }
}

/// Runs the load for so many minutes; `report` receives a line for each minute.
pub async fn run(minutes: u64, seed: u64, report: impl Fn(String)) -> anyhow::Result<Outcome> {
    let stack = Stack::start(script::options(seed, Failures::All, Gate::default())).await?;
    let access = Access { client: stack.client().clone(), database_url: stack.database_url() };
    let load = Load::new(access);
    let mut soak = Soak {
        stack,
        injector: Injector::default(),
        random: StdRng::seed_from_u64(seed),
        series: BTreeMap::new(),
        begun: Instant::now(),
    };
    let (stop, stopped) = watch::channel(false);
    let until = soak.begun + MINUTE * u32::try_from(minutes)?;
    let observe = async {
        let observed = soak.observe(until, &load, &report).await;
        stop.send_replace(true);
        observed
    };
    let (observed, problems) = tokio::join!(observe, load.run(stopped));
    observed?;
    problems.into_iter().for_each(&report);
    Ok(Outcome {
        minutes,
        sessions: load.submitted(),
        completed: load.completed(),
        faults: soak.injector.count,
        grown: soak.grown(&report),
        seed,
    })
}

/// What a run needs beside its load.
struct Soak {
    stack: Stack,
    injector: Injector,
    random: StdRng,
    series: BTreeMap<String, Series>,
    begun: Instant,
}

impl Soak {
    /// Measures processes and lets something fail from time to time.
    async fn observe(
        &mut self,
        until: Instant,
        load: &Load,
        report: &impl Fn(String),
    ) -> anyhow::Result<()> {
        let (mut next_line, mut next_fault) = (self.begun + MINUTE, self.begun + MINUTE);
        while Instant::now() < until {
            let next_sample = Instant::now() + SAMPLE_EVERY;
            let samples = self.measure()?;
            if Instant::now() >= next_line {
                next_line += MINUTE;
                report(line(self.begun.elapsed(), load, &samples));
            }
            // The last minute is without faults, so that the last samples are of the same state as the first.
            if Instant::now() >= next_fault && Instant::now() + MINUTE < until {
                let fault = choose(&mut self.random);
                self.injector.inject(&mut self.stack, &fault).await?;
                let pause = self.random.random_range(FAULT_PAUSE);
                next_fault = Instant::now() + Duration::from_secs(pause);
            }
            sleep_until(next_sample).await;
        }
        Ok(())
    }

    fn measure(&mut self) -> anyhow::Result<BTreeMap<String, Sample>> {
        let mut samples = BTreeMap::new();
        for (name, pid) in self.stack.all_pids() {
            if let Some(sample) = sample(pid)? {
                self.series.entry(name.clone()).or_default().add(pid, sample);
                samples.insert(name, sample);
            }
        }
        Ok(samples)
    }

    /// The services whose processes are not flat; reports every one.
    fn grown(&self, report: &impl Fn(String)) -> Vec<String> {
        let mut grown = Vec::new();
        for (name, series) in &self.series {
            let Some(verdict) = series.verdict() else { continue };
            report(format!("{name:<16} {verdict}"));
            if !verdict.is_flat() {
                grown.push(name.clone());
            }
        }
        grown
    }
}

fn line(elapsed: Duration, load: &Load, samples: &BTreeMap<String, Sample>) -> String {
    let mut line = format!(
        "minute {:>3}: sessions {}, completed {}",
        elapsed.as_secs() / 60,
        load.submitted(),
        load.completed()
    );
    for (name, sample) in samples {
        let (memory, descriptors) = (sample.memory_kib / 1024, sample.descriptors);
        line.extend([format!("; {name} {memory} MiB {descriptors} fds")]);
    }
    line
}

/// A fault that no process that is judged dies of.
fn choose(random: &mut StdRng) -> Fault {
    let lasts = Duration::from_millis(random.random_range(500..LONGEST_FAULT));
    let victim = VICTIMS.choose(random).copied().unwrap_or_default().to_owned();
    let backend = if random.random() { Backend::Postgres } else { Backend::Nats };
    match random.random_range(0..6) {
        0 => Fault::Kill { service: victim },
        1 => Fault::Suspend { service: victim, lasts, then: Suspended::Continued },
        2 => Fault::Lose { service: Some(victim), backend, lasts },
        3 => Fault::Lose { service: None, backend, lasts },
        4 => Fault::SuspendNats { lasts },
        _ => Fault::Restart { backend, lasts: lasts / 4 },
    }
}
