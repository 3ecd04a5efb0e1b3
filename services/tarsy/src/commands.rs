//! The arguments and commands of the command line.

mod actions;
mod approvals;
mod ask;
mod backup;
mod cancel;
mod case;
mod changes;
mod compare;
mod completion;
mod config;
mod dead;
mod demo;
mod dependencies;
mod doctor;
mod eval;
mod import;
mod intake;
mod mcp;
mod memories;
mod migrate;
mod models;
mod open;
mod permissions;
mod postmortem;
mod prevention;
mod provision;
mod redact;
mod reload;
mod replay;
mod restore;
mod review;
mod schedules;
mod score;
mod service;
mod sessions;
mod skills;
mod submit;
mod token;
mod warnings;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::builder::{OsStringValueParser, TypedValueParser as _};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory as _, Parser, Subcommand};

use crate::client::{self, Client};
use crate::follow::Detail;
use crate::output::Format;
use crate::{follow, home, local_token, up};

/// What a command ends with; clap ends with 2.
const EXIT_CODES: &str = "Exit codes: 0 done; 1 failed, or what was followed did not complete with findings; 2 wrong usage.";
/// The heading of the options that every command has.
const GLOBAL: &str = "Global options";

/// An AI SRE: takes an alert, investigates it with tools, and shows every step.
#[derive(Debug, Parser)]
#[command(name = "tarsy", version, after_help = EXIT_CODES)]
pub(crate) struct Arguments {
    /// The folder of the all-in-one.
    #[arg(long, env = "TARSY_HOME", default_value_os = home::DEFAULT.as_os_str(), value_parser = OsStringValueParser::new().map(home::folder), global = true, help_heading = GLOBAL)]
    home: PathBuf,
    /// The server's address; default: the one that runs on the folder, or <http://localhost:8080>.
    #[arg(long, env = "TARSY_URL", global = true, help_heading = GLOBAL)]
    url: Option<String>,
    /// An API token, where the server needs one.
    #[arg(long, env = "TARSY_TOKEN", global = true, hide_env_values = true, help_heading = GLOBAL)]
    token: Option<String>,
    /// Prints JSON, errors included.
    #[arg(long, global = true, help_heading = GLOBAL)]
    json: bool,
    #[command(subcommand)]
    command: Command,
}

impl Arguments {
    pub(crate) const fn format(&self) -> Format {
        if self.json { Format::Json } else { Format::Text }
    }

