//! What happened, in a few sentences that are made of facts.

use tarsy_contracts::action::Action;
use tarsy_contracts::postmortem::{PostmortemCause, PostmortemImpact};
use tarsy_domain::action::ActionOutcome;
use tarsy_domain::postmortem::CauseState;

use super::record::Record;
use super::words::{SHORT, counted, duration, line, sentence, time};

/// Actions that are named.
const MOST_ACTIONS: usize = 3;

pub(super) fn sentences(
    records: &[Record],
    impact: &PostmortemImpact,
    cause: &PostmortemCause,
) -> Vec<String> {
    let mut sentences = Vec::new();
    sentences.extend(reported(records, impact));
    sentences.push(caused(cause));
    sentences.extend(lasted(impact));
    sentences.extend(acted(records));
    sentences
}

fn reported(records: &[Record], impact: &PostmortemImpact) -> Option<String> {
    let title = line(records.first()?.title(), SHORT);
    let severity = impact.severity.as_ref().map(|severity| format!(" ({severity})"));
    let service = impact.service.as_ref().map(|name| format!(" for the service {name}"));
    let space = impact.namespace.as_ref().map(|name| format!(" in the namespace {name}"));
    let cluster = impact.cluster.as_ref().map(|name| format!(" of the cluster {name}"));
    let place: String = [severity, service, space, cluster].into_iter().flatten().collect();
    let Some(noticed) = &impact.noticed else {
        return Some(format!("The alert was “{title}”{place}."));
    };
    let more = match impact.alerts {
        ..=1 => String::new(),
        alerts => format!(" It was the first of {alerts} different alerts."),
    };
    Some(format!(
        "At {} UTC, {} reported “{title}”{place}.{more}",
        time(noticed.at),
        noticed.stated_by
    ))
}

fn caused(cause: &PostmortemCause) -> String {
    let text = cause.object.as_ref().map_or_else(
        || sentence(&cause.text),
        |object| format!("{} ({object}).", cause.text.trim_end_matches('.')),
    );
    match cause.state {
        CauseState::Reviewed => {
            let review = cause.review.as_ref().map(|review| format!(" {review}."));
            format!("Cause: {text}{}", review.unwrap_or_default())
        }
        CauseState::Stated => {
            let confidence = cause.confidence.as_deref().unwrap_or("unknown");
            format!(
                "Cause, as the investigation states it: {text} Confidence: {confidence}. Nobody has reviewed it."
            )
        }
        CauseState::NotFound => {
            let shown = cause.alert_statement.as_ref();
            let shown = shown
                .map(|text| format!(" What the results show of the alert: {}", sentence(text)));
            format!("The cause was not found.{}", shown.unwrap_or_default())
        }
    }
}

fn lasted(impact: &PostmortemImpact) -> Option<String> {
    let Some(ended) = &impact.ended else {
        return Some("No record shows when it was over.".to_owned());
    };
    let from = impact.began.as_ref().or(impact.noticed.as_ref())?;
    let length = duration(impact.seconds?);
    Some(format!("The incident lasted {length}, from {} to {} UTC.", time(from.at), time(ended.at)))
}

/// The actions that worked, the last ones of many, and how many others there were.
fn acted(records: &[Record]) -> Vec<String> {
    let actions: Vec<_> = records
        .iter()
        .flat_map(|record| record.detail.actions.iter().map(move |action| (record, action)))
        .collect();
    let with = |outcome| actions.iter().filter(move |(_, one)| one.outcome == Some(outcome));
    let count = |outcome| i64::try_from(with(outcome).count()).unwrap_or(i64::MAX);
    let left_out = with(ActionOutcome::Worked).count().saturating_sub(MOST_ACTIONS);
    let shown = with(ActionOutcome::Worked).skip(left_out);
    let mut sentences: Vec<_> = shown.map(|(record, one)| worked_by(record, one)).collect();
    let noun = if sentences.is_empty() { "action" } else { "other action" };
    let earlier = i64::try_from(left_out).unwrap_or(i64::MAX);
    let (failed, unknown) = (count(ActionOutcome::DidNotWork), count(ActionOutcome::Unknown));
    sentences.extend((earlier > 0).then(|| format!("{} worked before.", counted(earlier, noun))));
    sentences.extend((failed > 0).then(|| format!("{} did not work.", counted(failed, noun))));
    let of = counted(unknown, noun);
    sentences.extend((unknown > 0).then(|| format!("Whether {of} worked is unknown.")));
    sentences
}

fn worked_by(record: &Record, action: &Action) -> String {
    let approver = record.approver(action.call_number);
    let by = approver.map(|name| format!(", approved by {name},")).unwrap_or_default();
    let at = action.ended_at.map(|at| format!(" (checked at {} UTC)", time(at)));
    let effect = line(action.plan.effect.trim_end_matches('.'), SHORT);
    format!("{}{by} worked: {effect}{}.", action.call.full_name(), at.unwrap_or_default())
}
