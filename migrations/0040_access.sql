-- API tokens. The token itself is not stored: `token_hash` is its SHA-256. A token has a role, or it belongs to an alert
-- source and may only submit alerts of `alert_types`.
create table api_tokens (
    id uuid primary key,
    name text not null,
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

-- Names are unique among tokens that are not revoked.
create unique index api_tokens_name on api_tokens (name) where revoked_at is null;

-- Who did what. Rows are added and, after their retention, deleted; never changed.
create table audit_log (
    id uuid primary key,
    created_at timestamptz not null default now(),
    principal text not null,
    credential text not null,
    client_address text,
    action text not null,
    object text,
    outcome text not null check (outcome in ('allowed', 'denied', 'failed')),
    status smallint not null,
    request_id text
);

create index audit_log_created on audit_log (created_at desc, id desc);

create function audit_log_is_append_only() returns trigger language plpgsql as $$
begin
    raise exception 'audit_log is append-only';
end
$$;

create trigger audit_log_no_update before update on audit_log
    for each statement execute function audit_log_is_append_only();

-- An idempotency key belongs to the principal who sent it, and to one request: the same key with another body is an error.
-- Rows of earlier versions have no request hash and serve for at most 24 hours, so they are dropped.
delete from idempotency_keys;
alter table idempotency_keys
    add column principal text not null,
    add column request_hash text not null,
    drop constraint idempotency_keys_pkey,
    add primary key (principal, key);
