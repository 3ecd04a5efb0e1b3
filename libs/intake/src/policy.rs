//! What an operator decides about repeated alerts.

use std::time::Duration;

use jiff::civil::{Time, Weekday};
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp, Zoned};

/// How alerts become sessions.
#[derive(Clone, Debug, PartialEq)]
pub struct Policy {
    /// An alert that begins again so soon after its session has started belongs to that session; so do other alerts of its
    /// group.
    pub window: Duration,
    /// Labels that make a group where the source sends none, and instead of the source's if there are any.
    pub group_labels: Vec<String>,
    /// An alert that still fires so long after its session has started is investigated again; without it, never.
    pub reinvestigate_after: Option<Duration>,
    /// The most sessions a day (UTC) of alerts with the same fingerprint; further ones wait for the next day.
    pub max_per_day: u32,
    /// When alerts wait.
    pub quiet_hours: Vec<QuietHours>,
    pub flapping: Flapping,
    /// The most alerts a minute that are attached to one session; further ones are folded: counted, not shown one by one.
    pub max_attached_per_minute: u32,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            window: Duration::from_hours(1),
            group_labels: Vec::new(),
            reinvestigate_after: None,
            max_per_day: 10,
            quiet_hours: Vec::new(),
            flapping: Flapping::default(),
            max_attached_per_minute: 60,
        }
    }
}

/// When an alert changes too often to be investigated each time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flapping {
    /// So many changes between firing and resolved.
    pub changes: u32,
    /// In this time.
    pub within: Duration,
}

impl Default for Flapping {
    fn default() -> Self {
        Self { changes: 6, within: Duration::from_mins(30) }
    }
}

/// Hours in which alerts wait until they end. Severities that are excepted do not wait.
#[derive(Clone, Debug, PartialEq)]
pub struct QuietHours {
    /// The days on which they begin; an empty list is every day.
    pub days: Vec<Weekday>,
    pub from: Time,
    /// Not after `from` is the next day.
    pub until: Time,
    pub time_zone: TimeZone,
    /// In lower case.
    pub except_severities: Vec<String>,
}

impl QuietHours {
    /// When they end, if it is quiet now for an alert of this severity.
    pub(crate) fn end(&self, severity: Option<&str>, now: Timestamp) -> Option<Timestamp> {
        if severity.is_some_and(|severity| self.except_severities.iter().any(|one| one == severity))
        {
            return None;
        }
        let now = now.to_zoned(self.time_zone.clone());
        let yesterday = now.yesterday().ok()?;
        [now.clone(), yesterday].iter().find_map(|day| self.end_on(day, &now))
    }

    /// When the hours end that begin on this day, if they are now.
    fn end_on(&self, day: &Zoned, now: &Zoned) -> Option<Timestamp> {
        if !self.days.is_empty() && !self.days.contains(&day.weekday()) {
            return None;
        }
        let zoned = |day: &Zoned, time: Time| {
            day.date().to_datetime(time).to_zoned(self.time_zone.clone()).ok()
        };
        let from = zoned(day, self.from)?;
        let last = if self.until > self.from { day.clone() } else { day.tomorrow().ok()? };
        let until = zoned(&last, self.until)?;
        (from <= *now && *now < until).then(|| until.timestamp())
    }
}

/// The beginning of the next day in UTC.
pub(crate) fn next_day(now: Timestamp) -> Timestamp {
    let today = now.to_zoned(TimeZone::UTC);
    let next = today.start_of_day().and_then(|day| day.checked_add(Span::new().days(1)));
    next.map_or(now, |day| day.timestamp())
}
