//! What single endpoints are asked in their query strings.

use serde::Deserialize;
use tarsy_intake::Action;
use tarsy_store::{AuditQuery, IntakeQuery};
use tarsy_web::extract::truncated;
use tarsy_web::{FieldError, Problem};
use utoipa::IntoParams;
use uuid::Uuid;

use crate::http::query_text::{date, given, quoted};

const MAX_LIMIT: i64 = 10_000;
const DEFAULT_ENTRIES: i64 = 100;
const MAX_ENTRIES: i64 = 1_000;
const DEFAULT_ALERTS: i64 = 50;
/// An alert may have 1 MiB.
const MAX_ALERTS: i64 = 100;
const OUTCOMES: [&str; 3] = ["allowed", "denied", "failed"];

/// Which part of a timeline.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct Part {
    /// Only what comes after this `sequence_number`.
    #[param(value_type = Option<i64>)]
    after: Option<String>,
    /// At most so many events; all of them without it.
    #[param(value_type = Option<i64>)]
    limit: Option<String>,
}

impl Part {
    /// The place and the number, or all that is wrong with them.
    pub(super) fn read(&self) -> Result<(Option<i64>, Option<i64>), Problem> {
        let mut errors = Vec::new();
        let mut number = |field: &str, text: Option<&str>, least: i64, most: i64| {
            let text = text.map(str::trim).filter(|text| !text.is_empty())?;
            let number = text.parse().ok().filter(|number| (least..=most).contains(number));
            if number.is_none() {
                let message =
                    format!("is `{}`; write a number from {least} to {most}", truncated(text));
                errors.push(FieldError::new(field, message));
            }
            number
        };
        let after = number("after", self.after.as_deref(), 0, i64::MAX);
        let limit = number("limit", self.limit.as_deref(), 1, MAX_LIMIT);
        if errors.is_empty() { Ok((after, limit)) } else { Err(Problem::invalid(errors)) }
    }
}

/// Of which alert type.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct OfType {
    /// The alert type; the default one without it.
    pub(super) alert_type: Option<String>,
}

/// Which entries of the audit log.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct AuditFilter {
    /// Only of this user or token.
    principal: Option<String>,
    /// Only this action, such as `submit_alert`.
    action: Option<String>,
    /// Only this outcome: `allowed`, `denied` or `failed`.
    outcome: Option<String>,
    /// Added then or later: RFC 3339, or a day.
    start_date: Option<String>,
    /// Added then or earlier: RFC 3339, or a day.
    end_date: Option<String>,
    /// Only entries older than the one with this id.
    #[param(value_type = Option<Uuid>)]
    before: Option<String>,
    /// At most so many entries, from 1 to 1000; 100 without it.
    #[param(value_type = Option<i64>)]
    limit: Option<String>,
}

impl AuditFilter {
    /// The query, or all that is wrong with it.
    pub(super) fn read(&self) -> Result<AuditQuery, Problem> {
        let mut errors = Vec::new();
        let mut wrong = |field: &str, message: String| errors.push(FieldError::new(field, message));
        let text = |field: &Option<String>| given(field.as_ref()).map(str::to_owned);
        let outcome = text(&self.outcome);
        if let Some(other) = outcome.as_deref().filter(|one| !OUTCOMES.contains(one)) {
            wrong("outcome", format!("is {}; write one of {}", quoted(other), OUTCOMES.join(", ")));
        }
        let start = date("start_date", given(self.start_date.as_ref()), false, &mut wrong);
        let end = date("end_date", given(self.end_date.as_ref()), true, &mut wrong);
        if let (Some(start), Some(end)) = (start, end)
            && start > end
        {
            wrong("end_date", "is before start_date; swap them".to_owned());
        }
        let before = given(self.before.as_ref()).map(str::parse::<Uuid>);
        if matches!(before, Some(Err(_))) {
            wrong("before", "is not an id; write the id of an entry".to_owned());
        }
        let limit = given(self.limit.as_ref()).map_or(Ok(DEFAULT_ENTRIES), str::parse);
        let limit = limit.ok().filter(|limit| (1..=MAX_ENTRIES).contains(limit));
        if limit.is_none() {
            wrong("limit", format!("write a number from 1 to {MAX_ENTRIES}"));
        }
        if !errors.is_empty() {
            return Err(Problem::invalid(errors));
        }
        Ok(AuditQuery {
            principal: text(&self.principal),
            action: text(&self.action),
            outcome,
            start_date: start,
            end_date: end,
            before: before.and_then(Result::ok),
            limit: limit.unwrap_or(DEFAULT_ENTRIES),
        })
    }
}

/// Which part of the alerts.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct AlertPart {
    /// Only those before the one with this `seq`.
    #[param(value_type = Option<i64>)]
    before: Option<String>,
    /// At most so many alerts, from 1 to 100; 50 without it.
    #[param(value_type = Option<i64>)]
    limit: Option<String>,
}

impl AlertPart {
    /// The query, or all that is wrong with it.
    pub(super) fn read(self) -> Result<IntakeQuery, Problem> {
        let Self { before, limit } = self;
        AlertFilter { source: None, action: None, before, limit }.read()
    }
}

/// Which alerts of sources.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct AlertFilter {
    /// Only of this source.
    source: Option<String>,
    /// Only with this decision: `open`, `attach`, `fold`, `resolve`, `stop`, `hold` or `ignore`.
    action: Option<String>,
    /// Only those before the one with this `seq`.
    #[param(value_type = Option<i64>)]
    before: Option<String>,
    /// At most so many alerts, from 1 to 100; 50 without it.
    #[param(value_type = Option<i64>)]
    limit: Option<String>,
}

impl AlertFilter {
    /// The query, or all that is wrong with it.
    pub(super) fn read(&self) -> Result<IntakeQuery, Problem> {
        let mut errors = Vec::new();
        let action = given(self.action.as_ref());
        if let Some(other) = action.filter(|one| !Action::NAMES.contains(one)) {
            let known = Action::NAMES.join(", ");
            let message = format!("is {}; write one of {known}", quoted(other));
            errors.push(FieldError::new("action", message));
        }
        let mut number = |field: &str, text: Option<&String>, most: i64| {
            let text = given(text)?;
            let number = text.parse::<i64>().ok().filter(|number| (1..=most).contains(number));
            if number.is_none() {
                let message = format!("is {}; write a number from 1 to {most}", quoted(text));
                errors.push(FieldError::new(field, message));
            }
            number
        };
        let before = number("before", self.before.as_ref(), i64::MAX);
        let limit = number("limit", self.limit.as_ref(), MAX_ALERTS);
        if !errors.is_empty() {
            return Err(Problem::invalid(errors));
        }
        Ok(IntakeQuery {
            session: None,
            source: given(self.source.as_ref()).map(str::to_owned),
            action: action.map(str::to_owned),
            before,
            limit: limit.unwrap_or(DEFAULT_ALERTS),
        })
    }
}

/// How a sign-in begins.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct SignInStart {
    /// The path of the page to return to; by default `/`.
    pub(crate) return_to: Option<String>,
}

/// What the issuer sends with the browser.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct SignInAnswer {
    /// The code that the issuer gave.
    pub(crate) code: Option<String>,
    /// The state that the attempt began with.
    pub(crate) state: Option<String>,
    /// Why the issuer gave no code.
    pub(crate) error: Option<String>,
}