    fn names_server(&self) -> bool {
        given(self.url.as_deref()).is_some()
    }
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Starts everything on this machine: servers, services, dashboard.
    Up(up::Options),
    /// Prints the address of the dashboard on this machine with the token of its start: a browser that opens it may also
    /// approve, cancel, review and configure.
    #[command(alias = "url")]
    Open,
    /// Shows how a recorded incident is investigated: no key, cluster or configuration is needed, and nothing is executed.
    Demo {
        /// Also shows what the analyst writes, and the beginning of each result.
        #[arg(long)]
        verbose: bool,
    },
    /// Submits an alert.
    Submit(Box<submit::Options>),
    /// Lists sessions, says who works on which, or deletes one.
    Sessions(sessions::Options),
    /// Lists schedules, or runs one now.
    Schedules(schedules::Options),
    /// Removes a text, such as a secret that came through, from everything that is stored.
    Redact(redact::Options),
    /// Follows a session as it is investigated.
    Watch {
        /// The session: its ID, at least 4 characters of the beginning or end of it, or `latest`.
        id: String,
        /// Also shows what the model writes, and the beginning of each result.
        #[arg(long)]
        verbose: bool,
    },
    /// Shows the finding of a session.
    Show {
        /// The session: its ID, at least 4 characters of the beginning or end of it, or `latest`.
        id: String,
    },
    /// Prints the draft of a postmortem as Markdown, made of the records of sessions that are over.
    Postmortem(postmortem::Options),
    /// Lists what recurred in a week: causes, alerts without a fault, failing tools, sources that are not understood.
    Prevention(prevention::Options),
    /// Lists the tool calls that wait for a decision.
    Approvals,
    /// Approves a tool call that waits.
    Approve {
        /// The id of the approval, or its beginning or end.
        id: String,
    },
    /// Denies a tool call that waits.
    Deny {
        /// The id of the approval, or its beginning or end.
        id: String,
    },
    /// Lists the calls of a session that change something, and whether they worked.
    Actions {
        /// The session: its ID, at least 4 characters of the beginning or end of it, or `latest`.
        id: String,
    },
    /// Rolls a call back that changed something, with the call that its agent gave for that. Running this approves that call.
    Rollback(actions::Rollback),
    /// Asks a question about a finished session.
    Ask(ask::Options),
    /// Lists what changed, or records a change.
    Changes(changes::Options),
    /// Lists what an object depends on, and what depends on it.
    Dependencies(dependencies::Options),
    /// Reviews the finding of a finished session: does it name the actual cause?
    Review(review::Options),
    /// Shows how well a session was investigated, or has it scored.
    Score(score::Options),
    /// Lists, exports and changes memories: what people confirmed in reviews.
    Memories {
        #[command(subcommand)]
        command: memories::Command,
    },
    /// Cancels a session, or the question that is being answered about it.
    Cancel {
        /// The session: its ID, at least 4 characters of the beginning or end of it, or `latest`.
        id: String,
    },
    /// Investigates the alert of a finished session again, with the tool results of its record.
    Replay(replay::Options),
    /// Compares two finished sessions: calls, claims, report, tokens, time.
    Compare {
        /// A session: its ID, a part of it, or `latest`.
        first: String,
        /// Another session, named likewise.
        second: String,
    },
    /// Saves sessions as cases of an evaluation.
    Case {
        #[command(subcommand)]
        command: case::Command,
    },
    /// Runs cases, and scores the reports.
    Eval(eval::Options),
    /// Brings the finished sessions of another implementation in, by its API: alert, report and tool calls.
    Import(import::Options),
    /// Lists what an operator should know: failing tool servers, dead letters and the like.
    Warnings,
    /// Migrates the database to the schema of this version, and creates the streams of NATS. Uses `DATABASE_URL`
    /// and/or `NATS_URL`.
    Migrate(migrate::Options),
    /// Writes everything that PostgreSQL has into a file, as it was at one moment; services may run meanwhile.
    Backup(backup::Options),
    /// Writes what a backup has into an empty database: all of it, or nothing. Stop the services first.
    Restore(restore::Options),
    /// Runs the process that creates the streams of NATS, and creates again what is lost.
    Provision,
    /// Runs one service as this process, with the settings of its environment. Several on one machine share the memory of
    /// the program.
    Service { name: service::Service },
    /// Prints what the users of NATS and the roles of PostgreSQL may do.
    Permissions {
        #[command(subcommand)]
        command: permissions::Command,
    },
    /// Checks the configuration, lets running services read it again, or prints its schema.
    Config {
        #[command(subcommand)]
        command: config::Command,
    },
    /// Takes skills of Git repositories into the configuration.
    Skills {
        #[command(subcommand)]
        command: skills::Command,
    },
    /// Shows what becomes of the payloads of alert sources.
    Intake {
        #[command(subcommand)]
        command: intake::Command,
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
    /// Creates, lists and revokes the API tokens of alert sources and scripts.
    Token {
        #[command(subcommand)]
        command: token::Command,
    },
    /// Finds the model servers of this machine (Ollama, llama.cpp, vLLM, LM Studio), tries what investigations need of a
    /// model, and writes a provider.
    Models(Box<models::Options>),
    /// Reports what is missing on this machine and how to install it, or checks a running installation.
    Doctor(doctor::Options),
    /// Prints the completion script of a shell, for example `tarsy completion bash > /etc/bash_completion.d/tarsy`.
    Completion { shell: clap_complete::Shell },
    /// The built-in read-only MCP server for this machine, on standard input and output.
    #[command(hide = true)]
    HostInspector,
}

pub(crate) async fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let url = || address(&arguments.home, arguments.url.as_deref());
    let token = |url: &str| token_for(&arguments.home, arguments.token.as_deref(), url);
    let client = || Client::new(&url(), token(&url()).as_deref());
    let (home, format) = (&arguments.home, arguments.format());
    match arguments.command {
        Command::Up(ref options) => Box::pin(up::run(home, options, format)).await,
        Command::Open => open::run(&url(), token(&url()).as_deref(), format),
        Command::Demo { verbose } => demo::run(&client()?, (format, Detail::of(verbose))).await,
        Command::Submit(ref options) => submit::run(&client()?, options, format).await,
        Command::Sessions(ref options) => sessions::run(&client()?, options, format).await,
        Command::Schedules(ref options) => schedules::run(&client()?, options, format).await,
        Command::Redact(ref options) => redact::run(&client()?, options, format).await,
        Command::Watch { ref id, verbose } => {
            follow::session(&client()?, id, (format, Detail::of(verbose))).await
        }
        Command::Show { ref id } => follow::finding(&client()?, id, format).await,
        Command::Postmortem(ref options) => postmortem::run(&client()?, options, format).await,
        Command::Prevention(ref options) => prevention::run(&client()?, options, format).await,
        Command::Approvals => approvals::list(&client()?, format).await,
        Command::Approve { ref id } => approvals::approve(&client()?, id, format).await,
        Command::Deny { ref id } => approvals::deny(&client()?, id, format).await,
        Command::Actions { ref id } => actions::list(&client()?, id, format).await,
        Command::Rollback(ref options) => actions::roll_back(&client()?, options, format).await,
        Command::Ask(ref options) => ask::run(&client()?, options, format).await,
        Command::Changes(ref options) => changes::run(&client()?, options, format).await,
        Command::Dependencies(ref options) => dependencies::run(&client()?, options, format).await,
        Command::Review(ref options) => review::run(&client()?, options, format).await,
        Command::Score(ref options) => score::run(&client()?, options, format).await,
        Command::Memories { ref command } => memories::run(&client()?, command, format).await,
        Command::Cancel { ref id } => cancel::run(&client()?, id, format).await,
        Command::Replay(ref options) => replay::run(&client()?, options, format).await,
        Command::Compare { ref first, ref second } => {
            compare::run(&client()?, (first, second), format).await
        }
        Command::Case { ref command } => case::run(&client()?, command, format).await,
        Command::Eval(ref options) => Box::pin(eval::run(&client()?, options, format)).await,
        Command::Import(ref options) => Box::pin(import::run(&client()?, options, format)).await,
        Command::Warnings => warnings::run(&client()?, format).await,
        Command::Migrate(ref options) => migrate::run(options, format).await,
        Command::Backup(ref options) => Box::pin(backup::run(home, options, format)).await,
        Command::Restore(ref options) => Box::pin(restore::run(home, options, format)).await,
        Command::Provision => provision::run().await,
        Command::Service { name } => Box::pin(service::run(name)).await,
        Command::Permissions { ref command } => Ok(permissions::run(command)),
        Command::Config { ref command } => config::run(command, client, format).await,
        Command::Skills { ref command } => Box::pin(skills::run(command, format)).await,
        Command::Intake { ref command } => intake::run(command, format),
        Command::Mcp { ref command } => mcp::run(home, command, format).await,
        Command::Dead { ref command } => dead::run(home, command, format).await,
        Command::Token { ref command } => token::run(home, command, format).await,
        Command::Models(ref options) => Box::pin(models::run(options, format)).await,
        Command::Doctor(ref options) => {
            let api = doctor::Api { client: client()?, is_named: arguments.names_server() };
            Box::pin(doctor::run(home, api, options, format)).await
        }
        Command::Completion { shell } => completion::run(shell, Arguments::command()),
        Command::HostInspector => inspect_host().await,
    }
}

