//! What is done about a click and a command, whichever way they came.

use std::time::Duration;

use http::StatusCode;
use tarsy_domain::code::Code;
use tarsy_domain::event::ApprovalDecision;
use tarsy_domain::id::SessionId;
use tarsy_domain::messenger::Messenger;
use tarsy_domain::review::Review;
use tarsy_store::DecidedCall;
use tarsy_web::Problem;

use super::click::{Button, Click, TriageClick};
use crate::access::Principal;
use crate::http::actions::{OfAction, roll_back_as};
use crate::http::approvals::{NotDecided, OfApproval, audited, decide_as};
use crate::http::audit_entry::Entry;
use crate::http::chat::{ask_as, read_text};
use crate::http::commands::{self, Audience, Message};
use crate::http::reviews::{GivenReview, NotReviewed, review_as};
use crate::http::triage::{GivenTriage, NotTriaged, triage_as};
use crate::slack::{AnswerTo, SlackApp};
use crate::state::AppState;

/// The most time that the change may take: Slack shows an error after three seconds.
const DECIDE_TIMEOUT: Duration = Duration::from_secs(2);

/// Does what a message wants, and answers it. With a problem Slack sends it again.
pub(super) async fn commanded(
    app: &AppState,
    slack: &SlackApp,
    message: &Message,
    client_address: Option<String>,
) -> Result<(), Problem> {
    let answer = commands::handle(app, message, client_address).await?;
    if answer.text.is_empty() {
        return Ok(());
    }
    // In a direct message nobody else reads it.
    let is_direct = message.channel.starts_with('D');
    let is_for_one = answer.audience == Audience::Person && !is_direct;
    let only_user = is_for_one.then_some(message.user.as_str());
    let to = AnswerTo { channel: &message.channel, thread: message.thread.as_deref(), only_user };
    let has_arrived = slack.answer(to, &answer.text).await;
    // Only Slack asks again: whoever has an answer gets no second one.
    if has_arrived && answer.is_unconfirmed {
        app.store.confirm_command(Messenger::Slack, &message.key).await?;
    }
    Ok(())
}

/// Does what a click is for, and answers whoever clicked. With a problem Slack shows an error, and the person may try again.
pub(super) async fn clicked(
    app: &AppState,
    slack: &SlackApp,
    click: Click,
    client_address: Option<String>,
) -> Result<(), Problem> {
    let (action, path) = click.button.audited();
    let entry = Entry::new(action, path, client_address);
    let place = app.audit.reserve().await?;
    let principal = commands::principal(slack.users(), Messenger::Slack, &click.member_id);
    let Some(principal) = principal else {
        let user = format!("slack:{}", click.member_id);
        place.add(entry.build_for_user(Some(user), StatusCode::FORBIDDEN));
        slack.reply(click.response_url.as_deref(), &unlisted(&click.member_id));
        return Ok(());
    };
    match done(app, slack, &principal, click.button).await {
        Ok(Answer { status, text, decided }) => {
            place.add(entry.with(decided).build(Some(&principal), status));
            if let Some(text) = text {
                slack.reply(click.response_url.as_deref(), &text);
            }
            Ok(())
        }
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
            Button::RollBack(of, shown) => {
                rolled_back(app, principal, (of, &shown), &slack.session_page(of.id)).await?
            }
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

/// What is approved is the call that the message shows: a text may have been removed from the record since.
async fn rolled_back(
    app: &AppState,
    principal: &Principal,
    (of, shown): (OfAction, &str),
    page: &str,
) -> Result<(StatusCode, Option<String>), Problem> {
    let actions = app.store.list_actions(of.id).await?;
    let action = actions.iter().find(|action| action.id == of.action_id);
    let rollback = action.and_then(|action| action.plan.rollback.as_ref());
    if rollback.is_none_or(|rollback| rollback.call.digest() != shown) {
        let text = format!(
            "No change: the rollback is not the call that this message shows. Read it in the session: {page}"
        );
        return Ok((StatusCode::CONFLICT, Some(text)));
    }
    match roll_back_as(app, principal, of).await {
        Ok(_) => {
            let text = format!(
                "The call will be made. What became of it appears here and in the session: {page}"
            );
            Ok((StatusCode::ACCEPTED, Some(text)))
        }
        Err(problem) if problem.status().is_client_error() => {
            Ok((problem.status(), Some(format!("No change: {}.", problem.detail()))))
        }
        Err(problem) => Err(problem),
    }
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
    match ask_as(app, principal.clone(), session, read_text(text), None).await {
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
