//! Times as monitoring tools write them.

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::fmt::{rfc2822, strtime};
use jiff::tz::TimeZone;

/// What Go and .NET write for a time that is not set begins so.
const NO_TIME: &str = "0001-01-01";
/// The form of times with a zone behind a blank.
const ZONED: &str = "%Y-%m-%d %H:%M:%S%.f %z";
/// Forms of dates, beside that of ISO 8601, and of times of a day. What may be a day or a month is a month first, as tools write it
/// that write dates with strokes.
const DATES: [&str; 10] = [
    "%Y-%m-%d", "%Y.%m.%d", "%Y/%m/%d", "%d.%m.%Y", "%m/%d/%Y", "%d/%m/%Y", "%B %d %Y", "%b %d %Y",
    "%d %b %Y", "%d %B %Y",
];
const TIMES: [&str; 4] = ["%H:%M:%S%.f", "%I:%M:%S %p", "%H:%M", "%I:%M %p"];
/// The form of `date` and of `ctime`.
const OF_C: &str = "%b %d %H:%M:%S %Y";
/// Words beside a time that say nothing, and those that say that it is UTC.
const WORDS: [&str; 9] =
    ["at", "on", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
const UTC: [&str; 3] = ["utc", "gmt", "z"];
/// The most characters of a time in words.
const MAX_WORDS: usize = 60;

/// What stands where a time may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Time {
    At(Timestamp),
    /// Without a zone; taken for UTC.
    Unzoned(Timestamp),
    /// What tools write for none.
    NotSet,
    Unknown,
}

/// Reads a time of RFC 3339, ISO 8601 or RFC 2822, or a number since 1970 in seconds, or in thousandths, millionths or
/// billionths of them, whichever is a time of our age.
pub(crate) fn read(text: &str) -> Time {
    let text = text.trim();
    if text.is_empty() || text == "0" || text.starts_with(NO_TIME) {
        return Time::NotSet;
    }
    if let Ok(number) = text.parse::<f64>() {
        return since_1970(text, number).map_or(Time::Unknown, Time::At);
    }
    if let Ok(time) = text.parse::<Timestamp>() {
        return Time::At(time);
    }
    // As Ruby writes it.
    let zoned = text.strip_suffix(" UTC").map(|text| format!("{text} +0000"));
    let zoned = strtime::parse(ZONED, zoned.as_deref().unwrap_or(text));
    if let Some(time) = zoned.ok().and_then(|time| time.to_timestamp().ok()) {
        return Time::At(time);
    }
    if let Ok(time) = rfc2822::parse(text) {
        return Time::At(time.timestamp());
    }
    let (civil, is_utc) = match text.parse::<DateTime>() {
        Ok(civil) => (Some(civil), false),
        Err(_) => in_words(text),
    };
    let zoned = civil.and_then(|civil| civil.to_zoned(TimeZone::UTC).ok());
    let make = if is_utc { Time::At } else { Time::Unzoned };
    zoned.map_or(Time::Unknown, |zoned| make(zoned.timestamp()))
}

/// A time such as `Tuesday, November 24, 2026 12:00 PM`, and whether its zone is said to be UTC.
fn in_words(text: &str) -> (Option<DateTime>, bool) {
    if text.len() > MAX_WORDS || !text.contains(|c: char| c.is_ascii_digit()) {
        return (None, false);
    }
    let mut is_utc = false;
    let mut words: Vec<&str> = Vec::new();
    for word in text.split(|c: char| c.is_whitespace() || c == ',').filter(|word| !word.is_empty())
    {
        let plain = word.trim_matches(['(', ')']).to_ascii_lowercase();
        if UTC.contains(&plain.as_str()) {
            is_utc = true;
        } else if !WORDS
            .iter()
            .any(|one| *one == plain || (plain.len() == 3 && one.starts_with(&plain)))
        {
            words.push(word);
        }
    }
    let text = words.join(" ");
    let of = |form: &str| strtime::parse(form, &text).ok()?.to_datetime().ok();
    let grid = DATES.iter().flat_map(|date| TIMES.iter().map(move |time| (date, time)));
    let found = grid.into_iter().find_map(|(date, time)| {
        of(&format!("{date} {time}")).or_else(|| of(&format!("{time} {date}")))
    });
    (found.or_else(|| of(OF_C)), is_utc)
}

