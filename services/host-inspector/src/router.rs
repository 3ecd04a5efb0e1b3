//! The MCP side of an inspector that looks at no machine itself: it forwards each call to the inspector of a node.

use std::sync::Arc;
use std::time::Duration;

use rmcp::model::{CallToolRequestParams, CallToolResult, RequestMetaObject, Tool};
use serde_json::{Map, Value, json};

use crate::args::text;
use crate::error::ToolError;
use crate::meta;
use crate::nodes::{Nodes, Wanted};
use crate::options::NodesOptions;
use crate::protocol::{Answers, CALL_LIMIT};
use crate::toolset::Spec;

/// The longest call: that of a tool at its node, and what it takes to find the node and to reach it.
const LIMIT: Duration = CALL_LIMIT.saturating_add(Duration::from_secs(10));
const NODE: &str = "node";
/// The longest name of a host.
const MAX_NAME: usize = 253;
const NODE_DESCRIPTION: &str =
    "Name or address of the node to look at. Left out, it is the node that the alert names.";

const INSTRUCTIONS: &str = "Read-only tools for the Linux hosts that are the nodes of a cluster: load, CPU, memory, disks, \
    processes, ports, logs, DNS and HTTP probes. Each call looks at one node: that of the argument node, or the one \
    that the alert names. Start with system_overview, then look closer with the tool that fits the symptom. Nothing can be \
    changed with these tools.";

pub(crate) struct Router {
    nodes: Nodes,
}

impl Router {
    pub(crate) fn new(options: &NodesOptions) -> anyhow::Result<Self> {
        Ok(Self { nodes: Nodes::new(options)? })
    }

    /// Forwards a call, a second time if its node is at another address by now.
    async fn forward(
        &self,
        mut request: CallToolRequestParams,
        meta: &RequestMetaObject,
    ) -> Result<CallToolResult, ToolError> {
        let node = take_node(request.arguments.get_or_insert_default())?;
        let wanted = Wanted { node, alert_hosts: meta::alert_hosts(meta) };
        let mut directory = self.nodes.directory().await;
        if wanted.find(&directory).is_err() {
            directory = self.nodes.renewed(&directory).await;
        }
        let mut lost = None;
        loop {
            // A node that has just been lost is no unknown one.
            let node = wanted.find(&directory).map_err(|error| lost.take().unwrap_or(error))?;
            let mut params = request.clone();
            params.meta = Some(meta::forwarded(meta, &node.name));
            match self.nodes.caller.call(node, params).await {
                Ok(result) => return Ok(result),
                Err(error) if error.is_moved() && lost.is_none() => {
                    lost = Some(error.explain(node));
                }
                Err(error) => return Err(error.explain(node)),
            }
            directory = self.nodes.after(&directory).await;
        }
    }
}

impl Answers for Router {
    const INSTRUCTIONS: &'static str = INSTRUCTIONS;
    const LIMIT: Duration = LIMIT;

    fn offer(tool: Tool) -> Tool {
        with_node(tool)
    }

    async fn answer(
        &self,
        _spec: &'static Spec,
        request: CallToolRequestParams,
        meta: &RequestMetaObject,
    ) -> Result<CallToolResult, ToolError> {
        self.forward(request, meta).await
    }
}

/// The same tool with the argument for the node.
fn with_node(mut tool: Tool) -> Tool {
    let mut schema = tool.input_schema.as_ref().clone();
    let properties = schema.entry("properties").or_insert_with(|| Value::Object(Map::new()));
    if let Some(properties) = properties.as_object_mut() {
        let node =
            json!({"type": "string", "description": NODE_DESCRIPTION, "maxLength": MAX_NAME});
        properties.insert(NODE.to_owned(), node);
    }
    tool.input_schema = Arc::new(schema);
    let description = tool.description.unwrap_or_default();
    tool.description = Some(format!("{description} Looks at one node of the cluster.").into());
    tool
}

/// Takes the node out of the arguments, which are then those of the tool at its node. Null and an empty text are none.
fn take_node(arguments: &mut Map<String, Value>) -> Result<Option<String>, ToolError> {
    match arguments.remove(NODE) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(node)) => text(NODE, Some(node), MAX_NAME),
        Some(_) => Err(ToolError::invalid(
            "node is no text",
            "write the name or the address of a node, or leave node out",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::tools;

    #[test]
    fn every_tool_has_an_optional_node_and_is_otherwise_the_same() {
        for tool in tools().expect("tools") {
            let with_node = with_node(tool.clone());
            assert_eq!((&with_node.name, &with_node.annotations), (&tool.name, &tool.annotations));
            let mut schema = with_node.input_schema.as_ref().clone();
            let properties = schema.get_mut("properties").and_then(Value::as_object_mut);
            let node = properties.and_then(|all| all.remove(NODE)).expect("node");
            assert_eq!(node["type"], "string");
            assert_eq!(&schema, tool.input_schema.as_ref(), "{}", tool.name);
        }
    }

    #[test]
    fn the_node_is_taken_out_of_the_arguments() {
        let arguments =
            |node| Map::from_iter([(NODE.to_owned(), node), ("lines".to_owned(), json!(5))]);
        for (node, taken) in
            [(json!("web-1"), Some("web-1".to_owned())), (json!(" "), None), (Value::Null, None)]
        {
            let mut arguments = arguments(node);
            assert_eq!(take_node(&mut arguments), Ok(taken));
            assert_eq!(arguments, Map::from_iter([("lines".to_owned(), json!(5))]));
        }
        assert!(take_node(&mut arguments(json!(["web-1"]))).is_err());
        assert!(take_node(&mut arguments(json!("a".repeat(254)))).is_err());
        assert_eq!(take_node(&mut Map::new()), Ok(None));
    }
}
