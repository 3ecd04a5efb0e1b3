//! The tools of one agent: a lease at a gateway, replaced when its gateway is lost.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};
use tarsy_catalog::{RESERVED_ID, ResolvedServer};
use tarsy_contracts::judged::dry_run_parameter;
use tarsy_contracts::mcp::{Caller, FailedServer, ServerGrant, Tool};
use tarsy_contracts::trace::OfferedTool;
use tarsy_domain::id::{InteractionId, LeaseId};
use tarsy_domain::status::SessionOrigin;
use tarsy_store::{AcceptedTools, NewToolList, Op, Session};
use tarsy_tools::{OpenToolbox, ToolError, ToolLease};
use tokio::time::Instant;

use crate::engine::admission::{Admission, admit, admit_call, may_repeat, reads};
use crate::engine::alert_hosts::alert_hosts;
use crate::engine::context::Context;
use crate::engine::task::AgentTask;
use crate::journal::StopReason;

/// How long a gateway with free capacity is searched for. Its servers have their own `init_timeout`.
const OPEN_TIMEOUT: Duration = Duration::from_secs(45);
/// The most tools of a server that are recorded.
const MAX_RECORDED: usize = 250;
/// The longest recorded description of a tool, in characters.
const MAX_DESCRIPTION: usize = 160;

/// A call that a model requests.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Requested<'a> {
    pub(crate) server: &'a str,
    /// The tool's name at its server.
    pub(crate) name: &'a str,
    /// As the model wrote them.
    pub(crate) arguments: &'a str,
}

/// A decision about a call of a tool, by what an operator accepted of its server and by the arguments.
type CallDecision = fn(&Tool, Option<&BTreeMap<String, String>>, &str) -> bool;

/// A lease on the tool servers of an agent.
pub(crate) type Lease = Arc<dyn ToolLease>;

pub(crate) struct Tools {
    /// None when the agent has no servers, or none could be opened.
    lease: Mutex<Option<Lease>>,
    /// Only one caller replaces a lost lease.
    replacing: tokio::sync::Mutex<()>,
    /// As the servers listed them last, without those that are withheld.
    list: Mutex<Arc<[Tool]>>,
    /// Those that are withheld, each with the reason.
    withheld: Mutex<Vec<(Tool, String)>>,
    /// What operators accepted of the servers, as read last.
    accepted: Mutex<AcceptedTools>,
    /// The servers that could not be opened, and why.
    pub(crate) failed: Vec<FailedServer>,
    /// How long opening them took; none if no server was opened.
    duration: Option<Duration>,
    /// Full names of tools that the alert asks for and that their servers do not offer.
    pub(crate) missing: Vec<String>,
}

