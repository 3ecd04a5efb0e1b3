//! What Slack sends when somebody uses a button of a message about a tool call.

use std::time::Duration;

use axum::body::Body;
use axum::extract::{FromRequest as _, Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use http::StatusCode;
use http::request::Parts;
use serde::Deserialize;
use tarsy_contracts::slack::{ButtonValue, decision_of};
use tarsy_domain::access::Permission;
use tarsy_domain::code::Code;
use tarsy_domain::event::ApprovalDecision;
use tarsy_web::{FieldError, Problem, RawBody};
use url::form_urlencoded;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::approvals::{NotDecided, OfApproval, decide_as};
use super::audit_entry::Entry;
use crate::access::Principal;
use crate::slack::SlackApp;
use crate::state::AppState;

/// The most time that the decision may take: Slack shows an error after three seconds.
const DECIDE_TIMEOUT: Duration = Duration::from_secs(2);
/// What the audit log calls it; the same as over REST.
const DECIDE: &str = "decide_approval";

pub(super) fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().routes(routes!(interact))
}

/// Lets a request pass if its signature is Slack's. The headers are read before the body, so that others send none.
pub(super) async fn authorize(
    app: AppState,
    action: &'static str,
    request: Request,
    next: Next,
) -> Response {
    let Some(slack) = app.slack.as_deref() else { return absent().into_response() };
    let (parts, body) = request.into_parts();
    match verified(slack, &parts, body).await {
        Ok(body) => next.run(Request::from_parts(parts, body)).await,
        Err(problem) => {
            app.audit.add(Entry::of(action, &parts).build(None, problem.status()));
            problem.into_response()
        }
    }
}

async fn verified(slack: &SlackApp, parts: &Parts, body: Body) -> Result<Body, Problem> {
    let signed = slack.signed(&parts.headers)?;
    let request = Request::from_parts(parts.clone(), body);
    let RawBody(bytes) = RawBody::from_request(request, &()).await?;
    slack.verify(&signed, &bytes)?;
    Ok(Body::from(bytes))
}

fn absent() -> Problem {
    Problem::not_found("buttons in Slack are not configured; see system.slack.signing_secret_env")
}

/// A form of Slack.
#[derive(Debug, ToSchema)]
#[expect(dead_code, reason = "describes the body, which is verified as bytes")]
struct InteractionForm {
    /// JSON: an interaction of Slack, of which `block_actions` are read.
    payload: String,
}

/// An interaction, as far as it is read.
#[derive(Debug, Deserialize)]
struct Interaction {
    user: Option<Member>,
    #[serde(default)]
    actions: Vec<Action>,
    response_url: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Member {
    id: String,
}

#[derive(Debug, Deserialize)]
struct Action {
    action_id: String,
    value: Option<String>,
}

/// A click on one of our buttons.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Click {
    member_id: String,
    decision: ApprovalDecision,
    approval: OfApproval,
    response_url: Option<String>,
}

/// Takes what Slack sends when somebody uses a button: approves or denies a tool call that waits. Slack signs the
/// request. What went wrong is answered to the person in Slack.
#[utoipa::path(
    post, path = "/slack/interactions", tag = "approvals", operation_id = "receive_slack_interaction",
    request_body(content = InteractionForm, content_type = "application/x-www-form-urlencoded"),
    responses(
        (status = 200, description = "It was received"),
        (status = 400, description = "Not a form with an interaction", body = Problem,
         content_type = "application/problem+json"),
        (status = 401, description = "The signature is missing, wrong or old", body = Problem,
         content_type = "application/problem+json"),
        (status = 404, description = "No signing secret is configured", body = Problem,
         content_type = "application/problem+json"),
    )
)]
#[tracing::instrument(name = "http.slack.interact", skip_all)]
async fn interact(State(app): State<AppState>, request: Request) -> Result<StatusCode, Problem> {
    let slack = app.slack.clone().ok_or_else(absent)?;
    let (parts, body) = request.into_parts();
    let RawBody(bytes) =
        RawBody::from_request(Request::from_parts(parts.clone(), body), &()).await?;
    let Some(click) = read(&bytes)? else { return Ok(StatusCode::OK) };
    let approval = click.approval;
    let path = format!("/api/v1/sessions/{}/approvals/{}", approval.id, approval.approval_id);
    let entry = Entry::of(DECIDE, &parts).about(path);
    let Some(principal) = slack.principal(&click.member_id) else {
        let user = format!("slack:{}", click.member_id);
        app.audit.add(entry.build_for_user(Some(user), StatusCode::FORBIDDEN));
        slack.reply(click.response_url.as_deref(), unlisted(&click.member_id));
        return Ok(StatusCode::OK);
    };
    match decided(&app, &principal, &click).await {
        Ok((status, text)) => {
            app.audit.add(entry.build(Some(&principal), status));
            if let Some(text) = text {
                slack.reply(click.response_url.as_deref(), text);
            }
            Ok(StatusCode::OK)
        }
        // Slack shows an error, and the person may try again.
        Err(problem) => {
            app.audit.add(entry.build(Some(&principal), problem.status()));
            Err(problem)
        }
    }
}

