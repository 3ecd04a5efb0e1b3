//! The arguments of the tools: their shapes, defaults and bounds, which are also the schemas the model sees.

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::error::ToolError;

/// Arguments of a tool that takes none.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NoArgs {}

/// Arguments of `memory_usage`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct MemoryArgs {
    /// How many of the processes that hold most memory to list; 0 lists none.
    #[serde(default = "five")]
    #[schemars(range(min = 0, max = 50))]
    pub(crate) top: usize,
}

/// Arguments of `disk_usage`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DiskArgs {
    /// Absolute path; only the file system that holds it is shown. Without it, all of them.
    #[serde(default)]
    #[schemars(length(max = 4096))]
    pub(crate) path: Option<String>,
}

/// What the processes are sorted by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub(crate) enum SortBy {
    #[default]
    Cpu,
    Memory,
}

/// Arguments of `top_processes`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TopArgs {
    /// `cpu` (measured over a short interval) or `memory` (resident set).
    #[serde(default)]
    pub(crate) sort_by: SortBy,
    /// How many processes to list.
    #[serde(default = "ten")]
    #[schemars(range(min = 1, max = 50))]
    pub(crate) limit: usize,
}

/// Arguments of `kernel_log`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct KernelLogArgs {
    /// How many of the newest messages to return.
    #[serde(default = "fifty")]
    #[schemars(range(min = 1, max = 500))]
    pub(crate) lines: usize,
    /// Only messages at least this grave: emerg, alert, crit, err, warning, notice, info or debug.
    #[serde(default)]
    pub(crate) min_level: Option<String>,
}

/// Arguments of `service_log`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ServiceLogArgs {
    /// Name of a systemd unit such as `nginx.service` or `nginx`. Without it, the log of the whole system.
    #[serde(default)]
    #[schemars(length(max = 128))]
    pub(crate) unit: Option<String>,
    /// How many of the newest lines to return.
    #[serde(default = "hundred")]
    #[schemars(range(min = 1, max = 500))]
    pub(crate) lines: usize,
}

/// Arguments of `tail_log`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TailLogArgs {
    /// Absolute path of a log file, as `list_logs` shows it.
    #[schemars(length(min = 1, max = 4096))]
    pub(crate) path: String,
    /// How many of the newest (matching) lines to return.
    #[serde(default = "hundred")]
    #[schemars(range(min = 1, max = 500))]
    pub(crate) lines: usize,
    /// Plain text that a line must contain; upper and lower case are the same.
    #[serde(default)]
    #[schemars(length(max = 256))]
    pub(crate) contains: Option<String>,
}

/// Arguments of `list_logs`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ListLogsArgs {
    /// How many files to list, the most recently written first.
    #[serde(default = "hundred")]
    #[schemars(range(min = 1, max = 500))]
    pub(crate) limit: usize,
    /// Plain text that the path must contain; upper and lower case are the same.
    #[serde(default)]
    #[schemars(length(max = 256))]
    pub(crate) contains: Option<String>,
}

/// Arguments of `dns_lookup`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DnsArgs {
    /// Host name to resolve, without scheme, port or path: `api.example.com`.
    #[schemars(length(min = 1, max = 253))]
    pub(crate) name: String,
}

/// The methods a probe may use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
#[schemars(inline)]
pub(crate) enum Method {
    #[default]
    Get,
    Head,
}

/// Arguments of `http_probe`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct HttpProbeArgs {
    /// `http://` or `https://` address to probe, without user name and password.
    #[schemars(length(min = 1, max = 2048))]
    pub(crate) url: String,
    /// Time for the whole probe.
    #[serde(default = "five_seconds")]
    #[schemars(range(min = 100, max = 10_000))]
    pub(crate) timeout_ms: u64,
    /// `GET` reads the answer (only its length is reported), `HEAD` asks for the headers alone.
    #[serde(default)]
    pub(crate) method: Method,
}

const fn five() -> usize {
    5
}

const fn ten() -> usize {
    10
}

const fn fifty() -> usize {
    50
}

const fn hundred() -> usize {
    100
}

const fn five_seconds() -> u64 {
    5_000
}

/// Reads arguments; an explicit null is the same as leaving the argument out.
pub(crate) fn parse<T: DeserializeOwned>(mut args: Map<String, Value>) -> Result<T, ToolError> {
    args.retain(|_, value| !value.is_null());
    serde_json::from_value(Value::Object(args)).map_err(|error| {
        ToolError::invalid(
            format!("the arguments do not fit: {error}"),
            "send only the arguments of the tool's schema, with their types",
        )
    })
}

/// Checks a number against its bounds.
pub(crate) fn bounded<T>(name: &str, value: T, min: T, max: T) -> Result<T, ToolError>
where
    T: PartialOrd + std::fmt::Display + Copy,
{
    if value < min || value > max {
        return Err(ToolError::invalid(
            format!("{name} is {value}"),
            format!("use a {name} from {min} to {max}"),
        ));
    }
    Ok(value)
}

/// Checks the length of a text argument; an empty one counts as left out.
pub(crate) fn text(
    name: &str,
    value: Option<String>,
    max: usize,
) -> Result<Option<String>, ToolError> {
    match value.filter(|text| !text.trim().is_empty()) {
        Some(text) if text.chars().count() > max => Err(ToolError::invalid(
            format!("{name} is longer than {max} characters"),
            format!("use a shorter {name}"),
        )),
        other => Ok(other),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn args(value: &Value) -> Map<String, Value> {
        value.as_object().cloned().expect("an object")
    }

    #[test]
    fn arguments_left_out_or_null_take_their_defaults() {
        let parsed: TopArgs = parse(args(&json!({"sort_by": null}))).expect("valid");
        assert_eq!((parsed.sort_by, parsed.limit), (SortBy::Cpu, 10));
    }

    #[test]
    fn an_unknown_argument_is_named() {
        let error = parse::<TopArgs>(args(&json!({"limt": 3}))).expect_err("unknown");
        assert!(error.to_string().contains("limt"), "{error}");
        assert!(error.to_string().contains("limit"), "{error}");
    }

    #[test]
    fn a_number_out_of_bounds_is_refused_with_its_bounds() {
        let error = bounded("limit", 51, 1, 50).expect_err("too big");
        assert!(error.to_json().to_string().contains("from 1 to 50"));
        assert_eq!(bounded("limit", 50, 1, 50), Ok(50));
    }

    #[test]
    fn an_empty_text_counts_as_left_out() {
        assert_eq!(text("unit", Some("  ".to_owned()), 5), Ok(None));
        assert!(text("unit", Some("abcdef".to_owned()), 5).is_err());
    }
}
