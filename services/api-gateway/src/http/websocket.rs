//! Proxies WebSockets to the stream-relay, so that browsers use one origin.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::ws::{self, WebSocket, WebSocketUpgrade};
use axum::extract::{Extension, State};
use axum::response::Response;
use futures::stream::{SplitSink, SplitStream};
use futures::{SinkExt as _, StreamExt as _};
use http::{HeaderMap, HeaderName, HeaderValue, Request, header};
use tarsy_domain::code::Code;
use tarsy_web::{CredentialEnd, Problem, credential};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::tungstenite::{self, Message, protocol};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream};
use tokio_util::sync::CancellationToken;
use url::Url;

use crate::metrics;
use crate::state::AppState;

/// Where WebSockets are opened, here and at the relay.
pub(super) const PATH: &str = "/api/v1/ws";

type Relay = WebSocketStream<MaybeTlsStream<TcpStream>>;

/// The most time that the relay may take to accept a connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// The most time that one side may take to accept a frame.
const WRITE_TIMEOUT: Duration = Duration::from_secs(15);
/// The longest message that a browser may send.
const MAX_INBOUND: usize = 64 * 1024;
/// The headers of the browser's request that are forwarded to the relay.
const FORWARDED: [HeaderName; 3] =
    [header::ORIGIN, header::USER_AGENT, HeaderName::from_static("traceparent")];

/// Connects to the relay and then accepts the browser's WebSocket.
pub(super) async fn proxy(
    State(app): State<AppState>,
    end: Option<Extension<CredentialEnd>>,
    headers: HeaderMap,
    socket: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Result<Response, Problem> {
    let end = end.map(|Extension(end)| end);
    let socket = socket.map_err(|rejection| {
        let detail = format!("this address accepts only WebSockets: {}", rejection.body_text());
        Problem::new(Code::Invalid, detail)
    })?;
    let slot = Arc::clone(&app.socket_slots)
        .try_acquire_owned()
        .map_err(|_| Problem::new(Code::Unavailable, "too many live views; try again soon"))?;
    let relay = dial(&app, &headers).await?;
    let (tracker, stopping) = (app.sockets.clone(), app.stopping.clone());
    Ok(socket.max_message_size(MAX_INBOUND).max_frame_size(MAX_INBOUND).on_upgrade(
        move |browser| async move {
            metrics::websocket_opened();
            tracker.track_future(pump(browser, relay, end, stopping)).await;
            metrics::websocket_closed();
            drop(slot);
        },
    ))
}

async fn dial(app: &AppState, headers: &HeaderMap) -> Result<Relay, Problem> {
    let unavailable =
        || Problem::new(Code::Unavailable, "live updates are unavailable at the moment");
    let request =
        request(app.settings.relay_url.as_ref(), app.settings.relay_token.as_deref(), headers)
            .ok_or_else(unavailable)?;
    match timeout(CONNECT_TIMEOUT, tokio_tungstenite::connect_async(request)).await {
        Ok(Ok((relay, _))) => Ok(relay),
        Ok(Err(tungstenite::Error::Http(answer))) if answer.status().as_u16() == 403 => {
            Err(Problem::new(
                Code::Forbidden,
                "Origin: is not allowed; open the dashboard under system.dashboard_url, or add \
                 this host to system.allowed_ws_origins",
            ))
        }
        Ok(Err(tungstenite::Error::Http(answer))) if answer.status().as_u16() == 401 => {
            tracing::error!(
                "stream-relay refused this gateway; both need the same TARSY_RELAY_TOKEN"
            );
            Err(unavailable())
        }
        Ok(Err(error)) => {
            tracing::warn!(error = %tarsy_telemetry::chain(&error), "the relay refused a socket");
            Err(unavailable())
        }
        Err(_) => {
            tracing::warn!("the relay did not answer in time");
            Err(unavailable())
        }
    }
}

fn request(relay: Option<&Url>, token: Option<&str>, headers: &HeaderMap) -> Option<Request<()>> {
    let mut url = relay?.clone();
    let scheme = if matches!(url.scheme(), "https" | "wss") { "wss" } else { "ws" };
    url.set_scheme(scheme).ok()?;
    url.set_path(PATH);
    let mut request = url.as_str().into_client_request().ok()?;
    for name in FORWARDED {
        if let Some(value) = headers.get(&name) {
            request.headers_mut().insert(name, value.clone());
        }
    }
    if let Some(token) = token {
        let mut value = HeaderValue::try_from(format!("Bearer {token}")).ok()?;
        value.set_sensitive(true);
        request.headers_mut().insert(header::AUTHORIZATION, value);
    }
    Some(request)
}

/// Copies frames in both directions until one side closes, and forwards its reason to the other.
async fn pump(
    browser: WebSocket,
    relay: Relay,
    end: Option<CredentialEnd>,
    stopping: CancellationToken,
) {
    let (mut to_browser, from_browser) = browser.split();
    let (mut to_relay, from_relay) = relay.split();
    let ended = tokio::select! {
        () = stopping.cancelled() => Ended::Stopping,
        () = CredentialEnd::wait(end) => Ended::Expired,
        ended = upstream(from_browser, &mut to_relay) => ended,
        ended = downstream(from_relay, &mut to_browser) => ended,
    };
    let (browser_frame, relay_frame) = ended.frames();
    let farewell = async {
        // Either may be gone already; then there is nobody to tell.
        drop(to_browser.send(ws::Message::Close(browser_frame)).await);
        drop(to_relay.send(Message::Close(relay_frame)).await);
    };
    drop(timeout(Duration::from_secs(1), farewell).await);
}

#[derive(Debug)]
enum Ended {
    ByBrowser(Option<ws::CloseFrame>),
    ByRelay(Option<protocol::CloseFrame>),
    /// The relay broke.
    RelayLost,
    /// The credential expired or was revoked.
    Expired,
    /// We stop.
    Stopping,
}

impl Ended {
    fn frames(self) -> (Option<ws::CloseFrame>, Option<protocol::CloseFrame>) {
        let ours = |code: u16, reason: &'static str| ws::CloseFrame {
            code,
            reason: ws::Utf8Bytes::from_static(reason),
        };
        let theirs = |code: CloseCode, reason: &'static str| protocol::CloseFrame {
            code,
            reason: reason.into(),
        };
        match self {
            Self::ByBrowser(frame) => {
                let relay = frame.as_ref().map(|frame| protocol::CloseFrame {
                    code: frame.code.into(),
                    reason: frame.reason.as_str().into(),
                });
                (frame, relay)
            }
            Self::ByRelay(frame) => {
                let browser = frame.as_ref().map(|frame| ws::CloseFrame {
                    code: frame.code.into(),
                    reason: frame.reason.as_str().into(),
                });
                (browser, frame)
            }
            Self::RelayLost => (
                Some(ours(ws::close_code::AGAIN, "live views are away; connect again")),
                Some(theirs(CloseCode::Away, "lost")),
            ),
            Self::Expired => (
                Some(ours(credential::CREDENTIAL_ENDED, credential::CREDENTIAL_ENDED_REASON)),
                Some(theirs(CloseCode::Away, "the credential ended")),
            ),
            Self::Stopping => (
                Some(ours(ws::close_code::RESTART, "the server restarts; connect again")),
                Some(theirs(CloseCode::Away, "the gateway restarts")),
            ),
        }
    }
}

