//! Findings that a person sends to a destination of notifications.

use axum::extract::State;
use http::StatusCode;
use serde::{Deserialize, Serialize};
use tarsy_domain::code::Code;
use tarsy_store::ShareOutcome;
use tarsy_web::extract::truncated;
use tarsy_web::{FieldError, Json, Path, Problem};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::http::sessions::{OfSession, unknown};
use crate::state::AppState;

pub(super) fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().routes(routes!(share))
}

/// Where a finding goes.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct Shared {
    /// A destination of notifications, by its name in the configuration; `slack` is that of `system.slack`.
    #[schema(example = "slack")]
    destination: String,
}

/// Sends the finding of a session that has ended to a destination of notifications, whatever alert types and statuses it is
/// configured for. A destination gets a finding once.
#[utoipa::path(
    post, path = "/sessions/{id}/share", tag = "sessions", operation_id = "share_finding",
    params(("id" = Uuid, Path, description = "The session")),
    request_body = Shared,
    responses(
        (status = 202, description = "It is sent, and tried again until it arrives", body = Shared),
        (status = 400, description = "There is no such destination", body = Problem,
         content_type = "application/problem+json"),
        (status = 404, description = "No such session", body = Problem,
         content_type = "application/problem+json"),
        (status = 409, description = "The session has not ended or is a replay, or the destination has its finding", body = Problem,
         content_type = "application/problem+json"),
    )
)]
#[tracing::instrument(name = "http.session.share", skip_all, fields(session.id = %path.id))]
async fn share(
    State(app): State<AppState>,
    Path(path): Path<OfSession>,
    Json(wanted): Json<Shared>,
) -> Result<(StatusCode, Json<Shared>), Problem> {
    let catalog = app.catalog();
    if !catalog.destinations.iter().any(|known| known.name == wanted.destination) {
        return Err(Problem::invalid(vec![no_destination(
            &wanted.destination,
            catalog.destinations.iter().map(|known| known.name.as_str()),
        )]));
    }
    let conflict = |detail: String| Err(Problem::new(Code::Conflict, detail));
    match app.store.share_finding(path.id, &wanted.destination).await? {
        ShareOutcome::Queued => Ok((StatusCode::ACCEPTED, Json(wanted))),
        ShareOutcome::Pending => {
            conflict(format!("the finding is on its way to {} already", wanted.destination))
        }
        ShareOutcome::Sent(at) => {
            conflict(format!("{} has the finding since {at:.0}", wanted.destination))
        }
        ShareOutcome::Running => {
            conflict("the session has not ended; share its finding when it has".to_owned())
        }
        ShareOutcome::Recorded => conflict(
            "the session is a replay or a record, of which nobody is notified; share the original"
                .to_owned(),
        ),
        ShareOutcome::NotFound => Err(unknown(path.id)),
    }
}

fn no_destination<'a>(wanted: &str, known: impl Iterator<Item = &'a str>) -> FieldError {
    let known: Vec<_> = known.collect();
    let fix = if known.is_empty() {
        "there is none; configure system.slack or notifications.destinations".to_owned()
    } else {
        format!("use one of: {}", known.join(", "))
    };
    FieldError::new("destination", format!("`{}` is no destination; {fix}", truncated(wanted)))
}
