//! Servers whose requests name the execution of an agent: by a template in their headers, and by an address that is sent a
//! DELETE when the execution has ended.

use std::collections::BTreeMap;
use std::sync::Arc;

use reqwest::Url;
use secrecy::{ExposeSecret as _, SecretString};
use tarsy_catalog::{Endpoint, McpServer, Remote, SESSION_ID_TEMPLATE};
use tarsy_domain::id::ExecutionId;

use crate::failure::Failure;
use crate::limits;
use crate::upstream::client;

/// Stands for the execution where there is none: a check of the server's health, or a person who tries a tool.
const NOBODY: &str = "none";

/// Whether each execution needs a session of its own.
pub(crate) fn is_per_execution(server: &McpServer) -> bool {
    let Some(remote) = remote(server) else { return false };
    let is_named = |value: &SecretString| value.expose_secret().contains(SESSION_ID_TEMPLATE);
    remote.session_cleanup_url.is_some() || remote.custom_headers.values().any(is_named)
}

/// The server as one execution reaches it.
pub(crate) fn of_execution(server: &Arc<McpServer>, execution: ExecutionId) -> Arc<McpServer> {
    named(server, &execution.to_string())
}

/// The server as it is reached for no execution.
pub(crate) fn of_nobody(server: &Arc<McpServer>) -> Arc<McpServer> {
    named(server, NOBODY)
}

fn named(server: &Arc<McpServer>, name: &str) -> Arc<McpServer> {
    if !is_per_execution(server) {
        return Arc::clone(server);
    }
    let mut server = McpServer::clone(server);
    if let Endpoint::Http(remote) | Endpoint::Sse(remote) = &mut server.transport.endpoint {
        for value in remote.custom_headers.values_mut() {
            *value = value.expose_secret().replace(SESSION_ID_TEMPLATE, name).into();
        }
        if let Some(address) = &mut remote.session_cleanup_url {
            *address = address.replace(SESSION_ID_TEMPLATE, name);
        }
    }
    Arc::new(server)
}

fn remote(server: &McpServer) -> Option<&Remote> {
    match &server.transport.endpoint {
        Endpoint::Http(remote) | Endpoint::Sse(remote) => Some(remote),
        Endpoint::Stdio(_) => None,
    }
}

/// Sends the DELETE for an execution that has ended, if the server has an address for it. What fails is logged: the execution
/// has ended all the same.
pub(crate) async fn end(server: &McpServer) {
    let Some(remote) = remote(server) else { return };
    let Some(address) = &remote.session_cleanup_url else { return };
    if let Err(why) = delete(remote, address).await {
        tracing::warn!(mcp.server = server.id, why, "a session could not be cleaned up");
    }
}

/// Sends the request, with the server's own headers only where it goes to the server's own origin.
async fn delete(remote: &Remote, address: &str) -> Result<(), String> {
    let url = Url::parse(address).map_err(|error| error.to_string())?;
    let plain;
    let remote = if url.origin() == remote.url.origin() {
        remote
    } else {
        plain = Remote { bearer_token: None, custom_headers: BTreeMap::new(), ..remote.clone() };
        &plain
    };
    let client = client(remote).map_err(|failure: Failure| failure.to_string())?;
    let answer = client.delete(url).timeout(limits::CLOSE).send().await;
    let status = answer.map_err(|error| error.without_url().to_string())?.status();
    // What is gone already needs no cleaning.
    if status.is_success() || matches!(status.as_u16(), 404 | 410) {
        return Ok(());
    }
    Err(format!("it was answered with {status}"))
}
