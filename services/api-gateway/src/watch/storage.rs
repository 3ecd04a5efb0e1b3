//! Whether NATS can store messages: readiness and a warning say what to do, and a stream that failed on a full disk is
//! created again without a restart of nats-server.

use tarsy_bus::{Bus, FailedStream};
use tarsy_service::Health;

/// The name of the part of the readiness. Without it nothing stops: rows are polled, and live views are late.
const PART: &str = "jetstream";
/// Checks in a row, ten seconds apart, after which a failure counts as over: on a disk that is still full a stream
/// that was created again fails at its next message.
const CLEAN_CHECKS: u32 = 3;
const NO_JETSTREAM: &str = "JetStream does not answer. Alerts are still accepted and investigated; live views and tool \
    servers' states are late. If nats-server's log says that JetStream was disabled, free space on the disk of its \
    store and restart it.";

/// What is known of the storage of streams.
#[derive(Debug, Default)]
pub(super) struct StorageWatch {
    failed: Vec<FailedStream>,
    /// The last failure, while it does not count as over.
    problem: Option<String>,
    clean_checks: u32,
}

impl StorageWatch {
    /// Looks at every stream, and reports the result as a part of the readiness.
    pub(super) async fn check(&mut self, bus: &Bus, health: &Health) {
        match Box::pin(bus.failed_streams()).await {
            Ok(failed) => self.note(failed),
            Err(error) => {
                tracing::debug!(error = %tarsy_telemetry::chain(&error), "could not check streams");
                health.set(PART, false, Err(NO_JETSTREAM.to_owned()));
                return;
            }
        }
        health.set(PART, false, self.describe().map_or(Ok(()), Err));
    }

    fn note(&mut self, failed: Vec<FailedStream>) {
        self.failed = failed;
        if !self.failed.is_empty() {
            self.problem = Some(problem(&self.failed));
            self.clean_checks = 0;
            return;
        }
        self.clean_checks += 1;
        if self.clean_checks >= CLEAN_CHECKS {
            self.problem = None;
        }
    }

    /// Creates the failed streams again.
    pub(super) async fn recreate(&mut self, bus: &Bus) {
        for stream in &self.failed {
            match Box::pin(bus.recreate_stream(stream)).await {
                Ok(true) => {
                    tracing::warn!(
                        stream = stream.name,
                        stream.error,
                        "a stream failed and was created again"
                    );
                }
                Ok(false) => tracing::warn!(
                    stream = stream.name,
                    stream.error,
                    "a stream failed, and waits for PostgreSQL to receive its alerts before it is created again"
                ),
                Err(error) => {
                    let error = tarsy_telemetry::chain(&error);
                    tracing::warn!(stream = stream.name, %error, "a stream could not be created again");
                }
            }
        }
    }

    /// What an operator should do, while something is wrong.
    pub(super) fn describe(&self) -> Option<String> {
        self.problem.clone()
    }
}

fn problem(failed: &[FailedStream]) -> String {
    let streams: Vec<String> =
        failed.iter().map(|stream| format!("{}: {}", stream.name, stream.error)).collect();
    format!(
        "{}. Free space on the disk of nats-server's store. The streams are then created again without a restart; what \
         they held is in PostgreSQL. Alerts are accepted meanwhile, as long as PostgreSQL is available; live views \
         are late.",
        streams.join("; ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_is_over_after_three_clean_checks() {
        let mut watch = StorageWatch::default();
        let name = "TARSY_EVENTS".to_owned();
        let failed = FailedStream { name, error: "no space left on device".to_owned() };
        watch.note(vec![failed]);
        for _ in 0..CLEAN_CHECKS {
            let text = watch.describe().unwrap();
            assert!(
                text.starts_with("TARSY_EVENTS: no space left on device. Free space"),
                "{text}"
            );
            watch.note(Vec::new());
        }
        assert_eq!(watch.describe(), None);
    }
}
