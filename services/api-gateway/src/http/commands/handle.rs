//! What becomes of a message, whoever sent it: who may, the audit log, and the answer.

use std::future::Future;
use std::time::Duration;

use http::StatusCode;
use tarsy_domain::access::Permission;
use tarsy_domain::code::Code;
use tarsy_domain::messenger::Messenger;
use tarsy_store::NewAuditEntry;
use tarsy_web::Problem;

use super::answers::Answers;
use super::message::{Answer, Audience, Message};
use super::parse::{Command, parse};
use super::people::{People, principal};
use super::run::{Done, Request};
use crate::access::Principal;
use crate::http::audit_entry::Entry;
use crate::http::chat::ASK;
use crate::metrics;
use crate::state::AppState;

/// The most time that a command may take: Slack sends one again that is not answered within three seconds, Teams shows an error
/// after five.
const TIMEOUT: Duration = Duration::from_millis(1_800);
/// What the audit log calls the begin of an investigation; the same as over REST.
const SUBMIT: &str = "submit_alert";
/// What it calls a command that reads, which it has only if it is denied.
const READ: &str = "read";

/// Does what a message wants, once. A problem is to be answered so that the messenger sends the message again.
pub(in crate::http) async fn handle(
    app: &AppState,
    message: &Message,
    client_address: Option<String>,
) -> Result<Answer, Problem> {
    let catalog = app.catalog();
    let system = &catalog.system;
    let messenger = message.messenger;
    let people = People::of(system, messenger)
        .ok_or_else(|| Problem::not_found("commands are not configured for this messenger"))?;
    let types = catalog.alert_types();
    let command = parse(&message.text, |word| types.iter().any(|known| known.alert_type == word));
    let (action, permission) = action_of(&command);
    let entry = Entry::new(action, path(messenger).to_owned(), client_address);
    let answers = Answers { messenger, dashboard_url: &system.dashboard_url };
    let sender = principal(people.users, messenger, &message.user);
    let refusal = refusal(&people, answers, (sender.as_ref(), permission), message);
    let (Some(sender), None) = (&sender, &refusal) else {
        let entry = denied(entry, sender.as_ref(), message);
        app.audit.reserve().await?.add(entry);
        metrics::command(messenger, "denied");
        let text = refusal.unwrap_or_default();
        return Ok(Answer { text, audience: Audience::Person, is_unconfirmed: false });
    };
    // What only reads has no entry.
    let place = if action == READ { None } else { Some(app.audit.reserve().await?) };
    let done = within_time(Request { app, answers, sender, message }.run(command)).await;
    let status = done.as_ref().map_or_else(Problem::status, |done| done.status);
    if let Some(place) = place {
        let session = done.as_ref().ok().and_then(|done| done.session);
        let entry = match session {
            Some(session) => entry.about(format!("/api/v1/sessions/{session}")),
            None => entry,
        };
        place.add(entry.build(Some(sender), status));
    }
    metrics::command(messenger, outcome(status));
    done.map(answer)
}

/// Why the sender may not do this; none if they may.
fn refusal(
    people: &People<'_>,
    answers: Answers<'_>,
    (sender, permission): (Option<&Principal>, Option<Permission>),
    message: &Message,
) -> Option<String> {
    if !people.accepts(message.workspace.as_deref()) {
        let workspace = message.workspace.as_deref().unwrap_or("none");
        return Some(answers.foreign(people.section, workspace));
    }
    let Some(sender) = sender else {
        return Some(answers.unlisted(people.section, &message.user));
    };
    let lacked = permission.filter(|permission| !sender.may(*permission))?;
    Some(Answers::without_role(lacked.least_role()))
}

fn denied(entry: Entry, sender: Option<&Principal>, message: &Message) -> NewAuditEntry {
    if sender.is_some() {
        return entry.build(sender, StatusCode::FORBIDDEN);
    }
    let user = format!("{}:{}", message.messenger, message.user);
    entry.build_for_user(Some(user), StatusCode::FORBIDDEN)
}

async fn within_time(done: impl Future<Output = Result<Done, Problem>>) -> Result<Done, Problem> {
    let late = |_| Problem::new(Code::Timeout, "the database did not answer in time; try again");
    tokio::time::timeout(TIMEOUT, Box::pin(done)).await.map_err(late)?
}

fn answer(Done { status, text, kept, .. }: Done) -> Answer {
    let audience = if status.is_success() { Audience::Thread } else { Audience::Person };
    // A message that came before, and whose person has the answer.
    let is_known = kept.is_some_and(|kept| kept.is_confirmed);
    let text = if is_known { String::new() } else { text };
    Answer { text, audience, is_unconfirmed: kept.is_some() && !is_known }
}

fn action_of(command: &Command) -> (&'static str, Option<Permission>) {
    match command {
        Command::Investigate(_) => (SUBMIT, Some(Permission::SubmitAlert)),
        Command::Ask(..) => (ASK, Some(Permission::AskQuestion)),
        Command::Status(_) => (READ, Some(Permission::Read)),
        Command::Help | Command::Unknown => (READ, None),
    }
}

fn outcome(status: StatusCode) -> &'static str {
    if status.is_success() {
        "done"
    } else if status.is_client_error() {
        "refused"
    } else {
        "failed"
    }
}

/// Where a messenger sends what people write.
const fn path(messenger: Messenger) -> &'static str {
    match messenger {
        Messenger::Slack => "/api/v1/slack/events",
        Messenger::Mattermost => "/api/v1/mattermost/commands",
        Messenger::Teams => "/api/v1/teams/messages",
    }
}
