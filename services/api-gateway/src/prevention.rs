//! Weeks, and what of their rows is one: pods of a workload have one cause, errors of a kind have one name.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use jiff::civil::{Date, ISOWeekDate, Weekday};
use jiff::tz::Offset;
use jiff::{SignedDuration, Timestamp};
use tarsy_analyst::owner_name;
use tarsy_contracts::prevention::{Prevention, RecurringCause, UnreliableTool};
use tarsy_store::{CauseRow, PreventionPeriod, PreventionRows, ToolRow};

const WEEK: SignedDuration = SignedDuration::from_hours(7 * 24);
const HOUR: i64 = 3_600;
/// Nothing of TARSy is older.
const FIRST_YEAR: i16 = 2_000;
/// Causes of one answer.
const MAX_CAUSES: usize = 20;
/// Characters of an error that are shown.
const MAX_ERROR: usize = 200;
/// What a cause is in whose pods have names of their own.
const WORKLOAD: &str = "workload";

/// A week by ISO 8601, in UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Week(ISOWeekDate);

impl Week {
    /// Reads `2026-W48`; otherwise says what to write. A week that has not begun has nothing.
    pub(crate) fn parse(text: &str, now: Timestamp) -> Result<Self, &'static str> {
        const FORM: &str = "write a week by ISO 8601, such as 2026-W48";
        let (year, week) = text.split_once("-W").ok_or(FORM)?;
        let is_number = |text: &str, digits| {
            text.len() == digits && text.bytes().all(|byte| byte.is_ascii_digit())
        };
        if !is_number(year, 4) || !is_number(week, 2) {
            return Err(FORM);
        }
        let year: i16 = year.parse().map_err(|_| FORM)?;
        let week: i8 = week.parse().map_err(|_| FORM)?;
        if year < FIRST_YEAR {
            return Err("write a week from 2000-W01 on");
        }
        let monday = ISOWeekDate::new(year, week, Weekday::Monday).map_err(|_| FORM)?;
        let week = Self(monday);
        if week.begin() > now {
            return Err("the week has not begun; write an earlier one");
        }
        Ok(week)
    }

    pub(crate) fn of(time: Timestamp) -> Self {
        Self::of_day(Offset::UTC.to_datetime(time).date())
    }

    fn of_day(day: Date) -> Self {
        let date = day.iso_week_date();
        let monday = ISOWeekDate::new(date.year(), date.week(), Weekday::Monday);
        Self(monday.unwrap_or(date))
    }

    fn begin(self) -> Timestamp {
        let midnight = self.0.date().at(0, 0, 0, 0);
        Offset::UTC.to_timestamp(midnight).unwrap_or(Timestamp::UNIX_EPOCH)
    }

    /// `2026-W48`.
    pub(crate) fn name(self) -> String {
        format!("{:04}-W{:02}", self.0.year(), self.0.week())
    }
}

fn later(time: Timestamp, by: SignedDuration) -> Timestamp {
    time.checked_add(by).unwrap_or(time)
}

/// The hours of a week, or of the last seven days, and of the week before.
pub(crate) fn period(week: Option<Week>, now: Timestamp) -> PreventionPeriod {
    let last_hour = || (now.as_second().div_euclid(HOUR) + 1) * HOUR;
    let from = week.map_or_else(
        || later(Timestamp::from_second(last_hour()).unwrap_or(now), -WEEK),
        Week::begin,
    );
    PreventionPeriod { before: later(from, -WEEK), from, to: later(from, WEEK) }
}

/// The answer.
pub(crate) fn compose(
    week: Option<Week>,
    now: Timestamp,
    period: PreventionPeriod,
    rows: PreventionRows,
) -> Prevention {
    let before = Week::of(later(week.map_or(now, Week::begin), -WEEK));
    let next = week.map(|week| Week::of(later(week.begin(), WEEK)));
    Prevention {
        week: week.map(Week::name),
        previous_week: before.name(),
        next_week: next.filter(|next| next.begin() <= now).map(Week::name),
        from: period.from,
        to: period.to,
        sessions: rows.totals.now,
        sessions_before: rows.totals.before,
        is_cut: rows.totals.is_cut,
        causes: recurring(rows.causes),
        alerts: rows.alerts,
        tools: rows.tools.into_iter().map(tool).collect(),
        sources: rows.sources,
    }
}

