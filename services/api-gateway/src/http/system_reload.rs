//! Asks every service to start again with the configuration as it is now.

use axum::extract::State;
use http::StatusCode;
use serde::Serialize;
use tarsy_catalog::Report;
use tarsy_contracts::subject;
use tarsy_contracts::work::Reload;
use tarsy_domain::code::Code;
use tarsy_web::{FieldError, Json, Problem};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use uuid::Uuid;

use crate::configured::configured;
use crate::state::AppState;

pub(super) fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().routes(routes!(reload))
}

/// What the services were asked to start with.
#[derive(Debug, Serialize, ToSchema)]
struct Reloading {
    /// The fingerprint of the files; in `/system/services` a service has it once it runs with them.
    config_hash: String,
    /// What is valid and may not be meant.
    warnings: Vec<String>,
}

/// Reads the configuration again and, if it is valid, asks every service to start again with it. Nobody who connects
/// meanwhile is refused, and running sessions go on. Services whose files are not valid go on with those of before.
#[utoipa::path(
    post, path = "/system/config/reload", tag = "system", operation_id = "reload_configuration",
    responses(
        (status = 202, description = "The services are asked", body = Reloading),
        (status = 400, description = "The configuration is not valid; nothing changes", body = Problem,
         content_type = "application/problem+json"),
        (status = 503, description = "The services cannot be asked; nothing changes", body = Problem,
         content_type = "application/problem+json"),
    )
)]
#[tracing::instrument(name = "http.system.reload", skip_all)]
async fn reload(State(state): State<AppState>) -> Result<(StatusCode, Json<Reloading>), Problem> {
    let settings = state.settings.clone();
    // Files are read, and maybe many.
    let checked =
        tokio::task::spawn_blocking(move || configured(&settings).map(|it| it.catalog)).await;
    let catalog = checked
        .map_err(|error| {
            tracing::error!(%error, "the check of the configuration ended unexpectedly");
            Problem::new(Code::Internal, "the configuration could not be checked")
        })?
        .map_err(|error| not_valid(&error))?;
    let wanted = Reload { id: Uuid::now_v7().to_string() };
    let asked = state.bus.publish(subject::CONTROL_RELOAD.to_owned(), &wanted).await;
    asked.map_err(|error| {
        tracing::warn!(error = %tarsy_telemetry::chain(&error), "the services could not be asked to reload");
        let detail = "NATS cannot be reached, so that the services cannot be asked; the configuration is valid";
        Problem::new(Code::Unavailable, detail)
    })?;
    let warnings = catalog.warnings.iter().map(ToString::to_string).collect();
    Ok((StatusCode::ACCEPTED, Json(Reloading { config_hash: catalog.config_hash(), warnings })))
}

/// Every problem with its place.
fn not_valid(error: &anyhow::Error) -> Problem {
    let Some(report) = error.downcast_ref::<Report>() else {
        return Problem::new(Code::Invalid, format!("{error:#}"));
    };
    let fields = report.problems.iter().map(|one| FieldError::new(one.place(), one.remedy()));
    Problem::invalid(fields.collect())
}
