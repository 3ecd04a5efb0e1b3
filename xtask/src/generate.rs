//! Rust from `proto/`, without protoc.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context as _;

const TARGET: &str = "libs/llm-proto/src/generated/llm.v1.rs";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().map(Path::to_owned).unwrap_or_default()
}

fn generate() -> anyhow::Result<String> {
    let folder = std::env::temp_dir().join(format!("tarsy-gen-{}", std::process::id()));
    fs::create_dir_all(&folder)?;
    let descriptors = protox::compile(["llm/v1/llm.proto"], [root().join("proto")])?;
    tonic_prost_build::configure().out_dir(&folder).compile_fds(descriptors)?;
    let text = fs::read_to_string(folder.join("llm.v1.rs"))?;
    fs::remove_dir_all(&folder)?;
    Ok(text)
}

pub(crate) fn write() -> anyhow::Result<()> {
    let target = root().join(TARGET);
    if let Some(folder) = target.parent() {
        fs::create_dir_all(folder)?;
    }
    Ok(fs::write(target, generate()?)?)
}

/// Fails when the generated code is not what `proto/` says.
pub(crate) fn check() -> anyhow::Result<()> {
    let landed = fs::read_to_string(root().join(TARGET)).context(TARGET)?;
    anyhow::ensure!(landed == generate()?, "{TARGET} is not current: run `make gen`");
    Ok(())
}
