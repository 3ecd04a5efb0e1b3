//! Points in time as people and programs write them, with only the parts that are written.

use jiff::civil::{Date, DateTime, Time};
use jiff::tz::Offset;
use jiff::{SignedDuration, Timestamp};

/// The years that a number of seconds since 1970 is taken for a time in: 2014 to 2036.
const EPOCH_SECONDS: std::ops::Range<f64> = 1.4e9..2.1e9;

/// A date, a time of day, or both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    pub date: Option<Date>,
    /// Whether the year is written; logs often leave it out.
    pub has_year: bool,
    pub time: Option<Time>,
    /// What the last written part of the time counts: a minute, a second, a thousandth of one.
    pub step: SignedDuration,
    pub offset: Option<Offset>,
}

impl Moment {
    /// The point in time of a number of seconds (or milliseconds, or nanoseconds) since 1970.
    pub(crate) fn of_epoch(number: f64) -> Option<Self> {
        let seconds = [1.0, 1e3, 1e6, 1e9]
            .into_iter()
            .map(|scale| number / scale)
            .find(|seconds| EPOCH_SECONDS.contains(seconds))?;
        let since = SignedDuration::try_from_secs_f64(seconds).ok()?;
        Some(Self::of_timestamp(Timestamp::from_duration(since).ok()?))
    }

    pub(crate) fn of_timestamp(timestamp: Timestamp) -> Self {
        let civil = Offset::UTC.to_datetime(timestamp);
        Self {
            date: Some(civil.date()),
            has_year: true,
            time: Some(civil.time()),
            step: SignedDuration::from_millis(1),
            offset: Some(Offset::UTC),
        }
    }

    /// Whether a claim of this moment is borne out by `source`, whose parts may be more exact.
    pub(crate) fn fits(&self, source: &Self, slack: SignedDuration) -> bool {
        if let (Some(own), Some(other)) = (self.civil(true), source.civil(true)) {
            let zones = self.offset.is_some() && source.offset.is_some();
            // Without a zone on one side, the clock on the wall is compared, as it is written or in UTC.
            return self.is_near(&own, &other, slack)
                || (!zones && self.is_near_wall(source, slack));
        }
        match (self.time, source.time) {
            (Some(_), Some(_)) => self.is_near_wall(source, slack),
            (None, _) => self.same_date(source),
            (Some(_), None) => false,
        }
    }

    /// The time from one to the other, when both have what it takes.
    pub(crate) fn until(&self, later: &Self) -> Option<SignedDuration> {
        let day = jiff::civil::date(2000, 1, 1);
        match (self.civil(true), later.civil(true)) {
            (Some(from), Some(to)) => Some(from.duration_until(to)),
            _ if self.date.is_some() && later.date.is_some() => None,
            _ => {
                let (from, to) = (day.to_datetime(self.time?), day.to_datetime(later.time?));
                Some(from.duration_until(to))
            }
        }
    }

    /// This moment, earlier by a duration.
    pub(crate) fn minus(&self, duration: SignedDuration) -> Option<Self> {
        let civil = self.civil(false)?.checked_sub(duration).ok()?;
        Some(Self { date: Some(civil.date()), time: Some(civil.time()), ..*self })
    }

    /// Date and time together, in UTC where the zone is known and wanted.
    fn civil(&self, in_utc: bool) -> Option<DateTime> {
        let civil = self.date?.to_datetime(self.time?);
        match self.offset.filter(|_| in_utc) {
            Some(offset) => Some(Offset::UTC.to_datetime(offset.to_timestamp(civil).ok()?)),
            None => Some(civil),
        }
    }

    fn is_near(&self, own: &DateTime, other: &DateTime, slack: SignedDuration) -> bool {
        let other = if self.has_year { *other } else { with_year(*other, own.year()) };
        let after = own.duration_until(other);
        // Cut off at its last part, or rounded to it.
        let half = self.step.checked_div(2).unwrap_or_default();
        after < self.step.saturating_add(slack)
            && after > SignedDuration::ZERO.saturating_sub(half).saturating_sub(slack)
            || after.is_zero()
    }

