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
    if let Ok(time) = text.replace(' ', "+").parse::<Timestamp>() {
        return Some(time);
    }
    let day = text.parse::<Date>().ok();
    let day = if end_of_day { day.and_then(|day| day.tomorrow().ok()) } else { day };
    let midnight = day.and_then(|day| day.to_zoned(TimeZone::UTC).ok()).map(|day| day.timestamp());
    let time = match midnight {
        Some(time) if end_of_day => Timestamp::from_microsecond(time.as_microsecond() - 1).ok(),
        other => other,
    };
    if time.is_none() {
        let fix = "write a time such as 2026-01-31T08:00:00Z, or a day such as 2026-01-31";
        wrong(field, format!("is {}; {fix}", quoted(text)));
    }
    time
}
