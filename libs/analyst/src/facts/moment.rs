//! The time at the beginning of a message.

use std::sync::LazyLock;

use jiff::Timestamp;
use regex::Regex;

use crate::text::regex;

/// The time that a message begins with, also inside of quotation marks or brackets, and where it ends; without an offset
/// it is UTC.
pub(super) fn time_of(text: &str) -> Option<(Timestamp, usize)> {
    static TIME: LazyLock<Regex> = regex!(
        r#"^[\["'\s]{0,4}(?:\w{1,12}[=:] ?"?)?(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:[.,]\d{1,9})?(Z|[+-]\d\d:?\d\d)?"#
    );
    let found = TIME.captures(text)?;
    let part = |at| found.get(at).map_or("", |part| part.as_str());
    let offset = if part(3).is_empty() { "Z" } else { part(3) };
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
