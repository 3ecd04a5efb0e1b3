-- Costs: of summaries of results, so that budgets in money count them as budgets of tokens do, and by what they are spent on. And what
-- depends on what.

-- In millionths of a US dollar; calls without a price count as nothing. `find_summary`, and `find_usage`.
alter table summaries add column cost_micro_usd bigint not null default 0 check (cost_micro_usd >= 0);

-- The calls of models in each hour, by model, chain, type of alert and agent, without those of the offline analyst. Hours that were
-- counted before this table have none. `find_overview`.
create table overview_costs (
    hour timestamptz not null references overview_hours (hour) on delete cascade,
    dimension text not null check (dimension in ('model', 'chain', 'alert_type', 'agent')),
    name text not null,
    sessions bigint not null,
    total_tokens bigint not null,
    -- Null if no call has a price.
    cost_micro_usd bigint,
    unpriced_calls bigint not null,
    primary key (hour, dimension, name)
);

-- As before, and `overview_costs`.
create or replace function count_overview_hours(most integer) returns bigint language plpgsql security definer as $$
declare
    counted bigint := 0;
    at timestamptz;
begin
    begin
        perform pg_advisory_xact_lock(hashtext('tarsy overview'));
    exception when lock_not_available then
        return 0;
    end;
    for at in
        select g.hour
        from generate_series(
            date_bin('1 hour', (select min(created_at) from alert_sessions where deleted_at is null), '2000-01-01 00:00:00Z'),
            now(), '1 hour'
        ) g (hour)
        left join overview_hours o using (hour)
        where o.hour is null
            or ((o.open > 0 or o.counted_at < g.hour + interval '61 minutes')
                and o.counted_at < now() - greatest(interval '1 second', (now() - g.hour - interval '1 hour') / 100))
        order by g.hour desc limit most
    loop
        delete from overview_hours where hour = at;
        insert into overview_hours (hour, open, completed, failed, timed_out, cancelled, degraded, total_tokens, cost_micro_usd)
        select at, count(*) filter (where s.completed_at is null), count(*) filter (where s.status = 'completed'),
            count(*) filter (where s.status = 'failed'), count(*) filter (where s.status = 'timed_out'),
            count(*) filter (where s.status = 'cancelled'), count(*) filter (where s.degraded_reasons <> '{}'),
            coalesce(sum(l.tokens), 0), sum(l.cost)
        from alert_sessions s
        cross join lateral (
            select sum(i.total_tokens) as tokens, sum(i.cost_micro_usd) as cost from llm_interactions i where i.session_id = s.id
        ) l
        where s.created_at >= at and s.created_at < at + interval '1 hour' and s.deleted_at is null;
        insert into overview_durations (hour, step, sessions)
        select at, floor(ln(greatest(s.duration_ms, 1)) / ln(1.1))::integer, count(*)
        from alert_sessions s
        where s.created_at >= at and s.created_at < at + interval '1 hour' and s.deleted_at is null and s.duration_ms is not null
        group by 2;
        insert into overview_tools (hour, server_name, tool_name, calls, failed)
        select at, c.server_name, coalesce(c.tool_name, ''), count(*), count(*) filter (where c.status = 'failed')
        from alert_sessions s join mcp_interactions c on c.session_id = s.id and c.interaction_type = 'tool_call'
        where s.created_at >= at and s.created_at < at + interval '1 hour' and s.deleted_at is null
        group by 2, 3;
        insert into overview_alerts (hour, fingerprint, title, sessions)
        select at, s.fingerprint, max(s.title), count(*)
        from alert_sessions s
        where s.created_at >= at and s.created_at < at + interval '1 hour' and s.deleted_at is null and s.fingerprint is not null
        group by 2 order by 4 desc, 2 limit 40;
        insert into overview_costs (hour, dimension, name, sessions, total_tokens, cost_micro_usd, unpriced_calls)
        select at, d.dimension, d.name, count(distinct s.id), coalesce(sum(i.total_tokens), 0), sum(i.cost_micro_usd),
            count(*) filter (where i.cost_micro_usd is null and i.total_tokens > 0)
        from alert_sessions s
        join llm_interactions i on i.session_id = s.id and i.backend is distinct from 'offline'
        left join agent_executions e on e.id = i.execution_id
        cross join lateral (
            values ('model', i.model_name), ('chain', s.chain_id), ('alert_type', s.alert_type), ('agent', e.agent_name)
        ) d (dimension, name)
        where s.created_at >= at and s.created_at < at + interval '1 hour' and s.deleted_at is null and d.name is not null
        group by 2, 3;
        counted := counted + 1;
    end loop;
    return counted;
end
$$;

do $$
begin
    execute format('alter function count_overview_hours set search_path = %I, pg_temp', current_schema());
    alter function count_overview_hours set lock_timeout = '2s';
end
$$;

-- What depends on what, as the configuration, clusters and traces report it.
create table dependencies (
    id uuid primary key default gen_random_uuid(),
    source text not null check (char_length(source) <= 200),
    -- The digest of all names of the row: what is reported again changes its time alone.
    key text not null check (char_length(key) = 64),
    relation text not null check (relation in ('calls', 'routes_to', 'uses')),
    from_object text not null,
    to_object text not null,
    -- That of `from_object`, and of `to_object` where that has none of its own.
    namespace text,
    to_namespace text,
    cluster text,
    environment text,
    team text,
    -- Without their kinds, in lower case, as they are followed.
    from_name text not null generated always as (lower(regexp_replace(from_object, '^.*/', ''))) stored,
    to_name text not null generated always as (lower(regexp_replace(to_object, '^.*/', ''))) stored,
    -- Null for what the configuration has, which does not grow old.
    last_seen_at timestamptz,
    unique (source, key)
);

-- `find_dependencies`: what something depends on.
create index dependencies_from on dependencies (from_name);
-- `find_dependencies`: what depends on it.
create index dependencies_to on dependencies (to_name);
-- `purge`: those that nobody has reported again.
create index dependencies_seen on dependencies (last_seen_at) where last_seen_at is not null;

-- What the investigation was given of them; null before it began.
alter table alert_sessions add column dependencies jsonb;

insert into redacted_columns (table_name, column_name, method)
select table_name, column_name, method
from (values
    ('alert_sessions', 'json', array['dependencies']),
    ('dependencies', 'text', array['from_object', 'to_object', 'namespace', 'to_namespace', 'cluster', 'environment', 'team'])
) v (table_name, method, columns), unnest(columns) column_name;
