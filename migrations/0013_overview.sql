-- The sessions of each hour in numbers, so that the overview of 30 days does not read a million sessions. An hour is that of
-- the submission, as lists filter by it, and is counted anew until all its sessions are over. `find_overview` reads all of it.

create table overview_hours (
    hour timestamptz primary key,
    -- Neither completed nor ended otherwise.
    open bigint not null,
    completed bigint not null,
    failed bigint not null,
    timed_out bigint not null,
    cancelled bigint not null,
    degraded bigint not null,
    total_tokens bigint not null,
    -- Null if no call of a model has a price.
    cost_micro_usd bigint,
    counted_at timestamptz not null default now()
);

-- Sessions by their duration: `step` is the logarithm of the milliseconds to the base 1.1, without its fraction.
create table overview_durations (
    hour timestamptz not null references overview_hours (hour) on delete cascade,
    step integer not null,
    sessions bigint not null,
    primary key (hour, step)
);

create table overview_tools (
    hour timestamptz not null references overview_hours (hour) on delete cascade,
    server_name text not null,
    tool_name text not null,
    calls bigint not null,
    failed bigint not null,
    primary key (hour, server_name, tool_name)
);

-- The 40 most frequent alerts of the hour.
create table overview_alerts (
    hour timestamptz not null references overview_hours (hour) on delete cascade,
    fingerprint text not null,
    title text,
    sessions bigint not null,
    primary key (hour, fingerprint)
);

-- `find_overview`, and `Store::count_overview_hours` of the upkeep: counts at most so many hours that are missing or may have
-- changed, the newest first. Answers how many; 0 also where another program counts for longer than two seconds: whoever asks
-- meanwhile waits for it, because an hour that was never counted would be seen as one without sessions. The current hour is
-- counted anew once a second at most, so that its numbers are those of the lists they lead to; an older one with open sessions
-- the more rarely the longer it is over.
create function count_overview_hours(most integer) returns bigint language plpgsql security definer as $$
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

revoke execute on function count_overview_hours from public;
