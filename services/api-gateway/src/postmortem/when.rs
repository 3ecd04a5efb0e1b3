//! Times that results state.

use jiff::tz::Offset;
use jiff::{SignedDuration, Timestamp};
use tarsy_evidence::{Content, extract};

/// A time that a text states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stated<'t> {
    pub(super) at: Timestamp,
    /// The text without a time that it begins with.
    pub(super) rest: &'t str,
    /// Whether it has a time zone; one without is read as UTC.
    pub(super) has_zone: bool,
}

/// The first moment of a text that has a date with its year, and a time of day.
pub(super) fn stated(text: &str) -> Option<Stated<'_>> {
    extract(text).iter().find_map(|claim| {
        let Content::Time(moment) = &claim.content else { return None };
        let civil = moment.date.filter(|_| moment.has_year)?.to_datetime(moment.time?);
        let at = moment.offset.unwrap_or(Offset::UTC).to_timestamp(civil).ok()?;
        let rest = text.get(claim.range.end..).filter(|_| claim.range.start == 0);
        let rest = rest.map(|rest| rest.trim_start_matches([' ', ',', ':', ']']));
        let rest = rest.filter(|rest| !rest.is_empty()).unwrap_or(text);
        Some(Stated { at, rest, has_zone: moment.offset.is_some() })
    })
}

/// When something of this age began, seen at a time: `3m`, `2d4h`, `75s ago`.
pub(super) fn of_age(text: &str, seen_at: Timestamp) -> Option<Timestamp> {
    let text = text.trim();
    let mut rest = text.strip_suffix(" ago").unwrap_or(text);
    let mut age = SignedDuration::ZERO;
    while !rest.is_empty() {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let (number, after) = rest.split_at_checked(digits)?;
        let letters = after.bytes().take_while(u8::is_ascii_alphabetic).count();
        let (unit, after) = after.split_at_checked(letters)?;
        let seconds = match unit {
            "d" => 86_400,
            "h" => 3_600,
            "m" | "min" => 60,
            "s" => 1,
            _ => return None,
        };
        let seconds = number.parse::<i64>().ok()?.checked_mul(seconds)?;
        age = age.checked_add(SignedDuration::from_secs(seconds))?;
        rest = after.trim_start();
    }
    if age.is_zero() {
        return None;
    }
    seen_at.checked_sub(age).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    #[test]
    fn a_whole_moment_of_a_text_is_a_time() {
        let line = "2026-03-01T10:00:05Z checkout: connection refused by postgres:5432";
        let rest = "checkout: connection refused by postgres:5432";
        let expected = Stated { at: at("2026-03-01T10:00:05Z"), rest, has_zone: true };
        assert_eq!(stated(line), Some(expected));
        let bare = stated("2026-03-01 10:00:05,123 ERROR pool exhausted").unwrap();
        assert_eq!((bare.at.as_second(), bare.has_zone), (expected.at.as_second(), false));
        assert_eq!(stated("at 2026-03-01T10:00:05Z").unwrap().rest, "at 2026-03-01T10:00:05Z");
        for other in ["Mar  1 10:00:05 host sshd", "2026-03-01", "10:00:05", "no time", ""] {
            assert_eq!(stated(other), None, "{other}");
        }
    }

    #[test]
    fn an_age_is_counted_from_when_it_was_seen() {
        let seen = at("2026-03-01T10:00:00Z");
        assert_eq!(of_age("3m", seen), Some(at("2026-03-01T09:57:00Z")));
        assert_eq!(of_age("1d2h ago", seen), Some(at("2026-02-28T08:00:00Z")));
        for other in ["", "0s", "three minutes", "3 x", "99999999999999999999s", "3"] {
            assert_eq!(of_age(other, seen), None, "{other}");
        }
    }
}
