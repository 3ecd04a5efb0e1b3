-- Sessions, the narrow row of each that is written all the time, and the keys and ids by which senders find theirs.

create table alert_sessions (
    id uuid primary key,
    -- What was sent, masked.
    alert_data text not null,
    alert_type text,
    -- What the alert states of itself.
    title text,
    severity text,
    service text,
    namespace text,
    cluster text,
    links jsonb,
    labels jsonb,
    -- Sessions about the same problem have the same.
    fingerprint text,
    slack_message_fingerprint text,
    author text,
    -- Who pays for the tokens: a user or an API token.
    principal text,
    idempotency_key text,
    -- That of the original in a replay.
    received_at timestamptz not null default now(),
    -- The W3C trace context of the request: whoever works on the session continues that trace.
    traceparent text check (length(traceparent) <= 128),
    -- It decides whether tools may be called, not `replay_of`: the original may be deleted, and its replay must not reach
    -- real tools then.
    origin text not null default 'alert' check (origin in ('alert', 'replay', 'recording')),
    replay_of uuid references alert_sessions (id) on delete set null,

    -- The resolved chain, and its settings that code reads.
    chain_id text not null,
    config_snapshot jsonb not null,
    mcp_selection jsonb,
    -- The provider that the sender chose, by its name in the configuration; null leaves it to the chain.
    requested_provider text,
    timeout_ms bigint check (timeout_ms > 0),
    chat_enabled boolean not null default false,
    budget_llm_calls bigint not null default 300,
    budget_tokens bigint not null default 10000000,
    budget_tool_calls bigint not null default 1000,
    -- Each synthesis counted.
    planned_stages integer,
    -- The runbook that the alert names, fetched once and masked, or why it could not be had and the default one was used.
    runbook_url text,
    runbook text,
    runbook_error text,
    -- The reviewed sessions that the investigation was given: null before it began.
    seen_before jsonb,

    status text not null
        check (status in ('pending', 'in_progress', 'cancelling', 'completed', 'failed', 'timed_out', 'cancelled')),
    created_at timestamptz not null default now(),
    started_at timestamptz,
    completed_at timestamptz,
    duration_ms bigint generated always as (
        (extract(epoch from (completed_at - started_at)) * 1000)::bigint
    ) stored,
    last_interaction_at timestamptz,
    current_stage_index integer,
    current_stage_id uuid,

    final_analysis text,
    executive_summary text,
    executive_summary_error text,
    -- After a fallback.
    executive_summary_provider text,
    error_message text,
    -- Of the last conclusions and the executive summary; null if nothing was checked.
    claims integer,
    verified_claims integer,
    -- Why the findings need a second look; empty if nothing speaks against them.
    degraded_reasons text[] not null default '{}',
    -- The verdict that counts, or why a session that completed has none. Its reference is in 0007_findings.sql.
    verdict_id uuid,
    verdict_failure text check (verdict_failure in (
        'switched_off', 'nothing_found', 'no_model', 'failed', 'timed_out', 'invalid'
    )),
    -- The review that counts. Its reference is in 0007_findings.sql.
    review_id uuid,

    -- Hidden since then, and deleted later.
    deleted_at timestamptz,
    -- Prompts and answers of models, and whole results of tools, go before the session does.
    prompts_deleted_at timestamptz,
    tool_results_deleted_at timestamptz,
    -- Always null: `session_words` has the words of lists.
    search tsvector,

    check ((completed_at is not null) = (status in ('completed', 'failed', 'timed_out', 'cancelled'))),
    check (origin = 'replay' or replay_of is null),
    constraint alert_sessions_claims_check check (
        (claims is null) = (verified_claims is null) and verified_claims between 0 and claims
    ),
    constraint alert_sessions_degraded_check check (degraded_reasons <@ array[
        'no_successful_call', 'no_tool_called', 'tool_failed', 'tool_server_unavailable', 'unverified_claims',
        'not_checked', 'injected_instructions', 'iterations_used_up', 'budget_used_up'
    ]),
    constraint alert_sessions_verdict_check check (verdict_id is null or verdict_failure is null)
);

-- `claim_session`, `count_pending_sessions`, the admission of alerts, and the sessions that wait on the page Sessions.
create index alert_sessions_waiting on alert_sessions (created_at, id) where status = 'pending';
-- The cap of `claim_session`, `count_in_progress_sessions`, and the sessions that run on the page Sessions.
create index alert_sessions_running on alert_sessions (id) where status in ('in_progress', 'cancelling');

-- `list_sessions` and `search`, the newest first, and the sessions of an hour in `count_overview_hours`.
create index alert_sessions_created on alert_sessions (created_at, id) where deleted_at is null;
-- `list_sessions` by status, and `list_filter_options`.
create index alert_sessions_status on alert_sessions (status, created_at, id) where deleted_at is null;
-- `list_sessions` by type of alert, and `list_filter_options`.
create index alert_sessions_type on alert_sessions (alert_type, created_at, id) where deleted_at is null;
-- `list_sessions` of a chain, and `list_filter_options`.
create index alert_sessions_chain on alert_sessions (chain_id, created_at, id) where deleted_at is null;
-- `list_sessions` by author.
create index alert_sessions_author on alert_sessions (author, created_at, id) where deleted_at is null;
-- `list_sessions` of a severity.
create index alert_sessions_severity on alert_sessions (severity, created_at, id)
    where severity is not null and deleted_at is null;
-- `list_sessions` of a service.
create index alert_sessions_service on alert_sessions (service, created_at, id)
    where service is not null and deleted_at is null;
-- `list_sessions` with degraded findings.
create index alert_sessions_degraded on alert_sessions (created_at, id)
    where degraded_reasons <> '{}' and deleted_at is null;
