//! Whether an alert begins a session, belongs to one, or waits.

use std::time::Duration;

use jiff::civil::{Weekday, time};
use jiff::tz::{TimeZone, offset};
use jiff::{SignedDuration, Timestamp};
use tarsy_intake::{
    Action, Alert, Decision, Flapping, Kind, Known, Policy, QuietHours, Reason, SessionState,
    Status, StoredSession, decide, group_of,
};

use crate::support::{alert, now, payload};

fn firing() -> Alert {
    alert(Kind::Alertmanager, &payload("alertmanager"))
}

fn with_status(status: Status) -> Alert {
    Alert { status, ..firing() }
}

/// A session that began so long ago, with the same occurrence of the alert.
fn a_session(minutes: i64, state: SessionState) -> StoredSession {
    StoredSession {
        id: "s-1".to_owned(),
        state,
        created_at: ago(minutes),
        starts_at: firing().starts_at,
        source_id: None,
        others_firing: 0,
    }
}

/// The same, with an earlier occurrence.
fn an_earlier(minutes: i64, state: SessionState) -> StoredSession {
    StoredSession { starts_at: Some(ago(10_000)), ..a_session(minutes, state) }
}

fn ago(minutes: i64) -> Timestamp {
    now() - SignedDuration::from_mins(minutes)
}

fn same(session: StoredSession) -> Known {
    Known { same_alert: Some(session), ..Known::default() }
}

fn of_group(session: StoredSession) -> Known {
    Known { same_group: Some(session), ..Known::default() }
}

fn decided(policy: &Policy, known: &Known) -> Decision {
    decide(policy, known, &firing(), now())
}

fn attached(reason: Reason) -> Decision {
    Decision { action: Action::Attach { session: "s-1".to_owned() }, reason }
}

fn opened(reason: Reason) -> Decision {
    Decision { action: Action::Open, reason }
}

#[test]
fn an_unknown_alert_begins_a_session() {
    assert_eq!(decided(&Policy::default(), &Known::default()), opened(Reason::New));
}

#[test]
fn the_same_fingerprint_and_start_is_the_same_session() {
    for state in [SessionState::Pending, SessionState::Running, SessionState::Finished] {
        let known = same(a_session(100_000, state));
        assert_eq!(decided(&Policy::default(), &known), attached(Reason::SameAlert));
    }
    let known = same(StoredSession {
        starts_at: None,
        source_id: Some("cycle-1".to_owned()),
        ..a_session(100_000, SessionState::Finished)
    });
    let alert = Alert { source_id: Some("cycle-1".to_owned()), starts_at: None, ..firing() };
    let decision = decide(&Policy::default(), &known, &alert, now());
    assert_eq!(decision, attached(Reason::SameAlert));
}

#[test]
fn another_start_is_another_occurrence_whatever_its_id() {
    let source_id = Some("rule-1".to_owned());
    let known = same(StoredSession {
        source_id: source_id.clone(),
        ..an_earlier(100_000, SessionState::Finished)
    });
    let alert = Alert { source_id, ..firing() };
    assert_eq!(decide(&Policy::default(), &known, &alert, now()), opened(Reason::New));
}

#[test]
fn an_alert_that_still_fires_is_investigated_again_if_the_policy_wants_it() {
    let after = Duration::from_hours(4);
    let policy = Policy { reinvestigate_after: Some(after), ..Policy::default() };
    let since = ago(240);
    let later = Reason::StillFiring { since, after_seconds: 14_400 };
    let at = |minutes, state| decided(&policy, &same(a_session(minutes, state)));
    assert_eq!(at(240, SessionState::Finished), opened(later));
    assert_eq!(at(239, SessionState::Finished), attached(Reason::SameAlert));
    assert_eq!(at(240, SessionState::Running), attached(Reason::SameAlert));
}

#[test]
fn an_alert_that_begins_again_belongs_to_the_session_within_the_window() {
    let at = |minutes, state| decided(&Policy::default(), &same(an_earlier(minutes, state)));
    assert_eq!(at(600, SessionState::Running), attached(Reason::SessionOpen));
    let reason = Reason::WithinWindow { since: ago(59), window_seconds: 3_600 };
    assert_eq!(at(59, SessionState::Finished), attached(reason));
    assert_eq!(at(60, SessionState::Finished), opened(Reason::New));
}

#[test]
fn an_alert_of_a_group_belongs_to_the_session_of_the_group() {
    let at = |minutes, state| decided(&Policy::default(), &of_group(an_earlier(minutes, state)));
    assert_eq!(at(600, SessionState::Pending), attached(Reason::SameGroup));
    assert_eq!(at(59, SessionState::Finished), attached(Reason::SameGroup));
    assert_eq!(at(61, SessionState::Finished), opened(Reason::New));
}

