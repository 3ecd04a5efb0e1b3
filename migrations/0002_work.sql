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

-- The number of questions in lists of sessions, and the reference.
create index chat_user_messages_chat on chat_user_messages (chat_id, created_at);

create table stages (
    id uuid primary key,
    session_id uuid not null references alert_sessions (id) on delete cascade,
    stage_name text not null,
    stage_index integer not null check (stage_index >= 0),
    expected_agent_count integer not null check (expected_agent_count >= 1),
    parallel_type text check (parallel_type in ('multi_agent', 'replica')),
    success_policy text check (success_policy in ('all', 'any')),
    -- The stage whose results a synthesis joins.
    joins_stage_id uuid references stages (id) on delete cascade,
    -- Of a question about the session.
    chat_id uuid references chats (id) on delete cascade,
    chat_user_message_id uuid unique references chat_user_messages (id) on delete cascade,
    -- Who pays for the tokens of a question.
    principal text,
    status text not null
        check (status in ('pending', 'active', 'completed', 'failed', 'timed_out', 'cancelled')),
    error_message text,
    created_at timestamptz not null default now(),
    started_at timestamptz,
    completed_at timestamptz,
    unique (session_id, stage_index)
);

-- The reference, when a chat is deleted with its session.
create index stages_chat on stages (chat_id) where chat_id is not null;
-- The reference, when a stage is deleted with its session.
create index stages_joins on stages (joins_stage_id) where joins_stage_id is not null;
-- Allows `insert_question` one open question a session. `claim_chat` and `count_claimable_chats` read it.
create unique index stages_one_chat_turn on stages (session_id)
    where chat_id is not null and status in ('pending', 'active');

create table agent_executions (
    id uuid primary key,
    stage_id uuid not null references stages (id) on delete cascade,
    session_id uuid not null references alert_sessions (id) on delete cascade,
    agent_name text not null,
    agent_index integer not null check (agent_index >= 1),
    iteration_strategy text not null,
    -- With which the execution started.
    llm_provider text,
    -- In use, and the first message that belongs to it.
    active_provider text,
    active_provider_since integer not null default 0,
    status text not null
        check (status in ('pending', 'active', 'completed', 'failed', 'timed_out', 'cancelled')),
    error_message text,
    created_at timestamptz not null default now(),
    started_at timestamptz,
    completed_at timestamptz,
    -- When an agent that concluded without a look was sent back, once.
    look_requested_at timestamptz,
    -- An agent that was sent back and still called no tool has its evidence gathered by the offline analyst: its messages in
    -- the conversation, from the first to the one before the request to conclude from them; the end is null until then.
    gathering_since integer,
    gathering_until integer,
    -- When the conclusion was requested, and why before the agent concluded by itself; null for a correction.
    closing_at timestamptz,
    conclusion_cause text check (conclusion_cause in ('iterations', 'budget', 'repetition', 'time', 'form')),
    -- When a correction of the conclusion was requested, once: the claims of the first one are a check without an event.
    repair_requested_at timestamptz,
    conclusion text,
    concluded_at timestamptz,
    -- What a conclusion does not rest on though its agent could have looked: required tools without a result, as server.tool;
    -- empty if no call succeeded at all, null if nothing is missing.
    unseen text[],
    unique (stage_id, agent_index),
    constraint agent_executions_gathering_check check (gathering_until > gathering_since)
);

-- `list_executions`, `find_session_detail`, and what is counted of a session's agents at its end.
create index agent_executions_session on agent_executions (session_id);
