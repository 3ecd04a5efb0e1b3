//! `tarsy sessions take`, `done` and the like: who works on sessions, and notes.

use std::process::ExitCode;

use clap::Args;
use serde_json::{Value, json};

use crate::client::{Client, TriageChange};
use crate::output::{self, Format};
use crate::short_id;

#[derive(Debug, Args)]
pub(crate) struct Options {
    /// The sessions: their IDs, at least 4 characters of the beginning or end of each, or `latest`.
    #[arg(required = true)]
    ids: Vec<String>,
    /// Also those that another person has taken or done.
    #[arg(long)]
    take_over: bool,
    /// A note; secrets in it are masked.
    #[arg(long)]
    note: Option<String>,
}

impl Options {
    pub(super) fn change(&self, triage: &'static str) -> TriageChange {
        let (note, take_over) = (self.note.clone(), self.take_over);
        TriageChange { note, take_over, ..TriageChange::new(Some(triage)) }
    }

    pub(super) fn assignment(&self, person: &str) -> TriageChange {
        TriageChange { assignee: Some(person.to_owned()), ..self.change("taken") }
    }
}

/// Changes sessions one after the other, and says which were not.
pub(super) async fn run(
    client: &Client,
    options: &Options,
    change: &TriageChange,
    format: Format,
) -> anyhow::Result<ExitCode> {
    let mut code = ExitCode::SUCCESS;
    let mut results = Vec::new();
    for id in &options.ids {
        match changed(client, id, &change.for_another()).await {
            Ok(answer) if format.is_json() => results.push(json!({ "id": id, "triage": answer })),
            Ok(answer) => output::line(&format!("{id} is {}", described(&answer))),
            Err(error) => {
                code = ExitCode::FAILURE;
                if format.is_json() {
                    results.push(json!({ "id": id, "error": format!("{error:#}") }));
                } else {
                    output::line(&format!("{id} is unchanged: {error:#}"));
                }
            }
        }
    }
    if format.is_json() {
        output::document(&results)?;
    }
    Ok(code)
}

/// Adds a note to a session.
pub(super) async fn note(
    client: &Client,
    id: &str,
    text: &str,
    format: Format,
) -> anyhow::Result<()> {
    let change = TriageChange { note: Some(text.to_owned()), ..TriageChange::new(None) };
    let answer = changed(client, id, &change).await?;
    if format.is_json() {
        return output::document(&answer);
    }
    output::line("the note was added");
    Ok(())
}

async fn changed(client: &Client, id: &str, change: &TriageChange) -> anyhow::Result<Value> {
    client.triage(&short_id::of_session(client, id).await?, change).await
}

/// Such as `taken by ann`.
fn described(answer: &Value) -> String {
    let text = |field| answer.get(field).and_then(Value::as_str).unwrap_or_default();
    match text("assignee") {
        "" => text("triage").to_owned(),
        assignee => format!("{} by {assignee}", text("triage")),
    }
}
