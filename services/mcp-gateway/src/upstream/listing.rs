//! The tools of a server, page by page, with an end.

use std::collections::{HashMap, HashSet};

use rmcp::model::{
    ClientRequest, ListToolsRequest, PaginatedRequestParams, ServerResult, Tool as RawTool,
};
use rmcp::service::{Peer, PeerRequestOptions, RoleClient};
use serde_json::Value;
use tarsy_contracts::mcp::Tool;
use tokio::time::timeout;

use crate::content::cut;
use crate::failure::Failure;
use crate::limits;

/// How much of the name of a tool is told that is left out.
const ODD_NAME: usize = 100;

/// Lists all tools; one that has no proper definition does not hide the others.
pub(super) async fn list(peer: &Peer<RoleClient>, server: &str) -> Result<Listed, Failure> {
    match timeout(limits::LIST, pages(peer, server)).await {
        Ok(listed) => listed,
        Err(_) => Err(Failure::Listing(format!("no answer within {:?}", limits::LIST))),
    }
}

async fn pages(peer: &Peer<RoleClient>, server: &str) -> Result<Listed, Failure> {
    let mut tools = Tools::of(server);
    let mut cursors = HashSet::new();
    let mut cursor: Option<String> = None;
    for _ in 0..limits::PAGES {
        let next = tools.add(ask(peer, cursor).await?)?;
        let Some(next) = next else { return Ok(tools.end()) };
        if tools.listed.len() >= limits::TOOLS {
            tools.is_odd(format!(
                "there are more than {} tools; the rest is left out",
                limits::TOOLS
            ));
            return Ok(tools.end());
        }
        if !cursors.insert(next.clone()) {
            tools.is_odd("its list repeats a cursor; it is read no further".to_owned());
            return Ok(tools.end());
        }
        cursor = Some(next);
    }
    tools.is_odd(format!("its list has more than {} pages; the rest is left out", limits::PAGES));
    Ok(tools.end())
}

async fn ask(peer: &Peer<RoleClient>, cursor: Option<String>) -> Result<ServerResult, Failure> {
    let params = cursor.map(|cursor| PaginatedRequestParams::default().with_cursor(Some(cursor)));
    let request = ListToolsRequest { params, ..ListToolsRequest::default() };
    let handle = peer
        .send_request_with_option(
            ClientRequest::ListToolsRequest(request),
            PeerRequestOptions::no_options(),
        )
        .await?;
    Ok(handle.await_response().await?)
}

/// The tools of a server, and what was odd about its list.
pub(super) struct Listed {
    pub(super) tools: Vec<Tool>,
    /// The schemas of results, by the tool's name, where a tool declares one.
    pub(super) outputs: HashMap<String, Value>,
    pub(super) odd: Vec<String>,
}

struct Tools<'a> {
    server: &'a str,
    names: HashSet<String>,
    listed: Vec<Tool>,
    outputs: HashMap<String, Value>,
    bytes: usize,
    output_bytes: usize,
    odd: Vec<String>,
}

impl<'a> Tools<'a> {
    fn of(server: &'a str) -> Self {
        Self {
            server,
            names: HashSet::new(),
            listed: Vec::new(),
            outputs: HashMap::new(),
            bytes: 0,
            output_bytes: 0,
            odd: Vec::new(),
        }
    }

    fn end(self) -> Listed {
        if !self.odd.is_empty() {
            // The warning that operators get says what it is, masked.
            tracing::warn!(
                mcp.server = self.server,
                oddities = self.odd.len(),
                "a tool list is odd"
            );
        }
        Listed { tools: self.listed, outputs: self.outputs, odd: self.odd }
    }

    fn is_odd(&mut self, what: String) {
        if self.odd.len() < limits::ODDITIES {
            self.odd.push(what);
        }
    }

    /// Takes one page and tells where the next begins.
    fn add(&mut self, page: ServerResult) -> Result<Option<String>, Failure> {
        match page {
            ServerResult::ListToolsResult(page) => {
                page.tools.into_iter().for_each(|tool| self.push(tool));
                Ok(page.next_cursor)
            }
            ServerResult::CustomResult(page) => self.add_leniently(page.0),
            _ => Err(Failure::Listing("the answer is no list of tools".to_owned())),
        }
    }