/// Decides as the person, and returns the status for the audit log and the answer for the person.
async fn decided(
    app: &AppState,
    principal: &Principal,
    click: &Click,
) -> Result<(StatusCode, Option<String>), Problem> {
    if !principal.grant.allows(Permission::ApproveCall) {
        let role = Permission::ApproveCall.least_role();
        let text = format!("Your role in TARSy does not allow this; it takes the role {role}.");
        return Ok((StatusCode::FORBIDDEN, Some(text)));
    }
    let decision = decide_as(app, principal, click.approval, click.decision);
    let late = |_| Problem::new(Code::Timeout, "the database did not answer in time; try again");
    match tokio::time::timeout(DECIDE_TIMEOUT, decision).await.map_err(late)? {
        // notifier changes the message.
        Ok(_) => Ok((StatusCode::OK, None)),
        Err(NotDecided::Closed(why)) => {
            Ok((StatusCode::CONFLICT, Some(format!("Your click changed nothing: {why}."))))
        }
        Err(NotDecided::NotFound(_)) => {
            let text = "Your click changed nothing: TARSy does not know this call any more.";
            Ok((StatusCode::NOT_FOUND, Some(text.to_owned())))
        }
        Err(NotDecided::Failed(error)) => Err(error.into()),
    }
}

fn unlisted(member_id: &str) -> String {
    format!(
        "TARSy does not know you. An administrator can add your member id {member_id} to system.slack.users, with a \
         role."
    )
}

/// The click that a form carries; none if it is about something else, such as a link.
fn read(form: &[u8]) -> Result<Option<Click>, Problem> {
    let wrong =
        |message: &str| Problem::invalid(vec![FieldError::new("payload", message.to_owned())]);
    let payload = form_urlencoded::parse(form).find(|(name, _)| name == "payload");
    let (_, payload) = payload.ok_or_else(|| wrong("is missing; send a form of Slack"))?;
    let interaction: Interaction =
        serde_json::from_str(&payload).map_err(|_| wrong("is not an interaction of Slack"))?;
    let Some(member) = interaction.user else { return Ok(None) };
    let found = interaction.actions.iter().find_map(|action| {
        let decision = decision_of(&action.action_id)?;
        Some((decision, ButtonValue::parse(action.value.as_deref()?)?))
    });
    Ok(found.map(|(decision, value)| Click {
        member_id: member.id.chars().filter(char::is_ascii_alphanumeric).take(32).collect(),
        decision,
        approval: OfApproval { id: value.session_id, approval_id: value.approval_id },
        response_url: interaction.response_url,
    }))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use tarsy_domain::id::{ApprovalId, SessionId};

    use super::*;

    fn form(payload: &Value) -> String {
        let mut form = form_urlencoded::Serializer::new(String::new());
        form.append_pair("payload", &payload.to_string());
        form.finish()
    }

    #[test]
    fn a_click_names_who_decided_what() {
        let (session_id, approval_id) = (SessionId::new(), ApprovalId::new());
        let value = ButtonValue { session_id, approval_id }.to_string();
        let payload = json!({
            "type": "block_actions", "user": {"id": "U1", "name": "anna"}, "response_url": "https://a",
            "actions": [{"action_id": "tarsy_deny", "value": value, "type": "button"}],
        });
        let click = read(form(&payload).as_bytes()).unwrap().unwrap();
        assert_eq!((click.member_id.as_str(), click.decision), ("U1", ApprovalDecision::Denied));
        assert_eq!(click.approval, OfApproval { id: session_id, approval_id });
    }

    #[test]
    fn what_is_not_about_our_buttons_is_ignored_and_nonsense_refused() {
        for other in [
            json!({"type": "view_submission"}),
            json!({"user": {"id": "U1"}, "actions": [{"action_id": "open"}]}),
            json!({"user": {"id": "U1"}, "actions": [{"action_id": "tarsy_deny", "value": "x"}]}),
        ] {
            assert_eq!(read(form(&other).as_bytes()).unwrap(), None, "{other}");
        }
        for wrong in ["", "payload", "payload=%7B", "payload=[1]", "other=1"] {
            assert!(read(wrong.as_bytes()).is_err(), "{wrong}");
        }
    }
}
