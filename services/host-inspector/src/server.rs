//! The MCP side: answers the protocol on standard input and output.

use std::sync::Arc;

use anyhow::Context;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ListToolsResult,
    PaginatedRequestParams, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler, ServiceExt};
use tarsy_hosts::HostList;
use tokio::sync::Semaphore;
use tracing::level_filters::LevelFilter;

use crate::error::{ToolError, ToolResult};
use crate::host::Host;
use crate::meta;
use crate::options::Options;
use crate::protocol::{
    CALL_LIMIT, CALLS_AT_ONCE, cancelled, error_result, info, known, of_node, other_node, tools,
};
use crate::render::render;
use crate::router::Router;
use crate::toolset::Spec;

const INSTRUCTIONS: &str = "Read-only tools for the Linux host this server runs on: load, CPU, memory, disks, processes, \
    ports, logs, DNS and HTTP probes. Start with system_overview, then look closer with the tool that fits the symptom. \
    Nothing can be changed with these tools.";

/// Serves MCP on standard input and output until the input ends. Logs go to standard error.
///
/// # Errors
///
/// When a log path or a URL of the options cannot be used, or the handshake fails.
pub async fn serve_stdio(options: Options) -> anyhow::Result<()> {
    // A caller that has set up logging keeps its own.
    let logging = tracing_subscriber::fmt()
        .with_max_level(LevelFilter::WARN)
        .with_writer(std::io::stderr)
        .with_ansi(false)
        .try_init();
    if let Err(error) = logging {
        tracing::debug!(%error, "logging is already set up");
    }
    match &options.nodes {
        Some(nodes) => serve(Router::new(nodes)?).await,
        None => serve(Inspector::new(&options)?).await,
    }
}

async fn serve(handler: impl ServerHandler) -> anyhow::Result<()> {
    let running = handler
        .serve(rmcp::transport::stdio_pipes())
        .await
        .context("the MCP handshake on standard input failed")?;
    running.waiting().await.context("the MCP session broke off")?;
    Ok(())
}

struct Inspector {
    host: Arc<Host>,
    /// The name of this node, which results state.
    node: Option<String>,
    tools: Vec<Tool>,
    slots: Arc<Semaphore>,
}

impl Inspector {
    fn new(options: &Options) -> anyhow::Result<Self> {
        let host = Host::new(options).map_err(|error| anyhow::anyhow!("{}", error.to_json()))?;
        let slots = Arc::new(Semaphore::new(CALLS_AT_ONCE));
        Ok(Self { host: Arc::new(host), node: options.node.clone(), tools: tools()?, slots })
    }

    async fn call(
        &self,
        spec: &'static Spec,
        request: CallToolRequestParams,
        hosts: HostList,
    ) -> ToolResult {
        let work = async {
            let _slot = self.slots.acquire().await.map_err(|_| {
                ToolError::failed("the server is stopping", "call again after it has started anew")
            })?;
            let host = Arc::clone(&self.host);
            (spec.run)(host, request.arguments.unwrap_or_default(), hosts).await
        };
        tokio::time::timeout(CALL_LIMIT, work).await.unwrap_or_else(|_| {
            Err(ToolError::timeout(
                format!("{} did not finish within {} s", spec.name, CALL_LIMIT.as_secs()),
                "ask for less, or use another tool; the machine may be overloaded",
            ))
        })
    }
}

impl ServerHandler for Inspector {
    fn get_info(&self) -> ServerConfig {
        info(INSTRUCTIONS)
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
        let node = self.node.as_deref();
        other_node(node, meta::node(&context.meta))?;
        let hosts = self.host.hosts.clone().and(meta::hosts(&context.meta));
        let outcome = tokio::select! {
            outcome = self.call(spec, request, hosts) => outcome,
            () = context.ct.cancelled() => Err(cancelled()),
        };
        let result = match outcome {
            Ok(value) => {
                CallToolResult::success(vec![ContentBlock::text(render(&of_node(node, value)))])
            }
            Err(error) => error_result(&of_node(node, error.to_json())),
        };
        Ok(CallToolResponse::from(result))
    }
}
