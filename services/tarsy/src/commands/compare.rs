//! `tarsy compare`: two sessions beside each other.

use std::process::ExitCode;

use tarsy_evaluation::{Comparison, Side};

use crate::client::Client;
use crate::output::{self, Format, Table, Wide, field};
use crate::short_id;

/// What a row shows of a session.
type Cell = fn(&Side) -> String;

pub(crate) async fn run(
    client: &Client,
    (first, second): (&str, &str),
    format: Format,
) -> anyhow::Result<ExitCode> {
    let first = short_id::of_session(client, first).await?;
    let second = short_id::of_session(client, second).await?;
    let comparison = client.comparison(&first, &second).await?;
    match format {
        Format::Json => output::document(&comparison)?,
        Format::Text => print(&comparison),
    }
    Ok(ExitCode::SUCCESS)
}

fn print(comparison: &Comparison) {
    let mut table = Table::new(["", "FIRST", "SECOND"]);
    let rows: [(&str, Cell); 15] = [
        ("session", |side| side.session_id.to_string()),
        ("status", |side| side.report.status.to_string()),
        ("provider", |side| side.usage.providers.join(", ")),
        ("prompts", |side| short(&side.usage.prompt_versions)),
        ("tool calls", |side| side.tool_calls.to_string()),
        ("… failed or not recorded", |side| side.failed_tool_calls.to_string()),
        ("claims", |side| side.claims.claims.to_string()),
        ("… supported", |side| side.claims.supported.to_string()),
        ("… unsupported", |side| side.claims.unsupported.to_string()),
        ("… contradicted", |side| side.claims.contradicted.to_string()),
        ("… of calls that were not made", |side| side.claims.ghost_citations.to_string()),
        ("model calls", |side| side.usage.llm_calls.to_string()),
        ("tokens", |side| output::tokens(side.usage.total_tokens, side.usage.tokens_estimated)),
        ("cost", |side| output::dollars(side.usage.cost_micro_usd)),
        ("seconds", |side| seconds(side.usage.duration_ms)),
    ];
    for (name, cell) in rows {
        table.add([name.to_owned(), cell(&comparison.first), cell(&comparison.second)]);
    }
    table.print(Wide::Wrapped);
    for one in &comparison.differences {
        let (server, tool, arguments) = (&one.server, &one.tool, &one.arguments);
        let counts = format!("{}× and {}×", one.first, one.second);
        output::line(&field(&format!("  {server}.{tool} {arguments}: {counts}")));
    }
    let word = |same: bool| if same { "the same" } else { "different" };
    output::line(&format!(
        "calls {}, results {}, report {}",
        word(comparison.same_calls),
        word(comparison.same_results),
        word(comparison.same_report)
    ));
}

fn short(versions: &[String]) -> String {
    let short = versions.iter().map(|version| version.get(..12).unwrap_or(version));
    short.collect::<Vec<_>>().join(", ")
}

fn seconds(duration_ms: Option<i64>) -> String {
    duration_ms.map_or_else(String::new, |ms| format!("{}.{}", ms / 1000, ms % 1000 / 100))
}
