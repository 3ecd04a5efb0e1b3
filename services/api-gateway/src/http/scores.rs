//! Scores: how well sessions were investigated.

use axum::extract::State;
use http::StatusCode;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use tarsy_contracts::score::{RequestedScore, Score, ScoreOverview};
use tarsy_domain::code::Code;
use tarsy_domain::score::ScoreStatus;
use tarsy_store::{MAX_SCORES, NewScore, ScoreDays, ScoreRequest};
use tarsy_web::{FieldError, Json, Path, Problem, Query};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::access::Principal;
use crate::http::query_text::{date, given};
use crate::http::sessions::{OfSession, unknown};
use crate::metrics;
use crate::notices::Notice;
use crate::state::AppState;

/// How long before its end an overview begins without `from`.
const DEFAULT_LENGTH: SignedDuration = SignedDuration::from_hours(29 * 24);
const MAX_DAYS: i64 = 92;

pub(super) fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().routes(routes!(find, request)).routes(routes!(overview))
}

/// The scores of a session.
#[derive(Debug, Serialize, ToSchema)]
struct Scores {
    /// The last one, which may be under way or have failed; none before the first.
    score: Option<Score>,
    /// Those before it, the newest first.
    history: Vec<Score>,
}

/// How well a session was investigated.
#[utoipa::path(
    get, path = "/sessions/{id}/score", tag = "sessions", operation_id = "get_score",
    params(("id" = Uuid, Path, description = "The session")),
    responses(
        (status = 200, description = "The last score, and those before it", body = Scores),
        (status = 404, description = "No such session", body = Problem,
         content_type = "application/problem+json"),
    )
)]
#[tracing::instrument(name = "http.score.get", skip_all, fields(session.id = %path.id))]
async fn find(
    State(app): State<AppState>,
    Path(path): Path<OfSession>,
) -> Result<Json<Scores>, Problem> {
    let found = app.store.list_scores(path.id).await?;
    let mut scores = found.ok_or_else(|| unknown(path.id))?.into_iter();
    Ok(Json(Scores { score: scores.next(), history: scores.collect() }))
}

/// Scores a session that has ended, as its chain is configured now; earlier scores are kept.
#[utoipa::path(
    post, path = "/sessions/{id}/score", tag = "sessions", operation_id = "score_session",
    params(("id" = Uuid, Path, description = "The session")),
    responses(
        (status = 202, description = "It will be scored", body = RequestedScore),
        (status = 404, description = "No such session", body = Problem,
         content_type = "application/problem+json"),
        (status = 409, description = "The session has not ended, is being scored, has too many scores, or its chain is not \
            configured any more", body = Problem, content_type = "application/problem+json"),
    )
)]
#[tracing::instrument(name = "http.score.request", skip_all, fields(session.id = %path.id))]
async fn request(
    State(app): State<AppState>,
    Path(path): Path<OfSession>,
    principal: Principal,
) -> Result<(StatusCode, Json<RequestedScore>), Problem> {
    let session = app.store.find_session(path.id).await?.ok_or_else(|| unknown(path.id))?;
    let scoring = app.catalog().resolve_scoring(&session.chain_id, app.clock.now());
    let Some(scoring) = scoring else {
        let chain = &session.chain_id;
        return Err(refused(format!(
            "the chain {chain} is not configured any more; nobody can judge it"
        )));
    };
    let judge = serde_json::to_value(&scoring).map_err(|error| {
        tracing::error!(%error, "who judges cannot be written");
        Problem::new(Code::Internal, "who judges cannot be written; the log has the reason")
    })?;
    let new = NewScore { session_id: path.id, judge, requested_by: principal.name };
    match app.store.request_score(new).await? {
        ScoreRequest::Added { score_id, events } => {
            metrics::score_requested();
            app.publisher.publish(events);
            app.notices.send(Notice::Score(path.id, ScoreStatus::Pending));
            Ok((StatusCode::ACCEPTED, Json(RequestedScore { score_id })))
        }
        ScoreRequest::NotEnded(status) => {
            Err(refused(format!("the session is {status}; score it when it has ended")))
        }
        ScoreRequest::Running => {
            Err(refused("the session is being scored; wait for the end".to_owned()))
        }
        ScoreRequest::TooMany => {
            Err(refused(format!("the session has {MAX_SCORES} scores; no more are made")))
        }
        ScoreRequest::NotFound => Err(unknown(path.id)),
    }
}

