//! Reads what a list of sessions is asked for; everything that is wrong is told at once.

use serde::Deserialize;
use tarsy_domain::review::Review;
use tarsy_domain::status::SessionStatus;
use tarsy_store::{SessionQuery, SortBy};
use tarsy_web::{FieldError, Problem};
use utoipa::IntoParams;

use crate::http::query_text::{date, given, quoted};

const STATUSES: &str = "pending, in_progress, cancelling, completed, failed, timed_out, cancelled";
const SORTS: &str = "created_at, status, alert_type, author, duration";
const MAX_PAGE_SIZE: i64 = 100;
const MAX_PAGE: i64 = 1_000_000;
const MIN_SEARCH: usize = 3;
const MAX_SEARCH: usize = 200;

/// Which sessions, and in which order.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct ListQuery {
    /// The page, from 1.
    #[param(value_type = Option<i64>, example = 1)]
    page: Option<String>,
    /// Items on a page, 1 to 100; 25 without it.
    #[param(value_type = Option<i64>, example = 25)]
    page_size: Option<String>,
    /// `created_at`, `status`, `alert_type`, `author` or `duration`.
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
    /// Words, or beginnings of words, that all occur; at least 3 characters.
    search: Option<String>,
    /// Submitted then or later: RFC 3339, or a day.
    start_date: Option<String>,
    /// Submitted then or earlier: RFC 3339, or a day.
    end_date: Option<String>,
}

impl ListQuery {
    /// The query, or all that is wrong with it.
    pub(super) fn read(&self) -> Result<SessionQuery, Problem> {
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
        let page = number("page", self.page.as_ref(), 1, MAX_PAGE);
        let page_size = number("page_size", self.page_size.as_ref(), 25, MAX_PAGE_SIZE);
        let sort_by = sort(given(self.sort_by.as_ref()), &mut wrong);
        let descending = match given(self.sort_order.as_ref()) {
            None | Some("desc") => true,
            Some("asc") => false,
            Some(other) => {
                wrong("sort_order", format!("is {}; write asc or desc", quoted(other)));
                true
            }
        };
        let statuses = statuses(given(self.status.as_ref()), &mut wrong);
        let reviewed = flag("reviewed", given(self.reviewed.as_ref()), &mut wrong);
        let reviews = reviews(given(self.review.as_ref()), &mut wrong);
        let search = search(given(self.search.as_ref()), &mut wrong);
        let start = date("start_date", given(self.start_date.as_ref()), false, &mut wrong);
        let end = date("end_date", given(self.end_date.as_ref()), true, &mut wrong);
        if let (Some(start), Some(end)) = (start, end)
            && start > end
        {
            wrong("end_date", "is before start_date; swap them".to_owned());
        }
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
            search,
            start_date: start,
            end_date: end,
        })
    }
}

fn sort(text: Option<&str>, wrong: &mut impl FnMut(&str, String)) -> SortBy {
    match text {
        None | Some("created_at") => SortBy::CreatedAt,
        Some("status") => SortBy::Status,
        Some("alert_type") => SortBy::AlertType,
        Some("author") => SortBy::Author,
        Some("duration") => SortBy::Duration,
        Some(other) => {
            wrong("sort_by", format!("is {}; write one of {SORTS}", quoted(other)));
            SortBy::CreatedAt
        }
    }
}

fn statuses(text: Option<&str>, wrong: &mut impl FnMut(&str, String)) -> Vec<SessionStatus> {
    let mut statuses = Vec::new();
    let words = text.unwrap_or_default().split(',').map(str::trim);
    for word in words.filter(|word| !word.is_empty()) {
        match word.parse::<SessionStatus>() {
            Ok(status) if statuses.contains(&status) => {}
            Ok(status) => statuses.push(status),
            Err(_) => {
                wrong("status", format!("has {}; write some of {STATUSES}", quoted(word)));
            }
        }
    }
    statuses
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

fn reviews(text: Option<&str>, wrong: &mut impl FnMut(&str, String)) -> Vec<Review> {
    let mut reviews = Vec::new();
    let words = text.unwrap_or_default().split(',').map(str::trim);
    for word in words.filter(|word| !word.is_empty()) {
        match word.parse::<Review>() {
            Ok(review) if reviews.contains(&review) => {}
            Ok(review) => reviews.push(review),
            Err(_) => {
                let message =
                    format!("has {}; write some of accurate, partly, wrong", quoted(word));
                wrong("review", message);
            }
        }
    }
    reviews
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

    use super::*;

    fn of(pairs: &[(&str, &str)]) -> ListQuery {
        let pairs = pairs.iter().map(|&(name, value)| (name, json!(value)));
        serde_json::from_value(pairs.collect()).unwrap()
    }

    #[test]
    fn nothing_asked_for_is_the_first_page_of_all() {
        assert_eq!(ListQuery::default().read().unwrap(), SessionQuery::default());
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
            ("search", "disk"),
            ("start_date", "2026-01-31"),
            ("end_date", "2026-01-31"),
        ]);
        let read = query.read().unwrap();
        assert_eq!((read.page, read.page_size, read.descending), (2, 100, false));
        assert_eq!(read.sort_by, SortBy::Duration);
        assert_eq!(read.statuses, [SessionStatus::Failed, SessionStatus::TimedOut]);
        assert_eq!((read.chain_id, read.fingerprint.as_deref()), (None, Some("abc")));
        assert_eq!(
            (read.reviewed, &read.reviews[..]),
            (Some(true), &[Review::Wrong, Review::Partly][..])
        );
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
            ("search", "ab"),
            ("start_date", "yesterday"),
        ]);
        let problem = query.read().unwrap_err();
        let fields: Vec<&str> = problem.errors().iter().map(|error| error.field.as_str()).collect();
        let expected = [
            "page",
            "page_size",
            "sort_by",
            "sort_order",
            "status",
            "reviewed",
            "review",
            "search",
            "start_date",
        ];
        assert_eq!(fields, expected);
    }

    #[test]
    fn a_time_with_an_offset_survives_a_careless_client() {
        let query = of(&[("start_date", "2026-01-31T08:00:00 01:00")]);
        assert_eq!(query.read().unwrap().start_date.unwrap().to_string(), "2026-01-31T07:00:00Z");
    }
}
