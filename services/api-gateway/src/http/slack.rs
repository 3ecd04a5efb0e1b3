//! What Slack sends when somebody uses a button or an input of a message about a tool call, or about the end of a session.

mod click;

use std::time::Duration;

use axum::body::Body;
use axum::extract::{FromRequest as _, Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use http::StatusCode;
use http::request::Parts;
use tarsy_domain::code::Code;
use tarsy_domain::event::ApprovalDecision;
use tarsy_domain::id::SessionId;
use tarsy_domain::review::Review;
use tarsy_store::DecidedCall;
use tarsy_web::{Problem, RawBody};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use self::click::{Button, TriageClick, read};
use super::approvals::{NotDecided, OfApproval, audited, decide_as};
use super::audit_entry::Entry;
use super::chat::{ask_as, read_text};
use super::reviews::{GivenReview, NotReviewed, review_as};
use super::triage::{GivenTriage, NotTriaged, triage_as};
use crate::access::Principal;
use crate::slack::SlackApp;
use crate::state::AppState;

/// The most time that the change may take: Slack shows an error after three seconds.
const DECIDE_TIMEOUT: Duration = Duration::from_secs(2);

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
    Problem::not_found("buttons in Slack are not configured; see system.slack.signing_secret_env")
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
    let Some(click) = read(&bytes)? else { return Ok(StatusCode::OK) };
    let (action, path) = click.button.audited();
    let entry = Entry::of(action, &parts).about(path);
    let place = app.audit.reserve().await?;
    let Some(principal) = slack.principal(&click.member_id) else {
        let user = format!("slack:{}", click.member_id);
        place.add(entry.build_for_user(Some(user), StatusCode::FORBIDDEN));
        slack.reply(click.response_url.as_deref(), unlisted(&click.member_id));
        return Ok(StatusCode::OK);
    };
    match done(&app, &slack, &principal, click.button).await {
        Ok(Answer { status, text, decided }) => {
            place.add(entry.with(decided).build(Some(&principal), status));
            if let Some(text) = text {
                slack.reply(click.response_url.as_deref(), text);
            }
            Ok(StatusCode::OK)
        }
        // Slack shows an error, and the person may try again.
        Err(problem) => {
            place.add(entry.build(Some(&principal), problem.status()));
            Err(problem)
        }
    }
}

/// What became of a click: the status and the decision for the audit log, and the answer for the person.
struct Answer {
    status: StatusCode,
    text: Option<String>,
    decided: Option<DecidedCall>,
}

impl From<(StatusCode, Option<String>)> for Answer {
    fn from((status, text): (StatusCode, Option<String>)) -> Self {
        Self { status, text, decided: None }
    }
}

/// Does as the person what the button is for.
async fn done(
    app: &AppState,
    slack: &SlackApp,
    principal: &Principal,
    button: Button,
) -> Result<Answer, Problem> {
    let permission = button.permission();
    if !principal.may(permission) {
        let role = permission.least_role();
        let text = format!("Your role in TARSy does not allow this; it takes the role {role}.");
        return Ok((StatusCode::FORBIDDEN, Some(text)).into());
    }
    let change = async {
        let answer = match button {
            Button::Decide(approval, decision) => {
                return decided(app, principal, approval, decision).await;
            }
            Button::ApproveUnseen(of) => unseen(&slack.session_page(of.id)),
            Button::Review(session, review) => reviewed(app, principal, session, review).await?,
            Button::Triage(session, click) => triaged(app, principal, session, click).await?,
            Button::Ask(session, text) => {
                asked(app, principal, session, &text, &slack.session_page(session)).await?
            }
        };
        Ok(answer.into())
    };
    let late = |_| Problem::new(Code::Timeout, "the database did not answer in time; try again");
    tokio::time::timeout(DECIDE_TIMEOUT, change).await.map_err(late)?
}

