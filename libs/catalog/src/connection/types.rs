//! What is filled in for a connection, and what comes of it.

/// A kind of system that can be connected.
#[derive(Clone, Copy, Debug)]
pub struct ConnectionKind {
    /// What requests call it.
    pub name: &'static str,
    /// What people call it.
    pub title: &'static str,
    /// What agents can do with it, in one sentence.
    pub description: &'static str,
    /// What the machine of the tool gateway needs; empty for nothing.
    pub requires: &'static str,
    /// What a person fills in.
    pub fields: &'static [ConnectionField],
    /// Whether its address can be tried before it is written: it is a tool server that runs already.
    pub can_be_tried: bool,
}

/// A value that a person fills in.
#[derive(Clone, Copy, Debug)]
pub struct ConnectionField {
    /// What requests call it.
    pub name: &'static str,
    /// What people call it.
    pub label: &'static str,
    /// What to write, in one sentence.
    pub help: &'static str,
    /// What it is at first.
    pub default: &'static str,
    /// Whether it may not be empty.
    pub required: bool,
    /// How it is checked.
    pub(crate) form: Form,
}

/// What a value must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    ServerId,
    Address,
    FilePath,
    Variable,
    AlertType,
}

/// A value that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConnectionFault {
    /// The field, or `kind`.
    pub field: String,
    /// What is wrong, and what to write.
    pub message: String,
}

impl ConnectionFault {
    pub(super) fn new(field: &str, message: impl Into<String>) -> Self {
        Self { field: field.to_owned(), message: message.into() }
    }
}

/// A system as `tarsy.yaml` has it.
#[derive(Clone, Debug)]
pub struct Connection {
    /// The id of its tool server.
    pub server: String,
    /// The lines.
    pub yaml: String,
    /// The environment variables that the tool gateway needs.
    pub variables: Vec<String>,
    /// The chain that the lines define for an alert type.
    pub chain: Option<String>,
}
