//! One stdio server of the configuration, or every one, behind streamable HTTP, so that they run apart from the gateway: in
//! a pod or a container of their own, with another service account and another network.
//!
//! Every session has a subprocess of its own, in the same sandbox as one of the gateway. Messages are carried as they
//! are: who reads, masks and decides is the gateway.

mod admission;
mod handshake;
mod node;
mod relay;
mod sessions;

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, bail};
use axum::{Router, middleware};
use futures::future::join_all;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use tarsy_catalog::{Catalog, Endpoint, Env, McpServer, Subprocess};
use tarsy_service::{InternalAddress, ServiceContext, Settings};
use tarsy_web::{ServerLimits, headers, request};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use self::admission::Admission;
use self::handshake::NoHandler;
use self::node::NodeIdentity;
use self::relay::Served;
use self::sessions::Sessions;
use crate::masks::Masks;
use crate::sandbox::OWN_PROGRAM;
use crate::tool_warnings::ToolWarnings;
use crate::upstream::{ByServer, Context, Guard};
use crate::{limits, metrics};

/// The first argument of a process that serves a stdio server; the server's id follows.
const SERVE: &str = "serve";
/// What stands in place of the id for every stdio server of the configuration.
const ALL: &str = "--all";
/// Where the server is served; with [`ALL`] each at a path below, by its id.
const PATH: &str = "/mcp";
/// Where mcp-gateway, which acts for all agents, calls the server.
const ADDRESS: InternalAddress = InternalAddress {
    caller: "mcp-gateway",
    risk: "call every tool",
    variable: "TARSY_MCP_SERVER_TOKEN",
    callers_setting: "the server's bearer_token in the configuration of mcp-gateway",
    count_refused: || metrics::serving_refused("token"),
};
/// The part of the grace period that is reserved for ending subprocesses.
const SHUTDOWN_RESERVE: Duration = Duration::from_secs(4);
/// The time for remaining tasks after the sessions were asked to end.
const TASKS_TIMEOUT: Duration = Duration::from_secs(8);

/// The id of the server that the arguments of this process ask to serve; empty if they name none.
pub fn server_to_serve(arguments: impl Iterator<Item = String>) -> Option<String> {
    let mut arguments = arguments.skip(1);
    let asked = arguments.next()? == SERVE;
    asked.then(|| arguments.next().unwrap_or_default())
}

/// Serves a stdio server of the configuration, or with `--all` every one, over streamable HTTP until the service stops.
pub async fn serve(
    server: String,
    settings: Settings,
    service: ServiceContext,
) -> anyhow::Result<()> {
    let token = settings.mcp_server_token.clone();
    ADDRESS.check(settings.http_addr, token.as_deref(), settings.insecure)?;
    let env =
        Env::of(settings.environment().clone()).without_llm_credentials().without_slack_token();
    let catalog = Catalog::load_dir(settings.config_dir.as_deref(), &env)
        .context("the configuration is invalid")?;
    let is_all = server == ALL;
    let servers = if is_all { every(&catalog) } else { vec![find(&catalog, &server)?] };
    crate::sandbox::report_platform();
    metrics::register_serving();
    let parts = Parts::of(&servers, is_all, &settings);
    for one in &parts.servers {
        // A program that is missing is missing for every session.
        let key = format!("mcp_servers.{}.transport.command cannot be started", one.served.id);
        match one.served.context.launch(&one.served.child) {
            Err(failure) if is_all => {
                tracing::warn!(reason = one.served.masks.reason(&failure), "{key}");
            }
            launched => drop(launched.context(key)?),
        }
    }
    let router = parts.router(&settings, token);
    // All connections come from the gateways.
    let limits = ServerLimits { connections_per_address: None, ..service.server_limits() };
    let listening = service.clone().with_server_limits(limits);
    let address: SocketAddr = listening.serve_http("http", settings.http_addr, router).await?;
    let paths: Vec<&str> = parts.servers.iter().map(|one| one.path.as_str()).collect();
    tracing::info!(%address, ?paths, "stdio servers are served");
    let grace = settings.grace.saturating_sub(SHUTDOWN_RESERVE);
    parts.run(grace, &service);
    Ok(())
}

/// The configured server and its subprocess.
fn find<'a>(catalog: &'a Catalog, id: &str) -> anyhow::Result<(&'a McpServer, &'a Subprocess)> {
    let Some(server) = catalog.servers.get(id) else {
        let known: Vec<&str> = catalog.servers.keys().map(String::as_str).collect();
        bail!(
            "'{id}' is no MCP server of the configuration; write tarsy-mcp-gateway {SERVE} SERVER with one of: {}",
            known.join(", ")
        );
    };
    match &server.transport.endpoint {
        Endpoint::Stdio(child) => Ok((server, child)),
        Endpoint::Http(_) | Endpoint::Sse(_) => bail!(
            "mcp_servers.{id}.transport.type: only a stdio server can be served; the configuration of this process \
             needs the command, and that of mcp-gateway the address"
        ),
    }
}

/// Every stdio server of the configuration.
fn every(catalog: &Catalog) -> Vec<(&McpServer, &Subprocess)> {
    let servers = catalog.servers.values();
    let stdio = servers.filter_map(|server| match &server.transport.endpoint {
        Endpoint::Stdio(child) => Some((server, child)),
        Endpoint::Http(_) | Endpoint::Sse(_) => None,
    });
    stdio.collect()
}

