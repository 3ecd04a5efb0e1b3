-- The state of work on sessions: who has taken which, what is done, and the notes of people.

alter table alert_sessions
    -- Of people, whatever became of the investigation.
    add column triage text not null default 'new',
    -- Who works on it, or did.
    add column assignee text,
    -- The entry that the two are of; none before the first. Entries are never deleted alone, so it is no reference.
    add column triage_entry_id uuid,
    add constraint alert_sessions_triage_check check (triage in ('new', 'taken', 'done')),
    add constraint alert_sessions_assignee_check check (
        (assignee is null) = (triage = 'new') and char_length(assignee) between 1 and 200
    );

-- `list_sessions` in some states of work.
create index alert_sessions_triage on alert_sessions (triage, created_at, id) where deleted_at is null;
-- `list_sessions` of an assignee, and `list_filter_options`.
create index alert_sessions_assignee on alert_sessions (assignee, created_at, id)
    where assignee is not null and deleted_at is null;

-- What lists filter by, as words of one index, with the state of work. `list_sessions` reads it through session_list/facets.rs.
create function session_facets(
    status text, alert_type text, chain_id text, author text, severity text, service text, origin text,
    degraded_reasons text[], review_id uuid, triage text, assignee text
) returns text[] language sql immutable parallel safe as $$
    select array_remove(array[
        'status=' || status, 'alert_type=' || alert_type, 'chain_id=' || chain_id, 'author=' || author,
        'severity=' || severity, 'service=' || service, 'origin=' || origin,
        case when degraded_reasons <> '{}' then 'degraded=true' else 'degraded=false' end,
        case when review_id is not null then 'reviewed=true' else 'reviewed=false' end,
        'triage=' || triage, 'assignee=' || assignee
    ], null)
$$;

-- `list_sessions` with several filters. The index alert_sessions_facets is the one that the version before reads; a later migration drops it.
create index alert_sessions_facets_triage on alert_sessions using gin (session_facets(
    status, alert_type, chain_id, author, severity, service, origin, degraded_reasons, review_id, triage, assignee
)) with (gin_pending_list_limit = 256)
    where completed_at is not null and deleted_at is null;

-- Changes of the state of work, and notes. Rows are added, never changed.
create table triage_entries (
    -- A request that is sent again has the same.
    id uuid primary key,
    session_id uuid not null references alert_sessions (id) on delete cascade,
    -- Entries of a session from 1.
    number integer not null check (number > 0),
    -- The state that it set; null for a note alone.
    triage text check (triage in ('new', 'taken', 'done')),
    assignee text check (char_length(assignee) between 1 and 200),
    -- Masked.
    note text check (char_length(note) between 1 and 8000),
    -- Null if a later alert of the same problem did it.
    author text,
    created_at timestamptz not null default now(),
    unique (session_id, number),
    check (triage is not null or note is not null),
    check ((assignee is null) = (coalesce(triage, 'new') = 'new'))
);

-- `list_unnotified_triage`.
create index triage_entries_created on triage_entries (created_at) where triage is not null;

-- The message of a session's end changes with the state of work: one row for each message, which is sent again.
alter table notifications
    -- The entry that the message shows.
    add column triage_entry_id uuid,
    drop constraint notifications_kind_check,
    add constraint notifications_kind_check check (
        kind in ('started', 'ended', 'approval_requested', 'approval_closed', 'reviewed', 'triaged')
    ),
    add constraint notifications_triage_check check ((triage_entry_id is not null) = (kind = 'triaged'));

insert into redacted_columns (table_name, column_name, method, max_characters) values
    ('alert_sessions', 'assignee', 'text', 200),
    ('triage_entries', 'assignee', 'text', 200),
    ('triage_entries', 'note', 'text', 8000);
