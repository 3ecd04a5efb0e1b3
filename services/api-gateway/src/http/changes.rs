//! Records and lists what changed in the systems that alerts are about.

mod filter;

use axum::extract::State;
use http::{HeaderMap, StatusCode};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tarsy_contracts::change::Change;
use tarsy_intake::{ChangeError, changes_in};
use tarsy_store::ChangeQuery;
use tarsy_web::{FieldError, Json, Problem, Query};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use uuid::Uuid;

use self::filter::ChangeFilter;
use super::alerts::Slot;
use crate::access::Principal;
use crate::changes::{self, RecordedChange};
use crate::quotas;
use crate::state::AppState;

pub(super) fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().routes(routes!(record, list))
}

#[derive(Debug, Serialize, ToSchema)]
pub(super) struct RecordedChangeView {
    /// Its id; none if the change was known before.
    id: Option<Uuid>,
    /// Whether it was known before, by its own id.
    is_repeat: bool,
}

impl From<RecordedChange> for RecordedChangeView {
    fn from(change: RecordedChange) -> Self {
        let RecordedChange { id, is_repeat } = change;
        Self { id: Some(id.uuid()).filter(|_| !is_repeat), is_repeat }
    }
}

#[derive(Debug, Serialize, ToSchema)]
struct RecordedChanges {
    /// One of each change, in their order.
    changes: Vec<RecordedChangeView>,
}

/// A change of a system. Names and texts that are too long are cut.
#[expect(dead_code, reason = "the shape that is described; the body is read by `libs/intake`")]
#[derive(ToSchema)]
struct ReportedChange {
    /// The sender's own id of it: what is sent again is recorded once. Without one, what it says and when decide.
    id: Option<String>,
    /// `deployment`, `configuration`, `secret`, `scaling`, `node`, `release`, `feature_flag`, `commit`, `package`, `unit`,
    /// `kernel`, or `other`, which it is without one.
    kind: Option<String>,
    /// What changed, in a sentence.
    #[schema(max_length = 2000, example = "checkout 1.8.2 was deployed")]
    text: String,
    /// When; now without it.
    #[schema(format = DateTime)]
    time: Option<String>,
    /// Such as `Deployment/checkout`.
    object: Option<String>,
    service: Option<String>,
    namespace: Option<String>,
    cluster: Option<String>,
    host: Option<String>,
    environment: Option<String>,
    author: Option<String>,
    /// A page about it.
    link: Option<String>,
}

/// Records a change, or a list of up to 100. Each may be one of CloudEvents (structured, batched, or binary with `ce-` headers)
/// with such an object as its data. Webhooks of other systems come to `POST /api/v1/intake/{source}`.
#[utoipa::path(
    post, path = "/changes", tag = "changes", operation_id = "record_changes",
    request_body = ReportedChange,
    responses(
        (status = 201, description = "Kept", body = RecordedChanges),
        (status = 400, description = "Something is wrong with a change; `errors` names the field", body = Problem,
         content_type = "application/problem+json"),
        (status = 413, description = "The body is larger than 1 MiB", body = Problem,
         content_type = "application/problem+json"),
        (status = 415, description = "The body is not JSON", body = Problem, content_type = "application/problem+json"),
        (status = 429, description = "The sender has sent too many within a minute", body = Problem,
         content_type = "application/problem+json",
         headers(("Retry-After" = u64, description = "Seconds after which it may be accepted"))),
        (status = 503, description = "Not kept; try again after `Retry-After`", body = Problem,
         content_type = "application/problem+json"),
    )
)]
#[tracing::instrument(name = "http.change.record", skip_all)]
async fn record(
    State(app): State<AppState>,
    principal: Principal,
    headers: HeaderMap,
    slot: Slot,
    Json(body): Json<Value>,
) -> Result<(StatusCode, Json<RecordedChanges>), Problem> {
    let found = changes_in(&headers, body).map_err(invalid)?;
    quotas::admit_changes(&app, principal.scope()).await?;
    let recorded = changes::record(&app, &principal.name, found).await?;
    drop(slot);
    let changes = recorded.into_iter().map(RecordedChangeView::from).collect();
    Ok((StatusCode::CREATED, Json(RecordedChanges { changes })))
}

fn invalid(error: ChangeError) -> Problem {
    Problem::invalid(vec![FieldError::new(error.field, error.problem)])
}

/// A part of the changes.
#[derive(Debug, Deserialize, Serialize, ToSchema)]
pub(super) struct ChangeList {
    /// The newest first.
    pub(super) changes: Vec<Change>,
    /// The value of `before` for the next part; null at the end.
    pub(super) next_before: Option<Uuid>,
}

/// Changes, the newest first.
#[utoipa::path(
    get, path = "/changes", tag = "changes", operation_id = "list_changes",
    params(ChangeFilter),
    responses(
        (status = 200, description = "Changes", body = ChangeList),
        (status = 400, description = "A bad value", body = Problem,
         content_type = "application/problem+json"),
    )
)]
#[tracing::instrument(name = "http.change.list", skip_all)]
async fn list(
    State(app): State<AppState>,
    Query(filter): Query<ChangeFilter>,
) -> Result<Json<ChangeList>, Problem> {
    let query = filter.read()?;
    let limit = query.limit;
    // One more shows whether there is a next part.
    let query = ChangeQuery { limit: limit + 1, ..query };
    let mut changes = app.store.list_changes(query).await?;
    let is_last = changes.len() <= usize::try_from(limit).unwrap_or(usize::MAX);
    if !is_last {
        changes.pop();
    }
    let next_before = changes.last().filter(|_| !is_last).map(|last| last.id.uuid());
    Ok(Json(ChangeList { changes, next_before }))
}
