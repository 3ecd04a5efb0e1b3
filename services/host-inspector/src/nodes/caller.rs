//! Calls a tool of the inspector of a node, in a session for this call alone.
//!
//! A session that is kept would have to be watched and replaced; opening one is cheap beside what a tool measures.

use std::sync::Arc;
use std::time::Duration;

use reqwest::Client;
use rmcp::model::{
    CallToolRequestParams, CallToolResult, ClientCapabilities, ClientConfig, Implementation,
    ProtocolVersion,
};
use rmcp::service::{ClientLifecycleMode, ClientServiceExt as _, RunningService, ServiceError};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::common::client_side_sse::NeverRetry;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rmcp::{ClientHandler, RoleClient};
use secrecy::{ExposeSecret as _, SecretString};
use tokio::time::timeout;

use super::directory::Node;
use crate::error::ToolError;
use crate::protocol::is_other_node;

/// How long an inspector may take to open a session, for which it starts a process.
const OPEN: Duration = Duration::from_secs(5);
/// The longest message, in bytes; an answer has 64 KiB.
const MAX_MESSAGE: usize = 1024 * 1024;

pub(crate) struct Caller {
    pub(super) client: Client,
    pub(super) token: Option<SecretString>,
}

/// Why there is no result.
#[derive(Debug)]
pub(crate) enum CallError {
    /// Nothing was called.
    NotOpened,
    /// Nothing was called: another node has this address now.
    OtherNode,
    /// The inspector refused the call, with its words.
    Refused(String),
    /// The session ended during the call.
    Lost,
}

impl CallError {
    /// Whether another address may be better.
    pub(crate) fn is_moved(&self) -> bool {
        matches!(self, Self::NotOpened | Self::OtherNode)
    }

    pub(crate) fn explain(&self, node: &Node) -> ToolError {
        let name = &node.name;
        let again = "call again; if it fails again, use another tool, or report that the node could not be inspected";
        match self {
            Self::NotOpened => {
                ToolError::failed(format!("the inspector of node {name} does not answer"), again)
            }
            Self::OtherNode => ToolError::failed(
                format!("where the inspector of node {name} was is that of another node"),
                again,
            ),
            Self::Refused(words) => ToolError::failed(
                format!("the inspector of node {name} refused the call: {words}"),
                again,
            ),
            Self::Lost => ToolError::failed(
                format!("the inspector of node {name} broke off during the call"),
                again,
            ),
        }
    }
}

/// The client of a session. It offers nothing to the server.
struct Forwarder;

impl ClientHandler for Forwarder {
    fn get_info(&self) -> ClientConfig {
        let name = Implementation::new("tarsy-host-inspector", env!("CARGO_PKG_VERSION"));
        ClientConfig::new(ClientCapabilities::default(), name)
            .with_protocol_version(ProtocolVersion::LATEST_WITH_INITIALIZE)
    }
}

impl Caller {
    /// Calls a tool once. The caller bounds the time of the call itself.
    pub(crate) async fn call(
        &self,
        node: &Node,
        params: CallToolRequestParams,
    ) -> Result<CallToolResult, CallError> {
        // Dropping the session closes it, and with it the call.
        let session = self.open(node).await?;
        match session.call_tool(params).await {
            Ok(result) => Ok(result),
            Err(ServiceError::McpError(error)) if is_other_node(&error) => {
                Err(CallError::OtherNode)
            }
            Err(ServiceError::McpError(error)) => {
                Err(CallError::Refused(error.message.into_owned()))
            }
            Err(error) => {
                tracing::warn!(node = node.name, %error, "a call to the inspector of a node was lost");
                Err(CallError::Lost)
            }
        }
    }

    async fn open(&self, node: &Node) -> Result<RunningService<RoleClient, Forwarder>, CallError> {
        let mut config = StreamableHttpClientTransportConfig::with_uri(node.url.as_str())
            .max_sse_event_size(MAX_MESSAGE)
            .reinit_on_expired_session(false);
        config.retry_config = Arc::new(NeverRetry::default());
        if let Some(token) = &self.token {
            config = config.auth_header(token.expose_secret());
        }
        let transport = StreamableHttpClientTransport::with_client(self.client.clone(), config);
        let mode = ClientLifecycleMode::Initialize;
        let opening = Box::pin(Forwarder.serve_with_lifecycle(transport, mode));
        match timeout(OPEN, opening).await {
            Ok(Ok(session)) => Ok(session),
            Ok(Err(error)) => {
                tracing::warn!(node = node.name, %error, "the inspector of a node opens no session");
                Err(CallError::NotOpened)
            }
            Err(_) => {
                tracing::warn!(
                    node = node.name,
                    "the inspector of a node opens no session in time"
                );
                Err(CallError::NotOpened)
            }
        }
    }
}
