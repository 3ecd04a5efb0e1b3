//! Shows a session as it is investigated.

use std::collections::HashMap;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context as _;
use futures::{SinkExt as _, StreamExt as _};
use serde::Serialize;
use serde_json::{Value, json};
use tarsy_domain::verdict::{Verdict, VerdictFailure};
use tokio_tungstenite::tungstenite::Message;

use crate::client::{Client, SessionDetail, SessionState};
use crate::output::{self, Format, field, indented, style};
use crate::verdict;

/// The result of a tool is shown to this length.
const RESULT_LINES: usize = 6;
const LOOK_AGAIN: Duration = Duration::from_secs(5);
const RECONNECTS: u32 = 20;

/// What is followed to its end.
#[derive(Clone, Default)]
enum Target {
    #[default]
    Session,
    /// The stage that answers a question.
    Stage(String),
}

impl Target {
    /// Whether an event says that this is over.
    fn is_ended_by(&self, event: &Value) -> bool {
        let kind = text(&event["type"]);
        let concerns = match self {
            Self::Session => kind == "session.status",
            Self::Stage(id) => kind == "stage.status" && text(&event["stage_id"]) == id,
        };
        concerns && is_terminal(text(&event["status"]))
    }

    /// The status that the API knows.
    async fn status(&self, client: &Client, id: &str) -> anyhow::Result<String> {
        match self {
            Self::Session => Ok(client.status(id).await?.status),
            Self::Stage(stage) => {
                let stages = client.session(id).await?.stages;
                let found = stages.into_iter().find(|one| one.id == *stage);
                Ok(found.map(|one| one.status).unwrap_or_default())
            }
        }
    }
}

/// Follows a session to its end; the exit code says whether it completed.
pub(crate) async fn session(client: &Client, id: &str, format: Format) -> anyhow::Result<ExitCode> {
    // An unknown session is an error at once.
    client.status(id).await?;
    follow(client, id, &mut Screen { format, ..Screen::default() }).await?;
    conclude(client, id, format).await
}

