-- What investigations found: claims compared with results, verdicts as data, and what people think of them.

-- One check for each stored text.
create table claim_checks (
    id uuid primary key,
    session_id uuid not null references alert_sessions (id) on delete cascade,
    -- The agent that wrote the text; none for the executive summary.
    execution_id uuid references agent_executions (id) on delete cascade,
    -- Shows the text, which is checked once; none for a conclusion that its agent was asked to correct.
    timeline_event_id uuid unique references timeline_events (id) on delete set null,
    text_kind text not null check (text_kind in (
        'final_analysis', 'synthesis', 'chat_answer', 'executive_summary'
    )),
    -- Why the text could not be checked; it then has no claims.
    failure text check (failure in ('too_large', 'timed_out', 'failed')),
    -- All claims of the text; of many, not each has a row.
    claims integer not null check (claims >= 0),
    -- Those that a result shows.
    verified integer not null check (verified between 0 and claims),
    -- Calls with a result that the text could rest on.
    successful_calls integer not null check (successful_calls >= 0),
    checked_at timestamptz not null default now(),
    check ((execution_id is null) = (text_kind = 'executive_summary')),
    check (failure is null or claims = 0)
);

-- `list_claim_checks`, `find_verdict_material`, and the sums of a session at its end.
create index claim_checks_session on claim_checks (session_id, checked_at, id);
-- The reference, when an execution is deleted with its session.
create index claim_checks_execution on claim_checks (execution_id) where execution_id is not null;

create table claims (
    check_id uuid not null references claim_checks (id) on delete cascade,
    -- The claim's place in the text, from 1.
    ordinal integer not null check (ordinal >= 1),
    kind text not null check (kind in ('citation', 'quantity', 'time', 'quotation', 'name')),
    text text not null,
    -- Where it stands in the text, in UTF-16 code units: as browsers count.
    start_offset integer not null check (start_offset >= 0),
    end_offset integer not null,
    verdict text not null check (verdict in (
        'supported', 'uncited', 'supported_elsewhere', 'unsupported', 'contradicted', 'no_such_call'
    )),
    -- The line of a result that shows it, or something else instead.
    call_number bigint check (call_number >= 1),
    line integer check (line >= 1),
    -- What a result shows instead.
    shown text,
    primary key (check_id, ordinal),
    check (end_offset >= start_offset)
);

-- The verdict of a session, and of each agent that follows rules.
create table verdicts (
    id uuid primary key,
    session_id uuid not null references alert_sessions (id) on delete cascade,
    -- The agent that reached it; none for one about the whole session.
    execution_id uuid references agent_executions (id) on delete cascade,
    source text not null check (source in ('model', 'rules')),
    outcome text not null default 'cause_found'
        check (outcome in ('cause_found', 'no_fault_found', 'not_examinable')),
    alert_statement text not null default 'not_visible'
        check (alert_statement in ('confirmed', 'not_confirmed', 'not_visible')),
    -- What became of the alert's statement, in a sentence; empty if the author wrote none.
    answer text not null default '' check (char_length(answer) <= 500),
    -- Without a stated cause it is the weakest hint, or empty.
    cause text not null check (char_length(cause) <= 500),
    category text not null check (category in (
        'image_pull', 'crash', 'out_of_memory', 'probe', 'scheduling', 'quota', 'volume', 'service_routing', 'dns',
        'network_policy', 'network_fault', 'configuration', 'node', 'control_plane', 'database', 'starvation', 'disk',
        'clock', 'certificate', 'host_service', 'missing_workload', 'command', 'access', 'feature_flag', 'redeployment',
        'application', 'other'
    )),
    object_kind text not null check (char_length(object_kind) between 1 and 253),
    -- Empty if no result names it.
    object_name text not null check (char_length(object_name) <= 253),
    object_namespace text check (char_length(object_namespace) between 1 and 253),
    -- A time or an age, as a result shows it.
    since text check (char_length(since) between 1 and 253),
    confidence text not null check (confidence in ('low', 'medium', 'high')),
    created_at timestamptz not null default now(),
    unique nulls not distinct (session_id, execution_id),
    constraint verdicts_outcome_cause_check check (outcome <> 'cause_found' or cause <> '')
);

-- The reference, when an execution is deleted with its session.
create index verdicts_execution on verdicts (execution_id) where execution_id is not null;