    fn is_near_wall(&self, source: &Self, slack: SignedDuration) -> bool {
        if self.date.is_some() && source.date.is_some() && !self.same_date(source) {
            return false;
        }
        let day = jiff::civil::date(2000, 1, 1);
        let Some(own) = self.time.map(|time| day.to_datetime(time)) else { return false };
        let written = source.time.map(|time| day.to_datetime(time));
        let utc = source.civil(true).map(|civil| day.to_datetime(civil.time()));
        [written, utc].into_iter().flatten().any(|other| self.is_near(&own, &other, slack))
    }

    fn same_date(&self, source: &Self) -> bool {
        let same = |own: Date, other: Date| {
            own.month() == other.month()
                && own.day() == other.day()
                && (own.year() == other.year() || !self.has_year || !source.has_year)
        };
        let utc = source.civil(true).map(DateTime::date);
        self.date.is_some_and(|own| {
            [source.date, utc].into_iter().flatten().any(|other| same(own, other))
        })
    }
}

fn with_year(civil: DateTime, year: i16) -> DateTime {
    civil.with().year(year).build().unwrap_or(civil)
}

/// A place in a text where a moment may begin.
struct Cursor<'t> {
    rest: &'t str,
    length: usize,
}

/// The moment that begins at the start of `text`, and its length in bytes.
pub(crate) fn moment_at(text: &str) -> Option<(Moment, usize)> {
    let first = text.bytes().next()?;
    let readings: &[fn(&mut Cursor<'_>) -> Option<Moment>] = if first.is_ascii_digit() {
        &[iso, slashed, day_first, time_only]
    } else if first.is_ascii_uppercase() {
        &[month_first, klog]
    } else {
        return None;
    };
    readings.iter().find_map(|read| {
        let mut cursor = Cursor { rest: text, length: 0 };
        let moment = read(&mut cursor)?;
        let ends = !cursor.rest.bytes().next().is_some_and(|byte| byte.is_ascii_alphanumeric());
        (ends && cursor.length > 0).then_some((moment, cursor.length))
    })
}

impl<'t> Cursor<'t> {
    fn advance(&mut self, length: usize) -> Option<&'t str> {
        let taken = self.rest.get(..length)?;
        self.rest = self.rest.get(length..)?;
        self.length += length;
        Some(taken)
    }

    fn number(&mut self, digits: std::ops::RangeInclusive<usize>) -> Option<i32> {
        let count = self.rest.bytes().take_while(u8::is_ascii_digit).count();
        if !digits.contains(&count) {
            return None;
        }
        self.advance(count)?.parse().ok()
    }

    fn skip(&mut self, wanted: &str) -> Option<()> {
        self.rest.starts_with(wanted).then(|| self.advance(wanted.len()))?.map(|_| ())
    }

    fn skip_any(&mut self, wanted: &[&str]) -> Option<()> {
        wanted.iter().find_map(|one| self.skip(one))
    }

    fn month(&mut self) -> Option<i32> {
        const MONTHS: &[&str] = &[
            "January",
            "February",
            "March",
            "April",
            "May",
            "June",
            "July",
            "August",
            "September",
            "October",
            "November",
            "December",
        ];
        let letters = self.rest.bytes().take_while(u8::is_ascii_alphabetic).count();
        let word = self.rest.get(..letters)?;
        let at = MONTHS.iter().position(|month| {
            word == *month
                || (word.len() == 3 && month.starts_with(word))
                || word == "Sept" && *month == "September"
        })?;
        self.advance(letters)?;
        i32::try_from(at + 1).ok()
    }

    /// `14:03`, `14:03:12`, `14:03:12.123`, and the zone after it.
    fn time(&mut self) -> Option<(Time, SignedDuration, Option<Offset>)> {
        let hour = self.number(1..=2)?;
        self.skip(":")?;
        let minute = self.number(2..=2)?;
        let (mut second, mut nanos, mut step) = (0, 0, SignedDuration::from_mins(1));
        if self.rest.starts_with(':') && self.rest.as_bytes().get(1).is_some_and(u8::is_ascii_digit)
        {
            self.skip(":")?;
            second = self.number(2..=2)?;
            step = SignedDuration::from_secs(1);
            if let Some((fraction, size)) = self.fraction() {
                (nanos, step) = (fraction, size);
            }
        }
        let small = |value: i32| i8::try_from(value).ok();
        let time = Time::new(small(hour)?, small(minute)?, small(second)?, nanos).ok()?;
        Some((time, step, self.zone()))
    }

    fn fraction(&mut self) -> Option<(i32, SignedDuration)> {
        let rest = self.rest.strip_prefix(['.', ','])?;
        let count = rest.bytes().take_while(u8::is_ascii_digit).count();
        if count == 0 {
            return None;
        }
        self.advance(1)?;
        let digits = self.advance(count)?;
        let kept = digits.get(..count.min(9))?;
        let scale = 10_i32.checked_pow(u32::try_from(9 - kept.len()).ok()?)?;
        Some((kept.parse::<i32>().ok()? * scale, SignedDuration::from_nanos(i64::from(scale))))
    }

    fn zone(&mut self) -> Option<Offset> {
        let spaces = self.rest.bytes().take_while(|byte| *byte == b' ').count();
        let after = self.rest.get(spaces..)?;
        let name = ["UTC", "GMT", "Z"].into_iter().find(|name| {
            let next = after.strip_prefix(name);
            next.is_some_and(|next| !next.bytes().next().is_some_and(|b| b.is_ascii_alphanumeric()))
        });
        if let Some(name) = name {
            self.advance(spaces + name.len())?;
            return Some(Offset::UTC);
        }
        let sign = match after.bytes().next()? {
            b'+' => 1,
            b'-' => -1,
            _ => return None,
        };
        let rest = after.get(1..)?;
        let count = rest.bytes().take_while(u8::is_ascii_digit).count();
        let (hours, minutes, mut length) = match count {
            2 if rest.as_bytes().get(2) == Some(&b':') => (rest.get(..2)?, rest.get(3..5)?, 5),
            2 => (rest.get(..2)?, "00", 2),
            4 => (rest.get(..2)?, rest.get(2..4)?, 4),
            _ => return None,
        };
        length += spaces + 1;
        let seconds = hours.parse::<i32>().ok()? * 3_600 + minutes.parse::<i32>().ok()? * 60;
        self.advance(length)?;
        // Go writes `+0000 UTC`.
        let _ = self.skip(" UTC");
        Offset::from_seconds(sign * seconds).ok()
    }

    /// A time behind a date, if there is one.
    fn completed(&mut self, date: Option<Date>, has_year: bool) -> Option<Moment> {
        let date = Some(date?);
        let kept = Cursor { rest: self.rest, length: self.length };
        let separated = self.skip_any(&["T", " at ", ", ", "  ", " ", ":"]).is_some();
        let time = if separated { self.time() } else { None };
        if let Some((time, step, offset)) = time {
            Some(Moment { date, has_year, time: Some(time), step, offset })
        } else {
            *self = kept;
            Some(Moment {
                date,
                has_year,
                time: None,
                step: SignedDuration::from_hours(24),
                offset: None,
            })
        }
    }
}

