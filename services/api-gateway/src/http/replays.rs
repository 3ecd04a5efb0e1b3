//! Replays of sessions, their records, and what differs between two of them.

use std::collections::BTreeMap;

use axum::extract::State;
use http::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tarsy_catalog::ResolvedChain;
use tarsy_contracts::alert::AlertFields;
use tarsy_contracts::recording::{RecordedReport, Recording};
use tarsy_domain::access::Grant;
use tarsy_domain::code::Code;
use tarsy_domain::id::SessionId;
use tarsy_evaluation::Comparison;
use tarsy_store::{NewRecording, NewReplay, ReplayOutcome};
use tarsy_web::{FieldError, Json, Path, Problem, Query, body_limit};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use uuid::Uuid;

use crate::access::Principal;
use crate::changes;
use crate::demo;
use crate::http::sessions::{OfSession, unknown};
use crate::notices::Notice;
use crate::quotas;
use crate::recorded_chain::{default_chain, read_chain};
use crate::state::AppState;
use crate::submission;
use crate::topology;

/// The largest record that is brought in, in bytes: its results are whole.
const MAX_RECORDING: usize = 32 * 1024 * 1024;
/// The most calls of a record that is brought in.
const MAX_CALLS: usize = 5_000;
/// The most prompt templates, and the longest, in bytes.
const MAX_PROMPTS: usize = 50;
const MAX_PROMPT: usize = 128 * 1024;

pub(super) fn routes() -> OpenApiRouter<AppState> {
    let recordings =
        OpenApiRouter::new().routes(routes!(bring_in)).layer(body_limit(MAX_RECORDING));
    OpenApiRouter::new()
        .routes(routes!(replay))
        .routes(routes!(start_demo))
        .routes(routes!(recording))
        .routes(routes!(comparison))
        .merge(recordings)
}

/// What differs from the original.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct ReplayRequest {
    /// The provider for every model call, by its name in the configuration; default: those of the original.
    #[serde(default)]
    provider: Option<String>,
    /// The resolved chain to run, as a record has it; default: that of the original.
    #[serde(default)]
    #[schema(value_type = Option<Object>)]
    chain: Option<Value>,
    /// Prompt templates by name, instead of the built-in ones.
    #[serde(default)]
    prompts: BTreeMap<String, String>,
}

#[derive(Debug, Serialize, ToSchema)]
struct CreatedSession {
    session_id: Uuid,
}

/// Investigates the alert of a session again, with the tool results of its record. Nothing is executed, and nobody is
/// notified.
#[utoipa::path(
    post, path = "/sessions/{id}/replay", tag = "replay", operation_id = "replay_session",
    params(("id" = Uuid, Path, description = "The session that is replayed")),
    request_body = ReplayRequest,
    responses(
        (status = 202, description = "Queued", body = CreatedSession),
        (status = 400, description = "A bad value; `errors` names each field", body = Problem,
         content_type = "application/problem+json"),
        (status = 404, description = "No such session", body = Problem,
         content_type = "application/problem+json"),
        (status = 409, description = "The session is not over, or its record has no tools", body = Problem,
         content_type = "application/problem+json"),
        (status = 429, description = "Too many alerts and replays within a minute, or too many sessions wait",
         body = Problem, content_type = "application/problem+json",
         headers(("Retry-After" = u64, description = "Seconds after which it may be accepted"))),
    )
)]
#[tracing::instrument(name = "http.replay.create", skip_all, fields(session.id = %path.id))]
async fn replay(
    State(app): State<AppState>,
    Path(path): Path<OfSession>,
    principal: Principal,
    Json(request): Json<ReplayRequest>,
) -> Result<(StatusCode, Json<CreatedSession>), Problem> {
    let original = app.store.find_session(path.id).await?.ok_or_else(|| unknown(path.id))?;
    check_prompts(&request.prompts)?;
    let given = request.chain.is_some();
    let chain = read_chain(request.chain.unwrap_or(original.config_snapshot), given)?;
    let chain = match &request.provider {
        Some(name) => with_provider(&app, chain, name)?,
        None => chain,
    };
    quotas::admit_alert(&app, &principal, None).await?;
    let what =
        Replayed { original: path.id, chain, provider: request.provider, prompts: request.prompts };
    insert(&app, principal, what).await
}

/// The record of a session: alert, chain, tools, calls with their whole results, report.
#[utoipa::path(
    get, path = "/sessions/{id}/recording", tag = "replay", operation_id = "session_recording",
    params(("id" = Uuid, Path, description = "The session")),
    responses(
        (status = 200, description = "The record", body = Recording),
        (status = 404, description = "No such session", body = Problem,
         content_type = "application/problem+json"),
    )
)]
#[tracing::instrument(name = "http.recording.get", skip_all, fields(session.id = %path.id))]
async fn recording(
    State(app): State<AppState>,
    Path(path): Path<OfSession>,
) -> Result<Json<Recording>, Problem> {
    Ok(Json(find(&app, path.id).await?))
}

/// How a record is brought in.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
struct BringIn {
    /// Whether a record of an alert that was brought in before, of the same text and time, is left out.
    #[serde(default)]
    once: bool,
}

