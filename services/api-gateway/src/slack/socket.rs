//! Socket Mode: a WebSocket that this side opens, over which Slack sends what it would send in requests. Slack gives each event to
//! one of the connections of an app, of which there may be ten, so that every replica opens one.

use std::time::Duration;

use anyhow::Context as _;
use futures::{SinkExt as _, StreamExt as _};
use http::{StatusCode, header};
use reqwest::redirect::Policy;
use reqwest::{Client, Upgraded};
use secrecy::{ExposeSecret as _, SecretString};
use serde::Deserialize;
use serde_json::{Value, json};
use tarsy_outbound::{AUTHORITIES, Proxies, describe};
use tokio::time::timeout;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::handshake::client::generate_key;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use tokio_tungstenite::tungstenite::protocol::{Role, WebSocketConfig};
use url::Url;

use super::replies::read;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// The most time until a connection is open, and that a frame takes.
const TIMEOUT: Duration = Duration::from_secs(10);
/// How long Slack may be silent until it is asked, and again until the connection counts as lost. Slack asks every few seconds.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(30);
/// The longest message; Slack's events have some kilobytes.
const MAX_MESSAGE: usize = 1024 * 1024;

/// How this side opens connections.
pub(crate) struct SlackSocket {
    client: Client,
    api: Url,
    token: SecretString,
}

/// Why there is no connection, for operators.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NotConnected(pub(crate) String);

/// What Slack sends over a connection.
#[derive(Debug, Deserialize)]
pub(crate) struct Envelope {
    #[serde(rename = "type")]
    pub(crate) kind: String,
    /// By which it is acknowledged; none of what concerns the connection itself.
    #[serde(rename = "envelope_id")]
    pub(crate) id: Option<String>,
    #[serde(default)]
    pub(crate) payload: Value,
    /// Why a connection ends.
    pub(crate) reason: Option<String>,
}

/// An open connection.
pub(crate) struct Connection {
    socket: WebSocketStream<Upgraded>,
    is_asked: bool,
}

impl SlackSocket {
    pub(crate) fn new(api_url: &str, token: SecretString) -> anyhow::Result<Self> {
        let client = Proxies::of_environment()
            .apply(Client::builder())
            .user_agent(concat!("tarsy/", env!("CARGO_PKG_VERSION")))
            .redirect(Policy::none())
            .referer(false)
            .connect_timeout(CONNECT_TIMEOUT)
            // HTTP/2 has another way to open WebSockets.
            .http1_only()
            .build()?;
        let api = Url::parse(api_url).context("system.slack.api_url is no address")?;
        Ok(Self { client, api, token })
    }

    /// Opens a connection.
    pub(crate) async fn connect(&self) -> Result<Connection, NotConnected> {
        let connected = async {
            let address = self.address().await?;
            self.open(address).await
        };
        timeout(TIMEOUT, connected)
            .await
            .unwrap_or_else(|_| Err(NotConnected("Slack does not answer".to_owned())))
    }

    /// The address of a connection, which is good for one.
    async fn address(&self) -> Result<Url, NotConnected> {
        let url = format!("{}/apps.connections.open", self.api.as_str().trim_end_matches('/'));
        let request = self.client.post(url).bearer_auth(self.token.expose_secret());
        let response = request.send().await.map_err(|error| refused(&error))?;
        if response.status() == StatusCode::TOO_MANY_REQUESTS {
            return Err(NotConnected("Slack asks to come back later".to_owned()));
        }
        let answer = read(response).await.map_err(|code| {
            NotConnected(format!("apps.connections.open was answered with {code}"))
        })?;
        let url = answer.get("url").and_then(Value::as_str).and_then(|url| Url::parse(url).ok());
        let url = url.filter(|url| is_socket_of(url, &self.api));
        url.ok_or_else(|| NotConnected("Slack named no address of its own".to_owned()))
    }