create table verdict_alternatives (
    verdict_id uuid not null references verdicts (id) on delete cascade,
    ordinal integer not null check (ordinal between 1 and 6),
    cause text not null check (char_length(cause) between 1 and 500),
    category text not null check (category in (
        'image_pull', 'crash', 'out_of_memory', 'probe', 'scheduling', 'quota', 'volume', 'service_routing', 'dns',
        'network_policy', 'network_fault', 'configuration', 'node', 'control_plane', 'database', 'starvation', 'disk',
        'clock', 'certificate', 'host_service', 'missing_workload', 'command', 'access', 'feature_flag', 'redeployment',
        'application', 'other'
    )),
    object_kind text check (char_length(object_kind) between 1 and 253),
    object_name text check (char_length(object_name) <= 253),
    object_namespace text check (char_length(object_namespace) between 1 and 253),
    because text not null check (char_length(because) <= 500),
    primary key (verdict_id, ordinal),
    check ((object_kind is null) = (object_name is null)),
    check (object_kind is not null or object_namespace is null)
);

-- Lines of results; those of an alternative have its ordinal, those of the cause have none.
create table verdict_evidence (
    verdict_id uuid not null references verdicts (id) on delete cascade,
    alternative integer,
    ordinal integer not null check (ordinal between 1 and 12),
    call_number bigint not null check (call_number >= 1),
    line integer not null check (line >= 1),
    text text not null check (char_length(text) <= 500),
    -- `redact_rows` goes through rows in the order of their primary key.
    id bigint generated always as identity primary key,
    unique nulls not distinct (verdict_id, alternative, ordinal),
    foreign key (verdict_id, alternative) references verdict_alternatives (verdict_id, ordinal) on delete cascade
);

create table verdict_not_examined (
    verdict_id uuid not null references verdicts (id) on delete cascade,
    ordinal integer not null check (ordinal between 1 and 20),
    what text not null check (char_length(what) between 1 and 500),
    why text not null check (char_length(why) <= 500),
    primary key (verdict_id, ordinal)
);

create table verdict_next_steps (
    verdict_id uuid not null references verdicts (id) on delete cascade,
    -- The safest first.
    ordinal integer not null check (ordinal between 1 and 10),
    step text not null check (char_length(step) between 1 and 500),
    primary key (verdict_id, ordinal)
);

-- The values over time that a verdict rests on: what the page of a session draws beside the cause.
create table verdict_charts (
    verdict_id uuid not null references verdicts (id) on delete cascade,
    -- The one that decides most first.
    ordinal integer not null check (ordinal between 1 and 3),
    call_number bigint not null check (call_number >= 1),
    -- The name of the metric, or the query for it.
    metric text not null check (char_length(metric) <= 253),
    -- What was measured; empty if the result names nothing.
    object text not null check (char_length(object) <= 253),
    unit text not null check (char_length(unit) <= 253),
    -- Milliseconds since 1970, in order, each with its value.
    times bigint[] not null check (cardinality(times) between 1 and 120),
    measured double precision[] not null check (cardinality(measured) = cardinality(times)),
    -- When its level changed, from which value to which; null if it did not.
    changed_at timestamptz,
    level_before double precision,
    level_after double precision,
    primary key (verdict_id, ordinal),
    check ((changed_at is null) = (level_before is null) and (changed_at is null) = (level_after is null))
);

-- What people think of a finding. Rows are added, never changed, and the last one counts.
create table session_reviews (
    id uuid primary key,
    session_id uuid not null references alert_sessions (id) on delete cascade,
    -- Reviews of a session from 1.
    number integer not null check (number > 0),
    review text not null check (review in ('accurate', 'partly', 'wrong')),
    actual_cause text check (char_length(actual_cause) between 1 and 4000),
    object text check (char_length(object) between 1 and 400),
    category text check (char_length(category) between 1 and 200),
    reviewer text not null,
    created_at timestamptz not null default now(),
    unique (session_id, number)
);

-- `list_unnotified_reviews`.
create index session_reviews_created on session_reviews (created_at);
-- `list_seen_before`, by the object of a related problem.
create index session_reviews_object on session_reviews (lower(object)) where object is not null;
-- `list_sessions` with some kinds of reviews.
create index session_reviews_review on session_reviews (review, id);

-- A session names those that count, and they name the session: one of both references comes later.
alter table alert_sessions
    add constraint alert_sessions_verdict_id_fkey foreign key (verdict_id) references verdicts (id) on delete set null,
    add constraint alert_sessions_review_id_fkey foreign key (review_id) references session_reviews (id);
