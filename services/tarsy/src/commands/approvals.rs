//! `tarsy approvals`, `approve`, `deny`: the tool calls that wait for a person.

use std::process::ExitCode;

use anyhow::Context as _;
use serde_json::Value;
use tarsy_contracts::action::ActionPlan;
use tarsy_visible::{arguments, exact};

use crate::client::{Approval, Client, Decision};
use crate::output::{self, Format, field, style};

/// Lists the calls that wait, the oldest first.
pub(crate) async fn list(client: &Client, format: Format) -> anyhow::Result<ExitCode> {
    let waiting = client.approvals().await?;
    if format.is_json() {
        output::document(&waiting)?;
        return Ok(ExitCode::SUCCESS);
    }
    if waiting.is_empty() {
        output::line("no tool call waits for a decision");
    }
    for approval in &waiting {
        print(client, approval);
    }
    Ok(ExitCode::SUCCESS)
}

pub(crate) async fn approve(client: &Client, id: &str, format: Format) -> anyhow::Result<ExitCode> {
    decide(client, id, Decision::Approve, format).await
}

pub(crate) async fn deny(client: &Client, id: &str, format: Format) -> anyhow::Result<ExitCode> {
    decide(client, id, Decision::Deny, format).await
}

/// Decides about one call. The first decision counts.
async fn decide(
    client: &Client,
    id: &str,
    decision: Decision,
    format: Format,
) -> anyhow::Result<ExitCode> {
    let waiting = client.approvals().await?;
    let approval = find(&waiting, id)?;
    let answer = client.decide(approval, decision).await?;
    match format {
        Format::Json => output::document(&answer)?,
        Format::Text => {
            let decided = answer.get("decision").and_then(Value::as_str).unwrap_or_default();
            output::line(&format!("{} is {}", field(&approval.tool()), field(decided)));
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// The approval whose id begins so; an error unless there is exactly one.
fn find<'a>(waiting: &'a [Approval], id: &str) -> anyhow::Result<&'a Approval> {
    let mut found = waiting.iter().filter(|approval| approval.id.starts_with(id));
    let first = found.next().filter(|_| !id.is_empty()).with_context(|| {
        format!("no tool call waits for a decision with the id {id}; `tarsy approvals` lists them")
    })?;
    anyhow::ensure!(found.next().is_none(), "several ids begin with {id}; write more of it");
    Ok(first)
}

/// Whole arguments, one a line: whoever decides sees every character that the tool is called with.
fn print(client: &Client, approval: &Approval) {
    output::line(&format!("{}  {}", style(field(&approval.id)).bold(), exact(&approval.tool())));
    for line in laid_out(&approval.arguments) {
        output::line(&format!("    {line}"));
    }
    output::line(&format!("    why: {}", exact(&approval.reason)));
    for line in approval.action.iter().flat_map(ActionPlan::lines) {
        output::line(&format!("    {}", exact(&line)));
    }
    if let Some(run) = &approval.dry_run {
        let failed = if run.failed { "dry run failed" } else { "dry run" };
        output::line(&format!("    {failed}: {}", exact(&run.result)));
    }
    output::line(&format!("    until {}", field(&approval.expires_at)));
    output::line(&format!("    {}", client.page_of(&approval.session_id)));
}

/// The arguments of a call that a person decides about, with each of their statements on a line of its own.
pub(super) fn laid_out(called_with: &Value) -> Vec<String> {
    let shown = match called_with {
        Value::Object(named) => named
            .iter()
            .map(|(name, value)| format!("{}: {}", exact(name), arguments(&value.to_string())))
            .collect::<Vec<_>>()
            .join("\n"),
        other => arguments(&other.to_string()),
    };
    shown.lines().map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn waiting(ids: &[&str]) -> Vec<Approval> {
        let all = ids.iter().map(|id| {
            serde_json::from_value(json!({
                "id": id, "session_id": "s", "server_name": "ops", "tool_name": "undo",
                "arguments": {}, "reason": "it changes", "expires_at": "2026-01-01T00:00:00Z",
            }))
            .unwrap()
        });
        all.collect()
    }

    #[test]
    fn a_statement_behind_spaces_is_seen_in_the_list_of_calls_that_wait() {
        let sql = format!("SELECT 1;{}DROP TABLE users -- \u{202e}", " ".repeat(2_500));
        let call = json!({"sql": sql, "n\u{200b}": 1});
        assert_eq!(
            laid_out(&call),
            ["sql: \"SELECT 1;", "    ·[×2500]DROP TABLE users -- [U+202E]\"", "n[U+200B]: 1"]
        );
        assert_eq!(laid_out(&json!({})), Vec::<String>::new());
        assert_eq!(laid_out(&json!("a\nb")), ["\"a\\n", "    b\""]);
    }

    #[test]
    fn a_call_is_found_by_the_beginning_of_its_id_if_it_is_the_only_one() {
        let waiting = waiting(&["0198-a", "0198-b"]);
        assert_eq!(find(&waiting, "0198-b").unwrap().id, "0198-b");
        assert!(find(&waiting, "0198").unwrap_err().to_string().contains("several"));
        assert!(find(&waiting, "77").unwrap_err().to_string().contains("tarsy approvals"));
        assert!(find(&waiting, "").is_err());
    }
}
