//! From both layers to the catalog.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::agent::Agent;
use crate::catalog::{Catalog, Templates};
use crate::chain::Chain;
use crate::env::Env;
use crate::layers::Layers;
use crate::provider::Provider;
use crate::read::Mark;
use crate::report::Problem;
use crate::rule::ProviderName;
use crate::schedule::Schedule;
use crate::server::McpServer;
use crate::settings::Defaults;
use crate::yaml::Node;

/// The catalog of both layers. Where the files are wrong, which the checks report, it holds placeholders.
pub(crate) fn catalog(layers: &Layers, env: &Env, hash: String, warnings: Vec<Problem>) -> Catalog {
    let user = &layers.user.tarsy.value;
    let providers = providers(layers);
    let (chains, by_alert_type) = chains(layers);
    let defaults = defaults(layers);
    let catalog = Catalog {
        queue: user.queue.clone().completed(&layers.user.tarsy.doc),
        system: user.system.clone(),
        destinations: user.notifications.clone().all(&user.system.slack),
        prevention_message: user.notifications.prevention.clone(),
        intake: user.intake.clone(),
        topology: user.topology.clone(),
        defaults,
        servers: servers(layers),
        agents: agents(layers),
        chains,
        schedules: schedules(layers),
        providers,
        skills: layers.skills.clone(),
        warnings,
        default_provider: String::new(),
        provider_order: provider_order(layers),
        named_providers: named_providers(layers),
        missing: None,
        by_alert_type,
        hash,
        templates: Templates::default(),
        values: Arc::default(),
        env: env.clone(),
    };
    catalog.with_default_provider()
}

fn defaults(layers: &Layers) -> Defaults {
    let mut defaults = layers.user.tarsy.value.defaults.clone();
    defaults.iteration_strategy = defaults.strategy();
    defaults.runbook = defaults.runbook.or(layers.builtin.tarsy.value.defaults.runbook.clone());
    defaults
}

fn providers(layers: &Layers) -> BTreeMap<String, Provider> {
    let merged = layers.merged(|layer| &layer.providers.value.llm_providers).into_iter();
    let named = merged.map(|entry| {
        let name = entry.name.to_owned();
        (name.clone(), Provider { name, builtin: entry.builtin, ..entry.value.clone() })
    });
    named.collect()
}

fn servers(layers: &Layers) -> BTreeMap<String, McpServer> {
    let merged = layers.merged(|layer| &layer.tarsy.value.mcp_servers).into_iter();
    let builtin = &layers.builtin.tarsy.value.mcp_servers;
    let named = merged.map(|entry| {
        let id = entry.name.to_owned();
        let mut server = McpServer { id, builtin: entry.builtin, ..entry.value.clone() };
        // An entry of the operator for a built-in server, such as its address as a pod, keeps what is known of its tools.
        if let Some(known) = builtin.get(&server.id).filter(|_| server.policy.read_only.is_empty())
        {
            server.policy.read_only.clone_from(&known.policy.read_only);
        }
        (server.id.clone(), server)
    });
    named.collect()
}

fn agents(layers: &Layers) -> BTreeMap<String, Agent> {
    let merged = layers.merged(|layer| &layer.tarsy.value.agents).into_iter();
    let named = merged.map(|entry| {
        let name = entry.name.to_owned();
        (name.clone(), Agent { name, builtin: entry.builtin, ..entry.value.clone() })
    });
    named.collect()
}

fn schedules(layers: &Layers) -> BTreeMap<String, Schedule> {
    let merged = layers.merged(|layer| &layer.tarsy.value.schedules).into_iter();
    let named = merged.map(|entry| {
        let name = entry.name.to_owned();
        (name.clone(), Schedule { name, ..entry.value.clone() })
    });
    named.collect()
}

/// The chains by id, and the id of the chain that serves each alert type.
fn chains(layers: &Layers) -> (BTreeMap<String, Chain>, BTreeMap<String, String>) {
    let (mut chains, mut by_alert_type) = (BTreeMap::new(), BTreeMap::new());
    for entry in layers.merged(|layer| &layer.tarsy.value.agent_chains) {
        let id = entry.name.to_owned();
        let mut chain = Chain { id: id.clone(), builtin: entry.builtin, ..entry.value.clone() };
        // The operator's chains come first: they take alert types over from built-in ones.
        chain.alert_types.retain(|alert_type| !by_alert_type.contains_key(alert_type));
        if entry.builtin && chain.alert_types.is_empty() {
            continue;
        }
        for alert_type in &chain.alert_types {
            by_alert_type.insert(alert_type.clone(), id.clone());
        }
        chains.insert(id, chain);
    }
    (chains, by_alert_type)
}

/// All providers, in the order of the operator's file and then of the built-in one.
fn provider_order(layers: &Layers) -> Vec<String> {
    let sections = [&layers.user, &layers.builtin]
        .into_iter()
        .filter_map(|layer| layer.providers.doc.root.get("llm_providers"));
    sections.flat_map(Node::entries).map(|entry| entry.key.clone()).collect()
}

/// Each provider that the operator's `tarsy.yaml` names, and the outermost key that does.
fn named_providers(layers: &Layers) -> BTreeMap<String, String> {
    let marks = &layers.user.tarsy.marks;
    let mut named: Vec<&Mark> =
        marks.iter().filter(|mark| mark.name == ProviderName::KIND).collect();
    named.sort_by_key(|mark| (mark.path.steps().len(), &mark.path));
    let mut paths = BTreeMap::new();
    for mark in named {
        paths.entry(mark.text.clone()).or_insert_with(|| mark.path.to_string());
    }
    paths
}
