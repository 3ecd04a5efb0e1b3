//! The tools of one agent: a lease at a gateway, opened again when its gateway is lost.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};
use tarsy_catalog::ResolvedServer;
use tarsy_contracts::mcp::{FailedServer, ServerGrant, Tool};
use tarsy_domain::id::{InteractionId, LeaseId};
use tarsy_store::{NewToolList, Op};
use tarsy_tools::{OpenToolbox, ToolError, ToolLease};
use tokio::time::Instant;

use crate::engine::agent::Task;
use crate::owner::{Owner, StopReason};

/// How long opening the tool servers may take.
const OPEN_TIMEOUT: Duration = Duration::from_secs(45);

/// The most tools of a server, and the most characters of a description, that are recorded.
const RECORDED: usize = 250;
const LONGEST_DESCRIPTION: usize = 160;

/// Where calls go.
pub(crate) type Lease = Arc<dyn ToolLease>;

/// The tools that an agent has.
pub(crate) struct Tools {
    /// None when the agent has no servers or none could be had.
    lease: Mutex<Option<Lease>>,
    /// Only one caller opens a lost lease again.
    opening: tokio::sync::Mutex<()>,
    /// What can be called, as it was told last.
    list: Mutex<Arc<[Tool]>>,
    /// The servers that could not be had, and why.
    pub(crate) failed: Vec<FailedServer>,
    /// How long opening them took; none if that was not tried.
    took: Option<Duration>,
    /// The tools that the alert asks for and that their servers do not offer, by their full names.
    pub(crate) missing: Vec<String>,
}

impl Tools {
    /// Opens the servers of an agent; what cannot be had is told in `failed`.
    pub(crate) async fn open(owner: &Owner, task: &Task<'_>) -> Result<Self, StopReason> {
        if task.spec.servers.is_empty() || !task.spec.strategy.uses_tools() {
            return Ok(Self::none());
        }
        let begun = Instant::now();
        let opened = owner.unless_stopped(ask(owner, task)).await?;
        let took = Some(begun.elapsed());
        Ok(match opened {
            Ok(lease) => {
                let missing = missing(&task.spec.servers, lease.tools(), lease.failed());
                Self { took, missing, ..Self::new(Some(lease), Vec::new()) }
            }
            Err(error) => {
                tracing::warn!(error = %tarsy_telemetry::chain(&error), "no tools");
                let servers = task.spec.servers.iter();
                let failed = servers.map(|server| FailedServer {
                    server: server.id.clone(),
                    error: error.to_string(),
                });
                Self { took, ..Self::new(None, failed.collect()) }
            }
        })
    }

    /// No tools at all.
    pub(crate) fn none() -> Self {
        Self::new(None, Vec::new())
    }

    fn new(lease: Option<Lease>, mut failed: Vec<FailedServer>) -> Self {
        let mut list = Vec::new();
        if let Some(lease) = &lease {
            list.extend_from_slice(lease.tools());
            failed.extend_from_slice(lease.failed());
        }
        let (lease, list) = (Mutex::new(lease), Mutex::new(list.into()));
        let opening = tokio::sync::Mutex::default();
        Self { lease, opening, list, failed, took: None, missing: Vec::new() }
    }

