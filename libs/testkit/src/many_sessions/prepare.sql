-- What the rows of a migrated and empty database need; indexes are dropped, and made again when the rows are there.
-- Ids of version 7, as the product makes them: their order is that of time.
create function seed_id(at timestamptz, name text) returns uuid language sql immutable as $$
    select (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7' || substr(md5(name), 1, 3) || '8'
        || substr(md5(name), 4, 15))::uuid
$$;

create function seed_time(n bigint) returns timestamptz language sql stable as $$
    select now() - interval '90 days' * (1 - n::float8 / current_setting('seed.sessions')::int) - interval '1 minute'
$$;

-- A number from 0 to 1, which depends on the session and on nothing else that is drawn for it.
create function seed_draw(n bigint, what bigint) returns float8 language sql immutable as $$
    select (hashint8extended(n, what) & 1048575) / 1048576.0::float8
$$;

create table seed_indexes as
select pg_get_indexdef(i.indexrelid) as definition, i.indexrelid::regclass::text as name
from pg_index i join pg_class t on t.oid = i.indrelid
where t.relnamespace = current_schema()::regnamespace and t.relname in (
        'alert_sessions', 'stages', 'llm_interactions', 'mcp_interactions', 'timeline_events', 'search_documents',
        'session_words', 'memories', 'memory_vectors'
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
