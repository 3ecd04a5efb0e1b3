//! The MCP side: answers the protocol on standard input and output.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use rmcp::ServiceExt;
use rmcp::model::{CallToolRequestParams, CallToolResult, ContentBlock, RequestMetaObject};
use tracing::level_filters::LevelFilter;

use crate::error::ToolError;
use crate::host::Host;
use crate::meta;
use crate::options::Options;
use crate::protocol::{Answers, CALL_LIMIT, Server, of_node};
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

async fn serve(answers: impl Answers) -> anyhow::Result<()> {
    let running = Server::new(answers)?
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
}

impl Inspector {
    fn new(options: &Options) -> anyhow::Result<Self> {
        let host = Host::new(options).map_err(|error| anyhow::anyhow!("{}", error.to_json()))?;
        Ok(Self { host: Arc::new(host), node: options.node.clone() })
    }
}

impl Answers for Inspector {
    const INSTRUCTIONS: &'static str = INSTRUCTIONS;
    const LIMIT: Duration = CALL_LIMIT;

    fn node(&self) -> Option<&str> {
        self.node.as_deref()
    }

    async fn answer(
        &self,
        spec: &'static Spec,
        request: CallToolRequestParams,
        meta: &RequestMetaObject,
    ) -> Result<CallToolResult, ToolError> {
        let hosts = meta::reach(meta, &self.host.hosts);
        let arguments = request.arguments.unwrap_or_default();
        let value = (spec.run)(Arc::clone(&self.host), arguments, hosts).await?;
        let text = render(&of_node(self.node(), value));
        Ok(CallToolResult::success(vec![ContentBlock::text(text)]))
    }
}
