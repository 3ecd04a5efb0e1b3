-- A configuration that many sessions have is stored once.

-- The resolved chains of sessions. `digest` is the SHA-256 of what was stored; `shared` is null once a text was removed from
-- it, so that no later session gets what is left. `used_at` is renewed while sessions are made with it.
create table config_snapshots (
    digest text primary key,
    snapshot jsonb not null,
    shared boolean default true,
    used_at timestamptz not null default now()
);

-- Sessions have one of both: their own, or a shared one. Without a reference, which would lock the shared row for each session:
-- `purge` deletes only what was last used before the first session that is there.
alter table alert_sessions alter column config_snapshot drop not null;
alter table alert_sessions add column config_digest text;
alter table alert_sessions add constraint alert_sessions_configured
    check (config_snapshot is not null or config_digest is not null);

insert into redacted_columns (table_name, column_name, method) values
    ('config_snapshots', 'snapshot', 'json'),
    ('config_snapshots', 'shared', 'clear');