#[test]
fn above_a_rate_the_alerts_of_a_group_are_folded() {
    let mut known = of_group(an_earlier(1, SessionState::Running));
    known.attached_last_minute = 59;
    assert_eq!(decided(&Policy::default(), &known), attached(Reason::SameGroup));
    known.attached_last_minute = 60;
    let decision = decided(&Policy::default(), &known);
    assert_eq!(decision.action, Action::Fold { session: "s-1".to_owned() });
    assert_eq!(decision.reason, Reason::GroupRate { most_per_minute: 60 });
}

#[test]
fn an_alert_that_changes_too_often_is_folded() {
    let flapping = Flapping { changes: 3, within: Duration::from_mins(30) };
    let policy = Policy { flapping, ..Policy::default() };
    let with = |changes: &[i64]| {
        let changes = changes.iter().map(|minutes| ago(*minutes)).collect();
        let known = Known { changes, ..same(an_earlier(300, SessionState::Finished)) };
        decided(&policy, &known)
    };
    let decision = with(&[1, 10, 29]);
    assert_eq!(decision.action, Action::Fold { session: "s-1".to_owned() });
    assert_eq!(decision.reason, Reason::Flapping { changes: 3, within_seconds: 1_800 });
    assert_eq!(with(&[1, 10, 31]), opened(Reason::New), "one change is too long ago");
}

#[test]
fn flapping_can_be_switched_off() {
    let flapping = Flapping { changes: 0, within: Duration::from_mins(30) };
    let policy = Policy { flapping, ..Policy::default() };
    let known = same(an_earlier(300, SessionState::Finished));
    assert_eq!(decided(&policy, &known), opened(Reason::New));
}

#[test]
fn a_day_has_a_most_of_sessions() {
    let policy = Policy { max_per_day: 2, ..Policy::default() };
    let with = |sessions_today| {
        let known = Known { sessions_today, ..same(an_earlier(300, SessionState::Finished)) };
        decided(&policy, &known)
    };
    assert_eq!(with(1), opened(Reason::New));
    let until = "2026-11-25T00:00:00Z".parse().unwrap();
    let held = Decision { action: Action::Hold { until }, reason: Reason::DailyLimit { most: 2 } };
    assert_eq!(with(2), held);
}

fn quiet(from: i8, until: i8, days: &[Weekday]) -> Policy {
    let hours = QuietHours {
        days: days.to_vec(),
        from: time(from, 0, 0, 0),
        until: time(until, 0, 0, 0),
        time_zone: TimeZone::fixed(offset(1)),
        except_severities: vec!["page".to_owned()],
    };
    Policy { quiet_hours: vec![hours], ..Policy::default() }
}

/// It is Tuesday, 13:00 in the time zone of the hours.
#[test]
fn an_alert_waits_for_the_end_of_quiet_hours() {
    let of = |policy: &Policy| decided(policy, &Known::default());
    for (policy, until) in [
        (quiet(12, 14, &[]), Some("2026-11-24T13:00:00Z")),
        (quiet(13, 14, &[Weekday::Tuesday]), Some("2026-11-24T13:00:00Z")),
        (quiet(22, 14, &[Weekday::Monday]), Some("2026-11-24T13:00:00Z")),
        (quiet(12, 6, &[Weekday::Tuesday]), Some("2026-11-25T05:00:00Z")),
        (quiet(22, 14, &[Weekday::Tuesday]), None),
        (quiet(12, 13, &[]), None),
        (quiet(14, 16, &[]), None),
        (quiet(12, 14, &[Weekday::Monday]), None),
    ] {
        let expected = until.map_or(opened(Reason::New), |until| Decision {
            action: Action::Hold { until: until.parse().unwrap() },
            reason: Reason::QuietHours,
        });
        assert_eq!(of(&policy), expected, "{policy:?}");
    }
}

#[test]
fn quiet_hours_have_exceptions_and_do_not_hold_what_belongs_to_a_session() {
    let policy = quiet(12, 14, &[]);
    let page = Alert { severity: Some("page".to_owned()), ..firing() };
    assert_eq!(decide(&policy, &Known::default(), &page, now()), opened(Reason::New));
    let known = same(a_session(5, SessionState::Running));
    assert_eq!(decided(&policy, &known), attached(Reason::SameAlert));
}

