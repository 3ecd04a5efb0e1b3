//! The connections of Socket Mode: what comes over one is handled as a request is, and acknowledged when it is kept.

use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt as _;
use futures::future::BoxFuture;
use futures::stream::FuturesUnordered;
use tarsy_domain::backoff::Backoff;
use tarsy_service::{ServiceContext, Settings, set_warning};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::click::read_interaction;
use super::event::{Received, of_payload};
use super::receive::{clicked, commanded};
use crate::metrics;
use crate::slack::{Connection, Envelope, NotConnected, SlackApp, SlackSocket, secret_of};
use crate::state::AppState;

/// Slack allows a few connections a minute.
const BACKOFF: Backoff = Backoff::new(Duration::from_secs(1), Duration::from_mins(1));
/// The most envelopes that are handled at once; Slack sends the others when these are acknowledged.
const MAX_AT_ONCE: usize = 8;
/// How long a connection that ends waits for what is being handled.
const DRAIN: Duration = Duration::from_secs(3);
/// A connection that Slack ends sooner is followed by a pause, so that no two follow each other without end.
const SHORT: Duration = Duration::from_secs(5);
/// Attempts without a connection after which an operator is warned.
const WARN_AFTER: u32 = 3;
/// How long a warning may delay what is sent.
const WARNING_TIMEOUT: Duration = Duration::from_secs(2);
const WARNING: &str = "slack.socket";
const MESSAGE: &str = "Slack is not connected: no clicks and commands arrive.";

/// An envelope that was handled: the id by which it is acknowledged, if it is to be.
type Handling = BoxFuture<'static, Option<String>>;

/// How a connection ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    /// Slack asks for another one.
    Refreshed,
    Lost,
    /// Socket Mode is switched off for the app.
    Disabled,
    Stopping,
}

/// Starts the task that keeps a connection, if the configuration names the token for it.
pub(crate) fn start_socket(
    app: &AppState,
    settings: &Settings,
    service: &ServiceContext,
) -> anyhow::Result<()> {
    let slack = &app.catalog().system.slack;
    let (Some(variable), Some(of_slack)) = (&slack.app_token_env, app.slack.clone()) else {
        return Ok(());
    };
    let token = secret_of(settings, variable, "the app-level token (xapp-) of the app in Slack")?;
    let socket = SlackSocket::new(&slack.api_url, token)?;
    let keeper = Keeper { app: app.clone(), slack: of_slack, stopping: service.stopping() };
    metrics::slack_connected(false);
    service.spawn_aux("gateway.slack_socket", async move { keeper.keep(&socket).await });
    Ok(())
}

struct Keeper {
    app: AppState,
    slack: Arc<SlackApp>,
    stopping: CancellationToken,
}

impl Keeper {
    async fn keep(&self, socket: &SlackSocket) {
        let mut failures = 0;
        while let Some(connected) = self.stopping.run_until_cancelled(socket.connect()).await {
            let why = match connected {
                Ok(connection) => {
                    let opened = Instant::now();
                    let (end, was_greeted) = self.serve(connection).await;
                    let was_used = was_greeted && opened.elapsed() >= SHORT;
                    metrics::slack_connected(false);
                    failures = if was_greeted { 0 } else { failures };
                    match end {
                        End::Stopping => return,
                        End::Refreshed if was_used => continue,
                        End::Refreshed | End::Lost => "the connection was lost".to_owned(),
                        End::Disabled => "Socket Mode is switched off for the app".to_owned(),
                    }
                }
                Err(NotConnected(why)) => why,
            };
            failures += 1;
            tracing::warn!(why, failures, "no connection to Slack; it is tried again");
            if failures >= WARN_AFTER {
                self.warn(Some(why)).await;
            }
            let pause = tokio::time::sleep(BACKOFF.pause(failures));
            if self.stopping.run_until_cancelled(pause).await.is_none() {
                return;
            }
        }
    }

    async fn warn(&self, why: Option<String>) {
        let problem = why.map(|why| (MESSAGE, why));
        let raised = set_warning(&self.app.bus, &*self.app.clock, WARNING, problem);
        let raised = tokio::time::timeout(WARNING_TIMEOUT, raised).await;
        if !matches!(raised, Ok(Ok(()))) {
            tracing::debug!("the warning about Slack was not written");
        }
    }

    /// Handles what comes over a connection until it ends; whether Slack has greeted.
    async fn serve(&self, mut connection: Connection) -> (End, bool) {
        let mut work = FuturesUnordered::<Handling>::new();
        let mut was_greeted = false;
        let end = loop {
            tokio::select! {
                () = self.stopping.cancelled() => break End::Stopping,
                Some(handled) = work.next(), if !work.is_empty() => {
                    if acknowledge(&mut connection, handled).await.is_none() {
                        break End::Lost;
                    }
                }
                envelope = connection.next(), if work.len() < MAX_AT_ONCE => {
                    let Some(envelope) = envelope else { break End::Lost };
                    match envelope.kind.as_str() {
                        "hello" => {
                            was_greeted = true;
                            metrics::slack_connected(true);
                            tracing::info!("connected to Slack");
                            self.warn(None).await;
                        }
                        "disconnect" => break ended(envelope.reason.as_deref()),
                        _ => work.push(self.handling(envelope)),
                    }
                }
            }
        };
        if end != End::Lost {
            let drained = drain(&mut connection, work);
            drop(tokio::time::timeout(DRAIN, drained).await);
            connection.close().await;
        }
        (end, was_greeted)
    }

    fn handling(&self, envelope: Envelope) -> Handling {
        let (app, slack) = (self.app.clone(), Arc::clone(&self.slack));
        Box::pin(async move {
            let id = envelope.id?;
            // What is not kept is not acknowledged, and comes again.
            match handle(&app, &slack, &envelope.kind, envelope.payload).await {
                Ok(()) => Some(id),
                Err(problem) => {
                    tracing::warn!(
                        problem = problem.detail(),
                        "an envelope of Slack is left to be sent again"
                    );
                    None
                }
            }
        })
    }
}

/// Acknowledges what is being handled when it is done.
async fn drain(connection: &mut Connection, mut work: FuturesUnordered<Handling>) {
    while let Some(handled) = work.next().await {
        if acknowledge(connection, handled).await.is_none() {
            return;
        }
    }
}

async fn acknowledge(connection: &mut Connection, handled: Option<String>) -> Option<()> {
    match handled {
        Some(id) => connection.acknowledge(&id).await,
        None => Some(()),
    }
}

fn ended(reason: Option<&str>) -> End {
    if reason == Some("link_disabled") { End::Disabled } else { End::Refreshed }
}

/// Does what an envelope carries. One that nobody understands is acknowledged, too.
async fn handle(
    app: &AppState,
    slack: &SlackApp,
    kind: &str,
    payload: serde_json::Value,
) -> Result<(), tarsy_web::Problem> {
    let outcome = match kind {
        "events_api" => match of_payload(payload) {
            Ok(Received::Message(message)) => commanded(app, slack, &message, None).await,
            _ => Ok(()),
        },
        "interactive" => match read_interaction(payload) {
            Some(click) => clicked(app, slack, click, None).await,
            None => Ok(()),
        },
        _ => Ok(()),
    };
    outcome.or_else(
        |problem| {
            if problem.status().is_server_error() { Err(problem) } else { Ok(()) }
        },
    )
}
