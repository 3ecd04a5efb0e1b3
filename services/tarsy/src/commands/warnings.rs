//! `tarsy warnings`: what an operator should know.

use std::process::ExitCode;

use serde_json::Value;

use crate::client::Client;
use crate::output::{self, Format, Table, Wide};

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
    let mut table = Table::new(["WARNING", "SINCE", "MESSAGE", "DETAILS"]);
    for warning in &warnings {
        let text = |field: &str| warning.get(field).and_then(Value::as_str).unwrap_or_default();
        table.add(["id", "created_at", "message", "details"].map(text));
    }
    table.print(Wide::Wrapped);
    Ok(ExitCode::SUCCESS)
}
