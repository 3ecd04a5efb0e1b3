//! `make soak`: a steady load with faults; prints memory and file descriptors of every process over time.

use std::process::ExitCode;

use tarsy_e2e::soak;

#[expect(clippy::print_stdout, reason = "a program for the command line")]
#[tokio::main]
async fn main() -> anyhow::Result<ExitCode> {
    let mut arguments = std::env::args().skip(1);
    let minutes = arguments.next().map_or(Ok(30), |number| number.parse())?;
    let seed = arguments.next().map_or_else(|| Ok(rand::random()), |number| number.parse())?;
    println!("{minutes} minutes, seed {seed}");
    let outcome = soak::run(minutes, seed, |line| println!("{line}")).await?;
    println!("{outcome}");
    Ok(if outcome.is_good() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
