//! Where the programs of the product lie.

use std::path::PathBuf;

use anyhow::Context as _;

/// The programs lie where this test's own program lies, or beside it in the release build.
pub(super) fn program_path(name: &str, release: bool) -> anyhow::Result<PathBuf> {
    let here = std::env::current_exe()?;
    let mut folder = here.parent().context("no folder")?.to_owned();
    if folder.ends_with("deps") {
        folder.pop();
    }
    if release && !folder.ends_with("release") {
        folder = folder.parent().context("no target folder")?.join("release");
    }
    let program = folder.join(name);
    anyhow::ensure!(program.exists(), "{} is missing: build the workspace", program.display());
    Ok(program)
}
