-- A call that repeats one of the last minute is not made: it is answered by the number of the earlier one.

alter table mcp_interactions add column answered_from bigint check (answered_from < call_number);

-- A replay has as many runs of the same call as its original; those that were answered are none.
create or replace view replayed_calls as
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
