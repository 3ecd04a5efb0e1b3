-- Sessions and the one narrow, hot row each of them has.

create table alert_sessions (
    id uuid primary key,
    alert_data text not null,
    alert_type text,
    chain_id text not null,
    status text not null
        check (status in ('pending', 'in_progress', 'cancelling', 'completed', 'failed', 'timed_out', 'cancelled')),
    author text,
    runbook_url text,
    mcp_selection jsonb,
    slack_message_fingerprint text,
    idempotency_key text,
    config_snapshot jsonb not null,
    created_at timestamptz not null default now(),
    started_at timestamptz,
    completed_at timestamptz,
    last_interaction_at timestamptz,
    current_stage_index integer,
    current_stage_id uuid,
    final_analysis text,
    executive_summary text,
    executive_summary_error text,
    error_message text,
    deleted_at timestamptz,
    duration_ms bigint generated always as (
        (extract(epoch from (completed_at - started_at)) * 1000)::bigint
    ) stored,
    -- How many stages the resolved chain has.
    planned_stages integer generated always as (
        case when jsonb_typeof(config_snapshot -> 'stages') = 'array'
            then jsonb_array_length(config_snapshot -> 'stages') end
    ) stored,
    -- Punctuation is taken out first, so that each part of a name such as `web-7f9.default` is a word.
    -- The cut keeps the vector under PostgreSQL's limit of 1 MB whatever the text is.
    search tsvector generated always as (
        to_tsvector('simple'::regconfig, translate(
            left(alert_data, 80000)
                || ' ' || left(coalesce(final_analysis, ''), 80000)
                || ' ' || left(coalesce(executive_summary, ''), 8000)
                || ' ' || left(coalesce(error_message, ''), 4000)
                || ' ' || left(coalesce(alert_type, ''), 200)
                || ' ' || left(chain_id, 200)
                || ' ' || left(coalesce(author, ''), 200),
            '-_./\:@=,;+#%&?!()[]{}<>"''`|*~^$',
            '                                 '
        ))
    ) stored,
    check ((completed_at is not null) = (status in ('completed', 'failed', 'timed_out', 'cancelled')))
);

create index alert_sessions_created on alert_sessions (created_at, id) where deleted_at is null;
create index alert_sessions_status on alert_sessions (status, created_at, id) where deleted_at is null;
create index alert_sessions_type on alert_sessions (alert_type, created_at, id) where deleted_at is null;
create index alert_sessions_chain on alert_sessions (chain_id, created_at, id) where deleted_at is null;
create index alert_sessions_author on alert_sessions (author, created_at, id) where deleted_at is null;
create index alert_sessions_shortest on alert_sessions (duration_ms, created_at, id) where deleted_at is null;
create index alert_sessions_longest on alert_sessions (duration_ms desc nulls last, created_at desc, id desc)
    where deleted_at is null;
create index alert_sessions_waiting on alert_sessions (created_at, id) where status = 'pending';
create index alert_sessions_running on alert_sessions (id) where status in ('in_progress', 'cancelling');
create index alert_sessions_finished on alert_sessions (completed_at) where completed_at is not null;
create index alert_sessions_deleted on alert_sessions (deleted_at) where deleted_at is not null;
create index alert_sessions_fingerprint on alert_sessions (slack_message_fingerprint)
    where slack_message_fingerprint is not null;
create index alert_sessions_search on alert_sessions using gin (search);

create table session_control (
    session_id uuid primary key references alert_sessions (id) on delete cascade,
    owner_id text,
    lease_epoch bigint not null default 0,
    lease_expires_at timestamptz,
    attempts integer not null default 0 check (attempts >= 0),
    cancel_requested_at timestamptz,
    event_seq bigint not null default 0,
    timeline_seq bigint not null default 0,
    created_at timestamptz not null default now()
) with (fillfactor = 50);

create index session_control_lease on session_control (lease_expires_at) where lease_expires_at is not null;

-- The same key answers the same session for 24 hours; the primary key decides.
create table idempotency_keys (
    key text primary key,
    session_id uuid not null references alert_sessions (id) on delete cascade deferrable initially deferred,
    created_at timestamptz not null default now()
);

create index idempotency_keys_created on idempotency_keys (created_at);
create index idempotency_keys_session on idempotency_keys (session_id);