    /// What can be called, as it was told last.
    pub(crate) fn list(&self) -> Arc<[Tool]> {
        Arc::clone(&self.list.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// What each server offered when they were opened, for the record.
    pub(crate) fn offers(&self, task: &Task<'_>) -> Vec<Op> {
        let Some(took) = self.took else { return Vec::new() };
        let duration_ms = i64::try_from(took.as_millis()).ok();
        let (lease, list) = (self.lease(), self.list());
        let offer = |server: &ResolvedServer| {
            let failed = self.failed.iter().find(|one| one.server == server.id);
            let tools: Vec<&Tool> = list.iter().filter(|tool| tool.server == server.id).collect();
            Op::ToolsListed(NewToolList {
                id: InteractionId::new(),
                stage_id: task.stage,
                execution_id: task.execution,
                gateway_instance: lease.as_ref().map(|lease| lease.instance().to_owned()),
                server_name: server.id.clone(),
                available_tools: failed.is_none().then(|| brief(&tools)),
                description: failed.is_none().then(|| count(tools.len())),
                duration_ms,
                error_message: failed.map(|one| one.error.clone()),
            })
        };
        task.spec.servers.iter().map(offer).collect()
    }

    /// What can be called now: a server may have changed its tools.
    pub(crate) async fn list_now(&self, owner: &Owner) -> Result<Arc<[Tool]>, StopReason> {
        if let Some(lease) = self.lease() {
            match owner.unless_stopped(lease.list_tools()).await? {
                Ok(tools) => {
                    let mut list = self.list.lock().unwrap_or_else(PoisonError::into_inner);
                    *list = tools.into();
                }
                // The next call finds out, if it matters.
                Err(error) => tracing::debug!(%error, "the tools were not listed anew"),
            }
        }
        Ok(self.list())
    }

    /// The lease, if there is one.
    pub(crate) fn lease(&self) -> Option<Lease> {
        self.lease.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The lease that stands in for a lost one; the first caller opens it.
    pub(crate) async fn instead_of(
        &self,
        lost: LeaseId,
        owner: &Owner,
        task: &Task<'_>,
    ) -> Result<Result<Lease, ToolError>, StopReason> {
        let _turn = owner.unless_stopped(self.opening.lock()).await?;
        if let Some(lease) = self.lease().filter(|lease| lease.lease_id() != lost) {
            return Ok(Ok(lease));
        }
        tracing::info!("the tool servers are opened again");
        let opened = owner.unless_stopped(ask(owner, task)).await?;
        if let Ok(lease) = &opened {
            let mut current = self.lease.lock().unwrap_or_else(PoisonError::into_inner);
            *current = Some(Arc::clone(lease));
        }
        Ok(opened)
    }

    /// Gives the lease back.
    pub(crate) async fn close(&self) {
        if let Some(lease) = self.lease() {
            lease.close().await;
        }
    }
}

/// Tools for the record: the first ones, in short.
fn brief(tools: &[&Tool]) -> Value {
    let brief = |tool: &&Tool| {
        let line = tool.description.trim().lines().next().unwrap_or_default();
        let description: String = line.chars().take(LONGEST_DESCRIPTION).collect();
        json!({ "name": tool.name, "description": description })
    };
    tools.iter().take(RECORDED).map(brief).collect()
}

fn count(tools: usize) -> String {
    match tools {
        0 => "no tools".to_owned(),
        1 => "1 tool".to_owned(),
        _ if tools > RECORDED => format!("{tools} tools, of which the first {RECORDED} are kept"),
        _ => format!("{tools} tools"),
    }
}

/// What was wished for when the session began, and is not there now.
fn missing(servers: &[ResolvedServer], tools: &[Tool], failed: &[FailedServer]) -> Vec<String> {
    let mut missing = Vec::new();
    for server in servers {
        if failed.iter().any(|one| one.server == server.id) {
            continue;
        }
        for wished in server.tools.iter().flatten() {
            if !tools.iter().any(|tool| tool.server == server.id && tool.name == *wished) {
                missing.push(format!("{}.{wished}", server.id));
            }
        }
    }
    missing
}

async fn ask(owner: &Owner, task: &Task<'_>) -> Result<Lease, ToolError> {
    let request = OpenToolbox {
        session_id: owner.session(),
        execution_id: task.execution,
        servers: task.spec.servers.iter().map(grant).collect(),
        timeout: OPEN_TIMEOUT,
    };
    Ok(Arc::from(owner.app.toolbox.open(request).await?))
}

fn grant(server: &ResolvedServer) -> ServerGrant {
    ServerGrant { server: server.id.clone(), tools: server.tools.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_of_tools_is_bounded_however_many_there_are() {
        let tool = |number: usize| Tool {
            server: "grafana".to_owned(),
            name: format!("tool_{number}"),
            description: format!("{}\nmore", "x".repeat(10_000)),
            input_schema: json!({}),
            read_only: true,
            idempotent: true,
        };
        let many: Vec<Tool> = (0..600).map(tool).collect();
        let many: Vec<&Tool> = many.iter().collect();
        let kept = brief(&many);
        let kept = kept.as_array().unwrap();
        assert_eq!(kept.len(), 250);
        assert_eq!(kept[0]["name"], "tool_0");
        assert_eq!(kept[0]["description"].as_str().unwrap().len(), 160);
        assert_eq!(count(many.len()), "600 tools, of which the first 250 are kept");
        assert_eq!(count(79), "79 tools");
    }
}
