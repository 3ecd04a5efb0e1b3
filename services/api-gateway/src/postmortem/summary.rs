//! What happened, in a few sentences that are made of facts.

use tarsy_contracts::postmortem::{PostmortemCause, PostmortemImpact};
use tarsy_domain::action::ActionOutcome;
use tarsy_domain::postmortem::CauseState;

use super::record::Record;
use super::words::{SHORT, counted, duration, line, sentence, time};

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
    let object = cause.object.as_ref().map(|object| format!(" ({object})")).unwrap_or_default();
    match cause.state {
        CauseState::Reviewed => {
            let text = sentence(&format!("Cause, as reviewed by a person{object}: {}", cause.text));
            let review = cause.review.as_ref().map(|review| format!(" {review}."));
            text + &review.unwrap_or_default()
        }
        CauseState::Stated => {
            let confidence = cause.confidence.as_deref().unwrap_or("unknown");
            let text =
                sentence(&format!("Cause, as the investigation states it{object}: {}", cause.text));
            format!("{text} Its confidence is {confidence}, and nobody has reviewed it.")
        }
        CauseState::NotFound => {
            let statement = cause.alert_statement.as_ref();
            let statement =
                statement.map(|text| sentence(&format!(" Of what the alert states: {text}")));
            format!("The cause was not found.{}", statement.unwrap_or_default())
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

/// How many of the calls that were to change something worked.
fn acted(records: &[Record]) -> Option<String> {
    let outcomes = records.iter().flat_map(|record| &record.detail.actions);
    let outcomes: Vec<_> = outcomes.filter_map(|action| action.outcome).collect();
    let worked = outcomes.iter().filter(|outcome| **outcome == ActionOutcome::Worked).count();
    let made = i64::try_from(outcomes.len()).unwrap_or(i64::MAX);
    (made > 0).then(|| format!("{worked} of {} to change something worked.", counted(made, "call")))
}
