//! Commands in Microsoft Teams: what an outgoing webhook sends.

use axum::extract::{FromRequest as _, Request, State};
use http::header::AUTHORIZATION;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use tarsy_domain::code::Code;
use tarsy_domain::messenger::Messenger;
use tarsy_web::{FieldError, Json, Problem, RawBody};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::audit_entry::client_address;
use super::commands::{Message, answer_of, handle, plain};
use crate::messengers::Teams;
use crate::state::AppState;

/// How far the time of a message may be from ours, in seconds: the body is signed with it, and an older one may be recorded.
const WINDOW_SECONDS: u64 = 300;
/// The longest id that is kept.
const MAX_ID: usize = 150;

pub(super) fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().routes(routes!(receive))
}

/// The answer to a message, which Teams shows below it.
#[derive(Debug, Serialize, ToSchema)]
struct TeamsReply {
    /// Always `message`.
    #[serde(rename = "type")]
    kind: &'static str,
    text: String,
}

/// An activity of the Bot Framework, as far as it is read.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Activity {
    #[serde(rename = "type")]
    kind: String,
    id: String,
    timestamp: Timestamp,
    #[serde(default)]
    text: String,
    from: Account,
    conversation: Conversation,
    #[serde(default)]
    channel_data: ChannelData,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Account {
    id: String,
    aad_object_id: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Conversation {
    /// With `;messageid=` and the first message of the thread.
    id: String,
    tenant_id: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
struct ChannelData {
    tenant: Option<Tenant>,
}

#[derive(Debug, Deserialize)]
struct Tenant {
    id: String,
}

/// Takes a message from an outgoing webhook of Teams, whose signature it carries, and answers it.
#[utoipa::path(
    post, path = "/teams/messages", tag = "chat", operation_id = "receive_teams_message",
    request_body(content = Object, description = "An activity as Teams sends it"),
    responses(
        (status = 200, description = "The answer; a command that is confirmed is kept", body = TeamsReply),
        (status = 400, description = "No message", body = Problem, content_type = "application/problem+json"),
        (status = 401, description = "The signature is missing or wrong, or the message is old", body = Problem,
         content_type = "application/problem+json"),
        (status = 404, description = "system.teams is not configured", body = Problem,
         content_type = "application/problem+json"),
    )
)]
#[tracing::instrument(name = "http.teams.message", skip_all)]
async fn receive(
    State(app): State<AppState>,
    request: Request,
) -> Result<Json<TeamsReply>, Problem> {
    let teams = app.messengers.teams.as_ref().ok_or_else(|| {
        Problem::not_found("commands in Teams are not configured; see system.teams")
    })?;
    let (parts, body) = request.into_parts();
    let header = parts.headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
    let unsigned = |detail: &str| Problem::new(Code::Unauthenticated, detail);
    // Before the body is read, so that others send none.
    let claimed = header.and_then(Teams::claimed);
    let claimed = claimed.ok_or_else(|| unsigned("Authorization has no signature of Teams"))?;
    let RawBody(bytes) =
        RawBody::from_request(Request::from_parts(parts.clone(), body), &()).await?;
    if !teams.verify(&claimed, &bytes) {
        return Err(unsigned("the signature does not fit the body and the security token"));
    }
    let activity: Activity = serde_json::from_slice(&bytes)
        .map_err(|_| Problem::invalid(vec![FieldError::new("body", "is no message of Teams")]))?;
    if activity.timestamp.as_second().abs_diff(app.clock.now().as_second()) > WINDOW_SECONDS {
        return Err(unsigned("the message is older than five minutes, or a clock is wrong"));
    }
    let message = message(activity)
        .ok_or_else(|| Problem::invalid(vec![FieldError::new("body", "is no message of Teams")]))?;
    let (text, _) = answer_of(handle(&app, &message, client_address(&parts)).await);
    // One line break is a space in its Markdown.
    Ok(Json(TeamsReply { kind: "message", text: text.replace('\n', "\n\n") }))
}

fn message(activity: Activity) -> Option<Message> {
    let Activity { kind, id, text, from, conversation, channel_data, .. } = activity;
    let (channel, root) = conversation.id.split_once(";messageid=").map_or_else(
        || (conversation.id.clone(), id.clone()),
        |(channel, root)| (channel.to_owned(), root.to_owned()),
    );
    let user = from.aad_object_id.unwrap_or(from.id);
    let is_id = |text: &String| !text.is_empty() && text.len() <= MAX_ID;
    if kind != "message" || ![&id, &channel, &root, &user].into_iter().all(is_id) {
        return None;
    }
    Some(Message {
        messenger: Messenger::Teams,
        key: format!("{channel}/{id}"),
        workspace: channel_data.tenant.map(|tenant| tenant.id).or(conversation.tenant_id),
        user,
        channel,
        thread: Some(root),
        text: plain(Messenger::Teams, &text, None),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As the documentation of Microsoft has it.
    const ACTIVITY: &str = r#"{
        "type": "message", "id": "1485983408511", "timestamp": "2017-02-01T21:10:07.437Z",
        "localTimestamp": "2017-02-01T14:10:07.437-07:00", "serviceUrl": "https://smba.trafficmanager.net/amer-client-ss.msg/",
        "channelId": "msteams",
        "from": {
            "id": "29:1XJKJMvc5GBtc2JwZq0oj8tHZmzrQgFmB39ATiQWA85gQtHieVkKilBZ9XHoq9j7Zaqt7CZ-NJWi7me2kHTL3Bw",
            "name": "Megan Bowen", "aadObjectId": "7faf8cee-1a8e-4c87-9a3b-1c9c9d2f0a11"
        },
        "conversation": {
            "isGroup": true, "id": "19:253b1f341670408fb6fe51050b6e5ceb@thread.skype;messageid=1485983194839", "name": null
        },
        "recipient": null, "textFormat": "plain", "attachmentLayout": null, "membersAdded": [], "membersRemoved": [],
        "topicName": null, "historyDisclosed": null, "locale": null,
        "text": "<at>SimpleOutgoingWebhook</at> Hello <at>Jim</at>", "speak": null, "inputHint": null, "summary": null,
        "suggestedActions": null, "attachments": [], "entities": [
            {"type": "clientInfo", "locale": "en-US", "country": "US", "platform": "Web"}
        ],
        "channelData": {
            "teamsChannelId": "19:253b1f341670408fb6fe51050b6e5ceb@thread.skype",
            "teamsTeamId": "19:712c61d0ef384e5fa681ba90ca943398@thread.skype",
            "tenant": {"id": "72f988bf-86f1-41af-91ab-2d7cd011db47"}
        }, "action": null, "replyToId": null, "value": null, "name": null, "relatesTo": null, "code": null
    }"#;

    #[test]
    fn a_message_of_teams_names_its_thread_and_person() {
        let found = message(serde_json::from_str(ACTIVITY).unwrap()).unwrap();
        let channel = "19:253b1f341670408fb6fe51050b6e5ceb@thread.skype";
        let expected = Message {
            messenger: Messenger::Teams,
            key: format!("{channel}/1485983408511"),
            workspace: Some("72f988bf-86f1-41af-91ab-2d7cd011db47".to_owned()),
            user: "7faf8cee-1a8e-4c87-9a3b-1c9c9d2f0a11".to_owned(),
            channel: channel.to_owned(),
            thread: Some("1485983194839".to_owned()),
            text: "Hello Jim".to_owned(),
        };
        assert_eq!(found, expected);
        let event = ACTIVITY.replacen("\"message\"", "\"conversationUpdate\"", 1);
        assert_eq!(message(serde_json::from_str(&event).unwrap()), None);
    }
}
