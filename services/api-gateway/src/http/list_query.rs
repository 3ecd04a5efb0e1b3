//! Reads what a list of sessions is asked for; everything that is wrong is told at once.

use std::str::FromStr;

use jiff::Timestamp;
use serde::Deserialize;
use tarsy_domain::id::SessionId;
use tarsy_store::{FailedTool, REACHABLE_SESSIONS, SessionQuery, SortBy};
use tarsy_web::{FieldError, Problem};
use utoipa::IntoParams;

use crate::http::query_text::{date, given, quoted};

const STATUSES: &str = "pending, in_progress, cancelling, completed, failed, timed_out, cancelled";
const REVIEWS: &str = "accurate, partly, wrong";
const ORIGINS: &str = "alert, replay, recording";
const TRIAGE: &str = "new, taken, done";
const SORTS: &str = "created_at, status, alert_type, author, duration, score";
const MAX_PAGE_SIZE: i64 = 100;
const MIN_SEARCH: usize = 3;
const MAX_SEARCH: usize = 200;

/// Which sessions, and in which order.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct ListQuery {
    /// The page, from 1. Pages reach the first 10,000 sessions of a list.
    #[param(value_type = Option<i64>, example = 1)]
    page: Option<String>,
    /// Items on a page, 1 to 100; 25 without it.
    #[param(value_type = Option<i64>, example = 25)]
    page_size: Option<String>,
    /// `created_at`, `status`, `alert_type`, `author`, `duration` or `score`; sessions without a score are left out of the last.
    sort_by: Option<String>,
    /// `asc` or `desc`; `desc` without it.
    sort_order: Option<String>,
    /// One or more states, separated by commas.
    status: Option<String>,
    /// Only this alert type.
    alert_type: Option<String>,
    /// Only this chain.
    chain_id: Option<String>,
    /// Only alerts with this fingerprint.
    fingerprint: Option<String>,
    /// `true` for sessions that somebody reviewed, `false` for the others.
    #[param(value_type = Option<bool>)]
    reviewed: Option<String>,
    /// One or more of `accurate`, `partly` and `wrong`, separated by commas.
    review: Option<String>,
    /// Only sessions with this score or a better one, 0 to 100.
    #[param(value_type = Option<u8>, minimum = 0, maximum = 100, example = 80)]
    score_min: Option<String>,
    /// `true` for sessions whose findings need a second look, `false` for the others.
    #[param(value_type = Option<bool>)]
    degraded: Option<String>,
    /// One or more of `alert`, `replay` and `recording`, separated by commas.
    origin: Option<String>,
    /// Only replays of this session.
    #[param(value_type = Option<uuid::Uuid>)]
    replay_of: Option<String>,
    /// Only what this user or token submitted.
    author: Option<String>,
    /// One or more of `new`, `taken` and `done`, the states of work, separated by commas.
    triage: Option<String>,
    /// Only what this person has taken or done.
    assignee: Option<String>,
    /// `true` for what the sender of the request has taken or done.
    #[param(value_type = Option<bool>)]
    mine: Option<String>,
    /// Only alerts of this severity.
    severity: Option<String>,
    /// Only alerts about this service.
    service: Option<String>,
    /// Only sessions with a failed call of this tool server.
    failed_server: Option<String>,
    /// With `failed_server`: only failed calls of this tool of it.
    failed_tool: Option<String>,
    /// Words that all occur, at least 3 characters; the last one may be the beginning of a word.
    search: Option<String>,
    /// Submitted then or later: RFC 3339, or a day.
    start_date: Option<String>,
    /// Submitted then or earlier: RFC 3339, or a day.
    end_date: Option<String>,
}

