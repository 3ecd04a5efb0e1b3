//! Credentials, checked only where a provider is named.

use std::collections::BTreeSet;

use super::{Checker, chains_of};
use crate::convert;
use crate::env::Env;
use crate::load::Layers;
use crate::path::Path;
use crate::provider::{Provider, ProviderType};

/// The variables that a provider names and that are not set; a provider without any way to a model misses
/// `api_key_env` itself.
pub(crate) fn missing(provider: &Provider, env: &Env) -> Vec<String> {
    if provider.provider_type == ProviderType::Offline {
        return Vec::new();
    }
    let named = [
        &provider.api_key_env,
        &provider.credentials_env,
        &provider.project_env,
        &provider.location_env,
    ];
    let none = provider.api_key_env.is_none()
        && provider.credentials_env.is_none()
        && provider.base_url.is_none()
        && provider.project_env.is_none();
    if none {
        return vec!["api_key_env".to_owned()];
    }
    named.into_iter().flatten().filter(|name| !env.has(name)).cloned().collect()
}

impl Checker<'_> {
    /// Every provider that the operator's files name must have what it needs.
    pub(super) fn credentials(&mut self, layers: &Layers) {
        for (path, name) in references(layers) {
            let user = layers.user.providers.llm_providers.as_ref();
            let builtin = layers.builtin.providers.llm_providers.as_ref();
            let Some(file) = user
                .and_then(|providers| providers.get(name))
                .or_else(|| builtin.and_then(|providers| providers.get(name)))
            else {
                continue;
            };
            let provider = convert::provider(name, file, false);
            let missing: BTreeSet<String> = missing(&provider, self.env).into_iter().collect();
            for variable in missing {
                if variable == "api_key_env" {
                    let fix = format!(
                        "add `api_key_env:` to llm_providers.{name}, or a `base_url:` that needs no key"
                    );
                    self.problem(&path, format!("the provider \"{name}\" has no key"), fix);
                } else {
                    let message = format!(
                        "the provider \"{name}\" needs the variable {variable}, which is not set"
                    );
                    let fix = format!("set {variable}, or name a provider whose key is set");
                    self.problem(&path, message, fix);
                }
            }
        }
    }
}

/// Every place of the operator's `tarsy.yaml` that names a provider.
fn references(layers: &Layers) -> Vec<(Path, &str)> {
    let mut all: Vec<(Path, Option<&str>)> = Vec::new();
    let defaults = layers.user.tarsy.defaults.as_ref();
    all.push((
        Path::of(["defaults", "llm_provider"]),
        defaults.and_then(|defaults| defaults.llm_provider.as_deref()),
    ));
    let summarizer = defaults.and_then(|defaults| defaults.summarization.as_ref());
    all.push((
        Path::of(["defaults", "summarization", "llm_provider"]),
        summarizer.and_then(|summarizer| summarizer.llm_provider.as_deref()),
    ));
    for (id, server) in layers.user.tarsy.mcp_servers.iter().flatten() {
        let summarizer = server.summarization.as_ref();
        all.push((
            Path::of(["mcp_servers", id]).key("summarization").key("llm_provider"),
            summarizer.and_then(|summarizer| summarizer.llm_provider.as_deref()),
        ));
    }
    for (id, chain) in chains_of(&layers.user) {
        let at = Path::of(["agent_chains", id]);
        all.push((at.key("llm_provider"), chain.llm_provider.as_deref()));
        all.push((
            at.key("executive_summary_provider"),
            chain.executive_summary_provider.as_deref(),
        ));
        if let Some(chat) = &chain.chat {
            all.push((at.key("chat").key("llm_provider"), chat.llm_provider.as_deref()));
        }
        for (index, stage) in chain.stages.iter().flatten().enumerate() {
            let at = at.key("stages").index(index);
            if let Some(synthesis) = &stage.synthesis {
                let path = at.key("synthesis").key("llm_provider");
                all.push((path, synthesis.llm_provider.as_deref()));
            }
            for (index, agent) in stage.agents.iter().flatten().enumerate() {
                let path = at.key("agents").index(index).key("llm_provider");
                all.push((path, agent.llm_provider.as_deref()));
            }
        }
    }
    all.into_iter().filter_map(|(path, name)| Some((path, name?))).collect()
}