/// The help of the command that was written without one of its own; none of another mistake. clap prints it by itself, but
/// not where a variable gives an option.
pub(crate) fn help_instead_of(wrong: &clap::Error) -> Option<String> {
    let is_missing = wrong.kind() == ErrorKind::MissingSubcommand;
    let named = wrong.get(ContextKind::InvalidSubcommand).filter(|_| is_missing)?;
    let ContextValue::String(named) = named else { return None };
    let mut root = Arguments::command();
    root.build();
    let mut command = &mut root;
    for name in named.split(' ').skip(1) {
        command = command.find_subcommand_mut(name)?;
    }
    Some(command.render_help().to_string())
}

/// A value that is given: a variable that is set to nothing gives none.
fn given(value: Option<&str>) -> Option<&str> {
    value.map(str::trim).filter(|value| !value.is_empty())
}

/// The token that is given, else that of the folder's server.
fn token_for(home: &Path, token: Option<&str>, url: &str) -> Option<String> {
    given(token).map(str::to_owned).or_else(|| local_token::for_server(home, url))
}

/// The address that is given, else that of the server which runs on the folder.
fn address(home: &Path, url: Option<&str>) -> String {
    let running = || home::running(home).map(|running| running.url);
    let given = given(url).map(client::whole);
    given.or_else(running).unwrap_or_else(|| "http://localhost:8080".to_owned())
}