impl ListQuery {
    /// The query of a reader of this name, or all that is wrong with it.
    pub(super) fn read(&self, reader: &str) -> Result<SessionQuery, Problem> {
        let mut errors = Vec::new();
        let mut wrong = |field: &str, message: String| errors.push(FieldError::new(field, message));
        let mut number = |field: &str, text: Option<&String>, default: i64, most: i64| {
            let Some(text) = given(text) else { return default };
            match text.parse() {
                Ok(number) if (1..=most).contains(&number) => number,
                _ => {
                    wrong(field, format!("is {}; write a number from 1 to {most}", quoted(text)));
                    default
                }
            }
        };
        let page = number("page", self.page.as_ref(), 1, REACHABLE_SESSIONS);
        let page_size = number("page_size", self.page_size.as_ref(), 25, MAX_PAGE_SIZE);
        reachable(page, page_size, &mut wrong);
        let sort_by = sort(given(self.sort_by.as_ref()), &mut wrong);
        let descending = descends(given(self.sort_order.as_ref()), &mut wrong);
        let statuses = words("status", given(self.status.as_ref()), STATUSES, &mut wrong);
        let reviewed = flag("reviewed", given(self.reviewed.as_ref()), &mut wrong);
        let reviews = words("review", given(self.review.as_ref()), REVIEWS, &mut wrong);
        let min_score = least_score(given(self.score_min.as_ref()), &mut wrong);
        let degraded = flag("degraded", given(self.degraded.as_ref()), &mut wrong);
        let origins = words("origin", given(self.origin.as_ref()), ORIGINS, &mut wrong);
        let triage = words("triage", given(self.triage.as_ref()), TRIAGE, &mut wrong);
        let assignee = self.assignee(reader, &mut wrong);
        let replay_of = session("replay_of", given(self.replay_of.as_ref()), &mut wrong);
        let failed_tool = self.failed_tool(&mut wrong);
        let search = search(given(self.search.as_ref()), &mut wrong);
        let (start_date, end_date) = self.dates(&mut wrong);
        if !errors.is_empty() {
            return Err(Problem::invalid(errors));
        }
        Ok(SessionQuery {
            page,
            page_size,
            sort_by,
            descending,
            statuses,
            alert_type: given(self.alert_type.as_ref()).map(str::to_owned),
            chain_id: given(self.chain_id.as_ref()).map(str::to_owned),
            fingerprint: given(self.fingerprint.as_ref()).map(str::to_owned),
            reviewed,
            reviews,
            min_score,
            degraded,
            origins,
            replay_of,
            author: given(self.author.as_ref()).map(str::to_owned),
            triage,
            assignee,
            severity: given(self.severity.as_ref()).map(str::to_lowercase),
            service: given(self.service.as_ref()).map(str::to_owned),
            failed_tool,
            search,
            start_date,
            end_date,
        })
    }

    fn dates(
        &self,
        wrong: &mut impl FnMut(&str, String),
    ) -> (Option<Timestamp>, Option<Timestamp>) {
        let start = date("start_date", given(self.start_date.as_ref()), false, wrong);
        let end = date("end_date", given(self.end_date.as_ref()), true, wrong);
        if let (Some(start), Some(end)) = (start, end)
            && start > end
        {
            wrong("end_date", "is before start_date; swap them".to_owned());
        }
        (start, end)
    }

    fn assignee(&self, reader: &str, wrong: &mut impl FnMut(&str, String)) -> Option<String> {
        let assignee = given(self.assignee.as_ref()).map(str::to_owned);
        if flag("mine", given(self.mine.as_ref()), wrong) != Some(true) {
            return assignee;
        }
        if assignee.is_some() {
            wrong("assignee", "is given beside mine; leave one of them out".to_owned());
        }
        Some(reader.to_owned())
    }

    fn failed_tool(&self, wrong: &mut impl FnMut(&str, String)) -> Option<FailedTool> {
        let tool = given(self.failed_tool.as_ref()).map(str::to_owned);
        let server = given(self.failed_server.as_ref());
        if tool.is_some() && server.is_none() {
            wrong("failed_server", "is missing; failed_tool is a tool of it".to_owned());
        }
        Some(FailedTool { server: server?.to_owned(), tool })
    }
}

