//! `tarsy actions` and `tarsy rollback`: what agents changed, whether it worked, and taking it back.

use std::process::ExitCode;

use anyhow::Context as _;
use clap::Args;
use tarsy_contracts::action::{Action, ActionPlan};
use tarsy_visible::exact;

use super::approvals::laid_out;
use crate::client::Client;
use crate::output::{self, Format, field, style};
use crate::short_id;

#[derive(Debug, Args)]
pub(crate) struct Rollback {
    /// The session: its ID, at least 4 characters of the beginning or end of it, or `latest`.
    id: String,
    /// The number of the call that is taken back, as `tarsy actions` shows it.
    call: i64,
}

/// Lists the calls of a session that change something, the oldest first.
pub(crate) async fn list(client: &Client, id: &str, format: Format) -> anyhow::Result<ExitCode> {
    let id = short_id::of_session(client, id).await?;
    let actions = client.session(&id).await?.actions;
    if format.is_json() {
        output::document(&actions)?;
        return Ok(ExitCode::SUCCESS);
    }
    if actions.is_empty() {
        output::line("no call of this session changes something");
    }
    for action in &actions {
        print(&id, action);
    }
    Ok(ExitCode::SUCCESS)
}

/// Takes a call back. The whole call that does is shown first.
pub(crate) async fn roll_back(
    client: &Client,
    options: &Rollback,
    format: Format,
) -> anyhow::Result<ExitCode> {
    let id = short_id::of_session(client, &options.id).await?;
    let actions = client.session(&id).await?.actions;
    let action = find(&actions, options.call)?;
    if let Some(rollback) = action.plan.rollback.as_ref().filter(|_| !format.is_json()) {
        output::line(&exact(&rollback.call.full_name()));
        for line in laid_out(&rollback.call.arguments) {
            output::line(&format!("    {line}"));
        }
    }
    let answer = client.roll_back(&id, action).await?;
    if format.is_json() {
        output::document(&answer)?;
    } else {
        output::line("approved, and will be made");
        output::line(&format!("    {}", client.page_of(&id)));
    }
    Ok(ExitCode::SUCCESS)
}

fn find(actions: &[Action], call: i64) -> anyhow::Result<&Action> {
    actions.iter().find(|action| action.call_number == Some(call)).with_context(|| {
        format!("no action of this session is [call {call}]; `tarsy actions` lists them")
    })
}

fn print(session: &str, action: &Action) {
    let number = action.call_number.unwrap_or_default();
    let head = format!("[call {number}] {}", exact(&action.call.line()));
    output::line(&format!("{head}: {}", style(action.words()).bold()));
    for line in ActionPlan::lines(&action.plan) {
        output::line(&format!("    {}", exact(&line)));
    }
    if let Some(reason) = &action.reason {
        output::line(&format!("    why: {}", field(reason)));
    }
    if let Some(values) = action.values() {
        output::line(&format!("    value: {}", field(&values)));
    }
    if let Some(answer) = &action.alert_answer {
        output::line(&format!("    the alert: {}", field(answer)));
    }
    if let Some(by) = &action.rollback_by {
        output::line(&format!("    {} asked for its rollback", field(by)));
    } else if action.may_roll_back {
        output::line(&format!("    to roll it back: tarsy rollback {session} {number}"));
    }
}
