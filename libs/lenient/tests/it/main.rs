//! Documents that others wrote almost right.

#![expect(clippy::unwrap_used, reason = "a helper that cannot go on fails its test")]

mod documents;
mod properties;
mod texts;