/// What a page skips is read, too, so pages end.
fn reachable(page: i64, page_size: i64, wrong: &mut impl FnMut(&str, String)) {
    if page.saturating_mul(page_size) > REACHABLE_SESSIONS {
        let last = REACHABLE_SESSIONS / page_size;
        let message = format!(
            "is {page}; the last page of {page_size} is {last}: set start_date or end_date, or turn sort_order round"
        );
        wrong("page", message);
    }
}

fn descends(order: Option<&str>, wrong: &mut impl FnMut(&str, String)) -> bool {
    match order {
        None | Some("desc") => true,
        Some("asc") => false,
        Some(other) => {
            wrong("sort_order", format!("is {}; write asc or desc", quoted(other)));
            true
        }
    }
}

fn sort(text: Option<&str>, wrong: &mut impl FnMut(&str, String)) -> SortBy {
    match text {
        None | Some("created_at") => SortBy::CreatedAt,
        Some("status") => SortBy::Status,
        Some("alert_type") => SortBy::AlertType,
        Some("author") => SortBy::Author,
        Some("duration") => SortBy::Duration,
        Some("score") => SortBy::Score,
        Some(other) => {
            wrong("sort_by", format!("is {}; write one of {SORTS}", quoted(other)));
            SortBy::CreatedAt
        }
    }
}

fn least_score(text: Option<&str>, wrong: &mut impl FnMut(&str, String)) -> Option<u8> {
    let text = text?;
    let least = text.parse().ok().filter(|number| *number <= 100);
    if least.is_none() {
        wrong("score_min", format!("is {}; write a number from 0 to 100", quoted(text)));
    }
    least
}

/// Words that are separated by commas, each once.
fn words<T: FromStr + PartialEq>(
    field: &str,
    text: Option<&str>,
    known: &str,
    wrong: &mut impl FnMut(&str, String),
) -> Vec<T> {
    let mut found = Vec::new();
    let words = text.unwrap_or_default().split(',').map(str::trim);
    for word in words.filter(|word| !word.is_empty()) {
        match word.parse::<T>() {
            Ok(one) if found.contains(&one) => {}
            Ok(one) => found.push(one),
            Err(_) => wrong(field, format!("has {}; write some of {known}", quoted(word))),
        }
    }
    found
}

fn session(
    field: &str,
    text: Option<&str>,
    wrong: &mut impl FnMut(&str, String),
) -> Option<SessionId> {
    let text = text?;
    let id = text.parse().ok();
    if id.is_none() {
        wrong(field, format!("is {}; write the id of a session", quoted(text)));
    }
    id
}

fn flag(field: &str, text: Option<&str>, wrong: &mut impl FnMut(&str, String)) -> Option<bool> {
    match text? {
        "true" => Some(true),
        "false" => Some(false),
        other => {
            wrong(field, format!("is {}; write true or false", quoted(other)));
            None
        }
    }
}

