//! The state of the connection to NATS, and whether messages may have been missed.

use tokio::sync::watch;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ConnectionState {
    pub connected: bool,
    /// Grows with every reconnect and every slow-consumer event. A plain subscriber that sees it grow
    /// reads from PostgreSQL what it may have missed.
    pub generation: u64,
}

/// Derives the state from the client's events.
#[derive(Clone, Debug)]
pub(crate) struct StateReporter(watch::Sender<ConnectionState>);

impl StateReporter {
    pub(crate) fn new() -> (Self, watch::Receiver<ConnectionState>) {
        let (sender, receiver) = watch::channel(ConnectionState::default());
        (Self(sender), receiver)
    }

    /// Takes an event of the connection for live text: what it missed counts, whether it is connected
    /// does not.
    pub(crate) fn on_live_event(&self, event: &async_nats::Event) {
        use async_nats::Event;
        if matches!(event, Event::Connected | Event::SlowConsumer(_)) {
            self.0.send_modify(|state| state.generation += 1);
        }
    }

    /// Takes an event of the connection for everything else.
    pub(crate) fn on_control_event(&self, event: &async_nats::Event) {
        use async_nats::Event;
        match event {
            Event::Connected => self.0.send_modify(|state| {
                state.connected = true;
                state.generation += 1;
            }),
            Event::Disconnected | Event::Closed => {
                self.0.send_modify(|state| state.connected = false);
            }
            Event::SlowConsumer(_) => {
                metrics::counter!("tarsy_bus_slow_consumer_total").increment(1);
                self.0.send_modify(|state| state.generation += 1);
            }
            Event::ServerError(error) => {
                metrics::counter!("tarsy_bus_server_errors_total").increment(1);
                tracing::warn!(%error, "NATS reports an error");
            }
            Event::ClientError(error) => tracing::debug!(%error, "NATS client error"),
            Event::LameDuckMode | Event::Draining => {
                tracing::info!(%event, "NATS is shutting down");
            }
        }
    }
}
