//! The tools of a server, page by page, with an end.

use std::collections::HashSet;

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

/// Lists all tools; one that has no proper definition does not hide the others.
pub(super) async fn list(peer: &Peer<RoleClient>, server: &str) -> Result<Vec<Tool>, Failure> {
    match timeout(limits::LIST, pages(peer, server)).await {
        Ok(listed) => listed,
        Err(_) => Err(Failure::Listing(format!("no answer within {:?}", limits::LIST))),
    }
}

async fn pages(peer: &Peer<RoleClient>, server: &str) -> Result<Vec<Tool>, Failure> {
    let mut tools = Tools { server, names: HashSet::new(), listed: Vec::new() };
    let mut cursors = HashSet::new();
    let mut cursor: Option<String> = None;
    for _ in 0..limits::PAGES {
        let next = tools.add(ask(peer, cursor).await?)?;
        let Some(next) = next.filter(|_| tools.listed.len() < limits::TOOLS) else {
            return Ok(tools.listed);
        };
        if !cursors.insert(next.clone()) {
            tracing::warn!(mcp.server = server, "a server repeats a cursor; its list ends there");
            return Ok(tools.listed);
        }
        cursor = Some(next);
    }
    tracing::warn!(
        mcp.server = server,
        pages = limits::PAGES,
        "a tool list has too many pages; it ends here"
    );
    Ok(tools.listed)
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

struct Tools<'a> {
    server: &'a str,
    names: HashSet<String>,
    listed: Vec<Tool>,
}

impl Tools<'_> {
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
            match serde_json::from_value::<RawTool>(tool) {
                Ok(tool) => self.push(tool),
                Err(error) => {
                    tracing::warn!(mcp.server = self.server, %error, "left out a tool without a proper definition");
                }
            }
        }
        Ok(page.get("nextCursor").and_then(Value::as_str).map(str::to_owned))
    }

    fn push(&mut self, tool: RawTool) {
        if self.listed.len() >= limits::TOOLS || !self.names.insert(tool.name.to_string()) {
            return;
        }
        let hints = tool.annotations.unwrap_or_default();
        let description = tool.description.map(String::from).or(tool.title).unwrap_or_default();
        self.listed.push(Tool {
            server: self.server.to_owned(),
            name: tool.name.into_owned(),
            description: cut(description, limits::DESCRIPTION_BYTES),
            input_schema: Value::Object(tool.input_schema.as_ref().clone()),
            read_only: hints.read_only_hint.unwrap_or(false),
            idempotent: hints.idempotent_hint.unwrap_or(false),
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_broken_definition_and_a_repeated_name_leave_the_other_tools() {
        let mut tools = Tools { server: "s", names: HashSet::new(), listed: Vec::new() };
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
        assert_eq!(tools.listed[1].description, "B");
    }
}
