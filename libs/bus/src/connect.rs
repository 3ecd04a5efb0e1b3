//! Two connections: live text on one, everything else on the other, so that a burst of tokens
//! delays no cancel.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use async_nats::jetstream::{self, context::ContextBuilder};
use async_nats::{Client, ConnectOptions, Event, ServerAddr};
use tokio::sync::watch;

use crate::Error;
use crate::link::{Link, Reporter};

/// How long a JetStream operation may take.
const JETSTREAM_TIMEOUT: Duration = Duration::from_secs(5);
const RECONNECT_CAP: u64 = 500;

/// Where the bus is, and who is asking.
#[derive(Clone, Debug)]
pub struct BusOptions {
    /// One or more server URLs, separated by commas.
    pub url: String,
    /// The service, for the inbox prefix and the server's connection list.
    pub service: &'static str,
    /// The name of this process among its kind; letters, digits, `-` and `_`.
    pub instance: String,
    /// A NATS credentials file.
    pub credentials: Option<PathBuf>,
}

/// The connection to the bus; cheap to clone.
#[derive(Clone, Debug)]
pub struct Bus(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    control: Client,
    live: Client,
    jetstream: jetstream::Context,
    instance: String,
    link: watch::Receiver<Link>,
}

impl Bus {
    /// Connects; a server that is not there yet is waited for in the background.
    pub async fn connect(options: BusOptions) -> Result<Self, Error> {
        let (reporter, link) = Reporter::new();
        let (hear, hear_live) = (reporter.clone(), reporter);
        let control = dial(&options, "control", move |event| hear.heard(event)).await?;
        let live = dial(&options, "live", move |event| hear_live.heard_live(event)).await?;
        let jetstream = ContextBuilder::new()
            .timeout(JETSTREAM_TIMEOUT)
            .ack_timeout(JETSTREAM_TIMEOUT)
            .max_ack_inflight(1024)
            .build(control.clone());
        Ok(Self(Arc::new(Inner { control, live, jetstream, instance: options.instance, link })))
    }

    /// This process's name among its kind.
    pub fn instance(&self) -> &str {
        &self.0.instance
    }

    /// Whether the connection stands.
    pub fn connected(&self) -> bool {
        self.0.link.borrow().up
    }

    /// The state of the connection, to wait on.
    pub fn link(&self) -> watch::Receiver<Link> {
        self.0.link.clone()
    }

    pub(crate) fn control(&self) -> &Client {
        &self.0.control
    }

    pub(crate) fn live(&self) -> &Client {
        &self.0.live
    }

    pub(crate) fn jetstream(&self) -> &jetstream::Context {
        &self.0.jetstream
    }
}

async fn dial(
    options: &BusOptions,
    purpose: &str,
    hear: impl Fn(&Event) + Send + Sync + 'static,
) -> Result<Client, Error> {
    let hear = Arc::new(hear);
    let mut connect = ConnectOptions::new()
        .name(format!("{}/{}/{purpose}", options.service, options.instance))
        .custom_inbox_prefix(format!("_INBOX_{}", options.service))
        .ping_interval(Duration::from_secs(10))
        .retry_on_initial_connect()
        .connection_timeout(Duration::from_secs(5))
        .request_timeout(None)
        .subscription_capacity(16 * 1024)
        .reconnect_delay_callback(|attempt| {
            let step = 10_u64 << attempt.min(6);
            let jitter = rand::random_range(0..=step / 4);
            Duration::from_millis(step.min(RECONNECT_CAP) + jitter)
        });
    if let Some(path) = &options.credentials {
        let text =
            tokio::fs::read_to_string(path).await.map_err(|error| Error::Connect(error.into()))?;
        connect = connect.credentials(&text).map_err(|error| Error::Connect(error.into()))?;
    }
    connect = connect.event_callback(move |event| {
        let hear = Arc::clone(&hear);
        async move { hear(&event) }
    });
    let servers = servers(&options.url)?;
    // The client does not send the credentials that a server's URL carries by itself.
    if let Some(first) = servers.first() {
        connect = match (first.username(), first.password()) {
            (Some(user), Some(password)) => {
                connect.user_and_password(user.to_owned(), password.to_owned())
            }
            (Some(token), None) => connect.token(token.to_owned()),
            (None, _) => connect,
        };
    }
    connect.connect(servers).await.map_err(|error| Error::Connect(error.into()))
}

fn servers(urls: &str) -> Result<Vec<ServerAddr>, Error> {
    urls.split(',')
        .map(|url| url.trim().parse().map_err(|error: std::io::Error| Error::Connect(error.into())))
        .collect()
}
