-- What a summary needs to be made by a service of its own, and to be made once.
alter table summaries
    add column session_id uuid references alert_sessions (id) on delete cascade,
    -- The event that streams its text: a new owner closes what a dead one left.
    add column timeline_event_id uuid,
    add column attempts integer not null default 0,
    add column finished_at timestamptz;

update summaries s set session_id = m.session_id
from mcp_interactions m where m.id = s.mcp_interaction_id;

alter table summaries alter column session_id set not null;

create index summaries_session on summaries (session_id);
