//! `tarsy dependencies`: what an object depends on, and what depends on it.

use std::process::ExitCode;

use clap::Args;
use serde_json::Value;

use crate::client::Client;
use crate::output::{self, Format, Table, Wide};

#[derive(Debug, Args)]
pub(crate) struct Options {
    /// A service or an object, such as `checkout` or `Deployment/checkout`.
    of: String,
    /// Its namespace.
    #[arg(long, default_value = "")]
    namespace: String,
    /// Leaves out those of another environment.
    #[arg(long, default_value = "")]
    environment: String,
    /// How many dependencies are followed from it, from 1 to 3.
    #[arg(long, default_value_t = 1)]
    depth: u32,
}

pub(crate) async fn run(
    client: &Client,
    options: &Options,
    format: Format,
) -> anyhow::Result<ExitCode> {
    let Options { of, namespace, environment, depth } = options;
    let query = [
        ("of", of.clone()),
        ("namespace", namespace.clone()),
        ("environment", environment.clone()),
        ("depth", depth.to_string()),
    ];
    let found = client.dependencies(&query).await?;
    if format.is_json() {
        output::document(&found)?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut table = Table::new(["FROM", "RELATION", "TO", "NAMESPACE", "TEAM", "SOURCE"]);
    let mut is_empty = true;
    for part in ["depends_on", "used_by"] {
        for one in found.get(part).and_then(Value::as_array).into_iter().flatten() {
            let text = |field: &str| one.get(field).and_then(Value::as_str).unwrap_or_default();
            let relation = text("relation").replace('_', " ");
            let row = [text("from"), &relation, text("to"), text("namespace"), text("team")];
            let [from, relation, to, namespace, team] = row;
            table.add([from, relation, to, namespace, team, text("source")]);
            is_empty = false;
        }
    }
    if is_empty {
        output::line(&format!("nothing is known that {of} depends on, or that depends on it"));
    } else {
        table.print(Wide::Wrapped);
    }
    Ok(ExitCode::SUCCESS)
}
