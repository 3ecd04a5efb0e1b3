-- Investigations that begin by the calendar. What a schedule is stands in the configuration, what became of its times stands here.

-- The schedules that services have seen in their configuration.
create table schedules (
    name text primary key,
    cron text not null,
    time_zone text not null,
    suspended boolean not null,
    -- Times before are of another expression, or of before it was there or was resumed: they were not missed.
    since timestamptz not null default now(),
    -- When a configuration without it was loaded.
    removed_at timestamptz
);

-- A row for each time that has passed. The first instance that writes it begins the session.
create table schedule_runs (
    schedule text not null,
    due_at timestamptz not null,
    outcome text not null check (outcome in ('started', 'missed', 'still_running', 'tokens_used_up')),
    session_id uuid references alert_sessions (id) on delete set null,
    -- The person who asked for it; null of the times of the schedule.
    requested_by text check (char_length(requested_by) between 1 and 200),
    -- Which results were to be sent when it began.
    notify text not null check (notify in ('changed', 'problems', 'always', 'never')),
    created_at timestamptz not null default now(),
    primary key (schedule, due_at),
    check (session_id is null or outcome = 'started')
);

-- `list_unnotified`, and the reference.
create index schedule_runs_session on schedule_runs (session_id) where session_id is not null;
-- `purge` of schedule runs.
create index schedule_runs_created on schedule_runs (created_at);
