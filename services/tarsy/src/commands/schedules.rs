//! `tarsy schedules`: investigations that begin by the calendar, and a run now.

use std::process::ExitCode;

use clap::{Args, Subcommand};
use serde_json::Value;

use crate::client::Client;
use crate::output::{self, Format, Table, Wide};

#[derive(Debug, Args)]
pub(crate) struct Options {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Begins an investigation of a schedule now, also of one that is suspended.
    Run {
        /// Its name in the configuration.
        name: String,
    },
}

/// Lists the schedules, or runs one.
pub(crate) async fn run(
    client: &Client,
    options: &Options,
    format: Format,
) -> anyhow::Result<ExitCode> {
    match &options.command {
        Some(Command::Run { name }) => run_now(client, name, format).await?,
        None => list(client, format).await?,
    }
    Ok(ExitCode::SUCCESS)
}

async fn run_now(client: &Client, name: &str, format: Format) -> anyhow::Result<()> {
    let started = client.run_schedule(name).await?;
    if format.is_json() {
        return output::document(&started);
    }
    output::line(&client.page_of(text(&started, "session_id")));
    Ok(())
}

async fn list(client: &Client, format: Format) -> anyhow::Result<()> {
    let listed = client.schedules().await?;
    if format.is_json() {
        return output::document(&listed);
    }
    let schedules = listed.get("schedules").and_then(Value::as_array).map(Vec::as_slice);
    let schedules = schedules.unwrap_or_default();
    if schedules.is_empty() {
        output::line("no schedule is configured; docs/schedules.md shows one");
        return Ok(());
    }
    let mut table = Table::new(["SCHEDULE", "WHEN", "NEXT", "LAST", "TITLE"]);
    for schedule in schedules {
        let next = schedule.get("next_runs").and_then(|runs| runs.get(0)).and_then(Value::as_str);
        let last = schedule.get("runs").and_then(|runs| runs.get(0));
        let when = format!("{} {}", text(schedule, "cron"), text(schedule, "time_zone"));
        let suspended = schedule.get("suspended") == Some(&Value::Bool(true));
        table.add([
            text(schedule, "name").to_owned(),
            when,
            next.unwrap_or(if suspended { "suspended" } else { "never" }).to_owned(),
            last.map_or_else(|| "never".to_owned(), outcome),
            text(schedule, "title").to_owned(),
        ]);
    }
    table.print(Wide::Cut);
    Ok(())
}

/// What became of a run: its verdict, the status of its session, or why there is none.
fn outcome(run: &Value) -> String {
    let of = ["verdict", "status", "outcome"].into_iter().map(|member| text(run, member));
    let word = of.into_iter().find(|word| !word.is_empty()).unwrap_or_default();
    format!("{} {}", text(run, "due_at"), word.replace('_', " "))
}

fn text<'a>(object: &'a Value, member: &str) -> &'a str {
    object.get(member).and_then(Value::as_str).unwrap_or_default()
}
