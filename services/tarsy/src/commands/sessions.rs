//! `tarsy sessions`: a list, the state of work on sessions, and the deletion of one.

mod triage;

use std::process::ExitCode;

use clap::builder::PossibleValuesParser;
use clap::{Args, Subcommand};
use serde_json::Value;
use strum::IntoEnumIterator;
use tarsy_domain::status::SessionStatus;
use tarsy_domain::triage::Triage;

use crate::client::{Client, SessionFilter};
use crate::output::{self, Format, Table, Wide};

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Options {
    #[command(subcommand)]
    command: Option<Command>,
    /// The number of sessions, 1 to 100.
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u8).range(1..=100))]
    limit: u8,
    /// Lists only sessions with one of these statuses, comma-separated.
    #[arg(long, value_delimiter = ',', value_parser = spellings::<SessionStatus>())]
    status: Vec<String>,
    /// Lists only sessions in one of these states of work, comma-separated.
    #[arg(long, value_delimiter = ',', value_parser = spellings::<Triage>())]
    work: Vec<String>,
    /// Lists only sessions with this score or a better one, 0 to 100.
    #[arg(long, value_parser = clap::value_parser!(u8).range(0..=100))]
    score_min: Option<u8>,
    /// Lists only what you have taken or done.
    #[arg(long)]
    mine: bool,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Deletes a session that has ended, and its replays, for good. Who, when and why is kept.
    Delete {
        /// The session's id.
        id: String,
        /// Why, for whoever looks for the session later.
        #[arg(long)]
        reason: String,
    },
    /// Takes sessions: you work on them.
    Take(triage::Options),
    /// Gives sessions back, or opens them again: they are new.
    GiveBack(triage::Options),
    /// Marks sessions as done.
    Done(triage::Options),
    /// Assigns sessions to somebody.
    Assign {
        /// The user, by the name that the dashboard shows.
        person: String,
        #[command(flatten)]
        options: triage::Options,
    },
    /// Adds a note to a session; secrets in it are masked.
    Note {
        /// The session: its ID, at least 4 characters of the beginning or end of it, or `latest`.
        id: String,
        text: String,
    },
}

/// Lists sessions, changes the state of work on some, or deletes one.
pub(crate) async fn run(
    client: &Client,
    options: &Options,
    format: Format,
) -> anyhow::Result<ExitCode> {
    match &options.command {
        Some(Command::Delete { id, reason }) => delete(client, id, reason, format).await?,
        Some(Command::Take(options)) => {
            return triage::run(client, options, &options.change("taken"), format).await;
        }
        Some(Command::GiveBack(options)) => {
            return triage::run(client, options, &options.change("new"), format).await;
        }
        Some(Command::Done(options)) => {
            return triage::run(client, options, &options.change("done"), format).await;
        }
        Some(Command::Assign { person, options }) => {
            let change = options.assignment(person);
            return triage::run(client, options, &change, format).await;
        }
        Some(Command::Note { id, text }) => triage::note(client, id, text, format).await?,
        None => list(client, options, format).await?,
    }
    Ok(ExitCode::SUCCESS)
}

async fn delete(client: &Client, id: &str, reason: &str, format: Format) -> anyhow::Result<()> {
    let answer = client.delete_session(id, reason).await?;
    if format.is_json() {
        return output::document(&answer);
    }
    let deleted = answer.get("deleted_sessions").and_then(Value::as_array);
    for session in deleted.into_iter().flatten().filter_map(Value::as_str) {
        output::line(&format!("{session} is deleted"));
    }
    Ok(())
}

/// What a value may be, for errors and completion.
fn spellings<T: IntoEnumIterator + Into<&'static str>>() -> PossibleValuesParser {
    PossibleValuesParser::new(T::iter().map(Into::<&'static str>::into))
}

async fn list(client: &Client, options: &Options, format: Format) -> anyhow::Result<()> {
    let joined = |values: &[String]| (!values.is_empty()).then(|| values.join(","));
    let (status, work) = (joined(&options.status), joined(&options.work));
    let filter = SessionFilter {
        status: status.as_deref(),
        triage: work.as_deref(),
        is_mine: options.mine,
        min_score: options.score_min,
    };
    let sessions = client.sessions(options.limit, &filter).await?;
    if format.is_json() {
        return output::document(&sessions);
    }
    if let (true, Some(status)) = (sessions.is_empty(), &status) {
        output::line(&format!("no session has the status {status}"));
        return Ok(());
    }
    if sessions.is_empty() && (options.mine || work.is_some()) {
        output::line("no session is in this state of work");
        return Ok(());
    }
    if let (true, Some(least)) = (sessions.is_empty(), options.score_min) {
        output::line(&format!("no session has a score of {least} or more"));
        return Ok(());
    }
    if sessions.is_empty() {
        output::line(
            "no sessions yet; `tarsy demo` shows a recorded incident, `tarsy submit --example host --follow` investigates this machine",
        );
        return Ok(());
    }
    let mut table = Table::new(["ID", "STATUS", "WORK", "SCORE", "CREATED", "ALERT"]);
    for session in &sessions {
        let text = |name: &str| match session.get(name) {
            Some(Value::String(text)) => text.clone(),
            None | Some(Value::Null) => String::new(),
            Some(other) => other.to_string(),
        };
        let work = [text("triage"), text("assignee")].join(" ");
        let waits = session.get("waiting_for_approval") == Some(&Value::Bool(true));
        let status = if waits { "waits for approval".to_owned() } else { text("status") };
        // To the second: `2026-03-01T09:30:00`.
        let created: String = text("created_at").chars().take(19).collect();
        let alert = Some(text("title")).filter(|title| !title.is_empty());
        let alert = alert.unwrap_or_else(|| text("alert_type"));
        let work = work.trim().to_owned();
        table.add([text("id"), status, work, text("score"), format!("{created}Z"), alert]);
    }
    table.print(Wide::Cut);
    Ok(())
}
