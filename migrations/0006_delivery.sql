-- What consumers did, could not do, and told the world outside.

create table inbox (
    consumer text not null,
    message_id text not null,
    created_at timestamptz not null default now(),
    primary key (consumer, message_id)
);

create index inbox_created on inbox (created_at);

create table dead_letters (
    id uuid primary key,
    subject text not null,
    payload bytea not null,
    error text not null,
    deliveries bigint not null,
    created_at timestamptz not null default now(),
    retried_at timestamptz
);

create index dead_letters_waiting on dead_letters (created_at, id) where retried_at is null;

create table notifications (
    id uuid primary key,
    session_id uuid not null references alert_sessions (id) on delete cascade,
    kind text not null,
    destination text not null,
    status text not null check (status in ('pending', 'sent', 'failed')),
    external_ref text,
    error text,
    created_at timestamptz not null default now(),
    unique (session_id, kind, destination)
);
