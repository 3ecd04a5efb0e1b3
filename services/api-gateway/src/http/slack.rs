//! What Slack sends: the use of a button or an input of a message, and messages to the app, over HTTP and over Socket Mode.

mod click;
mod event;
mod receive;
mod socket;

use axum::body::Body;
use axum::extract::{FromRequest as _, Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use http::StatusCode;
use http::request::Parts;
use tarsy_web::{Problem, RawBody};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use self::click::read_form;
use self::event::Received;
use self::receive::{clicked, commanded};
pub(crate) use self::socket::start_socket;
use super::audit_entry::{Entry, client_address};
use crate::slack::SlackApp;
use crate::state::AppState;

pub(super) fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().routes(routes!(interact)).routes(routes!(receive_event))
}

/// Lets a request pass if its signature is Slack's. The headers are read before the body, so that others send none.
pub(super) async fn authorize(
    app: AppState,
    action: &'static str,
    request: Request,
    next: Next,
) -> Response {
    let slack = app.slack.as_deref().filter(|slack| slack.takes_requests());
    let Some(slack) = slack else { return absent().into_response() };
    let (parts, body) = request.into_parts();
    match verified(slack, &parts, body).await {
        Ok(body) => next.run(Request::from_parts(parts, body)).await,
        Err(problem) => {
            app.audit.add_anonymous(Entry::of(action, &parts).build(None, problem.status()));
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
    Problem::not_found("requests of Slack are not configured; see system.slack.signing_secret_env")
}

#[derive(Debug, ToSchema)]
#[expect(dead_code, reason = "describes the body, which is verified as bytes")]
struct InteractionForm {
    /// JSON: an interaction of Slack, of which `block_actions` are read.
    payload: String,
}

/// Takes what Slack sends when somebody uses a button or an input: approves or denies a tool call that waits, reviews or
/// takes a session, or asks a question about one. Slack signs the request. What went wrong is answered to the person in Slack.
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
    if let Some(click) = read_form(&bytes)? {
        clicked(&app, &slack, click, client_address(&parts)).await?;
    }
    Ok(StatusCode::OK)
}

/// Takes what Slack sends of the Events API: messages that mention the app, and messages to it. A listed person's command is kept
/// before it is answered with 200; else Slack sends it again. Slack signs the request.
#[utoipa::path(
    post, path = "/slack/events", tag = "chat", operation_id = "receive_slack_event",
    request_body(content = Object, description = "As Slack sends it: `event_callback` or `url_verification`"),
    responses(
        (status = 200, description = "It was received; the challenge of a `url_verification`", body = String,
         content_type = "text/plain"),
        (status = 400, description = "Not an event of Slack", body = Problem,
         content_type = "application/problem+json"),
        (status = 401, description = "The signature is missing, wrong or old", body = Problem,
         content_type = "application/problem+json"),
        (status = 404, description = "No signing secret or no commands are configured", body = Problem,
         content_type = "application/problem+json"),
    )
)]
#[tracing::instrument(name = "http.slack.event", skip_all)]
async fn receive_event(State(app): State<AppState>, request: Request) -> Result<String, Problem> {
    let slack = app.slack.clone().ok_or_else(absent)?;
    let (parts, body) = request.into_parts();
    let RawBody(bytes) =
        RawBody::from_request(Request::from_parts(parts.clone(), body), &()).await?;
    match event::read(&bytes)? {
        Received::Challenge(challenge) => return Ok(challenge),
        Received::Message(message) => {
            commanded(&app, &slack, &message, client_address(&parts)).await?;
        }
        Received::Other => {}
    }
    Ok(String::new())
}
