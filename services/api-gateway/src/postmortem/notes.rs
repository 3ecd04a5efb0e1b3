//! What helped, what was missing, what is left to do, and what a person has to write.

use tarsy_contracts::postmortem::{PostmortemAction, PostmortemCause, PostmortemImpact};
use tarsy_domain::action::ActionOutcome;
use tarsy_domain::claim::DegradedReason;
use tarsy_domain::event::ApprovalDecision;
use tarsy_domain::postmortem::CauseState;
use tarsy_store::ToolFailures;

use super::record::Record;
use super::span::states_cause;
use super::words::{SHORT, add, counted, line};

/// Entries of one list.
const MOST: usize = 40;

/// What helped to find or end it.
pub(super) fn helped(records: &[Record]) -> Vec<String> {
    let mut notes = Vec::new();
    for record in records {
        for text in
            known_before(record).into_iter().chain(near_changes(record)).chain(looked(record))
        {
            add(&mut notes, text);
        }
        for action in &record.detail.actions {
            if action.outcome == Some(ActionOutcome::Worked) {
                let text = format!("{} worked: {}", action.call.full_name(), action.plan.effect);
                add(&mut notes, line(&text, SHORT));
            }
        }
    }
    notes.truncate(MOST);
    notes
}

/// What reviews of earlier sessions and the runbook gave the investigation.
fn known_before(record: &Record) -> Vec<String> {
    let detail = &record.detail;
    let earlier = i64::try_from(detail.seen_before.len()).unwrap_or(i64::MAX);
    let memories = i64::try_from(detail.recalled.len()).unwrap_or(i64::MAX);
    let earlier = (earlier > 0).then(|| {
        format!(
            "{} about the same problem {} known",
            counted(earlier, "reviewed session"),
            was(earlier)
        )
    });
    let memories = (memories > 0).then(|| {
        format!("{} of earlier reviews {} given to it", counted(memories, "fact"), was(memories))
    });
    let runbook =
        detail.runbook_url.as_ref().map(|url| format!("The investigation had the runbook {url}"));
    [earlier, memories, runbook].into_iter().flatten().collect()
}

fn was(count: i64) -> &'static str {
    if count == 1 { "was" } else { "were" }
}

/// The recorded change that explains the cause, else those of what the cause is in.
fn near_changes(record: &Record) -> Vec<String> {
    let verdict = record.verdict().filter(|verdict| verdict.states_cause());
    let Some(verdict) = verdict else { return Vec::new() };
    if let Some(change) = &verdict.change {
        let what = change.describe();
        let text =
            format!("The change that explains the cause was recorded: {what}: {}", change.text);
        return vec![line(&text, SHORT)];
    }
    let name = verdict.object.name.as_str();
    let bare = |text: &str| text.rsplit('/').next().unwrap_or(text).to_lowercase();
    // A pod's name begins with that of its workload.
    let is_near = |changed: &str| {
        let rest = name.to_lowercase();
        let rest = rest.strip_prefix(&bare(changed));
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
    };
    let changes = record.detail.changes.iter().filter(|change| {
        let names = [change.object.as_deref(), change.service.as_deref()];
        names.into_iter().flatten().filter(|name| !name.is_empty()).any(is_near)
    });
    changes
        .map(|change| {
            line(&format!("A change of what the cause is in was recorded: {}", change.text), SHORT)
        })
        .collect()
}

/// The tools whose results the cause rests on.
fn looked(record: &Record) -> Option<String> {
    if !states_cause(record) {
        return None;
    }
    let evidence = record.detail.verdict.iter().flat_map(|verdict| &verdict.evidence);
    let mut calls = Vec::new();
    for one in evidence {
        add(&mut calls, record.call(i64::from(one.call)));
    }
    (!calls.is_empty()).then(|| format!("The cause rests on {}", calls.join(", ")))
}

/// What was not examined, failed or was not there.
pub(super) fn missing(records: &[Record]) -> Vec<String> {
    let mut notes = Vec::new();
    for record in records {
        let parts = [unexamined(record), tools(record), undecided(record), limits(record)];
        for text in parts.into_iter().flatten() {
            add(&mut notes, line(&text, SHORT));
        }
    }
    notes.truncate(MOST);
    notes
}

fn unexamined(record: &Record) -> Vec<String> {
    let detail = &record.detail;
    let stated = detail.verdict.iter().flat_map(|verdict| &verdict.not_examined);
    let mut notes: Vec<_> =
        stated.map(|one| format!("Not examined: {} ({})", one.what, one.why)).collect();
    notes.extend(record.facts.unseen.iter().map(|tools| {
        if tools.is_empty() {
            "An agent concluded without a single result".to_owned()
        } else {
            format!("Required, and without a result: {}", tools.join(", "))
        }
    }));
    notes.extend(
        detail.verdict_failure.map(|why| format!("No structured finding: {}", why.describe())),
    );
    let failed = detail.item.failure.as_ref().map(|failure| failure.failure.happened());
    let failed = failed.or_else(|| detail.item.error_message.clone());
    notes.extend(failed.map(|error| format!("The session failed: {error}")));
    notes
}

fn tools(record: &Record) -> Vec<String> {
    let facts = &record.facts;
    let mut notes: Vec<_> = facts
        .missing_servers
        .iter()
        .map(|(server, error)| format!("The tool server {server} was not available: {error}"))
        .collect();
    for one in &facts.failures {
        notes.extend((one.failed > 0).then(|| failed(one)));
        notes.extend((one.refused > 0).then(|| {
            format!("{} of {} {} refused", counted(one.refused, "call"), one.tool, was(one.refused))
        }));
    }
    notes
}

