//! The outbox of facts: reading it, publishing from it, emptying it.

use std::time::Duration;

use sqlx::postgres::PgRow;
use tarsy_contracts::event::{Body, Committed};
use tarsy_domain::id::SessionId;
use uuid::Uuid;

use crate::database::cells::Cells;
use crate::database::numbers::Numbers;
use crate::database::pool::Connection;
use crate::database::store::Store;
use crate::encode::Tail;
use crate::error::Error;

/// Writes numbered events of one session.
pub(crate) async fn insert(
    connection: &mut Connection,
    session: SessionId,
    events: &[Committed],
) -> Result<(), Error> {
    if events.is_empty() {
        return Ok(());
    }
    let (mut numbers, mut kinds, mut payloads) = (Vec::new(), Vec::new(), Vec::new());
    for event in events {
        numbers.push(event.seq);
        kinds.push(event.kind.as_str());
        payloads.push(event.payload.as_str());
    }
    sqlx::query(
        "insert into events (session_id, seq, type, payload)
         select $1, seq, type, payload::jsonb
         from unnest($2::bigint[], $3::text[], $4::text[]) as e (seq, type, payload)",
    )
    .bind(session.uuid())
    .bind(numbers)
    .bind(kinds)
    .bind(payloads)
    .execute(connection)
    .await?;
    Ok(())
}

/// Gives events their numbers.
pub(crate) fn number(
    session: SessionId,
    bodies: &[Body],
    numbers: Numbers,
) -> Result<Vec<Committed>, Error> {
    (numbers.seq..)
        .zip(bodies)
        .map(|(seq, body)| Ok(Tail::new(session, body)?.committed(session, seq, None, numbers.at)))
        .collect()
}

/// The number of a session's last event.
pub(crate) async fn last(
    connection: &mut Connection,
    session: SessionId,
) -> Result<Option<i64>, Error> {
    sqlx::query("select event_seq from session_control where session_id = $1")
        .bind(session.uuid())
        .fetch_optional(connection)
        .await?
        .map(|row| Cells::new(&row, "session_control").get("event_seq"))
        .transpose()
}

fn read(row: &PgRow) -> Result<Committed, Error> {
    let cells = Cells::new(row, "events");
    Ok(Committed {
        session_id: cells.id("session_id")?,
        seq: cells.get("seq")?,
        kind: cells.text("type")?,
        payload: cells.text("payload")?,
    })
}

impl Store {
    /// A session's events after a number, in order.
    #[tracing::instrument(name = "db.event.list", skip_all)]
    pub async fn list_events(
        &self,
        session: SessionId,
        after_seq: i64,
        limit: i64,
    ) -> Result<Vec<Committed>, Error> {
        sqlx::query(
            "select session_id, seq, type, payload::text as payload from events
             where session_id = $1 and seq > $2 order by seq limit $3",
        )
        .bind(session.uuid())
        .bind(after_seq)
        .bind(limit)
        .fetch_all(&self.pool)
        .await?
        .iter()
        .map(read)
        .collect()
    }

    /// The number of a session's last event; none if there is no such session.
    #[tracing::instrument(name = "db.event.last", skip_all)]
    pub async fn find_last_event_seq(&self, session: SessionId) -> Result<Option<i64>, Error> {
        last(&mut self.pool.acquire().await?, session).await
    }

    /// Events whose publication a crash left undone, ordered within their session.
    #[tracing::instrument(name = "db.event.list_unpublished", skip_all)]
    pub async fn list_unpublished_events(
        &self,
        older_than: Duration,
        limit: i64,
    ) -> Result<Vec<Committed>, Error> {
        sqlx::query(
            "select session_id, seq, type, payload::text as payload from events
             where published_at is null and created_at <= now() - make_interval(secs => $1)
             order by session_id, seq limit $2",
        )
        .bind(older_than.as_secs_f64())
        .bind(limit)
        .fetch_all(&self.pool)
        .await?
        .iter()
        .map(read)
        .collect()
    }

    /// Notes that these events were published.
    #[tracing::instrument(name = "db.event.mark_published", skip_all)]
    pub async fn set_published(&self, keys: &[(SessionId, i64)]) -> Result<(), Error> {
        if keys.is_empty() {
            return Ok(());
        }
        let mut sorted = keys.to_vec();
        sorted.sort_unstable();
        let (sessions, numbers): (Vec<Uuid>, Vec<i64>) =
            sorted.into_iter().map(|(session, seq)| (session.uuid(), seq)).unzip();
        retrying!(Box::pin(self.mark_once(&sessions, &numbers)))
    }

    async fn mark_once(&self, sessions: &[Uuid], numbers: &[i64]) -> Result<(), Error> {
        sqlx::query(
            // Not synced: a mark that a crashed server forgets is made again, and the stream has the event already.
            "with unsynced as materialized (select set_config('synchronous_commit', 'off', true))
             update events e set published_at = now()
             from unnest($1::uuid[], $2::bigint[]) as k (session_id, seq), unsynced
             where e.session_id = k.session_id and e.seq = k.seq and e.published_at is null",
        )
        .bind(sessions)
        .bind(numbers)
        .execute(&self.pool)
        .await?;
        Ok(())
    }
}
