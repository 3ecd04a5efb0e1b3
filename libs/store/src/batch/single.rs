//! The two most frequent batches, one timeline event that begins or ends, as one statement each:
//! fence, numbers, row and event in a single round trip.

use sqlx::Row;
use tarsy_contracts::event::Committed;
use tarsy_contracts::timeline::{EndTimelineEvent, NewTimelineEvent};
use uuid::Uuid;

use crate::batch::plan;
use crate::cells::Cells;
use crate::encode::{Tail, event_payload};
use crate::error::{Conflict, Error};
use crate::fence::Fence;
use crate::store::Store;

const OPEN: &str = r#"
    with fence as (
        update session_control
        set event_seq = event_seq + 1, timeline_seq = timeline_seq + 1
        where session_id = $1 and lease_epoch = $2
        returning event_seq, timeline_seq
    ), opened as (
        insert into timeline_events
            (id, session_id, stage_id, execution_id, sequence_number, event_type, status, content, metadata)
        select $3, $1, $4, $5, timeline_seq, $6, $7, $8, $9 from fence
    ), committed as (
        insert into events (session_id, seq, type, payload)
        select $1, event_seq, $10, (
            '{"db_event_id":' || event_seq || ',"sequence_number":' || timeline_seq || ',"timestamp":"'
            || to_char(now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') || '",' || $11
        )::jsonb
        from fence
    )
    select event_seq, timeline_seq, now() as at from fence"#;

/// An event that is not open leaves `closed` empty, the number null and the statement refused: no
/// number is lost.
const CLOSE: &str = concat!(
    "
    with fence as (
        update session_control set event_seq = event_seq + 1
        where session_id = $1 and lease_epoch = $2
        returning event_seq
    ), closed as (
        update timeline_events t
        set status = $4, content = $5, updated_at = now(),
            metadata = case when $6::jsonb is null then t.metadata
                else coalesce(t.metadata, '{}'::jsonb) || $6::jsonb end
        from fence
        where t.id = $3 and t.session_id = $1 and t.status = 'streaming'
        returning t.id
    ), committed as (
        insert into events (session_id, seq, type, payload)
        select $1, case when exists (select 1 from closed) then event_seq end, $7, ",
    event_payload!("event_seq", "now()", "$8"),
    "
        from fence
    )
    select event_seq, now() as at from fence"
);

impl Store {
    pub(super) async fn open_one(
        &self,
        fence: Fence,
        event: &NewTimelineEvent,
    ) -> Result<Vec<Committed>, Error> {
        let session = fence.session_id;
        let tail = Tail::new(session, &plan::opened(event))?;
        let row = sqlx::query(OPEN)
            .bind(session.uuid())
            .bind(fence.epoch)
            .bind(event.id.uuid())
            .bind(event.stage_id.map(Uuid::from))
            .bind(event.execution_id.map(Uuid::from))
            .bind(event.kind.as_str())
            .bind(event.status.as_str())
            .bind(&event.content)
            .bind(&event.metadata)
            .bind(tail.kind)
            .bind(&tail.text)
            .fetch_optional(&self.pool)
            .await?
            .ok_or(Error::Fenced { session })?;
        let at = Cells::new(&row, "session_control").time("at")?;
        let place = Some(row.try_get("timeline_seq")?);
        Ok(vec![tail.committed(session, row.try_get("event_seq")?, place, at)])
    }

    pub(super) async fn close_one(
        &self,
        fence: Fence,
        event: &EndTimelineEvent,
    ) -> Result<Vec<Committed>, Error> {
        let session = fence.session_id;
        let tail = Tail::new(session, &plan::closed(event))?;
        let row = sqlx::query(CLOSE)
            .bind(session.uuid())
            .bind(fence.epoch)
            .bind(event.id.uuid())
            .bind(event.status.as_str())
            .bind(&event.content)
            .bind(&event.metadata)
            .bind(tail.kind)
            .bind(&tail.text)
            .fetch_optional(&self.pool)
            .await
            .map_err(not_open)?
            .ok_or(Error::Fenced { session })?;
        let at = Cells::new(&row, "session_control").time("at")?;
        Ok(vec![tail.committed(session, row.try_get("event_seq")?, None, at)])
    }
}

/// A null number is the statement's way to say that the event is not open.
fn not_open(error: sqlx::Error) -> Error {
    let refused = error.as_database_error().and_then(sqlx::error::DatabaseError::code);
    if refused.as_deref() == Some("23502") {
        return Conflict::NotOpen { what: "timeline event" }.into();
    }
    error.into()
}
