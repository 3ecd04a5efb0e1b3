//! The shape of every message is a promise: what is written here was written by a service that may
//! be older or newer than its reader.

#![expect(clippy::unwrap_used, reason = "a helper that cannot go on fails its test")]

mod events;
mod mcp;
mod work;

use serde::Serialize;
use serde::de::DeserializeOwned;

/// A message as JSON, after it was read back as the same message.
pub(crate) fn golden<T>(message: &T) -> String
where
    T: Serialize + DeserializeOwned + PartialEq + std::fmt::Debug,
{
    let text = serde_json::to_string_pretty(message).unwrap();
    assert_eq!(&serde_json::from_str::<T>(&text).unwrap(), message);
    text
}

/// An identifier that is the same in every run.
pub(crate) fn id<T: std::str::FromStr<Err: std::fmt::Debug>>(last: u8) -> T {
    format!("01890000-0000-7000-8000-0000000000{last:02x}").parse().unwrap()
}

pub(crate) fn at() -> jiff::Timestamp {
    "2026-01-02T03:04:05.678901Z".parse().unwrap()
}
