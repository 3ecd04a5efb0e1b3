-- Notifications: a row is there before anything is sent. It is claimed by raising `claim`, which is also the fence
-- of whoever sends; `due_at` is the end of that claim, or when it is tried again.

alter table notifications
    drop constraint notifications_status_check,
    add constraint notifications_status_check check (status in ('pending', 'sent', 'failed', 'skipped')),
    add constraint notifications_kind_check check (kind in ('started', 'ended')),
    add column claim bigint not null default 0,
    add column due_at timestamptz not null default now(),
    add column failures integer not null default 0,
    add column tried_at timestamptz,
    add column thread_ref text,
    add column settled_at timestamptz;

create index notifications_due on notifications (due_at, id) where status = 'pending';

-- Sessions that ended before a destination was known are none of its business.
create table notification_destinations (
    name text primary key,
    known_since timestamptz not null default now(),
    seen_at timestamptz not null default now()
);
