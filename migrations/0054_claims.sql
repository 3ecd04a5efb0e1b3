-- What models wrote, compared with the results of tool calls: one check for each stored text, one row for each claim.

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

create index claim_checks_session on claim_checks (session_id, checked_at, id);
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

-- When an agent was asked to correct its conclusion, once: the claims of the first one are a check without an event.
alter table agent_executions add column repair_requested_at timestamptz;

-- Of the session's last conclusions and its executive summary; null if nothing was checked.
alter table alert_sessions
    add column claims integer,
    add column verified_claims integer,
    -- Why the session's findings need a second look; empty if nothing speaks against them.
    add column degraded_reasons text[] not null default '{}',
    add constraint alert_sessions_claims_check check (
        (claims is null) = (verified_claims is null) and verified_claims between 0 and claims
    ),
    add constraint alert_sessions_degraded_check check (degraded_reasons <@ array[
        'no_successful_call', 'tool_server_unavailable', 'unverified_claims', 'not_checked'
    ]);