fn failed(one: &ToolFailures) -> String {
    let error = one.error.as_deref().map(|error| format!(": {error}")).unwrap_or_default();
    let share = if one.failed == one.calls { "All calls" } else { "Calls" };
    format!("{share} of {} failed ({} of {}){error}", one.tool, one.failed, one.calls)
}

fn undecided(record: &Record) -> Vec<String> {
    let decisions = record.facts.decisions.iter();
    decisions
        .filter_map(|one| match one.decision {
            ApprovalDecision::Approved => None,
            ApprovalDecision::Denied => {
                let by = one.decided_by.as_deref().unwrap_or("a person");
                Some(format!("A call of {} was denied by {by}", one.tool))
            }
            ApprovalDecision::Expired => {
                Some(format!("Nobody decided about a call of {} in time", one.tool))
            }
        })
        .collect()
}

fn limits(record: &Record) -> Vec<String> {
    let item = &record.detail.item;
    let claims = item.claims.filter(|claims| claims.verified < claims.total);
    let mut notes: Vec<_> = claims
        .map(|claims| {
            let open = claims.total - claims.verified;
            let verb = if open == 1 { "is" } else { "are" };
            format!("{open} of {} statements {verb} not backed by a result", claims.total)
        })
        .into_iter()
        .collect();
    for reason in &item.degraded_reasons {
        let text = match reason {
            DegradedReason::BudgetUsedUp => "The budget of the session was used up",
            DegradedReason::IterationsUsedUp => "An agent had used up its iterations",
            DegradedReason::NotChecked => "A text could not be checked against the results",
            DegradedReason::InjectedInstructions => {
                "The alert or a result has text that addresses a model"
            }
            // Listed with their tools, servers and numbers.
            DegradedReason::NoSuccessfulCall
            | DegradedReason::NoToolCalled
            | DegradedReason::ToolFailed
            | DegradedReason::ToolServerUnavailable
            | DegradedReason::UnverifiedClaims => continue,
        };
        notes.push(text.to_owned());
    }
    notes
}

/// What is left to do, as records recommend it or show that it is open.
pub(super) fn actions(records: &[Record]) -> Vec<PostmortemAction> {
    let mut actions: Vec<PostmortemAction> = Vec::new();
    for record in records {
        for action in recommended(record).into_iter().chain(open(record)).chain(repairs(record)) {
            if actions.iter().all(|other| other.text != action.text) {
                actions.push(action);
            }
        }
    }
    actions.truncate(MOST);
    actions
}

fn action(text: &str, because: &str) -> PostmortemAction {
    PostmortemAction { text: line(text, SHORT), because: line(because, SHORT), owner: None }
}

fn recommended(record: &Record) -> Vec<PostmortemAction> {
    // What follows from a wrong finding is nothing to do; what was not examined is.
    let steps = record.verdict().into_iter().flat_map(|verdict| &verdict.next_steps);
    let steps = steps.map(|step| action(step, "the investigation recommends it"));
    let unseen = record.detail.verdict.iter().flat_map(|verdict| &verdict.not_examined);
    steps.chain(unseen.map(|one| action(&format!("Examine {}", one.what), &one.why))).collect()
}

/// Calls that did not have their effect, unless a later one had its own; and those of which nobody knows.
fn open(record: &Record) -> Vec<PostmortemAction> {
    let actions = &record.detail.actions;
    let worked = actions.iter().filter(|one| one.outcome == Some(ActionOutcome::Worked));
    let last_worked = worked.map(|one| one.planned_at).max();
    let open = actions.iter().filter_map(|one| {
        let reason = one.reason.as_deref().unwrap_or("no reason is recorded");
        let (tool, effect) = (one.call.full_name(), &one.plan.effect);
        match one.outcome? {
            ActionOutcome::DidNotWork if last_worked.is_none_or(|at| at < one.planned_at) => {
                let because = format!("{tool} did not work: {reason}");
                Some(action(&format!("Achieve by other means: {effect}"), &because))
            }
            ActionOutcome::Unknown => {
                let because = format!("it is unknown whether {tool} worked: {reason}");
                Some(action(&format!("Check by hand: {effect}"), &because))
            }
            ActionOutcome::Worked | ActionOutcome::DidNotWork => None,
        }
    });
    open.collect()
}

/// Tools and servers that gave nothing at all.
fn repairs(record: &Record) -> Vec<PostmortemAction> {
    let facts = &record.facts;
    let servers = facts.missing_servers.iter().map(|(server, _)| {
        action(&format!("Repair the tool server {server}"), "it was not available")
    });
    let broken = facts.failures.iter().filter(|one| one.failed == one.calls);
    let tools = broken.map(|one| {
        action(
            &format!("Repair {}", one.tool),
            &format!("{} of {} calls failed", one.failed, one.calls),
        )
    });
    servers.chain(tools).collect()
}

/// What the records do not have.
pub(super) fn to_fill(
    impact: &PostmortemImpact,
    cause: &PostmortemCause,
    actions: &[PostmortemAction],
) -> Vec<String> {
    let mut open = vec!["Who was affected, how many of them, and how"];
    if impact.began.is_none() {
        open.push("When it began");
    }
    if impact.ended.is_none() {
        open.push("When it was over, and what ended it");
    }
    match cause.state {
        CauseState::NotFound => open.push("The cause"),
        CauseState::Stated => open.push("Whether the cause is right: review the finding"),
        CauseState::Reviewed => {}
    }
    open.push("What prevents it from happening again");
    open.push("What would have found it earlier");
    if !actions.is_empty() {
        open.push("An owner and a date for each action");
    }
    open.into_iter().map(str::to_owned).collect()
}
