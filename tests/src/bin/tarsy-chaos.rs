//! `make chaos`: services, servers, connections and clocks fail at random points of sessions; counts the results.

use std::process::ExitCode;

use tarsy_e2e::chaos::{self, Extent};

#[expect(clippy::print_stdout, reason = "a program for the command line")]
#[tokio::main]
async fn main() -> anyhow::Result<ExitCode> {
    let mut arguments = std::env::args().skip(1);
    let rounds = arguments.next().map_or(Ok(40), |number| number.parse())?;
    let seed = arguments.next().map_or_else(|| Ok(rand::random()), |number| number.parse())?;
    println!("{rounds} rounds, seed {seed}");
    let outcome = chaos::run(rounds, seed, Extent::All, |line| println!("{line}")).await?;
    println!("{outcome}");
    Ok(if outcome.is_good() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