fn refused(detail: String) -> Problem {
    Problem::new(Code::Conflict, detail)
}

/// The time of an overview.
// Imported, the derive would make the paths that `utoipa::path` expands to unneeded, which is a warning.
#[derive(Debug, Default, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
struct ScoreParams {
    /// Submitted on this day (UTC) or later: a day, or RFC 3339. 29 days before `to` without it.
    from: Option<String>,
    /// Submitted on this day or earlier. Today without it.
    to: Option<String>,
}

/// Scores of the sessions of some days, at most 92, by chain, agent and provider, and how far reviews agree with them.
#[utoipa::path(
    get, path = "/overview/scores", tag = "sessions", operation_id = "score_overview",
    params(ScoreParams),
    responses(
        (status = 200, description = "The scores", body = ScoreOverview),
        (status = 400, description = "A bad value", body = Problem,
         content_type = "application/problem+json"),
    )
)]
#[tracing::instrument(name = "http.score.overview", skip_all)]
async fn overview(
    State(app): State<AppState>,
    Query(params): Query<ScoreParams>,
) -> Result<Json<ScoreOverview>, Problem> {
    let days = params.read(app.clock.now()).map_err(Problem::invalid)?;
    Ok(Json(app.store.find_score_overview(days).await?))
}

impl ScoreParams {
    fn read(&self, now: Timestamp) -> Result<ScoreDays, Vec<FieldError>> {
        let mut errors = Vec::new();
        let mut wrong = |field: &str, message: String| errors.push(FieldError::new(field, message));
        let to = date("to", given(self.to.as_ref()), true, &mut wrong).unwrap_or(now);
        let from = date("from", given(self.from.as_ref()), false, &mut wrong);
        let from = from.unwrap_or_else(|| to.checked_sub(DEFAULT_LENGTH).unwrap_or(to));
        let day = |time: Timestamp| time.to_zoned(TimeZone::UTC).date();
        let days = ScoreDays { from: day(from), to: day(to) };
        if from > to {
            wrong("from", "is after `to`; write an earlier day".to_owned());
        } else if to.duration_since(from) > SignedDuration::from_hours(MAX_DAYS * 24) {
            wrong("from", format!("is more than {MAX_DAYS} days before `to`; write a later day"));
        }
        if errors.is_empty() { Ok(days) } else { Err(errors) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(from: Option<&str>, to: Option<&str>) -> Result<(String, String), Vec<String>> {
        let params = ScoreParams { from: from.map(str::to_owned), to: to.map(str::to_owned) };
        let read = params.read("2026-03-01T12:00:00Z".parse().unwrap());
        read.map(|days| (days.from.to_string(), days.to.to_string()))
            .map_err(|errors| errors.into_iter().map(|error| error.field).collect())
    }

    #[test]
    fn days_are_read_and_bounded() {
        let of = |from: &str, to: &str| Ok((from.to_owned(), to.to_owned()));
        assert_eq!(read(None, None), of("2026-01-31", "2026-03-01"));
        assert_eq!(read(Some("2026-02-01"), Some("2026-02-01")), of("2026-02-01", "2026-02-01"));
        assert_eq!(read(Some("2026-02-02"), Some("2026-02-01")), Err(vec!["from".to_owned()]));
        assert_eq!(read(Some("2025-11-01"), None), Err(vec!["from".to_owned()]));
        assert_eq!(read(None, Some("soon")), Err(vec!["to".to_owned()]));
    }
}
