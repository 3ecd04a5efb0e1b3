//! Questions about an investigation that is over.

use axum::extract::State;
use http::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tarsy_catalog::ResolvedChain;
use tarsy_domain::code::Code;
use tarsy_domain::id::SessionId;
use tarsy_domain::status::SessionStatus;
use tarsy_store::{ChatAgent, NewCommand, NewQuestion, QuestionOutcome};
use tarsy_web::{FieldError, Json, Path, Problem};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use uuid::Uuid;

use crate::access::Principal;
use crate::http::sessions::{OfSession, unknown};
use crate::metrics;
use crate::notices::Notice;
use crate::quotas;
use crate::state::AppState;

/// What the audit log calls a question, over REST and from messengers.
pub(super) const ASK: &str = "ask";
/// The longest question, in characters.
const LONGEST: usize = 100_000;

pub(super) fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().routes(routes!(ask))
}

#[derive(Debug, ToSchema)]
pub(super) struct Question {
    #[schema(min_length = 1, max_length = 100_000)]
    content: String,
}

#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[expect(clippy::struct_field_names, reason = "the wire's names")]
pub(super) struct AcceptedQuestion {
    /// The session's chat.
    chat_id: Uuid,
    message_id: Uuid,
    pub(super) stage_id: Uuid,
}

/// Asks a question about a session that is over; the answer comes as a stage of its own.
#[utoipa::path(
    post, path = "/sessions/{id}/chat/messages", tag = "chat", operation_id = "ask",
    params(("id" = Uuid, Path, description = "The session")),
    request_body = Question,
    responses(
        (status = 202, description = "It will be answered", body = AcceptedQuestion),
        (status = 400, description = "Something is wrong with the question", body = Problem,
         content_type = "application/problem+json"),
        (status = 404, description = "No such session", body = Problem,
         content_type = "application/problem+json"),
        (status = 409, description = "Another question is being answered, the session is not over or \
            was cancelled, or its chain has no chat", body = Problem,
         content_type = "application/problem+json"),
        (status = 429, description = "The sender has asked too many questions within a minute", body = Problem,
         content_type = "application/problem+json",
         headers(("Retry-After" = u64, description = "Seconds after which it may be accepted"))),
    )
)]
#[tracing::instrument(name = "http.chat.ask", skip_all, fields(session.id = %path.id))]
async fn ask(
    State(app): State<AppState>,
    Path(path): Path<OfSession>,
    principal: Principal,
    Json(body): Json<Value>,
) -> Result<(StatusCode, Json<AcceptedQuestion>), Problem> {
    let accepted = ask_as(&app, principal, path.id, read(&body), None).await?;
    let accepted = accepted.ok_or_else(|| refused("it was asked before".to_owned()))?;
    Ok((StatusCode::ACCEPTED, Json(accepted)))
}

/// Stores the question of a sender that may ask: over REST, or from a messenger, by a command or below a message. None if the same
/// command has asked it before.
pub(super) async fn ask_as(
    app: &AppState,
    principal: Principal,
    session_id: SessionId,
    question: Result<Question, FieldError>,
    command: Option<NewCommand>,
) -> Result<Option<AcceptedQuestion>, Problem> {
    let Question { content } = question.map_err(|error| {
        metrics::question("refused");
        Problem::invalid(vec![error])
    })?;
    let session = app.store.find_session(session_id).await?.ok_or_else(|| unknown(session_id))?;
    if !session.settings.chat_enabled {
        return Err(refused("the chain of this session has no chat".to_owned()));
    }
    quotas::admit_question(app, &principal).await.inspect_err(|_| metrics::question("limited"))?;
    let agent = answering_agent(session.config_snapshot);
    let content = app.masker.mask(content)?;
    let payer = Some(principal.scope());
    let author = principal.name;
    let question = NewQuestion { session_id, content, author, principal: payer, agent, command };
    match app.store.insert_question(question).await? {
        QuestionOutcome::NotFound => Err(unknown(session_id)),
        QuestionOutcome::NotOpen(SessionStatus::Cancelled) => {
            Err(refused("the session was cancelled; nothing can be asked about it".to_owned()))
        }
        QuestionOutcome::NotOpen(status) => {
            Err(refused(format!("the session is {status}; ask again when it is over")))
        }
        QuestionOutcome::Busy => {
            let text = "another question is being answered; wait for its end, or cancel it";
            Err(refused(text.to_owned()))
        }
        QuestionOutcome::Repeated => Ok(None),
        QuestionOutcome::Inserted { chat_id, message_id, stage_id, events } => {
            metrics::question("accepted");
            app.publisher.publish(events);
            app.notices.send(Notice::QuestionAsked(session_id));
            let accepted = AcceptedQuestion {
                chat_id: chat_id.uuid(),
                message_id: message_id.uuid(),
                stage_id: stage_id.uuid(),
            };
            Ok(Some(accepted))
        }
    }
}

/// The agent of the chain that the session keeps; none if an older version stored it in another form.
fn answering_agent(snapshot: Value) -> Option<ChatAgent> {
    let chain: ResolvedChain = serde_json::from_value(snapshot).ok()?;
    let agent = chain.chat?;
    Some(ChatAgent {
        name: agent.name,
        iteration_strategy: agent.strategy.as_str().to_owned(),
        llm_provider: agent.provider.name,
    })
}

fn refused(text: String) -> Problem {
    metrics::question("conflict");
    Problem::new(Code::Conflict, text)
}

fn read(body: &Value) -> Result<Question, FieldError> {
    let Some(members) = body.as_object() else {
        return Err(FieldError::new("body", "is no object; send {\"content\": \"…\"}".to_owned()));
    };
    match members.get("content") {
        None | Some(Value::Null) => Err(wrong("is missing; send the question's text")),
        Some(Value::String(text)) => read_text(text),
        Some(_) => Err(wrong("is no text; send the question as a string")),
    }
}

pub(super) fn read_text(text: &str) -> Result<Question, FieldError> {
    if text.trim().is_empty() {
        return Err(wrong("is blank; send the question's text"));
    }
    if text.chars().count() > LONGEST {
        return Err(wrong(&format!("is too long; send at most {LONGEST} characters")));
    }
    if text.contains('\0') {
        return Err(wrong("has a NUL character (\\u0000); take it out"));
    }
    Ok(Question { content: text.trim().to_owned() })
}

fn wrong(text: &str) -> FieldError {
    FieldError::new("content", text.to_owned())
}
