//! The MCP side: answers the protocol on standard input and output.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation,
    ListToolsResult, PaginatedRequestParams, RequestMetaObject, ServerCapabilities, ServerConfig,
    Tool,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler, ServiceExt};
use serde_json::Value;
use tarsy_hosts::HostList;
use tokio::sync::Semaphore;
use tracing::level_filters::LevelFilter;

use crate::error::{ToolError, ToolResult};
use crate::host::Host;
use crate::options::Options;
use crate::render::render;
use crate::toolset::{SPECS, Spec, find};

/// The longest call, whatever the tool.
const CALL_LIMIT: Duration = Duration::from_secs(25);
/// How many calls run at once; further ones wait within their own limit.
const CALLS_AT_ONCE: usize = 8;
/// The key of a call's `_meta` with the hosts that it may reach, beside those of the options.
const HOSTS_KEY: &str = "tarsy/hosts";

const INSTRUCTIONS: &str = "Read-only tools for the Linux host this server runs on: load, CPU, memory, disks, processes, \
    ports, logs, DNS and HTTP probes. Start with system_overview, then look closer with the tool that fits the symptom. \
    Nothing can be changed with these tools.";

/// Serves MCP on standard input and output until the input ends. Logs go to standard error.
///
/// # Errors
///
/// When a log path of the options cannot be used, or the handshake fails.
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
    let inspector = Inspector::new(&options)?;
    let running = inspector
        .serve(rmcp::transport::stdio_pipes())
        .await
        .context("the MCP handshake on standard input failed")?;
    running.waiting().await.context("the MCP session broke off")?;
    Ok(())
}

struct Inspector {
    host: Arc<Host>,
    tools: Vec<Tool>,
    slots: Arc<Semaphore>,
}

impl Inspector {
    fn new(options: &Options) -> anyhow::Result<Self> {
        let host = Host::new(options).map_err(|error| anyhow::anyhow!("{}", error.to_json()))?;
        let tools = SPECS
            .iter()
            .map(Spec::tool)
            .collect::<Result<Vec<_>, _>>()
            .map_err(|error| anyhow::anyhow!("a tool has no valid schema: {error}"))?;
        Ok(Self { host: Arc::new(host), tools, slots: Arc::new(Semaphore::new(CALLS_AT_ONCE)) })
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
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(
                Implementation::new("tarsy-host-inspector", env!("CARGO_PKG_VERSION"))
                    .with_title("Host inspector"),
            )
            .with_instructions(INSTRUCTIONS)
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
        let Some(spec) = find(&request.name) else {
            let known = SPECS.iter().map(|spec| spec.name).collect::<Vec<_>>().join(", ");
            let message = format!("unknown tool {:?}; the tools are: {known}", request.name);
            return Err(ErrorData::invalid_params(message, None));
        };
        let hosts = self.host.hosts.clone().and(hosts_of(&context.meta));
        let outcome = tokio::select! {
            outcome = self.call(spec, request, hosts) => outcome,
            () = context.ct.cancelled() => Err(ToolError::failed("the call was cancelled", "call again")),
        };
        let result = match outcome {
            Ok(value) => CallToolResult::success(vec![ContentBlock::text(render(&value))]),
            Err(error) => CallToolResult::error(vec![ContentBlock::text(render(&error.to_json()))]),
        };
        Ok(CallToolResponse::from(result))
    }
}

/// The hosts that a call names in its `_meta`; none if one of them cannot be read.
fn hosts_of(meta: &RequestMetaObject) -> HostList {
    let entries = meta.get(HOSTS_KEY).and_then(Value::as_array);
    let entries = entries.into_iter().flatten().filter_map(Value::as_str);
    HostList::parse(entries).unwrap_or_default()
}
