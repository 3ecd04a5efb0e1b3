//! MCP, for an inspector of this machine and for a router of calls alike: which tools there are, and the bounds of a call.

use std::time::Duration;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation,
    ListToolsResult, PaginatedRequestParams, RequestMetaObject, ServerCapabilities, ServerConfig,
    Tool,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::{Map, Value, json};
use tokio::sync::Semaphore;

use crate::error::ToolError;
use crate::meta;
use crate::render::render;
use crate::toolset::{SPECS, Spec, find};

/// The longest call, whatever the tool.
pub(crate) const CALL_LIMIT: Duration = Duration::from_secs(25);
/// How many calls run at once; further ones wait within their own limit.
const CALLS_AT_ONCE: usize = 8;
/// The key of results, and of the data of an error, with the node that they are of. Under a name such as `node` it would
/// make each value of a result one of the object `node` for whoever reads evidence, the offline analyst for one.
const NODE: &str = "inspected_node";

/// Who answers the calls of tools.
pub(crate) trait Answers: Send + Sync + 'static {
    const INSTRUCTIONS: &'static str;
    /// The longest call, with the wait for its turn.
    const LIMIT: Duration;

    fn offer(tool: Tool) -> Tool {
        tool
    }

    /// The node that all calls are about; none where there is one machine only, or where each call has its own.
    fn node(&self) -> Option<&str> {
        None
    }

    fn answer(
        &self,
        spec: &'static Spec,
        request: CallToolRequestParams,
        meta: &RequestMetaObject,
    ) -> impl Future<Output = Result<CallToolResult, ToolError>> + Send;
}

pub(crate) struct Server<A> {
    answers: A,
    tools: Vec<Tool>,
    slots: Semaphore,
}

impl<A: Answers> Server<A> {
    pub(crate) fn new(answers: A) -> anyhow::Result<Self> {
        let tools = tools()?.into_iter().map(A::offer).collect();
        Ok(Self { answers, tools, slots: Semaphore::new(CALLS_AT_ONCE) })
    }

    async fn call(
        &self,
        spec: &'static Spec,
        request: CallToolRequestParams,
        meta: &RequestMetaObject,
    ) -> Result<CallToolResult, ToolError> {
        let work = async {
            let _slot = self.slots.acquire().await.map_err(|_| {
                ToolError::failed("the server is stopping", "call again after it has started anew")
            })?;
            self.answers.answer(spec, request, meta).await
        };
        tokio::time::timeout(A::LIMIT, work).await.unwrap_or_else(|_| {
            Err(ToolError::timeout(
                format!("{} did not finish within {} s", spec.name, A::LIMIT.as_secs()),
                "ask for less, or use another tool; the machine may be overloaded",
            ))
        })
    }
}

impl<A: Answers> ServerHandler for Server<A> {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(
                Implementation::new("tarsy-host-inspector", env!("CARGO_PKG_VERSION"))
                    .with_title("Host inspector"),
            )
            .with_instructions(A::INSTRUCTIONS)
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.tools.iter().find(|tool| tool.name == name).cloned()
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.tools.clone()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let spec = known(&request.name)?;
        let node = self.answers.node();
        other_node(node, meta::node(&context.meta))?;
        let outcome = tokio::select! {
            outcome = self.call(spec, request, &context.meta) => outcome,
            () = context.ct.cancelled() => {
                Err(ToolError::failed("the call was cancelled", "call again"))
            }
        };
        Ok(CallToolResponse::from(outcome.unwrap_or_else(|error| {
            let text = render(&of_node(node, error.to_json()));
            CallToolResult::error(vec![ContentBlock::text(text)])
        })))
    }
}

/// All tools, as the protocol describes them.
pub(crate) fn tools() -> anyhow::Result<Vec<Tool>> {
    let tools = SPECS.iter().map(Spec::tool).collect::<Result<Vec<_>, _>>();
    tools.map_err(|error| anyhow::anyhow!("a tool has no valid schema: {error}"))
}

/// The tool of this name, or an error that lists the tools.
fn known(name: &str) -> Result<&'static Spec, ErrorData> {
    find(name).ok_or_else(|| {
        let known = SPECS.iter().map(|spec| spec.name).collect::<Vec<_>>().join(", ");
        ErrorData::invalid_params(format!("unknown tool {name:?}; the tools are: {known}"), None)
    })
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
fn other_node(own: Option<&str>, wanted: Option<&str>) -> Result<(), ErrorData> {
    match (own, wanted) {
        (Some(own), Some(wanted)) if own != wanted => Err(ErrorData::invalid_request(
            format!("this is the inspector of {own}, and the call is for {wanted}"),
            Some(json!({ NODE: own })),
        )),
        _ => Ok(()),
    }
}

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