/// Causes of at least two sessions, one of them of this week; those of the pods of one workload are one.
fn recurring(rows: Vec<CauseRow>) -> Vec<RecurringCause> {
    let mut causes: BTreeMap<_, RecurringCause> = BTreeMap::new();
    for row in rows {
        let owner = owner_name(&row.object).to_owned();
        let key = (row.category.clone(), owner.to_lowercase(), row.namespace.clone());
        let is_whole = owner == row.object;
        let new = RecurringCause {
            category: row.category,
            object_kind: if is_whole { row.object_kind } else { WORKLOAD.to_owned() },
            object: owner,
            namespace: row.namespace,
            cause: row.cause,
            sessions: row.now,
            sessions_before: row.before,
            reviewed: row.reviewed,
            actions: row.actions,
            actions_worked: row.actions_worked,
            last_at: row.last_at,
            last_session_id: row.last_session_id,
        };
        match causes.remove(&key) {
            None => causes.insert(key, new),
            Some(known) => causes.insert(key, joined(known, new)),
        };
    }
    let mut causes: Vec<_> = causes.into_values().collect();
    causes.retain(|cause| cause.sessions > 0 && cause.sessions + cause.sessions_before > 1);
    causes.sort_by_key(|one| Reverse((one.sessions, one.sessions_before, one.last_at)));
    causes.truncate(MAX_CAUSES);
    causes
}

/// Both together, in the words of the newer one.
fn joined(one: RecurringCause, other: RecurringCause) -> RecurringCause {
    let (older, newer) = if one.last_at > other.last_at { (other, one) } else { (one, other) };
    let object_kind = if older.object_kind == newer.object_kind {
        newer.object_kind
    } else {
        WORKLOAD.to_owned()
    };
    RecurringCause {
        object_kind,
        sessions: older.sessions + newer.sessions,
        sessions_before: older.sessions_before + newer.sessions_before,
        reviewed: older.reviewed + newer.reviewed,
        actions: older.actions + newer.actions,
        actions_worked: older.actions_worked + newer.actions_worked,
        ..newer
    }
}

fn tool(row: ToolRow) -> UnreliableTool {
    let last = row.last.as_ref();
    UnreliableTool {
        last_error_kind: last.map(|last| error_kind(&last.message).to_owned()),
        last_error: last.map(|last| last.message.chars().take(MAX_ERROR).collect()),
        last_session_id: last.map(|last| last.session_id),
        server: row.server,
        tool: row.tool,
        calls: row.calls,
        failed: row.failed,
        calls_before: row.calls_before,
        failed_before: row.failed_before,
    }
}

/// What kind of error a message is, by the words that servers use.
fn error_kind(message: &str) -> &'static str {
    const KINDS: [(&str, &[&str]); 7] = [
        ("timeout", &["timed out", "timeout", "deadline", "took too long"]),
        (
            "unreachable",
            &[
                "connection refused",
                "connection reset",
                "unreachable",
                "no such host",
                "not connected",
                "unavailable",
                "broken pipe",
                "502",
                "503",
            ],
        ),
        ("rate_limit", &["rate limit", "too many requests", "429", "quota"]),
        (
            "denied",
            &[
                "unauthorized",
                "forbidden",
                "permission",
                "denied",
                "401",
                "403",
                "not allowed",
                "refused by",
            ],
        ),
        ("not_found", &["not found", "no such", "does not exist", "404", "unknown tool"]),
        (
            "arguments",
            &["invalid", "missing", "argument", "parameter", "schema", "parse", "400", "422"],
        ),
        ("server", &["internal error", "internal server", "500", "panic", "exception"]),
    ];
    let message = message.to_lowercase();
    let found = KINDS.iter().find(|(_, words)| words.iter().any(|word| message.contains(word)));
    found.map_or("other", |(kind, _)| kind)
}

#[cfg(test)]
mod tests {
    use tarsy_domain::id::SessionId;

