//! When an incident began, was noticed and ended, and what it was about.

use jiff::{SignedDuration, Timestamp};
use tarsy_contracts::postmortem::{PostmortemImpact, PostmortemTime};
use tarsy_domain::action::ActionOutcome;
use tarsy_domain::dependency::Relation;
use tarsy_domain::status::SessionOrigin;
use tarsy_domain::triage::Triage;
use tarsy_domain::verdict::{AlertStatement, Verdict};

use super::record::Record;
use super::{when, words};

/// How long before the first alert an incident may have begun: what a result dates earlier, such as the age of a pod, is part of the
/// cause and not the beginning.
const BEGINS_WITHIN: SignedDuration = SignedDuration::from_hours(24);
/// How many dependents are named.
const MAX_DEPENDENTS: usize = 10;

pub(super) fn impact(records: &[Record]) -> PostmortemImpact {
    let noticed = records.iter().filter_map(noticed).min_by_key(|one| one.at);
    let began = noticed.as_ref().and_then(|noticed| began(records, noticed.at));
    let ended = ended(records);
    let from = began.as_ref().or(noticed.as_ref()).map(|one| one.at);
    let until = |time: Option<Timestamp>| words::between(noticed.as_ref()?.at, time?);
    let named = records.iter().filter(|record| states_cause(record));
    let named = named.filter_map(|record| record.detail.item.completed_at).min();
    let of = |value: fn(&Record) -> Option<&String>| records.iter().find_map(value).cloned();
    PostmortemImpact {
        severity: of(|record| record.detail.item.severity.as_ref()),
        service: of(|record| record.detail.item.service.as_ref()),
        namespace: of(|record| record.detail.item.namespace.as_ref()),
        cluster: of(|record| record.detail.item.cluster.as_ref()),
        seconds_to_notice: began
            .as_ref()
            .zip(noticed.as_ref())
            .and_then(|(began, noticed)| words::between(began.at, noticed.at)),
        seconds_to_cause: until(named),
        seconds: from.zip(ended.as_ref()).and_then(|(from, ended)| words::between(from, ended.at)),
        alerts: records.iter().map(|record| record.facts.alert_count.max(1)).sum(),
        notifications: records.iter().map(notifications).sum(),
        dependents: dependents(records),
        began,
        noticed,
        ended,
    }
}

pub(super) fn states_cause(record: &Record) -> bool {
    record.verdict().is_some_and(Verdict::states_cause)
}

/// An alert that no source sent came once.
fn notifications(record: &Record) -> i64 {
    let sent: i64 = record.facts.alerts.iter().map(|alert| alert.notifications).sum();
    sent.max(1)
}

fn noticed(record: &Record) -> Option<PostmortemTime> {
    let first = record.facts.alerts.iter().min_by_key(|alert| alert.first_seen_at);
    if let Some(alert) = first {
        return Some(PostmortemTime { at: alert.first_seen_at, stated_by: alert.source.clone() });
    }
    let item = &record.detail.item;
    // A replay or a record came to be at another time.
    (item.origin == SessionOrigin::Alert).then(|| PostmortemTime {
        at: item.created_at,
        stated_by: item.author.clone().unwrap_or_else(|| "the alert".to_owned()),
    })
}

/// The earliest time of those that sources, metrics and results state, not long before the first alert.
fn began(records: &[Record], noticed: Timestamp) -> Option<PostmortemTime> {
    let mut found = Vec::new();
    for record in records {
        for alert in &record.facts.alerts {
            let stated_by = format!("the alert of {}", alert.source);
            found.extend(alert.starts_at.map(|at| PostmortemTime { at, stated_by }));
        }
        let Some(verdict) = &record.detail.verdict else { continue };
        for chart in &verdict.charts {
            let stated_by = record.call(i64::from(chart.call));
            found.extend(chart.change.map(|change| PostmortemTime { at: change.at, stated_by }));
        }
        found.extend(since(record));
    }
    let earliest = noticed.checked_sub(BEGINS_WITHIN).ok()?;
    found.retain(|one| one.at >= earliest && one.at <= noticed);
    found.into_iter().min_by_key(|one| one.at)
}

