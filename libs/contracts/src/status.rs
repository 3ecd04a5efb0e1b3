//! What the services report in key-value buckets; all of it can be recomputed.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The health of one MCP server, under its id in `tarsy_mcp_status`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct McpServerStatus {
    /// The server's id.
    pub id: String,
    /// It answered the last check.
    pub healthy: bool,
    /// When it was checked.
    pub last_check: Timestamp,
    /// Its tools, without those that its policy forbids.
    pub tools: Vec<ToolBrief>,
    /// Why it is not healthy; masked.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub error: Option<String>,
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
}

/// Something an operator should know, under `category.subject` in `tarsy_warnings`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Warning {
    pub id: String,
    /// What it is about.
    pub category: String,
    /// One sentence.
    pub message: String,
    /// More, masked.
    pub details: String,
    /// The server it concerns.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub server_id: Option<String>,
    /// Since when.
    pub created_at: Timestamp,
}

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
    /// When it said so.
    pub seen_at: Timestamp,
}
