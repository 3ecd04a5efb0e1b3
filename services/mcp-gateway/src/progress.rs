//! Publishes the progress of a running call to the viewers of its session.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use rmcp::model::ProgressNotificationParam;
use tarsy_bus::Bus;
use tarsy_contracts::live::{Live, LiveBody};
use tarsy_contracts::mcp::DisplayTarget;
use tarsy_contracts::subject;
use tarsy_domain::clock::Clock;
use tarsy_domain::status::Phase;
use tokio::sync::watch;

use crate::masks::Masks;
use crate::text::truncate;

/// The shortest time between two messages; steps in between are dropped.
const INTERVAL: Duration = Duration::from_millis(250);
/// The longest message, in bytes.
const LINE_BYTES: usize = 200;

/// A progress notification of a server.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Step {
    done: f64,
    total: Option<f64>,
    message: Option<String>,
}

impl From<ProgressNotificationParam> for Step {
    fn from(progress: ProgressNotificationParam) -> Self {
        Self { done: progress.progress, total: progress.total, message: progress.message }
    }
}

impl Step {
    fn line(&self) -> String {
        let message = self.message.as_deref().map(str::trim).unwrap_or_default();
        let message = message.lines().next().unwrap_or_default();
        match (message, self.total) {
            ("", Some(total)) => format!("{} of {total}", self.done),
            ("", None) => format!("step {}", self.done),
            (message, Some(total)) => format!("{message} ({} of {total})", self.done),
            (message, None) => message.to_owned(),
        }
    }
}

pub(crate) struct ProgressPublisher {
    pub(crate) bus: Bus,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) display: DisplayTarget,
}

impl ProgressPublisher {
    /// Publishes steps as they arrive; runs until it is dropped.
    pub(crate) async fn run(
        &self,
        mut steps: watch::Receiver<Option<Step>>,
        masks: &Arc<Masks>,
    ) -> Infallible {
        loop {
            if steps.changed().await.is_err() {
                std::future::pending::<()>().await;
            }
            let line = steps.borrow_and_update().as_ref().map(Step::line);
            if let Some(line) = line {
                self.publish(masks.mask(line).await.text).await;
            }
            tokio::time::sleep(INTERVAL).await;
        }
    }

    async fn publish(&self, message: String) {
        let DisplayTarget { session_id, stage_id, execution_id, event_id } = self.display;
        let live = Live {
            session_id,
            timestamp: self.clock.now(),
            body: LiveBody::ExecutionProgress {
                stage_id,
                execution_id,
                phase: Phase::Tool,
                message: truncate(message, LINE_BYTES),
                event_id: Some(event_id),
            },
        };
        if let Err(error) = self.bus.publish(subject::live_session(session_id), &live).await {
            tracing::debug!(%error, "could not publish the progress of a call");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_is_one_line() {
        let line = |done, total, message: Option<&str>| {
            Step { done, total, message: message.map(str::to_owned) }.line()
        };
        assert_eq!(line(3.0, Some(10.0), None), "3 of 10");
        assert_eq!(line(0.5, None, None), "step 0.5");
        assert_eq!(line(3.0, Some(10.0), Some(" reading\nmore")), "reading (3 of 10)");
        assert_eq!(line(3.0, None, Some("reading")), "reading");
    }
}
