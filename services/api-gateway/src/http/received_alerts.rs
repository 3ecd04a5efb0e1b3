//! What alert sources sent, and what was decided about it.

use std::collections::BTreeMap;

use axum::extract::State;
use jiff::Timestamp;
use serde::Serialize;
use tarsy_contracts::alert::AlertLink;
use tarsy_store::{IntakeQuery, ReceivedAlert};
use tarsy_web::{Json, Path, Problem, Query};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use uuid::Uuid;

use crate::http::params::{AlertFilter, AlertPart};
use crate::http::sessions::{OfSession, unknown};
use crate::state::AppState;

pub(super) fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().routes(routes!(of_session)).routes(routes!(list))
}

/// An alert of a source, and what was decided about it.
#[derive(Debug, Serialize, ToSchema)]
struct ReceivedAlertView {
    id: Uuid,
    /// Its place among all; later ones are greater.
    seq: i64,
    /// The source's name in `intake.sources`.
    source: String,
    /// The source's own id of this occurrence.
    source_id: Option<String>,
    /// What all occurrences of the same problem have in common.
    fingerprint: String,
    /// `firing`, `acknowledged` or `resolved`.
    status: &'static str,
    title: String,
    severity: Option<String>,
    service: Option<String>,
    namespace: Option<String>,
    cluster: Option<String>,
    labels: BTreeMap<String, String>,
    annotations: BTreeMap<String, String>,
    links: Vec<AlertLink>,
    #[schema(value_type = Option<String>, format = DateTime)]
    starts_at: Option<Timestamp>,
    #[schema(value_type = Option<String>, format = DateTime)]
    ends_at: Option<Timestamp>,
    /// `problem`, `test`, `heartbeat`, or `not_understood` if no alert could be read from what was sent.
    content: &'static str,
    /// What was cut, folded, left out or read in another form than the usual.
    notes: Vec<String>,
    alert_type: String,
    chain_id: String,
    /// The rule that gave it its type; null if none fitted.
    rule: Option<String>,
    /// `open`, `attach`, `fold`, `resolve`, `stop`, `hold` or `ignore`.
    action: &'static str,
    /// Why, such as `new` or `same_alert`.
    reason: &'static str,
    /// The same as a sentence.
    explanation: String,
    /// The session that it began or belongs to.
    session_id: Option<Uuid>,
    /// The text that the session began with has it.
    in_session_text: bool,
    #[schema(value_type = String, format = DateTime)]
    received_at: Timestamp,
    /// How often the source sent it again.
    repeats: i64,
    #[schema(value_type = String, format = DateTime)]
    last_received_at: Timestamp,
    /// When it had waited long enough and was decided anew, by an alert of its own in this list.
    #[schema(value_type = Option<String>, format = DateTime)]
    released_at: Option<Timestamp>,
}

impl From<ReceivedAlert> for ReceivedAlertView {
    fn from(alert: ReceivedAlert) -> Self {
        Self {
            id: alert.id.into(),
            seq: alert.seq,
            source: alert.source,
            source_id: alert.source_id,
            fingerprint: alert.fingerprint,
            status: alert.status.as_str(),
            title: alert.title,
            severity: alert.severity,
            service: alert.service,
            namespace: alert.namespace,
            cluster: alert.cluster,
            labels: alert.labels,
            annotations: alert.annotations,
            links: alert.links,
            starts_at: alert.starts_at,
            ends_at: alert.ends_at,
            content: alert.content.as_str(),
            notes: alert.notes,
            alert_type: alert.alert_type,
            chain_id: alert.chain_id,
            rule: alert.rule,
            action: alert.decision.action.as_str(),
            reason: alert.decision.reason.as_str(),
            explanation: alert.decision.reason.to_string(),
            session_id: alert.session_id.map(Uuid::from),
            in_session_text: alert.in_session_text,
            received_at: alert.received_at,
            repeats: alert.repeats,
            last_received_at: alert.last_received_at,
            released_at: alert.released_at,
        }
    }
}

/// A part of the alerts of sources.
#[derive(Debug, Serialize, ToSchema)]
struct ReceivedAlerts {
    /// The newest first.
    alerts: Vec<ReceivedAlertView>,
    /// The value of `before` for the next part; null at the end.
    next_before: Option<i64>,
}

/// The alerts that began a session or belong to it, the newest first.
#[utoipa::path(
    get, path = "/sessions/{id}/alerts", tag = "alerts", operation_id = "session_alerts",
    params(("id" = Uuid, Path, description = "The session"), AlertPart),
    responses(
        (status = 200, description = "Its alerts", body = ReceivedAlerts),
        (status = 400, description = "A bad value", body = Problem,
         content_type = "application/problem+json"),
        (status = 404, description = "No such session", body = Problem,
         content_type = "application/problem+json"),
    )
)]
#[tracing::instrument(name = "http.session.alerts", skip_all, fields(session.id = %path.id))]
async fn of_session(
    State(app): State<AppState>,
    Path(path): Path<OfSession>,
    Query(part): Query<AlertPart>,
) -> Result<Json<ReceivedAlerts>, Problem> {
    let query = IntakeQuery { session: Some(path.id), ..part.read()? };
    app.store.find_session_status(path.id).await?.ok_or_else(|| unknown(path.id))?;
    Ok(Json(find(&app, query).await?))
}

/// The alerts of all sources with what was decided about them, the newest first.
#[utoipa::path(
    get, path = "/intake/alerts", tag = "alerts", operation_id = "received_alerts",
    params(AlertFilter),
    responses(
        (status = 200, description = "Alerts", body = ReceivedAlerts),
        (status = 400, description = "A bad value", body = Problem,
         content_type = "application/problem+json"),
    )
)]
#[tracing::instrument(name = "http.intake.list", skip_all)]
async fn list(
    State(app): State<AppState>,
    Query(filter): Query<AlertFilter>,
) -> Result<Json<ReceivedAlerts>, Problem> {
    Ok(Json(find(&app, filter.read()?).await?))
}

async fn find(app: &AppState, query: IntakeQuery) -> Result<ReceivedAlerts, Problem> {
    let limit = query.limit;
    // One more shows whether there is a next part.
    let query = IntakeQuery { limit: limit + 1, ..query };
    let mut found = app.store.list_received_alerts(query).await?;
    let is_last = found.len() <= usize::try_from(limit).unwrap_or(usize::MAX);
    if !is_last {
        found.pop();
    }
    let next_before = found.last().filter(|_| !is_last).map(|last| last.seq);
    Ok(ReceivedAlerts { alerts: found.into_iter().map(Into::into).collect(), next_before })
}
