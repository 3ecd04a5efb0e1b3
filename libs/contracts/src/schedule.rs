//! Schedules, as the API shows them and the store reads their runs for it.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use tarsy_domain::id::SessionId;
use tarsy_domain::schedule::ScheduleRunOutcome;
use tarsy_domain::status::SessionStatus;
use utoipa::ToSchema;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = ScheduleList)]
pub struct Schedules {
    /// By name.
    pub schedules: Vec<Schedule>,
}

/// An investigation that begins by the calendar.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = ScheduleView)]
pub struct Schedule {
    /// Its name in the configuration.
    #[schema(example = "nightly-health")]
    pub name: String,
    pub title: String,
    /// What is investigated.
    pub text: String,
    #[schema(example = "0 6 * * 1-5")]
    pub cron: String,
    /// `cron` in words.
    pub description: String,
    /// The time zone of `cron`.
    #[schema(example = "Europe/Berlin")]
    pub time_zone: String,
    /// The type of its alerts; none if no chain serves it.
    pub alert_type: Option<String>,
    /// Nothing begins by itself.
    pub suspended: bool,
    /// Which results are sent: `changed`, `problems`, `always` or `never`.
    #[schema(example = "changed")]
    pub notify: String,
    /// When it begins next, at most three times; none while it is suspended.
    pub next_runs: Vec<Timestamp>,
    /// The last ten, the newest first.
    pub runs: Vec<ScheduleRun>,
}

/// A time of a schedule that has passed, or a run that a person asked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = ScheduleRunView)]
pub struct ScheduleRun {
    /// The time that the schedule names.
    pub due_at: Timestamp,
    /// `started`, `missed`, `still_running` or `tokens_used_up`.
    #[schema(value_type = String, example = "started")]
    pub outcome: ScheduleRunOutcome,
    /// Who asked for it; none of the times of the schedule.
    pub requested_by: Option<String>,
    /// The session that began, unless it is deleted.
    #[schema(value_type = Option<Uuid>)]
    pub session_id: Option<SessionId>,
    #[schema(value_type = Option<String>)]
    pub status: Option<SessionStatus>,
    /// The outcome of its verdict: `cause_found`, `no_fault_found` or `not_examinable`.
    #[schema(example = "no_fault_found")]
    pub verdict: Option<String>,
    pub cause: Option<String>,
}

/// A run that began because a person asked for it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = StartedRun)]
pub struct StartedRun {
    #[schema(value_type = Uuid)]
    pub session_id: SessionId,
}