/// A server at its path.
struct Placed {
    path: String,
    served: Arc<Served>,
    sessions: Arc<Sessions>,
}

/// What runs until the service stops.
struct Parts {
    servers: Vec<Placed>,
    /// Of all servers together.
    admission: Admission,
    /// Ends all sessions.
    closing: CancellationToken,
    /// Ends the guard of the subprocesses.
    stopped: CancellationToken,
    tasks: TaskTracker,
}

impl Parts {
    fn of(servers: &[(&McpServer, &Subprocess)], is_all: bool, settings: &Settings) -> Self {
        let tasks = TaskTracker::new();
        let place = |(configured, child): &(&McpServer, &Subprocess)| Placed {
            path: if is_all { format!("{PATH}/{}", configured.id) } else { PATH.to_owned() },
            ..Placed::of(configured, child, settings, &tasks)
        };
        Self {
            servers: servers.iter().map(place).collect(),
            admission: Admission::new(settings.mcp_capacity.max(1)),
            closing: CancellationToken::new(),
            stopped: CancellationToken::new(),
            tasks,
        }
    }

    fn router(&self, settings: &Settings, token: Option<String>) -> Router {
        let config = StreamableHttpServerConfig::default()
            .with_cancellation_token(self.closing.clone())
            .with_max_request_body_bytes(limits::SERVED_REQUEST_BYTES)
            // No page of a browser has business here.
            .enforce_origin_validation();
        // The names of a service are many. A caller without the token gets nothing under any of them.
        let config = if token.is_some() || settings.insecure {
            config.disable_allowed_hosts()
        } else {
            config
        };
        let router = self.servers.iter().fold(Router::new(), |router, one| {
            let sessions = Arc::clone(&one.sessions);
            let service = StreamableHttpService::new(|| Ok(NoHandler), sessions, config.clone());
            router.route_service(&one.path, service)
        });
        let router = self.admission.limit(router);
        let router = match NodeIdentity::of(settings.environment()) {
            Some(node) => node.serve(router),
            None => router,
        };
        ADDRESS
            .require(router, token)
            .layer(middleware::from_fn(headers::add_security_headers))
            .layer(middleware::from_fn(request::observe))
    }

    /// Runs until the service stops, then lets running requests finish, and ends all sessions.
    fn run(self, grace: Duration, service: &ServiceContext) {
        for one in &self.servers {
            let path = one.served.context.variables.get("PATH").cloned();
            let guard = one.served.context.guard.clone();
            self.tasks.spawn(guard.run(path, self.stopped.clone()));
        }
        let (stopping, hard) = (service.stopping(), service.hard_stop());
        service.spawn("tool-sessions", async move {
            stopping.cancelled().await;
            self.admission.close();
            let sessions = || self.servers.iter().map(|one| &one.sessions);
            let running: usize = sessions().map(|sessions| sessions.running()).sum();
            tracing::info!(running, "waiting for running requests");
            tokio::select! {
                _ = join_all(sessions().map(|sessions| sessions.wait_until_idle())) => {}
                () = tokio::time::sleep(grace) => tracing::warn!("the grace period is over, running requests are ended"),
                () = hard.cancelled() => {}
            }
            self.closing.cancel();
            join_all(sessions().map(|sessions| sessions.wait_until_closed())).await;
            self.stopped.cancel();
            self.tasks.close();
            if timeout(TASKS_TIMEOUT, self.tasks.wait()).await.is_err() {
                tracing::warn!(tasks = self.tasks.len(), "the process stops before all tasks have ended");
            }
            Ok(())
        });
    }
}

impl Placed {
    fn of(
        configured: &McpServer,
        child: &Subprocess,
        settings: &Settings,
        tasks: &TaskTracker,
    ) -> Self {
        let variables = settings.environment().clone();
        let masks = Arc::new(Masks::of(configured, None, &variables));
        let context = Context {
            masks: ByServer(BTreeMap::from([(configured.id.clone(), Arc::clone(&masks))])),
            policies: ByServer(BTreeMap::new()),
            accounts: ByServer(BTreeMap::new()),
            variables,
            host_inspector: settings.host_inspector.clone(),
            launcher: PathBuf::from(OWN_PROGRAM),
            hidden_paths: settings.hidden_paths.clone(),
            guard: Guard::new(),
            tool_warnings: ToolWarnings::default(),
            stdio_host: None,
            reach: None,
        };
        let served = Arc::new(Served {
            id: configured.id.clone(),
            child: child.clone(),
            init_timeout: configured.transport.init_timeout,
            context,
            masks,
            tasks: tasks.clone(),
        });
        Self {
            path: PATH.to_owned(),
            sessions: Arc::new(Sessions::new(Arc::clone(&served))),
            served,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_argument_decides_what_this_process_is() {
        let asked = |line: &str| server_to_serve(line.split(' ').map(str::to_owned));
        assert_eq!(asked("tarsy-mcp-gateway"), None);
        assert_eq!(asked("tarsy-mcp-gateway --check-config"), None);
        assert_eq!(asked("tarsy-mcp-gateway serve host"), Some("host".to_owned()));
        assert_eq!(asked("tarsy-mcp-gateway serve --all"), Some(ALL.to_owned()));
        assert_eq!(asked("tarsy-mcp-gateway serve"), Some(String::new()));
    }
}
