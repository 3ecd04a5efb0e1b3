//! What came again and again in a week.

use axum::extract::State;
use serde::Deserialize;
use tarsy_contracts::prevention::Prevention;
use tarsy_web::{FieldError, Json, Problem, Query};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::http::query_text::{given, quoted};
use crate::prevention::{Week, compose, period};
use crate::state::AppState;

pub(super) fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().routes(routes!(find))
}

/// Which week.
// Imported, the derive would make the paths that `utoipa::path` expands to unneeded, which is a warning.
#[derive(Debug, Default, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
struct PreventionParams {
    /// A week by ISO 8601 in UTC, such as `2026-W48`; the last seven days without it.
    week: Option<String>,
}

/// What would prevent alerts and failures: causes that come again, alerts without a fault, tools that fail, and sources that are
/// not understood; in one week, beside the week before.
#[utoipa::path(
    get, path = "/prevention", tag = "sessions", operation_id = "prevention",
    params(PreventionParams),
    responses(
        (status = 200, description = "The week", body = Prevention),
        (status = 400, description = "A bad value", body = Problem,
         content_type = "application/problem+json"),
    )
)]
#[tracing::instrument(name = "http.prevention.get", skip_all)]
async fn find(
    State(app): State<AppState>,
    Query(params): Query<PreventionParams>,
) -> Result<Json<Prevention>, Problem> {
    let now = app.clock.now();
    let week = given(params.week.as_ref()).map(|text| {
        Week::parse(text, now)
            .map_err(|message| FieldError::new("week", format!("is {}; {message}", quoted(text))))
    });
    let week = week.transpose().map_err(|error| Problem::invalid(vec![error]))?;
    let period = period(week, now);
    Ok(Json(compose(week, now, period, app.store.find_prevention(period).await?)))
}
