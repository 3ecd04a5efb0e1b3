//! Shows a session as it is investigated.

mod screen;

use std::process::ExitCode;
use std::time::Duration;

use futures::{SinkExt as _, StreamExt as _};
use serde::Serialize;
use serde_json::{Value, json};
use tarsy_contracts::failure::FailureView;
use tarsy_domain::claim::DegradedReason;
use tarsy_domain::verdict::{Verdict, VerdictFailure};
use tokio_tungstenite::tungstenite::Message;

use crate::client::{Client, SessionDetail, SessionState};
use crate::output::{self, Format, field, indented, style};
use crate::short_id;
use crate::unreachable::unreachable;
use crate::verdict;

use screen::{Screen, Target, is_terminal};

pub(crate) use screen::Detail;

const LOOK_AGAIN: Duration = Duration::from_secs(5);
const RECONNECTS: u32 = 20;
const WITHOUT_A_LOOK: &str = "No tool was called: an agent concluded without looking at anything.";

/// Follows a session to its end; the exit code says whether it completed with findings: a conclusion
/// without a look is none.
pub(crate) async fn session(
    client: &Client,
    id: &str,
    (format, detail): (Format, Detail),
) -> anyhow::Result<ExitCode> {
    let id = &short_id::of_session(client, id).await?;
    // An unknown session is an error at once.
    client.status(id).await?;
    follow(client, id, &mut Screen { format, detail, ..Screen::default() }).await?;
    conclude(client, id, (format, detail)).await
}

/// Shows the finding of a session; the exit code says whether it completed.
pub(crate) async fn finding(client: &Client, id: &str, format: Format) -> anyhow::Result<ExitCode> {
    let id = short_id::of_session(client, id).await?;
    conclude(client, &id, (format, Detail::Everything)).await
}

/// Follows the answer to a question, which is a stage of its own, with the events after a number; the exit code
/// says whether it completed.
pub(crate) async fn answer(
    client: &Client,
    id: &str,
    (stage, last_seq): (&str, i64),
    (format, detail): (Format, Detail),
) -> anyhow::Result<ExitCode> {
    let target = Target::Stage(stage.to_owned());
    let mut screen = Screen { format, detail, target, last_seq, ..Screen::default() };
    follow(client, id, &mut screen).await?;
    let status = status_of(&screen.target, client, id).await?;
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

/// The status of a target that the API knows.
async fn status_of(target: &Target, client: &Client, id: &str) -> anyhow::Result<String> {
    match target {
        Target::Session => Ok(client.status(id).await?.status),
        Target::Stage(stage) => {
            let stages = client.session(id).await?.stages;
            let found = stages.into_iter().find(|one| one.id == *stage);
            Ok(found.map(|one| one.status).unwrap_or_default())
        }
    }
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
        if output::is_unread() || is_terminal(&status_of(&screen.target, client, id).await?) {
            return Ok(());
        }
    }
}

async fn conclude(
    client: &Client,
    id: &str,
    (format, detail): (Format, Detail),
) -> anyhow::Result<ExitCode> {
    let end = client.status(id).await?;
    let found = client.session(id).await?;
    let SessionDetail { verdict, verdict_failure, degraded_reasons, .. } = found;
    let is_guess = degraded_reasons.iter().any(|one| one == DegradedReason::NoToolCalled.as_str());
    let is_success = end.status == "completed" && !is_guess;
    let code = if is_success { ExitCode::SUCCESS } else { ExitCode::FAILURE };
    let conclusion = Conclusion { end, verdict, verdict_failure, degraded_reasons };
    if format.is_json() {
        output::json_line(&conclusion)?;
        return Ok(code);
    }
    conclusion.print(detail);
    if is_guess {
        let warning = style("warning:").yellow();
        output::line(&format!("\n{warning} {WITHOUT_A_LOOK}"));
    }
    output::line(&format!("\n{}", client.page_of(id)));
    output::line(&field(&conclusion.end.status));
    Ok(code)
}

/// How a session ended, as one JSON document.
#[derive(Serialize)]
struct Conclusion {
    #[serde(flatten)]
    end: SessionState,
    verdict: Option<Verdict>,
    verdict_failure: Option<VerdictFailure>,
    /// Why the findings need a second look; `no_tool_called` is the reason of exit code 1 after a completed session.
    degraded_reasons: Vec<String>,
}

impl Conclusion {
    /// The finding once: the summary says in prose what the verdict says line by line.
    fn print(&self, detail: Detail) {
        let is_whole = detail == Detail::Everything;
        if let Some(summary) = &self.end.executive_summary
            && (is_whole || self.verdict.is_none())
        {
            heading("Summary");
            output::line(&format!("  {}", indented(summary)));
        }
        if let Some(verdict) = &self.verdict {
            heading("Finding");
            let lines = if is_whole { verdict::lines(verdict) } else { verdict::short(verdict) };
            for line in lines {
                output::line(&format!("  {}", field(&line)));
            }
        } else if let Some(failure) = &self.verdict_failure {
            output::line(&format!("\nno structured finding: {}", failure.describe()));
        }
        for line in self.degraded_reasons.iter().filter_map(|reason| cut_short(reason)) {
            output::line(&format!("\n{} {line}", style("warning:").yellow()));
        }
        for line in why_failed(&self.end) {
            output::line(&line);
        }
    }
}

/// Why a session failed, what to do, and where to read about it; of a record without facts, the sentence that was stored.
fn why_failed(end: &SessionState) -> Vec<String> {
    let label = style("error:").red();
    let Some(FailureView { failure, remedy, document }) = &end.failure else {
        let error = end.error_message.iter();
        return error.map(|error| format!("\n{label} {}", indented(error))).collect();
    };
    let mut lines = vec![format!("\n{label} {}", indented(&failure.happened()))];
    lines.push(format!("  {}", indented(remedy)));
    lines.extend(document.iter().map(|document| format!("  docs/{}", field(document))));
    lines
}

/// Why an agent had to conclude before it was done; none for other reasons.
fn cut_short(reason: &str) -> Option<&'static str> {
    match reason.parse::<DegradedReason>().ok()? {
        DegradedReason::IterationsUsedUp => {
            Some("Iterations used up: an agent had to conclude before it was done.")
        }
        DegradedReason::BudgetUsedUp => {
            Some("Budget used up: agents had to conclude before they were done.")
        }
        _ => None,
    }
}

fn heading(text: &str) {
    output::line(&format!("\n{}", style(text).bold().underlined()));
}

/// Shows events until what is followed ends or the WebSocket breaks.
async fn watch(client: &Client, id: &str, screen: &mut Screen) -> anyhow::Result<()> {
    let (mut socket, _) =
        tokio_tungstenite::connect_async(client.socket()?).await.map_err(|error| {
            unreachable(client.base(), &error).context("could not open the WebSocket")
        })?;
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
                if is_terminal(&status_of(&screen.target, client, id).await?) {
                    return Ok(());
                }
                continue;
            }
        };
        let Message::Text(text) = message else { continue };
        let event: Value = serde_json::from_str(&text)?;
        if screen.show(&event)? || output::is_unread() {
            return Ok(());
        }
    }
}
