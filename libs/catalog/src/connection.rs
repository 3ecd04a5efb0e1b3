//! Lines of `tarsy.yaml` that connect a system, from a few values that a person fills in.
//!
//! Nothing here is secret: a password or token is an environment variable, of which the lines have the name. Lines are only
//! returned once they were read and checked as the file is.

mod kinds;
mod lines;
mod types;
mod value;

use std::collections::BTreeMap;

use crate::catalog::Catalog;
use crate::env::Env;
use crate::load::{Sources, TARSY_FILE};
use crate::server::McpServer;
use crate::source::Source;

use self::kinds::KINDS;
pub use self::types::{Connection, ConnectionFault, ConnectionField, ConnectionKind};
use self::value::read;

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
    Catalog::load(Sources { tarsy, ..Sources::default() }, &env)
        .map_err(|report| format!("gives lines that cannot be used: {report}"))
}
