-- Sessions that are replayed: tool results come from the record of another session, and nothing is executed.

-- Prompt templates that a replay uses instead of the built-in ones.
create table prompt_overrides (
    session_id uuid not null references alert_sessions (id) on delete cascade,
    name text not null,
    template text not null,
    primary key (session_id, name)
);

-- `replayed_calls` and `find_earlier_call`: arguments that mean the same. The order of keys, spaces and spellings of numbers do not count in `jsonb`,
-- null members are left out, and no arguments at all are an empty object.
create function canonical_arguments(arguments jsonb) returns jsonb language sql immutable as $$
    select case when arguments is null or arguments in ('null'::jsonb, '""'::jsonb) then '{}'::jsonb
        else jsonb_strip_nulls(arguments) end
$$;

-- `find_recorded_result`: the recorded result of each call that a replay waits for. The n-th call of a tool with the same arguments
-- has the result of the n-th such call of the original, or of the last one. A replay has as many runs of the same call as its
-- original; those that were answered by the number of an earlier one are none. What a gateway may read of sessions.
create view replayed_calls as
select c.call_id, r.status, r.refused_by_policy,
    case when r.status = 'completed' then coalesce(w.content, r.tool_result, '')
        else coalesce(nullif(coalesce(w.content, r.tool_result), ''), r.error_message, '') end as result
from mcp_interactions c
join alert_sessions s on s.id = c.session_id and s.origin = 'replay'
cross join lateral (
    select count(*) as place from mcp_interactions e
    where e.session_id = c.session_id and e.interaction_type = 'tool_call' and e.server_name = c.server_name
        and e.tool_name = c.tool_name and e.call_number <= c.call_number and e.answered_from is null
        and canonical_arguments(e.tool_arguments) = canonical_arguments(c.tool_arguments)
) n
join lateral (
    select o.* from (
        select m.id, m.status, m.refused_by_policy, m.tool_result, m.error_message,
            row_number() over (order by m.call_number) as place
        from mcp_interactions m
        where m.session_id = s.replay_of and m.interaction_type = 'tool_call' and m.status <> 'started'
            and m.server_name = c.server_name and m.tool_name = c.tool_name and m.answered_from is null
            and canonical_arguments(m.tool_arguments) = canonical_arguments(c.tool_arguments)
    ) o
    where o.place <= n.place order by o.place desc limit 1
) r on true
left join tool_results w on w.interaction_id = r.id
where c.interaction_type = 'tool_call' and c.status = 'started';

-- `list_recorded_servers`: what the servers of a replayed session offered its agents, list by list.
create view replayed_tools as
select s.id as session_id, l.id as list_id, l.created_at as listed_at, l.server_name, l.error_message, m.place,
    d.tool_name, d.description, d.input_schema, d.read_only, d.idempotent
from alert_sessions s
join mcp_interactions l on l.session_id = s.replay_of and l.interaction_type = 'tool_list'
left join tool_sets t on t.digest = l.tool_set
left join lateral unnest(t.definitions) with ordinality as m (digest, place) on true
left join tool_definitions d on d.digest = m.digest
where s.origin = 'replay';
