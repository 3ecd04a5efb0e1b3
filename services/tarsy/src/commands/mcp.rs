//! `tarsy mcp`: tool servers, through the gateway, for those who set one up.

mod accept;
mod arguments;
mod call;
mod list;
mod login;

use std::path::Path;
use std::process::ExitCode;

use clap::Subcommand;

use crate::connections;
use crate::output::Format;

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Lists the tool servers and their health.
    Servers {
        /// Prints what each server reported, in full.
        #[arg(long, conflicts_with = "json")]
        long: bool,
    },
    /// Lists the tools of a server that may be called, with their arguments; as JSON with the whole schemas.
    Tools {
        /// The server's id.
        server: String,
    },
    /// Trusts the current tools of a server; tools that change later are blocked until accepted again.
    Accept {
        /// The server's id.
        server: String,
    },
    /// Calls a tool and prints its result, masked. Runs without further approval.
    Call(call::Options),
    /// Logs in to a server that requires a person's consent (OAuth).
    Login(login::Options),
}

pub(crate) async fn run(
    home: &Path,
    command: &Command,
    format: Format,
) -> anyhow::Result<ExitCode> {
    let bus = connections::bus(home).await?;
    match command {
        Command::Servers { long } => list::servers(&bus, format, *long).await,
        Command::Tools { server } => list::tools(home, &bus, server, format).await,
        Command::Accept { server } => accept::run(home, &bus, server, format).await,
        Command::Call(options) => call::run(bus, options, format).await,
        Command::Login(options) => login::run(&bus, options, format).await,
    }
}
