-- What each sender has used of a quota within the current minute: one row per sender and action. A crash of PostgreSQL may
-- empty the table, which costs at most one minute of counting.
create unlogged table quota_windows (
    principal text not null,
    action text not null check (action in ('submit_alert', 'ask_question')),
    started_at timestamptz not null,
    used integer not null,
    primary key (principal, action)
);
