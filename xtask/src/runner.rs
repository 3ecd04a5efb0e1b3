//! Runs every test program, several at a time, and says where the time went.
//!
//! `cargo test` runs one program after the other. Programs that start servers, services and browsers mostly wait, so that
//! two cores stay idle for half of the time. A process for each test, as cargo-nextest has it, would start the servers and
//! stacks that the tests of a program share once for each test ([ADR 0048](../../docs/adr/0048-test-programs-side-by-side.md)).

mod events;
mod job;
mod machine;
mod plan;
mod process;
mod report;

use std::collections::VecDeque;
use std::io::Write as _;
use std::process::ExitCode;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use anyhow::bail;

use job::{Job, Outcome};
use machine::Machine;
use plan::Capacity;
use report::Summary;

/// A program that has begun uses the processor by then.
const LOOK: Duration = Duration::from_secs(3);

/// What to run.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Runs the tests whose names contain one of these only.
    filters: Vec<String>,
    /// Targets of the Makefile that run beside the programs in Rust.
    #[arg(long = "target", value_name = "NAME")]
    targets: Vec<String>,
    /// How many programs run at a time; more do while processors are idle.
    #[arg(long, default_value_t = plan::default_jobs(), value_parser = clap::value_parser!(u8).range(1..=64))]
    jobs: u8,
}

/// Runs everything; succeeds if every test passed.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let mut jobs = job::programs()?;
    if arguments.filters.is_empty() {
        jobs = job::by_module(jobs)?;
        jobs.push(job::documentation()?);
        for target in &arguments.targets {
            jobs.push(job::make(target)?);
        }
    }
    let waiting = plan::in_order(jobs);
    let begun = Instant::now();
    let mut machine = Machine::default();
    machine.look()?;
    let summary = run_all(waiting, arguments)?;
    let idle = machine.look()?.idle;
    let mut out = std::io::stdout().lock();
    out.write_all(summary.text(begun.elapsed(), idle).as_bytes())?;
    Ok(if summary.failed() { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// Starts jobs while there is capacity for them, and prints a line for each that ends.
fn run_all(mut waiting: VecDeque<Job>, arguments: &Arguments) -> anyhow::Result<Summary> {
    let (ended, outcomes) = mpsc::channel::<Outcome>();
    let start = |job: Job| {
        let (ended, filters) = (ended.clone(), arguments.filters.clone());
        std::thread::spawn(move || {
            // The receiver outlives every job.
            drop(ended.send(process::run(job, &filters)));
        });
    };
    let mut capacity = Capacity::new(arguments.jobs);
    let mut machine = Machine::default();
    machine.look()?;
    let mut summary = Summary::default();
    let total = waiting.len();
    while summary.jobs() < total {
        while let Some(job) = capacity.next(&mut waiting) {
            start(job);
        }
        match outcomes.recv_timeout(LOOK) {
            Ok(outcome) => {
                capacity.free(&outcome.job);
                let mut out = std::io::stdout().lock();
                out.write_all(report::line(&outcome).as_bytes())?;
                out.flush()?;
                summary.add(outcome);
            }
            Err(RecvTimeoutError::Timeout) => {
                if let Some(job) = capacity.one_more(&mut waiting, machine.look()?) {
                    start(job);
                }
            }
            Err(RecvTimeoutError::Disconnected) => bail!("a job ended without an outcome"),
        }
    }
    Ok(summary)
}