async fn decided(
    app: &AppState,
    principal: &Principal,
    approval: OfApproval,
    decision: ApprovalDecision,
) -> Result<Answer, Problem> {
    match decide_as(app, principal, approval, decision).await {
        // notifier changes the message.
        Ok(approval) => {
            Ok(Answer { status: StatusCode::OK, text: None, decided: audited(&approval) })
        }
        Err(NotDecided::Closed(why)) => {
            Ok((StatusCode::CONFLICT, Some(format!("No change: {why}."))).into())
        }
        Err(NotDecided::NotFound(_)) => {
            let text = "No change: this call is no longer known to TARSy.";
            Ok((StatusCode::NOT_FOUND, Some(text.to_owned())).into())
        }
        Err(NotDecided::Failed(error)) => Err(error.into()),
    }
}

/// Whoever approves has seen the whole call.
fn unseen(page: &str) -> (StatusCode, Option<String>) {
    let text = format!(
        "No change: this message may not show the whole call. Read and decide it in the session: {page}"
    );
    (StatusCode::CONFLICT, Some(text))
}

/// A second click on the same button adds nothing, and leaves the cause that somebody may have written.
async fn reviewed(
    app: &AppState,
    principal: &Principal,
    session: SessionId,
    review: Review,
) -> Result<(StatusCode, Option<String>), Problem> {
    let counts = app.store.list_reviews(session).await?.and_then(|all| all.into_iter().next());
    if let Some(counts) = counts.filter(|counts| counts.review == review) {
        let text = format!("It is reviewed as {review} already, by {}.", counts.reviewer);
        return Ok((StatusCode::OK, Some(text)));
    }
    let given = GivenReview { review, actual_cause: None, object: None, category: None };
    match review_as(app, principal, session, given).await {
        Ok(_) if review == Review::Wrong => {
            let text = "Thank you. Please write in the session what the actual cause was: later investigations of \
                        the same problem are given it.";
            Ok((StatusCode::OK, Some(text.to_owned())))
        }
        // notifier changes the message.
        Ok(_) => Ok((StatusCode::OK, None)),
        Err(NotReviewed::NotFound(_)) => {
            let text = "No change: this session is no longer known to TARSy.";
            Ok((StatusCode::NOT_FOUND, Some(text.to_owned())))
        }
        Err(NotReviewed::Refused(why)) => {
            Ok((StatusCode::CONFLICT, Some(format!("No change: {why}."))))
        }
        Err(failed @ (NotReviewed::Masking(_) | NotReviewed::Failed(_))) => Err(failed.into()),
    }
}

/// A second click on the same button changes nothing.
async fn triaged(
    app: &AppState,
    principal: &Principal,
    session: SessionId,
    TriageClick { triage, takes_over }: TriageClick,
) -> Result<(StatusCode, Option<String>), Problem> {
    let given = GivenTriage { triage: Some(triage), takes_over, ..GivenTriage::default() };
    match triage_as(app, principal, session, given).await {
        // notifier changes the message.
        Ok(_) => Ok((StatusCode::OK, None)),
        Err(NotTriaged::NotFound(_)) => {
            let text = "No change: this session is no longer known to TARSy.";
            Ok((StatusCode::NOT_FOUND, Some(text.to_owned())))
        }
        Err(NotTriaged::Refused(why)) => {
            Ok((StatusCode::CONFLICT, Some(format!("No change: {why}."))))
        }
        Err(failed @ (NotTriaged::Masking(_) | NotTriaged::Failed(_))) => Err(failed.into()),
    }
}

/// The answer comes as it does to a question of the dashboard: in the session.
async fn asked(
    app: &AppState,
    principal: &Principal,
    session: SessionId,
    text: &str,
    page: &str,
) -> Result<(StatusCode, Option<String>), Problem> {
    match ask_as(app, principal.clone(), session, read_text(text)).await {
        Ok(_) => {
            let text =
                format!("Your question was received. The answer appears in the session: {page}");
            Ok((StatusCode::ACCEPTED, Some(text)))
        }
        Err(problem) if problem.status().is_client_error() => {
            let text = format!("Your question was not asked: {}.", problem.detail());
            Ok((problem.status(), Some(text)))
        }
        Err(problem) => Err(problem),
    }
}

fn unlisted(member_id: &str) -> String {
    format!(
        "TARSy does not know you. An administrator can add your member id {member_id} to system.slack.users, with a \
         role."
    )
}
