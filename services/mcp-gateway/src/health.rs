//! Whether the servers can be had: checked by one instance for all, and seen by every lease.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures::StreamExt as _;
use futures::stream::FuturesUnordered;
use tarsy_bus::{Bus, Error};
use tarsy_catalog::{Endpoint, McpServer};
use tarsy_contracts::mcp::Tool;
use tarsy_contracts::status::{McpServerStatus, ToolBrief, Warning};
use tarsy_contracts::topology;
use tarsy_domain::clock::Clock;
use tokio::time::{Instant, timeout_at};

use crate::content::cut;
use crate::failure::Failure;
use crate::gateway::Timing;
use crate::hub::{Hub, Kit};
use crate::upstream::Session;
use crate::{limits, oddities, policy};

/// The job that one instance does for all.
const JOB: &str = "mcp-prober";
/// How often the job is taken or kept, and looked at for what is due.
const TICK: Duration = Duration::from_secs(5);
/// What a warning of this kind is called.
const CATEGORY: &str = "mcp_health";
/// A server that fails again and again is checked more and more seldom, up to so many doublings.
const DOUBLINGS: u32 = 3;
/// How long one write may hold up a lease.
const WRITE: Duration = Duration::from_secs(2);
/// How much of a tool's description a list for people shows, and of how many tools.
const BRIEF: usize = 500;
const TOLD: usize = 500;
/// The most bytes of schemas in the list of one server's tools.
const SCHEMAS: usize = 400 * 1024;

/// What is known of one server.
struct Seen {
    failures: u32,
    at: Instant,
    tools: Option<Arc<[Tool]>>,
    /// When it was told last that the server is well.
    told: Option<Instant>,
}

/// What is known of all servers.
pub(crate) struct Health {
    bus: Bus,
    clock: Arc<dyn Clock>,
    timing: Timing,
    seen: Mutex<HashMap<String, Seen>>,
}

impl Health {
    /// Nothing is known yet.
    pub(crate) fn new(bus: Bus, clock: Arc<dyn Clock>, timing: Timing) -> Self {
        Self { bus, clock, timing, seen: Mutex::default() }
    }

    /// A server was had; of its tools only those are told that may be called.
    pub(crate) async fn well(&self, server: &McpServer, tools: Arc<[Tool]>) -> Arc<[Tool]> {
        let may_be_called = |tool: &&Tool| policy::refusal(&server.policy, None, tool).is_none();
        let tools: Arc<[Tool]> = tools.iter().filter(may_be_called).cloned().collect();
        let server = server.id.as_str();
        if self.note_well(server, &tools) {
            self.tell(server, &tools, None).await;
        }
        tools
    }

    /// Notes that a server was had; whether that has to be told. It is told again after a while even if
    /// nothing has changed here: another gateway may have found otherwise.
    fn note_well(&self, server: &str, tools: &Arc<[Tool]>) -> bool {
        let now = Instant::now();
        let mut all = self.seen();
        let same = all.get(server).filter(|seen| seen.failures == 0);
        let told = same
            .filter(|seen| seen.tools.as_ref() == Some(tools))
            .and_then(|seen| seen.told)
            .filter(|told| told.elapsed() < self.timing.check_http);
        let seen = Seen {
            failures: 0,
            at: now,
            tools: Some(Arc::clone(tools)),
            told: Some(told.unwrap_or(now)),
        };
        all.insert(server.to_owned(), seen);
        told.is_none()
    }

    /// A server could not be had.
    pub(crate) async fn ill(&self, server: &str, failure: &Failure, reason: &str) {
        if matches!(failure, Failure::Busy) {
            // It is there, and asked no sooner than the others.
            let unknown = || Seen { failures: 0, at: Instant::now(), tools: None, told: None };
            self.seen().entry(server.to_owned()).or_insert_with(unknown).at = Instant::now();
            return;
        }
        let failures = {
            let mut seen = self.seen();
            let before = seen.get(server).map_or(0, |seen| seen.failures);
            let failures = before.saturating_add(1);
            seen.insert(
                server.to_owned(),
                Seen { failures, at: Instant::now(), tools: None, told: None },
            );
            failures
        };
        tracing::debug!(mcp.server = server, failures, "a tool server is ill");
        self.tell(server, &[], Some(reason.to_owned())).await;
    }

