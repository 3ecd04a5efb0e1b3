//! What investigations are given of memories.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::rule::{As, Between, HttpBase, NotBlank, VariableName};

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
    /// What finds memories by meaning, too, see *Memory*
    pub embedding: Option<Embedding>,
}

impl Default for Memories {
    fn default() -> Self {
        Self { enabled: true, max_inject: None, embedding: None }
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

/// What turns memories into vectors, so that they are found by meaning; without it they are found by words.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Embedding {
    /// One of `llm_providers`, or a type (google, openai, xai): its first provider
    #[serde(with = "As::<NotBlank>")]
    #[schemars(extend("x-default" = "`google`"))]
    pub provider: Option<String>,
    /// Its model that makes vectors
    #[serde(with = "As::<NotBlank>")]
    #[schemars(extend("x-default" = "google `gemini-embedding-2-preview`, openai `text-embedding-3-small`"))]
    pub model: Option<String>,
    /// How many numbers a vector has
    #[serde(with = "As::<Between<1, 2000>>")]
    #[schemars(extend("x-default" = "`768` of google and text-embedding-3, else the model's"))]
    pub dimensions: Option<u32>,
    /// How alike memory and alert must be, in percent of the cosine
    #[serde(with = "As::<Between<1, 100>>")]
    #[schemars(extend("x-default" = "`55`"))]
    pub min_similarity: Option<u32>,
    /// Without effect unless a provider of the type has this key
    #[serde(with = "As::<VariableName>")]
    pub api_key_env: Option<String>,
    /// Without effect unless a provider of the type has this address
    #[serde(with = "As::<HttpBase>")]
    pub base_url: Option<String>,
}
