//! `tarsy import`: the finished sessions of the Go implementation, read from its API, become finished sessions here.

mod record;
mod source;

use std::process::ExitCode;

use clap::Args;
use jiff::civil::Date;
use serde::Serialize;

use self::source::Source;
use crate::client::Client;
use crate::output::{self, Format};

#[derive(Debug, Args)]
pub(crate) struct Options {
    /// Its address, such as <http://tarsy-old:8080>.
    from: String,
    /// Only sessions of this day and later, such as 2026-08-01.
    #[arg(long)]
    since: Option<Date>,
    /// Sent with each request there as `Authorization`, such as `Bearer …`.
    #[arg(long, env = "TARSY_IMPORT_AUTHORIZATION", hide_env_values = true)]
    authorization: Option<String>,
}

/// What became of the sessions there.
#[derive(Debug, Default, Serialize)]
struct Sessions {
    imported: usize,
    /// Brought in before.
    known: usize,
    /// They have no report.
    left_out: usize,
}

pub(crate) async fn run(
    client: &Client,
    options: &Options,
    format: Format,
) -> anyhow::Result<ExitCode> {
    let source = Source::new(&options.from, options.authorization.as_deref())?;
    let mut done = Sessions::default();
    for page in 1.. {
        let (sessions, is_last) = source.page(page, options.since).await?;
        for id in &sessions {
            let session = source.session(id).await?;
            let Some(recording) = record::of(&session, &source.calls(id).await?) else {
                done.left_out += 1;
                continue;
            };
            if client.bring_in_once(&recording).await? {
                done.known += 1;
            } else {
                done.imported += 1;
            }
        }
        if is_last {
            break;
        }
        let so_far = output::counted(done.imported + done.known, "session");
        output::remark(&format!("{so_far} so far"));
    }
    match format {
        Format::Json => output::document(&done)?,
        Format::Text => {
            let Sessions { imported, known, left_out } = done;
            output::line(&format!(
                "{imported} imported, {known} known before, {left_out} without a report left out"
            ));
        }
    }
    Ok(ExitCode::SUCCESS)
}
