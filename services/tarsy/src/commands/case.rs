//! `tarsy case`: cases of an evaluation.

pub(crate) mod folder;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Subcommand;
use serde_json::json;
use tarsy_evaluation::Expected;

use crate::client::Client;
use crate::output::{self, Format};
use folder::CaseFolder;

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Saves a finished session as a case; the expected answer is to be written by hand.
    Save {
        /// The session's id.
        session: String,
        /// The case's folder; it is created.
        folder: PathBuf,
    },
}

pub(crate) async fn run(
    client: &Client,
    command: &Command,
    format: Format,
) -> anyhow::Result<ExitCode> {
    let Command::Save { session, folder } = command;
    let recording = client.recording(session).await?;
    let calls = recording.calls.len();
    let case = CaseFolder { recording, expected: Expected::default() };
    case.write(folder)?;
    match format {
        Format::Json => output::document(&json!({ "folder": folder, "calls": calls }))?,
        Format::Text => output::line(&format!(
            "{calls} calls in {}; write the accepted answers into expected.json",
            folder.display()
        )),
    }
    Ok(ExitCode::SUCCESS)
}
