//! The incident in the order of time: what happened to the systems and what people did, not what the investigation looked at.

use std::collections::BTreeSet;

use jiff::Timestamp;
use tarsy_contracts::action::Action;
use tarsy_contracts::change::Change;
use tarsy_contracts::postmortem::PostmortemMoment;
use tarsy_contracts::triage::TriageEntry;
use tarsy_domain::event::ApprovalDecision;
use tarsy_domain::postmortem::MomentKind;
use tarsy_domain::status::SessionOrigin;
use tarsy_domain::triage::Triage;
use tarsy_domain::verdict::{Chart, ExplainingChange, Verdict};
use tarsy_store::AlertRun;
use url::Url;

use super::record::Record;
use super::when;
use super::words::{SHORT, counted, line};

/// Moments of one document: as many as its reader takes in, from both ends.
const MOST: usize = 200;

/// The moments, and how many are left out of their middle.
pub(super) fn all(records: &[Record]) -> (Vec<PostmortemMoment>, usize) {
    let mut moments: Vec<_> = changes(records).collect();
    for record in records {
        moments.extend(alerts(record));
        moments.extend(record.detail.verdict.iter().flat_map(|verdict| signals(record, verdict)));
        moments.extend(finding(record));
        moments.extend(decisions(record));
        moments
            .extend(record.detail.actions.iter().flat_map(|action| action_moments(record, action)));
        moments.extend(record.triage.entries.iter().flat_map(work));
        moments.extend(review(record));
        moments.extend(questions(record));
    }
    moments.sort_by_key(|moment| moment.at);
    let mut seen = BTreeSet::new();
    moments.retain(|moment| seen.insert((moment.at, moment.kind.as_str(), moment.text.clone())));
    let left_out = moments.len().saturating_sub(MOST);
    if left_out > 0 {
        moments.drain(MOST / 2..MOST / 2 + left_out);
    }
    (moments, left_out)
}

fn moment(
    at: Timestamp,
    kind: MomentKind,
    text: &str,
    source: impl Into<String>,
) -> PostmortemMoment {
    PostmortemMoment { at, kind, text: line(text, SHORT), source: source.into(), link: None }
}

fn changes(records: &[Record]) -> impl Iterator<Item = PostmortemMoment> {
    let mut seen = BTreeSet::new();
    let changes = records.iter().flat_map(|record| &record.detail.changes);
    changes.filter(move |change| seen.insert(change.id)).map(of_change)
}

fn of_change(change: &Change) -> PostmortemMoment {
    let source = change.author.as_ref().map_or_else(
        || change.source.clone(),
        |author| format!("{}, changed by {author}", change.source),
    );
    let link = change.link.as_deref().filter(|link| is_page(link)).map(str::to_owned);
    PostmortemMoment {
        link,
        ..moment(change.occurred_at, MomentKind::Change, &changed(change), source)
    }
}

/// The change that explains a cause, as the session was given it, or as the verdict has it.
pub(super) fn explaining(record: &Record, change: &ExplainingChange) -> PostmortemMoment {
    let given = record.detail.changes.iter().find(|given| Some(given.id) == change.id);
    given.map_or_else(
        || {
            let text = format!("{}: {}", change.describe(), change.text);
            moment(change.occurred_at, MomentKind::Change, &text, "TARSy")
        },
        of_change,
    )
}

fn changed(change: &Change) -> String {
    let kind = change.kind.as_str().replace('_', " ");
    let names = [&change.object, &change.service, &change.host];
    let first = names.into_iter().find_map(Option::as_ref);
    let space = change.namespace.as_ref().map(|name| format!(" in namespace {name}"));
    let of = first.map(|name| format!(" of {name}{}", space.unwrap_or_default()));
    format!("{kind}{}: {}", of.unwrap_or_default(), change.text)
}

/// A page of a browser, and no other scheme.
fn is_page(link: &str) -> bool {
    Url::parse(link).is_ok_and(|url| matches!(url.scheme(), "http" | "https"))
}

fn alerts(record: &Record) -> Vec<PostmortemMoment> {
    let item = &record.detail.item;
    if record.facts.alerts.is_empty() && item.origin == SessionOrigin::Alert {
        let source = item.author.as_deref().unwrap_or("the alert");
        return vec![moment(item.created_at, MomentKind::Alert, record.title(), source)];
    }
    record.facts.alerts.iter().flat_map(alert).collect()
}

/// Its first and last notification, and its end.
fn alert(run: &AlertRun) -> impl Iterator<Item = PostmortemMoment> {
    let AlertRun { title, source, notifications, .. } = run;
    let first = moment(run.first_seen_at, MomentKind::Alert, title, source);
    let last = run.last_seen_at.filter(|at| *notifications > 1 && *at > run.first_seen_at);
    let last = last.map(|at| {
        let text =
            format!("{title}: sent for the last time, {} in all", counted(*notifications, "time"));
        moment(at, MomentKind::Repeat, &text, source)
    });
    let resolved = run
        .resolved_at
        .map(|at| moment(at, MomentKind::Resolved, &format!("{title}: resolved"), source));
    [Some(first), last, resolved].into_iter().flatten()
}

