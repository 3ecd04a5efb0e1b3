//! Finds the cases of a folder.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use serde_json::Value;

use super::case::Case;
use super::layouts;
use crate::commands::case::folder::CaseFolder;

/// The cases of a folder, by name: the folder of one case, one with a folder for each, or a folder in another layout. A
/// given chain replaces those of the cases.
pub(super) fn read(root: &Path, chain: Option<&Value>) -> anyhow::Result<Vec<Case>> {
    let folders = if CaseFolder::is_one(root) { vec![root.to_owned()] } else { folders(root)? };
    let mut cases = Vec::new();
    for path in folders.iter().filter(|path| CaseFolder::is_one(path)) {
        let mut folder = CaseFolder::read(path)?;
        if let Some(chain) = chain {
            folder.recording.chain.clone_from(chain);
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        cases.push(Case { name, foreign: false, folder });
    }
    if cases.is_empty() {
        cases = layouts::read(root, chain)?;
    }
    anyhow::ensure!(
        !cases.is_empty(),
        "{} has no cases in a layout of docs/evaluation.md; `tarsy case save SESSION {}` makes one",
        root.display(),
        root.join("NAME").display()
    );
    Ok(cases)
}

/// The folders in a folder, by name.
fn folders(parent: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let entries =
        fs::read_dir(parent).with_context(|| format!("could not read {}", parent.display()))?;
    let paths = entries.map(|entry| entry.map(|entry| entry.path()));
    let mut paths: Vec<PathBuf> = paths.collect::<Result<_, _>>()?;
    paths.retain(|path| path.is_dir());
    paths.sort();
    Ok(paths)
}
