-- What alert sources sent, and what became of it. A row is one change of one alert; what is sent again raises `repeats`.
create table intake_alerts (
    id uuid primary key,
    seq bigint generated always as identity unique,
    source text not null,
    source_id text,
    fingerprint text not null,
    -- That of the policy's labels, else that of the source behind the source's name.
    group_key text,
    status text not null check (status in ('firing', 'acknowledged', 'resolved')),
    title text not null,
    severity text,
    service text,
    namespace text,
    cluster text,
    labels jsonb,
    annotations jsonb,
    links jsonb,
    starts_at timestamptz,
    ends_at timestamptz,
    raw jsonb,
    alert_type text not null,
    chain_id text not null,
    rule text,
    runbook_url text,
    action text not null check (action in ('open', 'attach', 'fold', 'resolve', 'stop', 'hold', 'ignore')),
    reason text not null check (reason in (
        'new', 'still_firing', 'same_alert', 'session_open', 'within_window', 'same_group', 'group_rate', 'flapping',
        'quiet_hours', 'daily_limit', 'tokens_used_up', 'resolved', 'resolved_others_firing', 'acknowledged',
        'no_session'
    )),
    -- The reason with its figures.
    decision jsonb not null,
    session_id uuid references alert_sessions (id) on delete cascade,
    -- The text that the session began with has it.
    in_session_text boolean not null default false,
    hold_until timestamptz check ((hold_until is not null) = (action = 'hold')),
    -- A held alert was decided anew, and the new row tells how.
    released_at timestamptz,
    received_at timestamptz not null default now(),
    repeats bigint not null default 0 check (repeats >= 0),
    last_received_at timestamptz not null default now(),
    check ((session_id is not null) = (action in ('open', 'attach', 'fold', 'resolve', 'stop')))
);

create index intake_alerts_fingerprint on intake_alerts (source, fingerprint, seq desc);
create index intake_alerts_group on intake_alerts (group_key, seq desc) where group_key is not null;
create index intake_alerts_session on intake_alerts (session_id, source, fingerprint, seq desc)
    where session_id is not null;
create index intake_alerts_of_session on intake_alerts (session_id, seq) where session_id is not null;
create index intake_alerts_held on intake_alerts (hold_until) where action = 'hold' and released_at is null;
create index intake_alerts_without_session on intake_alerts (last_received_at) where session_id is null;

alter table timeline_events drop constraint timeline_events_event_type_check;
alter table timeline_events add constraint timeline_events_event_type_check check (event_type in (
    'llm_thinking', 'llm_response', 'llm_tool_call', 'mcp_tool_summary', 'error', 'user_question',
    'executive_summary', 'final_analysis', 'code_execution', 'google_search_result', 'url_context_result',
    'provider_fallback', 'budget_reached', 'tool_approval', 'injected_instructions', 'alert_received'
));
