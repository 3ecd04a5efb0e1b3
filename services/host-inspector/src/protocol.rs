//! What an inspector and a router of calls say alike in MCP.

use std::time::Duration;

use rmcp::ErrorData;
use rmcp::model::{
    CallToolResult, ContentBlock, Implementation, ServerCapabilities, ServerConfig, Tool,
};
use serde_json::{Map, Value, json};

use crate::error::ToolError;
use crate::render::render;
use crate::toolset::{SPECS, Spec, find};

/// The longest call, whatever the tool.
pub(crate) const CALL_LIMIT: Duration = Duration::from_secs(25);
/// How many calls run at once; further ones wait within their own limit.
pub(crate) const CALLS_AT_ONCE: usize = 8;
/// The key of results, and of the data of an error, with the node that they are of. Under a name such as `node` it would
/// make each value of a result one of the object `node` for whoever reads evidence, the offline analyst for one.
const NODE: &str = "inspected_node";

/// All tools, as the protocol describes them.
pub(crate) fn tools() -> anyhow::Result<Vec<Tool>> {
    let tools = SPECS.iter().map(Spec::tool).collect::<Result<Vec<_>, _>>();
    tools.map_err(|error| anyhow::anyhow!("a tool has no valid schema: {error}"))
}

/// What the server says of itself.
pub(crate) fn info(instructions: &str) -> ServerConfig {
    ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
        .with_server_info(
            Implementation::new("tarsy-host-inspector", env!("CARGO_PKG_VERSION"))
                .with_title("Host inspector"),
        )
        .with_instructions(instructions)
}

/// The tool of this name, or an error that lists the tools.
pub(crate) fn known(name: &str) -> Result<&'static Spec, ErrorData> {
    find(name).ok_or_else(|| {
        let known = SPECS.iter().map(|spec| spec.name).collect::<Vec<_>>().join(", ");
        ErrorData::invalid_params(format!("unknown tool {name:?}; the tools are: {known}"), None)
    })
}

pub(crate) fn cancelled() -> ToolError {
    ToolError::failed("the call was cancelled", "call again")
}

pub(crate) fn error_result(value: &Value) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(render(value))])
}

/// A result with the name of its node in front, where the inspector knows it.
pub(crate) fn of_node(node: Option<&str>, value: Value) -> Value {
    match (node, value) {
        (Some(node), Value::Object(fields)) => {
            let node = (NODE.to_owned(), json!(node));
            Value::Object(std::iter::once(node).chain(fields).collect::<Map<_, _>>())
        }
        (_, value) => value,
    }
}

/// An error for a call that is meant for another node: an address may have changed hands since it was looked up.
pub(crate) fn other_node(own: Option<&str>, wanted: Option<&str>) -> Result<(), ErrorData> {
    match (own, wanted) {
        (Some(own), Some(wanted)) if own != wanted => Err(ErrorData::invalid_request(
            format!("this is the inspector of {own}, and the call is for {wanted}"),
            Some(json!({ NODE: own })),
        )),
        _ => Ok(()),
    }
}

/// Whether this is the error of [`other_node`].
pub(crate) fn is_other_node(error: &ErrorData) -> bool {
    error.data.as_ref().is_some_and(|data| data.get(NODE).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_states_its_node_first_where_the_inspector_knows_it() {
        let value = json!({"cores": 2, "error": {"kind": "failed"}});
        assert_eq!(of_node(None, value.clone()), value);
        let text = render(&of_node(Some("web-1"), value));
        assert!(text.starts_with("{\n  \"inspected_node\": \"web-1\",\n  \"cores\": 2"), "{text}");
    }

    #[test]
    fn a_call_for_another_node_is_refused_and_any_other_is_not() {
        let error = other_node(Some("web-1"), Some("web-2")).expect_err("another");
        assert!(is_other_node(&error) && error.message.contains("web-1"), "{error}");
        for (own, wanted) in
            [(Some("web-1"), Some("web-1")), (None, Some("web-2")), (Some("web-1"), None)]
        {
            assert!(other_node(own, wanted).is_ok(), "{own:?} {wanted:?}");
        }
        assert!(!is_other_node(&known("reboot").err().expect("unknown")));
    }
}