    use super::*;

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    fn row(object: &str, now: i64, before: i64, last_at: &str) -> CauseRow {
        CauseRow {
            category: "out_of_memory".to_owned(),
            object_kind: "Pod".to_owned(),
            object: object.to_owned(),
            namespace: Some("shop".to_owned()),
            cause: format!("{object} is over its limit"),
            now,
            before,
            reviewed: 1,
            actions: 1,
            actions_worked: now,
            last_at: at(last_at),
            last_session_id: SessionId::new(),
        }
    }

    #[test]
    fn a_week_is_read_by_its_number() {
        let now = at("2026-11-30T10:30:00Z");
        let week = Week::parse("2026-W48", now).unwrap();
        let of = period(Some(week), now);
        assert_eq!((of.from, of.to), (at("2026-11-23T00:00:00Z"), at("2026-11-30T00:00:00Z")));
        assert_eq!(of.before, at("2026-11-16T00:00:00Z"));
        assert_eq!(week.name(), "2026-W48");
        assert!(Week::parse("2026-W49", now).is_ok(), "it has begun");
        for (text, message) in [
            ("2026-W50", "has not begun"),
            ("1999-W01", "2000-W01"),
            ("2026-W54", "ISO 8601"),
            ("2026-48", "ISO 8601"),
            ("2026-W4", "ISO 8601"),
            ("2026-W+1", "ISO 8601"),
            ("", "ISO 8601"),
        ] {
            let wrong = Week::parse(text, now).unwrap_err();
            assert!(wrong.contains(message), "{text}: {wrong}");
        }
    }

    #[test]
    fn the_last_seven_days_end_with_this_hour() {
        let now = at("2026-11-30T10:30:00Z");
        let of = period(None, now);
        assert_eq!((of.from, of.to), (at("2026-11-23T11:00:00Z"), at("2026-11-30T11:00:00Z")));
        let empty = PreventionRows {
            totals: tarsy_store::SessionTotals { now: 0, before: 0, is_cut: false },
            causes: Vec::new(),
            alerts: Vec::new(),
            tools: Vec::new(),
            sources: Vec::new(),
        };
        let answer = compose(None, now, of, empty.clone());
        assert_eq!((answer.week, answer.next_week), (None, None));
        assert_eq!(answer.previous_week, "2026-W48");
        let week = Week::parse("2026-W48", now).ok();
        let answer = compose(week, now, period(week, now), empty);
        assert_eq!(answer.next_week.as_deref(), Some("2026-W49"));
        // The year before had 53 weeks.
        let first = Week::parse("2027-W01", at("2027-01-05T00:00:00Z")).unwrap();
        assert_eq!(Week::of(later(first.begin(), -WEEK)).name(), "2026-W53");
    }

    #[test]
    fn pods_of_a_workload_have_one_cause() {
        let rows = vec![
            row("cart-7d4b9c6f5d-x2x8p", 1, 0, "2026-11-24T10:00:00Z"),
            row("cart-7d4b9c6f5d-aaaaa", 2, 1, "2026-11-25T10:00:00Z"),
            row("db-7", 1, 0, "2026-11-25T10:00:00Z"),
            row("node-1.example", 0, 5, "2026-11-20T10:00:00Z"),
            row("queue", 1, 1, "2026-11-26T10:00:00Z"),
        ];
        let found = recurring(rows);
        let brief: Vec<_> = found
            .iter()
            .map(|one| {
                (one.object.as_str(), one.object_kind.as_str(), one.sessions, one.sessions_before)
            })
            .collect();
        assert_eq!(brief, [("cart", WORKLOAD, 3, 1), ("queue", "Pod", 1, 1)]);
        assert_eq!(found[0].cause, "cart-7d4b9c6f5d-aaaaa is over its limit");
        assert_eq!((found[0].reviewed, found[0].actions, found[0].actions_worked), (2, 2, 3));
    }

    #[test]
    fn an_error_has_a_kind() {
        for (message, kind) in [
            ("the call timed out after 30 s", "timeout"),
            ("dial tcp: connection refused", "unreachable"),
            ("HTTP 429 Too Many Requests", "rate_limit"),
            ("pods is forbidden: User cannot list", "denied"),
            ("pods \"web\" not found", "not_found"),
            ("missing property `query`", "arguments"),
            ("Internal error", "server"),
            ("", "other"),
        ] {
            assert_eq!(error_kind(message), kind, "{message}");
        }
    }
}
