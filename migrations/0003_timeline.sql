-- What people see of a session, and what its models were told.

create table timeline_events (
    id uuid primary key,
    session_id uuid not null references alert_sessions (id) on delete cascade,
    stage_id uuid references stages (id) on delete cascade,
    execution_id uuid references agent_executions (id) on delete cascade,
    sequence_number bigint not null check (sequence_number >= 1),
    event_type text not null check (event_type in (
        'llm_thinking', 'llm_response', 'llm_tool_call', 'mcp_tool_summary', 'error', 'user_question',
        'executive_summary', 'final_analysis', 'code_execution', 'google_search_result', 'url_context_result'
    )),
    status text not null check (status in ('streaming', 'completed', 'failed', 'cancelled', 'timed_out')),
    content text not null,
    metadata jsonb,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    unique (session_id, sequence_number)
);

create index timeline_events_execution on timeline_events (execution_id, sequence_number)
    where execution_id is not null;
create index timeline_events_stage on timeline_events (stage_id) where stage_id is not null;
create index timeline_events_streaming on timeline_events (session_id) where status = 'streaming';

create table messages (
    id uuid primary key,
    session_id uuid not null references alert_sessions (id) on delete cascade,
    stage_id uuid not null references stages (id) on delete cascade,
    execution_id uuid not null references agent_executions (id) on delete cascade,
    sequence_number integer not null,
    role text not null check (role in ('system', 'user', 'assistant', 'tool')),
    content text not null,
    tool_calls jsonb,
    tool_call_id text,
    tool_name text,
    provider_state bytea,
    created_at timestamptz not null default now(),
    unique (execution_id, sequence_number)
);

create index messages_session on messages (session_id);
create index messages_stage on messages (stage_id);
