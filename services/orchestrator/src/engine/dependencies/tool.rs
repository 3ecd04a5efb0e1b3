//! The tool `dependencies`, which TARSy answers itself from its own table.

use std::sync::Arc;

use serde_json::{Value, json};
use tarsy_catalog::RESERVED_ID;
use tarsy_contracts::dependency::{Dependency, lines};
use tarsy_contracts::mcp::{Tool, ToolTerms};
use tarsy_domain::id::CallId;
use tarsy_domain::status::SessionOrigin;
use tarsy_store::DependencyQuery;

use crate::engine::context::Context;
use crate::engine::own_tool::{self, DEPENDENCIES};
use crate::engine::task::AgentTask;
use crate::engine::tools::Requested;
use crate::journal::StopReason;

/// The most dependencies of one result, in each direction.
const MAX_FOUND: usize = 50;
/// The most that are followed from an object.
const MAX_DEPTH: u64 = 3;

/// The tools that an agent is offered, with this one where dependencies are known.
pub(crate) fn with_tool(task: &AgentTask<'_>, tools: Arc<[Tool]>) -> Arc<[Tool]> {
    let are_known = task.plan.session.dependencies.as_ref().is_some_and(|given| given.are_known);
    if are_known { own_tool::with_tool_of_rows(task, tools, definition) } else { tools }
}

fn definition() -> Tool {
    Tool {
        server: RESERVED_ID.to_owned(),
        name: DEPENDENCIES.to_owned(),
        description: "Lists what an object depends on and what depends on it: calls between services, routes, config maps, \
                      secrets and volumes. Read only. It shows what is connected, not whether that works."
            .to_owned(),
        input_schema: json!({
            "type": "object",
            "properties": {
                "of": {"type": "string", "description": "A service or object, such as checkout or Deployment/checkout"},
                "namespace": {"type": "string", "description": "Its namespace"},
                "depth": {
                    "type": "integer",
                    "minimum": 1,
                    "maximum": MAX_DEPTH,
                    "description": "How many dependencies are followed from it; 1 without it",
                },
            },
            "required": ["of"],
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
    if !(call.server == RESERVED_ID && call.name == DEPENDENCIES) {
        return Ok(None);
    }
    if task.plan.session.origin == SessionOrigin::Replay {
        return own_tool::recorded(ctx, id).await.map(Some);
    }
    let query = match query(call.arguments) {
        Ok(query) => query,
        Err(problem) => return Ok(Some(Err(problem))),
    };
    let found = ctx.journal.read(|store| store.find_dependencies(&query)).await?;
    let of = query.names.join(", ");
    let text = format!(
        "{}\n\n{}",
        part(&format!("{of} depends on"), &found.depends_on),
        part(&format!("What depends on {of}"), &found.used_by)
    );
    Ok(Some(Ok(text)))
}

fn part(title: &str, found: &[Dependency]) -> String {
    match found.len() {
        0 => format!("{title}: nothing that is known."),
        MAX_FOUND => format!("{title}, the nearest {MAX_FOUND}:\n{}", lines(found)),
        _ => format!("{title}:\n{}", lines(found)),
    }
}

fn query(arguments: &str) -> Result<DependencyQuery, String> {
    let arguments: Value = serde_json::from_str(arguments).unwrap_or_default();
    let text = |name: &str| own_tool::text(&arguments, name);
    let depth = arguments.get("depth").map_or(Some(1), Value::as_u64);
    let depth = depth.filter(|depth| (1..=MAX_DEPTH).contains(depth));
    let depth = depth.ok_or(format!("depth: write a whole number from 1 to {MAX_DEPTH}."))?;
    Ok(DependencyQuery {
        names: vec![text("of").ok_or("of: name a service or an object, such as checkout.")?],
        namespace: text("namespace"),
        depth: usize::try_from(depth).unwrap_or(1),
        limit: MAX_FOUND,
        ..DependencyQuery::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_a_query_and_what_is_wrong_is_named() {
        let asked = query(r#"{"of": " Deployment/checkout ", "depth": 3}"#).unwrap();
        assert_eq!((asked.names, asked.depth), (vec!["Deployment/checkout".to_owned()], 3));
        assert_eq!(query(r#"{"of": "checkout"}"#).unwrap().depth, 1);
        assert!(query("{}").unwrap_err().starts_with("of:"));
        for depth in ["0", "4", "\"two\""] {
            let text = format!(r#"{{"of": "checkout", "depth": {depth}}}"#);
            assert!(query(&text).unwrap_err().starts_with("depth:"), "{depth}");
        }
    }
}
