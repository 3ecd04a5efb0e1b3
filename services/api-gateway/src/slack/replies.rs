//! Answers to people who used a button. Slack takes them at the address that came with the click.

use std::time::Duration;

use reqwest::Client;
use reqwest::redirect::Policy;
use serde_json::json;
use tarsy_outbound::{AUTHORITIES, Proxies, describe};
use tarsy_service::ServiceContext;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use url::Url;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);
const TIMEOUT: Duration = Duration::from_secs(5);
/// The most answers that wait; people click a few times a minute.
const MAX_WAITING: usize = 64;

/// An answer, and where it goes.
#[derive(Debug)]
struct Reply {
    url: Url,
    text: String,
}

/// Sends answers in the background.
pub(super) struct Replies {
    api: Option<Url>,
    sender: mpsc::Sender<Reply>,
}

impl Replies {
    /// Starts the task that sends; it ends when the service stops.
    pub(super) fn start(api_url: &str, service: &ServiceContext) -> anyhow::Result<Self> {
        let client = Proxies::of_environment()
            .apply(Client::builder())
            .user_agent(concat!("tarsy/", env!("CARGO_PKG_VERSION")))
            .redirect(Policy::none())
            .referer(false)
            .connect_timeout(CONNECT_TIMEOUT)
            .timeout(TIMEOUT)
            .build()?;
        let (sender, receiver) = mpsc::channel(MAX_WAITING);
        service.spawn_aux("gateway.slack", send_all(client, receiver, service.stopping()));
        Ok(Self { api: Url::parse(api_url).ok(), sender })
    }

    /// Takes an answer; never waits. An address that is not Slack's gets nothing.
    pub(super) fn send(&self, response_url: Option<&str>, text: String) {
        let url = response_url.and_then(|text| Url::parse(text).ok());
        let url = url.filter(|url| self.api.as_ref().is_some_and(|api| is_of_slack(url, api)));
        let Some(url) = url else {
            tracing::warn!(
                "a click in Slack is not answered: its response_url is not an address of Slack"
            );
            return;
        };
        if self.sender.try_send(Reply { url, text }).is_err() {
            tracing::warn!("a click in Slack is not answered: too many wait");
        }
    }
}

/// Whether an address belongs to the Slack of this API: `hooks.` before its host, over https, or the same server.
fn is_of_slack(url: &Url, api: &Url) -> bool {
    let hooks = api.host_str().map(|host| format!("hooks.{host}"));
    let is_hook =
        url.scheme() == "https" && url.port().is_none() && url.host_str() == hooks.as_deref();
    is_hook || url.origin() == api.origin()
}

async fn send_all(client: Client, mut replies: mpsc::Receiver<Reply>, stopping: CancellationToken) {
    while let Some(Some(Reply { url, text })) = stopping.run_until_cancelled(replies.recv()).await {
        let body = json!({ "response_type": "ephemeral", "replace_original": false, "text": text });
        // The address is a secret: whoever has it may post.
        match client.post(url).json(&body).send().await {
            Ok(response) if response.status().is_success() => {}
            Ok(response) => {
                tracing::warn!(status = response.status().as_u16(), "Slack did not take an answer");
            }
            Err(error) => {
                let error = describe(&error, AUTHORITIES);
                tracing::warn!(error, "could not answer a click in Slack");
            }
        }
    }
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
