//! Where the programs are that run beside the services: in a checkout of TARSy, or where a package installed it.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::Context as _;
use tarsy_embedded::SearchPath;
use tarsy_service::installation;

/// Where to look for PostgreSQL and NATS.
pub(crate) fn places(given: &BTreeMap<String, String>) -> SearchPath {
    let path = |name: &str| given.get(name).map(PathBuf::from);
    SearchPath {
        postgres_bin: path("PG_BIN"),
        nats_server: path("NATS_SERVER_BIN"),
        environments: installation::prefix()
            .or_else(|| in_checkout(".tarsy/venv"))
            .into_iter()
            .collect(),
    }
}

/// llm-service as Python runs it.
#[derive(Clone, Debug)]
pub(crate) struct LlmProgram {
    pub(crate) python: PathBuf,
    /// The folder of its source; `None` where it is one of Python's packages.
    pub(crate) source: Option<PathBuf>,
}

/// Where llm-service is.
pub(crate) fn llm_program() -> anyhow::Result<LlmProgram> {
    if let Some(prefix) = installation::prefix() {
        let python = prefix.join("bin/python");
        anyhow::ensure!(
            python.exists(),
            "llm-service is not set up: {} is missing; install the package of TARSy into a virtual \
             environment, as pipx does, or set LLM_SERVICE_ADDR to a llm-service that runs",
            python.display()
        );
        return Ok(LlmProgram { python, source: None });
    }
    let python = in_checkout(".tarsy/venv-llm/bin/python").context(
        "llm-service is not set up: `make setup` creates its Python environment in \
         .tarsy/venv-llm, or set LLM_SERVICE_ADDR to one that runs",
    )?;
    let source = in_checkout("llm-service/src")
        .context("the folder llm-service/src was not found; start tarsy inside its checkout")?;
    Ok(LlmProgram { python, source: Some(source) })
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