/// Stores a record that was made elsewhere as a finished session of its status, which can be replayed. Where `chain` is null, a replay uses
/// the chain of the alert's type here, else the default one.
#[utoipa::path(
    post, path = "/recordings", tag = "replay", operation_id = "create_recording",
    params(BringIn),
    request_body = Recording,
    responses(
        (status = 200, description = "The session that it became before, with `once`", body = CreatedSession),
        (status = 201, description = "Stored, masked", body = CreatedSession),
        (status = 400, description = "A bad value; `errors` names each field", body = Problem,
         content_type = "application/problem+json"),
        (status = 413, description = "The body is larger than 32 MiB", body = Problem,
         content_type = "application/problem+json"),
    )
)]
#[tracing::instrument(name = "http.recording.create", skip_all)]
async fn bring_in(
    State(app): State<AppState>,
    principal: Principal,
    Query(options): Query<BringIn>,
    Json(mut recording): Json<Recording>,
) -> Result<(StatusCode, Json<CreatedSession>), Problem> {
    if recording.calls.len() > MAX_CALLS {
        return Err(invalid("calls", format!("has more than {MAX_CALLS} calls; leave some out")));
    }
    let status = recording.report.status;
    if !status.is_terminal() {
        let message = format!("is {status}; write completed, failed, timed_out or cancelled");
        return Err(invalid("report.status", message));
    }
    if recording.chain.is_null() {
        recording.chain = default_chain(&app, recording.alert.alert_type.as_deref())?;
    }
    let chain = read_chain(recording.chain.clone(), true)?;
    let mask = |text: &mut String| -> Result<(), Problem> {
        *text = app.masker.mask(std::mem::take(text))?;
        Ok(())
    };
    let fields = submission::fields::checked(&recording.alert.fields, "alert.fields.");
    recording.alert.fields = fields.map_err(Problem::invalid)?;
    mask(&mut recording.alert.data)?;
    let texts = recording.alert.runbook.iter_mut();
    let RecordedReport { final_analysis, executive_summary, error_message, .. } =
        &mut recording.report;
    let texts = texts.chain(final_analysis).chain(executive_summary).chain(error_message);
    for text in texts {
        mask(text)?;
    }
    for call in &mut recording.calls {
        mask(&mut call.result)?;
        let masked = app.masker.mask(call.arguments.to_string())?;
        call.arguments = serde_json::from_str(&masked).unwrap_or(Value::String(masked));
    }
    changes::mask_recorded(&mut recording.alert.changes, &app.masker)?;
    topology::mask_recorded(&mut recording.alert.dependencies, &app.masker)?;
    if options.once
        && let Some(known) = app.store.find_imported_recording(&recording.alert).await?
    {
        return Ok((StatusCode::OK, Json(CreatedSession { session_id: known.uuid() })));
    }
    let id = import(&app, &principal, chain.chain_id, recording).await?;
    Ok((StatusCode::CREATED, Json(CreatedSession { session_id: id.uuid() })))
}

/// Investigates the recorded incident that comes with TARSy, with the offline analyst, at the pace of a reader. Nothing is
/// executed, and nobody is notified.
#[utoipa::path(
    post, path = "/demo", tag = "replay", operation_id = "start_demo",
    responses(
        (status = 202, description = "Queued", body = CreatedSession),
        (status = 429, description = "Too many alerts and replays within a minute, or too many sessions wait",
         body = Problem, content_type = "application/problem+json",
         headers(("Retry-After" = u64, description = "Seconds after which it may be accepted"))),
    )
)]
#[tracing::instrument(name = "http.demo.start", skip_all)]
async fn start_demo(
    State(app): State<AppState>,
    principal: Principal,
) -> Result<(StatusCode, Json<CreatedSession>), Problem> {
    // An alert source brings alerts of its types and nothing else.
    if matches!(principal.grant, Grant::Source { .. }) {
        let detail = "this token only submits alerts of some types; start the demo as a person, or with a token of a role";
        return Err(Problem::new(Code::Forbidden, detail));
    }
    let recording = demo::recording().map_err(|error| {
        tracing::error!(%error, "the recorded incident cannot be read");
        Problem::new(Code::Internal, "the recorded incident cannot be read")
    })?;
    let chain = demo::paced(read_chain(recording.chain.clone(), false)?);
    quotas::admit_alert(&app, &principal, None).await?;
    let original = match app.store.find_imported_recording(&recording.alert).await? {
        Some(known) => known,
        None => import(&app, &principal, chain.chain_id.clone(), recording).await?,
    };
    let what = Replayed { original, chain, provider: None, prompts: BTreeMap::new() };
    insert(&app, principal, what).await
}

/// Stores a masked record as a finished session.
async fn import(
    app: &AppState,
    principal: &Principal,
    chain_id: String,
    mut recording: Recording,
) -> Result<SessionId, Problem> {
    let id = SessionId::new();
    let stated = AlertFields { fingerprint: None, ..std::mem::take(&mut recording.alert.fields) };
    let fields = submission::fields::masked(&stated, &recording.alert.data, &app.masker)?;
    let new = NewRecording {
        id,
        chain_id,
        principal: Some(principal.scope()),
        author: Some(principal.name.clone()),
        fields,
        recording,
    };
    app.publisher.publish(app.store.insert_recording(new).await?);
    Ok(id)
}

