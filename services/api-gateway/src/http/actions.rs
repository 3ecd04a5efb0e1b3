//! Calls that changed something, and their rollbacks, which people begin.

use axum::extract::State;
use http::StatusCode;
use serde::{Deserialize, Serialize};
use tarsy_contracts::action::Action;
use tarsy_domain::action::ActionState;
use tarsy_domain::code::Code;
use tarsy_domain::id::{ActionId, SessionId, StageId};
use tarsy_domain::status::SessionStatus;
use tarsy_store::{Decider, RollbackOutcome};
use tarsy_web::{Json, Path, Problem};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use uuid::Uuid;

use crate::access::Principal;
use crate::notices::Notice;
use crate::state::AppState;

pub(super) fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().routes(routes!(roll_back))
}

/// What the audit log calls it.
pub(super) const ROLL_BACK: &str = "roll_back_action";

/// The action that a path names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub(super) struct OfAction {
    pub(super) id: SessionId,
    pub(super) action_id: ActionId,
}

#[derive(Debug, Serialize, ToSchema)]
struct BegunRollback {
    /// The stage in which the call is made.
    stage_id: Uuid,
    /// The action that is taken back.
    action: Action,
}

/// Takes an action back by the call that its agent gave for that, once the session is over. Whoever sends this approves that
/// call; its effect is checked like that of any other.
#[utoipa::path(
    post, path = "/sessions/{id}/actions/{action_id}/rollback", tag = "actions", operation_id = "roll_back_action",
    params(
        ("id" = Uuid, Path, description = "The session"),
        ("action_id" = Uuid, Path, description = "The action"),
    ),
    responses(
        (status = 202, description = "The call will be made", body = BegunRollback),
        (status = 404, description = "The session has no such action", body = Problem,
         content_type = "application/problem+json"),
        (status = 409, description = "It has no rollback, was not made, or is taken back already; the session is not over; or \
            a question about it is being answered", body = Problem, content_type = "application/problem+json"),
    )
)]
#[tracing::instrument(name = "http.action.roll_back", skip_all, fields(session.id = %path.id))]
async fn roll_back(
    State(app): State<AppState>,
    principal: Principal,
    Path(path): Path<OfAction>,
) -> Result<(StatusCode, Json<BegunRollback>), Problem> {
    let (action, stage_id) = roll_back_as(&app, &principal, path).await?;
    let begun = BegunRollback { stage_id: stage_id.uuid(), action };
    Ok((StatusCode::ACCEPTED, Json(begun)))
}

/// Has an action taken back for a sender that may: over REST, or with a button in Slack.
pub(super) async fn roll_back_as(
    app: &AppState,
    principal: &Principal,
    of: OfAction,
) -> Result<(Action, StageId), Problem> {
    let person = Decider { name: &principal.name, with: principal.credential.kind() };
    match app.store.begin_rollback(of.id, of.action_id, person).await? {
        RollbackOutcome::Begun { action, stage_id, events } => {
            app.publisher.publish(events);
            app.notices.send(Notice::QuestionAsked(of.id));
            Ok((*action, stage_id))
        }
        RollbackOutcome::NotFound => {
            let (id, session) = (of.action_id, of.id);
            Err(Problem::not_found(format!("the session {session} has no action {id}")))
        }
        RollbackOutcome::NotOpen(SessionStatus::Cancelled) => {
            Err(refused("the session was cancelled; take the call back by hand".to_owned()))
        }
        RollbackOutcome::NotOpen(status) => {
            Err(refused(format!("the session is {status}; try again when it is over")))
        }
        RollbackOutcome::Busy => {
            let text = "a question about the session is being answered, or another action taken back; wait for its end";
            Err(refused(text.to_owned()))
        }
        RollbackOutcome::NotPossible(action) => Err(refused(why_not(&action))),
    }
}

fn refused(text: String) -> Problem {
    Problem::new(Code::Conflict, text)
}

/// Why an action cannot be taken back.
fn why_not(action: &Action) -> String {
    if let Some(by) = &action.rollback_by {
        return format!("it is taken back already, by {by}");
    }
    match action.state {
        ActionState::NotMade => "the call was not made".to_owned(),
        ActionState::Open => "the call is not checked yet".to_owned(),
        ActionState::Ended if action.plan.rollback.is_none() => {
            "its agent gave no rollback".to_owned()
        }
        ActionState::Ended => "it cannot be taken back".to_owned(),
    }
}
