//! `tarsy memories`: what people confirmed in reviews.

use std::process::ExitCode;

use clap::{Args, Subcommand, ValueEnum};
use serde_json::{Value, json};

use crate::client::{Client, MemoryChange, MemoryFilter};
use crate::output::{self, Format, Table, Wide, field};

/// Memories that a list has.
const LISTED: usize = 100;

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Lists memories, those that were confirmed last first; at most 100.
    List(Filter),
    /// Prints all memories as JSON.
    Export(Filter),
    /// Changes the text of a memory.
    Edit {
        /// The ID of the memory.
        id: String,
        /// The fact, on one line.
        text: String,
    },
    /// Retires a memory: investigations are not given it any more.
    Retire {
        /// The ID of the memory.
        id: String,
    },
    /// Restores a retired memory.
    Restore {
        /// The ID of the memory.
        id: String,
    },
    /// Deletes a memory for good.
    Delete {
        /// The ID of the memory.
        id: String,
    },
}

#[derive(Debug, Args)]
pub(crate) struct Filter {
    /// Words that all occur in it.
    #[arg(long)]
    text: Option<String>,
    /// Only those in this state.
    #[arg(long)]
    state: Option<State>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum State {
    Active,
    Retired,
}

impl State {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Retired => "retired",
        }
    }
}

impl Filter {
    fn query(&self) -> MemoryFilter<'_> {
        MemoryFilter { text: self.text.as_deref(), state: self.state.map(State::as_str) }
    }
}

pub(crate) async fn run(
    client: &Client,
    command: &Command,
    format: Format,
) -> anyhow::Result<ExitCode> {
    match command {
        Command::List(filter) => list(client, filter, format).await?,
        Command::Export(filter) => {
            let memories = client.memories(&filter.query(), usize::MAX).await?;
            output::document(&json!({ "memories": memories }))?;
        }
        Command::Edit { id, text } => {
            let change = MemoryChange { text: Some(text), state: None };
            changed(&client.change_memory(id, &change).await?, format)?;
        }
        Command::Retire { id } => set(client, id, State::Retired, format).await?,
        Command::Restore { id } => set(client, id, State::Active, format).await?,
        Command::Delete { id } => {
            client.delete_memory(id).await?;
            match format {
                Format::Json => output::document(&json!({ "id": id, "deleted": true }))?,
                Format::Text => output::line("deleted"),
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

async fn set(client: &Client, id: &str, state: State, format: Format) -> anyhow::Result<()> {
    let change = MemoryChange { text: None, state: Some(state.as_str()) };
    changed(&client.change_memory(id, &change).await?, format)
}

fn changed(memory: &Value, format: Format) -> anyhow::Result<()> {
    if format.is_json() {
        return output::document(memory);
    }
    output::line(&field(&format!("{}: {}", text(memory, "state"), text(memory, "text"))));
    Ok(())
}

async fn list(client: &Client, filter: &Filter, format: Format) -> anyhow::Result<()> {
    let memories = client.memories(&filter.query(), LISTED).await?;
    if format.is_json() {
        return output::document(&json!({ "memories": memories }));
    }
    if memories.is_empty() {
        output::line("there are no such memories; reviews of sessions make them");
        return Ok(());
    }
    let mut table = Table::new(["ID", "STATE", "CONFIRMED", "OBJECT", "MEMORY"]);
    for memory in &memories {
        let day: String = text(memory, "confirmed_at").chars().take("2026-01-01".len()).collect();
        table.add([
            text(memory, "id").to_owned(),
            text(memory, "state").to_owned(),
            day,
            text(memory, "object").to_owned(),
            text(memory, "text").to_owned(),
        ]);
    }
    table.print(Wide::Wrapped);
    Ok(())
}

fn text<'a>(memory: &'a Value, name: &str) -> &'a str {
    memory.get(name).and_then(Value::as_str).unwrap_or_default()
}