/// What the verdict dates its cause: a time, or an age when its first evidence was read.
fn since(record: &Record) -> Option<PostmortemTime> {
    let verdict = record.verdict()?;
    let since = verdict.since.as_deref()?;
    let call = verdict.evidence.first().map(|one| i64::from(one.call));
    let read_at = call.and_then(|number| {
        record.facts.calls.iter().find(|call| call.number == number).map(|call| call.at)
    });
    let stated = when::stated(since).map(|stated| stated.at);
    let at = stated.or_else(|| when::of_age(since, read_at?))?;
    let stated_by = call.map_or_else(|| "the finding".to_owned(), |number| record.call(number));
    Some(PostmortemTime { at, stated_by })
}

/// When the last alert was resolved; else when an action worked after which the alert's statement was not seen any more; else when
/// people had done with all sessions.
fn ended(records: &[Record]) -> Option<PostmortemTime> {
    resolved(records).or_else(|| healed(records)).or_else(|| done(records))
}

fn resolved(records: &[Record]) -> Option<PostmortemTime> {
    let alerts: Vec<_> = records.iter().flat_map(|record| &record.facts.alerts).collect();
    let left_out = records.iter().any(|record| {
        usize::try_from(record.facts.alert_count).is_ok_and(|all| all > record.facts.alerts.len())
    });
    let without_alerts = records.iter().any(|record| record.facts.alerts.is_empty());
    if left_out || without_alerts || alerts.iter().any(|alert| alert.resolved_at.is_none()) {
        return None;
    }
    let last = alerts.into_iter().max_by_key(|alert| alert.resolved_at)?;
    let stated_by = format!("the alert of {}", last.source);
    last.resolved_at.map(|at| PostmortemTime { at, stated_by })
}

fn healed(records: &[Record]) -> Option<PostmortemTime> {
    let actions = records.iter().flat_map(|record| &record.detail.actions);
    let worked = actions.filter(|action| {
        action.outcome == Some(ActionOutcome::Worked)
            && action.alert_statement == Some(AlertStatement::NotConfirmed)
    });
    let times = worked.filter_map(|action| {
        let stated_by = format!("the check after {}", action.call.full_name());
        action.ended_at.map(|at| PostmortemTime { at, stated_by })
    });
    times.max_by_key(|one| one.at)
}

fn done(records: &[Record]) -> Option<PostmortemTime> {
    let ends = records.iter().map(|record| {
        let newest = record.triage.entries.iter().find(|entry| entry.triage.is_some())?;
        let author = newest.author.clone().filter(|_| newest.triage == Some(Triage::Done))?;
        Some(PostmortemTime {
            at: newest.created_at,
            stated_by: format!("{author}, who set it to done"),
        })
    });
    let ends: Option<Vec<_>> = ends.collect();
    ends?.into_iter().max_by_key(|one| one.at)
}

/// What calls or is routed to the service or the object of the cause.
fn dependents(records: &[Record]) -> Vec<String> {
    let mut found = Vec::new();
    for record in records {
        let verdict = record.verdict().filter(|one| one.states_cause());
        let object = verdict.map(|one| one.object.name.as_str());
        let names = [record.detail.item.service.as_deref(), object];
        for one in &record.detail.dependencies {
            let to = one.to.rsplit('/').next().unwrap_or(&one.to);
            let is_meant = names.iter().flatten().any(|name| name.eq_ignore_ascii_case(to));
            if is_meant && one.relation != Relation::Uses {
                words::add(&mut found, format!("{} {} {}", one.from, one.relation.verb(), one.to));
            }
        }
    }
    found.truncate(MAX_DEPENDENTS);
    found
}
