//! The prose of postmortems: asked of a model, and edited by people.

use axum::extract::State;
use http::StatusCode;
use serde_json::Value;
use tarsy_contracts::postmortem::ProseTexts;
use tarsy_domain::code::Code;
use tarsy_store::{MAX_PROSE_REQUESTS, NewProse, ProseRequest};
use tarsy_web::{FieldError, Json, Path, Problem};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::access::Principal;
use crate::http::postmortem::compose;
use crate::http::sessions::{OfSession, unknown};
use crate::postmortem;
use crate::state::AppState;
use crate::submission::check::{Checker, kind};

/// Characters of a section that a person writes.
const MAX_SECTION: usize = 8_000;
const SECTIONS: [&str; 3] = ["summary", "what_happened", "lessons"];

pub(super) fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().routes(routes!(request, edit))
}

/// A request for prose.
#[derive(Debug, ToSchema)]
#[expect(dead_code, reason = "describes the body, which is checked member by member")]
struct ProseOrder {
    /// Whether the text of a person may be replaced; false without it.
    replace: Option<bool>,
}

/// Has a model write the prose of the postmortem from the facts of the session's record, in the place of what it wrote before.
/// It is the model that writes the chain's executive summaries, as it is configured now.
#[utoipa::path(
    post, path = "/sessions/{id}/postmortem/prose", tag = "sessions", operation_id = "request_postmortem_prose",
    params(("id" = Uuid, Path, description = "The session")),
    request_body = ProseOrder,
    responses(
        (status = 202, description = "It will be written; the postmortem has how far it is"),
        (status = 400, description = "Something is wrong with the body", body = Problem,
         content_type = "application/problem+json"),
        (status = 404, description = "No such session", body = Problem,
         content_type = "application/problem+json"),
        (status = 409, description = "The session has not ended, its prose is being written, a person has edited it, it was asked \
            for too often, or no model is configured", body = Problem, content_type = "application/problem+json"),
    )
)]
#[tracing::instrument(name = "http.postmortem.request_prose", skip_all, fields(session.id = %path.id))]
async fn request(
    State(app): State<AppState>,
    Path(path): Path<OfSession>,
    principal: Principal,
    Json(body): Json<Value>,
) -> Result<StatusCode, Problem> {
    let replaces_edited = read_order(&body).map_err(Problem::invalid)?;
    let made = compose(&app, &[path.id]).await?;
    let session = app.store.find_session(path.id).await?.ok_or_else(|| unknown(path.id))?;
    let Some(writer) = app.catalog().resolve_writer(&session.chain_id, app.clock.now()) else {
        let chain = &session.chain_id;
        return Err(refused(format!(
            "the chain {chain} has no model that writes; name one in executive_summary_provider or llm_provider"
        )));
    };
    let writer = serde_json::to_value(&writer).map_err(|error| {
        tracing::error!(%error, "who writes cannot be written");
        Problem::new(Code::Internal, "who writes cannot be written; the log has the reason")
    })?;
    let new = NewProse {
        session_id: path.id,
        writer,
        facts: postmortem::facts(&made),
        requested_by: principal.name,
        replaces_edited,
    };
    match app.store.request_prose(new).await? {
        ProseRequest::Added => Ok(StatusCode::ACCEPTED),
        ProseRequest::NotEnded(status) => {
            Err(refused(format!("the session is {status}; ask when it is over")))
        }
        ProseRequest::Running => {
            Err(refused("the prose is being written; wait for its end".to_owned()))
        }
        ProseRequest::Edited => Err(refused(
            "a person has edited the prose; send {\"replace\": true} to replace it".to_owned(),
        )),
        ProseRequest::TooMany => Err(refused(format!(
            "the prose was asked for {MAX_PROSE_REQUESTS} times; edit it instead"
        ))),
        ProseRequest::NotFound => Err(unknown(path.id)),
    }
}

