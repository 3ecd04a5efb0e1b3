//! The state of work on sessions: who has taken which, what is done, and notes.

use axum::extract::State;
use serde_json::Value;
use tarsy_contracts::triage::SessionTriage;
use tarsy_domain::code::Code;
use tarsy_domain::id::{SessionId, TriageEntryId};
use tarsy_domain::triage::Triage;
use tarsy_store::{MAX_TRIAGE_ENTRIES, TriageChange, TriageOutcome};
use tarsy_web::{FieldError, Json, Path, Problem};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use uuid::Uuid;

use crate::access::Principal;
use crate::http::sessions::{OfSession, unknown};
use crate::masking;
use crate::metrics;
use crate::notices::Notice;
use crate::state::AppState;
use crate::submission::check::{Checker, kind};

/// What the audit log calls a change, over REST and from Slack.
pub(super) const TRIAGE_ACTION: &str = "triage_session";

const MAX_NOTE: usize = 4_000;
const MAX_ASSIGNEE: usize = 200;

pub(super) fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().routes(routes!(find, change))
}

/// The state of work on a session, with its changes and notes.
#[utoipa::path(
    get, path = "/sessions/{id}/triage", tag = "sessions", operation_id = "get_triage",
    params(("id" = Uuid, Path, description = "The session")),
    responses(
        (status = 200, description = "The state, and how it came to be", body = SessionTriage),
        (status = 404, description = "No such session", body = Problem,
         content_type = "application/problem+json"),
    )
)]
#[tracing::instrument(name = "http.triage.get", skip_all, fields(session.id = %path.id))]
async fn find(
    State(app): State<AppState>,
    Path(path): Path<OfSession>,
) -> Result<Json<SessionTriage>, Problem> {
    let found = app.store.find_triage(path.id).await?;
    Ok(Json(found.ok_or_else(|| unknown(path.id))?))
}

/// A change of the state of work, a note, or both.
#[derive(Debug, ToSchema)]
#[expect(dead_code, reason = "describes the body, which is checked member by member")]
struct TriageBody {
    /// A UUID of the sender: a request that is sent again with it changes nothing. Without it, each note is a new one.
    id: Option<Uuid>,
    /// `new`, `taken` or `done`; without it, the state stays.
    #[schema(example = "taken")]
    triage: Option<String>,
    /// With `taken`: who is to work on it; the sender without it.
    #[schema(min_length = 1, max_length = 200)]
    assignee: Option<String>,
    /// A note; secrets in it are masked.
    #[schema(min_length = 1, max_length = 4_000)]
    note: Option<String>,
    /// Whether to change what another person has taken or done.
    take_over: Option<bool>,
}

/// Takes a session, gives it back, assigns it to somebody, marks it as done, opens it again, or adds a note. What is so already
/// stays as it is.
#[utoipa::path(
    post, path = "/sessions/{id}/triage", tag = "sessions", operation_id = "triage_session",
    params(("id" = Uuid, Path, description = "The session")),
    request_body = TriageBody,
    responses(
        (status = 200, description = "It is so now", body = SessionTriage),
        (status = 400, description = "Something is wrong with the change", body = Problem,
         content_type = "application/problem+json"),
        (status = 404, description = "No such session", body = Problem,
         content_type = "application/problem+json"),
        (status = 409, description = "Another person has taken or done it, the id was sent with another change, or the session \
            has too many entries", body = Problem, content_type = "application/problem+json"),
    )
)]
#[tracing::instrument(name = "http.triage.change", skip_all, fields(session.id = %path.id))]
async fn change(
    State(app): State<AppState>,
    Path(path): Path<OfSession>,
    principal: Principal,
    Json(body): Json<Value>,
) -> Result<Json<SessionTriage>, Problem> {
    let given = read(&body).map_err(Problem::invalid)?;
    Ok(Json(triage_as(&app, &principal, path.id, given).await?))
}

/// What a person does about a session, as it was sent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct GivenTriage {
    pub(super) id: Option<TriageEntryId>,
    pub(super) triage: Option<Triage>,
    pub(super) assignee: Option<String>,
    pub(super) note: Option<String>,
    pub(super) takes_over: bool,
}

/// Why nothing changed.
#[derive(Debug)]
pub(super) enum NotTriaged {
    /// Another person has it, or it has too many entries; which of them.
    Refused(String),
    NotFound(SessionId),
    Masking(masking::Error),
    Failed(tarsy_store::Error),
}

impl From<NotTriaged> for Problem {
    fn from(reason: NotTriaged) -> Self {
        match reason {
            NotTriaged::Refused(detail) => Self::new(Code::Conflict, detail),
            NotTriaged::NotFound(id) => unknown(id),
            NotTriaged::Masking(error) => error.into(),
            NotTriaged::Failed(error) => error.into(),
        }
    }
}

