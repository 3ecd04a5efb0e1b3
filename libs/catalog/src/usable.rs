//! Which providers can be called: what the variables of this process say, or what llm-service reports.

use std::collections::BTreeMap;
use std::fmt;

use crate::catalog::Catalog;
use crate::provider::{OFFLINE, Provider, ProviderType};

/// A provider, and whether it can be called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProviderState {
    /// Its name in the configuration.
    pub name: String,
    /// Whose interface it has.
    pub provider_type: ProviderType,
    /// The model's name at the provider.
    pub model: String,
    /// The outermost key of the operator's `tarsy.yaml` that names it.
    pub named_at: Option<String>,
    /// Why it cannot be called; without a reason it can.
    pub unusable: Option<Unusable>,
}

/// Why a provider cannot be called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unusable {
    /// These variables are not set.
    Variables(Vec<String>),
    /// It names neither a variable with a key nor an address that needs none.
    NoKey,
    /// llm-service does not have it in its configuration.
    NotListed,
}

impl Unusable {
    /// From what a provider lacks: variables, or `api_key_env` itself.
    fn lacking(missing: Vec<String>) -> Option<Self> {
        match missing.as_slice() {
            [] => None,
            [key] if key == "api_key_env" => Some(Self::NoKey),
            _ => Some(Self::Variables(missing)),
        }
    }

    /// The variables to set.
    pub fn variables(&self) -> &[String] {
        match self {
            Self::Variables(names) => names,
            Self::NoKey | Self::NotListed => &[],
        }
    }
}

impl fmt::Display for Unusable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Variables(names) if names.len() > 1 => {
                write!(f, "{} are not set", names.join(", "))
            }
            Self::Variables(names) => write!(f, "{} is not set", names.join(", ")),
            Self::NoKey => {
                f.write_str("it has no key: add `api_key_env:`, or a `base_url:` that needs no key")
            }
            Self::NotListed => f.write_str(
                "llm-service does not have it: give it the same llm-providers.yaml and restart it",
            ),
        }
    }
}

impl Catalog {
    /// The same configuration with what llm-service reports that each provider lacks, whatever variables this process has.
    #[must_use]
    pub fn with_missing(&self, missing: BTreeMap<String, Vec<String>>) -> Self {
        Self { missing: Some(missing), ..self.clone() }.with_default_provider()
    }

    /// Whether the default provider is the first usable one, because the configuration names none.
    pub fn chooses_provider(&self) -> bool {
        self.defaults.llm_provider.is_none()
    }

    /// Whether some provider of a model can be called, so that llm-service is needed.
    pub fn has_usable_model(&self) -> bool {
        self.providers.values().any(|provider| self.is_usable_model(provider))
    }

    /// Every provider by name.
    pub fn provider_states(&self) -> Vec<ProviderState> {
        let states = self.providers.values().map(|provider| ProviderState {
            name: provider.name.clone(),
            provider_type: provider.provider_type,
            model: provider.model.clone(),
            named_at: self.named_providers.get(&provider.name).cloned(),
            unusable: self.unusable(provider),
        });
        states.collect()
    }

    pub(crate) fn with_default_provider(self) -> Self {
        let named = self.defaults.llm_provider.clone();
        let default_provider = named.unwrap_or_else(|| self.first_usable());
        Self { default_provider, ..self }
    }

    /// The first usable provider that can serve the default strategy; without one, the offline analyst.
    fn first_usable(&self) -> String {
        let needs_gemini = self.defaults.iteration_strategy.is_native();
        let providers = self.provider_order.iter().filter_map(|name| self.providers.get(name));
        providers
            .filter(|provider| !needs_gemini || provider.provider_type.has_gemini_api())
            .find(|provider| self.is_usable_model(provider))
            .map_or_else(|| OFFLINE.to_owned(), |provider| provider.name.clone())
    }

    pub(crate) fn is_usable_model(&self, provider: &Provider) -> bool {
        provider.provider_type != ProviderType::Offline && self.unusable(provider).is_none()
    }

    fn unusable(&self, provider: &Provider) -> Option<Unusable> {
        if provider.provider_type == ProviderType::Offline {
            // It answers in the services themselves, whatever llm-service has.
            return None;
        }
        let Some(missing) = &self.missing else {
            return Unusable::lacking(provider.missing_variables(&self.env).into_iter().collect());
        };
        match missing.get(&provider.name) {
            Some(missing) => Unusable::lacking(missing.clone()),
            None => Some(Unusable::NotListed),
        }
    }
}
