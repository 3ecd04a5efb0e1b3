//! Whether an alert begins a session, belongs to one, or waits. The caller gives what is stored as values, stores the
//! decision with its reason, and carries it out in the transaction that read them.

use std::collections::BTreeMap;
use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::alert::{Alert, Content, Status};
use crate::fingerprint;
use crate::policy::{Policy, next_day};

/// What is stored about an alert.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Known {
    /// The newest session of an alert with the same fingerprint.
    pub same_alert: Option<StoredSession>,
    /// The newest session of an alert of the same group.
    pub same_group: Option<StoredSession>,
    /// When the alert changed between firing and resolved, in [`Flapping::within`](crate::Flapping::within); the newest
    /// [`Flapping::changes`](crate::Flapping::changes) of them are enough.
    pub changes: Vec<Timestamp>,
    /// Sessions that alerts with the same fingerprint began today (UTC).
    pub sessions_today: u32,
    /// Alerts that were attached to the session of the group in the last minute.
    pub attached_last_minute: u32,
    /// The tokens of models for today (UTC) are used up.
    pub tokens_used_up: bool,
}

/// A session that an alert may belong to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredSession {
    pub id: String,
    pub state: SessionState,
    pub created_at: Timestamp,
    /// Those of the newest alert with the same fingerprint in it.
    pub starts_at: Option<Timestamp>,
    pub source_id: Option<String>,
    /// How many of its alerts, apart from this one, still fire.
    pub others_firing: u32,
}

/// How far a session is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionState {
    /// Nobody works on it yet.
    Pending,
    Running,
    Finished,
}

/// What becomes of an alert, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decision {
    pub action: Action,
    pub reason: Reason,
}

/// What becomes of an alert.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "action", rename_all = "snake_case")]
pub enum Action {
    /// It begins a session.
    Open,
    /// It is shown with this session, and given to its agents if it runs.
    Attach { session: String },
    /// It is counted with this session.
    Fold { session: String },
    /// The timeline of this session shows that it is resolved.
    Resolve { session: String },
    /// This session is stopped: it has not begun, and nothing is left to investigate.
    Stop { session: String },
    /// It is stored, and decided anew then if it still fires.
    Hold { until: Timestamp },
    /// It is stored.
    Ignore,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "reason", rename_all = "snake_case")]
pub enum Reason {
    /// No session is about it.
    New,
    /// It fires since its session has started, for longer than the policy waits.
    StillFiring { since: Timestamp, after_seconds: u64 },
    /// The same fingerprint and start, or the same id where a start is missing: the source sent it again.
    SameAlert,
    /// It began again while its session is open.
    SessionOpen,
    /// It began again so soon after its session has started.
    WithinWindow { since: Timestamp, window_seconds: u64 },
    /// A session is about its group.
    SameGroup,
    /// A session is about an alert with the same values of the labels that the policy lists.
    SameLabels { labels: BTreeMap<String, String> },
    /// Too many alerts of its group came in a minute.
    GroupRate { most_per_minute: u32 },
    /// It changed too often.
    Flapping { changes: u32, within_seconds: u64 },
    /// The operator's quiet hours.
    QuietHours,
    /// It began too many sessions today.
    DailyLimit { most: u32 },
    /// The tokens of models for today (UTC) are used up.
    TokensUsedUp,
    /// It is over, and no other alert of its session fires.
    Resolved,
    /// It is over, and other alerts of its session still fire.
    ResolvedOthersFiring { others: u32 },
    /// A person works on it.
    Acknowledged,
    /// It is over, or a person works on it, and no session is about it.
    NoSession,
    /// A test of the connection.
    Test,
    /// An alert that always fires.
    Heartbeat,
    /// No alert could be read from what was sent.
    NotUnderstood,
}

impl Action {
    pub const NAMES: [&str; 7] = ["open", "attach", "fold", "resolve", "stop", "hold", "ignore"];

    /// The name in records.
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Attach { .. } => "attach",
            Self::Fold { .. } => "fold",
            Self::Resolve { .. } => "resolve",
            Self::Stop { .. } => "stop",
            Self::Hold { .. } => "hold",
            Self::Ignore => "ignore",
        }
    }

    /// The session that the alert belongs to; none of one that it begins.
    pub fn session(&self) -> Option<&str> {
        match self {
            Self::Attach { session }
            | Self::Fold { session }
            | Self::Resolve { session }
            | Self::Stop { session } => Some(session),
            Self::Open | Self::Hold { .. } | Self::Ignore => None,
        }
    }
}

