-- What a session consists of: chats, stages, the executions of its agents.

create table chats (
    id uuid primary key,
    session_id uuid not null unique references alert_sessions (id) on delete cascade,
    created_by text,
    created_at timestamptz not null default now(),
    last_interaction_at timestamptz
);

create table chat_user_messages (
    id uuid primary key,
    chat_id uuid not null references chats (id) on delete cascade,
    content text not null,
    author text not null,
    created_at timestamptz not null default now()
);

create index chat_user_messages_chat on chat_user_messages (chat_id, created_at);

create table stages (
    id uuid primary key,
    session_id uuid not null references alert_sessions (id) on delete cascade,
    stage_name text not null,
    stage_index integer not null check (stage_index >= 0),
    expected_agent_count integer not null check (expected_agent_count >= 1),
    parallel_type text check (parallel_type in ('multi_agent', 'replica')),
    success_policy text check (success_policy in ('all', 'any')),
    status text not null
        check (status in ('pending', 'active', 'completed', 'failed', 'timed_out', 'cancelled')),
    error_message text,
    chat_id uuid references chats (id) on delete cascade,
    chat_user_message_id uuid unique references chat_user_messages (id) on delete cascade,
    created_at timestamptz not null default now(),
    started_at timestamptz,
    completed_at timestamptz,
    unique (session_id, stage_index)
);

create index stages_chat on stages (chat_id) where chat_id is not null;

-- One chat turn at a time.
create unique index stages_one_chat_turn on stages (session_id)
    where chat_id is not null and status in ('pending', 'active');

create table agent_executions (
    id uuid primary key,
    stage_id uuid not null references stages (id) on delete cascade,
    session_id uuid not null references alert_sessions (id) on delete cascade,
    agent_name text not null,
    agent_index integer not null check (agent_index >= 1),
    iteration_strategy text not null,
    llm_provider text,
    status text not null
        check (status in ('pending', 'active', 'completed', 'failed', 'timed_out', 'cancelled')),
    error_message text,
    created_at timestamptz not null default now(),
    started_at timestamptz,
    completed_at timestamptz,
    unique (stage_id, agent_index)
);

create index agent_executions_session on agent_executions (session_id);
