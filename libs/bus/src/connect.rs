//! Two connections: one for live text, one for everything else, so that a burst of tokens does not
//! delay a cancel.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use async_nats::jetstream::{self, context::ContextBuilder};
use async_nats::{Client, ConnectOptions, Event, ServerAddr};
use tarsy_contracts::subject;
use tarsy_domain::backoff::Backoff;
use tarsy_outbound::{Obstacle, obstacle};
use tarsy_telemetry::register_counter;
use tokio::sync::watch;
use tokio::time::timeout;

use crate::connection::{ConnectionState, StateReporter};
use crate::error::Error;

/// How long one JetStream operation may take.
const JETSTREAM_TIMEOUT: Duration = Duration::from_secs(5);
/// How long an attempt to connect may take.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// The variable that names the authorities which are trusted.
const AUTHORITIES: &str = "NATS_CA";
const RECONNECT: Backoff = Backoff::new(Duration::from_millis(20), Duration::from_millis(500));

#[derive(Clone, Debug)]
pub struct BusOptions {
    /// One or more server URLs, separated by commas.
    pub url: String,
    /// The service, for the inbox prefix and the server's connection list.
    pub service: &'static str,
    /// The id of this process among the instances of its service; letters, digits, `-` and `_`.
    pub instance: String,
    pub security: BusSecurity,
    /// How many servers of a cluster keep what this process provisions: 1, 3 or 5.
    pub replicas: usize,
}

/// How a process identifies itself and the server, beside a user and a password in the URL. Files are read at the
/// connect.
#[derive(Clone, Debug, Default)]
pub struct BusSecurity {
    /// A NATS credentials file (JWT and seed).
    pub credentials: Option<PathBuf>,
    /// A file with the seed of an nkey.
    pub nkey: Option<PathBuf>,
    /// Certificates, in PEM, of the authorities that are trusted instead of those of the system; with it, a
    /// connection without TLS is refused.
    pub authorities: Option<PathBuf>,
    /// The certificate of this process and its key, in PEM.
    pub certificate: Option<(PathBuf, PathBuf)>,
}

/// The connection to the bus; cheap to clone.
#[derive(Clone, Debug)]
pub struct Bus(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    control: Client,
    live: Client,
    jetstream: jetstream::Context,
    options: BusOptions,
    state: watch::Receiver<ConnectionState>,
}

impl Bus {
    /// Connects. If the server does not answer yet, the client keeps trying in the background.
    pub async fn connect(options: BusOptions) -> Result<Self, Error> {
        register_counter("tarsy_bus_slow_consumer_total");
        register_counter("tarsy_bus_server_errors_total");
        let (reporter, state) = StateReporter::new();
        let live_reporter = reporter.clone();
        let on_control = move |event: &Event| reporter.on_control_event(event);
        let on_live = move |event: &Event| live_reporter.on_live_event(event);
        let control = connect(&options, "control", on_control).await?;
        let live = connect(&options, "live", on_live).await?;
        let jetstream = ContextBuilder::new()
            .timeout(JETSTREAM_TIMEOUT)
            .ack_timeout(JETSTREAM_TIMEOUT)
            .max_ack_inflight(1024)
            .build(control.clone());
        Ok(Self(Arc::new(Inner { control, live, jetstream, options, state })))
    }

    /// The id of this process among the instances of its service.
    pub fn instance(&self) -> &str {
        &self.0.options.instance
    }

    pub fn is_connected(&self) -> bool {
        self.0.state.borrow().connected
    }

    /// Why no connection opens, by one attempt of its own, because the client reports its kind alone; none if it opens, or for a
    /// reason without words.
    pub async fn find_obstacle(&self) -> Option<String> {
        let attempt = async {
            let settings = identified(&self.0.options, "probe").await?;
            let servers = servers(&self.0.options.url)?;
            settings.connect(servers).await.map_err(|error| Error::Connect(error.into()))
        };
        let error = match timeout(CONNECT_TIMEOUT, attempt).await {
            Ok(attempt) => attempt.err()?,
            Err(_) => return Some(Obstacle::TimedOut.explain(AUTHORITIES)),
        };
        obstacle(&error).map(|found| found.explain(AUTHORITIES))
    }

    /// The state of the connection, to wait on.
    pub fn connection(&self) -> watch::Receiver<ConnectionState> {
        self.0.state.clone()
    }

    pub(crate) fn control(&self) -> &Client {
        &self.0.control
    }

    pub(crate) fn live(&self) -> &Client {
        &self.0.live
    }

    pub(crate) fn replicas(&self) -> usize {
        self.0.options.replicas
    }

    pub(crate) fn jetstream(&self) -> &jetstream::Context {
        &self.0.jetstream
    }
}

async fn connect(
    options: &BusOptions,
    purpose: &str,
    on_event: impl Fn(&Event) + Send + Sync + 'static,
) -> Result<Client, Error> {
    let on_event = Arc::new(on_event);
    let settings = identified(options, purpose)
        .await?
        .ping_interval(Duration::from_secs(10))
        .retry_on_initial_connect()
        .request_timeout(None)
        .subscription_capacity(16 * 1024)
        .reconnect_delay_callback(|attempt| {
            RECONNECT.pause(u32::try_from(attempt).unwrap_or(u32::MAX))
        })
        .event_callback(move |event| {
            let on_event = Arc::clone(&on_event);
            async move { on_event(&event) }
        });
    let servers = servers(&options.url)?;
    settings.connect(servers).await.map_err(|error| Error::Connect(error.into()))
}

/// What identifies this process to the server, and the server to this process.
async fn identified(options: &BusOptions, purpose: &str) -> Result<ConnectOptions, Error> {
    let settings = ConnectOptions::new()
        .name(format!("{}/{}/{purpose}", options.service, options.instance))
        .custom_inbox_prefix(subject::inbox(options.service))
        .connection_timeout(CONNECT_TIMEOUT);
    let settings = secured(settings, &options.security).await?;
    // The client does not send the credentials in a server's URL by itself.
    let Some(first) = servers(&options.url)?.into_iter().next() else { return Ok(settings) };
    Ok(match (first.username(), first.password()) {
        (Some(user), Some(password)) => {
            settings.user_and_password(user.to_owned(), password.to_owned())
        }
        (Some(token), None) => settings.token(token.to_owned()),
        (None, _) => settings,
    })
}

async fn secured(
    mut settings: ConnectOptions,
    security: &BusSecurity,
) -> Result<ConnectOptions, Error> {
    if let Some(path) = &security.credentials {
        let text = read(path).await?;
        settings = settings.credentials(&text).map_err(|error| Error::Connect(error.into()))?;
    }
    if let Some(path) = &security.nkey {
        settings = settings.nkey(read(path).await?.trim().to_owned());
    }
    if let Some(path) = &security.authorities {
        settings = settings.add_root_certificates(path.clone()).require_tls(true);
    }
    if let Some((certificate, key)) = &security.certificate {
        settings = settings.add_client_certificate(certificate.clone(), key.clone());
    }
    Ok(settings)
}

async fn read(path: &Path) -> Result<String, Error> {
    tokio::fs::read_to_string(path)
        .await
        .map_err(|source| Error::Connect(format!("{}: {source}", path.display()).into()))
}

fn servers(urls: &str) -> Result<Vec<ServerAddr>, Error> {
    urls.split(',')
        .map(|url| url.trim().parse().map_err(|error: std::io::Error| Error::Connect(error.into())))
        .collect()
}
