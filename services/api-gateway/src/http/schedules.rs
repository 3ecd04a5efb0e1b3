//! The schedules of the configuration, their runs, and a run that a person asks for.

use axum::extract::State;
use http::StatusCode;
use serde::Deserialize;
use tarsy_contracts::schedule::{Schedule as ScheduleView, Schedules, StartedRun};
use tarsy_domain::code::Code;
use tarsy_web::{Json, Path, Problem};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::access::Principal;
use crate::quotas;
use crate::schedules::{next_runs, run_now};
use crate::state::AppState;

/// The most next times of a schedule that are shown.
const NEXT_RUNS: usize = 3;

pub(super) fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().routes(routes!(list)).routes(routes!(run))
}

/// The schedules of the configuration, with their next times and their last runs.
#[utoipa::path(
    get, path = "/schedules", tag = "schedules", operation_id = "list_schedules",
    responses((status = 200, description = "All schedules, by name", body = Schedules))
)]
#[tracing::instrument(name = "http.schedule.list", skip_all)]
async fn list(State(app): State<AppState>) -> Result<Json<Schedules>, Problem> {
    let catalog = app.catalog();
    let names: Vec<String> = catalog.schedules.keys().cloned().collect();
    let mut runs = app.store.list_schedule_runs(&names).await?;
    let now = app.clock.now();
    let schedules = catalog.schedules.values().map(|schedule| {
        let chain = catalog.resolve_chain(schedule.alert_type.as_deref(), None);
        ScheduleView {
            name: schedule.name.clone(),
            title: schedule.title().to_owned(),
            text: schedule.text.clone(),
            cron: schedule.cron.clone(),
            description: schedule.describe(),
            time_zone: schedule.time_zone.clone(),
            alert_type: chain.ok().map(|chain| chain.alert_type),
            suspended: schedule.suspend,
            notify: schedule.notify.as_str().to_owned(),
            next_runs: next_runs(schedule, now, NEXT_RUNS),
            runs: runs.remove(&schedule.name).unwrap_or_default(),
        }
    });
    Ok(Json(Schedules { schedules: schedules.collect() }))
}

#[derive(Debug, Deserialize)]
struct OfSchedule {
    name: String,
}

/// Begins an investigation of a schedule now, also of one that is suspended. Its own times stay as they are.
#[utoipa::path(
    post, path = "/schedules/{name}/runs", tag = "schedules", operation_id = "run_schedule",
    params(("name" = String, Path, description = "The schedule, by its name in the configuration")),
    responses(
        (status = 202, description = "It is queued", body = StartedRun),
        (status = 404, description = "No such schedule", body = Problem,
         content_type = "application/problem+json"),
        (status = 429, description = "The sender has submitted too many alerts within a minute, or too many sessions \
         wait for a worker", body = Problem, content_type = "application/problem+json"),
        (status = 503, description = "Not kept; try again", body = Problem,
         content_type = "application/problem+json"),
    )
)]
#[tracing::instrument(name = "http.schedule.run", skip_all)]
async fn run(
    State(app): State<AppState>,
    Path(path): Path<OfSchedule>,
    principal: Principal,
) -> Result<(StatusCode, Json<StartedRun>), Problem> {
    let catalog = app.catalog();
    let Some(schedule) = catalog.schedules.get(&path.name) else {
        return Err(Problem::new(Code::NotFound, "there is no schedule of this name"));
    };
    quotas::admit_alert(&app, &principal, None).await?;
    let session_id = run_now(&app, schedule, principal.name).await?;
    Ok((StatusCode::ACCEPTED, Json(StartedRun { session_id })))
}
