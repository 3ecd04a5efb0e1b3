//! Notifications of destinations: the row is inserted before the message is sent.

pub(crate) mod answers;
pub(crate) mod approvals;
pub(crate) mod discovery;
pub(crate) mod dispatch;
pub(crate) mod finish;
pub(crate) mod reviews;
pub(crate) mod rollbacks;
pub(crate) mod sharing;
pub(crate) mod triage;

use uuid::Uuid;

use crate::database::store::Store;
use crate::error::Error;

#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, strum::EnumString, strum::IntoStaticStr, strum::Display,
)]
#[strum(serialize_all = "snake_case")]
pub enum NotificationKind {
    /// An orchestrator began to work on the session.
    Started,
    /// The session is over.
    Ended,
    /// A tool call waits for a person's decision.
    ApprovalRequested,
    /// A tool call that a message asked about waits no more.
    ApprovalClosed,
    /// Somebody reviewed the session whose end a message reports.
    Reviewed,
    /// The state of work changed on the session whose end a message reports.
    Triaged,
    /// An action was rolled back of the session whose end a message reports.
    RolledBack,
    /// A question that was asked by a command, or about the session of one, is answered.
    Answered,
}

impl NotificationKind {
    /// Whether it changes a message that was sent, instead of sending one.
    pub const fn changes_message(self) -> bool {
        matches!(self, Self::ApprovalClosed) || self.changes_end()
    }

    /// Whether it changes the message of the end of a session.
    pub const fn changes_end(self) -> bool {
        matches!(self, Self::Reviewed | Self::Triaged | Self::RolledBack)
    }

    /// Whether its message reports the end of a session.
    pub const fn has_end(self) -> bool {
        matches!(self, Self::Ended) || self.changes_end()
    }
}

impl Store {
    /// Has a notification that was given up sent after all; false if the dead letter is none of one,
    /// or was retried before.
    #[tracing::instrument(name = "db.notification.retry", skip_all)]
    pub async fn retry_notification(&self, letter: Uuid) -> Result<bool, Error> {
        let done = sqlx::query(
            "with letter as (
                update dead_letters set retried_at = now()
                where id = $1 and retried_at is null and notification_id is not null
                returning notification_id as id
             )
             update notifications n
             set status = 'pending', failures = 0, due_at = now(), finished_at = null
             from letter where n.id = letter.id and n.status = 'failed'",
        )
        .bind(letter)
        .execute(&self.pool)
        .await?;
        Ok(done.rows_affected() == 1)
    }
}
