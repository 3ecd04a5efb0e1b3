//! The postmortem of an incident, made of the records of its sessions.

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::{HeaderMap, header};
use serde::Deserialize;
use tarsy_contracts::postmortem::Postmortem;
use tarsy_domain::code::Code;
use tarsy_domain::id::SessionId;
use tarsy_web::{FieldError, Json, Path, Problem, Query};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::http::query_text::{given, quoted};
use crate::http::sessions::{OfSession, unknown};
use crate::postmortem::{self, MAX_SESSIONS, Record};
use crate::state::AppState;

const MARKDOWN: &str = "text/markdown";

pub(super) fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().routes(routes!(find))
}

/// What a postmortem is made of, and how it is written.
// Imported, the derive would make the paths that `utoipa::path` expands to unneeded, which is a warning.
#[derive(Debug, Default, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
struct PostmortemParams {
    /// Further sessions of the same incident, at most 9, separated by commas.
    with: Option<String>,
    /// `json` or `markdown`; without it as `Accept` says, and JSON without that.
    format: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Json,
    Markdown,
}

/// The postmortem of the incident that a session is about, made of its record by rules: what happened and when, the cause, what
/// helped, what was missing, and what is left to do. It says what a person has to write.
#[utoipa::path(
    get, path = "/sessions/{id}/postmortem", tag = "sessions", operation_id = "session_postmortem",
    params(("id" = Uuid, Path, description = "The session"), PostmortemParams),
    responses(
        (status = 200, description = "The postmortem", content((Postmortem = "application/json"), (String = "text/markdown"))),
        (status = 400, description = "A bad value", body = Problem,
         content_type = "application/problem+json"),
        (status = 404, description = "No such session", body = Problem,
         content_type = "application/problem+json"),
        (status = 409, description = "A session is not over", body = Problem,
         content_type = "application/problem+json"),
    )
)]
#[tracing::instrument(name = "http.session.postmortem", skip_all, fields(session.id = %path.id))]
async fn find(
    State(app): State<AppState>,
    Path(path): Path<OfSession>,
    Query(params): Query<PostmortemParams>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let (sessions, format) = read(path.id, &params, &headers)?;
    let mut made = compose(&app, &sessions).await?;
    if let [only] = sessions.as_slice() {
        // A model is given the facts of one session.
        made.prose = app.store.find_prose(*only).await?;
    }
    if made.prose.is_some() {
        let facts = postmortem::facts(&made);
        made.prose.iter_mut().for_each(|prose| prose.outdated = prose.facts != facts);
    }
    Ok(match format {
        Format::Json => Json(made).into_response(),
        Format::Markdown => {
            let kind = [(header::CONTENT_TYPE, "text/markdown; charset=utf-8")];
            (kind, postmortem::markdown(&made)).into_response()
        }
    })
}

/// What rules make of sessions, the first of which exists.
pub(super) async fn compose(app: &AppState, sessions: &[SessionId]) -> Result<Postmortem, Problem> {
    let mut records = Vec::with_capacity(sessions.len());
    for id in sessions {
        records.push(record(app, *id).await?);
    }
    let related = app.store.list_related_sessions(sessions).await?;
    let missing = || Problem::new(Code::NotFound, "no such session");
    postmortem::compose(&records, related).ok_or_else(missing)
}