/// Does what a sender that may wants: over REST, or with a button in Slack.
pub(super) async fn triage_as(
    app: &AppState,
    principal: &Principal,
    session_id: SessionId,
    given: GivenTriage,
) -> Result<SessionTriage, NotTriaged> {
    let note = given.note.map(|note| app.masker.mask(note)).transpose();
    let change = TriageChange {
        session_id,
        entry_id: given.id.unwrap_or_else(TriageEntryId::new),
        author: principal.name.clone(),
        triage: given.triage,
        assignee: given.assignee,
        note: note.map_err(NotTriaged::Masking)?,
        takes_over: given.takes_over,
    };
    match app.store.change_triage(change).await.map_err(NotTriaged::Failed)? {
        TriageOutcome::Changed { triage, events } => {
            metrics::triage(given.triage.map_or("note", Triage::as_str));
            app.publisher.publish(events);
            app.notices.send(Notice::Triage(session_id, triage.triage));
            Ok(triage)
        }
        TriageOutcome::Unchanged(triage) => Ok(triage),
        TriageOutcome::Held { by, triage } => {
            Err(NotTriaged::Refused(format!("{triage} by {by}; take it over to change it")))
        }
        TriageOutcome::OtherEntry => Err(NotTriaged::Refused(
            "id: was sent with another change; send each change under an id of its own".to_owned(),
        )),
        TriageOutcome::TooMany => Err(NotTriaged::Refused(format!(
            "the session has {MAX_TRIAGE_ENTRIES} changes and notes; no more are kept"
        ))),
        TriageOutcome::NotFound => Err(NotTriaged::NotFound(session_id)),
    }
}

fn read(body: &Value) -> Result<GivenTriage, Vec<FieldError>> {
    let mut check = Checker::default();
    let Some(object) = body.as_object() else {
        let message = format!("is {}; send {{\"triage\": \"taken\"}}", kind(body));
        return Err(vec![FieldError::new("body", message)]);
    };
    check.known("", object, &["id", "triage", "assignee", "note", "take_over"]);
    let word = |field: &str| object.get(field).filter(|value| !value.is_null());
    let id = word("id").and_then(|value| {
        let id = value.as_str().and_then(|text| text.parse().ok());
        if id.is_none() {
            check.wrong("id", "write a UUID, or leave it out");
        }
        id
    });
    let triage = word("triage").and_then(|value| {
        let triage = value.as_str().and_then(|text| text.parse().ok());
        if triage.is_none() {
            check.wrong("triage", "write new, taken or done, or leave it out");
        }
        triage
    });
    let assignee = check.text(object, "assignee", MAX_ASSIGNEE);
    let note = check.text(object, "note", MAX_NOTE);
    let takes_over = check.flag("take_over", object.get("take_over")).unwrap_or_default();
    if assignee.is_some() && triage.is_some_and(|triage| triage != Triage::Taken)
        || assignee.is_some() && word("triage").is_none()
    {
        check.wrong("assignee", "goes with triage taken; leave it out");
    }
    if word("triage").is_none() && note.is_none() && check.errors.is_empty() {
        check.wrong("triage", "is missing; write new, taken or done, or a note");
    }
    if check.errors.is_empty() {
        Ok(GivenTriage { id, triage, assignee, note, takes_over })
    } else {
        Err(check.errors)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_change_is_read_with_its_note() {
        let id = TriageEntryId::new();
        let body = json!({
            "id": id, "triage": "taken", "assignee": " bob ", "note": "looks like the disk", "take_over": true,
        });
        let expected = GivenTriage {
            id: Some(id),
            triage: Some(Triage::Taken),
            assignee: Some("bob".to_owned()),
            note: Some("looks like the disk".to_owned()),
            takes_over: true,
        };
        assert_eq!(read(&body).unwrap(), expected);
        let note = read(&json!({"note": "seen", "triage": null})).unwrap();
        assert_eq!((note.triage, note.note.as_deref()), (None, Some("seen")));
    }

    #[test]
    fn all_that_is_wrong_with_a_change_is_named() {
        let fields = |body: Value| -> Vec<String> {
            read(&body).unwrap_err().into_iter().map(|error| error.field).collect()
        };
        assert_eq!(fields(json!("taken")), ["body"]);
        assert_eq!(fields(json!({})), ["triage"]);
        assert_eq!(fields(json!({"triage": "open", "state": "new"})), ["state", "triage"]);
        assert_eq!(fields(json!({"triage": "done", "assignee": "bob"})), ["assignee"]);
        assert_eq!(fields(json!({"note": "x", "assignee": "bob"})), ["assignee"]);
        let wrong = json!({
            "id": "7", "triage": 1, "assignee": "x".repeat(201), "note": "x".repeat(4_001), "take_over": "yes",
        });
        assert_eq!(fields(wrong), ["id", "triage", "assignee", "note", "take_over"]);
    }
}
