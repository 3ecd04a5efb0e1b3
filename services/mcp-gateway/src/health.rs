//! The health of the servers, as leases and health checks report it, published in `tarsy_mcp_status`.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tarsy_bus::{Bus, Error};
use tarsy_catalog::{Endpoint, McpServer};
use tarsy_contracts::mcp::Tool;
use tarsy_contracts::status::{McpServerStatus, ServerFault, ToolBrief};
use tarsy_contracts::topology;
use tarsy_domain::clock::Clock;
use tokio::time::{Instant, timeout};

use crate::failure::Failure;
use crate::policy;
use crate::servers::{ServerRuntime, Servers};
use crate::text::truncate;
use crate::timing::Timing;
use crate::warnings::{Category, Warnings, bucket_key};

/// The check interval of a subprocess server that nobody set up doubles with each failure, at most this often: its program is
/// started for each check.
const MAX_DOUBLINGS: u32 = 3;
/// The timeout of publishing a server's health, which may delay a lease.
const PUBLISH_TIMEOUT: Duration = Duration::from_secs(2);
/// The longest published description of a tool in bytes, and the most published tools.
const DESCRIPTION_BYTES: usize = 500;
const PUBLISHED_TOOLS: usize = 500;
/// The most bytes of the published schemas of one server's tools.
const SCHEMA_BYTES: usize = 400 * 1024;

struct ServerHealth {
    /// The failures in a row.
    failures: u32,
    checked: Instant,
    tools: Option<Arc<[Tool]>>,
    /// It has worked since this gateway started.
    was_healthy: bool,
    /// When the server was last published as healthy.
    published: Option<Instant>,
    /// Nobody set it up, and it has never worked.
    not_configured: bool,
}

/// Why a server cannot be used.
struct Problem {
    reason: String,
    not_configured: bool,
    fault: ServerFault,
}

pub(crate) struct Health {
    bus: Bus,
    clock: Arc<dyn Clock>,
    warnings: Warnings,
    timing: Timing,
    servers: Mutex<HashMap<String, ServerHealth>>,
}

impl Health {
    pub(crate) fn new(bus: Bus, clock: Arc<dyn Clock>, timing: Timing) -> Self {
        let warnings = Warnings { bus: bus.clone(), clock: Arc::clone(&clock) };
        Self { bus, clock, warnings, timing, servers: Mutex::default() }
    }

    pub(crate) const fn timing(&self) -> Timing {
        self.timing
    }

    /// Reports a healthy server; publishes and returns the tools that the policy permits.
    pub(crate) async fn report_healthy(
        &self,
        server: &McpServer,
        tools: Arc<[Tool]>,
    ) -> Arc<[Tool]> {
        let permitted = |tool: &&Tool| policy::refusal(&server.policy, None, tool).is_none();
        let tools: Arc<[Tool]> = tools.iter().filter(permitted).cloned().collect();
        let server = server.id.as_str();
        if self.record_healthy(server, &tools) {
            self.publish(server, &tools, None).await;
        }
        tools
    }

    /// Records a healthy server; returns whether to publish that. An unchanged server is published again
    /// after a check interval: another gateway may have published a failure.
    fn record_healthy(&self, server: &str, tools: &Arc<[Tool]>) -> bool {
        let now = Instant::now();
        let mut servers = self.servers();
        let unchanged = servers
            .get(server)
            .filter(|known| known.failures == 0 && known.tools.as_ref() == Some(tools));
        if servers.get(server).is_some_and(|known| known.failures > 0) {
            tracing::info!(mcp.server = server, "a tool server is available again");
        }
        let published = unchanged
            .and_then(|known| known.published)
            .filter(|published| published.elapsed() < self.timing.check_http);
        let health = ServerHealth {
            failures: 0,
            checked: now,
            tools: Some(Arc::clone(tools)),
            was_healthy: true,
            published: Some(published.unwrap_or(now)),
            not_configured: false,
        };
        servers.insert(server.to_owned(), health);
        published.is_none()
    }

    /// Reports a failure of a server. A server that is too busy is not unhealthy.
    pub(crate) async fn report_unhealthy(
        &self,
        runtime: &ServerRuntime,
        failure: &Failure,
        reason: &str,
    ) {
        let server = runtime.server.id.as_str();
        let now = Instant::now();
        let unknown = |was_healthy| ServerHealth {
            failures: 0,
            checked: now,
            tools: None,
            was_healthy,
            published: None,
            not_configured: !was_healthy && !runtime.is_set_up(),
        };
        let (failures, not_configured) = {
            let mut servers = self.servers();
            let health = servers.entry(server.to_owned()).or_insert_with(|| unknown(false));
            health.checked = now;
            if failure.is_busy() {
                return;
            }
            let failures = health.failures.saturating_add(1);
            *health = ServerHealth { failures, ..unknown(health.was_healthy) };
            (failures, health.not_configured)
        };
        // One line when it goes, not one for each check.
        if failures == 1 && !not_configured {
            tracing::warn!(mcp.server = server, reason, "a tool server is unavailable");
        } else {
            tracing::debug!(mcp.server = server, failures, reason, "a tool server is unavailable");
        }
        let problem = Problem { reason: reason.to_owned(), not_configured, fault: failure.fault() };
        self.publish(server, &[], Some(problem)).await;
    }

