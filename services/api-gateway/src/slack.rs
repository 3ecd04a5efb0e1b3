//! The app of Slack whose messages people act on and that they give commands: who sent a request, and the answers to people.

mod replies;
mod signature;
mod socket;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use http::HeaderMap;
use secrecy::SecretString;
use serde_json::{Value, json};
use tarsy_catalog::ListedUser;
use tarsy_domain::clock::Clock;
use tarsy_domain::code::Code;
use tarsy_domain::id::SessionId;
use tarsy_service::{ServiceContext, Settings};
use tarsy_web::Problem;

use self::replies::Replies;
use self::signature::Signed;
pub(crate) use self::socket::{Connection, Envelope, NotConnected, SlackSocket};

/// How long whoever sent a command is kept waiting until the person has the answer. Slack waits three seconds.
const REPLY_TIMEOUT: Duration = Duration::from_millis(900);

/// The app, if the configuration names how Slack reaches it.
pub(crate) struct SlackApp {
    /// None where everything comes over Socket Mode.
    secret: Option<SecretString>,
    users: BTreeMap<String, ListedUser>,
    replies: Replies,
    dashboard_url: String,
    clock: Arc<dyn Clock>,
}

impl SlackApp {
    /// Reads the secrets and starts the task that answers people; none without `signing_secret_env` and `app_token_env`.
    pub(crate) fn start(
        system: &tarsy_catalog::System,
        settings: &Settings,
        service: &ServiceContext,
    ) -> anyhow::Result<Option<Arc<Self>>> {
        let slack = &system.slack;
        if !slack.receives() {
            return Ok(None);
        }
        let secret = match &slack.signing_secret_env {
            None => None,
            Some(variable) => Some(secret(settings, variable).with_context(|| {
                format!(
                    "the variable {variable} is not set; set it to the signing secret of the app in Slack, or remove \
                     system.slack.signing_secret_env"
                )
            })?),
        };
        let token = if slack.commands {
            let variable = &slack.token_env;
            Some(secret_of(
                settings,
                variable,
                "the bot's token, or write system.slack.commands: false",
            )?)
        } else {
            None
        };
        Ok(Some(Arc::new(Self {
            secret,
            users: slack.users.clone(),
            replies: Replies::start(&slack.api_url, token, service)?,
            dashboard_url: system.dashboard_url.clone(),
            clock: service.clock(),
        })))
    }

    /// Whether Slack may send requests: without a signing secret it only answers over Socket Mode.
    pub(crate) const fn takes_requests(&self) -> bool {
        self.secret.is_some()
    }

    /// The claim of a request's headers that Slack sent it, before its body is read; a problem if there is none, or if
    /// it is not of now.
    pub(crate) fn signed(&self, headers: &HeaderMap) -> Result<Signed, Problem> {
        Signed::read(headers, self.clock.now()).map_err(unidentified)
    }

    /// Whether the claim fits the body.
    pub(crate) fn verify(&self, signed: &Signed, body: &[u8]) -> Result<(), Problem> {
        let secret = self.secret.as_ref().ok_or_else(|| unidentified("nothing is signed here"))?;
        signed.verify(secret, body).map_err(unidentified)
    }

    /// Who may use buttons and give commands.
    pub(crate) const fn users(&self) -> &BTreeMap<String, ListedUser> {
        &self.users
    }

    /// The page of a session in the dashboard.
    pub(crate) fn session_page(&self, session: SessionId) -> String {
        format!("{}/sessions/{session}", self.dashboard_url)
    }

    /// Tells the person who used a button something that nobody else sees; never waits.
    pub(crate) fn reply(&self, response_url: Option<&str>, text: &str) {
        self.replies.send(response_url, text);
    }

    /// Answers a command in its thread, or to its person alone. Whether the answer has arrived, as far as that is known in time.
    pub(crate) async fn answer(&self, to: AnswerTo<'_>, text: &str) -> bool {
        let AnswerTo { channel, thread, only_user } = to;
        let mut body = json!({
            "channel": channel,
            "thread_ts": thread,
            "text": text,
            // Without `verbatim`, Slack makes links of names and addresses.
            "blocks": [{ "type": "section", "text": { "type": "mrkdwn", "text": text, "verbatim": true } }],
            "unfurl_links": false,
            "unfurl_media": false,
        });
        let method = match (only_user, body.as_object_mut()) {
            (Some(user), Some(body)) => {
                body.insert("user".to_owned(), Value::from(user));
                "chat.postEphemeral"
            }
            _ => "chat.postMessage",
        };
        let posted = self.replies.post(method, body);
        tokio::time::timeout(REPLY_TIMEOUT, posted).await.is_ok_and(|posted| posted)
    }
}

/// Where an answer to a command goes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AnswerTo<'a> {
    pub(crate) channel: &'a str,
    pub(crate) thread: Option<&'a str>,
    /// Nobody else sees it.
    pub(crate) only_user: Option<&'a str>,
}

fn secret(settings: &Settings, variable: &str) -> Option<SecretString> {
    let text = settings.environment().get(variable).map(|text| text.trim().to_owned());
    text.filter(|text| !text.is_empty()).map(SecretString::from)
}

/// A secret that must be set; what it is to be set to is for the operator.
pub(crate) fn secret_of(
    settings: &Settings,
    variable: &str,
    what: &str,
) -> anyhow::Result<SecretString> {
    secret(settings, variable)
        .with_context(|| format!("the variable {variable} is not set; set it to {what}"))
}

fn unidentified(detail: &str) -> Problem {
    Problem::new(Code::Unauthenticated, detail)
}
