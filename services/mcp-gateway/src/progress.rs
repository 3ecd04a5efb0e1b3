//! How far a call has come, told to those who watch its session while it runs.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use rmcp::model::ProgressNotificationParam;
use tarsy_bus::Bus;
use tarsy_contracts::live::{Live, LiveBody};
use tarsy_contracts::mcp::DisplayTarget;
use tarsy_contracts::subject;
use tarsy_domain::clock::Clock;
use tokio::sync::watch;

use crate::content::cut;
use crate::masks::Masks;

/// What an agent does whose tool tells how far it has come.
const PHASE: &str = "tool";
/// The least time between two messages; what comes in between is overtaken.
const PAUSE: Duration = Duration::from_millis(250);
/// The longest line.
const LINE_BYTES: usize = 200;

/// A step that a server told of.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Step {
    done: f64,
    total: Option<f64>,
    message: Option<String>,
}

impl From<ProgressNotificationParam> for Step {
    fn from(told: ProgressNotificationParam) -> Self {
        Self { done: told.progress, total: told.total, message: told.message }
    }
}

impl Step {
    /// One line for a person.
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

/// Those who watch a call.
pub(crate) struct Viewers {
    pub(crate) bus: Bus,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) display: DisplayTarget,
}

impl Viewers {
    /// Tells them of steps as they come, until it is dropped.
    pub(crate) async fn follow(
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
                self.tell(masks.mask(line).await.text).await;
            }
            tokio::time::sleep(PAUSE).await;
        }
    }

    async fn tell(&self, message: String) {
        let DisplayTarget { session_id, stage_id, execution_id, event_id } = self.display;
        let live = Live {
            session_id,
            timestamp: self.clock.now(),
            body: LiveBody::ExecutionProgress {
                stage_id,
                execution_id,
                phase: PHASE.to_owned(),
                message: cut(message, LINE_BYTES),
                event_id: Some(event_id),
            },
        };
        if let Err(error) = self.bus.publish(subject::live_session(session_id), &live).await {
            tracing::debug!(%error, "could not tell how far a call has come");
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
