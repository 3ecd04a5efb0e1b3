//! Whether the connection stands, and whether something may have been missed.

use tokio::sync::watch;

/// The state of the connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Link {
    /// The connection stands.
    pub up: bool,
    /// Grows with every reconnect and with every slow-consumer event: whoever listens on a plain
    /// subscription reads from PostgreSQL what it may have missed.
    pub generation: u64,
}

/// Writes the state from the client's events.
#[derive(Clone, Debug)]
pub(crate) struct Reporter(watch::Sender<Link>);

impl Reporter {
    pub(crate) fn new() -> (Self, watch::Receiver<Link>) {
        let (sender, receiver) = watch::channel(Link::default());
        (Self(sender), receiver)
    }

    /// The same for the connection of live text: what it missed counts, whether it is up does not.
    pub(crate) fn heard_live(&self, event: &async_nats::Event) {
        use async_nats::Event;
        if matches!(event, Event::Connected | Event::SlowConsumer(_)) {
            self.0.send_modify(|link| link.generation += 1);
        }
    }

    pub(crate) fn heard(&self, event: &async_nats::Event) {
        use async_nats::Event;
        match event {
            Event::Connected => self.0.send_modify(|link| {
                link.up = true;
                link.generation += 1;
            }),
            Event::Disconnected | Event::Closed => self.0.send_modify(|link| link.up = false),
            Event::SlowConsumer(_) => {
                metrics::counter!("tarsy_bus_slow_consumer_total").increment(1);
                self.0.send_modify(|link| link.generation += 1);
            }
            Event::ServerError(error) => {
                metrics::counter!("tarsy_bus_server_errors_total").increment(1);
                tracing::warn!(%error, "NATS reports an error");
            }
            Event::ClientError(error) => tracing::debug!(%error, "NATS client error"),
            Event::LameDuckMode | Event::Draining => tracing::info!(%event, "NATS is going away"),
        }
    }
}
