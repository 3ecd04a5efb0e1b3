-- What an action is compared with, the change that explains a cause, and messages about rollbacks.

-- What the call of an action's check showed before the action itself; null of one whose state could not be read.
alter table actions
    -- The number of that call in the session.
    add column before_number bigint,
    add column before_observed text,
    -- Whether the effect was there already; null if that could not be compared.
    add column before_shows_effect boolean,
    add constraint actions_before_check check (
        before_number is not null or (before_observed is null and before_shows_effect is null)
    );

insert into redacted_columns (table_name, column_name, method) values ('actions', 'before_observed', 'text');

-- Of an entry about what became of an action: by it `list_audit_entries` finds what was read, as long as the session is there.
alter table audit_log add column action_id uuid;

-- The trigger `audit_action`, as before, with the action.
create or replace function audit_action() returns trigger language plpgsql security definer as $$
declare
    random_part text := replace(gen_random_uuid()::text, '-', '');
begin
    insert into audit_log (id, principal, credential, action, object, session_id, outcome, status, action_outcome, action_id)
    select (lpad(to_hex((extract(epoch from clock_timestamp()) * 1000)::bigint), 12, '0') || '7' || substr(random_part, 1, 3)
            || '8' || substr(random_part, 4, 15))::uuid,
        coalesce(a.decided_by, 'tarsy'), 'none', 'check_action', m.server_name || '.' || m.tool_name, new.session_id,
        'allowed', 200, new.outcome, new.id
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

-- The change that explains the cause, as the investigation was given it; the row of `changes` may be gone by now.
alter table verdicts
    add column change_id uuid,
    add column change_kind text check (change_kind in (
        'deployment', 'configuration', 'secret', 'scaling', 'node', 'release', 'feature_flag', 'commit', 'package', 'unit',
        'kernel', 'other'
    )),
    add column change_object text check (char_length(change_object) between 1 and 253),
    add column change_service text check (char_length(change_service) between 1 and 253),
    add column change_text text check (char_length(change_text) <= 500),
    add column changed_at timestamptz,
    add constraint verdicts_change_check check (
        num_nulls(change_id, change_kind, change_text, changed_at) in (0, 4)
        and (change_id is not null or num_nulls(change_object, change_service) = 2)
    );

insert into redacted_columns (table_name, column_name, method, max_characters) values
    ('verdicts', 'change_object', 'text', 253),
    ('verdicts', 'change_service', 'text', 253),
    ('verdicts', 'change_text', 'text', 500);

-- The message of a session's end changes once a rollback is over: a row for each, with the approval of its call.
alter table notifications
    drop constraint notifications_kind_check,
    add constraint notifications_kind_check check (
        kind in ('started', 'ended', 'approval_requested', 'approval_closed', 'reviewed', 'triaged', 'answered', 'rolled_back')
    ),
    drop constraint notifications_approval_check,
    add constraint notifications_approval_check check (
        (approval_id is not null) = (kind in ('approval_requested', 'approval_closed', 'rolled_back'))
    );

-- `list_unnotified_rollbacks`.
create index actions_rolled_back on actions (ended_at) where rolls_back is not null and ended_at is not null;
