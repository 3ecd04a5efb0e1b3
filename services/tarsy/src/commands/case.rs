//! `tarsy case`: cases of an evaluation.

pub(crate) mod folder;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Subcommand;
use serde_json::json;
use tarsy_evaluation::confirmed;

use crate::client::Client;
use crate::output::{self, Format};
use crate::short_id;
use folder::CaseFolder;

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Saves a finished session as a case. What its review confirms is the expected answer; the rest is to be written by hand.
    Save {
        /// The session: its ID, at least 4 characters of the beginning or end of it, or `latest`.
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
    let session = &short_id::of_session(client, session).await?;
    let recording = client.recording(session).await?;
    let calls = recording.calls.len();
    let review = client.find_review(session).await?;
    let verdict = client.session(session).await?.verdict;
    let expected = confirmed(review.as_ref(), verdict.as_ref());
    let missing = expected.check().err();
    let case = CaseFolder { recording, expected };
    case.write(folder)?;
    match format {
        Format::Json => output::document(&json!({ "folder": folder, "calls": calls }))?,
        Format::Text => {
            let next = match missing {
                Some(missing) => {
                    format!("write the accepted answers into expected.json: {missing}")
                }
                None => "expected.json has what the review confirms: read it, and add other names"
                    .to_owned(),
            };
            let calls = output::counted(calls, "call");
            output::line(&format!("{calls} in {}; {next}", folder.display()));
        }
    }
    Ok(ExitCode::SUCCESS)
}
