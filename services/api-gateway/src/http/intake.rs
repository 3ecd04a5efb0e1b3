//! Receives what alert sources send.

use axum::extract::{RawQuery, State};
use http::{HeaderMap, StatusCode};
use serde::{Deserialize, Serialize};
use tarsy_intake::Envelope;
use tarsy_web::{Json, Path, Problem, RawBody};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use uuid::Uuid;

use super::alerts::Slot;
use crate::sources::{self, Outcome};
use crate::state::AppState;

/// The path, as its permission names it.
pub(super) const PATH: &str = "/api/v1/intake/{source}";

pub(super) fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().routes(routes!(receive))
}

#[derive(Debug, Deserialize)]
struct OfSource {
    source: String,
}

/// What became of the alerts of a request.
#[derive(Debug, Default, Serialize, ToSchema)]
struct ReceivedGroup {
    /// One of each alert, in their order; none if the request had none.
    alerts: Vec<DecidedAlert>,
}

/// What became of an alert.
#[derive(Debug, Serialize, ToSchema)]
struct DecidedAlert {
    fingerprint: String,
    /// `open`, `attach`, `fold`, `resolve`, `stop`, `hold` or `ignore`.
    action: &'static str,
    /// Why, such as `new` or `same_alert`.
    reason: &'static str,
    /// The same as a sentence.
    explanation: String,
    /// The session that it began or belongs to.
    session_id: Option<Uuid>,
}

/// Receives the alerts of a configured source, as the source sends them. The source is verified as `intake.sources` says.
/// What is answered with 202 is kept; on 503 the source sends it again.
#[utoipa::path(
    post, path = "/intake/{source}", tag = "alerts", operation_id = "receive_alerts",
    params(("source" = String, Path, description = "Its name in `intake.sources` of tarsy.yaml")),
    request_body(content = Object, description = "As the source sends it"),
    responses(
        (status = 200, description = "Nothing that an alert is made of", body = ReceivedGroup),
        (status = 202, description = "Kept, and decided about", body = ReceivedGroup),
        (status = 400, description = "Not what this source sends", body = Problem,
         content_type = "application/problem+json"),
        (status = 401, description = "There is no such source, its sender is not verified, or what it signed is too old", body = Problem,
         content_type = "application/problem+json"),
        (status = 413, description = "The body is larger than 1 MiB", body = Problem,
         content_type = "application/problem+json"),
        (status = 503, description = "Not kept; try again after `Retry-After`", body = Problem,
         content_type = "application/problem+json"),
    )
)]
#[tracing::instrument(name = "http.intake.receive", skip_all, fields(source = %path.source))]
async fn receive(
    State(app): State<AppState>,
    Path(path): Path<OfSource>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
    slot: Slot,
    RawBody(body): RawBody,
) -> Result<(StatusCode, Json<ReceivedGroup>), Problem> {
    let envelope = Envelope { headers: &headers, query: query.as_deref() };
    let outcome = sources::receive(&app, &path.source, envelope, &body).await?;
    drop(slot);
    let Outcome::Alerts { group, received } = outcome else {
        return Ok((StatusCode::OK, Json(ReceivedGroup::default())));
    };
    let alerts = group.alerts.into_iter().zip(received.outcomes);
    let alerts = alerts.map(|(alert, outcome)| DecidedAlert {
        fingerprint: alert.fingerprint,
        action: outcome.decision.action.as_str(),
        reason: outcome.decision.reason.as_str(),
        explanation: outcome.decision.reason.to_string(),
        session_id: outcome.session_id.map(Uuid::from),
    });
    Ok((StatusCode::ACCEPTED, Json(ReceivedGroup { alerts: alerts.collect() })))
}
