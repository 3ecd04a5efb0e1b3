//! Lists what depends on what, and takes in the edges of service graphs.

mod filter;

use axum::extract::State;
use http::StatusCode;
use serde::Serialize;
use serde_json::Value;
use tarsy_contracts::dependency::Dependencies;
use tarsy_web::{Json, Problem, Query};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use self::filter::DependencyFilter;
use super::alerts::Slot;
use crate::access::Principal;
use crate::quotas;
use crate::state::AppState;
use crate::topology;

pub(super) fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().routes(routes!(record)).routes(routes!(list))
}

/// An edge of a service graph. `client` and `server` are read for `parent` and `child`, too.
#[expect(dead_code, reason = "the shape that is described; the body is read by `crate::topology`")]
#[derive(ToSchema)]
struct ReportedEdge {
    #[schema(max_length = 253, example = "checkout")]
    parent: String,
    /// What is called.
    #[schema(max_length = 253, example = "payments")]
    child: String,
    namespace: Option<String>,
    to_namespace: Option<String>,
    cluster: Option<String>,
    environment: Option<String>,
}

#[derive(Debug, Serialize, ToSchema)]
struct RecordedEdges {
    edges: u64,
}

/// Takes in up to 1000 edges of a service graph: a list, or an object with one as `data`, which Jaeger's `/api/dependencies`
/// answers, or as `edges`. What is not sent again for `system.retention.dependency_retention_days` is deleted.
#[utoipa::path(
    post, path = "/topology", tag = "topology", operation_id = "record_topology",
    request_body = Vec<ReportedEdge>,
    responses(
        (status = 201, description = "Kept", body = RecordedEdges),
        (status = 400, description = "Something is wrong with an edge; `errors` names the field", body = Problem,
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
#[tracing::instrument(name = "http.topology.record", skip_all)]
async fn record(
    State(app): State<AppState>,
    principal: Principal,
    slot: Slot,
    Json(body): Json<Value>,
) -> Result<(StatusCode, Json<RecordedEdges>), Problem> {
    let edges = topology::edges_of(&body).map_err(|error| Problem::invalid(vec![error]))?;
    quotas::admit_changes(&app, principal.scope()).await?;
    let edges = topology::record(&app, &principal.name, edges).await?;
    drop(slot);
    Ok((StatusCode::CREATED, Json(RecordedEdges { edges })))
}

/// What an object depends on, and what depends on it.
#[utoipa::path(
    get, path = "/dependencies", tag = "topology", operation_id = "list_dependencies",
    params(DependencyFilter),
    responses(
        (status = 200, description = "Dependencies, at most 200 in each direction", body = Dependencies),
        (status = 400, description = "A bad value", body = Problem,
         content_type = "application/problem+json"),
    )
)]
#[tracing::instrument(name = "http.dependency.list", skip_all)]
async fn list(
    State(app): State<AppState>,
    Query(filter): Query<DependencyFilter>,
) -> Result<Json<Dependencies>, Problem> {
    let query = filter.read()?;
    Ok(Json(app.store.find_dependencies(&query).await?))
}
