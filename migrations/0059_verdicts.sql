-- What investigations found, typed: the verdict of a session, and of each agent that follows rules.

create table verdicts (
    id uuid primary key,
    session_id uuid not null references alert_sessions (id) on delete cascade,
    -- The agent that reached it; none for one about the whole session.
    execution_id uuid references agent_executions (id) on delete cascade,
    source text not null check (source in ('model', 'rules')),
    cause text not null check (char_length(cause) between 1 and 500),
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
    unique nulls not distinct (session_id, execution_id)
);

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

alter table alert_sessions
    -- The verdict that counts.
    add column verdict_id uuid references verdicts (id) on delete set null,
    -- Why a session that completed has none.
    add column verdict_failure text check (verdict_failure in (
        'switched_off', 'nothing_found', 'no_model', 'failed', 'timed_out', 'invalid'
    )),
    add constraint alert_sessions_verdict_check check (verdict_id is null or verdict_failure is null);

create index alert_sessions_verdict on alert_sessions (verdict_id) where verdict_id is not null;

alter table llm_interactions drop constraint llm_interactions_interaction_type_check;
alter table llm_interactions add constraint llm_interactions_interaction_type_check check (interaction_type in (
    'iteration', 'final_analysis', 'executive_summary', 'chat_response', 'summarization', 'synthesis',
    'forced_conclusion', 'verdict'
));