#[test]
fn a_resolved_alert_stops_a_session_that_has_not_begun_or_is_shown() {
    let of = |session: StoredSession| {
        decide(&Policy::default(), &same(session), &with_status(Status::Resolved), now())
    };
    let session = || "s-1".to_owned();
    let (stop, resolve) =
        (Action::Stop { session: session() }, Action::Resolve { session: session() });
    for (state, action) in [
        (SessionState::Pending, stop),
        (SessionState::Running, resolve.clone()),
        (SessionState::Finished, resolve.clone()),
    ] {
        let expected = Decision { action, reason: Reason::Resolved };
        assert_eq!(of(a_session(1, state)), expected);
    }
    let others = StoredSession { others_firing: 2, ..a_session(1, SessionState::Pending) };
    let reason = Reason::ResolvedOthersFiring { others: 2 };
    assert_eq!(of(others), Decision { action: resolve, reason });
}

#[test]
fn what_is_over_or_acknowledged_begins_no_session() {
    for status in [Status::Resolved, Status::Acknowledged] {
        let decision = decide(&Policy::default(), &Known::default(), &with_status(status), now());
        assert_eq!(decision, Decision { action: Action::Ignore, reason: Reason::NoSession });
    }
    let known = same(a_session(1, SessionState::Running));
    let decision = decide(&Policy::default(), &known, &with_status(Status::Acknowledged), now());
    assert_eq!(decision, attached(Reason::Acknowledged));
}

#[test]
fn labels_of_the_policy_make_a_group() {
    let policy = |labels: &[&str]| Policy {
        group_labels: labels.iter().map(|label| (*label).to_owned()).collect(),
        ..Policy::default()
    };
    let alert = firing();
    assert_eq!(group_of(&policy(&[]), &alert), alert.group_key);
    assert_eq!(group_of(&policy(&["service", "absent"]), &alert), alert.group_key);
    let group = group_of(&policy(&["service", "namespace"]), &alert).unwrap();
    let mut other = alert.clone();
    other.labels.insert("instance".to_owned(), "web-9".to_owned());
    assert_eq!(group_of(&policy(&["service", "namespace"]), &other), Some(group.clone()));
    other.labels.insert("service".to_owned(), "cart".to_owned());
    assert_ne!(group_of(&policy(&["service", "namespace"]), &other), Some(group));
}

#[test]
fn alerts_of_several_sources_join_by_what_was_read_of_them_and_the_reason_names_it() {
    let labels = ["service", "namespace"].map(str::to_owned).to_vec();
    let policy = Policy { group_labels: labels, ..Policy::default() };
    let mut labelled = firing();
    labelled.labels.insert("service".to_owned(), "checkout".to_owned());
    labelled.labels.insert("namespace".to_owned(), "shop".to_owned());
    let mut read = Alert { source: "cloud".to_owned(), ..firing() };
    read.labels.clear();
    read.service = Some("checkout".to_owned());
    read.namespace = Some("shop".to_owned());
    assert_eq!(group_of(&policy, &read), group_of(&policy, &labelled));
    let other = Alert { namespace: Some("lab".to_owned()), ..read.clone() };
    assert_ne!(group_of(&policy, &other), group_of(&policy, &labelled));
    let without = Alert { namespace: None, ..read.clone() };
    assert_eq!(group_of(&policy, &without), without.group_key, "it has not all of them");

    let known = of_group(an_earlier(1, SessionState::Running));
    let joined = decide(&policy, &known, &read, now());
    let same = [("namespace", "shop"), ("service", "checkout")];
    let labels = same.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
    assert_eq!(joined, attached(Reason::SameLabels { labels }));
    assert_eq!(
        joined.reason.to_string(),
        "a session has an alert with the same namespace=shop, service=checkout"
    );
    assert_eq!(decide(&policy, &known, &without, now()), attached(Reason::SameGroup));
}

#[test]
fn a_reason_reads_behind_what_was_done() {
    for (reason, shown) in [
        (Reason::New, "no session covers it yet"),
        (Reason::SameGroup, "its group has a session"),
        (
            Reason::ResolvedOthersFiring { others: 1 },
            "resolved; 1 other alert of its session is still firing",
        ),
        (
            Reason::ResolvedOthersFiring { others: 2 },
            "resolved; 2 other alerts of its session are still firing",
        ),
        (Reason::DailyLimit { most: 20 }, "daily limit of 20 sessions reached (UTC)"),
    ] {
        assert_eq!(reason.to_string(), shown);
    }
}

#[test]
fn a_decision_is_stored_as_json() {
    let json = serde_json::to_value(attached(Reason::SameAlert)).unwrap();
    let expected = serde_json::json!({
        "action": {"action": "attach", "session": "s-1"}, "reason": {"reason": "same_alert"},
    });
    assert_eq!(json, expected);
}
