//! Removal of a text, such as a secret that came through, from everything that is stored.

use std::collections::BTreeMap;
use std::time::Duration;

use axum::extract::State;
use http::StatusCode;
use http::request::Parts;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tarsy_bus::{COPIES, TextRemoval, TextStep};
use tarsy_store::{Redaction, RedactionEffect, RedactionPosition};
use tarsy_web::{FieldError, Json, Problem};
use tokio::time::Instant;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use uuid::Uuid;

use crate::access::Principal;
use crate::http::audit_entry::Entry;
use crate::http::deletion::{MAX_REASON, read_reason};
use crate::http::spellings::spellings;
use crate::state::AppState;

/// What the audit log calls a removal.
pub(super) const ACTION: &str = "redact_text";

/// How long one request works: shorter than what a request may take, by more than one statement may.
const WORK: Duration = Duration::from_secs(8);

pub(super) fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().routes(routes!(redact))
}

/// A text to remove.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct NewRedaction {
    /// The text, 8 to 10,000 characters, and no ordinary word, id or time.
    #[schema(min_length = 8, max_length = 10_000)]
    text: String,
    /// Stands where the text was, for whoever reads it; masked like an alert.
    #[schema(min_length = 1, max_length = 500)]
    reason: String,
    /// Counts the rows that have the text, and changes nothing.
    #[serde(default)]
    dry_run: bool,
    /// `continue_at` of the answer before, to go on.
    #[serde(default)]
    continue_at: Option<Place>,
}

/// A row of a table, or a message of a stream of NATS.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct Place {
    table: String,
    after: Option<Vec<String>>,
}

/// How far a removal has come.
#[derive(Debug, Serialize, ToSchema)]
struct Progress {
    /// Nothing that is stored has the text, and nobody is about to store it again.
    complete: bool,
    /// Send the same request with this to go on; null after the last table.
    continue_at: Option<Place>,
    /// How many rows had the text, by table, and how many messages, by stream, of those that this request looked at.
    rows: BTreeMap<String, u64>,
    /// After the last table: sessions that run and had the text, at most 100. Wait for their end or cancel them, and
    /// send the request again.
    running_sessions: Vec<Uuid>,
    /// After the last table: alerts that wait to be stored, null if NATS does not answer. Send the request again when none do.
    queued_alerts: Option<u64>,
}

impl Progress {
    /// The time of the request is over.
    fn until(at: RedactionPosition, rows: BTreeMap<String, u64>) -> Self {
        Self {
            complete: false,
            continue_at: Some(Place { table: at.table, after: at.after }),
            rows,
            running_sessions: Vec::new(),
            queued_alerts: None,
        }
    }
}

/// Removes a text from everything that is stored, step by step: repeat with `continue_at` until it is null.
#[utoipa::path(
    post, path = "/redactions", tag = "access", operation_id = "redact_text",
    request_body = NewRedaction,
    responses(
        (status = 200, description = "How far it has come", body = Progress),
        (status = 400, description = "A bad value", body = Problem,
         content_type = "application/problem+json"),
    )
)]
#[tracing::instrument(name = "http.redaction.step", skip_all)]
async fn redact(
    State(app): State<AppState>,
    principal: Principal,
    parts: Parts,
    Json(body): Json<Value>,
) -> Result<Json<Progress>, Problem> {
    let asked = read(body).map_err(Problem::invalid)?;
    let (spellings, reason) = check(&asked).map_err(Problem::invalid)?;
    let reason: String = app.masker.mask(reason)?.chars().take(MAX_REASON).collect();
    let mark = app.store.redaction_mark(&reason).await?;
    if spellings.iter().any(|one| mark.contains(one)) {
        return Err(Problem::invalid(vec![FieldError::new(
            "text",
            "stands in the mark that would replace it; choose a longer text, or another reason",
        )]));
    }
    let effect = if asked.dry_run { RedactionEffect::Count } else { RedactionEffect::Remove };
    let redaction = Redaction { spellings, reason: reason.clone(), effect };
    let entry = app.audit.reserve().await?;
    let progress = step(&app, &redaction, &mark, asked.continue_at).await?;
    let rows: Vec<String> =
        progress.rows.iter().map(|(table, rows)| format!("{table}={rows}")).collect();
    let verb = if asked.dry_run { "counted" } else { "removed" };
    let object = format!("{verb} {}: {reason}", rows.join(" "));
    entry.add(Entry::of(ACTION, &parts).about(object).build(Some(&principal), StatusCode::OK));
    Ok(Json(progress))
}

