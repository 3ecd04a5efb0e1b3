//! Accepts the tools of a server.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;

use serde_json::json;
use tarsy_bus::Bus;

use super::list;
use crate::connections;
use crate::output::{self, Format};

/// Whoever may write to the database.
const ACCEPTED_BY: &str = "command line";

/// Lists the tools of a server now and stores their definitions.
pub(super) async fn run(
    home: &Path,
    bus: &Bus,
    server: &str,
    format: Format,
) -> anyhow::Result<ExitCode> {
    let tools = list::probe(bus, server).await?;
    anyhow::ensure!(!tools.is_empty(), "the server '{server}' has no tools");
    let store = connections::store(home).await?;
    let definitions: BTreeMap<String, String> =
        tools.iter().map(|tool| (tool.name.clone(), tool.terms.definition.clone())).collect();
    store.accept_tools(server, &definitions, ACCEPTED_BY).await?;
    match format {
        Format::Json => output::json_line(&json!({ "server": server, "tools": definitions }))?,
        Format::Text => {
            let tools = output::counted(definitions.len(), "tool");
            output::line(&format!("accepted {tools} of {server}"));
            output::remark(&format!(
                "`tarsy mcp tools {server}` shows them; a tool that changes is withheld"
            ));
        }
    }
    Ok(ExitCode::SUCCESS)
}
