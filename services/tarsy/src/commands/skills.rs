//! `tarsy skills`: skills of a Git repository, as they are at one commit, become skills of the configuration.

mod archive;
mod folder;
mod repository;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Subcommand};
use serde_json::json;
use tarsy_service::Settings;
use url::Url;

use self::folder::{Folder, Outcome};
use self::repository::Repository;
use crate::output::{self, Format, Table, Wide};

/// The folder of the configuration where none is named.
const DEFAULT: &str = "deploy/config";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Takes the skills of a repository, as they are at one commit, into the folder `skills` of the configuration. What is
    /// yours there, or was edited, stays.
    Pull(Options),
}

#[derive(Debug, Args)]
pub(crate) struct Options {
    /// Its address, such as <https://github.com/acme/sre>.
    repository: Url,
    /// The commit, all 40 digits: branches and tags can be moved.
    #[arg(long)]
    commit: String,
    /// The folder in it that has the skills.
    #[arg(long, default_value = "skills")]
    path: String,
    /// The folder of tarsy.yaml; default: `TARSY_CONFIG_DIR`, or deploy/config.
    #[arg(long)]
    dir: Option<PathBuf>,
    /// What may read it, if not everybody may.
    #[arg(long, env = "TARSY_SKILLS_TOKEN", hide_env_values = true)]
    token: Option<String>,
}

pub(crate) async fn run(command: &Command, format: Format) -> anyhow::Result<ExitCode> {
    let Command::Pull(options) = command;
    let configured = || Ok::<_, anyhow::Error>(Settings::from_env()?.config_dir);
    let dir = match &options.dir {
        Some(dir) => dir.clone(),
        None => configured()?.unwrap_or_else(|| PathBuf::from(DEFAULT)),
    };
    let repository = Repository::new(&options.repository, &options.commit)?;
    let archive = repository.fetch(options.token.as_deref()).await?;
    let found = archive::skills(&archive, &options.path).await?;
    anyhow::ensure!(
        !found.is_empty(),
        "{} has no SKILL.md below {:?}; name another folder with --path",
        options.repository,
        options.path
    );
    let source = format!("{}/{}", options.repository.as_str().trim_end_matches('/'), options.path);
    let done = Folder::open(&dir)?.take(&source, &options.commit, &found)?;
    match format {
        Format::Json => output::document(&json!({ "folder": dir.join("skills"), "skills": done }))?,
        Format::Text => show(&done),
    }
    let is_whole = done.values().all(|outcome| *outcome != Outcome::Kept);
    Ok(if is_whole { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn show(done: &folder::Outcomes) {
    let mut table = Table::new(["SKILL", "OUTCOME"]);
    for (name, outcome) in done {
        table.add([name.clone(), outcome.describe().to_owned()]);
    }
    table.print(Wide::Wrapped);
    output::remark("`tarsy config check` reads them, `tarsy config reload` lets running services");
}
