-- Scores: how well investigations were done, as an agent of type `scoring` and code judge them.

create table scores (
    id uuid primary key,
    session_id uuid not null references alert_sessions (id) on delete cascade,
    -- Those of a session from 1; earlier ones are kept.
    number integer not null check (number > 0),
    status text not null default 'pending' check (status in ('pending', 'in_progress', 'completed', 'failed')),
    -- Null if the configuration of the chain requested it.
    requested_by text,
    -- The agent with its providers and limits, as they were when the score was requested.
    judge jsonb not null,
    -- The digest of the prompt templates, and who answered.
    prompt_version text,
    provider text,
    model_name text,
    -- What code counted when the scoring began, and the score that follows.
    claims integer check (claims >= 0),
    unbacked_claims integer check (unbacked_claims between 0 and claims),
    calls integer check (calls >= 0),
    failed_calls integer check (failed_calls between 0 and calls),
    repeated_calls integer check (repeated_calls between 0 and calls),
    budget_used_up boolean,
    looked boolean,
    checks_score smallint check (checks_score between 0 and 100),
    -- The model's first answer.
    model_score smallint check (model_score between 0 and 100),
    analysis text check (char_length(analysis) <= 8000),
    failure_tags text[] not null default '{}' check (failure_tags <@ array['premature_conclusion', 'missed_available_tool',
        'unsupported_confidence', 'incomplete_evidence', 'hallucinated_evidence', 'wrong_conclusion']),
    answered_at timestamptz,
    -- The lower of both.
    score smallint check (score between 0 and 100),
    -- Why there is no score, and why the second answer is missing.
    failure text check (failure in ('no_model', 'invalid', 'failed', 'timed_out', 'budget_used_up', 'attempts_used_up',
        'unreadable')),
    tools_failure text check (tools_failure in ('no_model', 'invalid', 'failed', 'timed_out', 'budget_used_up',
        'attempts_used_up', 'unreadable')),
    llm_calls bigint not null default 0 check (llm_calls >= 0),
    input_tokens bigint not null default 0,
    output_tokens bigint not null default 0,
    total_tokens bigint not null default 0,
    -- In millionths of a US dollar; calls without a price count as nothing.
    cost_micro_usd bigint not null default 0 check (cost_micro_usd >= 0),
    attempts integer not null default 0,
    owner_id text,
    lease_epoch bigint not null default 0,
    lease_expires_at timestamptz,
    created_at timestamptz not null default now(),
    started_at timestamptz,
    finished_at timestamptz,
    unique (session_id, number),
    check ((status = 'completed') = (score is not null)),
    check ((status = 'failed') = (failure is not null)),
    check ((status in ('completed', 'failed')) = (finished_at is not null)),
    check ((model_score is null) = (answered_at is null))
);

-- One at a time for each session.
create unique index scores_open on scores (session_id) where status in ('pending', 'in_progress');
-- `claim_score`.
create index scores_claimable on scores (created_at, id) where status in ('pending', 'in_progress');

-- The tools that the second answer names as missing.
create table score_tools (
    score_id uuid not null references scores (id) on delete cascade,
    ordinal integer not null check (ordinal > 0),
    name text not null check (char_length(name) <= 200),
    why text not null check (char_length(why) <= 1000),
    primary key (score_id, ordinal)
);

alter table alert_sessions
    -- The last score that has a number, and whose it is. It is deleted with its session alone, so it is no reference.
    add column score smallint,
    add column score_id uuid,
    add constraint alert_sessions_score_check check (score between 0 and 100 and (score is null) = (score_id is null));

-- `list_sessions` by score, and from a score on.
create index alert_sessions_scores on alert_sessions (score, created_at, id) where score is not null and deleted_at is null;
-- `find_score_overview`: scores beside reviews.
create index alert_sessions_scored_reviews on alert_sessions (created_at, score, review_id)
    where score is not null and review_id is not null and deleted_at is null;

-- Scores of the sessions of each day (UTC): of all, by chain, and by each agent and provider that took part. The last score of a
-- session counts; deleted sessions stay counted. `find_score_overview`.
create table score_days (
    day date not null,
    dimension text not null check (dimension in ('all', 'chain', 'agent', 'provider')),
    name text not null,
    sessions bigint not null,
    total bigint not null,
    -- Below 60.
    low bigint not null,
    primary key (day, dimension, name)
);

alter table llm_interactions drop constraint llm_interactions_interaction_type_check;
alter table llm_interactions add constraint llm_interactions_interaction_type_check check (interaction_type in (
    'iteration', 'final_analysis', 'executive_summary', 'chat_response', 'summarization', 'synthesis',
    'forced_conclusion', 'verdict', 'score'
));

insert into redacted_columns (table_name, column_name, method, max_characters) values
    ('scores', 'judge', 'json', null),
    ('scores', 'analysis', 'text', 8000),
    ('scores', 'requested_by', 'text', null),
    ('score_tools', 'name', 'text', 200),
    ('score_tools', 'why', 'text', 1000);
