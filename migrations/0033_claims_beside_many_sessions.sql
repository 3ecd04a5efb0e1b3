-- What a claim costs does not grow with the sessions that are stored.

-- As before, but the first lease of the index is compared with the time. Whether a lease exists that is earlier than a variable is
-- estimated as true of each third row, so that the plan that is kept for all calls read the table from one end to the other.
create or replace function claim_session(owner text, lease_seconds double precision, cap bigint, event_type text, event_members text)
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
    is_any_due := (
        select c.lease_expires_at from session_control c where c.lease_expires_at is not null order by c.lease_expires_at limit 1
    ) <= claim_session.at;
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
