//! Streamable HTTP, and the HTTP client of one server.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use http::header::AUTHORIZATION;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use reqwest::redirect;
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::common::client_side_sse::ExponentialBackoff;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use secrecy::ExposeSecret as _;
use tarsy_catalog::Remote;
use tarsy_outbound::{Guard, Proxies};

use crate::failure::Failure;
use crate::limits;
use crate::oauth::{Account, Bearer};
use crate::tls::with_trust;

const MAX_REDIRECTS: usize = 5;
const MAX_RECONNECTS: usize = 8;
const MAX_RECONNECT_DELAY: Duration = Duration::from_secs(10);

/// A transport to this server, and its client. Without `pooling` every request has a connection of its own: a pooled
/// one adds 40 ms to a call of a server that does not set `TCP_NODELAY`. A guard limits which addresses it connects to.
pub(super) fn transport(
    remote: &Remote,
    pooling: bool,
    account: Option<Arc<Account>>,
    guard: Option<&Arc<Guard>>,
) -> Result<(StreamableHttpClientTransport<Bearer>, Bearer), Failure> {
    let mut config = StreamableHttpClientTransportConfig::with_uri(remote.url.as_str())
        .custom_headers(headers(remote)?)
        .max_sse_event_size(limits::LINE_BYTES);
    if let Some(token) = &remote.bearer_token {
        config = config.auth_header(token.expose_secret());
    }
    let mut backoff = ExponentialBackoff::default();
    backoff.max_times = Some(MAX_RECONNECTS);
    backoff.max_delay = Some(MAX_RECONNECT_DELAY);
    config.retry_config = Arc::new(backoff);
    let builder = builder(remote, pooling)?;
    let builder = match guard {
        Some(guard) => guard.limit(builder),
        None => builder,
    };
    let client = Bearer::new(build(builder)?, account);
    Ok((StreamableHttpClientTransport::with_client(client.clone(), config), client))
}

/// A client that sends the headers of this server with every request.
pub(super) fn client_with_headers(
    remote: &Remote,
    pooling: bool,
) -> Result<reqwest::Client, Failure> {
    let mut all: HeaderMap = headers(remote)?.into_iter().collect();
    if let Some(token) = &remote.bearer_token {
        let mut value = HeaderValue::from_str(&format!("Bearer {}", token.expose_secret()))
            .map_err(|_| {
                Failure::Configuration("bearer_token: it cannot be sent over HTTP".to_owned())
            })?;
        value.set_sensitive(true);
        all.insert(AUTHORIZATION, value);
    }
    build(builder(remote, pooling)?.default_headers(all))
}

/// The same for a single request.
pub(crate) fn client(remote: &Remote) -> Result<reqwest::Client, Failure> {
    client_with_headers(remote, false)
}

fn build(builder: reqwest::ClientBuilder) -> Result<reqwest::Client, Failure> {
    builder
        .build()
        .map_err(|error| Failure::Configuration(format!("no HTTP client can be made: {error}")))
}

fn builder(remote: &Remote, pooling: bool) -> Result<reqwest::ClientBuilder, Failure> {
    let mut builder =
        with_trust(Proxies::of_environment().apply(reqwest::Client::builder()), remote)?
            .connect_timeout(limits::CONNECT)
            .tcp_keepalive(limits::KEEP_ALIVE)
            .tcp_nodelay(true)
            .redirect(redirect::Policy::custom(same_origin));
    if !pooling {
        builder = builder.pool_max_idle_per_host(0);
    }
    Ok(builder)
}

/// Follows redirects that keep method and body, within one origin: credentials belong to no other.
fn same_origin(attempt: redirect::Attempt<'_>) -> redirect::Action {
    let keeps_body =
        matches!(attempt.status(), StatusCode::TEMPORARY_REDIRECT | StatusCode::PERMANENT_REDIRECT);
    let origin = attempt.previous().first().map(reqwest::Url::origin);
    if keeps_body
        && origin == Some(attempt.url().origin())
        && attempt.previous().len() <= MAX_REDIRECTS
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
