//! `tarsy ask`: asks a question about a finished session, and follows the answer on request.

use std::process::ExitCode;

use clap::Args;

use crate::client::Client;
use crate::follow::{self, Detail};
use crate::output::{self, Format};
use crate::short_id;

#[derive(Debug, Args)]
pub(crate) struct Options {
    /// The session: its ID, at least 4 characters of the beginning or end of it, or `latest`.
    id: String,
    /// The question.
    question: String,
    /// Shows the answer until it ends.
    #[arg(long)]
    follow: bool,
    /// With --follow: also shows reasoning, and the beginning of each result.
    #[arg(long, requires = "follow")]
    verbose: bool,
}

pub(crate) async fn run(
    client: &Client,
    options: &Options,
    format: Format,
) -> anyhow::Result<ExitCode> {
    let id = &short_id::of_session(client, &options.id).await?;
    // Read before, so that no event of the answer is missed.
    let last_event = client.session(id).await?.last_event_id;
    let accepted = client.ask_question(id, &options.question).await?;
    let stage = accepted.stage_id.as_str();
    if options.follow {
        return follow::answer(
            client,
            id,
            (stage, last_event),
            (format, Detail::of(options.verbose)),
        )
        .await;
    }
    match format {
        Format::Json => output::document(&accepted)?,
        Format::Text => {
            output::line(&format!("asked; the answer appears at {}", client.page_of(id)));
        }
    }
    Ok(ExitCode::SUCCESS)
}
