-- Many sessions of the last 90 days, as an installation has them, for a migrated and empty database: `set seed.sessions = '1000000'` says how many. Triggers and
-- foreign keys are off, and indexes are made at the end, so that a million takes minutes.
set session_replication_role = replica;
set synchronous_commit = off;
set statement_timeout = 0;
select setseed(0.5);
set maintenance_work_mem = '256MB';

-- Ids of version 7, as the product makes them: their order is that of time.
create function pg_temp.seed_id(at timestamptz, name text) returns uuid language sql immutable as $$
    select (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7' || substr(md5(name), 1, 3) || '8'
        || substr(md5(name), 4, 15))::uuid
$$;

create function pg_temp.seed_time(n bigint) returns timestamptz language sql stable as $$
    select now() - interval '90 days' * (1 - n::float8 / current_setting('seed.sessions')::int) - interval '1 minute'
$$;

create temp table seed_indexes as
select i.indexrelid::regclass::text as name, pg_get_indexdef(i.indexrelid) as definition
from pg_index i join pg_class t on t.oid = i.indrelid
where t.relnamespace = current_schema()::regnamespace and t.relname in (
        'alert_sessions', 'stages', 'llm_interactions', 'mcp_interactions', 'timeline_events', 'search_documents',
        'session_words'
    )
    and not exists (select 1 from pg_constraint c where c.conindid = i.indexrelid);

do $$
declare dropped text;
begin
    for dropped in select name from seed_indexes loop
        execute 'drop index ' || dropped;
    end loop;
end
$$;

insert into alert_sessions (id, alert_data, alert_type, chain_id, status, author, config_snapshot, created_at, started_at,
    completed_at, title, severity, service, namespace, cluster, fingerprint, degraded_reasons, origin, replay_of, review_id,
    received_at)
select pg_temp.seed_id(t.at, 'session' || n),
    'error rate of service-' || (n % 500) || ' in pod service-' || (n % 500) || '-' || left(md5(n::text), 9) || '-' || right(md5(n::text), 5)
        || ' at 10.' || (n % 256) || '.' || (n / 256 % 256) || '.' || (n / 65536 % 256),
    'type-' || least(floor(-ln(greatest(random(), 1e-9)) * 4)::int, 30), 'chain-' || (n % 5), s.status,
    'user-' || (n % 50), '{"stages": [{"name": "triage"}]}', t.at, t.at + interval '2 seconds',
    case when s.status not in ('pending', 'in_progress') then t.at + interval '2 seconds' + make_interval(secs => 5 + n % 300) end,
    'service-' || (n % 500) || ' fails', (array['critical', 'warning', 'info'])[1 + n % 3], 'service-' || (n % 500),
    'namespace-' || (n % 40), 'cluster-' || (n % 4), 'fingerprint-' || floor(power(random(), 3) * 20000)::int,
    case when n % 20 = 0 then array['no_successful_call'] else '{}' end, case when n % 200 = 0 then 'replay' else 'alert' end,
    case when n % 200 = 0 then pg_temp.seed_id(pg_temp.seed_time(n - 1), 'session' || n - 1) end,
    case when n % 40 = 5 then pg_temp.seed_id(t.at, 'review' || n) end, t.at
from generate_series(1, current_setting('seed.sessions')::int) n
cross join lateral (select pg_temp.seed_time(n) as at) t
cross join lateral (select case
    when n > current_setting('seed.sessions')::int - 20 then 'pending'
    when n > current_setting('seed.sessions')::int - 40 then 'in_progress'
    when n % 10 = 3 then 'failed' when n % 50 = 1 then 'timed_out' when n % 50 = 2 then 'cancelled'
    else 'completed' end as status) s;

insert into session_reviews (id, session_id, review, reviewer, number, created_at)
select review_id, id, (array['accurate', 'accurate', 'partly', 'wrong'])[1 + (random() * 3)::int], 'bob', 1, created_at
from alert_sessions where review_id is not null;

insert into session_control (session_id) select id from alert_sessions;

insert into stages (id, session_id, stage_name, stage_index, expected_agent_count, status, created_at)
select pg_temp.seed_id(created_at, 'stage' || id), id, 'triage', 0, 1, 'completed', created_at from alert_sessions;

insert into llm_interactions (id, session_id, interaction_type, model_name, llm_request, llm_response, input_tokens,
    output_tokens, total_tokens, cost_micro_usd, duration_ms, created_at)
select pg_temp.seed_id(created_at, 'llm' || id), id, 'final_analysis', 'model', '{}', '{}', 2000, 300, 2300, 900, 1200, created_at from alert_sessions;

insert into mcp_interactions (id, session_id, status, call_id, interaction_type, server_name, tool_name, tool_arguments,
    tool_result, error_message, call_number, duration_ms, created_at)
select pg_temp.seed_id(created_at, 'call' || id), id, c.status, pg_temp.seed_id(created_at, 'call_id' || id), 'tool_call', 'kubernetes', c.tool,
    jsonb_build_object('namespace', namespace, 'service', service),
    'error: ' || case when c.draw < 0.01 then 'container was OOMKilled ' when c.draw < 0.5 then 'timeout ' else 'refused ' end
        || 'word' || floor(c.draw * 5000)::int || ' HTTP 503 ' || alert_data,
    case when c.status = 'failed' then 'connection refused' end, 1, 40, created_at
from alert_sessions
cross join lateral (select ('x' || left(md5('draw' || id), 7))::bit(28)::int / 268435456.0 as draw) d
cross join lateral (select d.draw, case when d.draw > 0.97 then 'failed' else 'completed' end as status,
    (array['pods_list', 'pods_log', 'events_list', 'nodes_top'])[1 + floor(d.draw * 100)::int % 4] as tool) c;

insert into timeline_events (id, session_id, sequence_number, event_type, status, content, created_at)
select pg_temp.seed_id(created_at, 'event' || id), id, 1, 'final_analysis', 'completed',
    'The error of ' || service || ' has its cause in ' || cluster || ', see [call 1].', created_at
from alert_sessions where status = 'completed';

insert into search_documents (id, session_id, session_created_at, kind, call_number, body)
select id, id, created_at, 'alert', null, alert_text(s) from alert_sessions s
union all
select c.id, s.id, s.created_at, 'tool_call', 1, call_text(c) from mcp_interactions c join alert_sessions s on s.id = c.session_id
union all
select e.id, s.id, s.created_at, 'final_analysis', null, e.content from timeline_events e join alert_sessions s on s.id = e.session_id;

insert into session_words (session_id, words) select id, session_words_of(s) from alert_sessions s;

do $$
declare missing text;
begin
    for missing in select definition from seed_indexes loop
        execute missing;
    end loop;
end
$$;

drop table seed_indexes;
set session_replication_role = origin;
