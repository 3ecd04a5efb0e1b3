//! What happened in a session, in order.

use axum::extract::State;
use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value;
use tarsy_store::TimelineEvent;
use tarsy_web::{Json, Path, Problem, Query};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use uuid::Uuid;

use crate::http::params::Part;
use crate::http::sessions::{OfSession, unknown};
use crate::state::AppState;

pub(super) fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().routes(routes!(timeline))
}

/// One event of a timeline.
#[derive(Debug, Serialize, ToSchema)]
struct EventView {
    /// Its id.
    id: Uuid,
    /// Its session.
    session_id: Uuid,
    /// Its stage; none for the session's own.
    stage_id: Option<Uuid>,
    /// Its agent's execution.
    execution_id: Option<Uuid>,
    /// Its place in the session.
    sequence_number: i64,
    /// What it tells.
    #[schema(example = "llm_response")]
    event_type: &'static str,
    /// How far it has come.
    #[schema(example = "completed")]
    status: &'static str,
    /// Its text.
    content: String,
    /// What belongs to its kind.
    #[schema(value_type = Option<Object>)]
    metadata: Option<Value>,
    /// When it began.
    created_at: Timestamp,
    /// When it last changed.
    updated_at: Timestamp,
}

impl From<TimelineEvent> for EventView {
    fn from(event: TimelineEvent) -> Self {
        Self {
            id: event.id.uuid(),
            session_id: event.session_id.uuid(),
            stage_id: event.stage_id.map(Uuid::from),
            execution_id: event.execution_id.map(Uuid::from),
            sequence_number: event.sequence_number,
            event_type: event.kind.as_str(),
            status: event.status.as_str(),
            content: event.content,
            metadata: event.metadata,
            created_at: event.created_at,
            updated_at: event.updated_at,
        }
    }
}

/// All timeline events of a session, in its order.
#[utoipa::path(
    get, path = "/sessions/{id}/timeline", tag = "sessions", operation_id = "session_timeline",
    params(("id" = Uuid, Path, description = "The session"), Part),
    responses(
        (status = 200, description = "Its timeline", body = Vec<EventView>),
        (status = 400, description = "A bad value", body = Problem,
         content_type = "application/problem+json"),
        (status = 404, description = "No such session", body = Problem,
         content_type = "application/problem+json"),
    )
)]
#[tracing::instrument(name = "http.session.timeline", skip_all, fields(session.id = %path.id))]
async fn timeline(
    State(app): State<AppState>,
    Path(path): Path<OfSession>,
    Query(part): Query<Part>,
) -> Result<Json<Vec<EventView>>, Problem> {
    let (after, limit) = part.read()?;
    app.store.find_session_status(path.id).await?.ok_or_else(|| unknown(path.id))?;
    let events = app.store.list_timeline(path.id, after, limit).await?;
    Ok(Json(events.into_iter().map(EventView::from).collect()))
}
