//! What becomes of repeated alerts: for all chains, and what a chain sets otherwise.

use std::time::Duration;

use jiff::civil::{Time, Weekday};
use jiff::tz::{self, TimeZone};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use smart_default::SmartDefault;
use tarsy_intake::{Flapping, Policy, QuietHours};

use super::wrong::Wrong;
use crate::check::Check;
use crate::path::Path;
use crate::report::advice;
use crate::rule::{As, AtLeast, Between, Each, NotBlank, Positive, Span};

/// The most hours that one policy may have.
const MAX_QUIET_HOURS: usize = 20;

/// What becomes of repeated alerts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct IntakePolicy {
    /// An alert that begins again so soon after its session began belongs to that session, and so do others of its group
    #[serde(with = "As::<Span>")]
    #[schemars(extend("x-default" = "`1h`"))]
    pub window: Option<Duration>,
    /// Labels whose values make a group, if an alert has all of them; otherwise the group is that of the source
    #[serde(with = "Each::<NotBlank>")]
    pub group_labels: Option<Vec<String>>,
    /// An alert that still fires so long after its session began is investigated again
    #[serde(with = "As::<Positive>")]
    #[schemars(extend("x-default" = "never"))]
    pub reinvestigate_after: Option<Duration>,
    /// The most sessions that one alert may begin on a day (UTC); then it waits for the next one
    #[serde(with = "As::<AtLeast<1>>")]
    #[schemars(extend("x-default" = "10"))]
    pub max_per_day: Option<u32>,
    /// Hours in which no session begins: alerts wait until they end
    #[schemars(extend("x-default" = "none"))]
    pub quiet_hours: Option<Vec<IntakeQuietHours>>,
    /// When an alert changes too often to be looked at each time
    #[schemars(extend("x-default" = "6 changes within 30m"))]
    pub flapping: Option<IntakeFlapping>,
    /// The most alerts that are attached to the session of their group in a minute; others are counted there
    #[serde(with = "As::<AtLeast<1>>")]
    #[schemars(extend("x-default" = "60"))]
    pub max_attached_per_minute: Option<u32>,
}

/// When an alert changes too often to be looked at each time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema, SmartDefault)]
#[serde(default, deny_unknown_fields)]
pub struct IntakeFlapping {
    /// So many changes between firing and resolved; 0 for never
    #[default = 6]
    #[serde(with = "As::<Between<0, 100>>")]
    pub changes: u32,
    /// In this time
    #[default(Duration::from_mins(30))]
    #[serde(with = "As::<Positive>")]
    pub within: Duration,
}

/// A day of the week.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum QuietDay {
    Monday,
    Tuesday,
    Wednesday,
    Thursday,
    Friday,
    Saturday,
    Sunday,
}

/// Hours in which alerts wait.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct IntakeQuietHours {
    /// The days on which they begin; without it, each
    #[serde(default)]
    pub days: Vec<QuietDay>,
    /// When they begin, such as `22:00`
    #[serde(with = "As::<NotBlank>")]
    pub from: String,
    /// When they end; an earlier time than `from` is on the next day
    #[serde(with = "As::<NotBlank>")]
    pub until: String,
    /// A time zone of the IANA database, such as `Europe/Berlin`
    #[serde(with = "As::<NotBlank>")]
    pub time_zone: String,
    /// Alerts with these severities do not wait
    #[serde(default, with = "Each::<NotBlank>")]
    pub except_severities: Vec<String>,
}

impl IntakePolicy {
    /// This policy where it sets something, and the other one where it does not. Hours that are wrong, which the checks
    /// report, are left out.
    pub(crate) fn applied_to(&self, policy: Policy) -> Policy {
        let quiet_hours = self.quiet_hours.as_ref().map(|hours| {
            hours.iter().filter_map(|one| one.compile().ok()).collect::<Vec<QuietHours>>()
        });
        let flapping =
            self.flapping.map(|IntakeFlapping { changes, within }| Flapping { changes, within });
        Policy {
            window: self.window.unwrap_or(policy.window),
            group_labels: self.group_labels.clone().unwrap_or(policy.group_labels),
            reinvestigate_after: self.reinvestigate_after.or(policy.reinvestigate_after),
            max_per_day: self.max_per_day.unwrap_or(policy.max_per_day),
            quiet_hours: quiet_hours.unwrap_or(policy.quiet_hours),
            flapping: flapping.unwrap_or(policy.flapping),
            max_attached_per_minute: self
                .max_attached_per_minute
                .unwrap_or(policy.max_attached_per_minute),
        }
    }