-- `list_sessions` of replays or recordings. Nearly all others come from alerts, and their inserts and claims do not touch it.
create index alert_sessions_other_origins on alert_sessions (origin, created_at, id)
    where origin <> 'alert' and deleted_at is null;
-- `list_sessions` of the replays of a session, `delete_session`, and the reference above.
create index alert_sessions_replay_of on alert_sessions (replay_of) where replay_of is not null;
-- `list_sessions` by duration. Status comes first because it goes along with duration: what ran out of time took longest. It
-- has what lists filter by, without author and service: with the longest ones of both, an entry would be too large.
create index alert_sessions_durations on alert_sessions (status, duration_ms, created_at, id)
    include (alert_type, chain_id, severity, origin, degraded_reasons, review_id)
    where completed_at is not null and deleted_at is null;
-- `list_sessions` of those that were reviewed.
create index alert_sessions_review on alert_sessions (created_at, id, review_id)
    include (duration_ms, status, alert_type, chain_id, severity, origin, degraded_reasons)
    where review_id is not null and deleted_at is null;

-- What lists filter by, as words of one index. `list_sessions` reads it through session_list/facets.rs.
create function session_facets(
    status text, alert_type text, chain_id text, author text, severity text, service text, origin text,
    degraded_reasons text[], review_id uuid
) returns text[] language sql immutable parallel safe as $$
    select array_remove(array[
        'status=' || status, 'alert_type=' || alert_type, 'chain_id=' || chain_id, 'author=' || author,
        'severity=' || severity, 'service=' || service, 'origin=' || origin,
        case when degraded_reasons <> '{}' then 'degraded=true' else 'degraded=false' end,
        case when review_id is not null then 'reviewed=true' else 'reviewed=false' end
    ], null)
$$;

-- `list_sessions` with several filters: PostgreSQL intersects the lists of GIN without reading a session. Only sessions that
-- are over are in it, and its list of new entries, which is searched one by one, stays short.
create index alert_sessions_facets on alert_sessions using gin (session_facets(
    status, alert_type, chain_id, author, severity, service, origin, degraded_reasons, review_id
)) with (gin_pending_list_limit = 256)
    where completed_at is not null and deleted_at is null;

-- The earlier sessions of a list's rows, and `list_sessions` of a fingerprint.
create index alert_sessions_same_problem on alert_sessions (fingerprint, created_at, id)
    where fingerprint is not null and deleted_at is null;
-- `list_seen_before`, by the review of a related problem, and the reference of `review_id`.
create index alert_sessions_reviewed on alert_sessions (review_id) where review_id is not null;
-- `list_seen_before`, of the same problem.
create index alert_sessions_reviewed_problem on alert_sessions (fingerprint, completed_at)
    where fingerprint is not null and review_id is not null and deleted_at is null;
-- The reference of `verdict_id`, when a session is deleted with its verdicts.
create index alert_sessions_verdict on alert_sessions (verdict_id) where verdict_id is not null;
-- No statement of today: notifications read the column of a session that they have.
create index alert_sessions_fingerprint on alert_sessions (slack_message_fingerprint)
    where slack_message_fingerprint is not null;

-- `soft_delete_sessions`, and the sessions of a day in `list_unnotified`.
create index alert_sessions_finished on alert_sessions (completed_at) where completed_at is not null;
-- `purge_sessions`.
create index alert_sessions_deleted on alert_sessions (deleted_at) where deleted_at is not null;
-- `purge` of prompts.
create index alert_sessions_with_prompts on alert_sessions (completed_at)
    where completed_at is not null and prompts_deleted_at is null;
-- `purge` of tool results.
create index alert_sessions_with_tool_results on alert_sessions (completed_at)
    where completed_at is not null and tool_results_deleted_at is null;

-- The columns of a session that change all the time: its lease, and the last numbers that were given.
create table session_control (
    session_id uuid primary key references alert_sessions (id) on delete cascade,
    owner_id text,
    lease_epoch bigint not null default 0,
    lease_expires_at timestamptz,
    attempts integer not null default 0 check (attempts >= 0),
    cancel_requested_at timestamptz,
    -- A session of which all that is left waits for people has no owner. Its lease expires when a decision is made, when the
    -- first of the approvals expires, or when its time is over, so that it is claimed like any whose lease ran out.
    suspended_at timestamptz,
    event_seq bigint not null default 0,
    timeline_seq bigint not null default 0,
    -- Tool calls are numbered from 1, in the order in which they are written down.
    call_seq bigint not null default 0,
    created_at timestamptz not null default now()
) with (fillfactor = 50);

-- `claim_session` and `count_claimable_sessions`: leases that ran out.
create index session_control_lease on session_control (lease_expires_at) where lease_expires_at is not null;
-- The cap of `claim_session`, `count_suspended_sessions`, and the page System.
create index session_control_suspended on session_control (session_id) where suspended_at is not null;

-- The same key of the same principal answers the same session for 24 hours; with another body it is an error. The primary
-- key decides.
create table idempotency_keys (
    principal text not null,
    key text not null,
    request_hash text not null,
    session_id uuid not null references alert_sessions (id) on delete cascade deferrable initially deferred,
    created_at timestamptz not null default now(),
    primary key (principal, key)
);

-- `purge` of idempotency keys.
create index idempotency_keys_created on idempotency_keys (created_at);
-- The reference, when a session is deleted.
create index idempotency_keys_session on idempotency_keys (session_id);

-- Ids that a sender of an alert received while PostgreSQL was away, and whose alert has the idempotency key of an existing
-- session: they resolve to that session.
create table session_aliases (
    id uuid primary key,
    session_id uuid not null references alert_sessions (id) on delete cascade,
    created_at timestamptz not null default now()
);

-- The reference, when a session is deleted.
create index session_aliases_session on session_aliases (session_id);
