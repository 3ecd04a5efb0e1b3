//! Lines of `tarsy.yaml` that connect a system, from a few values that a person fills in.
//!
//! Nothing here is secret: a password or token is an environment variable, of which the lines have the name. Lines are only
//! returned once they were read and checked as the file is.

mod kinds;
mod lines;
mod value;

use std::collections::BTreeMap;

use crate::catalog::Catalog;
use crate::env::Env;
use crate::load::{Source, Sources, TARSY_FILE};
use crate::server::McpServer;

use self::kinds::KINDS;
use self::value::read;

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
    fn new(field: &str, message: impl Into<String>) -> Self {
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

/// What can be connected.
pub const fn connection_kinds() -> &'static [ConnectionKind] {
    KINDS
}

/// The lines for a system of a kind, or everything that is wrong with the values.
pub fn connection(
    kind: &str,
    values: &BTreeMap<String, String>,
) -> Result<Connection, Vec<ConnectionFault>> {
    let Some(kind) = KINDS.iter().find(|known| known.name == kind) else {
        let names: Vec<&str> = KINDS.iter().map(|kind| kind.name).collect();
        let message = format!("is not known; send one of: {}", names.join(", "));
        return Err(vec![ConnectionFault::new("kind", message)]);
    };
    let values = read(kind, values)?;
    let connection = lines::write(kind.name, &values);
    match load(&connection.yaml) {
        Ok(_) => Ok(connection),
        Err(message) => Err(vec![ConnectionFault::new("kind", message)]),
    }
}

/// A tool server at an address that nobody configured: it gets no credentials.
pub fn server_at(url: &str) -> Result<McpServer, Vec<ConnectionFault>> {
    let values = BTreeMap::from([("url".to_owned(), url.to_owned())]);
    let Connection { server, yaml, .. } = connection(kinds::TOOL_SERVER, &values)?;
    let fault = |message: String| vec![ConnectionFault::new("url", message)];
    let mut catalog = load(&yaml).map_err(fault)?;
    catalog.servers.remove(&server).ok_or_else(|| fault("it cannot be read".to_owned()))
}

/// The lines as the file is read, with every variable set.
fn load(yaml: &str) -> Result<Catalog, String> {
    let tarsy = Some(Source { name: TARSY_FILE.to_owned(), text: yaml.to_owned() });
    let env = Env::new(|_| Some("set".to_owned())).without_llm_credentials();
    Catalog::load(Sources { tarsy, providers: None }, &env)
        .map_err(|report| format!("gives lines that cannot be used: {report}"))
}