fn date(year: i32, month: i32, day: i32) -> Option<Date> {
    Date::new(i16::try_from(year).ok()?, i8::try_from(month).ok()?, i8::try_from(day).ok()?).ok()
}

/// The year that stands in for one that is not written; a leap year.
const ANY_YEAR: i32 = 2000;

/// `2026-11-23T14:03:12Z`, `2026-11-23 14:03:12,123`, `2026-11-23`.
fn iso(cursor: &mut Cursor<'_>) -> Option<Moment> {
    let year = cursor.number(4..=4)?;
    cursor.skip("-")?;
    let month = cursor.number(2..=2)?;
    cursor.skip("-")?;
    let day = cursor.number(2..=2)?;
    cursor.completed(date(year, month, day), true)
}

/// `2026/11/23 14:03:12`, `23/Nov/2026:14:03:12 +0000`.
fn slashed(cursor: &mut Cursor<'_>) -> Option<Moment> {
    let first = cursor.number(2..=4)?;
    cursor.skip("/")?;
    if let Some(month) = cursor.month() {
        cursor.skip("/")?;
        let year = cursor.number(4..=4)?;
        return cursor.completed(date(year, month, first), true);
    }
    let month = cursor.number(2..=2)?;
    cursor.skip("/")?;
    let day = cursor.number(2..=2)?;
    cursor.completed(date(first, month, day), true)
}

