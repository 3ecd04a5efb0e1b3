//! Filters of the list of sessions: values that many, few and no sessions of the seed have.

use jiff::{SignedDuration, Timestamp};
use tarsy_domain::clock::{Clock as _, SystemClock};
use tarsy_domain::review::Review;
use tarsy_domain::status::{SessionOrigin, SessionStatus};
use tarsy_domain::triage::Triage;
use tarsy_store::{FailedTool, SessionQuery};

/// Sets one field of a query.
pub(super) type Filter = (&'static str, fn(&mut SessionQuery));

pub(super) const FILTERS: [Filter; 43] = [
    ("status=completed", |query| query.statuses = vec![SessionStatus::Completed]),
    ("status=failed", |query| query.statuses = vec![SessionStatus::Failed]),
    ("status=timed_out,cancelled", |query| {
        query.statuses = vec![SessionStatus::TimedOut, SessionStatus::Cancelled];
    }),
    ("status=pending", |query| query.statuses = vec![SessionStatus::Pending]),
    // What the dashboard's history asks for.
    ("status of the history", |query| {
        query.statuses = vec![
            SessionStatus::Completed,
            SessionStatus::Failed,
            SessionStatus::TimedOut,
            SessionStatus::Cancelled,
        ];
    }),
    ("alert_type frequent", |query| query.alert_type = Some("type-0".to_owned())),
    ("alert_type rare", |query| query.alert_type = Some("type-30".to_owned())),
    ("chain_id", |query| query.chain_id = Some("chain-3".to_owned())),
    ("chain_id unknown", |query| query.chain_id = Some("none".to_owned())),
    ("fingerprint frequent", |query| query.fingerprint = Some("fingerprint-0".to_owned())),
    ("fingerprint rare", |query| query.fingerprint = Some("fingerprint-19000".to_owned())),
    ("reviewed=true", |query| query.reviewed = Some(true)),
    ("reviewed=false", |query| query.reviewed = Some(false)),
    ("review=wrong", |query| query.reviews = vec![Review::Wrong]),
    ("review=accurate,partly", |query| query.reviews = vec![Review::Accurate, Review::Partly]),
    ("score_min=90", |query| query.min_score = Some(90)),
    ("degraded=true", |query| query.degraded = Some(true)),
    ("degraded=false", |query| query.degraded = Some(false)),
    ("origin=replay", |query| query.origins = vec![SessionOrigin::Replay]),
    ("origin=recording", |query| query.origins = vec![SessionOrigin::Recording]),
    ("origin=alert,replay", |query| {
        query.origins = vec![SessionOrigin::Alert, SessionOrigin::Replay];
    }),
    ("replay_of none", |query| query.replay_of = Some(uuid::Uuid::nil().into())),
    ("triage=new", |query| query.triage = vec![Triage::New]),
    ("triage=taken", |query| query.triage = vec![Triage::Taken]),
    ("triage=done", |query| query.triage = vec![Triage::Done]),
    ("assignee", |query| query.assignee = Some("user-7".to_owned())),
    // What the dashboard asks for as "My sessions".
    ("triage=taken of an assignee", |query| {
        query.triage = vec![Triage::Taken];
        query.assignee = Some("user-7".to_owned());
    }),
    ("author", |query| query.author = Some("user-7".to_owned())),
    ("author unknown", |query| query.author = Some("nobody".to_owned())),
    ("severity", |query| query.severity = Some("critical".to_owned())),
    ("service", |query| query.service = Some("service-42".to_owned())),
    ("failed_server", |query| query.failed_tool = Some(failed("kubernetes", None))),
    ("failed_tool", |query| query.failed_tool = Some(failed("kubernetes", Some("pods_log")))),
    ("failed_tool unknown", |query| query.failed_tool = Some(failed("kubernetes", Some("x")))),
    ("last hour", |query| query.start_date = hours_ago(1)),
    ("last 6 hours", |query| query.start_date = hours_ago(6)),
    ("last 2 days", |query| query.start_date = hours_ago(48)),
    ("last 7 days", |query| query.start_date = hours_ago(7 * 24)),
    ("last 30 days", |query| query.start_date = hours_ago(30 * 24)),
    ("last 90 days", |query| query.start_date = hours_ago(90 * 24)),
    ("before 45 days", |query| query.end_date = hours_ago(45 * 24)),
    ("before 80 days", |query| query.end_date = hours_ago(80 * 24)),
    ("a day of last month", |query| {
        query.start_date = hours_ago(40 * 24);
        query.end_date = hours_ago(39 * 24);
    }),
];

/// Words for the filter `search` of lists, with whether many sessions have them.
pub(super) const WORDS: [(&str, &str); 13] = [
    ("in all", "error"),
    ("in a quarter", "cluster-2"),
    ("in a fifth", "chain-3"),
    ("in one of 50", "user-7"),
    ("in one of 500", "service-42"),
    ("in one of a million", "c4ca4238a"),
    ("in none", "qqqqq"),
    ("in results of tools alone", "oomkilled"),
    ("two in all", "error rate"),
    ("one in all, one in none", "error qqqqq"),
    ("one in all, one in one", "error c4ca4238a"),
    ("a beginning of many", "ser"),
    ("an address", "10.7.3.0"),
];

fn failed(server: &str, tool: Option<&str>) -> FailedTool {
    FailedTool { server: server.to_owned(), tool: tool.map(str::to_owned) }
}

fn hours_ago(hours: i64) -> Option<Timestamp> {
    SystemClock.now().checked_sub(SignedDuration::from_hours(hours)).ok()
}
