-- Who may do what, who did what, what a person has to decide, and what each sender has used.

-- The token itself is not stored: `token_hash` is its SHA-256. A token has a role, or it belongs to an alert source and may
-- only submit alerts of `alert_types`.
create table api_tokens (
    id uuid primary key,
    name text not null,
    -- `use_api_token` looks it up.
    token_hash bytea not null unique check (octet_length(token_hash) = 32),
    role text check (role in ('viewer', 'responder', 'operator', 'admin')),
    alert_types text[],
    created_by text not null,
    created_at timestamptz not null default now(),
    expires_at timestamptz not null,
    revoked_at timestamptz,
    last_used_at timestamptz,
    check ((role is null) <> (alert_types is null))
);

-- Allows `insert_api_token` a name once among tokens that are not revoked. `list_api_tokens` reads it.
create unique index api_tokens_name on api_tokens (name) where revoked_at is null;

-- People who signed in with OpenID Connect. The cookie itself is not stored: `cookie_hash` is its SHA-256. The role follows
-- from `groups` and the configuration at each request.
create table sign_ins (
    id uuid primary key,
    -- `use_sign_in` looks it up.
    cookie_hash bytea not null unique check (octet_length(cookie_hash) = 32),
    user_name text not null,
    groups text[] not null,
    client_address text,
    created_at timestamptz not null default now(),
    expires_at timestamptz not null,
    last_used_at timestamptz not null default now(),
    ended_at timestamptz,
    end_reason text check (end_reason in ('sign_out', 'revoked', 'expired')),
    check ((ended_at is null) = (end_reason is null))
);

-- `list_sign_ins` and `end_expired_sign_ins`.
create index sign_ins_open on sign_ins (expires_at) where ended_at is null;
-- `purge` of sign-ins.
create index sign_ins_ended on sign_ins (ended_at) where ended_at is not null;

-- What a person's login at a tool server gave, sealed with a key that is not in the database.
create table mcp_oauth_tokens (
    server_id text primary key,
    sealed bytea not null,
    updated_at timestamptz not null default now()
);

-- The tools of a server as an operator accepted them. `definition` is the SHA-256 of what a tool says of itself.
create table accepted_tools (
    server_id text not null,
    tool_name text not null,
    definition text not null,
    accepted_by text not null,
    accepted_at timestamptz not null default now(),
    primary key (server_id, tool_name)
);

-- Tool calls that wait, or waited, for a person's decision. The row is written with the timeline event that shows it,
-- and is the fact that a new owner of the session finds: a call is asked about once.
create table tool_approvals (
    id uuid primary key,
    session_id uuid not null references alert_sessions (id) on delete cascade,
    execution_id uuid not null,
    -- `find_approval` looks it up.
    call_id uuid not null unique,
    timeline_event_id uuid not null,
    server_name text not null,
    tool_name text not null,
    tool_arguments jsonb not null,
    -- What the tool said of itself when a person was asked.
    definition text not null,
    -- Why a person has to decide.
    reason text not null,
    requested_at timestamptz not null default now(),
    expires_at timestamptz not null,
    decision text check (decision in ('approved', 'denied', 'expired')),
    decided_by text,
    -- How the sender of a decision was identified: one who is not decides nothing.
    decided_with text check (
        decided_with in ('local_token', 'proxy', 'sign_in', 'oidc_token', 'api_token', 'slack')
    ),
    decided_at timestamptz,
    -- Set before an approved call is sent: without it the call was certainly not made.
    closed_at timestamptz,
    check ((decision is null) = (decided_at is null))
);

-- `list_open_approvals`, `list_unnotified_approvals` and `count_sessions_waiting_for_approval`.
create index tool_approvals_open on tool_approvals (requested_at) where decision is null;
-- `suspend_session`, and the reference.
create index tool_approvals_session on tool_approvals (session_id);

-- Who did what. Rows are added and, after their retention, deleted; never changed.
create table audit_log (
    id uuid primary key,
    created_at timestamptz not null default now(),
    principal text not null,
    credential text not null,
    client_address text,
    action text not null,
    object text,
    -- The session that the request was about. No reference: an entry outlives its session.
    session_id uuid,
    outcome text not null check (outcome in ('allowed', 'denied', 'failed')),
    status smallint not null,
    request_id text,
    -- Requests that nobody identified are counted: a row stands for as many as it says.
    count bigint not null default 1 check (count > 0),
    -- Of a decision about a tool call that counts, and of nothing else. `tool` is `server.tool`.
    approval_id uuid,
    tool text,
    decision text check (decision in ('approved', 'denied')),
    constraint audit_log_whole_decision
        check (num_nulls(approval_id, tool, decision) in (0, 3))
);

-- `list_audit_entries` of a time, and `delete_old_audit_entries`.
create index audit_log_created on audit_log (created_at desc, id desc);

-- The trigger below.
create function audit_log_is_append_only() returns trigger language plpgsql as $$
begin
    raise exception 'audit_log is append-only';
end
$$;

create trigger audit_log_no_update before update on audit_log
    for each statement execute function audit_log_is_append_only();

-- For how many days an entry of the audit log stays at least. Only the owner of the tables may change it: the function below
-- serves a role that may be in wrong hands, whose wish must not remove its traces.
create table audit_retention (
    only_row boolean primary key default true check (only_row),
    days integer not null check (days between 1 and 36500)
);

insert into audit_retention (days) values (365);

-- `delete_audit_entries`: roles of services may not delete from the audit log. This function of the owner deletes what is older
-- than the caller wishes and than the row above says; nothing, where that row is missing.
create function delete_old_audit_entries(wished integer, most bigint) returns bigint
language sql security definer as $$
    with deleted as (
        delete from audit_log where id in (
            select id from audit_log
            where created_at < now() - make_interval(
                days => (select greatest(wished, kept.days) from audit_retention kept))
            order by created_at limit most)
        returning 1)
    select count(*) from deleted
$$;

-- A caller's own schema must not stand in for ours.
do $$
begin
    execute format('alter function delete_old_audit_entries set search_path = %I, pg_temp', current_schema());
end
$$;

revoke execute on function delete_old_audit_entries from public;

-- What each sender has used of a quota within the current minute: one row per sender and action. A crash of PostgreSQL may
-- empty the table, which costs at most one minute of counting.
create unlogged table quota_windows (
    principal text not null,
    action text not null check (action in ('submit_alert', 'ask_question')),
    started_at timestamptz not null,
    used integer not null,
    primary key (principal, action)
);

-- The tokens of models of each day (UTC), written with the record of each call. Each call of a model adds to its sender's row,
-- which is locked until the transaction is on disk: with one row, all sessions of a sender waited for each other.
create table token_usage_parts (
    day date not null,
    -- Empty for sessions that have nobody.
    principal text not null,
    -- From the id of the session.
    part smallint not null check (part between 0 and 63),
    tokens bigint not null,
    primary key (day, principal, part)
);

-- What was counted before there were parts: nothing adds to it.
create table token_usage (
    day date not null,
    principal text not null,
    tokens bigint not null,
    primary key (day, principal)
);

-- `check_daily_tokens`, before alerts and questions, and `find_daily_usage`.
create view daily_token_usage as
select day, principal, tokens from token_usage
union all
select day, principal, tokens from token_usage_parts;