    fn add_leniently(&mut self, mut page: Value) -> Result<Option<String>, Failure> {
        let Some(Value::Array(tools)) = page.get_mut("tools").map(Value::take) else {
            return Err(Failure::Listing("the answer is no list of tools".to_owned()));
        };
        for tool in tools {
            let name = tool.get("name").and_then(Value::as_str).map(str::to_owned);
            match serde_json::from_value::<RawTool>(tool) {
                Ok(tool) => self.push(tool),
                Err(error) => {
                    let name = name.map_or_else(
                        || "a tool without a name".to_owned(),
                        |name| format!("'{}'", cut(name, ODD_NAME)),
                    );
                    self.is_odd(format!(
                        "{name} is left out, it has no proper definition: {error}"
                    ));
                }
            }
        }
        Ok(page.get("nextCursor").and_then(Value::as_str).map(str::to_owned))
    }

    fn push(&mut self, tool: RawTool) {
        if self.listed.len() >= limits::TOOLS {
            return;
        }
        if !self.names.insert(tool.name.to_string()) {
            let name = cut(tool.name.into_owned(), ODD_NAME);
            self.is_odd(format!("'{name}' is there twice; only the first is taken"));
            return;
        }
        let output = tool.output_schema;
        let hints = tool.annotations.unwrap_or_default();
        let description = tool.description.map(String::from).or(tool.title).unwrap_or_default();
        let tool = Tool {
            server: self.server.to_owned(),
            name: tool.name.into_owned(),
            description: cut(description, limits::DESCRIPTION_BYTES),
            input_schema: Value::Object(tool.input_schema.as_ref().clone()),
            read_only: hints.read_only_hint.unwrap_or(false),
            idempotent: hints.idempotent_hint.unwrap_or(false),
        };
        let bytes = tool.name.len() + tool.description.len() + tool.input_schema.to_string().len();
        if bytes > limits::TOOL_BYTES || self.bytes + bytes > limits::LIST_BYTES {
            let name = cut(tool.name, ODD_NAME);
            self.is_odd(format!("'{name}' is left out, its definition is too large"));
            return;
        }
        self.bytes += bytes;
        if let Some(schema) = output {
            self.declare(tool.name.clone(), Value::Object(schema.as_ref().clone()));
        }
        self.listed.push(tool);
    }

    /// Keeps the schema of a tool's results; one that is too large is not checked.
    fn declare(&mut self, name: String, schema: Value) {
        let bytes = schema.to_string().len();
        if bytes <= limits::TOOL_BYTES && self.output_bytes + bytes <= limits::LIST_BYTES {
            self.output_bytes += bytes;
            self.outputs.insert(name, schema);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_definition_that_is_too_large_leaves_the_other_tools() {
        let mut tools = Tools::of("s");
        let large = "x".repeat(limits::TOOL_BYTES);
        let page = json!({"tools": [
            {"name": "large", "inputSchema": {"type": "object", "description": large}},
            {"name": "a", "inputSchema": {"type": "object"}},
        ]});
        tools.add_leniently(page).unwrap();
        let listed = tools.end();
        assert_eq!(listed.tools.len(), 1);
        assert!(listed.odd.join("; ").contains("'large' is left out"), "{:?}", listed.odd);
    }

    #[test]
    fn a_name_that_is_too_long_is_left_out_and_told_in_short() {
        let mut tools = Tools::of("s");
        let name = "n".repeat(limits::TOOL_BYTES);
        let page = json!({"tools": [{"name": name, "inputSchema": {"type": "object"}}]});
        tools.add_leniently(page).unwrap();
        let listed = tools.end();
        assert!(listed.tools.is_empty());
        assert!(listed.odd.join("; ").len() < 200, "{:?}", listed.odd);
    }

    #[test]
    fn a_broken_definition_and_a_repeated_name_leave_the_other_tools() {
        let mut tools = Tools::of("s");
        let page = json!({
            "tools": [
                {"name": "a", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": true}},
                {"name": "broken"},
                {"name": "a", "inputSchema": {"type": "object"}},
                {"name": "b", "title": "B", "inputSchema": {"type": "object"}},
            ],
            "nextCursor": "2",
        });
        assert_eq!(tools.add_leniently(page).unwrap().as_deref(), Some("2"));
        let names: Vec<_> = tools.listed.iter().map(|tool| tool.name.as_str()).collect();
        assert_eq!(names, ["a", "b"]);
        assert!(tools.listed[0].read_only);
        let odd = tools.odd.join("; ");
        assert!(
            odd.contains("'broken' is left out") && odd.contains("'a' is there twice"),
            "{odd}"
        );
        assert_eq!(tools.listed[1].description, "B");
    }
}