async fn inspect_host() -> anyhow::Result<ExitCode> {
    tarsy_host_inspector::serve_stdio(tarsy_host_inspector::Options::from_env()).await?;
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder on which a TARSy runs at this address, with the token of its start.
    fn home_of(url: &str) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let home = home::Home::open(folder.path()).unwrap();
        home.write_running(&home::Running { url: url.to_owned(), ..Default::default() }).unwrap();
        home.write_local_token("of-the-start").unwrap();
        folder
    }

    #[test]
    fn a_variable_that_is_set_to_nothing_gives_nothing() {
        let home = home_of("http://localhost:8480");
        let url = address(home.path(), Some(" "));
        assert_eq!(url, "http://localhost:8480");
        assert_eq!(token_for(home.path(), Some(""), &url).as_deref(), Some("of-the-start"));
        assert_eq!(token_for(home.path(), Some("mine"), &url).as_deref(), Some("mine"));
    }

    #[test]
    fn a_host_and_a_port_alone_have_the_token_of_the_start() {
        let home = home_of("http://localhost:8480");
        let url = address(home.path(), Some("localhost:8480"));
        assert_eq!(url, "http://localhost:8480");
        assert_eq!(token_for(home.path(), None, &url).as_deref(), Some("of-the-start"));
        let other = address(home.path(), Some("tarsy.example:8480"));
        assert_eq!(token_for(home.path(), None, &other), None, "it is sent to no other machine");
    }

    #[test]
    fn a_command_without_one_of_its_own_has_its_help() {
        for (words, usage) in [
            (&["tarsy", "--url", "x"][..], "Usage: tarsy [OPTIONS] <COMMAND>"),
            (&["tarsy", "mcp", "--url", "x"][..], "Usage: tarsy mcp [OPTIONS] <COMMAND>"),
        ] {
            let wrong = Arguments::try_parse_from(words).unwrap_err();
            let help = help_instead_of(&wrong).unwrap();
            assert!(help.contains(usage) && help.contains("Commands:"), "{help}");
        }
        let wrong = Arguments::try_parse_from(["tarsy", "sessions", "--limit", "0"]).unwrap_err();
        assert_eq!(help_instead_of(&wrong), None);
    }
}
