//! `tarsy redact`: removes a text from everything that is stored. The text is read from a file or the standard input: arguments
//! are seen by every process of the machine, and stay in the history of the shell.

use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, ensure};
use clap::Args;
use serde_json::json;

use crate::client::{Client, NewRedaction, Redacted};
use crate::output::{self, Format};

/// More than the API takes, in bytes.
const MAX_INPUT: u64 = 64 * 1024;

#[derive(Debug, Args)]
pub(crate) struct Options {
    /// A file that has the text and nothing else; the standard input without it. A line break at the end is not part of it.
    file: Option<PathBuf>,
    /// Takes the text's place: what it was, not how it reads.
    #[arg(long)]
    reason: String,
    /// Removes it. Without this, the rows that have it are only counted.
    #[arg(long)]
    yes: bool,
}

/// Removes the text; fails if it may still be stored afterwards.
pub(crate) async fn run(
    client: &Client,
    options: &Options,
    format: Format,
) -> anyhow::Result<ExitCode> {
    let text = read(options)?;
    let mut rows = BTreeMap::new();
    let mut continue_at = None;
    let last = loop {
        let redaction = NewRedaction {
            text: &text,
            reason: &options.reason,
            dry_run: !options.yes,
            continue_at: continue_at.take(),
        };
        let mut done = client.redact(&redaction).await?;
        for (table, count) in std::mem::take(&mut done.rows) {
            *rows.entry(table).or_insert(0_u64) += count;
        }
        let Some(place) = done.continue_at.take() else { break done };
        output::remark(&format!("at the table {}", place.get("table").unwrap_or_default()));
        continue_at = Some(place);
    };
    if format.is_json() {
        output::document(&json!({
            "removed": options.yes,
            "complete": last.complete && options.yes,
            "rows": rows,
            "running_sessions": last.running_sessions,
            "queued_alerts": last.queued_alerts,
        }))?;
    } else {
        report(options, &rows, &last);
    }
    let is_done = last.complete || !options.yes;
    Ok(if is_done { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn report(options: &Options, rows: &BTreeMap<String, u64>, last: &Redacted) {
    for (table, count) in rows {
        output::line(&format!("{table}: {count}"));
    }
    let total: u64 = rows.values().sum();
    if !options.yes {
        let rows = output::counted(total, "row");
        output::line(&format!("found in {rows}; add --yes to remove it"));
        return;
    }
    output::line(&format!("the text is removed from {}", output::counted(total, "row")));
    for session in &last.running_sessions {
        output::line(&format!(
            "session {session} had it and still runs: wait for its end, or `tarsy cancel {session}`, and run this again"
        ));
    }
    match last.queued_alerts {
        Some(0) => {}
        Some(alerts) => {
            let alerts = output::counted(alerts, "alert");
            output::line(&format!("{alerts} not stored yet: run this again later"));
        }
        None => output::line(
            "NATS does not answer, which may have alerts that wait to be stored: run this again later",
        ),
    }
}

fn read(options: &Options) -> anyhow::Result<String> {
    let mut bytes = Vec::new();
    match &options.file {
        Some(path) => {
            let file = open(path)?;
            file.take(MAX_INPUT + 1).read_to_end(&mut bytes)
        }
        None => std::io::stdin().lock().take(MAX_INPUT + 1).read_to_end(&mut bytes),
    }
    .context("could not read the text")?;
    ensure!(bytes.len() as u64 <= MAX_INPUT, "the text has more than 10,000 characters");
    let text = String::from_utf8(bytes).ok().context("the text is not UTF-8")?;
    let text = text.strip_suffix('\n').unwrap_or(&text);
    Ok(text.strip_suffix('\r').unwrap_or(text).to_owned())
}

fn open(path: &Path) -> anyhow::Result<std::fs::File> {
    std::fs::File::open(path).with_context(|| format!("could not open {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_file(content: &[u8]) -> anyhow::Result<String> {
        let file = tempfile::NamedTempFile::new()?;
        std::fs::write(file.path(), content)?;
        let file = Some(file.path().to_owned());
        read(&Options { file, reason: "why".to_owned(), yes: false })
    }

    #[test]
    fn the_text_of_a_file_is_taken_without_its_last_line_break() {
        assert_eq!(read_file(b"two\nlines \r\n").unwrap(), "two\nlines ");
        assert_eq!(read_file(b"two\n\n").unwrap(), "two\n");
    }

    #[test]
    fn what_is_no_text_of_a_bounded_length_is_refused_without_it() {
        let long = read_file(&vec![b'x'; 64 * 1024 + 1]).unwrap_err().to_string();
        assert!(long.contains("10,000 characters"), "{long}");
        let binary = read_file(b"secret\xff").unwrap_err().to_string();
        assert_eq!(binary, "the text is not UTF-8");
    }
}
