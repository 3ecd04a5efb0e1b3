//! Timeline events and messages, many at once.

use tarsy_contracts::timeline::{EndTimelineEvent, NewTimelineEvent};
use tarsy_domain::id::{ExecutionId, SessionId};
use uuid::Uuid;

use crate::database::numbers::Numbers;
use crate::database::pool::Connection;
use crate::error::{Conflict, Error};
use crate::record::batch::op::NewMessage;
use crate::record::batch::statement::Statement;

/// Begins timeline events in a transaction; the first takes `place`, the others follow.
pub(crate) async fn open(
    tx: &mut Connection,
    session: SessionId,
    events: &[&NewTimelineEvent],
    numbers: Numbers,
) -> Result<(), Error> {
    let mut statement = Statement::numbered(session, numbers);
    begin(&mut statement, events, &vec![None; events.len()]);
    statement.execute(tx).await
}

/// Begins timeline events; `calls` has for each of them which call of the batch it shows, if it shows one.
pub(super) fn begin(
    statement: &mut Statement,
    events: &[&NewTimelineEvent],
    calls: &[Option<i64>],
) {
    if events.is_empty() {
        return;
    }
    statement
        .part(
            "insert into timeline_events
                (id, session_id, stage_id, execution_id, sequence_number, event_type, status, content, metadata)
             select id, $1, stage_id, execution_id, fence.place + e.n - 1, event_type, status, content,
                case when e.call is null then metadata
                    else coalesce(metadata, '{}'::jsonb) || jsonb_build_object('call_number', fence.call + e.call) end
             from fence, unnest($2::uuid[], $3::uuid[], $4::uuid[], $5::text[], $6::text[], $7::text[], $8::jsonb[],
                    $9::bigint[])
                with ordinality
                as e (id, stage_id, execution_id, event_type, status, content, metadata, call, n)
             returning 1",
        )
        .bind(column(events, |event| event.id.uuid()))
        .bind(column(events, |event| event.stage_id.map(Uuid::from)))
        .bind(column(events, |event| event.execution_id.map(Uuid::from)))
        .bind(column(events, |event| event.kind.as_str()))
        .bind(column(events, |event| event.status.as_str()))
        .bind(column(events, |event| event.content.as_str()))
        .bind(column(events, |event| event.metadata.clone()))
        .bind(calls);
}

/// Ends streaming timeline events; one that is not open refuses the whole batch.
pub(super) fn close(statement: &mut Statement, events: &[&EndTimelineEvent]) {
    if events.is_empty() {
        return;
    }
    statement
        .part(
            "update timeline_events t
             set status = e.status, content = e.content, updated_at = now(),
                metadata = case when e.metadata is null then t.metadata
                    else coalesce(t.metadata, '{}'::jsonb) || e.metadata end
             from fence, unnest($2::uuid[], $3::text[], $4::text[], $5::jsonb[]) as e (id, status, content, metadata)
             where t.id = e.id and t.session_id = $1 and t.status = 'streaming'
             returning 1",
        )
        .bind(column(events, |event| event.id.uuid()))
        .bind(column(events, |event| event.status.as_str()))
        .bind(column(events, |event| event.content.as_str()))
        .bind(column(events, |event| event.metadata.clone()))
        .expect(events.len(), "timeline event");
}

/// Appends messages to their conversations.
pub(super) fn append(statement: &mut Statement, messages: &[&NewMessage]) {
    if messages.is_empty() {
        return;
    }
    statement
        .part(
            "insert into messages
                (id, session_id, stage_id, execution_id, sequence_number, role, content, tool_calls,
                 tool_call_id, tool_name, provider_state, call_number, alerts_until, continues,
                 sub_execution_id)
             select id, $1, stage_id, execution_id, sequence_number, role, content, tool_calls,
                 tool_call_id, tool_name, provider_state, call_number, alerts_until, continues,
                 sub_execution_id
             from fence, unnest($2::uuid[], $3::uuid[], $4::uuid[], $5::int[], $6::text[], $7::text[],
                    $8::jsonb[], $9::text[], $10::text[], $11::bytea[], $12::bigint[], $13::bigint[],
                    $14::bool[], $15::uuid[])
                as m (id, stage_id, execution_id, sequence_number, role, content, tool_calls,
                    tool_call_id, tool_name, provider_state, call_number, alerts_until, continues,
                    sub_execution_id)
             returning 1",
        )
        .bind(column(messages, |message| message.id.uuid()))
        .bind(column(messages, |message| message.stage_id.uuid()))
        .bind(column(messages, |message| message.execution_id.uuid()))
        .bind(column(messages, |message| message.sequence_number))
        .bind(column(messages, |message| message.role.as_str()))
        .bind(column(messages, |message| message.content.as_str()))
        .bind(column(messages, |message| message.tool_calls.clone()))
        .bind(column(messages, |message| message.tool_call_id.as_deref()))
        .bind(column(messages, |message| message.tool_name.as_deref()))
        .bind(column(messages, |message| message.provider_state.as_deref()))
        .bind(column(messages, |message| message.call_number))
        .bind(column(messages, |message| message.alerts_until))
        .bind(column(messages, |message| message.continues))
        .bind(column(messages, |message| message.sub_execution_id.map(ExecutionId::uuid)));
}

/// One column of many rows.
pub(super) fn column<'a, R, T>(rows: &[&'a R], cell: impl Fn(&'a R) -> T) -> Vec<T> {
    rows.iter().map(|row| cell(row)).collect()
}

/// Every row must have taken the step.
pub(super) fn all(done: u64, expected: usize, what: &'static str) -> Result<(), Error> {
    if u64::try_from(expected).is_ok_and(|expected| expected == done) {
        Ok(())
    } else {
        Err(Conflict::NotOpen { what }.into())
    }
}