/// Keeps a person's version of the prose, which is shown in the place of the model's.
#[utoipa::path(
    put, path = "/sessions/{id}/postmortem/prose", tag = "sessions", operation_id = "edit_postmortem_prose",
    params(("id" = Uuid, Path, description = "The session")),
    request_body = ProseTexts,
    responses(
        (status = 204, description = "It is kept"),
        (status = 400, description = "Something is wrong with a text", body = Problem,
         content_type = "application/problem+json"),
        (status = 404, description = "No such session", body = Problem,
         content_type = "application/problem+json"),
        (status = 409, description = "No model has written it", body = Problem,
         content_type = "application/problem+json"),
    )
)]
#[tracing::instrument(name = "http.postmortem.edit_prose", skip_all, fields(session.id = %path.id))]
async fn edit(
    State(app): State<AppState>,
    Path(path): Path<OfSession>,
    principal: Principal,
    Json(body): Json<Value>,
) -> Result<StatusCode, Problem> {
    let [summary, what_happened, lessons] = read_texts(&body).map_err(Problem::invalid)?;
    let texts = ProseTexts {
        summary: app.masker.mask(summary)?,
        what_happened: app.masker.mask(what_happened)?,
        lessons: app.masker.mask(lessons)?,
    };
    if app.store.edit_prose(path.id, &texts, &principal.name).await? {
        return Ok(StatusCode::NO_CONTENT);
    }
    app.store.find_session_status(path.id).await?.ok_or_else(|| unknown(path.id))?;
    Err(refused("no model has written the prose; ask for it first".to_owned()))
}

fn refused(detail: String) -> Problem {
    Problem::new(Code::Conflict, detail)
}

fn read_order(body: &Value) -> Result<bool, Vec<FieldError>> {
    let mut check = Checker::default();
    let Some(object) = body.as_object() else {
        return Err(vec![FieldError::new("body", format!("is {}; send {{}}", kind(body)))]);
    };
    check.known("", object, &["replace"]);
    let replace = match object.get("replace") {
        None | Some(Value::Null) => false,
        Some(Value::Bool(replace)) => *replace,
        Some(other) => {
            check.wrong("replace", format!("is {}; write true or false", kind(other)));
            false
        }
    };
    if check.errors.is_empty() { Ok(replace) } else { Err(check.errors) }
}

fn read_texts(body: &Value) -> Result<[String; 3], Vec<FieldError>> {
    let mut check = Checker::default();
    let Some(object) = body.as_object() else {
        let message = format!("is {}; send summary, what_happened and lessons", kind(body));
        return Err(vec![FieldError::new("body", message)]);
    };
    check.known("", object, &SECTIONS);
    let texts = SECTIONS.map(|name| match object.get(name) {
        Some(Value::String(text)) => {
            if text.contains('\0') {
                check.wrong(name, "has a NUL character; leave it out");
            } else if text.chars().count() > MAX_SECTION {
                check.wrong(name, format!("is too long; write at most {MAX_SECTION} characters"));
            }
            text.trim().to_owned()
        }
        None => {
            check.wrong(name, "is missing; an empty text is one, too");
            String::new()
        }
        Some(other) => {
            check.wrong(name, format!("is {}; write a text", kind(other)));
            String::new()
        }
    });
    if check.errors.is_empty() && texts.iter().all(String::is_empty) {
        check.wrong("body", "has no text; write one of the sections");
    }
    if check.errors.is_empty() { Ok(texts) } else { Err(check.errors) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn all_that_is_wrong_with_an_edit_is_named() {
        let fields = |body: Value| -> Vec<String> {
            read_texts(&body).unwrap_err().into_iter().map(|error| error.field).collect()
        };
        let whole = |summary: &str| json!({"summary": summary, "what_happened": "", "lessons": ""});
        assert_eq!(fields(json!("x")), ["body"]);
        assert_eq!(fields(whole(" ")), ["body"]);
        assert_eq!(
            fields(json!({"summary": 1, "lessons": "a\0", "x": 1})),
            ["x", "summary", "what_happened", "lessons"]
        );
        assert_eq!(fields(whole(&"x".repeat(MAX_SECTION + 1))), ["summary"]);
        assert_eq!(read_texts(&whole(" It broke. ")).unwrap()[0], "It broke.");
    }

    #[test]
    fn a_request_may_replace_an_edit() {
        assert!(!read_order(&json!({})).unwrap());
        assert!(read_order(&json!({"replace": true})).unwrap());
        for body in [json!([]), json!({"replace": "yes"}), json!({"replaces": true})] {
            assert_eq!(read_order(&body).unwrap_err().len(), 1, "{body}");
        }
    }
}
