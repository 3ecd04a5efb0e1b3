//! `tarsy replay`: investigates an alert again with recorded tool results, and shows what differs.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context as _;
use clap::Args;
use serde_json::Value;

use crate::client::{Client, NewReplay};
use crate::commands::compare;
use crate::follow;
use crate::output::{self, Format};
use crate::short_id;

#[derive(Debug, Args)]
pub(crate) struct Options {
    /// The finished session: its ID, at least 4 characters of the beginning or end of it, or `latest`.
    session: String,
    /// The provider for every model call; default: those of the session.
    #[arg(long)]
    provider: Option<String>,
    /// A file with a resolved chain, such as `chain.json` of a case; default: that of the session.
    #[arg(long)]
    chain: Option<PathBuf>,
    /// A folder with prompt templates, `NAME.md` each, instead of the built-in ones.
    #[arg(long)]
    prompts: Option<PathBuf>,
}

pub(crate) async fn run(
    client: &Client,
    options: &Options,
    format: Format,
) -> anyhow::Result<ExitCode> {
    let replay = NewReplay {
        provider: options.provider.clone(),
        chain: options.chain.as_deref().map(chain).transpose()?,
        prompts: options.prompts.as_deref().map(prompts).transpose()?.unwrap_or_default(),
    };
    let original = short_id::of_session(client, &options.session).await?;
    let id = client.replay(&original, &replay).await?;
    output::remark(&format!("session {id} · {}", client.page_of(&id)));
    let status = follow::end(client, &id).await?;
    compare::run(client, (&original, &id), format).await?;
    Ok(if status == "completed" { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

pub(crate) fn chain(path: &Path) -> anyhow::Result<Value> {
    let text = fs::read_to_string(path)
        .with_context(|| format!("--chain: could not read {}", path.display()))?;
    serde_json::from_str(&text)
        .with_context(|| format!("--chain: {} is not valid JSON", path.display()))
}

/// The templates of a folder by their names.
pub(crate) fn prompts(folder: &Path) -> anyhow::Result<BTreeMap<String, String>> {
    let entries = fs::read_dir(folder)
        .with_context(|| format!("--prompts: could not read {}", folder.display()))?;
    let mut templates = BTreeMap::new();
    for entry in entries {
        let path = entry?.path();
        let name = path.file_stem().and_then(|name| name.to_str());
        if let (Some(name), Some("md")) = (name, path.extension().and_then(|end| end.to_str())) {
            let text = fs::read_to_string(&path)
                .with_context(|| format!("--prompts: could not read {}", path.display()))?;
            templates.insert(name.to_owned(), text);
        }
    }
    anyhow::ensure!(
        !templates.is_empty(),
        "--prompts: {} has no templates; write for example {}",
        folder.display(),
        folder.join("instructions.md").display()
    );
    Ok(templates)
}
