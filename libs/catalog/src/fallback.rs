//! Providers that take over: a name, or a name with its backend.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

use crate::rule::{As, ProviderName};
use crate::strategy::LlmBackend;

/// A provider that takes over.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename = "*provider", deny_unknown_fields)]
#[schemars(rename = "Fallback")]
pub struct Fallback {
    /// Its name; an entry may be the name alone
    #[serde(with = "As::<ProviderName>")]
    pub provider: String,
    /// See *Strategies*
    #[schemars(extend("x-default" = "that of the agent, where the provider has it"))]
    pub backend: Option<LlmBackend>,
}

/// The schema of a list whose entries may be written as a name alone.
pub(crate) fn or_names<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    let entry = generator.subschema_for::<T>();
    json_schema!({ "type": "array", "items": { "anyOf": [entry, { "type": "string" }] } })
}
