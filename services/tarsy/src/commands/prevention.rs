//! `tarsy prevention`: what came again and again in a week.

use std::process::ExitCode;

use clap::Args;
use tarsy_contracts::prevention::Prevention;

use crate::client::Client;
use crate::output::{self, Format, Table, Wide};

#[derive(Debug, Args)]
pub(crate) struct Options {
    /// A week by ISO 8601, such as 2026-W48; the last seven days without it.
    #[arg(long, default_value = "")]
    week: String,
}

pub(crate) async fn run(
    client: &Client,
    options: &Options,
    format: Format,
) -> anyhow::Result<ExitCode> {
    let found = client.prevention(&options.week).await?;
    if format.is_json() {
        output::document(&found)?;
        return Ok(ExitCode::SUCCESS);
    }
    let week = found.week.as_deref().unwrap_or("the last seven days");
    let Prevention { sessions, sessions_before, .. } = &found;
    let counted = output::counted(sessions, "session");
    output::line(&format!("{week}: {counted}, {sessions_before} in the week before"));
    let tables = [
        ("causes that recur", causes(&found)),
        ("alerts without a fault", alerts(&found)),
        ("tools with failed calls", tools(&found)),
        ("sources that are not understood", sources(&found)),
    ];
    for (title, table) in tables {
        match table {
            Some(table) => {
                output::line(&format!("\n{title}:"));
                table.print(Wide::Wrapped);
            }
            None => output::line(&format!("\n{title}: none")),
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn causes(found: &Prevention) -> Option<Table> {
    let mut table = Table::new(["SESSIONS", "BEFORE", "KIND", "OBJECT", "WORKED", "LAST", "CAUSE"]);
    for one in &found.causes {
        let space = one.namespace.as_ref().map(|name| format!(" in {name}")).unwrap_or_default();
        let object = format!("{} {}{space}", one.object_kind, one.object);
        table.add([
            one.sessions.to_string(),
            one.sessions_before.to_string(),
            one.category.replace('_', " "),
            object.trim().to_owned(),
            format!("{} of {}", one.actions_worked, one.actions),
            one.last_session_id.to_string(),
            one.cause.clone(),
        ]);
    }
    (!found.causes.is_empty()).then_some(table)
}

fn alerts(found: &Prevention) -> Option<Table> {
    let mut table = Table::new(["SESSIONS", "BEFORE", "REVIEWED", "TYPE", "LAST", "ALERT"]);
    for one in &found.alerts {
        table.add([
            one.sessions.to_string(),
            one.sessions_before.to_string(),
            one.reviewed.to_string(),
            one.alert_type.clone().unwrap_or_default(),
            one.last_session_id.to_string(),
            one.title.clone().or_else(|| one.fingerprint.clone()).unwrap_or_default(),
        ]);
    }
    (!found.alerts.is_empty()).then_some(table)
}

fn tools(found: &Prevention) -> Option<Table> {
    let mut table = Table::new(["TOOL", "FAILED", "CALLS", "FAILED BEFORE", "LAST ERROR"]);
    for one in &found.tools {
        let kind = one.last_error_kind.as_deref().unwrap_or_default().replace('_', " ");
        let error = one.last_error.as_deref().unwrap_or_default();
        table.add([
            format!("{}.{}", one.server, one.tool),
            one.failed.to_string(),
            one.calls.to_string(),
            one.failed_before.to_string(),
            format!("{kind}: {error}"),
        ]);
    }
    (!found.tools.is_empty()).then_some(table)
}

fn sources(found: &Prevention) -> Option<Table> {
    let mut table = Table::new(["SOURCE", "NOT UNDERSTOOD", "BEFORE", "REFUSED", "BEFORE", "WHY"]);
    for one in &found.sources {
        table.add([
            if one.source.is_empty() { "many senders".to_owned() } else { one.source.clone() },
            one.not_understood.to_string(),
            one.not_understood_before.to_string(),
            one.refused.to_string(),
            one.refused_before.to_string(),
            one.refusal_reasons.join(", ").replace('_', " "),
        ]);
    }
    (!found.sources.is_empty()).then_some(table)
}
