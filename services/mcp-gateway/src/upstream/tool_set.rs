//! The tools of a server as of one list, with their schemas.

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::Value;
use tarsy_contracts::mcp::Tool;

use crate::schema::ToolSchema;

#[derive(Debug, Default)]
pub(super) struct ToolSet {
    pub(super) tools: Arc<[Tool]>,
    inputs: HashMap<String, Arc<ToolSchema>>,
    outputs: HashMap<String, Arc<ToolSchema>>,
}

impl ToolSet {
    /// `outputs` are the schemas of results by the name of the tool.
    pub(super) fn new(tools: Vec<Tool>, outputs: HashMap<String, Value>) -> Self {
        let schema = |schema: Value| Arc::new(ToolSchema::new(schema));
        let input = |tool: &Tool| (tool.name.clone(), schema(tool.input_schema.clone()));
        Self {
            inputs: tools.iter().map(input).collect(),
            outputs: outputs.into_iter().map(|(name, output)| (name, schema(output))).collect(),
            tools: tools.into(),
        }
    }

    pub(super) fn input(&self, tool: &str) -> Option<Arc<ToolSchema>> {
        self.inputs.get(tool).map(Arc::clone)
    }

    /// None if the tool declares no schema of its results.
    pub(super) fn output(&self, tool: &str) -> Option<Arc<ToolSchema>> {
        self.outputs.get(tool).map(Arc::clone)
    }
}
