//! The signals that end a process.

use tokio::signal::unix::{Signal, SignalKind, signal};

/// SIGTERM and SIGINT. From the first moment on: without a handler the signal ends the process.
#[derive(Debug)]
pub struct Stops {
    terminate: Signal,
    interrupt: Signal,
}

impl Stops {
    pub fn new() -> std::io::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
        })
    }

    /// Waits for one of them, and names it.
    pub async fn next(&mut self) -> &'static str {
        tokio::select! {
            _ = self.terminate.recv() => "SIGTERM",
            _ = self.interrupt.recv() => "SIGINT",
        }
    }
}
