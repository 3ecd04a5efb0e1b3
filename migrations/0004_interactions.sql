-- The trace: every call of a model and of a tool, what of it was too long to show, and its summary.

-- What a tool said of itself when it was offered to a model; each definition once. `digest` is the SHA-256 of the
-- other columns. `input_schema` is text, because `jsonb` does not keep the order of keys that the model read.
create table tool_definitions (
    digest text primary key,
    server_name text not null,
    tool_name text not null,
    description text not null,
    input_schema text not null,
    read_only boolean not null,
    idempotent boolean not null
);

-- Definitions in the order in which they were offered; each list once. `digest` is the SHA-256 of the list.
create table tool_sets (
    digest text primary key,
    definitions text[] not null
);

create table llm_interactions (
    id uuid primary key,
    session_id uuid not null references alert_sessions (id) on delete cascade,
    stage_id uuid references stages (id) on delete cascade,
    execution_id uuid references agent_executions (id) on delete cascade,
    interaction_type text not null check (interaction_type in (
        'iteration', 'final_analysis', 'executive_summary', 'chat_response', 'summarization', 'synthesis',
        'forced_conclusion', 'verdict'
    )),
    created_at timestamptz not null default now(),

    -- What was sent, and to whom.
    provider text,
    backend text,
    model_name text not null,
    last_message_id uuid references messages (id) on delete set null,
    llm_request jsonb not null,
    tool_set text references tool_sets (digest),
    native_tools text[],
    max_output_tokens integer check (max_output_tokens > 0),
    -- The JSON Schema that the answer was asked for in; text, because `jsonb` does not keep the order of keys.
    response_format text,
    prompt_version text,
    tarsy_version text,
    -- What was left out of the request so that it fits the provider's context window; null if nothing was.
    shortened_messages integer,
    omitted_messages integer,
    whole_tokens bigint,

    -- What came of it.
    llm_response jsonb not null,
    thinking_content text,
    response_metadata jsonb,
    -- What of an answer in a form could not be used.
    answer_notes text[] not null default '{}',
    finish_reason text check (finish_reason in ('stop', 'length', 'tool_calls', 'content_filter')),
    vendor_finish_reason text,
    model_version text,
    response_id text,
    error_message text,
    timed_out boolean not null default false,
    duration_ms bigint,
    -- Until the first text or reasoning; null for answers with neither.
    first_token_ms bigint,
    input_tokens integer,
    output_tokens integer,
    total_tokens integer,
    thinking_tokens integer,
    -- The provider left a part of them out.
    tokens_estimated boolean not null default false,
    -- In millionths of a US dollar, at the price that was configured when the session began; null if there was none.
    cost_micro_usd bigint check (cost_micro_usd >= 0)
);

-- Sums of lists and of `find_usage`, from the index alone, and the order of `find_trace`.
create index llm_interactions_session on llm_interactions (session_id, created_at, id)
    include (execution_id, input_tokens, output_tokens, total_tokens, cost_micro_usd);
-- `count_consecutive_timeouts`, and the reference.
create index llm_interactions_execution on llm_interactions (execution_id) where execution_id is not null;
-- The reference, when a stage is deleted with its session.
create index llm_interactions_stage on llm_interactions (stage_id) where stage_id is not null;
-- The reference, when prompts are deleted.
create index llm_interactions_message on llm_interactions (last_message_id) where last_message_id is not null;
-- `list_provider_calls`: the newest calls, for the page System.
create index llm_interactions_recent on llm_interactions (created_at) include (provider);
-- `list_provider_calls`: the newest that failed.
create index llm_interactions_failed on llm_interactions (created_at) where error_message is not null;
-- Lists of sessions and `find_session_detail`; most sessions have none.
create index llm_interactions_estimated on llm_interactions (session_id) where tokens_estimated;

