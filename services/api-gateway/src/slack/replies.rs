//! Answers to people: to whoever used a button, at the address that came with the click, and to commands, as the bot.

use std::time::Duration;

use reqwest::redirect::Policy;
use reqwest::{Client, RequestBuilder, Response};
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::{Value, json};
use tarsy_outbound::{AUTHORITIES, Proxies, describe};
use tarsy_service::ServiceContext;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;
use url::Url;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);
const TIMEOUT: Duration = Duration::from_secs(5);
/// The most answers that wait; people click a few times a minute.
const MAX_WAITING: usize = 64;
/// The most bytes of an answer of Slack.
const MAX_RESPONSE: usize = 64 * 1024;
/// The longest code of an error of Slack that is logged.
const MAX_CODE: usize = 60;

/// An answer, and who waits for it to arrive.
struct Reply {
    request: RequestBuilder,
    /// Of methods of the API; an address of a click answers with its status alone.
    is_method: bool,
    arrived: oneshot::Sender<bool>,
}

/// Sends answers in the background.
pub(super) struct Replies {
    client: Client,
    api: Option<Url>,
    token: Option<SecretString>,
    sender: mpsc::Sender<Reply>,
}

impl Replies {
    /// Starts the task that sends; it ends when the service stops.
    pub(super) fn start(
        api_url: &str,
        token: Option<SecretString>,
        service: &ServiceContext,
    ) -> anyhow::Result<Self> {
        let client = Proxies::of_environment()
            .apply(Client::builder())
            .user_agent(concat!("tarsy/", env!("CARGO_PKG_VERSION")))
            .redirect(Policy::none())
            .referer(false)
            .connect_timeout(CONNECT_TIMEOUT)
            .timeout(TIMEOUT)
            .build()?;
        let (sender, receiver) = mpsc::channel(MAX_WAITING);
        service.spawn_aux("gateway.slack", send_all(receiver, service.stopping()));
        Ok(Self { client, api: Url::parse(api_url).ok(), token, sender })
    }

    /// Takes an answer; never waits. An address that is not Slack's gets nothing.
    pub(super) fn send(&self, response_url: Option<&str>, text: &str) {
        let url = response_url.and_then(|text| Url::parse(text).ok());
        let url = url.filter(|url| self.api.as_ref().is_some_and(|api| is_of_slack(url, api)));
        let Some(url) = url else {
            tracing::warn!(
                "a click in Slack is not answered: its response_url is not an address of Slack"
            );
            return;
        };
        let body = json!({ "response_type": "ephemeral", "replace_original": false, "text": text });
        drop(self.queue(self.client.post(url).json(&body), false));
    }

    /// Has the bot call a method; whether Slack did what it asks.
    pub(super) async fn post(&self, method: &str, body: Value) -> bool {
        let (Some(api), Some(token)) = (&self.api, &self.token) else { return false };
        let url = format!("{}/{method}", api.as_str().trim_end_matches('/'));
        let request = self.client.post(url).bearer_auth(token.expose_secret()).json(&body);
        self.queue(request, true).await.unwrap_or(false)
    }

    fn queue(&self, request: RequestBuilder, is_method: bool) -> oneshot::Receiver<bool> {
        let (arrived, waits) = oneshot::channel();
        if self.sender.try_send(Reply { request, is_method, arrived }).is_err() {
            tracing::warn!("somebody in Slack is not answered: too many wait");
        }
        waits
    }
}

async fn send_all(mut replies: mpsc::Receiver<Reply>, stopping: CancellationToken) {
    while let Some(Some(reply)) = stopping.run_until_cancelled(replies.recv()).await {
        let Reply { request, is_method, arrived } = reply;
        // The address is a secret: whoever has it may post.
        let has_arrived = match request.send().await {
            Ok(response) if !response.status().is_success() => {
                let status = response.status().as_u16();
                tracing::warn!(status, "Slack did not take an answer");
                false
            }
            Ok(response) if is_method => is_done(response).await,
            Ok(_) => true,
            Err(error) => {
                let error = describe(&error, AUTHORITIES);
                tracing::warn!(error, "could not answer somebody in Slack");
                false
            }
        };
        // Nobody may wait any more.
        let _ = arrived.send(has_arrived);
    }
}

/// Whether Slack did what a method asks.
async fn is_done(response: Response) -> bool {
    match read(response).await {
        Ok(_) => true,
        Err(code) => {
            tracing::warn!(
                code,
                "Slack did not take an answer; with missing_scope give the app the scope chat:write, with not_in_channel \
                 invite it"
            );
            false
        }
    }
}

/// The answer of a method, or the code of its error.
pub(super) async fn read(mut response: Response) -> Result<Value, String> {
    let mut bytes = Vec::new();
    while let Ok(Some(chunk)) = response.chunk().await {
        if bytes.len() + chunk.len() > MAX_RESPONSE {
            return Err("too_large".to_owned());
        }
        bytes.extend_from_slice(&chunk);
    }
    let answer: Value = serde_json::from_slice(&bytes).map_err(|_| "no_json".to_owned())?;
    if answer.get("ok").and_then(Value::as_bool) == Some(true) {
        return Ok(answer);
    }
    let code = answer.get("error").and_then(Value::as_str).unwrap_or("no_reason");
    let is_shown = |sign: &char| sign.is_ascii_alphanumeric() || *sign == '_';
    Err(code.chars().filter(is_shown).take(MAX_CODE).collect())
}

/// Whether an address belongs to the Slack of this API: `hooks.` before its host, over https, or the same server.
fn is_of_slack(url: &Url, api: &Url) -> bool {
    let hooks = api.host_str().map(|host| format!("hooks.{host}"));
    let is_hook =
        url.scheme() == "https" && url.port().is_none() && url.host_str() == hooks.as_deref();
    is_hook || url.origin() == api.origin()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_go_to_slack_only() {
        let is_ours =
            |api: &str, url: &str| is_of_slack(&url.parse().unwrap(), &api.parse().unwrap());
        let slack = "https://slack.com/api";
        assert!(is_ours(slack, "https://hooks.slack.com/actions/T1/1/x"));
        assert!(is_ours("https://slack-gov.com/api", "https://hooks.slack-gov.com/actions/T1"));
        assert!(is_ours("http://127.0.0.1:9000/api", "http://127.0.0.1:9000/reply"));
        for other in [
            "http://hooks.slack.com/actions",
            "https://hooks.slack.com:8443/actions",
            "https://hooks.slack.com.example/actions",
            "https://evil.example/hooks.slack.com",
            "http://169.254.169.254/latest",
        ] {
            assert!(!is_ours(slack, other), "{other}");
        }
    }
}
