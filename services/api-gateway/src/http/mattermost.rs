//! Commands in Mattermost: what an outgoing webhook or a slash command sends.

use std::collections::BTreeMap;

use axum::extract::{FromRequest as _, Request, State};
use http::HeaderMap;
use http::header::{AUTHORIZATION, CONTENT_TYPE};
use serde::Serialize;
use tarsy_domain::code::Code;
use tarsy_domain::messenger::Messenger;
use tarsy_store::secret;
use tarsy_web::{FieldError, Json, Problem, RawBody};
use url::form_urlencoded;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::audit_entry::client_address;
use super::commands::{Audience, Message, answer_of, handle, plain};
use crate::messengers::Mattermost;
use crate::state::AppState;

/// The longest id that is kept; Mattermost's have 26 characters.
const MAX_ID: usize = 64;

pub(super) fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().routes(routes!(receive))
}

/// The answer to a command, as Mattermost reads it.
#[derive(Debug, Serialize, ToSchema)]
struct MattermostReply {
    text: String,
    /// `comment` in the thread of the message, `in_channel`, or `ephemeral` for the person alone.
    response_type: &'static str,
    /// The text is Markdown.
    skip_slack_parsing: bool,
}

/// Takes a command from an outgoing webhook or a slash command of Mattermost, whose token is one of the configured ones, and answers it.
#[utoipa::path(
    post, path = "/mattermost/commands", tag = "chat", operation_id = "receive_mattermost_command",
    request_body(content = Object, description = "A form or an object as Mattermost sends it",
                 content_type = "application/x-www-form-urlencoded"),
    responses(
        (status = 200, description = "The answer; a command that is confirmed is kept", body = MattermostReply),
        (status = 400, description = "Neither a message nor a slash command", body = Problem,
         content_type = "application/problem+json"),
        (status = 401, description = "The token is missing or wrong", body = Problem,
         content_type = "application/problem+json"),
        (status = 404, description = "system.mattermost is not configured", body = Problem,
         content_type = "application/problem+json"),
    )
)]
#[tracing::instrument(name = "http.mattermost.command", skip_all)]
async fn receive(
    State(app): State<AppState>,
    request: Request,
) -> Result<Json<MattermostReply>, Problem> {
    let mattermost = app.messengers.mattermost.as_ref().ok_or_else(|| {
        Problem::not_found("commands in Mattermost are not configured; see system.mattermost")
    })?;
    let (parts, body) = request.into_parts();
    let RawBody(bytes) =
        RawBody::from_request(Request::from_parts(parts.clone(), body), &()).await?;
    let fields = fields(&parts.headers, &bytes);
    if !token(&parts.headers, &fields).is_some_and(|token| mattermost.knows(token)) {
        return Err(Problem::new(Code::Unauthenticated, "the token is missing or wrong"));
    }
    let message = message(mattermost, &fields).await.ok_or_else(|| {
        let text = "is neither a message of an outgoing webhook nor a slash command";
        Problem::invalid(vec![FieldError::new("body", text)])
    })?;
    let is_slash = fields.contains_key("command");
    let (text, audience) = answer_of(handle(&app, &message, client_address(&parts)).await);
    let response_type = match (is_slash, audience) {
        (false, _) => "comment",
        (true, Audience::Thread) => "in_channel",
        (true, Audience::Person) => "ephemeral",
    };
    Ok(Json(MattermostReply { text, response_type, skip_slack_parsing: true }))
}

/// The texts of a body, which is a form unless it says that it is JSON.
fn fields(headers: &HeaderMap, body: &[u8]) -> BTreeMap<String, String> {
    let kind = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    if kind.starts_with("application/json") {
        let members: BTreeMap<String, serde_json::Value> =
            serde_json::from_slice(body).unwrap_or_default();
        let texts = members.into_iter();
        return texts.filter_map(|(key, one)| Some((key, one.as_str()?.to_owned()))).collect();
    }
    form_urlencoded::parse(body).into_owned().collect()
}

/// The token of the body, or that of the header of slash commands.
fn token<'a>(headers: &'a HeaderMap, fields: &'a BTreeMap<String, String>) -> Option<&'a str> {
    fields.get("token").map(String::as_str).or_else(|| {
        let header = headers.get(AUTHORIZATION)?.to_str().ok()?;
        header.strip_prefix("Token ")
    })
}

/// What was written, and where. A slash command is no post, so that it begins no thread.
async fn message(mattermost: &Mattermost, fields: &BTreeMap<String, String>) -> Option<Message> {
    let id = |name: &str| fields.get(name).filter(|text| is_id(text)).cloned();
    let text = fields.get("text").map(String::as_str).unwrap_or_default();
    let (key, thread, text) = match (fields.get("trigger_id"), id("post_id")) {
        (Some(trigger), _) if fields.contains_key("command") => {
            (format!("command/{}", secret::hex_hash(trigger)), id("root_id"), text)
        }
        (_, Some(post)) => {
            let trigger = fields.get("trigger_word").map(String::as_str).unwrap_or_default();
            let text = text.trim_start();
            let thread = mattermost.thread_of(post.clone()).await;
            (format!("post/{post}"), Some(thread), text.strip_prefix(trigger).unwrap_or(text))
        }
        _ => return None,
    };
    Some(Message {
        messenger: Messenger::Mattermost,
        key,
        workspace: id("team_id"),
        user: id("user_id")?,
        channel: id("channel_id")?,
        thread,
        text: plain(Messenger::Mattermost, text, None),
    })
}

fn is_id(text: &str) -> bool {
    !text.is_empty()
        && text.len() <= MAX_ID
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
}
