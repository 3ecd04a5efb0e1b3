//! `tarsy doctor`: what is missing on this machine, or with `--cluster` how a running installation is.

mod cluster;
mod machine;
mod report;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;

pub(crate) use self::cluster::Api;
use crate::output::Format;

#[derive(Debug, Args)]
pub(crate) struct Options {
    /// Checks a running installation instead: the one that `DATABASE_URL`, `NATS_URL` and `LLM_SERVICE_ADDR` name, or,
    /// without them or with --url, the one behind the API.
    #[arg(long)]
    cluster: bool,
    /// Checks the newest backup of a folder, too.
    #[arg(long, value_name = "FOLDER", requires = "cluster")]
    backups: Option<PathBuf>,
}

/// Checks everything and prints all results.
pub(crate) async fn run(
    home: &Path,
    api: Api,
    options: &Options,
    format: Format,
) -> anyhow::Result<ExitCode> {
    if !options.cluster {
        return machine::run(format).await;
    }
    let facts = Box::pin(cluster::collect(home, &api, options.backups.as_deref())).await?;
    report::print(&cluster::checks(&facts), format)
}
