//! The calendar and the place of an installation: which days are holidays, and what time it is there.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::rule::{As, MonthDay, NotBlank};

/// A day of each year on which few people are at work.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Holiday {
    /// Month and day, such as `12-25`
    #[serde(with = "As::<MonthDay>")]
    pub date: String,
    /// What is celebrated
    #[serde(with = "As::<NotBlank>")]
    pub name: String,
}

/// The holidays of an installation that names none.
pub(crate) fn usual_holidays() -> Vec<Holiday> {
    let holiday = |date: &str, name: &str| Holiday { date: date.to_owned(), name: name.to_owned() };
    vec![holiday("01-01", "New Year's Day"), holiday("12-25", "Christmas Day")]
}

/// What the prompts of a session say of its time, beside the time itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResolvedCalendar {
    /// A time zone of the IANA database; none for UTC alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_zone: Option<String>,
    /// The holidays of each year.
    #[serde(default)]
    pub holidays: Vec<ResolvedHoliday>,
}

/// A day of each year.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResolvedHoliday {
    /// From 1.
    pub month: i8,
    /// From 1.
    pub day: i8,
    /// What is celebrated.
    pub name: String,
}

impl ResolvedHoliday {
    /// None of a date that could not be read, which the checks report.
    pub(crate) fn of(holiday: &Holiday) -> Option<Self> {
        let (month, day) = month_and_day(&holiday.date)?;
        Some(Self { month, day, name: holiday.name.clone() })
    }
}

/// Month and day of `MM-DD`. The 29th of February is one.
pub(crate) fn month_and_day(text: &str) -> Option<(i8, i8)> {
    let (month, day) = text.split_once('-').filter(|_| text.len() == 5)?;
    // A leap year.
    let date = jiff::civil::Date::new(2000, month.parse().ok()?, day.parse().ok()?).ok()?;
    Some((date.month(), date.day()))
}
