//! Durations, as they are written down.

use std::borrow::Cow;
use std::time::Duration;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer};

/// The `format` of a duration in the schema.
pub(crate) const DURATION_FORMAT: &str = "tarsy-duration";
/// The `format` of a duration that may also be a number of seconds.
pub(crate) const SECONDS_FORMAT: &str = "tarsy-seconds";

/// A duration such as `30s`, `15m` or `1h30m`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Span(pub(crate) Duration);

impl<'de> Deserialize<'de> for Span {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<'de, str>::deserialize(deserializer)?;
        crate::duration::parse(&text)
            .map(Self)
            .ok_or_else(|| serde::de::Error::custom("not a duration such as 30s or 15m"))
    }
}

impl JsonSchema for Span {
    fn schema_name() -> Cow<'static, str> {
        "Duration".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string",
            "format": DURATION_FORMAT,
            "pattern": "^0$|^([0-9.]+(ms|s|m|h|d) *)+$",
            "examples": ["30s", "15m", "1h30m"],
        })
    }
}

/// A duration that may also be written as a number of seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Seconds(pub(crate) Duration);

impl<'de> Deserialize<'de> for Seconds {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<'de, str>::deserialize(deserializer)?;
        seconds(&text)
            .map(Self)
            .ok_or_else(|| serde::de::Error::custom("not a number of seconds or a duration"))
    }
}

impl JsonSchema for Seconds {
    fn schema_name() -> Cow<'static, str> {
        "Seconds".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": ["integer", "string"], "format": SECONDS_FORMAT, "minimum": 1 })
    }
}

/// Reads a number of seconds or a duration.
pub(crate) fn seconds(text: &str) -> Option<Duration> {
    match text.trim().parse::<u32>() {
        Ok(seconds) => Some(Duration::from_secs(seconds.into())),
        Err(_) => crate::duration::parse(text),
    }
}