    pub(crate) fn check(&self, at: &Path, check: &mut Check<'_>) {
        let at = at.key("quiet_hours");
        let hours = self.quiet_hours.as_deref().unwrap_or_default();
        if hours.len() > MAX_QUIET_HOURS {
            let message = format!("has {} entries", hours.len());
            check.problem(&at, message, format!("write at most {MAX_QUIET_HOURS}"));
        }
        for (index, one) in hours.iter().enumerate() {
            for wrong in one.compile().err().into_iter().flatten() {
                wrong.report(&at.index(index), check);
            }
        }
    }
}

impl IntakeQuietHours {
    /// The hours, or everything that is wrong with them.
    fn compile(&self) -> Result<QuietHours, Vec<Wrong>> {
        let mut wrong = Vec::new();
        let from = time("from", &self.from).map_err(|error| wrong.push(error)).ok();
        let until = time("until", &self.until).map_err(|error| wrong.push(error)).ok();
        let zone = time_zone(&self.time_zone).map_err(|error| wrong.push(error)).ok();
        if from.is_some() && from == until {
            let suggestion = "write another time; for whole days, split them at an hour";
            wrong.push(Wrong::of("until", "is the same time as from", suggestion));
        }
        match (from, until, zone) {
            (Some(from), Some(until), Some(time_zone)) if wrong.is_empty() => Ok(QuietHours {
                days: self.days.iter().map(|day| weekday(*day)).collect(),
                from,
                until,
                time_zone,
                except_severities: self
                    .except_severities
                    .iter()
                    .map(|severity| severity.trim().to_lowercase())
                    .collect(),
            }),
            _ => Err(wrong),
        }
    }
}

/// Hours and minutes of a day.
fn time(key: &str, text: &str) -> Result<Time, Wrong> {
    let parsed = text.split_once(':').and_then(|(hour, minute)| {
        let is_number =
            |text: &str| !text.is_empty() && text.bytes().all(|one| one.is_ascii_digit());
        let fits = is_number(hour) && is_number(minute) && minute.len() == 2;
        fits.then(|| Time::new(hour.parse().ok()?, minute.parse().ok()?, 0, 0).ok())?
    });
    parsed.ok_or_else(|| {
        Wrong::of(
            key,
            format!("\"{text}\" is not a time of day"),
            "write hours and minutes such as 22:00",
        )
    })
}

pub(crate) fn time_zone(name: &str) -> Result<TimeZone, Wrong> {
    TimeZone::get(name).map_err(|_| {
        let known: Vec<String> =
            tz::db().available().map(|name| name.as_str().to_owned()).collect();
        let nearest = advice(name, known.iter().map(String::as_str));
        let nearest = nearest.filter(|text| text.starts_with("did you mean"));
        let suggestion = match nearest {
            Some(nearest) => nearest,
            None if known.is_empty() => "install tzdata: this machine has no time zones".to_owned(),
            None => "write a name such as Europe/Berlin, or UTC".to_owned(),
        };
        Wrong::of("time_zone", format!("unknown time zone \"{name}\""), suggestion)
    })
}

const fn weekday(day: QuietDay) -> Weekday {
    match day {
        QuietDay::Monday => Weekday::Monday,
        QuietDay::Tuesday => Weekday::Tuesday,
        QuietDay::Wednesday => Weekday::Wednesday,
        QuietDay::Thursday => Weekday::Thursday,
        QuietDay::Friday => Weekday::Friday,
        QuietDay::Saturday => Weekday::Saturday,
        QuietDay::Sunday => Weekday::Sunday,
    }
}
