-- Tool calls that wait, or waited, for a person's decision. The row is written with the timeline event that shows it,
-- and is the fact that a new owner of the session finds: a call is asked about once.
create table tool_approvals (
    id uuid primary key,
    session_id uuid not null references alert_sessions (id) on delete cascade,
    execution_id uuid not null,
    call_id uuid not null unique,
    timeline_event_id uuid not null,
    server_name text not null,
    tool_name text not null,
    tool_arguments jsonb not null,
    -- What the tool said of itself when a person was asked.
    definition text not null,
    -- Why a person has to decide.
    reason text not null,
    requested_at timestamptz not null default now(),
    expires_at timestamptz not null,
    decision text check (decision in ('approved', 'denied', 'expired')),
    decided_by text,
    decided_at timestamptz,
    -- Set before an approved call is sent: without it the call was certainly not made.
    closed_at timestamptz,
    check ((decision is null) = (decided_at is null))
);

create index tool_approvals_open on tool_approvals (requested_at) where decision is null;
create index tool_approvals_session on tool_approvals (session_id);

alter table timeline_events drop constraint timeline_events_event_type_check;
alter table timeline_events add constraint timeline_events_event_type_check check (event_type in (
    'llm_thinking', 'llm_response', 'llm_tool_call', 'mcp_tool_summary', 'error', 'user_question',
    'executive_summary', 'final_analysis', 'code_execution', 'google_search_result', 'url_context_result',
    'provider_fallback', 'budget_reached', 'tool_approval'
));
