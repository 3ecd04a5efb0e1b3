//! Where the programs are that run beside the services, in a checkout of TARSy.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::Context as _;
use tarsy_embedded::SearchPath;

/// Where to look for PostgreSQL and NATS.
pub(crate) fn places(given: &BTreeMap<String, String>) -> SearchPath {
    let path = |name: &str| given.get(name).map(PathBuf::from);
    SearchPath {
        postgres_bin: path("PG_BIN"),
        nats_server: path("NATS_SERVER_BIN"),
        environments: in_checkout(".tarsy/venv").into_iter().collect(),
    }
}

/// The Python of llm-service.
pub(crate) fn llm_python() -> anyhow::Result<PathBuf> {
    in_checkout(".tarsy/venv-llm/bin/python").context(
        "llm-service is not set up: `make setup` creates its Python environment in \
         .tarsy/venv-llm, or set LLM_SERVICE_ADDR to one that runs",
    )
}

/// The source of llm-service.
pub(crate) fn llm_source() -> anyhow::Result<PathBuf> {
    in_checkout("llm-service/src")
        .context("the folder llm-service/src was not found; start tarsy inside its checkout")
}

/// A path of the checkout that this program was started in, or lies in.
fn in_checkout(path: &str) -> Option<PathBuf> {
    let places = [std::env::current_dir().ok(), std::env::current_exe().ok()];
    places
        .iter()
        .flatten()
        .flat_map(|place| place.ancestors())
        .map(|folder| folder.join(path))
        .find(|found| found.exists())
}
