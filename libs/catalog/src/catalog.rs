//! The catalog itself.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::agent::Agent;
use crate::chain::Chain;
use crate::env::Env;
use crate::intake::Intake;
use crate::notifications::{Destination, PreventionMessage};
use crate::provider::Provider;
use crate::report::Problem;
use crate::schedule::Schedule;
use crate::server::McpServer;
use crate::settings::{Defaults, Queue, System};
use crate::skill::Skill;
use crate::topology::Topology;
use crate::values::ConfigValue;

/// The variables in the templates of each file.
#[derive(Clone, Debug, Default)]
pub(crate) struct Templates {
    pub(crate) tarsy: BTreeSet<String>,
    pub(crate) providers: BTreeSet<String>,
}

/// Everything that an operator wrote, checked as a whole and joined with what TARSy brings along.
///
/// It never changes once loaded. Build it with [`Catalog::load_dir`], [`Catalog::load`] or
/// [`Catalog::builtin`].
#[derive(Clone, Debug)]
pub struct Catalog {
    /// How many sessions run at once, and how orphaned ones are found.
    pub queue: Queue,
    /// Addresses, runbooks, Slack and retention.
    pub system: System,
    /// What applies where nothing nearer sets a value.
    pub defaults: Defaults,
    /// The MCP servers, by name.
    pub servers: BTreeMap<String, McpServer>,
    /// The agents, by name.
    pub agents: BTreeMap<String, Agent>,
    /// The chains, by name.
    pub chains: BTreeMap<String, Chain>,
    /// What depends on what, as the operator knows it.
    pub topology: Topology,
    /// Investigations that begin by the calendar, by name.
    pub schedules: BTreeMap<String, Schedule>,
    /// The providers, by name.
    pub providers: BTreeMap<String, Provider>,
    /// The skills that agents may use, by name.
    pub skills: BTreeMap<String, Skill>,
    /// Receivers of notifications, the channel of `system.slack` among them.
    pub destinations: Vec<Destination>,
    /// Who is sent, once a week, what came again.
    pub prevention_message: PreventionMessage,
    /// Which alert sources may send alerts, and what becomes of these.
    pub intake: Intake,
    /// Keys that the files set and that have no effect.
    pub warnings: Vec<Problem>,
    /// The provider where none is named: that of `defaults`, else the first usable one.
    pub(crate) default_provider: String,
    /// All providers in the order in which the first usable one is looked for.
    pub(crate) provider_order: Vec<String>,
    /// The providers that the operator's `tarsy.yaml` names, and the outermost key that does.
    pub(crate) named_providers: BTreeMap<String, String>,
    /// What each provider lacks, as llm-service reports it; without a report the variables of this process decide.
    pub(crate) missing: Option<BTreeMap<String, Vec<String>>>,
    pub(crate) by_alert_type: BTreeMap<String, String>,
    pub(crate) hash: String,
    pub(crate) templates: Templates,
    pub(crate) values: Arc<[ConfigValue]>,
    pub(crate) env: Env,
}

impl Catalog {
    /// Every value of the configuration, and where it is from.
    pub fn values(&self) -> &[ConfigValue] {
        &self.values
    }
}
