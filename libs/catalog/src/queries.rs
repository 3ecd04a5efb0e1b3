//! What services ask a catalog.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use tarsy_intake::Policy;

use crate::allowed::Allowed;
use crate::catalog::Catalog;
use crate::llm_info::LlmInfo;
use crate::provider::{NativeTools, Provider, ProviderType};
use crate::resolve_error::ResolveError;
use crate::selection::Sender;

/// An alert type and the chain that serves it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AlertType {
    #[serde(rename = "type")]
    pub alert_type: String,
    pub chain_id: String,
    /// What the chain is good for.
    pub description: String,
}

/// The tools that an alert of some type gets unless it requests others.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DefaultTools {
    pub alert_type: String,
    /// The servers of the chain's agents, in the order of first use.
    pub mcp_servers: Vec<String>,
    /// The own tools of the first agent's provider.
    pub native_tools: NativeTools,
    /// What an alert may request instead.
    pub allowed: Allowed,
}

impl Catalog {
    /// What becomes of repeated alerts that this chain investigates: what it sets, then `intake.policy`, then the defaults.
    pub fn intake_policy(&self, chain_id: &str) -> Policy {
        let policy = self.intake.policy.applied_to(Policy::default());
        match self.chains.get(chain_id) {
            Some(chain) => chain.intake.applied_to(policy),
            None => policy,
        }
    }

    /// A short fingerprint of the whole configuration, without secrets.
    ///
    /// It is the same in every service that loaded the same files, whatever their variables hold.
    pub fn config_hash(&self) -> String {
        self.hash.clone()
    }

    /// The variables that llm-service needs, set or not: those that providers name, and those in the templates of
    /// `llm-providers.yaml`.
    pub fn provider_variables(&self) -> BTreeSet<String> {
        self.key_variables().union(&self.templates.providers).cloned().collect()
    }

    /// The variables that providers name and nothing else of the configuration does: no other service needs them.
    pub fn private_variables(&self) -> BTreeSet<String> {
        let shared = self.templates.tarsy.union(&self.templates.providers);
        let inherited =
            self.servers.values().flat_map(|server| server.transport.endpoint.inherit_env());
        let shared: BTreeSet<&String> = shared.chain(inherited).collect();
        self.key_variables().into_iter().filter(|name| !shared.contains(name)).collect()
    }

    fn key_variables(&self) -> BTreeSet<String> {
        self.providers.values().flat_map(Provider::variables).cloned().collect()
    }

    /// Every alert type and its chain, by name.
    pub fn alert_types(&self) -> Vec<AlertType> {
        self.by_alert_type
            .iter()
            .map(|(alert_type, chain_id)| AlertType {
                alert_type: alert_type.clone(),
                chain_id: chain_id.clone(),
                description: self
                    .chains
                    .get(chain_id)
                    .map(|chain| chain.description.clone())
                    .unwrap_or_default(),
            })
            .collect()
    }

    /// The type of an alert that names none.
    pub fn default_alert_type(&self) -> &str {
        &self.defaults.alert_type
    }

    /// The chain of an alert that names no type.
    pub fn default_chain_id(&self) -> &str {
        self.by_alert_type.get(&self.defaults.alert_type).map_or("", String::as_str)
    }

    /// The tools that an alert of this type gets unless its sender requests others.
    pub fn default_tools(
        &self,
        alert_type: Option<&str>,
        sender: Sender,
    ) -> Result<DefaultTools, ResolveError> {
        let chain = self.resolve_chain(alert_type, None)?;
        let agents = || chain.stages.iter().flat_map(|stage| &stage.agents);
        let mut mcp_servers: Vec<String> = Vec::new();
        for server in agents().flat_map(|agent| &agent.servers) {
            if !mcp_servers.contains(&server.id) {
                mcp_servers.push(server.id.clone());
            }
        }
        let native_tools =
            agents().next().map(|agent| agent.provider.native_tools).unwrap_or_default();
        let allowed = self.chains.get(&chain.chain_id).map(|chain| self.allowed(chain, sender));
        let allowed = allowed.unwrap_or_default();
        Ok(DefaultTools { alert_type: chain.alert_type, mcp_servers, native_tools, allowed })
    }

    /// What answers when a chain names no provider.
    pub fn llm_info(&self) -> LlmInfo {
        let provider =
            self.resolve_provider(&self.default_provider, self.defaults.iteration_strategy);
        let offline = provider.provider_type == ProviderType::Offline;
        let definition = self.providers.get(&provider.name).filter(|_| !offline);
        let message = definition.map_or_else(|| self.offline_message(), online_message);
        LlmInfo {
            provider: provider.name,
            model: provider.model,
            backend: provider.backend,
            offline,
            message,
        }
    }

    fn offline_message(&self) -> String {
        let ready = self.providers.values().find(|provider| self.is_usable_model(provider));
        let (state, remedy) = match ready {
            Some(provider) => (
                "No model selected",
                format!("name one in defaults.llm_provider, such as {},", provider.name),
            ),
            None => (
                "No API key set",
                "set GOOGLE_API_KEY, OPENAI_API_KEY, ANTHROPIC_API_KEY or XAI_API_KEY".to_owned(),
            ),
        };
        format!(
            "{state}: using the rule-based offline analyst. To use a model, {remedy} and restart."
        )
    }
}

fn online_message(provider: &Provider) -> String {
    let kind = provider.provider_type.as_str();
    let mut message = format!("Model: {} (provider {}, {kind}", provider.model, provider.name);
    if let Some(variable) = provider.api_key_env.as_ref().or(provider.credentials_env.as_ref()) {
        message.push_str(", key in ");
        message.push_str(variable);
    }
    if let Some(url) = &provider.base_url {
        message.push_str(", ");
        message.push_str(&without_userinfo(url));
    }
    message.push(')');
    message
}

fn without_userinfo(text: &str) -> String {
    url::Url::parse(text)
        .map_or_else(|_| "its own address".to_owned(), |url| url.origin().ascii_serialization())
}
