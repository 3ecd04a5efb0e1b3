//! The key `allowed_mcp_servers` of a chain: a word or a list.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

use crate::fault::fault;
use crate::rule::{Item, ServerName};

/// The servers that an alert may request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AllowedServers {
    /// Those of the chain's own agents.
    Chain,
    /// All that the configuration has.
    Registered,
    /// These.
    Listed(Vec<String>),
}

impl<'de> Deserialize<'de> for AllowedServers {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(WordOrList)
    }
}

struct WordOrList;

impl<'de> Visitor<'de> for WordOrList {
    type Value = AllowedServers;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("chain, registered or a list of servers")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<AllowedServers, E> {
        match text {
            "chain" => Ok(AllowedServers::Chain),
            "registered" => Ok(AllowedServers::Registered),
            _ => Err(fault(
                "must be chain, registered or a list of servers",
                "write [NAME, …] for single servers",
            )),
        }
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<AllowedServers, A::Error> {
        let mut names = Vec::new();
        while let Some(Item(name)) = items.next_element::<Item<ServerName>>()? {
            names.push(name);
        }
        Ok(AllowedServers::Listed(names))
    }

    /// The reader has nothing that could be read.
    fn visit_unit<E: de::Error>(self) -> Result<AllowedServers, E> {
        Ok(AllowedServers::Chain)
    }
}

impl JsonSchema for AllowedServers {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "AllowedServers".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": ["string", "array"],
            "pattern": "^(chain|registered)$",
            "items": { "type": "string" },
        })
    }
}