struct Replayed {
    original: SessionId,
    chain: ResolvedChain,
    /// The provider that was chosen for it.
    provider: Option<String>,
    /// Templates by name.
    prompts: BTreeMap<String, String>,
}

/// The chain with this provider, at the prices of today.
fn with_provider(
    app: &AppState,
    chain: ResolvedChain,
    name: &str,
) -> Result<ResolvedChain, Problem> {
    let catalog = app.catalog();
    let changed = catalog.with_provider(chain, name);
    let mut chain = changed.map_err(|error| invalid("provider", error.to_string()))?;
    catalog.promote(&mut chain, app.clock.now());
    Ok(chain)
}

/// Takes in a replay as a pending session.
async fn insert(
    app: &AppState,
    principal: Principal,
    what: Replayed,
) -> Result<(StatusCode, Json<CreatedSession>), Problem> {
    let original = what.original;
    let id = SessionId::new();
    let replay = NewReplay {
        id,
        replay_of: what.original,
        principal: Some(principal.scope()),
        author: Some(principal.name),
        chain_id: what.chain.chain_id.clone(),
        settings: submission::settings(&what.chain),
        config_snapshot: serde_json::to_value(&what.chain).map_err(|error| {
            tracing::error!(%error, "a chain could not be encoded");
            Problem::new(Code::Internal, "the chain could not be encoded")
        })?,
        requested_provider: what.provider,
        prompts: what.prompts,
        traceparent: tarsy_telemetry::traceparent(),
    };
    match app.store.insert_replay(replay).await? {
        ReplayOutcome::Inserted(events) => {
            app.publisher.publish(events);
            app.notices.send(Notice::SessionCreated(id));
            Ok((StatusCode::ACCEPTED, Json(CreatedSession { session_id: id.uuid() })))
        }
        ReplayOutcome::NotFound => Err(unknown(original)),
        ReplayOutcome::NotOver(status) => Err(Problem::new(
            Code::Conflict,
            format!("the session is {status}; replay it when it is over"),
        )),
        ReplayOutcome::NoResults => Err(Problem::new(
            Code::Conflict,
            "the results of the session's tools were deleted (retention.tool_result_retention_days); it cannot be replayed",
        )),
        ReplayOutcome::NoTools => Err(Problem::new(
            Code::Conflict,
            "the session was recorded by an older version, without the tools as they were offered; it cannot be replayed",
        )),
    }
}

/// The session to compare with.
#[derive(Debug, Deserialize)]
struct With {
    with: SessionId,
}

/// Two sessions beside each other: calls, claims, report, tokens, time.
#[utoipa::path(
    get, path = "/sessions/{id}/comparison", tag = "replay", operation_id = "compare_sessions",
    params(
        ("id" = Uuid, Path, description = "The session"),
        ("with" = Uuid, Query, description = "The other session"),
    ),
    responses(
        (status = 200, description = "What differs", body = Comparison),
        (status = 400, description = "`with` is no id of a session", body = Problem,
         content_type = "application/problem+json"),
        (status = 404, description = "No such session", body = Problem,
         content_type = "application/problem+json"),
    )
)]
#[tracing::instrument(name = "http.comparison.get", skip_all, fields(session.id = %path.id))]
async fn comparison(
    State(app): State<AppState>,
    Path(path): Path<OfSession>,
    Query(query): Query<With>,
) -> Result<Json<Comparison>, Problem> {
    let (first, second) = (find(&app, path.id).await?, find(&app, query.with).await?);
    // Checking the claims takes seconds for large results.
    let comparing = tokio::task::spawn_blocking(move || tarsy_evaluation::compare(&first, &second));
    comparing.await.map(Json).map_err(|error| {
        tracing::error!(%error, "two sessions could not be compared");
        Problem::new(Code::Internal, "the sessions could not be compared")
    })
}

async fn find(app: &AppState, id: SessionId) -> Result<Recording, Problem> {
    app.store.find_recording(id).await?.ok_or_else(|| unknown(id))
}

fn invalid(field: &str, message: String) -> Problem {
    Problem::invalid(vec![FieldError::new(field, message)])
}

fn check_prompts(prompts: &BTreeMap<String, String>) -> Result<(), Problem> {
    if prompts.len() > MAX_PROMPTS {
        return Err(invalid("prompts", format!("has more than {MAX_PROMPTS} templates")));
    }
    let large = prompts.iter().filter(|(_, text)| text.len() > MAX_PROMPT);
    let errors: Vec<FieldError> = large
        .map(|(name, _)| {
            let message = format!("is longer than {MAX_PROMPT} bytes; shorten it");
            FieldError::new(format!("prompts.{name}"), message)
        })
        .collect();
    if errors.is_empty() { Ok(()) } else { Err(Problem::invalid(errors)) }
}
