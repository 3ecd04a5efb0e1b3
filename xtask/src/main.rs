//! Checks and generators of this workspace that need more than a line of shell.

mod commit_subjects;
mod cycles;
mod figures;
mod generate;
mod layers;
mod numbers;
mod python;
mod retired;
mod runner;
mod sizes;
mod source;
mod threats;
mod tidy;
mod typescript;

use std::io::Write as _;
use std::process::ExitCode;

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
    /// Checks the rules of docs/style.md that no linter knows.
    #[command(after_help = tidy::help())]
    Tidy {
        /// Prints counts and all findings, and never fails.
        #[arg(long)]
        report: bool,
        /// Checks these rules only; without any, all.
        rules: Vec<tidy::Rule>,
    },
    /// Prints the words of the documentation, the files, the lines by language, the migrations, keys and variables.
    Figures,
    /// Builds and runs every test, several programs at a time.
    Test(runner::Arguments),
}

fn main() -> anyhow::Result<ExitCode> {
    match Arguments::parse().task {
        Task::Gen => generate::write()?,
        Task::Figures => {
            let root = source::metadata()?.workspace_root;
            let text = figures::text(root.as_std_path())?;
            std::io::stdout().write_all(text.as_bytes())?;
        }
        Task::Test(arguments) => return runner::run(&arguments),
        Task::Tidy { report, rules } => {
            let tidy = tidy::Tidy::read()?;
            let (text, clean) =
                if report { (tidy.report(&rules)?, true) } else { tidy.check(&rules)? };
            std::io::stdout().write_all(text.as_bytes())?;
            if !clean {
                return Ok(ExitCode::FAILURE);
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}
