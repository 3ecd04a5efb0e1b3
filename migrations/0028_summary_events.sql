-- Summaries from before they had a column for the event of their text: the event's metadata names that of the call.
update summaries u set timeline_event_id = t.id
from mcp_interactions m, timeline_events t
where u.timeline_event_id is null and m.id = u.mcp_interaction_id and t.session_id = u.session_id
    and t.event_type = 'mcp_tool_summary' and t.status = 'completed'
    and t.metadata ->> 'tool_event_id' = m.timeline_event_id::text;
