-- What is told the world outside, and what could not be handled.

-- A row is there before anything is sent. It is claimed by raising `claim`, which is also the fence of whoever sends; `due_at`
-- is the end of that claim, or when it is tried again.
create table notifications (
    id uuid primary key,
    session_id uuid not null references alert_sessions (id) on delete cascade,
    kind text not null check (
        kind in ('started', 'ended', 'approval_requested', 'approval_closed', 'reviewed')
    ),
    destination text not null,
    -- The tool call that the message is about.
    approval_id uuid references tool_approvals (id) on delete cascade,
    -- The message of a session's end changes when somebody reviews the session.
    review_id uuid references session_reviews (id) on delete cascade,
    status text not null check (status in ('pending', 'sent', 'failed', 'skipped')),
    claim bigint not null default 0,
    due_at timestamptz not null default now(),
    failures integer not null default 0,
    created_at timestamptz not null default now(),
    attempted_at timestamptz,
    finished_at timestamptz,
    thread_ref text,
    external_ref text,
    error text,
    constraint notifications_once
        unique nulls not distinct (session_id, kind, destination, approval_id, review_id),
    constraint notifications_approval_check check (
        (approval_id is not null) = (kind in ('approval_requested', 'approval_closed'))
    ),
    constraint notifications_review_check check ((review_id is not null) = (kind = 'reviewed'))
);

-- `claim_notifications` and `count_pending_notifications`.
create index notifications_due on notifications (due_at, id) where status = 'pending';
-- `list_unnotified_approvals`, the request that `claim_notifications` changes, and the reference.
create index notifications_approval on notifications (approval_id) where approval_id is not null;
-- `list_unnotified_approvals`: requests of the last week that are over.
create index notifications_requests on notifications (created_at) where kind = 'approval_requested';
-- `list_unnotified_reviews`, and the reference.
create index notifications_review on notifications (review_id) where review_id is not null;
-- `list_unnotified_reviews`: the messages that change.
create index notifications_ends on notifications (session_id) where kind = 'ended';
-- `purge` of notifications.
create index notifications_finished on notifications (finished_at) where finished_at is not null;

-- Sessions that ended before a destination was registered are not sent to it.
create table notification_destinations (
    name text primary key,
    registered_at timestamptz not null default now(),
    seen_at timestamptz not null default now()
);

create table dead_letters (
    id uuid primary key,
    subject text not null,
    payload bytea not null,
    error text not null,
    deliveries bigint not null,
    -- The notification that it was.
    notification_id uuid,
    created_at timestamptz not null default now(),
    retried_at timestamptz
);

-- `list_dead_letters`, and the number on the page System.
create index dead_letters_waiting on dead_letters (created_at, id) where retried_at is null;
-- `purge` of dead letters.
create index dead_letters_retried on dead_letters (retried_at) where retried_at is not null;

-- When the database was restored from a backup. What left TARSy between the backup and its loss is not in the rows: notifications
-- of sessions that are older than a restore are searched in their channel before they are sent.
create table restores (
    restored_at timestamptz primary key default now(),
    backup_taken_at timestamptz not null,
    -- The version of TARSy that took the backup.
    backup_version text not null
);
