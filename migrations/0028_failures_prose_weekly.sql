-- Why sessions and agents failed, as facts beside the sentence of `error_message`: `list_sessions`, `find_session_detail`,
-- `find_session_status` and `claim_notifications`.

alter table alert_sessions add column failure jsonb;
alter table agent_executions add column failure jsonb;

-- The prose of postmortems: what a model writes from facts that are stored with the request.
create table postmortem_prose (
    session_id uuid primary key references alert_sessions (id) on delete cascade,
    -- Of the last request, which replaces the one before.
    id uuid not null unique,
    -- Requests of the session from 1.
    number integer not null check (number between 1 and 20),
    status text not null default 'pending' check (status in ('pending', 'in_progress', 'completed', 'failed')),
    requested_by text not null,
    -- The providers with their limits, as they were when it was requested.
    writer jsonb not null,
    -- `[{id, text, source}]`: all that the model is given.
    facts jsonb not null,
    -- `[{section, text, facts}]`: those that rest on a fact.
    sentences jsonb not null default '[]',
    left_out integer not null default 0 check (left_out >= 0),
    failure text check (failure in ('invalid', 'failed', 'timed_out', 'budget_used_up', 'attempts_used_up', 'unreadable')),
    prompt_version text,
    provider text,
    model_name text,
    -- `{summary, what_happened, lessons}`, as a person wrote them.
    edited jsonb,
    edited_by text,
    edited_at timestamptz,
    attempts integer not null default 0,
    owner_id text,
    lease_epoch bigint not null default 0,
    lease_expires_at timestamptz,
    created_at timestamptz not null default now(),
    started_at timestamptz,
    finished_at timestamptz,
    check ((status = 'failed') = (failure is not null)),
    check ((status in ('completed', 'failed')) = (finished_at is not null)),
    check (num_nulls(edited, edited_by, edited_at) in (0, 3)),
    check (edited is null or status = 'completed')
);

-- `claim_prose`.
create index postmortem_prose_claimable on postmortem_prose (created_at, session_id) where status in ('pending', 'in_progress');

alter table llm_interactions drop constraint llm_interactions_interaction_type_check;
alter table llm_interactions add constraint llm_interactions_interaction_type_check check (interaction_type in (
    'iteration', 'final_analysis', 'executive_summary', 'chat_response', 'summarization', 'synthesis',
    'forced_conclusion', 'verdict', 'score', 'postmortem'
));

insert into redacted_columns (table_name, column_name, method) values
    ('alert_sessions', 'failure', 'json'),
    ('agent_executions', 'failure', 'json'),
    ('postmortem_prose', 'requested_by', 'text'),
    ('postmortem_prose', 'writer', 'json'),
    ('postmortem_prose', 'facts', 'json'),
    ('postmortem_prose', 'sentences', 'json'),
    ('postmortem_prose', 'edited', 'json'),
    ('postmortem_prose', 'edited_by', 'text');

-- The weekly message about what came again: a row for each week of which somebody looked whether there is something to say.
create table weekly_messages (
    -- By ISO 8601, such as `2026-W48`.
    week text primary key check (char_length(week) = 8),
    -- What came again; null if nothing did, and when nobody waits for it any more.
    found jsonb,
    created_at timestamptz not null default now()
);

-- One for each destination of a message.
create table weekly_deliveries (
    id uuid primary key,
    week text not null references weekly_messages (week) on delete cascade,
    destination text not null check (char_length(destination) <= 64),
    status text not null default 'pending' check (status in ('pending', 'sent', 'failed')),
    claim bigint not null default 0,
    failures integer not null default 0,
    due_at timestamptz not null default now(),
    -- When it may have been sent first.
    attempted_at timestamptz,
    error text,
    created_at timestamptz not null default now(),
    finished_at timestamptz,
    unique (week, destination),
    check ((status = 'pending') = (finished_at is null))
);

-- `claim_weekly_delivery`.
create index weekly_deliveries_due on weekly_deliveries (due_at) where status = 'pending';

insert into redacted_columns (table_name, column_name, method) values
    ('weekly_messages', 'found', 'json'),
    ('weekly_deliveries', 'error', 'text');
