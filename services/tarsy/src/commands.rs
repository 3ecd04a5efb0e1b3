//! The arguments and commands of the command line.

mod config;
mod dead;
mod doctor;
mod mcp;
mod migrate;
mod sessions;
mod submit;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::client::Client;
use crate::{follow, home, up};

/// An AI SRE: takes an alert, investigates it with tools, and shows every step.
#[derive(Debug, Parser)]
#[command(name = "tarsy", version)]
pub(crate) struct Arguments {
    /// The folder of the all-in-one.
    #[arg(long, env = "TARSY_HOME", default_value = ".tarsy", global = true)]
    home: PathBuf,
    /// The server's address; default: the one that runs on the folder, or <http://localhost:8080>.
    #[arg(long, env = "TARSY_URL", global = true)]
    url: Option<String>,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Starts everything on this machine: servers, services, dashboard.
    Up(up::Options),
    /// Submits an alert.
    Submit(submit::Options),
    /// Lists sessions.
    Sessions(sessions::Options),
    /// Follows a session as it is investigated.
    Watch {
        /// The session's id.
        id: String,
    },
    /// Migrates the database to the schema of this version.
    Migrate,
    /// Checks the configuration, or prints its schema.
    Config {
        #[command(subcommand)]
        command: config::Command,
    },
    /// Lists, calls and logs in to tool servers, through the gateway.
    Mcp {
        #[command(subcommand)]
        command: mcp::Command,
    },
    /// Lists dead letters (messages that could not be handled), and retries them.
    Dead {
        #[command(subcommand)]
        command: dead::Command,
    },
    /// Reports what is missing on this machine, and how to install it.
    Doctor,
    /// The built-in read-only MCP server for this machine, on standard input and output.
    #[command(hide = true)]
    HostInspector,
}

/// Runs the command.
pub(crate) async fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let url = || {
        let running = || home::running(&arguments.home).map(|running| running.url);
        arguments.url.clone().or_else(running).unwrap_or_else(|| "http://localhost:8080".to_owned())
    };
    match arguments.command {
        Command::Up(ref options) => up::run(&arguments.home, options).await,
        Command::Submit(ref options) => submit::run(&Client::new(&url())?, options).await,
        Command::Sessions(ref options) => sessions::run(&Client::new(&url())?, options).await,
        Command::Watch { ref id } => follow::session(&Client::new(&url())?, id).await,
        Command::Migrate => migrate::run().await,
        Command::Config { ref command } => config::run(command),
        Command::Mcp { ref command } => mcp::run(&arguments.home, command).await,
        Command::Dead { ref command } => dead::run(&arguments.home, command).await,
        Command::Doctor => Ok(doctor::run()),
        Command::HostInspector => {
            tarsy_host_inspector::serve_stdio(tarsy_host_inspector::Options::from_env()).await?;
            Ok(ExitCode::SUCCESS)
        }
    }
}