/// `23 Nov 2026 14:03:12`, `23 November`.
fn day_first(cursor: &mut Cursor<'_>) -> Option<Moment> {
    let day = cursor.number(1..=2)?;
    cursor.skip_any(&[" ", "-"])?;
    let month = cursor.month()?;
    let year = cursor.skip_any(&[" ", "-"]).and_then(|()| cursor.number(4..=4));
    if year.is_none() && !cursor.rest.is_empty() {
        return cursor.completed(date(ANY_YEAR, month, day), false);
    }
    cursor.completed(date(year.unwrap_or(ANY_YEAR), month, day), year.is_some())
}

fn time_only(cursor: &mut Cursor<'_>) -> Option<Moment> {
    let (time, step, offset) = cursor.time()?;
    let meaningless = cursor.rest.starts_with(':') || cursor.rest.starts_with('.');
    let sentence_ends =
        !cursor.rest.as_bytes().get(1).copied().is_some_and(|byte| byte.is_ascii_alphanumeric());
    if meaningless && !sentence_ends {
        return None;
    }
    Some(Moment { date: None, has_year: false, time: Some(time), step, offset })
}

/// `Nov 23 14:03:12`, `Nov 23 14:03:12 2026 GMT`, `Mon Nov 23 14:03:12 UTC 2026`, `Mon, 23 Nov 2026 14:03:12 +0000`.
fn month_first(cursor: &mut Cursor<'_>) -> Option<Moment> {
    const DAYS: &[&str] = &["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
    if DAYS.iter().any(|day| cursor.rest.starts_with(day)) {
        cursor.advance(3)?;
        cursor.skip_any(&[", ", " "])?;
        if cursor.rest.bytes().next()?.is_ascii_digit() {
            return iso(&mut Cursor { rest: cursor.rest, length: 0 })
                .and_then(|_| iso(cursor))
                .or_else(|| day_first(cursor));
        }
    }
    let month = cursor.month()?;
    if cursor.skip_any(&["  ", " "]).is_none() {
        // ps writes `Oct12`.
        let date = Some(date(ANY_YEAR, month, cursor.number(2..=2)?)?);
        let step = SignedDuration::from_hours(24);
        return Some(Moment { date, has_year: false, time: None, step, offset: None });
    }
    let day = cursor.number(1..=2)?;
    let behind = Cursor { rest: cursor.rest, length: cursor.length };
    let early = cursor.skip_any(&[", ", " "]).and_then(|()| cursor.number(4..=4));
    if let Some(year) = early {
        return cursor.completed(date(year, month, day), true);
    }
    let Some((time, step, mut offset)) = cursor.time() else {
        *cursor = behind;
        return cursor.completed(date(ANY_YEAR, month, day), false);
    };
    let late = trailing_year(cursor);
    offset = offset.or_else(|| cursor.zone());
    let date = Some(date(late.unwrap_or(ANY_YEAR), month, day)?);
    Some(Moment { date, has_year: late.is_some(), time: Some(time), step, offset })
}

fn trailing_year(cursor: &mut Cursor<'_>) -> Option<i32> {
    let mut ahead = Cursor { rest: cursor.rest, length: cursor.length };
    ahead.skip(" ")?;
    let year = ahead.number(4..=4).filter(|year| (1970..=2100).contains(year))?;
    *cursor = ahead;
    Some(year)
}

/// `I1123 14:03:12.123456`: month and day behind the level, as Kubernetes components log.
fn klog(cursor: &mut Cursor<'_>) -> Option<Moment> {
    cursor.skip_any(&["I", "W", "E", "F"])?;
    let digits = cursor.number(4..=4)?;
    cursor.skip(" ")?;
    let (time, step, offset) = cursor.time()?;
    let date = Some(date(ANY_YEAR, digits / 100, digits % 100)?);
    Some(Moment { date, has_year: false, time: Some(time), step, offset })
}