    /// Has a server checked again soon, whatever was known of it.
    pub(crate) fn look_again(&self, server: &str) {
        self.seen().remove(server);
    }

    /// The tools of a server, if they were listed lately.
    fn lately(&self, server: &str) -> Option<Arc<[Tool]>> {
        let seen = self.seen();
        let known = seen.get(server).filter(|seen| seen.at.elapsed() < self.timing.check_stdio)?;
        known.tools.clone()
    }

    /// What has to be checked, the longest unseen first.
    fn due<'a>(&self, kits: impl Iterator<Item = &'a Kit>) -> Vec<&'a Kit> {
        let seen = self.seen();
        let at = |kit: &Kit| seen.get(&kit.server.id).map(|seen| seen.at);
        let mut due: Vec<&Kit> =
            kits.filter(|kit| self.is_due(kit, seen.get(&kit.server.id))).collect();
        due.sort_by_key(|kit| at(kit));
        due
    }

    fn is_due(&self, kit: &Kit, seen: Option<&Seen>) -> bool {
        let Some(seen) = seen else { return true };
        let pause = match kit.server.transport.endpoint {
            Endpoint::Stdio(_) => {
                self.timing.check_stdio * 2_u32.pow(seen.failures.saturating_sub(1).min(DOUBLINGS))
            }
            Endpoint::Http(_) | Endpoint::Sse(_) => self.timing.check_http,
        };
        seen.at.elapsed() >= pause
    }

    async fn tell(&self, server: &str, tools: &[Tool], error: Option<String>) {
        let end = Instant::now() + WRITE;
        match timeout_at(end, self.write(server, tools, error)).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => {
                tracing::debug!(mcp.server = server, %error, "could not write a server's health");
            }
            Err(_) => {
                tracing::debug!(mcp.server = server, "writing a server's health takes too long");
            }
        }
    }

    async fn write(
        &self,
        server: &str,
        tools: &[Tool],
        error: Option<String>,
    ) -> Result<(), Error> {
        let status = McpServerStatus {
            id: server.to_owned(),
            healthy: error.is_none(),
            last_check: self.clock.now(),
            tools: briefs(tools),
            error: error.clone(),
        };
        self.bus.kv(&topology::MCP_STATUS).put(&key(server), &status).await?;
        let warnings = self.bus.kv(&topology::WARNINGS);
        let id = format!("{CATEGORY}.{}", key(server));
        let raised: Option<Warning> = warnings.get(&id).await?;
        match (error, raised) {
            (None, None) => Ok(()),
            (None, Some(_)) => warnings.delete(&id).await,
            (Some(details), raised) => {
                let since = raised.map_or_else(|| self.clock.now(), |raised| raised.created_at);
                let warning = Warning {
                    id: id.clone(),
                    category: CATEGORY.to_owned(),
                    message: format!("The MCP server '{server}' cannot be used."),
                    details,
                    server_id: Some(server.to_owned()),
                    created_at: since,
                };
                warnings.put(&id, &warning).await
            }
        }
    }

    /// Removes what is told of servers that are not configured any more.
    async fn forget_others(&self, hub: &Hub) -> Result<(), Error> {
        let statuses = self.bus.kv(&topology::MCP_STATUS);
        for status in statuses.entries::<McpServerStatus>().await? {
            if !hub.kits.contains_key(&status.id) {
                statuses.delete(&key(&status.id)).await?;
                let id = format!("{CATEGORY}.{}", key(&status.id));
                self.bus.kv(&topology::WARNINGS).delete(&id).await?;
                let id = format!("{}.{}", oddities::CATEGORY, key(&status.id));
                self.bus.kv(&topology::WARNINGS).delete(&id).await?;
            }
        }
        Ok(())
    }

    fn seen(&self) -> MutexGuard<'_, HashMap<String, Seen>> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Checks what is due, as long as this instance has the job.