fn since_1970(text: &str, number: f64) -> Option<Timestamp> {
    /// In thousandths this is in 1973, in seconds in 5138.
    const MOST: f64 = 1e11;
    const UNITS: [i64; 4] = [1, 1_000, 1_000_000, 1_000_000_000];
    let most = [MOST, MOST * 1e3, MOST * 1e6, f64::MAX];
    let (unit, _) = UNITS.into_iter().zip(most).find(|(_, most)| number.abs() < *most)?;
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let whole: i64 = whole.parse().ok()?;
    let time = match unit {
        1 => Timestamp::from_second(whole),
        1_000 => Timestamp::from_millisecond(whole),
        1_000_000 => Timestamp::from_microsecond(whole),
        _ => return Timestamp::from_nanosecond(whole.into()).ok(),
    };
    let millis: i64 = format!("{fraction:0<3}").get(..3)?.parse().ok()?;
    time.ok()?.checked_add(jiff::SignedDuration::from_millis(millis / unit)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_many_forms_are_read() {
        let at = |text: &str| text.parse().map(Time::At).unwrap();
        let utc = |text: &str| text.parse().map(Time::Unzoned).unwrap();
        for (text, time) in [
            ("2021-10-12T09:51:03.5+02:00", at("2021-10-12T07:51:03.5Z")),
            ("2026-05-20T14:00:00.000+0000", at("2026-05-20T14:00:00Z")),
            ("2026-11-26 10:00:00Z", at("2026-11-26T10:00:00Z")),
            ("2026-11-26 10:00:00 +0100", at("2026-11-26T09:00:00Z")),
            ("2026-11-26 10:00:00 UTC", at("2026-11-26T10:00:00Z")),
            ("Thu, 26 Nov 2026 10:00:00 GMT", at("2026-11-26T10:00:00Z")),
            ("1420452191", at("2015-01-05T10:03:11Z")),
            ("1420452191.25", at("2015-01-05T10:03:11.25Z")),
            ("1420452191104", at("2015-01-05T10:03:11.104Z")),
            ("1420452193166002", at("2015-01-05T10:03:13.166002Z")),
            ("1420452193166002000", at("2015-01-05T10:03:13.166002Z")),
            ("2026-11-26 14:06:38.123", utc("2026-11-26T14:06:38.123Z")),
            ("2026-11-26T14:06:38", utc("2026-11-26T14:06:38Z")),
            ("2026.11.26 17:00:05", utc("2026-11-26T17:00:05Z")),
            ("2026/11/26 17:00:05", utc("2026-11-26T17:00:05Z")),
            ("26.11.2026 17:00:05", utc("2026-11-26T17:00:05Z")),
            ("Thu Nov 26 17:00:05 2026", utc("2026-11-26T17:00:05Z")),
            ("Thu Nov 26 17:00:05 UTC 2026", at("2026-11-26T17:00:05Z")),
            ("11/26/2026 5:00:05 PM", utc("2026-11-26T17:00:05Z")),
            ("26/11/2026 17:00", utc("2026-11-26T17:00:00Z")),
            ("Thursday, November 26, 2026 5:00 PM", utc("2026-11-26T17:00:00Z")),
            ("Nov 26, 2026 at 05:00:05 PM UTC", at("2026-11-26T17:00:05Z")),
            ("17:00:05 on 2026.11.26", utc("2026-11-26T17:00:05Z")),
            ("0001-01-01T00:00:00Z", Time::NotSet),
            (" ", Time::NotSet),
            ("0", Time::NotSet),
            ("yesterday", Time::Unknown),
            ("{EVENT.DATE} {EVENT.TIME}", Time::Unknown),
            ("NaN", Time::Unknown),
            ("1e400", Time::Unknown),
            ("99999999999999999999999", Time::Unknown),
        ] {
            assert_eq!(read(text), time, "{text}");
        }
    }
}