impl Reason {
    /// The name in records.
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::New => "new",
            Self::StillFiring { .. } => "still_firing",
            Self::SameAlert => "same_alert",
            Self::SessionOpen => "session_open",
            Self::WithinWindow { .. } => "within_window",
            Self::SameGroup => "same_group",
            Self::SameLabels { .. } => "same_labels",
            Self::GroupRate { .. } => "group_rate",
            Self::Flapping { .. } => "flapping",
            Self::QuietHours => "quiet_hours",
            Self::DailyLimit { .. } => "daily_limit",
            Self::TokensUsedUp => "tokens_used_up",
            Self::Resolved => "resolved",
            Self::ResolvedOthersFiring { .. } => "resolved_others_firing",
            Self::Acknowledged => "acknowledged",
            Self::NoSession => "no_session",
            Self::Test => "test",
            Self::Heartbeat => "heartbeat",
            Self::NotUnderstood => "not_understood",
        }
    }
}

/// In a few words for people, which stand behind what is done with the alert.
impl std::fmt::Display for Reason {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::New => write!(out, "no session covers it yet"),
            Self::StillFiring { after_seconds, .. } => {
                write!(out, "still firing {} after its session began", span(*after_seconds))
            }
            Self::SameAlert => write!(out, "the source sent the same alert again"),
            Self::SessionOpen => write!(out, "fired again while its session was open"),
            Self::WithinWindow { window_seconds, .. } => {
                write!(out, "fired again less than {} after its session", span(*window_seconds))
            }
            Self::SameGroup => write!(out, "its group has a session"),
            Self::SameLabels { labels } => {
                let labels = labels.iter().map(|(name, value)| format!("{name}={value}"));
                let labels = labels.collect::<Vec<_>>().join(", ");
                write!(out, "a session has an alert with the same {labels}")
            }
            Self::GroupRate { most_per_minute } => {
                write!(out, "more than {most_per_minute} alerts of its group in a minute")
            }
            Self::Flapping { changes, within_seconds } => {
                write!(out, "changed {changes} times in {}", span(*within_seconds))
            }
            Self::QuietHours => write!(out, "quiet hours"),
            Self::DailyLimit { most } => {
                write!(out, "daily limit of {most} sessions reached (UTC)")
            }
            Self::TokensUsedUp => {
                write!(out, "daily token limit reached (UTC)")
            }
            Self::Resolved => write!(out, "resolved, and no other alert of its session is firing"),
            Self::ResolvedOthersFiring { others } => {
                let (noun, verb) = if *others == 1 { ("alert", "is") } else { ("alerts", "are") };
                write!(out, "resolved; {others} other {noun} of its session {verb} still firing")
            }
            Self::Acknowledged => write!(out, "acknowledged by a person"),
            Self::NoSession => write!(out, "it has no session"),
            Self::Test => write!(out, "a test of the connection"),
            Self::Heartbeat => write!(out, "a heartbeat of the source"),
            Self::NotUnderstood => write!(out, "not understood"),
        }
    }
}

/// A span in the largest unit that leaves a whole number.
fn span(seconds: u64) -> String {
    let units = [("h", 3600), ("min", 60)];
    let unit = units.into_iter().find(|(_, unit)| seconds > 0 && seconds.is_multiple_of(*unit));
    unit.map_or_else(|| format!("{seconds} s"), |(name, unit)| format!("{} {name}", seconds / unit))
}

/// What the alerts of a group have in common: the labels of the policy, else what the source sends; none without both.
pub fn group_of(policy: &Policy, alert: &Alert) -> Option<String> {
    let Some(labels) = labels_of_group(policy, alert) else { return alert.group_key.clone() };
    let names = labels.iter().map(|(name, _)| *name);
    let values = labels.iter().map(|(_, value)| *value);
    Some(format!("labels:{}", fingerprint::digest(names.chain(values))))
}

/// The labels of the policy with what the alert has for them, in the policy's order; none if one is missing. Sources write
/// `service`, `namespace` and `cluster` in different places: what was read of them counts where there is no such label.
fn labels_of_group<'a>(policy: &'a Policy, alert: &'a Alert) -> Option<Vec<(&'a str, &'a str)>> {
    let value = |name: &'a String| {
        let read = || match name.as_str() {
            "service" => alert.service.as_ref(),
            "namespace" => alert.namespace.as_ref(),
            "cluster" => alert.cluster.as_ref(),
            _ => None,
        };
        let value = alert.labels.get(name).or_else(read).filter(|value| !value.is_empty())?;
        Some((name.as_str(), value.as_str()))
    };
    let labels: Option<Vec<_>> = policy.group_labels.iter().map(value).collect();
    labels.filter(|labels| !labels.is_empty())
}

pub fn decide(policy: &Policy, known: &Known, alert: &Alert, now: Timestamp) -> Decision {
    let ignored = |reason| Decision { action: Action::Ignore, reason };
    match alert.content {
        Content::Problem => {}
        Content::Test => return ignored(Reason::Test),
        Content::Heartbeat => return ignored(Reason::Heartbeat),
        Content::NotUnderstood => return ignored(Reason::NotUnderstood),
    }
    match alert.status {
        Status::Firing => firing(policy, known, alert, now),
        Status::Acknowledged => match &known.same_alert {
            Some(session) => attach(session, Reason::Acknowledged),
            None => Decision { action: Action::Ignore, reason: Reason::NoSession },
        },
        Status::Resolved => resolved(known),
    }
}

