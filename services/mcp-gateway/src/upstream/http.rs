//! Streamable HTTP: the client and the settings of one server.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use http::{HeaderName, HeaderValue, StatusCode};
use reqwest::redirect;
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::common::client_side_sse::ExponentialBackoff;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use secrecy::ExposeSecret as _;
use tarsy_catalog::Remote;

use crate::failure::Failure;
use crate::limits;

const REDIRECTS: usize = 5;
const RECONNECTS: usize = 8;
const LONGEST_RECONNECT: Duration = Duration::from_secs(10);

/// A transport to this server. Without `pooling` every request has a connection of its own: a kept
/// one costs 40 ms a call with servers that do not set `TCP_NODELAY`.
pub(super) fn transport(
    remote: &Remote,
    pooling: bool,
) -> Result<StreamableHttpClientTransport<reqwest::Client>, Failure> {
    let mut config = StreamableHttpClientTransportConfig::with_uri(remote.url.as_str())
        .custom_headers(headers(remote)?)
        .max_sse_event_size(limits::LINE_BYTES);
    if let Some(token) = &remote.bearer_token {
        config = config.auth_header(token.expose_secret());
    }
    let mut backoff = ExponentialBackoff::default();
    backoff.max_times = Some(RECONNECTS);
    backoff.max_delay = Some(LONGEST_RECONNECT);
    config.retry_config = Arc::new(backoff);
    Ok(StreamableHttpClientTransport::with_client(client(remote, pooling)?, config))
}

fn client(remote: &Remote, pooling: bool) -> Result<reqwest::Client, Failure> {
    let mut builder = reqwest::Client::builder()
        .connect_timeout(limits::CONNECT)
        .tcp_nodelay(true)
        .redirect(redirect::Policy::custom(same_origin))
        .tls_danger_accept_invalid_certs(!remote.verify_ssl);
    if !pooling {
        builder = builder.pool_max_idle_per_host(0);
    }
    builder
        .build()
        .map_err(|error| Failure::Configuration(format!("no HTTP client can be made: {error}")))
}

/// Follows what keeps the request as it is, and never to where its credentials do not belong.
fn same_origin(attempt: redirect::Attempt<'_>) -> redirect::Action {
    let keeps_body =
        matches!(attempt.status(), StatusCode::TEMPORARY_REDIRECT | StatusCode::PERMANENT_REDIRECT);
    let origin = attempt.previous().first().map(reqwest::Url::origin);
    if keeps_body && origin == Some(attempt.url().origin()) && attempt.previous().len() <= REDIRECTS
    {
        attempt.follow()
    } else {
        attempt.stop()
    }
}

fn headers(remote: &Remote) -> Result<HashMap<HeaderName, HeaderValue>, Failure> {
    let header = |(name, value): (&String, &secrecy::SecretString)| {
        let refused = |what: &str| {
            Failure::Configuration(format!(
                "custom_headers.{name}: {what} cannot be sent over HTTP"
            ))
        };
        let header = name.parse::<HeaderName>().map_err(|_| refused("the name"))?;
        let mut value =
            HeaderValue::from_str(value.expose_secret()).map_err(|_| refused("the value"))?;
        value.set_sensitive(true);
        Ok((header, value))
    };
    remote.custom_headers.iter().map(header).collect()
}
