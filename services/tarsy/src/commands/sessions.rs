//! `tarsy sessions`: a list.

use std::process::ExitCode;

use clap::Args;
use comfy_table::Table;
use comfy_table::presets::NOTHING;

use crate::client::Client;
use crate::output;

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
pub(crate) async fn run(client: &Client, options: &Options) -> anyhow::Result<ExitCode> {
    let page = client.sessions(options.limit, options.status.as_deref()).await?;
    if page.sessions.is_empty() {
        output::line("no sessions yet; `tarsy submit --example host --follow` starts one");
        return Ok(ExitCode::SUCCESS);
    }
    let mut table = Table::new();
    table.load_style(NOTHING).set_header(["ID", "STATUS", "ALERT TYPE", "CREATED", "TOOL CALLS"]);
    for session in page.sessions {
        table.add_row([
            session.id,
            session.status,
            session.alert_type.unwrap_or_default(),
            session.created_at,
            session.mcp_interaction_count.to_string(),
        ]);
    }
    output::line(&table.to_string());
    Ok(ExitCode::SUCCESS)
}