/// What evidence dates, and metrics whose level changed.
fn signals(record: &Record, verdict: &Verdict) -> Vec<PostmortemMoment> {
    let lines = verdict.evidence.iter().filter_map(|one| {
        let stated = when::stated(&one.text)?;
        let note = if stated.has_zone { "" } else { " (without a time zone, read as UTC)" };
        let text = format!("{}{note}", line(stated.rest, SHORT - note.len()));
        Some(moment(stated.at, MomentKind::Signal, &text, record.call(i64::from(one.call))))
    });
    let metrics = verdict.charts.iter().filter_map(|chart| {
        let source = record.call(i64::from(chart.call));
        Some(moment(chart.change?.at, MomentKind::Signal, &level(chart), source))
    });
    lines.chain(metrics).collect()
}

/// How a metric changed; the time stands beside it.
fn level(chart: &Chart) -> String {
    let text = chart.describe().replace('`', "");
    let (change, _) = text.split_once(" since ").unwrap_or((text.as_str(), ""));
    change.to_owned()
}

fn finding(record: &Record) -> Option<PostmortemMoment> {
    let at = record.detail.item.completed_at?;
    let text = match &record.detail.verdict {
        Some(verdict) if verdict.states_cause() => format!("cause found: {}", verdict.headline()),
        Some(verdict) => verdict.headline().to_owned(),
        None => format!("the investigation ended as {}", record.detail.item.status),
    };
    Some(moment(at, MomentKind::Finding, &text, "TARSy"))
}

fn decisions(record: &Record) -> impl Iterator<Item = PostmortemMoment> {
    record.facts.decisions.iter().map(|one| {
        let call = one.call_number.map_or_else(
            || format!("a call of {}", one.tool),
            |number| format!("call {number} ({})", one.tool),
        );
        let by = one.decided_by.as_deref().unwrap_or("TARSy");
        let text = match one.decision {
            ApprovalDecision::Approved => format!("approved {call}"),
            ApprovalDecision::Denied => format!("denied {call}"),
            ApprovalDecision::Expired => format!("nobody decided about {call} in time"),
        };
        moment(one.decided_at, MomentKind::Person, &text, by)
    })
}

fn action_moments(record: &Record, action: &Action) -> impl Iterator<Item = PostmortemMoment> {
    let tool = action.call.full_name();
    let source = action.call_number.map_or_else(|| tool.clone(), |number| record.call(number));
    let of_action = |at, what: &str, more: Option<&str>| {
        let more = more.map(|more| format!(" ({more})")).unwrap_or_default();
        let text = format!("{what}: {}{more}", action.plan.effect);
        moment(at, MomentKind::Action, &text, source.clone())
    };
    let (planned, made) = match action.rolls_back {
        Some(_) => ("to be taken back", "taken back"),
        None => ("planned", "carried out"),
    };
    let planned = of_action(action.planned_at, planned, Some(&tool));
    let made = action.made_at.map(|at| of_action(at, made, Some(&tool)));
    let ended = action.ended_at.map(|at| of_action(at, action.words(), action.reason.as_deref()));
    [Some(planned), made, ended].into_iter().flatten()
}

/// What people did with the session.
fn work(entry: &TriageEntry) -> Vec<PostmortemMoment> {
    let author = entry.author.as_deref().unwrap_or("TARSy");
    let state = entry.triage.map(|state| match (state, &entry.assignee) {
        (Triage::New, _) if entry.author.is_none() => {
            "the session is new again, because its alert came back".to_owned()
        }
        (Triage::New, _) => "gave the session back".to_owned(),
        (Triage::Taken, Some(assignee)) if assignee != author => format!("gave it to {assignee}"),
        (Triage::Taken, _) => "took the session".to_owned(),
        (Triage::Done, _) => "set the session to done".to_owned(),
    });
    let note = entry.note.as_deref().map(|note| format!("noted: {note}"));
    let moments = [state, note].into_iter().flatten();
    moments.map(|text| moment(entry.created_at, MomentKind::Person, &text, author)).collect()
}

fn review(record: &Record) -> Option<PostmortemMoment> {
    let review = record.review.as_ref()?;
    let cause = review.actual_cause.as_deref().map(|cause| format!(": {cause}"));
    let text = format!("reviewed the finding as {}{}", review.review, cause.unwrap_or_default());
    Some(moment(review.reviewed_at, MomentKind::Person, &text, review.reviewer.clone()))
}

fn questions(record: &Record) -> impl Iterator<Item = PostmortemMoment> {
    record.facts.questions.iter().map(|one| {
        let text = format!("asked: {}", one.question);
        moment(one.asked_at, MomentKind::Person, &text, one.author.clone())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_pages_are_linked() {
        for (link, expected) in [
            ("https://ci.example/42", true),
            ("http://ci.example", true),
            ("javascript:alert(1)", false),
            ("data:text/html,x", false),
            ("/relative", false),
        ] {
            assert_eq!(is_page(link), expected, "{link}");
        }
    }
}
