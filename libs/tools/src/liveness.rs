//! Whether a gateway is gone, from what it answers. A process that is killed has no subscription; one that is
//! frozen, or cut off without a reset, keeps it and stays silent. Both count as gone.

use std::time::Duration;

use tarsy_bus::{Bus, ConnectionState, Error as BusError};
use tokio::sync::watch;
use tokio::time::Instant;

/// How long a running gateway may take to answer from memory, on a busy machine.
pub(crate) const ANSWER_GRACE: Duration = Duration::from_secs(5);
/// The pause before a gateway that did not answer is asked again.
pub(crate) const SUSPECT_INTERVAL: Duration = Duration::from_millis(700);
/// The consecutive requests without an answer after which a gateway counts as gone: about 17 s if it is
/// frozen, about 2 s if it has no subscription. A gateway that did not run for `SUSPENDED` ends its
/// leases itself, which must be less.
pub(crate) const MAX_MISSES: u32 = 3;
/// How much later than this process a gateway may reconnect after an outage of the bus.
pub(crate) const RECONNECT_GRACE: Duration = Duration::from_secs(5);
/// How long NATS itself may take to answer, before the silence is not the gateway's.
const BUS_TIMEOUT: Duration = Duration::from_secs(2);

/// What is known of one gateway.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Alive,
    /// It did not answer the last request; it may be gone.
    Suspect,
    Gone,
}

/// Counts the requests that a gateway did not answer.
pub(crate) struct Liveness {
    bus: Bus,
    connection: watch::Receiver<ConnectionState>,
    misses: u32,
    grace_until: Instant,
}

impl Liveness {
    pub(crate) fn new(bus: &Bus) -> Self {
        let mut connection = bus.connection();
        connection.mark_unchanged();
        Self { bus: bus.clone(), connection, misses: 0, grace_until: Instant::now() }
    }

    /// Takes the answer to a request that was sent at `sent`, and that a running gateway answers within
    /// [`ANSWER_GRACE`]. What an outage of the bus lost does not count.
    pub(crate) async fn observe<T>(
        &mut self,
        sent: Instant,
        answer: &Result<T, BusError>,
    ) -> Verdict {
        let missed = match answer {
            Ok(_) | Err(BusError::Refused(_)) => {
                self.misses = 0;
                return Verdict::Alive;
            }
            Err(BusError::NoResponders { .. }) => !self.is_bus_unsettled(sent),
            Err(BusError::Timeout { .. }) => {
                !self.is_bus_unsettled(sent) && self.bus.answers(BUS_TIMEOUT).await
            }
            Err(_) => false,
        };
        self.misses += u32::from(missed);
        if self.misses >= MAX_MISSES { Verdict::Gone } else { Verdict::Suspect }
    }

    /// Whether the connection was down while the request ran, or shortly before.
    fn is_bus_unsettled(&mut self, sent: Instant) -> bool {
        if self.connection.has_changed().unwrap_or_default() {
            self.connection.mark_unchanged();
            self.grace_until = Instant::now() + RECONNECT_GRACE;
        }
        sent < self.grace_until || !self.connection.borrow().connected
    }
}
