-- People who signed in with OpenID Connect. The cookie itself is not stored: `cookie_hash` is its SHA-256. The role follows
-- from `groups` and the configuration at each request.
create table sign_ins (
    id uuid primary key,
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

-- Sign-ins that are not over, to list them and to find those that expired.
create index sign_ins_open on sign_ins (expires_at) where ended_at is null;
create index sign_ins_ended on sign_ins (ended_at) where ended_at is not null;
