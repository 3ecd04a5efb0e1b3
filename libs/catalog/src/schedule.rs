//! Investigations that begin by the calendar: the section `schedules` of `tarsy.yaml`.

use std::collections::BTreeMap;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use smart_default::SmartDefault;
use tarsy_intake::{MAX_LABEL_NAME, MAX_LABEL_VALUE, MAX_SEVERITY, MAX_TITLE};

use crate::check::Check;
use crate::cron::{self, is_time_zone};
use crate::path::Path;
use crate::rule::{AlertTypeName, As, CronExpression, HttpUrl, NotBlank, is_short_name};

/// The most schedules of an installation.
const MAX_SCHEDULES: usize = 200;
/// The most labels of a schedule.
const MAX_LABELS: usize = 50;
/// The most characters of its text.
const MAX_TEXT: usize = 20_000;

/// What becomes of times at which nothing ran.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MissedRuns {
    /// The last one runs late, once.
    #[default]
    RunOnce,
    /// None runs.
    Skip,
}

/// Whether a run begins while the one before it goes on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ConcurrencyPolicy {
    /// It is skipped.
    #[default]
    Forbid,
    /// It begins.
    Allow,
}

/// Which results are sent to the destinations of notifications.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NotifyPolicy {
    /// Those that differ from the run before: another outcome, another kind of cause, or another object.
    #[default]
    Changed,
    /// Those that state a cause, and investigations that failed.
    Problems,
    /// All.
    Always,
    /// None.
    Never,
}

impl NotifyPolicy {
    /// As the file has it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Changed => "changed",
            Self::Problems => "problems",
            Self::Always => "always",
            Self::Never => "never",
        }
    }
}

/// An investigation that begins by the calendar.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema, SmartDefault)]
#[serde(deny_unknown_fields)]
pub struct Schedule {
    /// The key in the file.
    #[serde(skip)]
    pub name: String,
    /// When it begins, as cron has it: minute, hour, day of the month, month and weekday, such as `0 6 * * 1-5`, or `@daily`
    #[serde(with = "As::<CronExpression>")]
    pub cron: String,
    /// The time zone of `cron`, by its name in the IANA database
    #[default = "UTC"]
    #[serde(default = "utc", with = "As::<NotBlank>")]
    pub time_zone: String,
    /// What is to be investigated, as the text of an alert
    #[serde(with = "As::<NotBlank>")]
    pub text: String,
    /// One that a chain serves
    #[serde(default, with = "As::<AlertTypeName>")]
    #[schemars(extend("x-default" = "that of `defaults`"))]
    pub alert_type: Option<String>,
    /// The title of its sessions
    #[serde(default, with = "As::<NotBlank>")]
    #[schemars(extend("x-default" = "the first line of `text`"))]
    pub title: Option<String>,
    /// The severity of its sessions
    #[serde(default, with = "As::<NotBlank>")]
    pub severity: Option<String>,
    /// Labels of its sessions, beside `schedule`, which is its name
    #[serde(default)]
    pub labels: BTreeMap<String, String>,
    /// The address of a runbook, on one of the allowed hosts
    #[serde(default, with = "As::<HttpUrl>")]
    #[schemars(extend("x-default" = "that of `defaults`"))]
    pub runbook: Option<url::Url>,
    /// Nothing begins by itself while this is true
    #[serde(default)]
    pub suspend: bool,
    /// What becomes of times at which nothing ran, because TARSy was stopped or its queue was full: `run_once` runs the last one
    /// late, `skip` none
    #[serde(default)]
    #[schemars(extend("x-default" = "`run_once`"))]
    pub missed_runs: MissedRuns,
    /// Whether a run begins while the one before it goes on: `forbid` skips it
    #[serde(default)]
    #[schemars(extend("x-default" = "`forbid`"))]
    pub concurrency_policy: ConcurrencyPolicy,
    /// Which results are sent: those that differ from the run before (`changed`), those that state a cause (`problems`),
    /// `always` or `never`
    #[serde(default)]
    #[schemars(extend("x-default" = "`changed`"))]
    pub notify: NotifyPolicy,
}

fn utc() -> String {
    "UTC".to_owned()
}

impl Schedule {
    /// The first time after `time`; none if there is none within years.
    pub fn next_after(&self, time: Timestamp) -> Option<Timestamp> {
        cron::next_after(&self.cron, &self.time_zone, time)
    }

    /// The last time until `time`, itself included; none if there was none within years.
    pub fn last_until(&self, time: Timestamp) -> Option<Timestamp> {
        cron::last_until(&self.cron, &self.time_zone, time)
    }

    /// When it begins, in words, such as "At 06:00, Monday through Friday."
    pub fn describe(&self) -> String {
        cron::describe(&self.cron)
    }

    pub fn title(&self) -> &str {
        let first = self.text.lines().map(str::trim).find(|line| !line.is_empty());
        self.title.as_deref().or(first).unwrap_or(&self.name)
    }
}

/// Checks what the rules of single values do not see.
pub(crate) fn check_schedules(schedules: &BTreeMap<String, Schedule>, check: &mut Check<'_>) {
    let section = Path::of(["schedules"]);
    if schedules.len() > MAX_SCHEDULES {
        let message = format!("there are {} schedules", schedules.len());
        check.problem(&section, message, format!("keep at most {MAX_SCHEDULES}"));
    }
    for (name, schedule) in schedules {
        let at = section.key(name);
        if !is_short_name(name) {
            let suggestion = "use small letters, digits, `_` and `-`, at most 64 of them";
            check.key_problem(&at, format!("\"{name}\" cannot be a schedule's name"), suggestion);
        }
        if let Err(wrong) = crate::intake::time_zone(&schedule.time_zone) {
            wrong.report(&at, check);
        } else if !is_time_zone(&schedule.time_zone) {
            let message = format!("\"{}\" is not a name of the IANA database", schedule.time_zone);
            check.problem(&at.key("time_zone"), message, "write a name such as Europe/Berlin");
        }
        if schedule.labels.len() > MAX_LABELS {
            let message = format!("has {} labels", schedule.labels.len());
            check.problem(&at.key("labels"), message, format!("keep at most {MAX_LABELS}"));
        }
        for (label, value) in &schedule.labels {
            let path = at.key("labels").key(label);
            if label.chars().count() > MAX_LABEL_NAME || value.chars().count() > MAX_LABEL_VALUE {
                let suggestion = format!(
                    "keep names to {MAX_LABEL_NAME} characters and values to {MAX_LABEL_VALUE}"
                );
                check.problem(&path, "is too long", suggestion);
            }
        }
        for (key, text, most) in [
            ("text", Some(&schedule.text), MAX_TEXT),
            ("title", schedule.title.as_ref(), MAX_TITLE),
            ("severity", schedule.severity.as_ref(), MAX_SEVERITY),
        ] {
            if text.is_some_and(|text| text.chars().count() > most) {
                check.problem(&at.key(key), "is too long", format!("keep it to {most} characters"));
            }
        }
        if schedule.labels.contains_key("schedule") {
            let path = at.key("labels").key("schedule");
            check.warning(&path, "has no effect: it is the schedule's name", "remove it");
        }
    }
}
