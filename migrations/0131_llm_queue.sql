-- Calls of providers with `max_concurrent_requests`, those that wait and those that run, in their order. A call holds its place by
-- a lease. Nothing of it outlives a crash of PostgreSQL: who still waits comes again.
create unlogged table llm_queue (
    id uuid primary key,
    seq bigint generated always as identity,
    provider text not null,
    lease_expires_at timestamptz not null
);

create index llm_queue_provider on llm_queue (provider, seq);

-- Takes or keeps a call's place, and returns how many calls of the provider stand before it. The lock makes the order of the
-- numbers the order in which they are seen. A call whose lease ran out has lost its place.
create function take_llm_place(call uuid, of_provider text, lease_seconds double precision) returns bigint
language plpgsql as $$
declare
    own bigint;
begin
    perform pg_advisory_xact_lock(hashtextextended('llm_queue ' || of_provider, 0));
    delete from llm_queue q where q.provider = of_provider and q.lease_expires_at <= clock_timestamp();
    insert into llm_queue as q (id, provider, lease_expires_at)
        values (call, of_provider, clock_timestamp() + make_interval(secs => lease_seconds))
        on conflict (id) do update set lease_expires_at = excluded.lease_expires_at
        returning q.seq into own;
    return (select count(*) from llm_queue q where q.provider = of_provider and q.seq < own);
end
$$;
