//! Receives what alert sources send.

use axum::extract::{FromRequestParts as _, Request, State};
use http::StatusCode;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use tarsy_intake::Envelope;
use tarsy_web::{Json, Path, Problem};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use uuid::Uuid;

use super::alerts::Slot;
use super::changes::RecordedChangeView;
use crate::http::audit_entry::client_address;
use crate::sources::{self, Decided};
use crate::state::AppState;

/// The path, as its permission names it.
pub(super) const PATH: &str = "/api/v1/intake/{source}";

/// The most rows that are answered.
const MAX_REFUSED: i64 = 200;

pub(super) fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().routes(routes!(receive)).routes(routes!(refused))
}

#[derive(Debug, Deserialize)]
struct OfSource {
    source: String,
}

/// What became of the alerts or changes of a request.
#[derive(Debug, Default, Serialize, ToSchema)]
struct ReceivedGroup {
    /// One of each alert, in their order; none if the request had none.
    alerts: Vec<DecidedAlert>,
    /// One of each change that the source reported.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    changes: Vec<RecordedChangeView>,
}

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

/// Receives the alerts or changes of a configured source, as the source sends them. The source is verified as `intake.sources` says.
/// What is answered with 202 is kept, also what is not understood; on 503 the source sends it again.
#[utoipa::path(
    post, path = "/intake/{source}", tag = "alerts", operation_id = "receive_alerts",
    params(("source" = String, Path, description = "Its name in `intake.sources` of tarsy.yaml")),
    request_body(content = Object, description = "As the source sends it"),
    responses(
        (status = 200, description = "Nothing that an alert or a change is made of", body = ReceivedGroup),
        (status = 202, description = "Kept, and decided about", body = ReceivedGroup),
        (status = 401, description = "There is no such source, its sender is not verified, or what it signed is too old or too large", body = Problem,
         content_type = "application/problem+json"),
        (status = 413, description = "The body of a verified sender is larger than 32 MiB", body = Problem,
         content_type = "application/problem+json"),
        (status = 503, description = "Not kept; try again after `Retry-After`", body = Problem,
         content_type = "application/problem+json"),
    )
)]
#[tracing::instrument(name = "http.intake.receive", skip_all, fields(source = %path.source))]
async fn receive(
    State(app): State<AppState>,
    Path(path): Path<OfSource>,
    request: Request,
) -> Result<(StatusCode, Json<ReceivedGroup>), Problem> {
    let (mut parts, body) = request.into_parts();
    let address = client_address(&parts).unwrap_or_default();
    // Taken before the body is read.
    let slot = Slot::from_request_parts(&mut parts, &app).await.inspect_err(|_| {
        sources::count_busy(&app, &path.source, &address);
    })?;
    let envelope = Envelope { headers: &parts.headers, query: parts.uri.query() };
    let request = sources::Request { name: &path.source, address: &address, envelope };
    let kept = sources::receive(&app, request, body).await?;
    drop(slot);
    let is_empty = kept.alerts.is_empty() && kept.changes.is_empty();
    let status = if is_empty { StatusCode::OK } else { StatusCode::ACCEPTED };
    let alerts = kept.alerts.into_iter().map(|Decided { fingerprint, outcome }| DecidedAlert {
        fingerprint,
        action: outcome.decision.action.as_str(),
        reason: outcome.decision.reason.as_str(),
        explanation: outcome.decision.reason.to_string(),
        session_id: outcome.session_id.map(Uuid::from),
    });
    let changes = kept.changes.into_iter().map(RecordedChangeView::from);
    let received = ReceivedGroup { alerts: alerts.collect(), changes: changes.collect() };
    Ok((status, Json(received)))
}

/// Requests of one sender that were refused for the same reason in a minute.
#[derive(Debug, Serialize, ToSchema)]
struct RefusedRequestsView {
    /// When the minute began.
    #[schema(value_type = String, format = DateTime)]
    minute: Timestamp,
    /// The source that the requests named; empty where too many were refused to be distinguished.
    source: String,
    /// The client's address; empty as above.
    sender: String,
    /// `unknown_source`, `unverified`, `too_large`, `broken` or `busy`.
    reason: &'static str,
    requests: i64,
}

/// Requests of sources that were refused.
#[derive(Debug, Serialize, ToSchema)]
struct RefusedRequestsList {
    /// The newest first, at most 200.
    refused: Vec<RefusedRequestsView>,
}

/// Requests of alert sources that were refused in the last seven days, counted for each minute.
#[utoipa::path(
    get, path = "/intake/refused", tag = "alerts", operation_id = "refused_requests",
    responses((status = 200, description = "Refused requests", body = RefusedRequestsList))
)]
#[tracing::instrument(name = "http.intake.refused", skip_all)]
async fn refused(State(app): State<AppState>) -> Result<Json<RefusedRequestsList>, Problem> {
    let refused = app.store.list_refused_requests(MAX_REFUSED).await?;
    let refused = refused.into_iter().map(|row| RefusedRequestsView {
        minute: row.minute,
        source: row.source,
        sender: row.sender,
        reason: row.reason.as_str(),
        requests: row.requests,
    });
    Ok(Json(RefusedRequestsList { refused: refused.collect() }))
}