fn search(text: Option<&str>, wrong: &mut impl FnMut(&str, String)) -> Option<String> {
    let text = text?;
    let length = text.chars().count();
    if !(MIN_SEARCH..=MAX_SEARCH).contains(&length) {
        let message =
            format!("has {length} characters; write {MIN_SEARCH} to {MAX_SEARCH} characters");
        wrong("search", message);
        return None;
    }
    Some(text.to_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tarsy_domain::review::Review;
    use tarsy_domain::status::{SessionOrigin, SessionStatus};
    use tarsy_domain::triage::Triage;

    use super::*;

    fn of(pairs: &[(&str, &str)]) -> ListQuery {
        let pairs = pairs.iter().map(|&(name, value)| (name, json!(value)));
        serde_json::from_value(pairs.collect()).unwrap()
    }

    #[test]
    fn nothing_asked_for_is_the_first_page_of_all() {
        assert_eq!(ListQuery::default().read("ann").unwrap(), SessionQuery::default());
    }

    #[test]
    fn everything_asked_for_is_read() {
        let query = of(&[
            ("page", "2"),
            ("page_size", "100"),
            ("sort_by", "duration"),
            ("sort_order", "asc"),
            ("status", "failed, timed_out,failed"),
            ("alert_type", "host"),
            ("chain_id", ""),
            ("fingerprint", "abc"),
            ("reviewed", "true"),
            ("review", "wrong,partly"),
            ("score_min", "60"),
            ("degraded", "false"),
            ("origin", "replay"),
            ("triage", "taken,done"),
            ("mine", "true"),
            ("severity", "Critical"),
            ("failed_server", "kubernetes"),
            ("failed_tool", "pods_list"),
            ("search", "disk"),
            ("start_date", "2026-01-31"),
            ("end_date", "2026-01-31"),
        ]);
        let read = query.read("ann").unwrap();
        assert_eq!((read.page, read.page_size, read.descending), (2, 100, false));
        assert_eq!(read.sort_by, SortBy::Duration);
        assert_eq!(read.statuses, [SessionStatus::Failed, SessionStatus::TimedOut]);
        assert_eq!((read.chain_id, read.fingerprint.as_deref()), (None, Some("abc")));
        assert_eq!(
            (read.reviewed, &read.reviews[..]),
            (Some(true), &[Review::Wrong, Review::Partly][..])
        );
        assert_eq!((read.degraded, &read.origins[..]), (Some(false), &[SessionOrigin::Replay][..]));
        assert_eq!(read.min_score, Some(60));
        assert_eq!(read.triage, [Triage::Taken, Triage::Done]);
        assert_eq!(read.assignee.as_deref(), Some("ann"));
        assert_eq!(read.severity.as_deref(), Some("critical"));
        let failed =
            FailedTool { server: "kubernetes".to_owned(), tool: Some("pods_list".to_owned()) };
        assert_eq!(read.failed_tool, Some(failed));
        let (start, end) = (read.start_date.unwrap(), read.end_date.unwrap());
        assert_eq!(start.to_string(), "2026-01-31T00:00:00Z");
        assert_eq!(end.to_string(), "2026-01-31T23:59:59.999999Z");
    }

    #[test]
    fn every_error_is_reported_at_once() {
        let query = of(&[
            ("page", "0"),
            ("page_size", "101"),
            ("sort_by", "colour"),
            ("sort_order", "down"),
            ("status", "done"),
            ("reviewed", "yes"),
            ("review", "right"),
            ("score_min", "101"),
            ("degraded", "no"),
            ("origin", "slack"),
            ("triage", "open"),
            ("mine", "true"),
            ("assignee", "bob"),
            ("replay_of", "7"),
            ("failed_tool", "pods_list"),
            ("search", "ab"),
            ("start_date", "yesterday"),
        ]);
        let problem = query.read("ann").unwrap_err();
        let fields: Vec<&str> = problem.errors().iter().map(|error| error.field.as_str()).collect();
        let expected = [
            "page",
            "page_size",
            "sort_by",
            "sort_order",
            "status",
            "reviewed",
            "review",
            "score_min",
            "degraded",
            "origin",
            "triage",
            "assignee",
            "replay_of",
            "failed_server",
            "search",
            "start_date",
        ];
        assert_eq!(fields, expected);
    }

    #[test]
    fn pages_reach_the_first_sessions_alone() {
        for (page, size, is_reached) in
            [("400", "25", true), ("401", "25", false), ("100", "100", true), ("101", "100", false)]
        {
            let read = of(&[("page", page), ("page_size", size)]).read("ann");
            let fields = read.as_ref().err().map(|problem| problem.errors()[0].field.as_str());
            assert_eq!(fields, (!is_reached).then_some("page"), "{page} of {size}");
        }
    }

    #[test]
    fn a_time_with_an_offset_survives_a_careless_client() {
        let query = of(&[("start_date", "2026-01-31T08:00:00 01:00")]);
        assert_eq!(
            query.read("ann").unwrap().start_date.unwrap().to_string(),
            "2026-01-31T07:00:00Z"
        );
    }
}
