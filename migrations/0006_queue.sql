-- Who works on what: the claim of a session, and the line of a provider's calls.

-- `Store::claim_session`: claims a session in one round trip. The lock makes the cap of the cluster exact: claimers take turns,
-- and each statement after it sees what the claimer before has committed. The lock of an expired lease is looked for only when a
-- lease has expired: that index alone tells it, without a row. The cap does not count sessions that are suspended. They come back
-- under it, before those that nobody has begun. Of a session that another owner began, only the lease changes hands. The payload
-- of the event is that of libs/store/src/encode.rs.
create function claim_session(owner text, lease_seconds double precision, cap bigint, event_type text, event_members text)
returns table (
    session alert_sessions, lease_epoch bigint, attempts integer, event_seq bigint, resumed boolean, at timestamptz
)
language plpgsql as $$
#variable_conflict use_column
declare
    picked uuid;
    is_any_due boolean;
begin
    -- `tarsyclm` as a number.
    perform pg_advisory_xact_lock(x'7461727379636c6d'::bigint);
    at := clock_timestamp();
    resumed := false;
    is_any_due := exists (select from session_control c where c.lease_expires_at <= claim_session.at);
    if is_any_due then
        select c.session_id into picked
        from session_control c join alert_sessions s on s.id = c.session_id
        where c.lease_expires_at <= claim_session.at and s.status in ('in_progress', 'cancelling')
            and c.suspended_at is null
        order by c.lease_expires_at, c.session_id
        limit 1
        for no key update of c, s skip locked;
        resumed := found;
    end if;
    if not resumed then
        if (select count(*) from alert_sessions s where s.status in ('in_progress', 'cancelling'))
            - (select count(*) from session_control c join alert_sessions s on s.id = c.session_id
                where c.suspended_at is not null and s.status in ('in_progress', 'cancelling')) >= cap
        then
            return;
        end if;
        if is_any_due then
            select c.session_id into picked
            from session_control c join alert_sessions s on s.id = c.session_id
            where c.lease_expires_at <= claim_session.at and s.status in ('in_progress', 'cancelling')
            order by c.lease_expires_at, c.session_id
            limit 1
            for no key update of c, s skip locked;
            resumed := found;
        end if;
    end if;
    if not resumed then
        select c.session_id into picked
        from alert_sessions s join session_control c on c.session_id = s.id
        where s.status = 'pending'
        order by s.created_at, s.id
        limit 1
        for no key update of c, s skip locked;
        if not found then
            return;
        end if;
    end if;
    update session_control c
    set owner_id = claim_session.owner,
        lease_epoch = c.lease_epoch + 1,
        attempts = c.attempts + 1,
        lease_expires_at = claim_session.at + make_interval(secs => lease_seconds),
        suspended_at = null,
        event_seq = c.event_seq + case when claim_session.resumed then 0 else 1 end
    where c.session_id = picked
    returning c.lease_epoch, c.attempts, c.event_seq
    into claim_session.lease_epoch, claim_session.attempts, claim_session.event_seq;
    if resumed then
        select s.* into session from alert_sessions s where s.id = picked;
    else
        update alert_sessions s set status = 'in_progress', started_at = claim_session.at
        where s.id = picked
        returning s.* into session;
        insert into events (session_id, seq, type, payload)
        values (picked, claim_session.event_seq, event_type, (
            '{"db_event_id":' || claim_session.event_seq || ',"timestamp":"'
            || to_char(claim_session.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
            || '","session_id":"' || picked || '",' || event_members
        )::jsonb);
    end if;
    return next;
end
$$;

revoke execute on function claim_session(text, double precision, bigint, text, text) from public;

-- Calls of providers with `max_concurrent_requests`, those that wait and those that run, in their order. A call holds its place by
-- a lease. Nothing of it outlives a crash of PostgreSQL: who still waits comes again.
create unlogged table llm_queue (
    id uuid primary key,
    seq bigint generated always as identity,
    provider text not null,
    lease_expires_at timestamptz not null
);

-- `take_llm_place`.
create index llm_queue_provider on llm_queue (provider, seq);

-- `Store::take_llm_place`: takes or keeps a call's place, and returns how many calls of the provider stand before it. The lock
-- makes the order of the numbers the order in which they are seen. A call whose lease ran out has lost its place.
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
