//! The arguments of the tools; what is written at each field is what a model reads.

use rmcp::model::JsonObject;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tarsy_domain::id::{SessionId, StageId};

use super::api::Refused;

/// Reads arguments; the error names what is wrong with them.
pub(super) fn read<T: DeserializeOwned>(arguments: JsonObject) -> Result<T, Refused> {
    serde_path_to_error::deserialize(Value::Object(arguments)).map_err(|error| {
        let place = error.path().to_string();
        let field = if place == "." { String::new() } else { format!("{place}: ") };
        Refused::new(format!("{field}{}; look at the schema of the tool", error.into_inner()))
    })
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Nothing {}

#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Investigate {
    /// What is wrong, as any text or JSON: the whole alert, an error message, symptoms with times and names of hosts, pods or services.
    pub(super) data: String,
    /// A type that `list_alert_types` has; without it the default one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub(super) alert_type: Option<String>,
    /// The problem in one line, at most 200 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub(super) title: Option<String>,
    /// Such as critical, warning or p1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub(super) severity: Option<String>,
    /// The service that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub(super) service: Option<String>,
    /// Its Kubernetes namespace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub(super) namespace: Option<String>,
    /// Its cluster.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub(super) cluster: Option<String>,
    /// The same fingerprint says that it is the same problem as before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub(super) fingerprint: Option<String>,
    /// The URL of a runbook on one of the allowed hosts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub(super) runbook: Option<String>,
    /// Send the same key again when it is not known whether a call arrived: it starts no second investigation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub(super) idempotency_key: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct OfSession {
    /// The `session_id` of the investigation.
    #[schemars(with = "String")]
    pub(super) session_id: SessionId,
}

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct List {
    /// One or more of `pending`, `in_progress`, `cancelling`, `completed`, `failed`, `timed_out` and `cancelled`, separated by commas.
    pub(super) status: String,
    /// Only this alert type.
    pub(super) alert_type: String,
    /// Only this severity.
    pub(super) severity: String,
    /// Only alerts about this service.
    pub(super) service: String,
    /// Started then or later: RFC 3339, or a day.
    pub(super) since: String,
    /// Started then or earlier: RFC 3339, or a day.
    pub(super) until: String,
    /// How many, 1 to 50; 10 without it.
    #[schemars(with = "u32", range(min = 1, max = 50))]
    pub(super) limit: Option<u32>,
}

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Changes {
    /// At that time or later: RFC 3339, or a day.
    pub(super) since: String,
    /// At that time or earlier: RFC 3339, or a day.
    pub(super) until: String,
    /// An object, service or host.
    pub(super) near: String,
    /// Only in this namespace.
    pub(super) namespace: String,
    /// Only in this environment.
    pub(super) environment: String,
    /// How many, 1 to 50; 10 without it.
    #[schemars(with = "u32", range(min = 1, max = 50))]
    pub(super) limit: Option<u32>,
}

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(extend("required" = ["of"]))]
pub(super) struct DependenciesOf {
    /// A service or an object, such as checkout or Deployment/checkout.
    pub(super) of: String,
    /// Its namespace.
    pub(super) namespace: String,
    /// How many dependencies are followed from it, 1 to 3; 1 without it.
    #[schemars(with = "u32", range(min = 1, max = 3))]
    pub(super) depth: Option<u32>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Search {
    /// Words that all occur in one alert, finding, tool call or answer, 2 to 200 characters; the last may be the beginning of a word.
    pub(super) query: String,
    /// How many investigations, 1 to 50; 10 without it.
    #[serde(default)]
    #[schemars(with = "u32", range(min = 1, max = 50))]
    pub(super) limit: Option<u32>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Incident {
    /// The `session_id` of an investigation that is over.
    #[schemars(with = "String")]
    pub(super) session_id: SessionId,
    /// The ids of further investigations of the same incident, separated by commas.
    #[serde(default)]
    pub(super) with: String,
}

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct OfWeek {
    /// A week by ISO 8601, such as 2026-W48; the last seven days without it.
    pub(super) week: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Ask {
    /// The `session_id` of an investigation that is over.
    #[schemars(with = "String")]
    pub(super) session_id: SessionId,
    /// The question. Whoever answers it knows the investigation and may call its tools.
    pub(super) question: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Answer {
    /// The `session_id` of the investigation.
    #[schemars(with = "String")]
    pub(super) session_id: SessionId,
    /// The `stage_id` that `ask` returned.
    #[schemars(with = "String")]
    pub(super) stage_id: StageId,
}
