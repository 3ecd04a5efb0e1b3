//! Doorbells and controls: hints that there is something to do. The row is the fact.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tarsy_domain::id::SessionId;

/// Rings for a session that may be claimed; any pending row will do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionDoorbell {
    /// The session that made it ring.
    pub session_id: SessionId,
}

/// Rings for a question that may be claimed; any waiting turn of a chat will do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChatDoorbell {
    /// The session that the question is about.
    pub session_id: SessionId,
}

/// Asks the owner of a session to stop; the row says `cancelling` already.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cancel {
    /// The session.
    pub session_id: SessionId,
}

/// An alert that was taken in while PostgreSQL could not be reached.
///
/// It is stored later, once, under the id that its sender was told.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kept", rename_all = "snake_case")]
pub enum Intake {
    /// The alert itself.
    Inline {
        /// The alert.
        alert: Box<IntakeAlert>,
    },
    /// The alert's JSON lies in the object store.
    Blob {
        /// The session that it becomes.
        session_id: SessionId,
        /// Where it lies.
        name: String,
    },
}

/// What such an alert becomes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct IntakeAlert {
    /// The session; its sender knows this id.
    pub session_id: SessionId,
    /// The alert, masked.
    pub alert_data: String,
    /// Its type.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub alert_type: Option<String>,
    /// The chain that will investigate it.
    pub chain_id: String,
    /// Who submitted it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub author: Option<String>,
    /// Where its runbook is.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub runbook_url: Option<String>,
    /// The tools it is restricted to.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub mcp_selection: Option<Value>,
    /// The Slack message it came from.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub slack_message_fingerprint: Option<String>,
    /// The key under which it is taken in once.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub idempotency_key: Option<String>,
    /// The resolved configuration that the session keeps.
    pub config_snapshot: Value,
}