fn resolved(known: &Known) -> Decision {
    let Some(StoredSession { id, state, others_firing, .. }) = &known.same_alert else {
        return Decision { action: Action::Ignore, reason: Reason::NoSession };
    };
    let session = id.clone();
    if *others_firing > 0 {
        let reason = Reason::ResolvedOthersFiring { others: *others_firing };
        return Decision { action: Action::Resolve { session }, reason };
    }
    let action = match state {
        SessionState::Pending => Action::Stop { session },
        SessionState::Running | SessionState::Finished => Action::Resolve { session },
    };
    Decision { action, reason: Reason::Resolved }
}

fn firing(policy: &Policy, known: &Known, alert: &Alert, now: Timestamp) -> Decision {
    let mut reason = Reason::New;
    if let Some(session) = &known.same_alert {
        match again(policy, known, session, alert, now) {
            Ok(decision) => return decision,
            Err(open) => reason = open,
        }
    }
    if reason == Reason::New
        && let Some(decision) = of_group(policy, known, alert, now)
    {
        return decision;
    }
    let ends =
        policy.quiet_hours.iter().filter_map(|hours| hours.end(alert.severity.as_deref(), now));
    if let Some(until) = ends.max() {
        return Decision { action: Action::Hold { until }, reason: Reason::QuietHours };
    }
    if known.sessions_today >= policy.max_per_day {
        let reason = Reason::DailyLimit { most: policy.max_per_day };
        return Decision { action: Action::Hold { until: next_day(now) }, reason };
    }
    if known.tokens_used_up {
        let action = Action::Hold { until: next_day(now) };
        return Decision { action, reason: Reason::TokensUsedUp };
    }
    Decision { action: Action::Open, reason }
}

/// Whether an alert belongs to the session of its fingerprint; if not, why it may begin another one.
fn again(
    policy: &Policy,
    known: &Known,
    session: &StoredSession,
    alert: &Alert,
    now: Timestamp,
) -> Result<Decision, Reason> {
    let is_open = session.state != SessionState::Finished;
    let since = session.created_at;
    if is_same(session, alert) {
        return match policy.reinvestigate_after {
            Some(after) if !is_open && !is_within(since, after, now) => {
                Err(Reason::StillFiring { since, after_seconds: after.as_secs() })
            }
            _ => Ok(attach(session, Reason::SameAlert)),
        };
    }
    let within = policy.flapping.within;
    let recent = known.changes.iter().filter(|change| is_within(**change, within, now)).count();
    if policy.flapping.changes > 0 && recent >= policy.flapping.changes as usize {
        let changes = u32::try_from(recent).unwrap_or(u32::MAX);
        let reason = Reason::Flapping { changes, within_seconds: within.as_secs() };
        let action = Action::Fold { session: session.id.clone() };
        return Ok(Decision { action, reason });
    }
    if is_open {
        return Ok(attach(session, Reason::SessionOpen));
    }
    if is_within(since, policy.window, now) {
        let window_seconds = policy.window.as_secs();
        return Ok(attach(session, Reason::WithinWindow { since, window_seconds }));
    }
    Err(Reason::New)
}

/// Whether it is the occurrence that the session knows: the one with its start. Only where the source sends no start, as in
/// reminders, its id counts. Sources that send neither send no occurrence.
fn is_same(session: &StoredSession, alert: &Alert) -> bool {
    match (session.starts_at, alert.starts_at) {
        (Some(known), Some(start)) => known == start,
        _ => session.source_id.is_some() && session.source_id == alert.source_id,
    }
}

fn of_group(policy: &Policy, known: &Known, alert: &Alert, now: Timestamp) -> Option<Decision> {
    let session = known.same_group.as_ref()?;
    let is_open = session.state != SessionState::Finished;
    if !is_open && !is_within(session.created_at, policy.window, now) {
        return None;
    }
    let most_per_minute = policy.max_attached_per_minute;
    if known.attached_last_minute >= most_per_minute {
        let action = Action::Fold { session: session.id.clone() };
        return Some(Decision { action, reason: Reason::GroupRate { most_per_minute } });
    }
    let reason = labels_of_group(policy, alert).map_or(Reason::SameGroup, |labels| {
        let owned = labels.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned()));
        Reason::SameLabels { labels: owned.collect() }
    });
    Some(attach(session, reason))
}

/// Whether a time is less long ago than this; so are times in the future, because clocks differ.
fn is_within(time: Timestamp, span: Duration, now: Timestamp) -> bool {
    let ago = now.duration_since(time);
    ago.is_negative() || ago.unsigned_abs() < span
}

fn attach(session: &StoredSession, reason: Reason) -> Decision {
    Decision { action: Action::Attach { session: session.id.clone() }, reason }
}
