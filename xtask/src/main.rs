//! Checks and generators of this workspace that need more than a line of shell.

mod generate;
mod tidy;

use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(about = "Checks and generators of the TARSy workspace")]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Writes the Rust code of `proto/` into `libs/llm-proto`.
    Gen,
    /// Checks that generated code is current, and that crates depend only downwards.
    Tidy,
}

fn main() -> anyhow::Result<()> {
    match Arguments::parse().task {
        Task::Gen => generate::write(),
        Task::Tidy => {
            generate::check()?;
            tidy::check()
        }
    }
}