pub(crate) async fn watch_over(hub: Hub) {
    let leaders = hub.bus.kv(&topology::LEADERS);
    let tick = TICK.min(hub.timing.check_http);
    let mut led = false;
    // A slow server holds up neither the checks of the others nor the hold on the job.
    let (mut checks, mut under_way) = (FuturesUnordered::new(), BTreeSet::new());
    loop {
        let leads = leaders.acquire_leadership(JOB).await.unwrap_or(false);
        if leads
            && !led
            && let Err(error) = hub.health.forget_others(&hub).await
        {
            tracing::debug!(%error, "could not look through the health of servers");
        }
        led = leads;
        let due = if leads { hub.health.due(hub.kits.values()) } else { Vec::new() };
        for kit in due {
            if checks.len() < limits::PROBES && under_way.insert(kit.server.id.as_str()) {
                checks.push(checked(&hub, kit));
            }
        }
        tokio::select! {
            Some(server) = checks.next() => {
                under_way.remove(server);
            }
            () = tokio::time::sleep(tick) => {}
            () = hub.draining.cancelled() => return,
        }
    }
}

/// Checks a server; tells which.
async fn checked<'a>(hub: &Hub, kit: &'a Kit) -> &'a str {
    // What is wrong was told.
    let _tools = Box::pin(check(hub, kit)).await;
    kit.server.id.as_str()
}

/// The tools of a server: those that were listed lately, or else asked for now.
pub(crate) async fn tools_of(hub: &Hub, kit: &Kit, end: Instant) -> Result<Arc<[Tool]>, String> {
    if let Some(tools) = hub.health.lately(&kit.server.id) {
        return Ok(tools);
    }
    match timeout_at(end, check(hub, kit)).await {
        Ok(checked) => checked,
        Err(_) => Err("it did not answer in the time that the caller waits".to_owned()),
    }
}

/// Connects to a server in a session of its own, lists its tools, and tells what came of it.
async fn check(hub: &Hub, kit: &Kit) -> Result<Arc<[Tool]>, String> {
    let (health, id) = (&hub.health, kit.server.id.as_str());
    match Box::pin(Session::connect(&kit.server, &hub.around, &hub.tasks)).await {
        Ok(session) => {
            let tools = health.well(&kit.server, session.tools()).await;
            session.close().await;
            Ok(tools)
        }
        Err(failure) => {
            let reason = kit.masks.reason(&failure);
            health.ill(id, &failure, &reason).await;
            Err(reason)
        }
    }
}

/// Tools for people, with their schemas as far as all of them fit into one message.
fn briefs(tools: &[Tool]) -> Vec<ToolBrief> {
    let schemas: usize = tools.iter().map(|tool| tool.input_schema.to_string().len()).sum();
    let fit = schemas <= SCHEMAS;
    let brief = |tool: &Tool| ToolBrief {
        name: tool.name.clone(),
        description: cut(tool.description.clone(), BRIEF),
        input_schema: fit.then(|| tool.input_schema.clone()),
        read_only: tool.read_only,
        idempotent: tool.idempotent,
    };
    tools.iter().take(TOLD).map(brief).collect()
}

/// A server's id as a key: what a key may not contain becomes `_`.
pub(crate) fn key(server: &str) -> String {
    let allowed = |letter: char| letter.is_ascii_alphanumeric() || "-_=".contains(letter);
    server.chars().map(|letter| if allowed(letter) { letter } else { '_' }).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tarsy_contracts::mcp::Tool;

    use super::{briefs, key};

    fn tool(schema_bytes: usize) -> Tool {
        Tool {
            server: "s".to_owned(),
            name: "t".to_owned(),
            description: "d".repeat(1000),
            input_schema: json!({"description": "x".repeat(schema_bytes)}),
            read_only: true,
            idempotent: false,
        }
    }

    #[test]
    fn schemas_are_told_unless_they_are_too_large_for_one_message() {
        let told = briefs(&[tool(10), tool(10)]);
        assert!(told.iter().all(|tool| tool.input_schema.is_some() && tool.read_only));
        assert!(told.iter().all(|tool| tool.description.len() < 600));
        let large = briefs(&[tool(300_000), tool(300_000)]);
        assert!(large.iter().all(|tool| tool.input_schema.is_none()));
    }

    #[test]
    fn every_server_has_a_key_that_buckets_take() {
        assert_eq!(key("kubernetes-server"), "kubernetes-server");
        assert_eq!(key("my server.1"), "my_server_1");
    }
}
