-- A tenth as many memories as there are sessions, each confirmed by a reviewed one, with vectors that are near to nothing but
-- themselves.
with reviewed as (
    select id, fingerprint, namespace, service, row_number() over (order by created_at) - 1 as place,
        count(*) over () as all_of_them
    from alert_sessions where review_id is not null
), made as (
    select n, seed_id(seed_time(n * 10), 'memory' || n) as id, seed_time(n * 10) as at
    from generate_series(1, current_setting('seed.sessions')::bigint / 10) n
), sources as (
    insert into memory_sources (memory_id, session_id, effect)
    select m.id, r.id, 'confirms' from made m join reviewed r on r.place = m.n % r.all_of_them
)
insert into memories (id, text, object, category, fingerprint, confirmations, contradictions, created_at, confirmed_at)
select m.id,
    'the ' || (array['connection pool', 'queue', 'volume', 'certificate', 'cache'])[1 + (m.n % 5)::int] || ' of '
        || coalesce(r.service, 'web') || (array[' is exhausted', ' is too small', ' expires', ' is full'])[1 + (m.n % 4)::int]
        || ' since word' || floor(seed_draw(m.n, 31) * 5000)::int,
    r.namespace || '/' || r.service, 'resources', r.fingerprint, 1 + (m.n % 3)::int, case when m.n % 10 = 0 then 4 else 0 end, m.at, m.at
from made m join reviewed r on r.place = m.n % r.all_of_them;

insert into memory_vectors (memory_id, model, embedding)
select m.id, 'seed', (select array_agg((seed_draw(n, hashtext(m.id::text)) - 0.5)::real) from generate_series(1, 256) n)
from memories m;
