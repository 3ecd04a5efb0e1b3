//! Submits alerts.

use axum::extract::{FromRequestParts, State};
use http::request::Parts;
use http::{HeaderMap, StatusCode};
use serde::Serialize;
use serde_json::Value;
use tarsy_contracts::work::IdempotencyKey;
use tarsy_domain::code::Code;
use tarsy_store::{NewSession, secret};
use tarsy_web::{Json, Problem};
use tokio::sync::OwnedSemaphorePermit;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use uuid::Uuid;

use crate::access::Principal;
use crate::intake::{self, Error as IntakeError, IntakeOutcome, SenderOf};
use crate::metrics;
use crate::quotas;
use crate::state::AppState;
use crate::submission::{self, Accepted, Submission};

pub(super) fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().routes(routes!(submit))
}

/// An alert that was accepted.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Submitted {
    session_id: Uuid,
    /// Always `queued`.
    #[schema(example = "queued")]
    status: &'static str,
    /// One sentence for a person.
    message: &'static str,
    /// What the alert requests without an effect: native tools beside tool servers, or of a provider that has none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

/// Submits an alert; an investigation is queued for it.
#[utoipa::path(
    post,
    path = "/alerts",
    tag = "alerts",
    operation_id = "submit_alert",
    params(
        ("Idempotency-Key" = Option<String>, Header,
         description = "The same key within 24 hours answers the first session; with another body it is an error")
    ),
    request_body = Submission,
    responses(
        (status = 202, description = "Queued", body = Submitted),
        (status = 400, description = "Something is wrong with the alert; `errors` names each field",
         body = Problem, content_type = "application/problem+json"),
        (status = 403, description = "The token must not submit alerts of this type", body = Problem,
         content_type = "application/problem+json"),
        (status = 409, description = "The `Idempotency-Key` was sent with another body", body = Problem,
         content_type = "application/problem+json"),
        (status = 413, description = "The body is larger than 1 MiB", body = Problem,
         content_type = "application/problem+json"),
        (status = 415, description = "The body is not JSON", body = Problem,
         content_type = "application/problem+json"),
        (status = 429, description = "The sender has submitted too many alerts within a minute, or too many sessions \
         wait for a worker", body = Problem, content_type = "application/problem+json",
         headers(("Retry-After" = u64, description = "Seconds after which it may be accepted"))),
        (status = 503, description = "Not kept; try again after `Retry-After`", body = Problem,
         content_type = "application/problem+json"),
        (status = 504, description = "It is not known whether it was kept; send it again with the same \
         `Idempotency-Key`", body = Problem, content_type = "application/problem+json"),
    )
)]
#[tracing::instrument(name = "http.alert.submit", skip_all)]
async fn submit(
    State(app): State<AppState>,
    principal: Principal,
    headers: HeaderMap,
    slot: Slot,
    Json(body): Json<Value>,
) -> Result<(StatusCode, Json<Submitted>), Problem> {
    let key = headers.get("idempotency-key").map(http::HeaderValue::as_bytes);
    let names_provider = body.get("provider").is_some_and(|provider| !provider.is_null());
    let catalog =
        if names_provider { app.configuration.reported() } else { app.configuration.for_alerts() };
    let catalog = catalog.inspect_err(|_| metrics::alert("failed"))?;
    let accepted =
        submission::read(&body, key, &catalog, principal.sender()).map_err(|errors| {
            metrics::alert("refused");
            Problem::invalid(errors)
        })?;
    check_grant(&principal, &accepted)?;
    let key = accepted.idempotency_key.as_deref();
    let quota = quotas::of_alert(&app, &principal, key);
    let admitted = match key {
        Some(_) => quotas::admit_alert(&app, &principal, key).await,
        // The statement that stores it takes the rest of its quotas, too.
        None => quotas::admit_tokens(&app, &principal).await,
    };
    admitted.inspect_err(|_| metrics::alert("limited"))?;
    let warnings = accepted.warnings();
    let sender = SenderOf { author: principal.name.clone(), principal: principal.scope() };
    let idempotency = accepted.idempotency_key.clone().map(|key| {
        let request_hash = secret::hex_hash(&body.to_string());
        IdempotencyKey { principal: sender.principal.clone(), key, request_hash }
    });
    let session = NewSession { idempotency, ..intake::session(&app, accepted, sender)? };
    let outcome = match intake::submit(&app, session, quota).await {
        Err(refused @ IntakeError::Refused(admission)) => {
            metrics::alert("limited");
            quotas::check_alert(&app, admission)?;
            return Err(refused.into());
        }
        outcome => outcome.inspect_err(|_| metrics::alert("failed"))?,
    };
    drop(slot);
    let (session_id, outcome, message) = match outcome {
        IntakeOutcome::Created(id) => (id, "queued", "the alert is queued for investigation"),
        IntakeOutcome::Existing(id) => {
            (id, "existing", "this alert was submitted before; see its session")
        }
        IntakeOutcome::Queued(id) => {
            (id, "waiting", "the alert is stored when the database is available again")
        }
    };
    metrics::alert(outcome);
    let session_id = session_id.uuid();
    let submitted = Submitted { session_id, status: "queued", message, warnings };
    Ok((StatusCode::ACCEPTED, Json(submitted)))
}

/// Refuses what the sender's token does not include.
fn check_grant(principal: &Principal, accepted: &Accepted) -> Result<(), Problem> {
    let alert_type = &accepted.chain.alert_type;
    if !principal.grant.allows_alert_type(alert_type) {
        metrics::alert("refused");
        let detail =
            format!("alert_type: this token must not submit alerts of the type `{alert_type}`");
        return Err(Problem::new(Code::Forbidden, detail));
    }
    if accepted.submission.provider.is_some() && !principal.grant.allows_choice_of_provider() {
        metrics::alert("refused");
        let detail = "provider: a token for alerts of some types must not choose the provider";
        return Err(Problem::new(Code::Forbidden, detail));
    }
    Ok(())
}

/// A permit to read and store one alert; acquired before the body is read.
pub(super) struct Slot(
    #[expect(dead_code, reason = "held until the alert is stored")] OwnedSemaphorePermit,
);

impl FromRequestParts<AppState> for Slot {
    type Rejection = Problem;

    async fn from_request_parts(_: &mut Parts, app: &AppState) -> Result<Self, Problem> {
        let taken = std::sync::Arc::clone(&app.alert_slots).try_acquire_owned();
        taken.map(Self).map_err(|_| {
            metrics::alert("shed");
            Problem::new(Code::Unavailable, "too many alerts at once; send this one again soon")
        })
    }
}
