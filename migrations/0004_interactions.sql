-- The trace: every call of a model and of a tool, and what of it was too long to show.

create table llm_interactions (
    id uuid primary key,
    session_id uuid not null references alert_sessions (id) on delete cascade,
    stage_id uuid references stages (id) on delete cascade,
    execution_id uuid references agent_executions (id) on delete cascade,
    interaction_type text not null check (interaction_type in (
        'iteration', 'final_analysis', 'executive_summary', 'chat_response', 'summarization', 'synthesis',
        'forced_conclusion'
    )),
    model_name text not null,
    last_message_id uuid references messages (id) on delete set null,
    llm_request jsonb not null,
    llm_response jsonb not null,
    thinking_content text,
    response_metadata jsonb,
    input_tokens integer,
    output_tokens integer,
    total_tokens integer,
    thinking_tokens integer,
    duration_ms bigint,
    error_message text,
    created_at timestamptz not null default now()
);

create index llm_interactions_session on llm_interactions (session_id, created_at, id)
    include (execution_id, input_tokens, output_tokens, total_tokens);
create index llm_interactions_execution on llm_interactions (execution_id) where execution_id is not null;
create index llm_interactions_stage on llm_interactions (stage_id) where stage_id is not null;
create index llm_interactions_message on llm_interactions (last_message_id) where last_message_id is not null;

-- Written before the call is made, so that a new owner knows what may have happened.
create table mcp_interactions (
    id uuid primary key,
    session_id uuid not null references alert_sessions (id) on delete cascade,
    stage_id uuid references stages (id) on delete cascade,
    execution_id uuid references agent_executions (id) on delete cascade,
    status text not null check (status in ('started', 'completed', 'failed', 'unknown')),
    call_id uuid not null unique,
    gateway_instance text,
    interaction_type text not null check (interaction_type in ('tool_call', 'tool_list')),
    server_name text not null,
    tool_name text,
    tool_call_id text,
    tool_arguments jsonb,
    tool_result text,
    available_tools jsonb,
    timeline_event_id uuid references timeline_events (id) on delete set null,
    duration_ms bigint,
    error_message text,
    created_at timestamptz not null default now()
);

create index mcp_interactions_session on mcp_interactions (session_id, created_at, id);
create index mcp_interactions_execution on mcp_interactions (execution_id, created_at, id)
    where execution_id is not null;
create index mcp_interactions_stage on mcp_interactions (stage_id) where stage_id is not null;
create index mcp_interactions_event on mcp_interactions (timeline_event_id) where timeline_event_id is not null;

create table tool_results (
    id uuid primary key,
    interaction_id uuid not null unique references mcp_interactions (id) on delete cascade,
    content text not null,
    created_at timestamptz not null default now()
);

create table summaries (
    id uuid primary key,
    mcp_interaction_id uuid not null unique references mcp_interactions (id) on delete cascade,
    status text not null check (status in ('pending', 'in_progress', 'completed', 'failed')),
    owner_id text,
    lease_epoch bigint not null default 0,
    lease_expires_at timestamptz,
    request jsonb not null,
    summary text,
    error text,
    usage jsonb,
    created_at timestamptz not null default now()
);

create index summaries_waiting on summaries (created_at) where status = 'pending';
create index summaries_lease on summaries (lease_expires_at) where status = 'in_progress';
