-- What people see of a session, and what its models were told.

create table timeline_events (
    id uuid primary key,
    session_id uuid not null references alert_sessions (id) on delete cascade,
    stage_id uuid references stages (id) on delete cascade,
    execution_id uuid references agent_executions (id) on delete cascade,
    sequence_number bigint not null check (sequence_number >= 1),
    event_type text not null check (event_type in (
        'llm_thinking', 'llm_response', 'llm_tool_call', 'mcp_tool_summary', 'error', 'user_question',
        'executive_summary', 'final_analysis', 'code_execution', 'google_search_result', 'url_context_result',
        'provider_fallback', 'budget_reached', 'tool_approval', 'injected_instructions', 'alert_received'
    )),
    status text not null check (status in ('streaming', 'completed', 'failed', 'cancelled', 'timed_out')),
    content text not null,
    metadata jsonb,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    -- `list_timeline` and `list_history` read it.
    unique (session_id, sequence_number)
);

-- `list_execution_history`.
create index timeline_events_execution on timeline_events (execution_id, sequence_number)
    where execution_id is not null;
-- The reference, when a stage is deleted with its session.
create index timeline_events_stage on timeline_events (stage_id) where stage_id is not null;
-- `interrupt_streaming` of a new owner, and `finish_session`, which closes what is open.
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
    -- The call whose result it is: whoever shortens or quotes the message keeps the number that models cite.
    call_number bigint,
    -- The place (`intake_alerts.seq`) of the last alert of a source that it gives to its agent. The greatest of an execution
    -- tells which alerts the agent has not been given yet, also to a new owner of its session.
    alerts_until bigint check (alerts_until > 0),
    -- Asks a model to go on from what came of an answer whose time was up: text before it and text after it are one answer.
    continues boolean not null default false,
    -- Opaque, for the vendor.
    provider_state bytea,
    created_at timestamptz not null default now(),
    -- `list_messages` reads it.
    unique (execution_id, sequence_number)
);

-- `purge` of prompts, `sessions_that_remember` a removed text, and the reference.
create index messages_session on messages (session_id);
-- The reference, when a stage is deleted with its session.
create index messages_stage on messages (stage_id);
