//! Where the programs of the product lie.

use std::path::PathBuf;

use anyhow::Context as _;

/// The programs lie where this test's own program lies.
pub(super) fn program_path(name: &str) -> anyhow::Result<PathBuf> {
    let here = std::env::current_exe()?;
    let mut folder = here.parent().context("no folder")?.to_owned();
    if folder.ends_with("deps") {
        folder.pop();
    }
    let program = folder.join(name);
    anyhow::ensure!(program.exists(), "{} is missing: build the workspace", program.display());
    Ok(program)
}
