//! The two files as structures: each key is one field, with its default and its rule beside it. The JSON Schema and the
//! tables of the reference page are generated from them.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::agent::Agent;
use crate::chain::Chain;
use crate::intake::Intake;
use crate::notifications::Notifications;
use crate::provider::Provider;
use crate::schedule::Schedule;
use crate::server::McpServer;
use crate::settings::{Defaults, Queue, System};
use crate::topology::Topology;

/// `tarsy.yaml`: what TARSy does, with which agents, chains and tools.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct TarsyFile {
    /// How many sessions run at once, and how orphaned ones are found
    pub(crate) queue: Queue,
    /// Addresses, runbooks, Slack and retention
    pub(crate) system: System,
    /// Where notifications of sessions go
    pub(crate) notifications: Notifications,
    /// Which alert sources may send alerts, and what becomes of these
    pub(crate) intake: Intake,
    /// What applies where nothing nearer sets a value
    pub(crate) defaults: Defaults,
    /// MCP servers by id; an entry replaces the built-in one of the same id
    pub(crate) mcp_servers: BTreeMap<String, McpServer>,
    /// Agents by name; an entry replaces the built-in one of the same name
    pub(crate) agents: BTreeMap<String, Agent>,
    /// Chains by id; an entry replaces the built-in one of the same id
    pub(crate) agent_chains: BTreeMap<String, Chain>,
    /// What depends on what, see [topology.md](topology.md)
    pub(crate) topology: Topology,
    /// Investigations that begin by the calendar, by name
    pub(crate) schedules: BTreeMap<String, Schedule>,
}

/// `llm-providers.yaml`: the language models that chains may name.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct ProvidersFile {
    /// Providers by name; an entry replaces the built-in one of the same name
    pub(crate) llm_providers: BTreeMap<String, Provider>,
}
