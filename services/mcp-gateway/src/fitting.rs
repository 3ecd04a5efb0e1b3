//! What fits into one message of the bus.

use std::collections::BTreeMap;

use tarsy_contracts::mcp::{CallResult, FailedServer, Tool};
use tarsy_contracts::topology::INLINE_LIMIT;

/// The most bytes that the tools of one answer have, all servers together: below what the bus takes, with
/// room for what else the answer says.
const TOOLS: usize = 768 * 1024;
/// The most bytes of a text inside a message once it is written as JSON.
const ESCAPED: usize = 3 * INLINE_LIMIT;

/// The tools that one answer can hold; servers that have more are told among the failed ones.
pub(crate) fn tools(all: Vec<Tool>, failed: &mut Vec<FailedServer>) -> Vec<Tool> {
    let (mut bytes, mut left_out) = (0, BTreeMap::<String, usize>::new());
    let mut fitting = Vec::with_capacity(all.len());
    for tool in all {
        let size = serde_json::to_string(&tool).map_or(TOOLS, |text| text.len() + 1);
        if bytes + size <= TOOLS {
            bytes += size;
            fitting.push(tool);
        } else {
            *left_out.entry(tool.server).or_default() += 1;
        }
    }
    failed.extend(left_out.into_iter().map(|(server, count)| {
        tracing::warn!(mcp.server = server, count, "tools are left out of a list that is too large");
        let error = format!(
            "{count} of its tools are left out: the tools of all servers together are too many for one \
             list; choose fewer servers or tools"
        );
        FailedServer { server, error }
    }));
    fitting
}

/// Whether a result can travel inside a message: letters that JSON writes as escapes take more room.
pub(crate) fn inline(result: &CallResult) -> bool {
    let text = &result.content;
    text.len() <= INLINE_LIMIT
        && serde_json::to_string(text).is_ok_and(|written| written.len() <= ESCAPED)
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tarsy_domain::id::CallId;

    use super::*;

    fn tool(server: &str, bytes: usize) -> Tool {
        Tool {
            server: server.to_owned(),
            name: "t".to_owned(),
            description: "\n".repeat(bytes / 2),
            input_schema: json!({}),
            read_only: true,
            idempotent: false,
        }
    }

    #[test]
    fn the_tools_of_many_servers_are_as_many_as_one_message_holds() {
        let all = ["a", "b", "c"].map(|server| tool(server, 300 * 1024)).to_vec();
        let mut failed = Vec::new();
        let fitting = tools(all, &mut failed);
        let servers: Vec<&str> = fitting.iter().map(|tool| tool.server.as_str()).collect();
        assert_eq!(servers, ["a", "b"]);
        assert_eq!(failed.len(), 1);
        assert!(failed[0].server == "c" && failed[0].error.starts_with("1 of its"), "{failed:?}");
        assert!(serde_json::to_string(&fitting).unwrap().len() < TOOLS);
    }

    #[test]
    fn a_result_of_many_escapes_does_not_travel_inside_a_message() {
        let of = |content: String| CallResult::success(CallId::new(), content);
        assert!(inline(&of("\n".repeat(INLINE_LIMIT))));
        assert!(!inline(&of("\u{1}".repeat(INLINE_LIMIT))));
        assert!(!inline(&of("x".repeat(INLINE_LIMIT + 1))));
    }
}
