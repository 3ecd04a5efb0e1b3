//! A session with more steps than an investigation makes in the time of a test.

use crate::stack::Stack;

impl Stack {
    /// Repeats the first tool call of a finished session, and the response after it, until it has about this many steps.
    pub async fn lengthen(&self, session: &str, steps: i64) -> anyhow::Result<()> {
        let mut sql = self.sql().await?;
        let statements = [
            // The events get numbers after all others, in pairs; a call has its number in its metadata, too.
            "with last as (select max(sequence_number) as number from timeline_events where session_id = $1::uuid),
                 calls as (
                    select distinct on (event_type) e.*, row_number() over (order by event_type desc) - 1 as place
                    from timeline_events e where session_id = $1::uuid
                        and event_type in ('llm_tool_call', 'llm_response')
                    order by event_type, sequence_number
                 )
             insert into timeline_events
             select (jsonb_populate_record(e, jsonb_build_object(
                'id', gen_random_uuid(),
                'sequence_number', last.number + 2 * n + calls.place,
                'metadata', case when e.event_type = 'llm_tool_call'
                    then e.metadata || jsonb_build_object('call_number', n + 1) else e.metadata end,
                'created_at', e.created_at + n * interval '20 ms', 'updated_at', e.updated_at + n * interval '20 ms'
             ))).*
             from calls join timeline_events e on e.id = calls.id, last, generate_series(1, $2 / 2) n",
            "insert into mcp_interactions
             select (jsonb_populate_record(m, jsonb_build_object(
                'id', gen_random_uuid(), 'call_id', gen_random_uuid(), 'call_number', n + 1,
                'timeline_event_id', null, 'created_at', m.created_at + n * interval '20 ms'
             ))).*
             from mcp_interactions m, generate_series(1, $2 / 2) n
             where m.session_id = $1::uuid and m.call_number = 1",
            "insert into llm_interactions
             select (jsonb_populate_record(l, jsonb_build_object(
                'id', gen_random_uuid(), 'created_at', l.created_at + n * interval '20 ms'
             ))).*
             from llm_interactions l, generate_series(1, $2 / 2) n
             where l.id = (
                select id from llm_interactions where session_id = $1::uuid order by created_at, id limit 1
             )",
        ];
        for statement in statements {
            sqlx::query(statement).bind(session).bind(steps).execute(&mut sql).await?;
        }
        Ok(())
    }
}
