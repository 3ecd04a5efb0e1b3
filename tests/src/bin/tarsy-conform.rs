//! The client that the protocol's conformance suite starts: it puts the tool gateway before the server
//! whose address is its last argument.

use std::process::ExitCode;

use anyhow::Context as _;
use tarsy_e2e::conform::{self, Scenario};

#[expect(clippy::print_stderr, reason = "a program for the command line")]
#[expect(clippy::disallowed_methods, reason = "the suite speaks to it through the environment")]
#[tokio::main]
async fn main() -> anyhow::Result<ExitCode> {
    let url = std::env::args().next_back().context("the address of a server is wanted")?;
    let variable = |name: &str| std::env::var(name).ok();
    let scenario = Scenario::read(url, variable)?;
    match conform::play(&scenario).await {
        Ok(summary) => {
            eprintln!("{summary}");
            Ok(ExitCode::SUCCESS)
        }
        Err(error) => {
            eprintln!("{error:#}");
            Ok(ExitCode::FAILURE)
        }
    }
}
