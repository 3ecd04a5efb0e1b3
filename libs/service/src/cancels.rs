//! Cancel requests from the bus: the fast path. The lease's renewal reports cancels, too, so that none
//! is missed while the bus is away.

use tarsy_bus::Bus;
use tarsy_contracts::subject;
use tarsy_domain::id::SessionId;
use tokio_util::sync::CancellationToken;

use crate::control;

/// Calls `cancel` for each session whose cancel is published, until `until`.
pub async fn subscribe_cancels(
    bus: Bus,
    until: CancellationToken,
    cancel: impl Fn(SessionId) + Send + Sync,
) {
    control::receive(&bus, subject::CONTROL_CANCEL_ALL, until, |message| {
        if let Some(session) = subject::cancelled_session(&message.subject) {
            cancel(session);
        }
    })
    .await;
}
