//! Reads single values of query strings.

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use tarsy_web::extract::truncated;

/// An empty value counts as left out, as forms send it.
pub(super) fn given(text: Option<&String>) -> Option<&str> {
    text.map(String::as_str).map(str::trim).filter(|text| !text.is_empty())
}

pub(super) fn quoted(text: &str) -> String {
    format!("`{}`", truncated(text))
}

/// A time, or the beginning or end of a day in UTC.
pub(super) fn date(
    field: &str,
    text: Option<&str>,
    end_of_day: bool,
    wrong: &mut impl FnMut(&str, String),
) -> Option<Timestamp> {
    let text = text?;
    // A `+` in a query string that was not escaped arrives as a blank.
    let time = text.replace(' ', "+").parse::<Timestamp>().ok();
    let time = time.or_else(|| day(text, end_of_day));
    // PostgreSQL knows no times before 4713 BC, and nothing is older than 1970.
    let time = time.filter(|time| *time >= Timestamp::UNIX_EPOCH);
    if time.is_none() {
        let fix =
            "write a time from 1970 on such as 2026-01-31T08:00:00Z, or a day such as 2026-01-31";
        wrong(field, format!("is {}; {fix}", quoted(text)));
    }
    time
}

/// The beginning or the end of a day in UTC.
fn day(text: &str, end: bool) -> Option<Timestamp> {
    let day = text.parse::<Date>().ok()?;
    let day = if end { day.tomorrow().ok()? } else { day };
    let midnight = day.to_zoned(TimeZone::UTC).ok()?.timestamp();
    if end {
        Timestamp::from_microsecond(midnight.as_microsecond() - 1).ok()
    } else {
        Some(midnight)
    }
}