/// Goes through the tables, then the streams of NATS, for [`WORK`].
async fn step(
    app: &AppState,
    redaction: &Redaction,
    mark: &str,
    from: Option<Place>,
) -> Result<Progress, Problem> {
    let mut tables = app.store.redacted_tables().await?;
    tables.extend(COPIES.map(str::to_owned));
    let mut position = begin(&tables, from)?;
    let mut rows = BTreeMap::new();
    let (mut left, mut is_reached) = (0, true);
    let until = Instant::now() + WORK;
    while let Some(at) = position.take() {
        if Instant::now() >= until {
            return Ok(Progress::until(at, rows));
        }
        let (found, last_key) = if COPIES.contains(&at.table.as_str()) {
            let Some(done) = of_stream(app, redaction, &at).await? else {
                is_reached = false;
                break;
            };
            left += done.left;
            (done.found, done.continue_after.map(|sequence| vec![sequence.to_string()]))
        } else {
            let done = app.store.redact_rows(redaction, &at).await?.ok_or_else(no_key)?;
            (done.rows, done.last_key)
        };
        if found > 0 {
            *rows.entry(at.table.clone()).or_default() += found;
        }
        position = match last_key {
            Some(key) => Some(RedactionPosition { table: at.table, after: Some(key) }),
            None => following(&tables, &at.table),
        };
    }
    let remembering = app.store.sessions_that_remember(mark).await?;
    let queued = app.bus.queued_alerts().await.ok().filter(|_| is_reached);
    let queued_alerts = queued.map(|queued| queued.max(left));
    Ok(Progress {
        complete: remembering.is_empty() && queued_alerts == Some(0),
        continue_at: None,
        rows,
        running_sessions: remembering.iter().map(|session| session.uuid()).collect(),
        queued_alerts,
    })
}

/// A step in a stream; none if NATS does not answer.
async fn of_stream(
    app: &AppState,
    redaction: &Redaction,
    at: &RedactionPosition,
) -> Result<Option<TextStep>, Problem> {
    let after = match at.after.as_deref() {
        None => 0,
        Some([sequence]) => sequence.parse().map_err(|_| no_key())?,
        Some(_) => return Err(no_key()),
    };
    let removal = TextRemoval {
        spellings: &redaction.spellings,
        only_count: redaction.effect == RedactionEffect::Count,
        now: app.clock.now(),
    };
    if !app.bus.is_connected() {
        return Ok(None);
    }
    match app.bus.remove_text(&at.table, after, removal).await {
        Ok(done) => Ok(Some(done)),
        Err(error) => {
            tracing::warn!(stream = at.table, error = %tarsy_telemetry::chain(&error), "a text could not be removed yet");
            Ok(None)
        }
    }
}

fn begin(tables: &[String], from: Option<Place>) -> Result<Option<RedactionPosition>, Problem> {
    match from {
        None => {
            Ok(tables.first().map(|table| RedactionPosition { table: table.clone(), after: None }))
        }
        Some(place) if tables.contains(&place.table) => {
            Ok(Some(RedactionPosition { table: place.table, after: place.after }))
        }
        Some(_) => Err(wrong_place("table", "is no table that texts are removed from")),
    }
}

fn following(tables: &[String], table: &str) -> Option<RedactionPosition> {
    let next = tables.iter().skip_while(|one| *one != table).nth(1)?;
    Some(RedactionPosition { table: next.clone(), after: None })
}

fn no_key() -> Problem {
    wrong_place("after", "is no key of the table")
}

fn wrong_place(field: &str, message: &str) -> Problem {
    let message = format!("{message}; send continue_at of the answer before as it is");
    Problem::invalid(vec![FieldError::new(format!("continue_at.{field}"), message)])
}

/// The fields of the body. What is said of a bad one never has its text.
fn read(body: Value) -> Result<NewRedaction, Vec<FieldError>> {
    serde_json::from_value(body).map_err(|_| {
        let message =
            "send text and reason as texts, and optionally dry_run (true or false) and continue_at";
        vec![FieldError::new("body", message)]
    })
}

/// The spellings of the text, and the reason, or all that is wrong with them.
fn check(asked: &NewRedaction) -> Result<(Vec<String>, String), Vec<FieldError>> {
    let spellings = spellings(&asked.text).map_err(|message| FieldError::new("text", message));
    let reason = read_reason(Some(&asked.reason)).and_then(|reason| {
        let has_text = !asked.text.is_empty() && reason.contains(&asked.text);
        let message = "has the text that is to be removed; say what it was, not how it reads";
        if has_text { Err(FieldError::new("reason", message)) } else { Ok(reason) }
    });
    match (spellings, reason) {
        (Ok(spellings), Ok(reason)) => Ok((spellings, reason)),
        (spellings, reason) => Err([spellings.err(), reason.err()].into_iter().flatten().collect()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn fields(body: Value) -> Vec<String> {
        let errors = read(body).and_then(|asked| check(&asked).map(drop)).unwrap_err();
        assert!(!format!("{errors:?}").contains("s3cr3t"), "{errors:?}");
        errors.into_iter().map(|error| error.field).collect()
    }

    #[test]
    fn what_is_wrong_is_named_without_the_text() {
        assert_eq!(fields(json!({"text": "s3cr3t-s3cr3t"})), ["body"]);
        assert_eq!(fields(json!({"text": "s3cr3t", "reason": ""})), ["text", "reason"]);
        let reported = json!({"text": "s3cr3t-s3cr3t", "reason": "s3cr3t-s3cr3t leaked"});
        assert_eq!(fields(reported), ["reason"]);
    }

    #[test]
    fn one_table_follows_the_other_until_the_last() {
        let tables = ["a", "b"].map(str::to_owned);
        assert_eq!(following(&tables, "a").unwrap().table, "b");
        assert_eq!(following(&tables, "b"), None);
        assert!(
            begin(&tables, Some(Place { table: "audit_log".to_owned(), after: None })).is_err()
        );
    }
}
