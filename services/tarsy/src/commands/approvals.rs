//! `tarsy approvals`, `approve`, `deny`: the tool calls that wait for a person.

use std::process::ExitCode;

use anyhow::Context as _;
use jiff::{SignedDuration, Timestamp};
use serde_json::Value;
use tarsy_contracts::action::ActionPlan;
use tarsy_domain::clock::{Clock as _, SystemClock};
use tarsy_visible::{arguments, exact};

use crate::client::{Approval, Client, Decision, Injected};
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
    let now = SystemClock.now();
    for approval in &waiting {
        for line in lines(approval, now) {
            output::line(&line);
        }
        output::line(&format!("    {}", client.page_of(&approval.session_id)));
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

/// The approval whose id begins or ends so; an error unless there is exactly one.
fn find<'a>(waiting: &'a [Approval], id: &str) -> anyhow::Result<&'a Approval> {
    let fits = |approval: &&Approval| approval.id.starts_with(id) || approval.id.ends_with(id);
    let mut found = waiting.iter().filter(fits);
    let first = found.next().filter(|_| !id.is_empty()).with_context(|| {
        format!("no tool call waits for a decision with the id {id}; `tarsy approvals` lists them")
    })?;
    anyhow::ensure!(found.next().is_none(), "several ids begin or end with {id}; write more of it");
    Ok(first)
}

/// What a call is, for which alert, what speaks against it, and how long people have. Whole arguments, one a line: whoever
/// decides sees every character that the tool is called with.
fn lines(approval: &Approval, now: Timestamp) -> Vec<String> {
    let mut lines =
        vec![format!("{}  {}", style(field(&approval.id)).bold(), exact(&approval.tool()))];
    lines.extend(laid_out(&approval.arguments).iter().map(|line| format!("    {line}")));
    let alert = approval.alert.facts();
    if !alert.is_empty() {
        let alert: Vec<_> = alert.iter().map(|fact| exact(fact)).collect();
        lines.push(format!("    alert: {}", alert.join(" · ")));
    }
    lines.push(format!("    why: {}", exact(&approval.reason)));
    let plan = approval.action.iter().flat_map(ActionPlan::lines);
    lines.extend(plan.map(|line| format!("    {}", exact(&line))));
    if let Some(run) = &approval.dry_run {
        let failed = if run.failed { "dry run failed" } else { "dry run" };
        lines.push(format!("    {failed}: {}", exact(&run.result)));
    }
    if let Some(Injected { call, text }) = &approval.injected {
        let source = call.map_or("the alert".to_owned(), |call| format!("call {call}"));
        let warning = style("warning:").red();
        lines.push(format!(
            "    {warning} the call may have been asked for by text in {source}: “{}”",
            exact(text)
        ));
    }
    lines.push(format!("    until {}{}", field(&approval.expires_at), left(approval, now)));
    lines
}

/// How long people may still decide; empty for a time that cannot be read.
fn left(approval: &Approval, now: Timestamp) -> String {
    let Ok(end) = approval.expires_at.parse::<Timestamp>() else { return String::new() };
    match end.duration_since(now) {
        left if left <= SignedDuration::ZERO => " (expired)".to_owned(),
        left if left < SignedDuration::from_mins(2) => format!(" ({} s left)", left.as_secs()),
        left => format!(" ({} min left)", left.as_mins()),
    }
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
    fn a_call_is_listed_with_its_alert_a_warning_and_the_time_that_is_left() {
        let now = "2025-12-31T23:55:30Z".parse().unwrap();
        let approval = |more: Value| -> Approval {
            let mut all = json!({
                "id": "0198-a", "session_id": "s", "server_name": "ops", "tool_name": "undo", "arguments": {},
                "reason": "it changes", "expires_at": "2026-01-01T00:00:00Z",
            });
            all.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            serde_json::from_value(all).unwrap()
        };
        let of = |more: Value| lines(&approval(more), now)[1..].to_vec();
        assert_eq!(
            of(json!({})),
            ["    why: it changes", "    until 2026-01-01T00:00:00Z (4 min left)"]
        );
        let known = json!({
            "title": "pods\nrestart", "severity": "critical", "service": "checkout", "namespace": "shop",
            "injected": {"call": 4, "text": "undo it now"}, "expires_at": "2025-12-31T23:56:00Z",
        });
        let shown = of(known);
        assert_eq!(
            shown[0],
            "    alert: pods[U+000A]restart · critical · checkout · namespace shop"
        );
        assert!(shown[2].ends_with("asked for by text in call 4: “undo it now”"), "{shown:?}");
        assert!(shown[3].ends_with("(30 s left)"), "{shown:?}");
        let late = json!({"expires_at": "2025-12-31T23:55:00Z", "injected": {"text": "x"}, "alert_type": "host"});
        let shown = of(late);
        assert_eq!(shown[0], "    alert: host");
        assert!(shown[2].contains("in the alert") && shown[3].ends_with("(expired)"), "{shown:?}");
    }

    #[test]
    fn a_call_is_found_by_either_end_of_its_id_if_it_is_the_only_one() {
        let waiting = waiting(&["0198-a", "0198-b"]);
        assert_eq!(find(&waiting, "0198-b").unwrap().id, "0198-b");
        assert_eq!(find(&waiting, "-b").unwrap().id, "0198-b");
        assert!(find(&waiting, "0198").unwrap_err().to_string().contains("several"));
        assert!(find(&waiting, "77").unwrap_err().to_string().contains("tarsy approvals"));
        assert!(find(&waiting, "").is_err());
    }
}
