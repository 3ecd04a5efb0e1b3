//! Requests that every service of a kind hears, from the bus. One that is published while NATS cannot be reached is missed.

use std::time::Duration;

use futures::StreamExt as _;
use tarsy_bus::{Bus, Incoming};
use tokio_util::sync::CancellationToken;

/// The delay before subscribing again after a subscription ended.
const RESUBSCRIBE_DELAY: Duration = Duration::from_secs(1);

/// Calls `handle` for each message on `subject`, until `until`.
pub(crate) async fn receive(
    bus: &Bus,
    subject: &'static str,
    until: CancellationToken,
    handle: impl Fn(Incoming) + Send + Sync,
) {
    let subscribe = async {
        loop {
            match bus.subscribe(subject).await {
                Ok(mut messages) => {
                    while let Some(message) = messages.next().await {
                        handle(message);
                    }
                }
                Err(error) => {
                    let error = tarsy_telemetry::chain(&error);
                    tracing::warn!(subject, %error, "could not subscribe");
                }
            }
            tokio::time::sleep(RESUBSCRIBE_DELAY).await;
        }
    };
    tokio::select! {
        () = until.cancelled() => {}
        () = subscribe => {}
    }
}