    /// Has the time until the next check of a server begin at `at`.
    pub(crate) fn count_from(&self, server: &str, at: Instant) {
        if let Some(known) = self.servers().get_mut(server) {
            known.checked = at;
        }
    }

    /// Makes a server due for a check.
    pub(crate) fn mark_due(&self, server: &str) {
        self.servers().remove(server);
    }

    /// The tools of a server if they were listed less than a check interval ago.
    pub(crate) fn recent_tools(&self, server: &str) -> Option<Arc<[Tool]>> {
        let servers = self.servers();
        let recent = servers
            .get(server)
            .filter(|known| known.checked.elapsed() < self.timing.check_stdio)?;
        recent.tools.clone()
    }

    pub(crate) fn last_check(&self, server: &str) -> Option<Instant> {
        self.servers().get(server).map(|known| known.checked)
    }

    /// Whether the last check of a server found it usable.
    pub(crate) fn is_healthy(&self, server: &str) -> bool {
        self.servers().get(server).is_some_and(|known| known.tools.is_some())
    }

    /// The time until a server is due for a check; none if it is.
    pub(crate) fn due_in(&self, server: &McpServer) -> Duration {
        let servers = self.servers();
        let Some(known) = servers.get(&server.id) else { return Duration::ZERO };
        let interval = match server.transport.endpoint {
            Endpoint::Stdio(_) if known.not_configured => {
                let doublings = known.failures.saturating_sub(1).min(MAX_DOUBLINGS);
                self.timing.check_stdio * 2_u32.pow(doublings)
            }
            Endpoint::Stdio(_) => self.timing.check_stdio,
            Endpoint::Http(_) | Endpoint::Sse(_) => self.timing.check_http,
        };
        interval.saturating_sub(known.checked.elapsed())
    }

    async fn publish(&self, server: &str, tools: &[Tool], problem: Option<Problem>) {
        match timeout(PUBLISH_TIMEOUT, self.try_publish(server, tools, problem)).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => {
                tracing::debug!(mcp.server = server, %error, "could not publish a server's health");
            }
            Err(_) => {
                tracing::debug!(mcp.server = server, "publishing a server's health takes too long");
            }
        }
    }

    async fn try_publish(
        &self,
        server: &str,
        tools: &[Tool],
        problem: Option<Problem>,
    ) -> Result<(), Error> {
        let status = McpServerStatus {
            id: server.to_owned(),
            healthy: problem.is_none(),
            last_check: self.clock.now(),
            tools: briefs(tools),
            error: problem.as_ref().map(|problem| problem.reason.clone()),
            not_configured: problem.as_ref().is_some_and(|problem| problem.not_configured),
            fault: problem.as_ref().map(|problem| problem.fault),
        };
        self.bus.kv(&topology::MCP_STATUS).put(&bucket_key(server), &status).await?;
        match problem.filter(|problem| !problem.not_configured) {
            None => self.warnings.clear(Category::Health, server).await,
            Some(problem) => self.warnings.raise(Category::Health, server, problem.reason).await,
        }
    }

    /// Deletes the published health and warnings of servers that are no longer configured.
    pub(crate) async fn delete_unconfigured(&self, servers: &Servers) -> Result<(), Error> {
        let statuses = self.bus.kv(&topology::MCP_STATUS);
        for status in statuses.entries::<McpServerStatus>().await? {
            if servers.get(&status.id).is_none() {
                statuses.delete(&bucket_key(&status.id)).await?;
                self.warnings.clear(Category::Health, &status.id).await?;
                self.warnings.clear(Category::Tools, &status.id).await?;
            }
        }
        Ok(())
    }

    fn servers(&self) -> MutexGuard<'_, HashMap<String, ServerHealth>> {
        self.servers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Tools for people, without any schema if all schemas do not fit into one message.
fn briefs(tools: &[Tool]) -> Vec<ToolBrief> {
    let schemas: usize = tools.iter().map(|tool| tool.input_schema.to_string().len()).sum();
    let fits = schemas <= SCHEMA_BYTES;
    let brief = |tool: &Tool| ToolBrief {
        name: tool.name.clone(),
        description: truncate(tool.description.clone(), DESCRIPTION_BYTES),
        input_schema: fits.then(|| tool.input_schema.clone()),
        read_only: tool.read_only,
        idempotent: tool.idempotent,
        terms: tool.terms.clone(),
    };
    tools.iter().take(PUBLISHED_TOOLS).map(brief).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tarsy_contracts::mcp::Tool;

    use super::briefs;

    fn tool(schema_bytes: usize) -> Tool {
        Tool {
            server: "s".to_owned(),
            name: "t".to_owned(),
            description: "d".repeat(1000),
            input_schema: json!({"description": "x".repeat(schema_bytes)}),
            read_only: true,
            idempotent: false,
            terms: tarsy_contracts::mcp::ToolTerms::default(),
        }
    }

    #[test]
    fn schemas_are_published_unless_they_are_too_large_for_one_message() {
        let small = briefs(&[tool(10), tool(10)]);
        assert!(small.iter().all(|tool| tool.input_schema.is_some() && tool.read_only));
        assert!(small.iter().all(|tool| tool.description.len() < 600));
        let large = briefs(&[tool(300_000), tool(300_000)]);
        assert!(large.iter().all(|tool| tool.input_schema.is_none()));
    }
}
