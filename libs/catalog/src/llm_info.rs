//! What answers when a chain names no provider.

use serde::{Deserialize, Serialize};

use crate::strategy::Backend;

/// What answers when a chain names no provider, in words for people.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LlmInfo {
    /// The provider's name in the catalog.
    pub provider: String,
    /// The model's name at the provider.
    pub model: String,
    /// The part of llm-service that serves it.
    pub backend: Backend,
    /// Whether it is the offline analyst, which is rules and not a model.
    pub offline: bool,
    /// One or two sentences: what runs and, when offline, what to set.
    pub message: String,
}
