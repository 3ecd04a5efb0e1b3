//! `tarsy mcp`: tool servers, through the gateway, for those who set one up.

mod arguments;
mod call;
mod list;
mod login;

use std::path::Path;
use std::process::ExitCode;

use clap::Subcommand;

use crate::connections;

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Lists the tool servers and their health.
    Servers {
        /// Prints JSON.
        #[arg(long)]
        json: bool,
        /// Prints the whole text of every problem.
        #[arg(long, conflicts_with = "json")]
        long: bool,
    },
    /// Lists the tools of a server that may be called, with their arguments.
    Tools {
        /// The server's id.
        server: String,
        /// Prints JSON, with the whole schemas.
        #[arg(long)]
        json: bool,
    },
    /// Calls a tool and prints its result, masked.
    Call(call::Options),
    /// Logs in to a server that requires a person's consent (OAuth).
    Login(login::Options),
}

pub(crate) async fn run(home: &Path, command: &Command) -> anyhow::Result<ExitCode> {
    let bus = connections::bus(home).await?;
    match command {
        Command::Servers { json, long } => list::servers(&bus, *json, *long).await,
        Command::Tools { server, json } => list::tools(&bus, server, *json).await,
        Command::Call(options) => call::run(bus, options).await,
        Command::Login(options) => login::run(&bus, options).await,
    }
}
