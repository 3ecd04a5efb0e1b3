//! Takes secrets out of text: tool results and errors, alerts, chat messages, runbooks, log lines.
//!
//! Pure: text in, text out. It knows nothing of sessions, tools or configuration files; whoever builds a [`Masker`]
//! names the patterns and groups that are on ([`known_patterns`], [`known_groups`]). Only the secret value is replaced, by
//! `[MASKED_<WHAT>]`: keys, quotes, indentation and the rest of the line stay, so that YAML stays YAML and JSON stays
//! JSON. Masking is linear in the length of the text, and masking a masked text changes nothing.

mod base64;
mod braces;
mod builder;
mod error;
mod go;
mod json;
mod kubernetes;
mod live;
mod masker;
mod part;
mod patterns;
mod rules;
mod scan;
mod spans;
mod stream;
mod views;
mod yaml;

pub use builder::{Builder, MARK, WITHHELD};
pub use error::Error;
pub use live::Live;
pub use masker::{Masked, Masker};
pub use patterns::{group_members, known_groups, known_patterns};
pub use rules::{CustomPattern, MaskingRules};
pub use scan::{literals, vendor_expressions};
pub use stream::Stream;
