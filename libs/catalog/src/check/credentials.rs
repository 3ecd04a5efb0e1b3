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
    let mut all = Vec::new();
    if let Some(defaults) = &layers.user.tarsy.defaults {
        let (name, more) = (&defaults.llm_provider, &defaults.fallback_providers);
        let at = Path::of(["defaults"]);
        name_all(&mut all, &at, name.as_deref(), more.as_ref());
        let summarizer = defaults.summarization.as_ref();
        let name = summarizer.and_then(|summarizer| summarizer.llm_provider.as_deref());
        name_all(&mut all, &at.key("summarization"), name, None);
    }
    for (id, server) in layers.user.tarsy.mcp_servers.iter().flatten() {
        let at = Path::of(["mcp_servers", id]).key("summarization");
        let summarizer = server.summarization.as_ref();
        let name = summarizer.and_then(|summarizer| summarizer.llm_provider.as_deref());
        name_all(&mut all, &at, name, None);
    }
    for (id, chain) in chains_of(&layers.user) {
        let at = Path::of(["agent_chains", id]);
        name_all(&mut all, &at, chain.llm_provider.as_deref(), chain.fallback_providers.as_ref());
        if let Some(name) = &chain.executive_summary_provider {
            all.push((at.key("executive_summary_provider"), name));
        }
        if let Some(chat) = &chain.chat {
            let more = chat.fallback_providers.as_ref();
            name_all(&mut all, &at.key("chat"), chat.llm_provider.as_deref(), more);
        }
        for (index, stage) in chain.stages.iter().flatten().enumerate() {
            let at = at.key("stages").index(index);
            name_all(&mut all, &at, None, stage.fallback_providers.as_ref());
            if let Some(synthesis) = &stage.synthesis {
                let more = synthesis.fallback_providers.as_ref();
                name_all(&mut all, &at.key("synthesis"), synthesis.llm_provider.as_deref(), more);
            }
            for (index, agent) in stage.agents.iter().flatten().enumerate() {
                let (at, more) = (at.key("agents").index(index), agent.fallback_providers.as_ref());
                name_all(&mut all, &at, agent.llm_provider.as_deref(), more);
            }
        }
    }
    all
}

/// The provider of one block, and those that take over from it.
fn name_all<'a>(
    all: &mut Vec<(Path, &'a str)>,
    at: &Path,
    first: Option<&'a str>,
    more: Option<&'a Vec<String>>,
) {
    all.extend(first.map(|name| (at.key("llm_provider"), name)));
    for (index, name) in more.into_iter().flatten().enumerate() {
        all.push((at.key("fallback_providers").index(index), name));
    }
}
