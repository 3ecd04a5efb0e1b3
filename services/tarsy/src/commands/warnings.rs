//! `tarsy warnings`: what an operator should know.

use std::process::ExitCode;

use comfy_table::Table;
use comfy_table::presets::NOTHING;
use serde_json::Value;

use crate::client::Client;
use crate::output::{self, Format, field};

pub(crate) async fn run(client: &Client, format: Format) -> anyhow::Result<ExitCode> {
    let warnings = client.warnings().await?;
    if format.is_json() {
        output::document(&warnings)?;
        return Ok(ExitCode::SUCCESS);
    }
    if warnings.is_empty() {
        output::line("there are no warnings");
        return Ok(ExitCode::SUCCESS);
    }
    let mut table = Table::new();
    table.load_style(NOTHING).set_header(["WARNING", "SINCE", "MESSAGE", "DETAILS"]);
    for warning in &warnings {
        let text = |field: &str| warning.get(field).and_then(Value::as_str).unwrap_or_default();
        table.add_row(["id", "created_at", "message", "details"].map(|name| field(text(name))));
    }
    output::line(&table.to_string());
    Ok(ExitCode::SUCCESS)
}
