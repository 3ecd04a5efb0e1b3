//! Cancel requests from the bus: the fast path. The lease's renewal reports cancels, too, so that none
//! is missed while the bus is away.

use std::time::Duration;

use futures::StreamExt as _;
use tarsy_bus::Bus;
use tarsy_contracts::subject;
use tarsy_domain::id::SessionId;
use tokio_util::sync::CancellationToken;

/// The delay before subscribing again after a subscription ended.
const RESUBSCRIBE_DELAY: Duration = Duration::from_secs(1);

/// Calls `cancel` for each session whose cancel is published, until `until`.
pub async fn subscribe_cancels(
    bus: Bus,
    until: CancellationToken,
    cancel: impl Fn(SessionId) + Send + Sync,
) {
    let subscribe = async {
        loop {
            receive_cancels(&bus, &cancel).await;
            tokio::time::sleep(RESUBSCRIBE_DELAY).await;
        }
    };
    tokio::select! {
        () = until.cancelled() => {}
        () = subscribe => {}
    }
}

async fn receive_cancels(bus: &Bus, cancel: &impl Fn(SessionId)) {
    match bus.subscribe(subject::CONTROL_CANCEL_ALL).await {
        Ok(mut messages) => {
            while let Some(message) = messages.next().await {
                if let Some(session) = subject::cancelled_session(&message.subject) {
                    cancel(session);
                }
            }
        }
        Err(error) => {
            let error = tarsy_telemetry::chain(&error);
            tracing::warn!(%error, "could not subscribe to cancels");
        }
    }
}
