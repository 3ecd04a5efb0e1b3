//! `tarsy dead`: dead letters, the messages and notifications that could not be handled.

use std::path::Path;
use std::process::ExitCode;

use anyhow::Context as _;
use clap::Subcommand;
use serde_json::{Value, json};
use tarsy_bus::DurableMessage;
use tarsy_store::DeadLetter;

use crate::connections;
use crate::output::{self, Format, Table, Wide};

/// How many dead letters are read at most.
const MOST: i64 = 1_000;

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Lists the dead letters, the oldest first.
    List,
    /// Retries dead letters; they are handled as if they had just arrived.
    Retry {
        /// Ids from `tarsy dead list`.
        #[arg(required_unless_present = "all")]
        ids: Vec<String>,
        /// Retries all of them.
        #[arg(long, conflicts_with = "ids")]
        all: bool,
    },
}

pub(crate) async fn run(
    home: &Path,
    command: &Command,
    format: Format,
) -> anyhow::Result<ExitCode> {
    let store = connections::store(home).await?;
    let waiting = store.list_dead_letters(MOST).await.context("could not read the dead letters")?;
    let (ids, all) = match command {
        Command::List => {
            list(&waiting, format)?;
            return Ok(ExitCode::SUCCESS);
        }
        Command::Retry { ids, all } => (ids, *all),
    };
    let chosen = choose(waiting, ids, all)?;
    if chosen.is_empty() && format == Format::Text {
        output::line("there are no dead letters");
        return Ok(ExitCode::SUCCESS);
    }
    let mut retried = Vec::new();
    let bus = connections::bus(home).await?;
    for letter in chosen {
        retried.push(json!({ "id": letter.id.to_string(), "subject": letter.subject.as_str() }));
        if letter.notification_id.is_some() {
            // A notification is a row, not a message: it becomes due again.
            store.retry_notification(letter.id).await?;
            print(&format!("notification {} is sent again: {}", letter.id, letter.subject), format);
            continue;
        }
        // It is sent before it is marked: what is sent twice is stored once, under the id it carries.
        bus.publish_durable(DurableMessage {
            subject: letter.subject.clone(),
            message_id: format!("retry-{}-{}", letter.id, std::process::id()),
            payload: letter.payload.into(),
        })
        .await
        .with_context(|| format!("could not publish {} again", letter.id))?;
        store.retry_dead_letter(letter.id).await?;
        print(&format!("{} was published again on {}", letter.id, letter.subject), format);
    }
    if format.is_json() {
        output::document(&retried)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// A line for people.
fn print(text: &str, format: Format) {
    if format == Format::Text {
        output::line(text);
    }
}

fn list(waiting: &[DeadLetter], format: Format) -> anyhow::Result<()> {
    if format.is_json() {
        let letters: Vec<Value> = waiting.iter().map(described).collect();
        return output::document(&letters);
    }
    if waiting.is_empty() {
        output::line("there are no dead letters");
        return Ok(());
    }
    let mut table = Table::new(["ID", "SUBJECT", "BYTES", "SINCE", "ERROR"]);
    for letter in waiting {
        table.add([
            letter.id.to_string(),
            letter.subject.clone(),
            letter.payload.len().to_string(),
            letter.created_at.strftime("%F %T").to_string(),
            letter.error.clone(),
        ]);
    }
    table.print(Wide::Wrapped);
    Ok(())
}

fn described(letter: &DeadLetter) -> Value {
    json!({
        "id": letter.id.to_string(),
        "subject": letter.subject,
        "bytes": letter.payload.len(),
        "created_at": letter.created_at.to_string(),
        "error": letter.error,
    })
}

fn choose(waiting: Vec<DeadLetter>, ids: &[String], all: bool) -> anyhow::Result<Vec<DeadLetter>> {
    let known = |id: &String| waiting.iter().any(|letter| letter.id.to_string() == *id);
    if let Some(unknown) = ids.iter().find(|id| !known(id)) {
        anyhow::bail!("there is no dead letter {unknown}; `tarsy dead list` shows all");
    }
    let wanted = |letter: &DeadLetter| all || ids.contains(&letter.id.to_string());
    Ok(waiting.into_iter().filter(wanted).collect())
}
