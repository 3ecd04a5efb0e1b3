//! From both layers to the catalog.

use std::collections::BTreeMap;

use crate::catalog::{Catalog, Templates};
use crate::chain::{Agent, Chain};
use crate::env::Env;
use crate::layers::Layers;
use crate::provider::{OFFLINE, Provider, ProviderType};
use crate::report::Problem;
use crate::server::McpServer;
use crate::settings::Defaults;
use crate::yaml::Node;

/// The catalog of both layers. Where the files are wrong, which the checks report, it holds placeholders.
pub(crate) fn catalog(layers: &Layers, env: &Env, hash: String, warnings: Vec<Problem>) -> Catalog {
    let user = &layers.user.tarsy.value;
    let providers = providers(layers);
    let (chains, by_alert_type) = chains(layers);
    let defaults = defaults(layers);
    let default_provider = defaults
        .llm_provider
        .clone()
        .unwrap_or_else(|| first_usable(layers, &providers, &defaults, env));
    Catalog {
        queue: user.queue.clone(),
        system: user.system.clone(),
        destinations: user.notifications.clone().all(&user.system.slack),
        defaults,
        servers: servers(layers),
        agents: agents(layers),
        chains,
        providers,
        warnings,
        default_provider,
        by_alert_type,
        hash,
        templates: Templates::default(),
        env: env.clone(),
    }
}

fn defaults(layers: &Layers) -> Defaults {
    let mut defaults = layers.user.tarsy.value.defaults.clone();
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
    let named = merged.map(|entry| {
        let id = entry.name.to_owned();
        (id.clone(), McpServer { id, builtin: entry.builtin, ..entry.value.clone() })
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

/// The first provider, in the order of the operator's file and then of the built-in one, whose variables
/// are set and that can serve the default strategy; without one, the offline analyst.
fn first_usable(
    layers: &Layers,
    providers: &BTreeMap<String, Provider>,
    defaults: &Defaults,
    env: &Env,
) -> String {
    let needs_gemini = defaults.iteration_strategy.is_native();
    let order = [&layers.user, &layers.builtin]
        .into_iter()
        .filter_map(|layer| layer.providers.doc.root.get("llm_providers"))
        .flat_map(Node::entries);
    order
        .filter_map(|entry| providers.get(&entry.key))
        .filter(|provider| !needs_gemini || provider.provider_type.has_gemini_api())
        .find(|provider| {
            provider.provider_type != ProviderType::Offline
                && provider.missing_variables(env).is_empty()
        })
        .map_or_else(|| OFFLINE.to_owned(), |provider| provider.name.clone())
}
