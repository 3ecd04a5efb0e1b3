//! What investigations are given of memories.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::rule::{As, AtLeast, Between, HttpBase, NotBlank, VariableName};

/// How many memories an investigation is given at most, if nothing else is written.
pub(crate) const MAX_GIVEN: u32 = 5;

/// What investigations are given of memories: facts that people confirmed in reviews.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Memories {
    /// Whether investigations are given memories, and have tools to search them
    pub enabled: bool,
    /// How many an investigation is given at most
    #[serde(with = "As::<Between<1, 20>>")]
    #[schemars(extend("x-default" = "`5`"))]
    pub max_inject: Option<u32>,
    /// Without effect: memories are made of reviews
    #[serde(with = "As::<AtLeast<1>>")]
    pub reflector_memory_limit: Option<u32>,
    /// Without effect yet
    pub embedding: Option<Embedding>,
}

impl Default for Memories {
    fn default() -> Self {
        Self { enabled: true, max_inject: None, reflector_memory_limit: None, embedding: None }
    }
}

/// How many memories an investigation is given at most, by the block and by whether its chain has memory; 0 if none.
pub(crate) fn max_given(block: Option<&Memories>, of_chain: bool) -> u32 {
    match block {
        _ if !of_chain => 0,
        None => MAX_GIVEN,
        Some(block) if block.enabled => block.max_inject.unwrap_or(MAX_GIVEN),
        Some(_) => 0,
    }
}

/// What turns memories into vectors.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Embedding {
    /// Without effect yet
    #[serde(with = "As::<NotBlank>")]
    pub provider: Option<String>,
    /// Without effect yet
    #[serde(with = "As::<NotBlank>")]
    pub model: Option<String>,
    /// Without effect yet
    #[serde(with = "As::<VariableName>")]
    pub api_key_env: Option<String>,
    /// Without effect yet
    #[serde(with = "As::<AtLeast<1>>")]
    pub dimensions: Option<u32>,
    /// Without effect yet
    #[serde(with = "As::<HttpBase>")]
    pub base_url: Option<String>,
}
