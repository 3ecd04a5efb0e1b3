//! `tarsy changes`: lists what changed, and records a change.

use std::process::ExitCode;

use anyhow::Context as _;
use clap::{Args, Subcommand};
use jiff::SignedDuration;
use serde_json::{Map, Value, json};
use tarsy_domain::clock::{Clock as _, SystemClock};
use tarsy_host_inspector::host_changes;

use crate::client::Client;
use crate::output::{self, Format, Table, Wide};

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Options {
    #[command(flatten)]
    filter: Filter,
    #[command(subcommand)]
    command: Option<Command>,
}

/// Which changes are listed.
#[derive(Debug, Args)]
struct Filter {
    /// At that time or later: RFC 3339, or a day.
    #[arg(long, default_value = "")]
    since: String,
    /// At that time or earlier.
    #[arg(long, default_value = "")]
    until: String,
    /// An object, service or host.
    #[arg(long, default_value = "")]
    near: String,
    /// Only in this namespace.
    #[arg(long, default_value = "")]
    namespace: String,
    /// Only in this environment.
    #[arg(long, default_value = "")]
    environment: String,
    /// At most so many, from 1 to 200.
    #[arg(long, default_value_t = 50)]
    limit: u32,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Records a change, such as a deployment from a pipeline.
    Add(Box<New>),
    /// Records what changed on this machine: packages, units of systemd, and the kernel that it started with. What was
    /// recorded before is recorded once, so that a timer may run it.
    ReportHost(Report),
}

#[derive(Debug, Args)]
struct New {
    /// What changed, in a sentence.
    text: String,
    /// Such as `deployment`, `configuration` or `feature_flag`.
    #[arg(long, default_value = "other")]
    kind: String,
    /// The sender's own id of it: what is sent again is recorded once.
    #[arg(long)]
    id: Option<String>,
    /// Such as `Deployment/checkout`.
    #[arg(long)]
    object: Option<String>,
    #[arg(long)]
    service: Option<String>,
    #[arg(long)]
    namespace: Option<String>,
    #[arg(long)]
    environment: Option<String>,
    /// Who changed it.
    #[arg(long)]
    author: Option<String>,
    /// A page about it.
    #[arg(long)]
    link: Option<String>,
    /// When; now without it.
    #[arg(long)]
    time: Option<String>,
}

#[derive(Debug, Args)]
struct Report {
    /// How far back, in hours.
    #[arg(long, default_value_t = 24, value_parser = clap::value_parser!(u16).range(1..=720))]
    hours: u16,
    /// The name of this machine as alerts have it; its own without one.
    #[arg(long)]
    host: Option<String>,
    /// The environment that it belongs to.
    #[arg(long)]
    environment: Option<String>,
}

pub(crate) async fn run(
    client: &Client,
    options: &Options,
    format: Format,
) -> anyhow::Result<ExitCode> {
    match &options.command {
        Some(Command::Add(new)) => add(client, new, format).await,
        Some(Command::ReportHost(report)) => report_host(client, report, format).await,
        None => list(client, &options.filter, format).await,
    }
}

async fn list(client: &Client, filter: &Filter, format: Format) -> anyhow::Result<ExitCode> {
    let Filter { since, until, near, namespace, environment, limit } = filter;
    let query = [
        ("since", since.clone()),
        ("until", until.clone()),
        ("near", near.clone()),
        ("namespace", namespace.clone()),
        ("environment", environment.clone()),
        ("limit", limit.to_string()),
    ];
    let found = client.changes(&query).await?;
    if format.is_json() {
        output::document(&found)?;
        return Ok(ExitCode::SUCCESS);
    }
    let changes = found.get("changes").and_then(Value::as_array).cloned().unwrap_or_default();
    if changes.is_empty() {
        output::line("no such change is recorded");
        return Ok(ExitCode::SUCCESS);
    }
    let mut table = Table::new(["TIME", "KIND", "OBJECT", "SOURCE", "WHAT"]);
    for change in &changes {
        let text = |field: &str| change.get(field).and_then(Value::as_str).unwrap_or_default();
        let object = [text("object"), text("service"), text("host")];
        let object = object.into_iter().find(|name| !name.is_empty()).unwrap_or_default();
        table.add([text("occurred_at"), text("kind"), object, text("source"), text("text")]);
    }
    table.print(Wide::Wrapped);
    Ok(ExitCode::SUCCESS)
}

async fn add(client: &Client, new: &New, format: Format) -> anyhow::Result<ExitCode> {
    let optional = [
        ("id", &new.id),
        ("object", &new.object),
        ("service", &new.service),
        ("namespace", &new.namespace),
        ("environment", &new.environment),
        ("author", &new.author),
        ("link", &new.link),
        ("time", &new.time),
    ];
    let given = optional.into_iter().filter_map(|(name, value)| Some((name, value.clone()?)));
    let required = [("text", new.text.clone()), ("kind", new.kind.clone())];
    let change: Map<String, Value> = required
        .into_iter()
        .chain(given)
        .map(|(name, value)| (name.to_owned(), Value::String(value)))
        .collect();
    let answer = client.record_change(&Value::Object(change)).await?;
    let is_repeat = answer.pointer("/changes/0/is_repeat").and_then(Value::as_bool);
    match format {
        Format::Json => output::document(&answer)?,
        Format::Text if is_repeat == Some(true) => output::line("this change is recorded already"),
        Format::Text => output::line("recorded"),
    }
    Ok(ExitCode::SUCCESS)
}

async fn report_host(client: &Client, report: &Report, format: Format) -> anyhow::Result<ExitCode> {
    let host = match &report.host {
        Some(host) => host.clone(),
        None => std::fs::read_to_string("/proc/sys/kernel/hostname")
            .context("the name of this machine cannot be read: give it as --host")?
            .trim()
            .to_owned(),
    };
    let since = SystemClock.now() - SignedDuration::from_hours(i64::from(report.hours));
    let found = tokio::task::spawn_blocking(move || host_changes(since)).await?;
    let changes: Vec<Value> = found
        .iter()
        .map(|change| {
            json!({
                "id": format!("{host}:{}", change.id),
                "time": change.at,
                "kind": change.kind.as_str(),
                "object": change.object,
                "text": change.text,
                "host": host,
                "environment": report.environment,
            })
        })
        .collect();
    let mut recorded = 0;
    if !changes.is_empty() {
        let answer = client.record_change(&Value::Array(changes.clone())).await?;
        let kept = answer.get("changes").and_then(Value::as_array).cloned().unwrap_or_default();
        recorded =
            kept.iter().filter(|one| one.get("is_repeat") == Some(&Value::Bool(false))).count();
    }
    match format {
        Format::Json => {
            output::document(&json!({"host": host, "found": changes.len(), "recorded": recorded}))?;
        }
        Format::Text => output::line(&format!(
            "{} of {host} in the last {}, {recorded} of them new",
            output::counted(changes.len(), "change"),
            output::counted(report.hours, "hour")
        )),
    }
    Ok(ExitCode::SUCCESS)
}