-- Written before the call is made, so that a new owner knows what may have happened.
create table mcp_interactions (
    id uuid primary key,
    session_id uuid not null references alert_sessions (id) on delete cascade,
    stage_id uuid references stages (id) on delete cascade,
    execution_id uuid references agent_executions (id) on delete cascade,
    interaction_type text not null check (interaction_type in ('tool_call', 'tool_list')),
    created_at timestamptz not null default now(),
    status text not null check (status in ('started', 'completed', 'failed', 'unknown')),
    server_name text not null,
    gateway_instance text,
    duration_ms bigint,
    error_message text,

    -- A call.
    call_id uuid not null unique,
    call_number bigint check (call_number >= 1),
    tool_name text,
    tool_call_id text,
    tool_arguments jsonb,
    tool_result text,
    -- The tokens of the result, and of what the model received of it.
    result_tokens integer check (result_tokens >= 0),
    delivered_tokens integer check (delivered_tokens >= 0),
    timeline_event_id uuid references timeline_events (id) on delete set null,
    refused_by_policy boolean not null default false,
    -- Where the result addresses a model: from the first one on, calls that are not read-only need an approval.
    injected_instructions integer not null default 0 check (injected_instructions >= 0),
    check (interaction_type <> 'tool_call' or call_number is not null),
    -- The earlier call that it repeats: it was not made, and its result is a copy.
    answered_from bigint check (answered_from < call_number),

    -- A list of tools.
    available_tools jsonb,
    tool_set text references tool_sets (digest)
);

-- `find_trace`, `find_usage`, `find_recording`, and the number of calls in lists.
create index mcp_interactions_session on mcp_interactions (session_id, created_at, id);
-- `list_calls` and `find_earlier_call`, and the reference.
create index mcp_interactions_execution on mcp_interactions (execution_id, created_at, id)
    where execution_id is not null;
-- The reference, when a stage is deleted with its session.
create index mcp_interactions_stage on mcp_interactions (stage_id) where stage_id is not null;
-- `list_history` and `interrupt_streaming`: the call that an event shows.
create index mcp_interactions_event on mcp_interactions (timeline_event_id) where timeline_event_id is not null;
-- A number is given once in a session. `find_verdict_material` looks cited calls up.
create unique index mcp_interactions_number on mcp_interactions (session_id, call_number);
-- `replayed_calls`, and `find_earlier_call` in a replay.
create index mcp_interactions_replay on mcp_interactions (session_id, server_name, tool_name, call_number)
    where interaction_type = 'tool_call';
-- `find_injected_call`.
create index mcp_interactions_injected on mcp_interactions (session_id, call_number) where injected_instructions > 0;
-- `list_sessions` with failed calls of a tool.
create index mcp_interactions_failed on mcp_interactions (server_name, tool_name, session_id)
    where interaction_type = 'tool_call' and status = 'failed';

-- The whole text of a result that was too long to show.
create table tool_results (
    id uuid primary key,
    interaction_id uuid not null unique references mcp_interactions (id) on delete cascade,
    content text not null,
    created_at timestamptz not null default now()
);

create table summaries (
    id uuid primary key,
    session_id uuid not null references alert_sessions (id) on delete cascade,
    mcp_interaction_id uuid not null unique references mcp_interactions (id) on delete cascade,
    -- The event that streams its text: a new owner closes what a dead one left.
    timeline_event_id uuid,
    status text not null check (status in ('pending', 'in_progress', 'completed', 'failed')),
    owner_id text,
    lease_epoch bigint not null default 0,
    lease_expires_at timestamptz,
    attempts integer not null default 0,
    request jsonb not null,
    summary text,
    error text,
    llm_calls bigint not null default 0,
    input_tokens bigint not null default 0,
    output_tokens bigint not null default 0,
    total_tokens bigint not null default 0,
    created_at timestamptz not null default now(),
    finished_at timestamptz
);

-- `claim_summary` and `count_claimable_summaries`: those that nobody has begun.
create index summaries_waiting on summaries (created_at) where status = 'pending';
-- The same: leases that ran out. `has_active_summarizers`: those that did not.
create index summaries_lease on summaries (lease_expires_at) where status = 'in_progress';
-- `has_active_summarizers`: owners whose summaries wait ask for it.
create index summaries_finished on summaries (finished_at) where status = 'completed';
-- `find_usage`, and the end of a session, which ends its summaries.
create index summaries_session on summaries (session_id);