impl Tools {
    /// Opens the servers of an agent; those that cannot be opened are in `failed`.
    pub(crate) async fn open(ctx: &Context, task: &AgentTask<'_>) -> Result<Self, StopReason> {
        if task.spec.servers.is_empty() || !task.spec.strategy.uses_tools() {
            return Ok(Self::none());
        }
        let started = Instant::now();
        let opened = ctx.journal.unless_stopped(open_lease(ctx, task)).await?;
        let duration = Some(started.elapsed());
        Ok(match opened {
            Ok(lease) => {
                let missing = missing(&task.spec.servers, lease.tools(), lease.failed());
                let tools = Self { duration, missing, ..Self::new(Some(lease), Vec::new()) };
                tools.admit(tools.list().to_vec(), ctx).await?;
                tools
            }
            Err(error) => {
                tracing::warn!(error = %tarsy_telemetry::chain(&error), "no tools");
                let servers = task.spec.servers.iter();
                let failed = servers.map(|server| FailedServer {
                    server: server.id.clone(),
                    error: error.to_string(),
                });
                Self { duration, ..Self::new(None, failed.collect()) }
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
        Self {
            lease,
            replacing: tokio::sync::Mutex::default(),
            list,
            withheld: Mutex::default(),
            accepted: Mutex::default(),
            failed,
            duration: None,
            missing: Vec::new(),
        }
    }

    /// The tools as their servers listed them last.
    pub(crate) fn list(&self) -> Arc<[Tool]> {
        Arc::clone(&self.list.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// What each server offered when it was opened, as records.
    pub(crate) fn records(&self, task: &AgentTask<'_>) -> Vec<Op> {
        let Some(duration) = self.duration else { return Vec::new() };
        let duration_ms = i64::try_from(duration.as_millis()).ok();
        let (lease, list) = (self.lease(), self.list());
        let record = |server: &ResolvedServer| {
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
                tools: tools.iter().copied().map(OfferedTool::from).collect(),
            })
        };
        task.spec.servers.iter().map(record).collect()
    }

    /// Lists the tools again: a server may have changed them.
    pub(crate) async fn refresh(&self, ctx: &Context) -> Result<Arc<[Tool]>, StopReason> {
        if let Some(lease) = self.lease() {
            match ctx.journal.unless_stopped(lease.list_tools()).await? {
                Ok(tools) => self.admit(tools, ctx).await?,
                // If the lease is lost, the next call replaces it.
                Err(error) => tracing::debug!(%error, "could not list the tools again"),
            }
        }
        Ok(self.list())
    }

    /// Stores a list without the tools that are withheld.
    async fn admit(&self, tools: Vec<Tool>, ctx: &Context) -> Result<(), StopReason> {
        let mut servers: Vec<String> = tools.iter().map(|tool| tool.server.clone()).collect();
        servers.dedup();
        let accepted = ctx.journal.read(|store| store.list_accepted_tools(&servers)).await?;
        let (mut admitted, mut withheld) = (Vec::new(), Vec::new());
        for tool in tools {
            match admit(&tool, accepted.get(&tool.server)) {
                Admission::Withheld(why) => {
                    tracing::warn!(
                        mcp.server = tool.server,
                        tool.name = tool.name,
                        why,
                        "a tool is withheld"
                    );
                    withheld.push((tool, why));
                }
                _ => admitted.push(tool),
            }
        }
        *self.list.lock().unwrap_or_else(PoisonError::into_inner) = admitted.into();
        *self.withheld.lock().unwrap_or_else(PoisonError::into_inner) = withheld;
        *self.accepted.lock().unwrap_or_else(PoisonError::into_inner) = accepted;
        Ok(())
    }

    /// Whether a call may be made, and the definition of its tool. The gateway answers for a tool that is not listed.
    pub(crate) fn admission(&self, call: Requested<'_>) -> (Admission, Option<String>) {
        let Requested { server, name, arguments } = call;
        let is_called = |tool: &Tool| tool.server == server && tool.name == name;
        let withheld = self.withheld.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, why)) = withheld.iter().find(|(tool, _)| is_called(tool)) {
            return (Admission::Withheld(why.clone()), None);
        }
        let list = self.list();
        let Some(tool) = list.iter().find(|tool| is_called(tool)) else {
            return (Admission::Run, None);
        };
        let accepted = self.accepted.lock().unwrap_or_else(PoisonError::into_inner);
        let admission = admit_call(tool, accepted.get(server), arguments);
        (admission, Some(tool.terms.definition.clone()))
    }

    /// Whether the tool of a call is listed, and the call known to change nothing.
    pub(crate) fn reads(&self, call: Requested<'_>) -> bool {
        call.server == RESERVED_ID || self.decide(call, reads)
    }

    /// Whether a call may check an effect by itself: its tool is listed, it reads, and nobody has to approve it.
    pub(crate) fn may_check(&self, call: Requested<'_>) -> bool {
        let permitted = matches!(self.admission(call).0, Admission::Run | Admission::Reads);
        permitted && self.decide(call, reads)
    }

    /// The parameter with which a call of a tool is a dry run; by its schema alone in a replay, which executes nothing.
    pub(crate) fn dry_run(&self, server: &str, name: &str, is_replay: bool) -> Option<String> {
        let list = self.list();
        let tool = list.iter().find(|tool| tool.server == server && tool.name == name)?;
        let by_schema =
            || dry_run_parameter(tool.input_schema.get("properties")).map(str::to_owned);
        if is_replay { by_schema() } else { tool.terms.dry_run.clone() }
    }

    /// What a tool says of itself, as a digest.
    pub(crate) fn definition(&self, server: &str, name: &str) -> Option<String> {
        let list = self.list();
        let tool = list.iter().find(|tool| tool.server == server && tool.name == name);
        tool.map(|tool| tool.terms.definition.clone())
    }

    /// Whether the tool of a call is listed, and a second execution of the call does no harm.
    pub(crate) fn may_repeat(&self, call: Requested<'_>) -> bool {
        self.decide(call, may_repeat)
    }

    /// What a decision says of a call; no if its tool is not listed.
    fn decide(&self, call: Requested<'_>, decision: CallDecision) -> bool {
        let Requested { server, name, arguments } = call;
        let (list, accepted) = (self.list(), self.accepted.lock());
        let accepted = accepted.unwrap_or_else(PoisonError::into_inner);
        let tool = list.iter().find(|tool| tool.server == server && tool.name == name);
        tool.is_some_and(|tool| decision(tool, accepted.get(server), arguments))
    }

    /// The current lease, if there is one.
    pub(crate) fn lease(&self) -> Option<Lease> {
        self.lease.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The lease that replaces a lost one; the first caller opens it.
    pub(crate) async fn replace(
        &self,
        lost: LeaseId,
        ctx: &Context,
        task: &AgentTask<'_>,
    ) -> Result<Result<Lease, ToolError>, StopReason> {
        let _turn = ctx.journal.unless_stopped(self.replacing.lock()).await?;
        if let Some(lease) = self.lease().filter(|lease| lease.lease_id() != lost) {
            return Ok(Ok(lease));
        }
        tracing::info!("opening the tool servers again");
        let opened = ctx.journal.unless_stopped(open_lease(ctx, task)).await?;
        if let Ok(lease) = &opened {
            let mut current = self.lease.lock().unwrap_or_else(PoisonError::into_inner);
            *current = Some(Arc::clone(lease));
        }
        Ok(opened)
    }

    /// Releases the lease.
    pub(crate) async fn close(&self) {
        if let Some(lease) = self.lease() {
            lease.close().await;
        }
    }
}

/// The first tools of a list, each with its first line of description.
fn brief(tools: &[&Tool]) -> Value {
    let brief = |tool: &&Tool| {
        let line = tool.description.trim().lines().next().unwrap_or_default();
        let description: String = line.chars().take(MAX_DESCRIPTION).collect();
        json!({ "name": tool.name, "description": description })
    };
    tools.iter().take(MAX_RECORDED).map(brief).collect()
}

fn count(tools: usize) -> String {
    match tools {
        0 => "no tools".to_owned(),
        1 => "1 tool".to_owned(),
        _ if tools > MAX_RECORDED => {
            format!("{tools} tools, of which the first {MAX_RECORDED} are recorded")
        }
        _ => format!("{tools} tools"),
    }
}

/// Requested tools that their servers no longer offer.
fn missing(servers: &[ResolvedServer], tools: &[Tool], failed: &[FailedServer]) -> Vec<String> {
    let mut missing = Vec::new();
    for server in servers {
        if failed.iter().any(|one| one.server == server.id) {
            continue;
        }
        for requested in server.tools.iter().flatten() {
            if !tools.iter().any(|tool| tool.server == server.id && tool.name == *requested) {
                missing.push(format!("{}.{requested}", server.id));
            }
        }
    }
    missing
}

async fn open_lease(ctx: &Context, task: &AgentTask<'_>) -> Result<Lease, ToolError> {
    let request = OpenToolbox {
        session_id: ctx.journal.session(),
        execution_id: task.execution,
        servers: task.spec.servers.iter().map(grant).collect(),
        caller: caller(task.plan.session),
        timeout: OPEN_TIMEOUT,
    };
    Ok(Arc::from(ctx.services.toolbox.open(request).await?))
}

fn caller(session: &Session) -> Caller {
    match session.origin {
        SessionOrigin::Replay => Caller::Replay,
        // The first prompt has the alert's text, so that a model has always read what anybody may have written.
        SessionOrigin::Alert | SessionOrigin::Recording => {
            Caller::Model { alert_hosts: alert_hosts(&session.alert_data) }
        }
    }
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
            terms: tarsy_contracts::mcp::ToolTerms::default(),
        };
        let many: Vec<Tool> = (0..600).map(tool).collect();
        let many: Vec<&Tool> = many.iter().collect();
        let recorded = brief(&many);
        let recorded = recorded.as_array().unwrap();
        assert_eq!(recorded.len(), 250);
        assert_eq!(recorded[0]["name"], "tool_0");
        assert_eq!(recorded[0]["description"].as_str().unwrap().len(), 160);
        assert_eq!(count(many.len()), "600 tools, of which the first 250 are recorded");
        assert_eq!(count(79), "79 tools");
    }
}
