//! `tarsy sessions`: a list.

use std::process::ExitCode;

use clap::Args;
use comfy_table::Table;
use comfy_table::presets::NOTHING;
use serde_json::Value;

use crate::client::Client;
use crate::output::{self, Format, field};

#[derive(Debug, Args)]
pub(crate) struct Options {
    /// The number of sessions, 1 to 100.
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u8).range(1..=100))]
    limit: u8,
    /// Lists only sessions with this status.
    #[arg(long)]
    status: Option<String>,
}

/// Lists sessions.
pub(crate) async fn run(
    client: &Client,
    options: &Options,
    format: Format,
) -> anyhow::Result<ExitCode> {
    let sessions = client.sessions(options.limit, options.status.as_deref()).await?;
    if format.is_json() {
        output::document(&sessions)?;
        return Ok(ExitCode::SUCCESS);
    }
    if sessions.is_empty() {
        output::line("no sessions yet; `tarsy submit --example host --follow` starts one");
        return Ok(ExitCode::SUCCESS);
    }
    let mut table = Table::new();
    table.load_style(NOTHING).set_header(["ID", "STATUS", "ALERT TYPE", "CREATED", "TOOL CALLS"]);
    for session in &sessions {
        let text = |name: &str| match session.get(name) {
            Some(Value::String(text)) => field(text).into_owned(),
            None | Some(Value::Null) => String::new(),
            Some(other) => other.to_string(),
        };
        let columns = ["id", "status", "alert_type", "created_at", "mcp_interaction_count"];
        table.add_row(columns.map(text));
    }
    output::line(&table.to_string());
    Ok(ExitCode::SUCCESS)
}
