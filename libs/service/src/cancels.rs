//! Hears which sessions are to stop: the quick way. Whoever holds a lease learns of it at the next
//! renewal, too, so that nothing is lost while the bus is away.

use std::time::Duration;

use futures::StreamExt as _;
use tarsy_bus::Bus;
use tarsy_contracts::subject;
use tarsy_domain::id::SessionId;
use tokio_util::sync::CancellationToken;

/// The pause before listening again after that broke off.
const AGAIN: Duration = Duration::from_secs(1);

/// Calls `cancel` for each session whose cancel is told, until `until`.
pub async fn hear_cancels(
    bus: Bus,
    until: CancellationToken,
    cancel: impl Fn(SessionId) + Send + Sync,
) {
    let listen = async {
        loop {
            listen(&bus, &cancel).await;
            tokio::time::sleep(AGAIN).await;
        }
    };
    tokio::select! {
        () = until.cancelled() => {}
        () = listen => {}
    }
}

async fn listen(bus: &Bus, cancel: &impl Fn(SessionId)) {
    match bus.subscribe(subject::CONTROL_CANCEL_ALL).await {
        Ok(mut heard) => {
            while let Some(message) = heard.next().await {
                if let Some(session) = subject::cancelled_session(&message.subject) {
                    cancel(session);
                }
            }
        }
        Err(error) => tracing::warn!(error = %tarsy_telemetry::chain(&error), "cancels unheard"),
    }
}
