-- Ids that a sender of an alert received while PostgreSQL was away, and whose alert has the idempotency key of an existing
-- session: they resolve to that session.
create table session_aliases (
    id uuid primary key,
    session_id uuid not null references alert_sessions (id) on delete cascade,
    created_at timestamptz not null default now()
);

create index session_aliases_session on session_aliases (session_id);
