-- Numbers for tool calls, two more things that a timeline tells, and stages counted with their syntheses.

-- Every tool call of a session has a number, from 1, in the order in which calls are written down.
alter table session_control add column call_seq bigint not null default 0;
alter table mcp_interactions add column call_number bigint check (call_number >= 1);

with numbered as (
    select id, row_number() over (partition by session_id order by created_at, id) as number
    from mcp_interactions where interaction_type = 'tool_call'
)
update mcp_interactions m set call_number = n.number from numbered n where n.id = m.id;

update session_control c set call_seq = n.calls
from (select session_id, max(call_number) as calls from mcp_interactions group by session_id) n
where n.session_id = c.session_id and n.calls is not null;

update timeline_events t
set metadata = coalesce(t.metadata, '{}'::jsonb) || jsonb_build_object('call_number', m.call_number)
from mcp_interactions m
where m.timeline_event_id = t.id and m.call_number is not null;

alter table mcp_interactions add check (interaction_type <> 'tool_call' or call_number is not null);
create unique index mcp_interactions_number on mcp_interactions (session_id, call_number);

alter table timeline_events drop constraint timeline_events_event_type_check;
alter table timeline_events add constraint timeline_events_event_type_check check (event_type in (
    'llm_thinking', 'llm_response', 'llm_tool_call', 'mcp_tool_summary', 'error', 'user_question',
    'executive_summary', 'final_analysis', 'code_execution', 'google_search_result', 'url_context_result',
    'provider_fallback', 'budget_reached'
));

-- The synthesis of a stage is a stage of its own, so that the count is the same from the first moment on.
alter table alert_sessions drop column planned_stages;
alter table alert_sessions add column planned_stages integer generated always as (
    case when jsonb_typeof(config_snapshot -> 'stages') = 'array'
        then jsonb_array_length(config_snapshot -> 'stages')
            + jsonb_array_length(
                jsonb_path_query_array(config_snapshot, '$.stages[*].synthesis ? (@ != null)'))
        end
) stored;