/// The sessions, each once, and the format; or all that is wrong with them.
fn read(
    id: SessionId,
    params: &PostmortemParams,
    headers: &HeaderMap,
) -> Result<(Vec<SessionId>, Format), Problem> {
    let mut errors = Vec::new();
    let mut sessions = vec![id];
    let others = given(params.with.as_ref()).unwrap_or_default().split(',').map(str::trim);
    for text in others.filter(|text| !text.is_empty()) {
        match text.parse() {
            Ok(other) if sessions.contains(&other) => {}
            Ok(other) => sessions.push(other),
            Err(_) => {
                let message = format!("has {}; write ids of sessions", quoted(text));
                errors.push(FieldError::new("with", message));
            }
        }
    }
    if sessions.len() > MAX_SESSIONS {
        let message = format!(
            "has {} further sessions; write at most {}",
            sessions.len() - 1,
            MAX_SESSIONS - 1
        );
        errors.push(FieldError::new("with", message));
    }
    let accepted = headers.get(header::ACCEPT).and_then(|value| value.to_str().ok());
    let format = match given(params.format.as_ref()) {
        Some("json") => Format::Json,
        Some("markdown") => Format::Markdown,
        Some(other) => {
            let message = format!("is {}; write json or markdown", quoted(other));
            errors.push(FieldError::new("format", message));
            Format::Json
        }
        None if accepted.is_some_and(prefers_markdown) => Format::Markdown,
        None => Format::Json,
    };
    if errors.is_empty() { Ok((sessions, format)) } else { Err(Problem::invalid(errors)) }
}

/// Whether the first of the types that are accepted and can be had is Markdown.
fn prefers_markdown(accepted: &str) -> bool {
    let mut types = accepted.split(',').map(|one| one.split(';').next().unwrap_or_default().trim());
    types.find(|one| matches!(*one, MARKDOWN | "application/json" | "application/*" | "*/*"))
        == Some(MARKDOWN)
}

async fn record(app: &AppState, id: SessionId) -> Result<Record, Problem> {
    let detail = app.store.find_session_detail(id).await?.ok_or_else(|| unknown(id))?;
    if !detail.item.status.is_terminal() {
        let text = format!("the session {id} is {}; try again when it is over", detail.item.status);
        return Err(Problem::new(Code::Conflict, text));
    }
    let triage = app.store.find_triage(id).await?.ok_or_else(|| unknown(id))?;
    let reviews = app.store.list_reviews(id).await?.unwrap_or_default();
    let dashboard = app.catalog().system.dashboard_url.clone();
    Ok(Record {
        facts: app.store.find_incident_facts(id).await?,
        detail,
        triage,
        review: reviews.into_iter().next(),
        page: format!("{}/sessions/{id}", dashboard.trim_end_matches('/')),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accepting(accepted: &str) -> HeaderMap {
        HeaderMap::from_iter([(header::ACCEPT, accepted.parse().unwrap())])
    }

    fn params(with: &str, format: &str) -> PostmortemParams {
        PostmortemParams { with: Some(with.to_owned()), format: Some(format.to_owned()) }
    }

    #[test]
    fn the_format_is_that_of_the_query_or_of_the_accepted_type() {
        let id = SessionId::new();
        for (accepted, expected) in [
            ("*/*", Format::Json),
            ("text/markdown", Format::Markdown),
            ("text/html, text/markdown;q=0.9, */*;q=0.1", Format::Markdown),
            ("application/json, text/markdown", Format::Json),
        ] {
            let (_, format) = read(id, &PostmortemParams::default(), &accepting(accepted)).unwrap();
            assert_eq!(format, expected, "{accepted}");
        }
        let (_, format) = read(id, &params("", "json"), &accepting("text/markdown")).unwrap();
        assert_eq!(format, Format::Json);
    }

    #[test]
    fn each_session_counts_once_and_all_errors_are_listed() {
        let (id, other) = (SessionId::new(), SessionId::new());
        let (sessions, _) =
            read(id, &params(&format!("{other}, {id},{other}"), ""), &HeaderMap::new()).unwrap();
        assert_eq!(sessions, [id, other]);
        let many: Vec<_> = (0..10).map(|_| SessionId::new().to_string()).collect();
        let wrong = read(id, &params(&format!("7,{}", many.join(",")), "pdf"), &HeaderMap::new());
        let problem = wrong.unwrap_err();
        let fields: Vec<_> = problem.errors().iter().map(|error| error.field.as_str()).collect();
        assert_eq!(fields, ["with", "with", "format"]);
    }
}