    async fn open(&self, mut url: Url) -> Result<Connection, NotConnected> {
        // The address is a secret.
        let wrong = || NotConnected("Slack named an address that cannot be used".to_owned());
        let scheme = if url.scheme() == "wss" { "https" } else { "http" };
        url.set_scheme(scheme).map_err(|()| wrong())?;
        let key = generate_key();
        let request = self
            .client
            .get(url)
            .header(header::CONNECTION, "Upgrade")
            .header(header::UPGRADE, "websocket")
            .header(header::SEC_WEBSOCKET_VERSION, "13")
            .header(header::SEC_WEBSOCKET_KEY, &key);
        let response = request.send().await.map_err(|error| refused(&error))?;
        let accepted = response.headers().get(header::SEC_WEBSOCKET_ACCEPT);
        let fits = accepted.is_some_and(|given| *given == derive_accept_key(key.as_bytes()));
        if response.status() != StatusCode::SWITCHING_PROTOCOLS || !fits {
            let status = response.status().as_u16();
            return Err(NotConnected(format!("the WebSocket was answered with {status}")));
        }
        let upgraded = response.upgrade().await.map_err(|error| refused(&error))?;
        let config = WebSocketConfig::default()
            .max_message_size(Some(MAX_MESSAGE))
            .max_frame_size(Some(MAX_MESSAGE));
        let socket = WebSocketStream::from_raw_socket(upgraded, Role::Client, Some(config)).await;
        Ok(Connection { socket, is_asked: false })
    }
}

fn refused(error: &reqwest::Error) -> NotConnected {
    NotConnected(describe(error, AUTHORITIES))
}

/// Whether a WebSocket belongs to the Slack of this API: over TLS below its domain, or the same server.
fn is_socket_of(url: &Url, api: &Url) -> bool {
    let domain = api.host_str().map(|host| format!(".{host}"));
    let is_below = url.scheme() == "wss"
        && url.port().is_none()
        && url.host_str().zip(domain).is_some_and(|(host, domain)| host.ends_with(&domain));
    let is_same = url.scheme() == "ws"
        && api.scheme() == "http"
        && (url.host(), url.port_or_known_default()) == (api.host(), api.port_or_known_default());
    is_below || is_same
}

impl Connection {
    /// The next message; none at the end of the connection, or if Slack is silent for too long.
    pub(crate) async fn next(&mut self) -> Option<Envelope> {
        loop {
            let message = match timeout(ANSWER_TIMEOUT, self.socket.next()).await {
                Ok(Some(Ok(message))) => message,
                Ok(_) => return None,
                Err(_) if self.is_asked => return None,
                Err(_) => {
                    self.is_asked = true;
                    self.send(Message::Ping(bytes::Bytes::new())).await?;
                    continue;
                }
            };
            self.is_asked = false;
            match message {
                Message::Text(text) => {
                    if let Ok(envelope) = serde_json::from_str(&text) {
                        return Some(envelope);
                    }
                    tracing::debug!("Slack sent a message that is no envelope");
                }
                Message::Close(_) => return None,
                // The library has queued the answer; it goes out with what is sent next, or now.
                Message::Ping(_) => self.flush().await?,
                _ => {}
            }
        }
    }

    /// Acknowledges an envelope: Slack does not send it again.
    pub(crate) async fn acknowledge(&mut self, envelope_id: &str) -> Option<()> {
        self.send(Message::text(json!({ "envelope_id": envelope_id }).to_string())).await
    }

    async fn send(&mut self, message: Message) -> Option<()> {
        matches!(timeout(TIMEOUT, self.socket.send(message)).await, Ok(Ok(()))).then_some(())
    }

    async fn flush(&mut self) -> Option<()> {
        matches!(timeout(TIMEOUT, self.socket.flush()).await, Ok(Ok(()))).then_some(())
    }

    pub(crate) async fn close(mut self) {
        drop(timeout(Duration::from_secs(1), self.socket.close(None)).await);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_socket_is_opened_to_slack_only() {
        let is_ours =
            |api: &str, url: &str| is_socket_of(&url.parse().unwrap(), &api.parse().unwrap());
        let slack = "https://slack.com/api";
        assert!(is_ours(slack, "wss://wss-primary.slack.com/link/?ticket=1&app_id=2"));
        assert!(is_ours("http://127.0.0.1:9000/api", "ws://127.0.0.1:9000/link"));
        for other in [
            "ws://wss-primary.slack.com/link",
            "wss://wss-primary.slack.com:8443/link",
            "wss://slack.com.example/link",
            "wss://evilslack.com/link",
            "ws://169.254.169.254/latest",
        ] {
            assert!(!is_ours(slack, other), "{other}");
        }
        assert!(!is_ours("http://127.0.0.1:9000/api", "ws://127.0.0.1:9001/link"));
    }
}
