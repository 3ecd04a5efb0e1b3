//! The time of a message: at its beginning, or in a member of it.

use std::sync::LazyLock;

use jiff::Timestamp;
use regex::Regex;

use crate::text::regex;

const DAY_SECONDS: i64 = 86_400;

/// The time that a message begins with, also inside of quotation marks or brackets, and where it ends; without an offset
/// it is UTC.
pub(super) fn time_of(text: &str) -> Option<(Timestamp, usize)> {
    static TIME: LazyLock<Regex> = regex!(
        r#"^[\["'\s]{0,4}(?:\w{1,12}[=:] ?"?)?(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:[.,]\d{1,9})?(Z| ?[+-]\d\d:?\d\d)?"#
    );
    let found = TIME.captures(text)?;
    let part = |at| found.get(at).map_or("", |part| part.as_str());
    // Go writes a blank before it.
    let offset = if part(3).is_empty() { "Z" } else { part(3).trim_start() };
    let time = format!("{}T{}{offset}", part(1), part(2)).parse().ok()?;
    Some((time, found.get(0)?.end()))
}

pub(super) fn written_at(text: &str) -> Option<Timestamp> {
    time_of(text).map(|(time, _)| time)
}

/// The last time that a text has, in the form of RFC 3339.
pub(super) fn last_of(text: &str) -> Option<Timestamp> {
    static TIME: LazyLock<Regex> =
        regex!(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)");
    TIME.find_iter(text).filter_map(|time| time.as_str().parse().ok()).max()
}

/// The time of a message in the forms that have no date of ISO 8601 at their beginning: of syslog, the kernel, web servers
/// and Redis, and members of JSON. A time without a year is the last such one before `now`.
pub(super) fn stamp_of(text: &str, now: Timestamp) -> Option<Timestamp> {
    static MEMBER: LazyLock<Regex> = regex!(
        r#"(?i)"(?:@?time(?:stamp)?|ts|t|start_?time|event_?time|asctime|datetime)"\s*:\s*(?:\{\s*"\$date"\s*:\s*)?"(?P<time>\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[^"]{0,16})""#
    );
    static MICROSECONDS: LazyLock<Regex> =
        regex!(r#""__REALTIME_TIMESTAMP"\s*:\s*"(?P<number>\d{16})""#);
    static WORDS: [LazyLock<Regex>; 3] = [
        regex!(
            r"^(?:<\d+>)?\[?(?:[A-Z][a-z]{2} )?(?P<month>[A-Z][a-z]{2}) +(?P<day>\d{1,2}) (?P<time>\d\d:\d\d:\d\d)(?:\.\d+)?(?: (?P<year>\d{4}))?"
        ),
        regex!(
            r"^(?:\d+:[A-Z] |\S+ \S+ \S+ )?\[?(?P<day>\d{1,2})[ /-](?P<month>[A-Z][a-z]{2})[ /-](?P<year>\d{4})[ :](?P<time>\d\d:\d\d:\d\d)"
        ),
        regex!(
            r"^(?:\[\d+\] )?(?P<year>\d{4})/(?P<month>\d\d)/(?P<day>\d\d) (?P<time>\d\d:\d\d:\d\d)"
        ),
    ];
    if let Some(found) = MEMBER.captures(text) {
        return written_at(found.name("time")?.as_str());
    }
    if let Some(found) = MICROSECONDS.captures(text) {
        return Timestamp::from_microsecond(found.name("number")?.as_str().parse().ok()?).ok();
    }
    let found = WORDS.iter().find_map(|words| words.captures(text))?;
    let part = |name| found.name(name).map_or("", |part| part.as_str());
    let month = month_of(part("month"))?;
    let at = |year: i16| {
        let day = part("day").parse::<u8>().ok()?;
        format!("{year:04}-{month:02}-{day:02}T{}Z", part("time")).parse::<Timestamp>().ok()
    };
    if let Ok(year) = part("year").parse() {
        return at(year);
    }
    let year = now.to_string().get(..4)?.parse::<i16>().ok()?;
    let is_past = |time: &Timestamp| time.duration_since(now).as_secs() < DAY_SECONDS;
    at(year).filter(is_past).or_else(|| at(year - 1))
}

/// `May` and `05` are 5.
fn month_of(text: &str) -> Option<usize> {
    const MONTHS: &str = "JanFebMarAprMayJunJulAugSepOctNovDec";
    let named = MONTHS.find(text).filter(|at| at % 3 == 0 && text.len() == 3).map(|at| at / 3 + 1);
    named.or_else(|| text.parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_in_the_forms_of_programs() {
        let now = "2026-05-01T10:00:00Z".parse().unwrap();
        for text in [
            "May  1 09:57:12 app-2 systemd[1]: started",
            "[Fri May  1 09:57:12 2026] Out of memory",
            "[Fri May 01 09:57:12.101233 2026] [mpm_event:error] [pid 811]",
            "1:M 01 May 2026 09:57:12.101 * Saving",
            "[01-May-2026 09:57:12 UTC] PHP Fatal error",
            r#"203.0.113.8 - - [01/May/2026:09:57:12 +0000] "GET / HTTP/1.1" 200"#,
            "2026/05/01 09:57:12 [error] 811#811: failed",
            "[1] 2026/05/01 09:57:12.101233 [INF] Server is ready",
            r#"{"level":"error","ts":"2026-05-01T09:57:12.5Z","msg":"failed"}"#,
            r#"{"t":{"$date":"2026-05-01T09:57:12.101+00:00"},"s":"E"}"#,
            r#"{"__REALTIME_TIMESTAMP":"1777629432000000","MESSAGE":"failed"}"#,
        ] {
            let found = stamp_of(text, now).map(|time| time.to_string());
            assert_eq!(found.as_deref(), Some("2026-05-01T09:57:12Z"), "{text}");
        }
        let last_year = stamp_of("Dec 24 09:57:12 app-2 kernel: failed", now).unwrap();
        assert_eq!(last_year.to_string(), "2025-12-24T09:57:12Z");
        assert_eq!(stamp_of("the certificate expired on May  1 09:57:12 2026", now), None);
    }
}
