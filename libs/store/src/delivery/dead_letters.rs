//! Messages that nobody could handle, kept for a person to look at.

use jiff::Timestamp;
use sqlx::postgres::PgRow;
use uuid::Uuid;

use crate::database::cells::Cells;
use crate::database::store::Store;
use crate::error::Error;

/// A message that is given up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewDeadLetter {
    /// Where it was sent.
    pub subject: String,
    pub payload: Vec<u8>,
    /// Why it was given up.
    pub error: String,
    /// How often it was tried.
    pub deliveries: i64,
}

/// A message that was given up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeadLetter {
    pub id: Uuid,
    /// Where it was sent.
    pub subject: String,
    pub payload: Vec<u8>,
    /// Why it was given up.
    pub error: String,
    /// How often it was tried.
    pub deliveries: i64,
    /// When it was given up.
    pub created_at: Timestamp,
    /// When a person had it sent again.
    pub retried_at: Option<Timestamp>,
    /// The notification that was not sent; none for a message of the bus.
    pub notification_id: Option<Uuid>,
}

fn read(row: &PgRow) -> Result<DeadLetter, Error> {
    let cells = Cells::new(row, "dead_letters");
    Ok(DeadLetter {
        id: cells.get("id")?,
        subject: cells.text("subject")?,
        payload: cells.get("payload")?,
        error: cells.text("error")?,
        deliveries: cells.get("deliveries")?,
        created_at: cells.time("created_at")?,
        retried_at: cells.maybe_time("retried_at")?,
        notification_id: cells.get("notification_id")?,
    })
}

impl Store {
    /// Keeps a message that is given up.
    #[tracing::instrument(name = "db.dead_letter.insert", skip_all)]
    pub async fn insert_dead_letter(&self, mut new: NewDeadLetter) -> Result<(), Error> {
        crate::encode::clean(&mut new.error);
        sqlx::query(
            "insert into dead_letters (id, subject, payload, error, deliveries)
             values ($1, $2, $3, $4, $5)",
        )
        .bind(Uuid::now_v7())
        .bind(new.subject)
        .bind(new.payload)
        .bind(new.error)
        .bind(new.deliveries)
        .execute(&self.pool)
        .await?;
        Ok(())
    }

    /// The messages that still wait for a person, the oldest first.
    #[tracing::instrument(name = "db.dead_letter.list", skip_all)]
    pub async fn list_dead_letters(&self, limit: i64) -> Result<Vec<DeadLetter>, Error> {
        sqlx::query(
            "select id, subject, payload, error, deliveries, created_at, retried_at, notification_id
             from dead_letters where retried_at is null order by created_at, id limit $1",
        )
        .bind(limit)
        .fetch_all(&self.pool)
        .await?
        .iter()
        .map(read)
        .collect()
    }

    /// Notes that a message is being sent again and hands it out, once.
    #[tracing::instrument(name = "db.dead_letter.retry", skip_all)]
    pub async fn retry_dead_letter(&self, id: Uuid) -> Result<DeadLetter, Error> {
        let row = sqlx::query(
            "update dead_letters set retried_at = now() where id = $1 and retried_at is null
             returning id, subject, payload, error, deliveries, created_at, retried_at, notification_id",
        )
        .bind(id)
        .fetch_optional(&self.pool)
        .await?;
        row.as_ref().map(read).transpose()?.ok_or(Error::NotFound { what: "waiting dead letter" })
    }
}
