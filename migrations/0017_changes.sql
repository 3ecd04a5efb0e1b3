-- What changed in the systems that alerts are about, as sources report it.
create table changes (
    id uuid primary key,
    -- A source of `intake.sources`, or who sent it.
    source text not null check (char_length(source) <= 200),
    -- The digest of the source's own id of the change: what is sent again adds nothing.
    source_key text not null check (char_length(source_key) = 64),
    kind text not null check (kind in ('deployment', 'configuration', 'secret', 'scaling', 'node', 'release', 'feature_flag',
        'commit', 'package', 'unit', 'kernel', 'other')),
    object text,
    service text,
    namespace text,
    cluster text,
    host text,
    environment text,
    author text,
    link text,
    -- Masked, as all texts here.
    text text not null,
    occurred_at timestamptz not null,
    received_at timestamptz not null default now(),
    unique (source, source_key)
);

-- `list_changes`, `find_given_changes` and retention.
create index changes_occurred on changes (occurred_at, id);

-- What the investigation was given of them; null before it began.
alter table alert_sessions add column changes jsonb;

insert into redacted_columns (table_name, column_name, method)
select table_name, column_name, method
from (values
    ('alert_sessions', 'json', array['changes']),
    ('changes', 'text', array['object', 'service', 'namespace', 'cluster', 'host', 'environment', 'author', 'link', 'text'])
) v (table_name, method, columns), unnest(columns) column_name;

-- `admit_changes`.
alter table quota_windows drop constraint quota_windows_action_check;
alter table quota_windows add constraint quota_windows_action_check
    check (action in ('submit_alert', 'ask_question', 'record_changes'));
