//! What became of a notification that was claimed.

use std::time::Duration;

use uuid::Uuid;

use crate::database::store::Store;
use crate::encode;
use crate::error::Error;

/// What became of a claimed notification.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotificationOutcome {
    Sent {
        /// The message's own name where it was sent.
        external_ref: Option<String>,
    },
    /// It is tried again after a pause.
    Retry {
        /// Why.
        error: String,
        pause: Duration,
        /// Whether it counts as a failure.
        counts: bool,
    },
    /// It is given up and becomes a dead letter.
    Exhausted {
        /// Why.
        error: String,
    },
    /// It is obsolete.
    Skipped,
}

impl Store {
    /// Writes down what became of a claimed notification. False if another has claimed it by now.
    #[tracing::instrument(name = "db.notification.finish", skip_all)]
    pub async fn finish_notification(
        &self,
        id: Uuid,
        claim: i64,
        mut committed: NotificationOutcome,
    ) -> Result<bool, Error> {
        if let NotificationOutcome::Retry { error, .. } | NotificationOutcome::Exhausted { error } =
            &mut committed
        {
            encode::clean(error);
        }
        let query = match &committed {
            NotificationOutcome::Sent { external_ref } => sqlx::query(
                "update notifications
                 set status = 'sent', external_ref = $3, error = null, finished_at = now()
                 where id = $1 and claim = $2 and status = 'pending'",
            )
            .bind(id)
            .bind(claim)
            .bind(external_ref),
            NotificationOutcome::Retry { error, pause, counts } => sqlx::query(
                "update notifications
                 set due_at = statement_timestamp() + make_interval(secs => $4), error = $3,
                    failures = failures + $5
                 where id = $1 and claim = $2 and status = 'pending'",
            )
            .bind(id)
            .bind(claim)
            .bind(error)
            .bind(pause.as_secs_f64())
            .bind(i32::from(*counts)),
            NotificationOutcome::Exhausted { error } => sqlx::query(
                "with exhausted as (
                    update notifications
                    set status = 'failed', error = $3, failures = failures + 1, finished_at = now()
                    where id = $1 and claim = $2 and status = 'pending'
                    returning id, session_id, kind, destination, failures
                 )
                 insert into dead_letters (id, subject, payload, error, deliveries, notification_id)
                 select $4, 'notification.' || destination, convert_to(jsonb_build_object(
                        'notification_id', id, 'session_id', session_id, 'kind', kind,
                        'destination', destination)::text, 'UTF8'), $3, failures, id
                 from exhausted",
            )
            .bind(id)
            .bind(claim)
            .bind(error)
            .bind(Uuid::now_v7()),
            NotificationOutcome::Skipped => sqlx::query(
                "update notifications set status = 'skipped', finished_at = now()
                 where id = $1 and claim = $2 and status = 'pending'",
            )
            .bind(id)
            .bind(claim),
        };
        Ok(query.execute(&self.pool).await?.rows_affected() == 1)
    }
}
