//! Scores: whether and by whom finished sessions are judged.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::rule::{AgentName, As, ProviderName};
use crate::strategy::LlmBackend;

/// The agent that judges when none is named.
pub(crate) const SCORING_AGENT: &str = "ScoringAgent";

/// How finished sessions are scored.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Scoring {
    /// Whether sessions that completed are scored without a request
    pub enabled: bool,
    /// The agent that judges, of type `scoring`
    #[serde(with = "As::<AgentName>")]
    #[schemars(extend("x-default" = "`ScoringAgent`"))]
    pub agent: Option<String>,
    /// Its backend, see *Strategies*; that of the chain does not count
    pub llm_backend: Option<LlmBackend>,
    /// Its provider; one that the alert chose does not count
    #[serde(with = "As::<ProviderName>")]
    #[schemars(extend("x-default" = "that of the chain"))]
    pub llm_provider: Option<String>,
}
