//! A tool, as this library is given it.

use serde_json::{Map, Value};

/// A tool as its server declares it.
#[derive(Clone, Copy, Debug)]
pub struct Declared<'a> {
    /// The server's id in the configuration.
    pub server: &'a str,
    pub name: &'a str,
    pub description: &'a str,
    /// JSON Schema of its arguments.
    pub schema: &'a Map<String, Value>,
}
