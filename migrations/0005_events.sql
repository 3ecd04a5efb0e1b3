-- The outbox of facts: gapless numbers within a session, published after the commit.

create table events (
    session_id uuid not null references alert_sessions (id) on delete cascade,
    seq bigint not null check (seq >= 1),
    type text not null,
    payload jsonb not null,
    created_at timestamptz not null default now(),
    published_at timestamptz,
    -- `list_events` reads it.
    primary key (session_id, seq)
);

-- `list_unpublished_events`.
create index events_unpublished on events (session_id, seq) where published_at is null;
-- `purge` of events.
create index events_created on events using brin (created_at);
