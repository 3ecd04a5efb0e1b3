//! What the services report in key-value buckets; all of it can be recomputed.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::mcp::ToolTerms;

/// The health of one MCP server, under its id in `tarsy_mcp_status`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct McpServerStatus {
    pub id: String,
    /// It answered the last check.
    pub healthy: bool,
    pub last_check: Timestamp,
    /// Its tools, without those that its policy forbids.
    pub tools: Vec<ToolBrief>,
    /// Why it is not healthy; masked.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub error: Option<String>,
    /// It comes with TARSy, and nobody set it up: that it does not work is no reason for a warning.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub not_configured: bool,
    /// What kind of fault the error is; none of a healthy server, and of a gateway that does not report it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub fault: Option<ServerFault>,
}

/// Why a tool server cannot be used, as far as the remedy differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ServerFault {
    /// Its settings cannot be used.
    Settings,
    /// Its program cannot be started.
    Program,
    /// Its program ended before it answered.
    Ended,
    /// Nothing can be reached at its address.
    Unreachable,
    /// It does not answer in time.
    Unresponsive,
    /// It wants other credentials or more rights.
    Credentials,
    /// What answers is no MCP server.
    NoServer,
    #[serde(other)]
    Other,
}

/// A tool in a list for people.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolBrief {
    pub name: String,
    pub description: String,
    /// JSON Schema of its arguments; none if the server's schemas are too large to be told.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub input_schema: Option<Value>,
    /// The server says that it changes nothing.
    #[serde(default)]
    pub read_only: bool,
    /// The server says that calling it twice is as calling it once.
    #[serde(default)]
    pub idempotent: bool,
    /// What the policy of the server says of it.
    #[serde(default, skip_serializing_if = "ToolTerms::is_default")]
    pub terms: ToolTerms,
}

/// Something an operator should know, under `category.subject` in `tarsy_warnings`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Warning {
    pub id: String,
    pub category: String,
    pub message: String,
    /// More, masked.
    pub details: String,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub server_id: Option<String>,
    /// Since when.
    pub created_at: Timestamp,
}

/// The id of the warning that streams cannot be stored.
pub const STORAGE_WARNING: &str = "nats.storage";

/// The largest difference of clocks that is not reported. Nothing depends on it; synchronized clocks differ by
/// less than a second, and half a minute confuses nobody who reads logs.
const MAX_CLOCK_OFFSET_MS: u64 = 30_000;

/// A running service, under `service.instance` in `tarsy_instances`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Instance {
    /// The service's name.
    pub service: String,
    /// The instance's name, unique among its kind.
    pub instance: String,
    pub version: String,
    /// The hash of the configuration it loaded.
    pub config_hash: String,
    /// How much it can take.
    pub capacity: u32,
    /// How much it has taken.
    pub load: u32,
    /// When it said so, by its own clock.
    pub seen_at: Timestamp,
    /// How far its clock is ahead of PostgreSQL's, or of the NATS server's if it has no database; none
    /// while that is not known.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub clock_offset_ms: Option<i64>,
}

impl Instance {
    /// How far its clock is ahead, if that is more than clocks differ that are synchronized.
    pub fn clock_error_ms(&self) -> Option<i64> {
        self.clock_offset_ms.filter(|offset| offset.unsigned_abs() > MAX_CLOCK_OFFSET_MS)
    }
}
