-- Sessions of the last 90 days with their steps, as an installation has them; `seed.sessions` says how many.
select setseed(0.5);

insert into alert_sessions (id, alert_data, alert_type, chain_id, status, author, config_snapshot, created_at, started_at,
    completed_at, title, severity, service, namespace, cluster, fingerprint, degraded_reasons, origin, replay_of, review_id,
    verdict_id, received_at, triage, assignee, score, score_id)
select seed_id(t.at, 'session' || n),
    'error rate of service-' || (n % 500) || ' in pod service-' || (n % 500) || '-' || left(md5(n::text), 9) || '-' || right(md5(n::text), 5)
        || ' at 10.' || (n % 256) || '.' || (n / 256 % 256) || '.' || (n / 65536 % 256),
    'type-' || least(floor(-ln(greatest(random(), 1e-9)) * 4)::int, 30), 'chain-' || floor(draw.chain * 5)::int, s.status,
    'user-' || floor(draw.author * 50)::int, '{"stages": [{"name": "triage"}]}', t.at, t.at + interval '2 seconds',
    case when s.status not in ('pending', 'in_progress') then t.at + interval '2 seconds' + d.duration end,
    'service-' || (n % 500) || ' fails', v.severity, 'service-' || (n % 500),
    'namespace-' || (n % 40), 'cluster-' || (n % 4), 'fingerprint-' || floor(power(random(), 3) * 20000)::int,
    case when draw.degraded < 0.05 then array['no_successful_call'] else '{}' end,
    case when draw.origin < 0.005 then 'replay' else 'alert' end,
    case when draw.origin < 0.005 and n > 1 then seed_id(seed_time(n - 1), 'session' || n - 1) end,
    -- Only what has ended is reviewed.
    case when draw.review < 0.025 and s.status not in ('pending', 'in_progress') then seed_id(t.at, 'review' || n) end,
    case when s.status = 'completed' then seed_id(t.at, 'verdict' || n) end, t.at,
    w.triage, case when w.triage <> 'new' then 'user-' || floor(draw.assignee * 50)::int end,
    -- Whatever completed is scored; most investigations are fair.
    case when s.status = 'completed' then 30 + floor(draw.score * 71)::int end,
    case when s.status = 'completed' then seed_id(t.at, 'score' || n) end
from generate_series(1, current_setting('seed.sessions')::int) n
cross join lateral (select seed_time(n) as at) t
cross join lateral (select seed_draw(n, 1) as status, seed_draw(n, 2) as severity, seed_draw(n, 3) as chain,
    seed_draw(n, 4) as author, seed_draw(n, 5) as degraded, seed_draw(n, 6) as origin, seed_draw(n, 7) as review,
    seed_draw(n, 8) as duration, seed_draw(n, 9) as triage, seed_draw(n, 10) as assignee,
    seed_draw(n, 11) as score) draw
-- Of most, nobody writes down what became of them.
cross join lateral (select case
    when draw.triage < 0.3 then 'done' when draw.triage < 0.301 then 'taken' else 'new' end as triage) w
cross join lateral (select case
    when n > current_setting('seed.sessions')::int - 20 then 'pending'
    when n > current_setting('seed.sessions')::int - 40 then 'in_progress'
    when draw.status < 0.1 then 'failed' when draw.status < 0.12 then 'timed_out' when draw.status < 0.14 then 'cancelled'
    else 'completed' end as status) s
cross join lateral (select case
    when draw.severity < 0.2 then 'critical' when draw.severity < 0.6 then 'warning' else 'info' end as severity) v
-- What ran out of time took longest, what was cancelled or failed ended early, and critical alerts take longer than others.
cross join lateral (select make_interval(secs => case s.status
    when 'timed_out' then 900 + draw.duration * 5
    when 'cancelled' then draw.duration * 60
    when 'failed' then 2 + draw.duration * 90
    else exp(3 + draw.duration * 3) * case v.severity when 'critical' then 1.5 else 1 end end) as duration) d;

insert into session_reviews (id, session_id, review, reviewer, number, created_at)
select review_id, id, (array['accurate', 'accurate', 'partly', 'wrong'])[1 + (random() * 3)::int], 'bob', 1, created_at
from alert_sessions where review_id is not null;

insert into verdicts (id, session_id, source, outcome, alert_statement, cause, category, object_kind, object_name,
    object_namespace, confidence, created_at)
select verdict_id, id, 'model', (array['cause_found', 'cause_found', 'no_fault_found', 'not_examinable'])[1 + floor(d.draw * 40)::int % 4],
    (array['confirmed', 'not_confirmed'])[1 + floor(d.draw * 20)::int % 2], service || ' has its cause in ' || cluster,
    (array['crash', 'out_of_memory', 'configuration', 'disk'])[1 + floor(d.draw * 400)::int % 4], 'Pod',
    service || '-' || left(md5(id::text), 9) || '-' || right(md5(id::text), 5), namespace, 'high', completed_at
from alert_sessions
cross join lateral (select ('x' || left(md5('verdict' || id), 7))::bit(28)::int / 268435456.0 as draw) d
where verdict_id is not null;

insert into score_days (day, dimension, name, sessions, total, low)
select (created_at at time zone 'utc')::date, d.dimension, d.name, count(*), sum(score), count(*) filter (where score < 60)
from alert_sessions cross join lateral (
    values ('all', ''), ('chain', chain_id), ('agent', 'agent-' || (score % 30)), ('provider', 'provider-' || (score % 12))
) d (dimension, name)
where score is not null group by 1, 2, 3;

insert into session_control (session_id) select id from alert_sessions;

insert into stages (id, session_id, stage_name, stage_index, expected_agent_count, status, created_at)
select seed_id(created_at, 'stage' || id), id, 'triage', 0, 1, 'completed', created_at from alert_sessions;

insert into llm_interactions (id, session_id, interaction_type, model_name, llm_request, llm_response, input_tokens,
    output_tokens, total_tokens, cost_micro_usd, duration_ms, created_at)
select seed_id(created_at, 'llm' || id), id, 'final_analysis', 'model', '{}', '{}', 2000, 300, 2300, 900, 1200, created_at from alert_sessions;

insert into mcp_interactions (id, session_id, status, call_id, interaction_type, server_name, tool_name, tool_arguments,
    tool_result, error_message, call_number, duration_ms, created_at)
select seed_id(created_at, 'call' || id), id, c.status, seed_id(created_at, 'call_id' || id), 'tool_call', 'kubernetes', c.tool,
    jsonb_build_object('namespace', namespace, 'service', service),
    'error: ' || case when c.draw < 0.01 then 'container was OOMKilled ' when c.draw < 0.5 then 'timeout ' else 'refused ' end
        || 'word' || floor(c.draw * 5000)::int || ' HTTP 503 ' || alert_data,
    case when c.status = 'failed' then 'connection refused' end, 1, 40, created_at
from alert_sessions
cross join lateral (select ('x' || left(md5('draw' || id), 7))::bit(28)::int / 268435456.0 as draw) d
cross join lateral (select d.draw, case when d.draw > 0.97 then 'failed' else 'completed' end as status,
    (array['pods_list', 'pods_log', 'events_list', 'nodes_top'])[1 + floor(d.draw * 100)::int % 4] as tool) c;

insert into timeline_events (id, session_id, sequence_number, event_type, status, content, created_at)
select seed_id(created_at, 'event' || id), id, 1, 'final_analysis', 'completed',
    'The error of ' || service || ' has its cause in ' || cluster || ', see [call 1].', created_at
from alert_sessions where status = 'completed';
