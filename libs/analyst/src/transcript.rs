//! What the analyst decides on: the alert, the tools, and the calls so far.

use jiff::Timestamp;
use serde_json::Value;

/// An investigation so far.
#[derive(Clone, Debug, Default)]
pub struct Transcript {
    /// The alert as it was received, without the prompt around it.
    pub alert: String,
    /// When the alert was received; none if it is not known, and then no message of a log counts as old.
    pub received_at: Option<Timestamp>,
    /// What changed near the alert, a line each; it may explain what the calls show.
    pub changes: String,
    /// What depends on what near the alert, a line each: where a look may be worth it.
    pub dependencies: String,
    /// What earlier stages or other agents found. It is evidence, cited by the call numbers that stand in it.
    pub background: String,
    pub tools: Vec<Tool>,
    /// In the order in which they were made.
    pub calls: Vec<CallRecord>,
    /// How many more calls may be made; 0 if the report must be written now.
    pub remaining_calls: usize,
}

/// A tool that may be called.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tool {
    /// `server.tool`.
    pub name: String,
    pub description: String,
    /// JSON Schema of its arguments; null if it could not be read, and then the tool is not called.
    pub schema: Value,
}

/// A call that was made, with its result.
#[derive(Clone, Debug, PartialEq)]
pub struct CallRecord {
    /// As the report cites it; 0 for a text that was given with the request.
    pub number: u32,
    pub tool: String,
    pub arguments: Value,
    pub text: String,
    /// Whether the call failed: it examined nothing.
    pub failed: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub struct ToolCall {
    pub tool: String,
    pub arguments: Value,
    /// What the call is for: `the pods of shop`.
    pub purpose: String,
}

impl Tool {
    /// A tool from the text of its schema.
    pub fn new(name: &str, description: &str, schema: &str) -> Self {
        let schema = if schema.trim().is_empty() {
            Value::Object(serde_json::Map::new())
        } else {
            serde_json::from_str(schema).unwrap_or(Value::Null)
        };
        Self { name: name.to_owned(), description: description.to_owned(), schema }
    }

    /// The name without its server.
    pub fn short_name(&self) -> &str {
        self.name.rsplit('.').next().unwrap_or(&self.name)
    }
}
