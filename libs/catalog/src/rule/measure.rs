//! Numbers and durations.

use std::time::Duration;

use schemars::{Schema, json_schema};
use serde::de;

use super::Rule;
use crate::duration;
use crate::fault::{WRITTEN, fault};

/// The longest limit of one answer of a model.
pub(crate) const LONGEST_ANSWER: Duration = Duration::from_hours(1);
/// What [`duration::parse`] accepts.
const DURATION: &str = "^0$|^([0-9.]+(ms|us|µs|ns|s|m|h|d) *)+$";

/// A whole number from `MIN` to `MAX`.
pub(crate) struct Between<const MIN: u32, const MAX: u32>;

/// A whole number of at least `MIN`.
pub(crate) type AtLeast<const MIN: u32> = Between<MIN, { u32::MAX }>;

impl<const MIN: u32, const MAX: u32> Rule for Between<MIN, MAX> {
    type Value = u32;

    const EXPECTED: &'static str = "a whole number";

    fn parse<E: de::Error>(text: &str) -> Result<u32, E> {
        let Ok(number) = text.replace('_', "").parse::<i64>() else {
            let message = format!("must be a whole number, not \"{WRITTEN}\"");
            return Err(fault(message, "write a whole number here"));
        };
        if let Some(fitting) =
            u32::try_from(number).ok().filter(|number| (MIN..=MAX).contains(number))
        {
            return Ok(fitting);
        }
        let range = if MAX == u32::MAX && number < i64::from(MAX) {
            format!("must be at least {MIN}")
        } else {
            format!("must be between {MIN} and {MAX}")
        };
        let nearest = number.clamp(MIN.into(), MAX.into());
        let suggestion = format!("the nearest allowed value is {nearest}");
        Err(fault(format!("{range}, not {number}"), suggestion))
    }

    fn placeholder() -> u32 {
        MIN
    }

    fn schema() -> Schema {
        let mut schema = json_schema!({ "type": "integer", "minimum": MIN });
        if MAX < u32::MAX {
            schema.insert("maximum".to_owned(), MAX.into());
        }
        schema
    }
}

/// An amount of US dollars, with up to six decimal places, as millionths.
pub(crate) struct Dollars;

/// The highest price that is no mistake, in millionths.
const MOST_DOLLARS: u64 = 10_000_000_000;

impl Rule for Dollars {
    type Value = u64;

    const EXPECTED: &'static str = "an amount of US dollars";

    fn parse<E: de::Error>(text: &str) -> Result<u64, E> {
        dollars(text).ok_or_else(|| {
            let message =
                format!("must be an amount of US dollars from 0 to 10000, not \"{WRITTEN}\"");
            fault(
                message,
                "write the price of a million tokens, with up to six decimal places, like 2.5",
            )
        })
    }

    fn placeholder() -> u64 {
        0
    }

    fn schema() -> Schema {
        json_schema!({ "type": "number", "minimum": 0, "maximum": 10_000 })
    }
}

/// What may be spent: an amount of US dollars above zero, as millionths.
pub(crate) struct Money;

impl Rule for Money {
    type Value = u64;

    const EXPECTED: &'static str = "an amount of US dollars";

    fn parse<E: de::Error>(text: &str) -> Result<u64, E> {
        dollars(text).filter(|amount| *amount > 0).ok_or_else(|| {
            let message = format!(
                "must be an amount of US dollars above 0 and up to 10000, not \"{WRITTEN}\""
            );
            fault(message, "write dollars with up to six decimal places, like 0.5, or remove it")
        })
    }

    fn placeholder() -> u64 {
        1
    }

    fn schema() -> Schema {
        json_schema!({
            "type": "number",
            "exclusiveMinimum": 0,
            "maximum": 10_000,
            "x-range": "more than 0, at most 10000",
        })
    }
}