/// Follows the answer to a question, which is a stage of its own, with the events after a number; the exit code
/// says whether it completed.
pub(crate) async fn answer(
    client: &Client,
    id: &str,
    (stage, last_seq): (&str, i64),
    format: Format,
) -> anyhow::Result<ExitCode> {
    let target = Target::Stage(stage.to_owned());
    let mut screen = Screen { format, target, last_seq, ..Screen::default() };
    follow(client, id, &mut screen).await?;
    let status = screen.target.status(client, id).await?;
    match format {
        Format::Json => output::json_line(&json!({ "stage_id": stage, "status": status }))?,
        Format::Text => output::line(&status),
    }
    Ok(if status == "completed" { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Waits until a session is over, and shows nothing; returns its status.
pub(crate) async fn end(client: &Client, id: &str) -> anyhow::Result<String> {
    let mut screen = Screen { is_quiet: true, ..Screen::default() };
    follow(client, id, &mut screen).await?;
    Ok(client.status(id).await?.status)
}

async fn follow(client: &Client, id: &str, screen: &mut Screen) -> anyhow::Result<()> {
    let mut tries = 0;
    loop {
        match watch(client, id, screen).await {
            Ok(()) => tries = 0,
            Err(error) if tries < RECONNECTS => {
                tries += 1;
                tracing::debug!(%error, tries, "the socket broke");
                tokio::time::sleep(Duration::from_millis(500)).await;
            }
            Err(error) => return Err(error.context("the connection broke again and again")),
        }
        if is_terminal(&screen.target.status(client, id).await?) {
            return Ok(());
        }
    }
}

async fn conclude(client: &Client, id: &str, format: Format) -> anyhow::Result<ExitCode> {
    let end = client.status(id).await?;
    let SessionDetail { verdict, verdict_failure, .. } = client.session(id).await?;
    let code = if end.status == "completed" { ExitCode::SUCCESS } else { ExitCode::FAILURE };
    if format.is_json() {
        output::json_line(&Conclusion { end, verdict, verdict_failure })?;
        return Ok(code);
    }
    if let Some(summary) = end.executive_summary {
        output::line(&format!(
            "\n{}\n  {}",
            style("Executive summary").bold().underlined(),
            indented(&summary)
        ));
    }
    if let Some(verdict) = &verdict {
        output::line(&format!("\n{}", style("Verdict").bold().underlined()));
        for line in verdict::lines(verdict) {
            output::line(&field(&line));
        }
    } else if let Some(failure) = verdict_failure {
        output::line(&format!("\nno structured verdict: {}", failure.describe()));
    }
    if let Some(error) = end.error_message {
        output::line(&format!("\n{} {}", style("error:").red(), indented(&error)));
    }
    output::line(&format!("\n{}", client.page_of(id)));
    output::line(&field(&end.status));
    Ok(code)
}

/// How a session ended, as one JSON document.
#[derive(Serialize)]
struct Conclusion {
    #[serde(flatten)]
    end: SessionState,
    verdict: Option<Verdict>,
    verdict_failure: Option<VerdictFailure>,
}

fn is_terminal(status: &str) -> bool {
    matches!(status, "completed" | "failed" | "timed_out" | "cancelled")
}

/// Shows events until what is followed ends or the WebSocket breaks.
async fn watch(client: &Client, id: &str, screen: &mut Screen) -> anyhow::Result<()> {
    let (mut socket, _) = tokio_tungstenite::connect_async(client.socket()?)
        .await
        .context("could not open the WebSocket")?;
    let subscribe = json!({
        "action": "subscribe",
        "channel": format!("session:{id}"),
        "last_event_id": screen.last_seq,
    });
    socket.send(Message::text(subscribe.to_string())).await?;
    loop {
        let message = match tokio::time::timeout(LOOK_AGAIN, socket.next()).await {
            Ok(Some(message)) => message?,
            Ok(None) => anyhow::bail!("closed"),
            Err(_) => {
                // No event may mean a slow model, a relay that stopped, or a session so old that its
                // events are deleted: the API knows.
                if is_terminal(&screen.target.status(client, id).await?) {
                    return Ok(());
                }
                continue;
            }
        };
        let Message::Text(text) = message else { continue };
        let event: Value = serde_json::from_str(&text)?;
        if screen.show(&event)? {
            return Ok(());
        }
    }
}

/// What was shown so far.
#[derive(Default)]
struct Screen {
    format: Format,
    /// Nothing is shown.
    is_quiet: bool,
    target: Target,
    last_seq: i64,
    /// The kind of each streaming event, and how many bytes of it were shown.
    open: HashMap<String, (String, u64)>,
    /// The streaming event whose text is on the current line.
    writing: Option<String>,
}

impl Screen {
    /// Shows one event; whether it was the last of what is followed.
    fn show(&mut self, event: &Value) -> anyhow::Result<bool> {
        if let Some(seq) = event["db_event_id"].as_i64() {
            if seq <= self.last_seq {
                return Ok(false);
            }
            self.last_seq = seq;
        }
        match self.format {
            _ if self.is_quiet => {}
            Format::Json => output::json_line(event)?,
            Format::Text => self.print(event),
        }
        Ok(self.target.is_ended_by(event))
    }

    fn print(&mut self, event: &Value) {
        let status = text(&event["status"]);
        match text(&event["type"]) {
            "timeline_event.created" => self.created(event),
            "timeline_event.completed" => self.completed(event),
            "stream.chunk" => self.chunk(event),
            "stage.status" => {
                self.note(&format!(
                    "stage {} {}",
                    field(text(&event["stage_name"])),
                    field(status)
                ));
            }
            "session.status" => self.note(&format!("session {}", field(status))),
            _ => {}
        }
    }

    fn created(&mut self, event: &Value) {
        let kind = text(&event["event_type"]).to_owned();
        if event["status"] == "streaming" {
            self.open.insert(text(&event["event_id"]).to_owned(), (kind.clone(), 0));
            if kind == "llm_tool_call" {
                let call = &event["metadata"];
                self.note(&format!(
                    "{} {}.{} {}",
                    style("call").cyan(),
                    field(text(&call["server_name"])),
                    field(text(&call["tool_name"])),
                    field(&call["arguments"].to_string())
                ));
            }
            return;
        }
        match kind.as_str() {
            "error" => self.note(&format!("{} {}", style("!").red(), text(&event["content"]))),
            // The conclusion was streamed as the model's last response; the summary comes last.
            "final_analysis" | "executive_summary" => {}
            other => self.note(&format!("{}: {}", field(other), text(&event["content"]))),
        }
    }

    fn chunk(&mut self, event: &Value) {
        let id = text(&event["event_id"]).to_owned();
        let Some((kind, shown)) = self.open.get_mut(&id) else { return };
        let (delta, offset) = (text(&event["delta"]), event["offset"].as_u64().unwrap_or(0));
        let skip = usize::try_from(shown.saturating_sub(offset)).unwrap_or(usize::MAX);
        let Some(new) = delta.get(skip..).filter(|new| !new.is_empty()) else { return };
        *shown = offset + delta.len() as u64;
        let thinking = kind == "llm_thinking";
        if self.writing.as_deref() != Some(id.as_str()) {
            self.end_line();
            output::fragment(&format!("{} ", style(if thinking { "…" } else { "»" }).dim()));
            self.writing = Some(id);
        }
        if thinking {
            output::fragment(&style(indented(new)).dim().to_string());
        } else {
            output::fragment(&indented(new));
        }
    }

    fn completed(&mut self, event: &Value) {
        let id = text(&event["event_id"]).to_owned();
        let content = text(&event["content"]);
        let open = self.open.remove(&id);
        if event["event_type"] == "llm_tool_call" {
            self.end_line();
            let lines: Vec<&str> = content.lines().collect();
            for line in lines.iter().take(RESULT_LINES) {
                output::line(&format!("    {}", style(line).dim()));
            }
            if lines.len() > RESULT_LINES {
                output::line(&format!("    {} more lines", lines.len() - RESULT_LINES));
            }
            return;
        }
        // What no chunk brought, because this viewer came late.
        if let Some((_, shown)) = open {
            let shown = usize::try_from(shown).unwrap_or(usize::MAX);
            if let Some(rest) = content.get(shown..).filter(|rest| !rest.is_empty()) {
                output::fragment(&indented(rest));
                self.writing = Some(id);
            }
        }
        self.end_line();
    }

    fn note(&mut self, text: &str) {
        self.end_line();
        output::line(&format!("{} {}", style("·").dim(), indented(text)));
    }

    fn end_line(&mut self) {
        if self.writing.take().is_some() {
            output::line("");
        }
    }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_is_shown_once_and_the_last_one_ends_the_screen() {
        let mut screen = Screen::default();
        let event = |seq: i64, status: &str| json!({"type": "session.status", "db_event_id": seq, "status": status});
        assert!(!screen.show(&event(1, "in_progress")).unwrap());
        assert!(!screen.show(&event(1, "completed")).unwrap(), "a repeated event is not shown");
        assert!(screen.show(&event(2, "completed")).unwrap());
    }

    #[test]
    fn an_answer_ends_with_its_own_stage() {
        let mut screen = Screen { target: Target::Stage("b".to_owned()), ..Screen::default() };
        let event = |seq: i64, stage: &str, status: &str| json!({"type": "stage.status", "db_event_id": seq, "stage_id": stage, "status": status});
        assert!(!screen.show(&event(1, "a", "completed")).unwrap());
        assert!(!screen.show(&event(2, "b", "active")).unwrap());
        assert!(screen.show(&event(3, "b", "failed")).unwrap());
    }

    #[test]
    fn a_chunk_that_overlaps_is_shown_only_where_it_is_new() {
        let mut screen = Screen::default();
        let created = json!({"type": "timeline_event.created", "db_event_id": 1, "event_id": "e",
            "event_type": "llm_response", "status": "streaming"});
        screen.show(&created).unwrap();
        let chunk = |delta: &str, offset: u64| json!({"type": "stream.chunk", "event_id": "e", "delta": delta, "offset": offset});
        screen.show(&chunk("héllo", 0)).unwrap();
        assert_eq!(screen.open["e"].1, 6);
        screen.show(&chunk("lo wörld", 4)).unwrap();
        assert_eq!(screen.open["e"].1, 13);
    }
}
