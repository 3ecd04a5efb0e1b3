//! The tool `changes`, which TARSy answers itself from its own table.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};
use tarsy_catalog::RESERVED_ID;
use tarsy_contracts::change::lines;
use tarsy_contracts::mcp::{Tool, ToolTerms};
use tarsy_domain::id::CallId;
use tarsy_domain::status::SessionOrigin;
use tarsy_store::ChangeQuery;

use crate::engine::context::Context;
use crate::engine::own_tool::{self, CHANGES};
use crate::engine::task::AgentTask;
use crate::engine::tools::Requested;
use crate::journal::StopReason;

/// The most changes of one result.
const MAX_CHANGES: i64 = 50;

/// The tools that an agent is offered, with this one where changes are recorded.
pub(crate) fn with_tool(task: &AgentTask<'_>, tools: Arc<[Tool]>) -> Arc<[Tool]> {
    let are_recorded = task.plan.session.changes.as_ref().is_some_and(|given| given.are_recorded);
    if are_recorded { own_tool::with_tool_of_rows(task, tools, definition) } else { tools }
}

fn definition() -> Tool {
    let text = |description: &str| json!({"type": "string", "description": description});
    Tool {
        server: RESERVED_ID.to_owned(),
        name: CHANGES.to_owned(),
        description: "Lists what changed: deployments, configuration, secrets, scaling, nodes, releases, feature flags, \
                      commits, packages. Read only. A change is a cause only if something shows its effect."
            .to_owned(),
        input_schema: json!({
            "type": "object",
            "properties": {
                "since": text("The earliest time, such as 2026-02-11T08:00:00Z; a day before the alert without it"),
                "until": text("The latest time; now without it"),
                "near": text("An object, service or host, such as checkout or Deployment/checkout"),
                "namespace": text("A namespace"),
                "environment": text("An environment"),
            },
            "additionalProperties": false,
        }),
        read_only: true,
        idempotent: true,
        terms: ToolTerms::default(),
    }
}

/// The answer to a call of it, or why it has none; nothing for another call. A replay gets what its original got.
pub(crate) async fn answer(
    ctx: &Context,
    task: &AgentTask<'_>,
    (call, id): (Requested<'_>, CallId),
) -> Result<Option<Result<String, String>>, StopReason> {
    if !(call.server == RESERVED_ID && call.name == CHANGES) {
        return Ok(None);
    }
    if task.plan.session.origin == SessionOrigin::Replay {
        return own_tool::recorded(ctx, id).await.map(Some);
    }
    let query = match query(call.arguments, task.plan.session.received_at) {
        Ok(query) => query,
        Err(problem) => return Ok(Some(Err(problem))),
    };
    let mut found = ctx.journal.read(|store| store.list_changes(query.clone())).await?;
    let is_whole = found.len() < usize::try_from(MAX_CHANGES).unwrap_or(usize::MAX);
    found.reverse();
    let head = match found.len() {
        0 => "No such change is recorded.".to_owned(),
        count if is_whole => format!("{count} changes, the oldest first:"),
        count => {
            format!("The {count} newest changes, the oldest first; there may be earlier ones:")
        }
    };
    Ok(Some(Ok(format!("{head}\n{}", lines(&found)).trim_end().to_owned())))
}

fn query(arguments: &str, received_at: Timestamp) -> Result<ChangeQuery, String> {
    const DAY: SignedDuration = SignedDuration::from_hours(24);
    let arguments: Value = serde_json::from_str(arguments).unwrap_or_default();
    let text = |name: &str| own_tool::text(&arguments, name);
    let time = |name: &str| {
        let wrong =
            |text: &str| format!("{name}: {text:?} is no time; write it as 2026-02-11T08:00:00Z.");
        text(name).map(|text| text.parse::<Timestamp>().map_err(|_| wrong(&text))).transpose()
    };
    let day_before = received_at.checked_sub(DAY).unwrap_or_default();
    Ok(ChangeQuery {
        since: Some(time("since")?.unwrap_or(day_before)),
        until: time("until")?,
        near: text("near"),
        namespace: text("namespace"),
        environment: text("environment"),
        limit: MAX_CHANGES,
        ..ChangeQuery::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_a_query_and_a_time_that_is_none_is_named() {
        let received = "2026-02-11T09:00:00Z".parse().unwrap();
        let usual = query("{}", received).unwrap();
        assert_eq!(usual.since.unwrap().to_string(), "2026-02-10T09:00:00Z");
        let asked =
            query(r#"{"since": "2026-02-11T08:00:00Z", "near": " checkout "}"#, received).unwrap();
        assert_eq!(
            (asked.since.unwrap().to_string().as_str(), asked.near.as_deref()),
            ("2026-02-11T08:00:00Z", Some("checkout"))
        );
        assert!(query(r#"{"until": "yesterday"}"#, received).unwrap_err().contains("until"));
    }
}