/// An amount of US dollars in millionths; none if it is not one, or too high.
pub(crate) fn dollars(text: &str) -> Option<u64> {
    millionths(text).filter(|amount| *amount <= MOST_DOLLARS)
}

fn millionths(text: &str) -> Option<u64> {
    let text = text.trim();
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    let is_number = |digits: &str| digits.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !is_number(whole) || !is_number(part) || part.len() > 6 {
        return None;
    }
    let whole: u64 = whole.parse().ok()?;
    let part: u64 = format!("{part:0<6}").parse().ok()?;
    whole.checked_mul(1_000_000)?.checked_add(part)
}

fn read<E: de::Error>(text: &str) -> Result<Duration, E> {
    duration::parse(text).ok_or_else(|| {
        let suggestion = match text.trim().parse::<u64>() {
            Ok(number) => format!("add a unit: {number}s, {number}m or {number}h"),
            Err(_) => "write it like 30s, 15m or 1h30m".to_owned(),
        };
        fault(format!("\"{WRITTEN}\" is not a duration"), suggestion)
    })
}

fn schema() -> Schema {
    json_schema!({ "type": "string", "pattern": DURATION, "examples": ["30s", "15m", "1h30m"] })
}

/// A duration such as `30s`, `15m` or `1h30m`; it may be zero.
pub(crate) struct Span;

impl Rule for Span {
    type Value = Duration;

    const EXPECTED: &'static str = "a duration";

    fn parse<E: de::Error>(text: &str) -> Result<Duration, E> {
        read(text)
    }

    fn placeholder() -> Duration {
        Duration::ZERO
    }

    fn schema() -> Schema {
        schema()
    }
}

/// A duration of more than zero.
pub(crate) struct Positive;

impl Rule for Positive {
    type Value = Duration;

    const EXPECTED: &'static str = "a duration";

    fn parse<E: de::Error>(text: &str) -> Result<Duration, E> {
        let span = read(text)?;
        if span.is_zero() {
            return Err(fault("must be more than zero", "write a duration such as 30s or 15m"));
        }
        Ok(span)
    }

    fn placeholder() -> Duration {
        Duration::from_secs(1)
    }

    fn schema() -> Schema {
        let mut schema = schema();
        schema.insert("x-range".to_owned(), "more than 0".into());
        schema
    }
}

/// A duration of more than zero, and at most the longest limit of one answer.
pub(crate) struct AnswerTime;

impl Rule for AnswerTime {
    type Value = Duration;

    const EXPECTED: &'static str = "a duration";

    fn parse<E: de::Error>(text: &str) -> Result<Duration, E> {
        let span = Positive::parse(text)?;
        if span > LONGEST_ANSWER {
            let message = format!("must be at most {}", duration::show(LONGEST_ANSWER));
            return Err(fault(message, "write a duration such as 90s or 10m"));
        }
        Ok(span)
    }

    fn placeholder() -> Duration {
        Duration::from_secs(1)
    }

    fn schema() -> Schema {
        let mut schema = schema();
        let range = format!("more than 0, at most {}", duration::show(LONGEST_ANSWER));
        schema.insert("x-range".to_owned(), range.into());
        schema
    }
}

/// A number of seconds, or a duration; more than zero.
pub(crate) struct Seconds;

impl Rule for Seconds {
    type Value = Duration;

    const EXPECTED: &'static str = "a duration";

    fn parse<E: de::Error>(text: &str) -> Result<Duration, E> {
        let span = match text.trim().parse::<u32>() {
            Ok(seconds) => Duration::from_secs(seconds.into()),
            Err(_) => read(text)?,
        };
        if span.is_zero() {
            return Err(fault("must be more than zero", "write a number of seconds"));
        }
        Ok(span)
    }

    fn placeholder() -> Duration {
        Duration::from_secs(1)
    }

    fn schema() -> Schema {
        json_schema!({
            "type": ["integer", "string"],
            "minimum": 1,
            "pattern": DURATION,
            "x-range": "seconds, or a duration",
        })
    }
}
