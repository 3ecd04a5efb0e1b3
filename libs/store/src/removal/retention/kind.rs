//! The kinds of rows that are deleted by their age.

use strum::IntoStaticStr;

/// What is deleted by its age.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum RetainedKind {
    /// Published events of sessions that are over.
    Events,
    /// Conversations with models, their answers and their thinking, of sessions that are over.
    Prompts,
    /// What tools returned, of sessions that are over. Such a session cannot be replayed.
    ToolResults,
    /// Alerts of sources that belong to no session.
    Alerts,
    Changes,
    /// Dependencies that nobody has reported again.
    Dependencies,
    /// Notifications that were sent, skipped or given up, unless a dead letter of them waits.
    Notifications,
    /// Dead letters that were retried.
    DeadLetters,
    /// Tokens of models by day.
    TokenUsage,
    /// Keys of requests that may be sent again.
    IdempotencyKeys,
    QuotaWindows,
    SignIns,
    /// Configurations that no session has.
    Configurations,
    /// Runs of schedules, but the newest of each, from which the next one is reckoned.
    ScheduleRuns,
}

impl RetainedKind {
    /// For logs and metrics.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}
