//! `tarsy postmortem`: the draft of a postmortem, made of the records of sessions.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context as _;
use clap::Args;

use crate::client::Client;
use crate::output::{self, Format};
use crate::short_id;

#[derive(Debug, Args)]
pub(crate) struct Options {
    /// The session: its ID, at least 4 characters of the beginning or end of it, or `latest`.
    id: String,
    /// A further session of the same incident, named likewise; may be given several times.
    #[arg(long)]
    with: Vec<String>,
    /// Has a model write summary, what happened and lessons from the facts of the record; the postmortem shows it once it is there.
    #[arg(long, conflicts_with_all = ["with", "out"])]
    write: bool,
    /// Replaces text that a person edited.
    #[arg(long, requires = "write")]
    replace: bool,
    /// Writes the Markdown into this file.
    #[arg(long, value_name = "FILE", conflicts_with = "json")]
    out: Option<PathBuf>,
}

pub(crate) async fn run(
    client: &Client,
    options: &Options,
    format: Format,
) -> anyhow::Result<ExitCode> {
    let id = short_id::of_session(client, &options.id).await?;
    if options.write {
        client.request_prose(&id, options.replace).await?;
        output::line(&format!("asked for; `tarsy postmortem {id}` shows it once it is written"));
        return Ok(ExitCode::SUCCESS);
    }
    let mut with = Vec::with_capacity(options.with.len());
    for other in &options.with {
        with.push(short_id::of_session(client, other).await?);
    }
    if format.is_json() {
        output::document(&client.postmortem(&id, &with).await?)?;
        return Ok(ExitCode::SUCCESS);
    }
    let text = client.postmortem_text(&id, &with).await?;
    match &options.out {
        Some(path) => {
            std::fs::write(path, text)
                .with_context(|| format!("{} cannot be written", path.display()))?;
            output::line(&format!("wrote {}", path.display()));
        }
        None => output::line(text.trim_end()),
    }
    Ok(ExitCode::SUCCESS)
}
