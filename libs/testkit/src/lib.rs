//! Real servers for tests: PostgreSQL and NATS, found or started.
//!
//! Servers are looked for in this order: URLs in the environment (`TARSY_TEST_DATABASE_URL`,
//! `TARSY_TEST_NATS_URL`), then the embedded programs. Every test gets a database of its own and,
//! when embedded, a nats-server of its own, so that an outage in one test is no other test's.

mod nats;
mod postgres;

pub use nats::TestNats;
pub use postgres::TestPg;
pub use tarsy_embedded::{Programs, SearchPath, free_port};

use std::path::{Path, PathBuf};

use tempfile::TempDir;

/// The root of the workspace.
pub fn workspace() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).unwrap_or(here).to_owned()
}

/// The embedded programs of this checkout.
pub fn programs() -> anyhow::Result<Programs> {
    let places = SearchPath {
        postgres_bin: variable("PG_BIN").map(PathBuf::from),
        nats_server: variable("NATS_SERVER_BIN").map(PathBuf::from),
        environments: vec![workspace().join(".tarsy/venv")],
    };
    Ok(Programs::find(&places)?)
}

/// Removes the folder of a server, unless it runs: then its wrapper does, after its end.
pub(crate) fn let_go(folder: Option<TempDir>, runs: bool) {
    if let Some(folder) = folder.filter(|_| runs) {
        let _kept = folder.keep();
    }
}

#[expect(clippy::disallowed_methods, reason = "tests have no settings but the environment")]
pub(crate) fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}
