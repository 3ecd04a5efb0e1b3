-- Calls that change something, as their agents mean them: the intended effect, how it is checked and taken back, and what
-- became of it. The row is written with the call, before a person is asked.
create table actions (
    id uuid primary key,
    session_id uuid not null references alert_sessions (id) on delete cascade,
    execution_id uuid not null,
    -- `list_actions` and `write_actions` look it up.
    call_id uuid not null unique,
    effect text not null,
    check_server text,
    check_tool text,
    check_arguments jsonb,
    expected_pointer text,
    expected_kind text check (expected_kind in ('equals', 'contains', 'lacks', 'matches', 'at_least', 'at_most')),
    expected_value jsonb,
    rollback_server text,
    rollback_tool text,
    rollback_arguments jsonb,
    -- What the tool of the rollback said of itself when the action was planned.
    rollback_definition text,
    -- What the check shows after the rollback.
    rollback_pointer text,
    rollback_kind text check (rollback_kind in ('equals', 'contains', 'lacks', 'matches', 'at_least', 'at_most')),
    rollback_value jsonb,
    dry_run text,
    dry_run_failed boolean,
    -- The action that this one takes back.
    rolls_back uuid,
    planned_at timestamptz not null default now(),
    -- When the end of the call was stored: from then on its effect is checked.
    made_at timestamptz,
    ended_at timestamptz,
    -- Null of a call that was not made.
    outcome text check (outcome in ('worked', 'did_not_work', 'unknown')),
    reason text,
    observed text,
    check_number bigint,
    alert_statement text check (alert_statement in ('confirmed', 'not_confirmed', 'not_visible')),
    alert_answer text,
    -- The turn in which a person has it taken back, at most once.
    rollback_stage_id uuid unique,
    rollback_by text,
    rollback_with text check (
        rollback_with in ('local_token', 'proxy', 'sign_in', 'oidc_token', 'api_token', 'slack')
    ),
    check (num_nulls(check_server, check_tool, check_arguments, expected_kind, expected_value) in (0, 5)),
    check (num_nulls(rollback_server, rollback_tool, rollback_arguments) in (0, 3)),
    check (outcome is null or ended_at is not null),
    check (num_nulls(rollback_stage_id, rollback_by, rollback_with) in (0, 3))
);

-- `list_actions`, `close_actions`, and the reference.
create index actions_session on actions (session_id, planned_at);

insert into redacted_columns (table_name, column_name, method)
select 'actions', column_name, method
from (values
    ('text', array['effect', 'expected_pointer', 'rollback_pointer', 'dry_run', 'reason', 'observed', 'alert_answer',
        'rollback_by']),
    ('free_json', array['check_arguments', 'expected_value', 'rollback_arguments', 'rollback_value'])
) v (method, columns), unnest(columns) column_name;

alter table timeline_events drop constraint timeline_events_event_type_check;
alter table timeline_events add constraint timeline_events_event_type_check check (event_type in (
    'llm_thinking', 'llm_response', 'llm_tool_call', 'mcp_tool_summary', 'error', 'user_question',
    'executive_summary', 'final_analysis', 'code_execution', 'google_search_result', 'url_context_result',
    'provider_fallback', 'budget_reached', 'tool_approval', 'injected_instructions', 'alert_received', 'action_outcome'
));

-- Of an entry about what became of an action, and of nothing else.
alter table audit_log add column action_outcome text check (action_outcome in ('worked', 'did_not_work', 'unknown'));

-- The trigger below: what became of an action is in the audit log, under whoever approved its call. A function of the owner, so
-- that orchestrators add no other entries. The id is one of version 7, by which entries are listed.
create function audit_action() returns trigger language plpgsql security definer as $$
declare
    random_part text := replace(gen_random_uuid()::text, '-', '');
begin
    insert into audit_log (id, principal, credential, action, object, session_id, outcome, status, action_outcome)
    select (lpad(to_hex((extract(epoch from clock_timestamp()) * 1000)::bigint), 12, '0') || '7' || substr(random_part, 1, 3)
            || '8' || substr(random_part, 4, 15))::uuid,
        coalesce(a.decided_by, 'tarsy'), 'none', 'check_action', m.server_name || '.' || m.tool_name, new.session_id,
        'allowed', 200, new.outcome
    from mcp_interactions m left join tool_approvals a on a.call_id = m.call_id
    where m.call_id = new.call_id;
    return null;
end
$$;

-- A caller's own schema must not stand in for ours.
do $$
begin
    execute format('alter function audit_action set search_path = %I, pg_temp', current_schema());
end
$$;

create trigger audit_action after update of outcome on actions for each row
    when (old.outcome is null and new.outcome is not null)
    execute function audit_action();
