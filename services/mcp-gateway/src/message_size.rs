//! Fits replies into one message of the bus.

use std::collections::BTreeMap;

use tarsy_contracts::mcp::{CallResult, FailedServer, Tool, ToolList};
use tarsy_contracts::topology::INLINE_LIMIT;

/// The most bytes of the tools of one reply: below the message limit of the bus, with reserve for the
/// reply's other fields.
const LIST_BYTES: usize = 768 * 1024;
/// The most bytes of a text inside a message, written as JSON.
const ESCAPED_BYTES: usize = 3 * INLINE_LIMIT;

/// The tools that fit into one reply; a server with tools that do not fit is added to `failed`.
pub(crate) fn fit_tools(all: Vec<Tool>, mut failed: Vec<FailedServer>) -> ToolList {
    let (mut bytes, mut left_out) = (0, BTreeMap::<String, usize>::new());
    let mut tools = Vec::with_capacity(all.len());
    for tool in all {
        let size = serde_json::to_string(&tool).map_or(LIST_BYTES, |text| text.len() + 1);
        if bytes + size <= LIST_BYTES {
            bytes += size;
            tools.push(tool);
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
    ToolList { tools, failed }
}

/// Whether a result fits into a message: characters that JSON escapes take more bytes.
pub(crate) fn fits_inline(result: &CallResult) -> bool {
    let text = &result.content;
    text.len() <= INLINE_LIMIT
        && serde_json::to_string(text).is_ok_and(|written| written.len() <= ESCAPED_BYTES)
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
            terms: tarsy_contracts::mcp::ToolTerms::default(),
        }
    }

    #[test]
    fn a_list_holds_as_many_tools_as_one_message() {
        let all = ["a", "b", "c"].map(|server| tool(server, 300 * 1024)).to_vec();
        let ToolList { tools, failed } = fit_tools(all, Vec::new());
        let servers: Vec<&str> = tools.iter().map(|tool| tool.server.as_str()).collect();
        assert_eq!(servers, ["a", "b"]);
        assert_eq!(failed.len(), 1);
        assert!(failed[0].server == "c" && failed[0].error.starts_with("1 of its"), "{failed:?}");
        assert!(serde_json::to_string(&tools).unwrap().len() < LIST_BYTES);
    }

    #[test]
    fn a_result_of_many_escapes_does_not_fit_into_a_message() {
        let of = |content: String| CallResult::success(CallId::new(), content);
        assert!(fits_inline(&of("\n".repeat(INLINE_LIMIT))));
        assert!(!fits_inline(&of("\u{1}".repeat(INLINE_LIMIT))));
        assert!(!fits_inline(&of("x".repeat(INLINE_LIMIT + 1))));
    }
}
