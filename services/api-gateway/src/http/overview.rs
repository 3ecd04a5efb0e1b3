//! All sessions of some time in numbers.

use axum::extract::State;
use jiff::SignedDuration;
use serde::Deserialize;
use tarsy_contracts::overview::Overview;
use tarsy_store::OverviewQuery;
use tarsy_web::{FieldError, Json, Problem, Query};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::http::query_text::{date, given};
use crate::state::AppState;

/// How long before its end an overview begins without `from`.
const DEFAULT_LENGTH: SignedDuration = SignedDuration::from_hours(24);
const MAX_DAYS: i64 = 92;

pub(super) fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().routes(routes!(find))
}

/// The time of an overview.
// Imported, the derive would make the paths that `utoipa::path` expands to unneeded, which is a warning.
#[derive(Debug, Default, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
struct OverviewParams {
    /// Submitted then or later: RFC 3339, or a day; rounded down to the hour. 24 hours before `to` without it.
    from: Option<String>,
    /// Submitted before: RFC 3339, or a day; rounded up to the hour. Now without it.
    to: Option<String>,
}

/// The sessions that were submitted in some hours, at most 92 days, in numbers.
#[utoipa::path(
    get, path = "/overview", tag = "sessions", operation_id = "overview",
    params(OverviewParams),
    responses(
        (status = 200, description = "The numbers", body = Overview),
        (status = 400, description = "A bad value", body = Problem,
         content_type = "application/problem+json"),
    )
)]
#[tracing::instrument(name = "http.overview.get", skip_all)]
async fn find(
    State(app): State<AppState>,
    Query(params): Query<OverviewParams>,
) -> Result<Json<Overview>, Problem> {
    let mut errors = Vec::new();
    let mut wrong = |field: &str, message: String| errors.push(FieldError::new(field, message));
    let to = date("to", given(params.to.as_ref()), true, &mut wrong);
    let to = to.unwrap_or_else(|| app.clock.now());
    let from = date("from", given(params.from.as_ref()), false, &mut wrong);
    let from = from.unwrap_or_else(|| to.checked_sub(DEFAULT_LENGTH).unwrap_or(to));
    if from >= to {
        wrong("from", "is not before `to`; write an earlier time".to_owned());
    } else if to.duration_since(from) > SignedDuration::from_hours(MAX_DAYS * 24) {
        wrong("from", format!("is more than {MAX_DAYS} days before `to`; write a later time"));
    }
    if !errors.is_empty() {
        return Err(Problem::invalid(errors));
    }
    Ok(Json(app.store.find_overview(OverviewQuery { from, to }).await?))
}
