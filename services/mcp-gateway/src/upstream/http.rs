//! Streamable HTTP, and the HTTP client of one server.

use std::collections::HashMap;
use std::io::Read as _;
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

use crate::failure::Failure;
use crate::limits;
use crate::oauth::{Account, Bearer};

const REDIRECTS: usize = 5;
/// The most that is read of a file of authorities.
const CA_BYTES: u64 = 4 * 1024 * 1024;
const RECONNECTS: usize = 8;
const LONGEST_RECONNECT: Duration = Duration::from_secs(10);

/// A transport to this server. Without `pooling` every request has a connection of its own: a kept
/// one costs 40 ms a call with servers that do not set `TCP_NODELAY`.
pub(super) fn transport(
    remote: &Remote,
    pooling: bool,
    account: Option<Arc<Account>>,
) -> Result<StreamableHttpClientTransport<Bearer>, Failure> {
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
    let client = Bearer::new(client(remote, pooling)?, account);
    Ok(StreamableHttpClientTransport::with_client(client, config))
}

fn client(remote: &Remote, pooling: bool) -> Result<reqwest::Client, Failure> {
    build(builder(remote, pooling)?)
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

fn build(builder: reqwest::ClientBuilder) -> Result<reqwest::Client, Failure> {
    builder
        .build()
        .map_err(|error| Failure::Configuration(format!("no HTTP client can be made: {error}")))
}

fn builder(remote: &Remote, pooling: bool) -> Result<reqwest::ClientBuilder, Failure> {
    let mut builder = trusting(reqwest::Client::builder(), remote)?
        .connect_timeout(limits::CONNECT)
        .tcp_keepalive(limits::KEEP_ALIVE)
        .tcp_nodelay(true)
        .redirect(redirect::Policy::custom(same_origin));
    if !pooling {
        builder = builder.pool_max_idle_per_host(0);
    }
    Ok(builder)
}

/// A client that trusts whom the configuration of a server trusts. The file is read each time: who
/// renews it needs no restart.
pub(crate) fn trusting(
    builder: reqwest::ClientBuilder,
    remote: &Remote,
) -> Result<reqwest::ClientBuilder, Failure> {
    let builder = builder.tls_danger_accept_invalid_certs(!remote.verify_ssl);
    let Some(path) = &remote.ca_file else { return Ok(builder) };
    let unusable =
        |why: String| Failure::Configuration(format!("ca_file: {}: {why}", path.display()));
    let file = std::fs::File::open(path).map_err(|error| unusable(error.to_string()))?;
    let mut pem = Vec::new();
    file.take(CA_BYTES).read_to_end(&mut pem).map_err(|error| unusable(error.to_string()))?;
    let authorities = reqwest::Certificate::from_pem_bundle(&pem)
        .map_err(|_| unusable("it holds no certificates in PEM".to_owned()))?;
    if authorities.is_empty() {
        return Err(unusable("it holds no certificates in PEM".to_owned()));
    }
    Ok(builder.tls_certs_merge(authorities))
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