async fn upstream(
    mut browser: SplitStream<WebSocket>,
    relay: &mut SplitSink<Relay, Message>,
) -> Ended {
    while let Some(Ok(message)) = browser.next().await {
        let message = match message {
            ws::Message::Text(text) => Message::text(text.as_str()),
            ws::Message::Binary(bytes) => Message::Binary(bytes),
            ws::Message::Close(frame) => return Ended::ByBrowser(frame),
            // Each side keeps its own connection alive.
            ws::Message::Ping(_) | ws::Message::Pong(_) => continue,
        };
        if !matches!(timeout(WRITE_TIMEOUT, relay.send(message)).await, Ok(Ok(()))) {
            return Ended::RelayLost;
        }
    }
    Ended::ByBrowser(None)
}

async fn downstream(
    mut relay: SplitStream<Relay>,
    browser: &mut SplitSink<WebSocket, ws::Message>,
) -> Ended {
    loop {
        let message = match relay.next().await {
            Some(Ok(Message::Text(text))) => text,
            Some(Ok(Message::Close(frame))) => return Ended::ByRelay(frame),
            Some(Ok(_)) => continue,
            Some(Err(_)) | None => return Ended::RelayLost,
        };
        // Both names are the same bytes, already checked; nothing is copied.
        let Ok(text) = ws::Utf8Bytes::try_from(bytes::Bytes::from(message)) else { continue };
        let sent = timeout(WRITE_TIMEOUT, browser.send(ws::Message::Text(text))).await;
        if !matches!(sent, Ok(Ok(()))) {
            return Ended::ByBrowser(None);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_relay_sees_the_pages_origin_and_nothing_secret() {
        let mut headers = HeaderMap::new();
        headers.insert(header::ORIGIN, "https://tarsy.example".parse().unwrap());
        headers.insert(header::COOKIE, "session=secret".parse().unwrap());
        let relay: Url = "http://relay:8081".parse().unwrap();
        let request = request(Some(&relay), Some("token"), &headers).unwrap();
        assert_eq!(request.uri(), "ws://relay:8081/api/v1/ws");
        assert_eq!(request.headers()[header::ORIGIN], "https://tarsy.example");
        assert_eq!(request.headers()[header::AUTHORIZATION], "Bearer token");
        assert!(!request.headers().contains_key(header::COOKIE));
    }

    #[test]
    fn a_close_code_reaches_the_other_side() {
        let frame = protocol::CloseFrame { code: CloseCode::Again, reason: "slow".into() };
        let (browser, _) = Ended::ByRelay(Some(frame)).frames();
        assert_eq!(browser.unwrap().code, ws::close_code::AGAIN);
        let (browser, _) = Ended::RelayLost.frames();
        assert_eq!(browser.unwrap().code, ws::close_code::AGAIN);
    }
}
