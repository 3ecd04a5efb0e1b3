//! The workspace's production Rust code: every file that a library or binary target reaches through `mod`
//! declarations. Code under `#[cfg(test)]` is left out.

mod names;
mod scan;

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use cargo_metadata::{Metadata, MetadataCommand, Package, TargetKind};

pub(crate) use names::Names;
pub(crate) use scan::{is_test_only, item_attributes};

/// One target (library or binary) of a package.
pub(crate) struct Target {
    pub(crate) package: String,
    /// `package`, or `package (bin name)` for a binary.
    pub(crate) name: String,
    pub(crate) files: Vec<SourceFile>,
    pub(crate) names: Names,
}

pub(crate) struct SourceFile {
    /// Relative to the workspace's root.
    pub(crate) path: PathBuf,
    pub(crate) text: String,
    pub(crate) syntax: syn::File,
}

/// The root of the workspace that the current folder belongs to, and its packages.
pub(crate) fn metadata() -> anyhow::Result<Metadata> {
    Ok(MetadataCommand::new().no_deps().exec()?)
}

/// Reads the library and binary targets of every package.
pub(crate) fn targets(metadata: &Metadata) -> anyhow::Result<Vec<Target>> {
    let root = metadata.workspace_root.as_std_path();
    let mut targets = Vec::new();
    for package in &metadata.packages {
        for target in &package.targets {
            let read =
                target.kind.iter().any(|kind| matches!(kind, TargetKind::Lib | TargetKind::Bin));
            if read {
                let name = target_name(package, target);
                targets.push(read_target(
                    root,
                    target.src_path.as_std_path(),
                    &package.name,
                    name,
                )?);
            }
        }
    }
    Ok(targets)
}

fn target_name(package: &Package, target: &cargo_metadata::Target) -> String {
    if target.kind.contains(&TargetKind::Lib) {
        package.name.to_string()
    } else {
        format!("{} (bin {})", package.name, target.name)
    }
}

fn read_target(root: &Path, main: &Path, package: &str, name: String) -> anyhow::Result<Target> {
    let mut target =
        Target { package: package.to_owned(), name, files: Vec::new(), names: Names::default() };
    let folder = main.parent().context("a target has no folder")?;
    let module = target.names.add_root();
    read_file(root, main, folder, module, &mut target)?;
    Ok(target)
}

/// Reads one file and, through its `mod` declarations, every file below it.
fn read_file(
    root: &Path,
    path: &Path,
    folder: &Path,
    module: usize,
    target: &mut Target,
) -> anyhow::Result<()> {
    let text =
        std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let syntax =
        syn::parse_file(&text).with_context(|| format!("cannot parse {}", path.display()))?;
    if syntax.attrs.iter().any(is_test_only) {
        return Ok(());
    }
    let file = target.files.len();
    let children = scan::scan_file(&syntax, file, module, &mut target.names);
    let relative = path.strip_prefix(root).unwrap_or(path).to_owned();
    target.files.push(SourceFile { path: relative, text, syntax });
    for child in children {
        let (path, below) = child_file(folder, &child.segments)?;
        read_file(root, &path, &below, child.module, target)?;
    }
    Ok(())
}

/// `a::b` is `a/b.rs` or `a/b/mod.rs`; its own children are in `a/b/`.
fn child_file(folder: &Path, segments: &[String]) -> anyhow::Result<(PathBuf, PathBuf)> {
    let below = segments.iter().fold(folder.to_owned(), |path, segment| path.join(segment));
    let beside = below.with_extension("rs");
    let inside = below.join("mod.rs");
    let path = [beside, inside].into_iter().find(|path| path.is_file());
    Ok((path.with_context(|| format!("module {} has no file", below.display()))?, below))
}

/// Every Rust file below a folder.
pub(crate) fn rust_files(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let path = entry.path();
        if entry.file_type()?.is_dir() {
            if entry.file_name() != "target" && entry.file_name() != "node_modules" {
                files.extend(rust_files(&path)?);
            }
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    Ok(files)
}

/// A library named `sample` that is made of these files, `lib.rs` among them.
#[cfg(test)]
pub(crate) fn target_of(files: &[(&str, &str)]) -> Target {
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    read_target(folder.path(), &folder.path().join("lib.rs"), "sample", "sample".to_owned())
        .unwrap()
}
