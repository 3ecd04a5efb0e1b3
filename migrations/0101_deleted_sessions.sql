-- Sessions that a person deleted: who, when and why, and nothing of what they contained.
create table deleted_sessions (
    session_id uuid primary key,
    deleted_by text not null,
    reason text not null check (char_length(reason) between 1 and 500),
    deleted_at timestamptz not null default now()
);

-- Deletes a session and its replays, which have its alert and its tool results, as retention deletes sessions: with the row go
-- all rows that refer to it. Answers `deleted` with each of them, or what prevents it with the session that does: `running`, or
-- `answering` if a question about it is open. Answers nothing if there is no such session. A function of the owner, so that
-- api-gateway deletes no session without a note of who did.
create function delete_session(wanted uuid, person text, why text) returns table (outcome text, session_id uuid)
language plpgsql security definer as $$
#variable_conflict use_column
declare
    found_before uuid[];
    family uuid[] := '{}';
begin
    -- Until the locks are on all of them: a replay may be made meanwhile.
    loop
        found_before := family;
        with recursive of_session as (
            select s.id from alert_sessions s where s.id = wanted
            union
            select s.id from alert_sessions s join of_session o on s.replay_of = o.id
        )
        select coalesce(array_agg(o.id order by o.id), '{}') into family from of_session o;
        exit when family = found_before;
        perform from alert_sessions s where s.id = any(family) order by s.id for update;
    end loop;
    if family = '{}' then
        return;
    end if;
    return query
        select case when s.completed_at is null then 'running' else 'answering' end, s.id
        from alert_sessions s
        where s.id = any(family) and (s.completed_at is null or exists (
            select from stages g where g.session_id = s.id and g.status in ('pending', 'active')))
        order by s.id limit 1;
    if found then
        return;
    end if;
    -- What copies of it stay behind elsewhere: as an earlier session of later ones about the same problem, its title in the
    -- hours of the overview, and messages that could not be handled.
    update alert_sessions later
    set seen_before = (
        select coalesce(jsonb_agg(e.one order by e.place), '[]')
        from jsonb_array_elements(later.seen_before) with ordinality e (one, place)
        where not (e.one ->> 'session_id') = any(family::text[])
    )
    from alert_sessions s
    where s.id = any(family) and s.review_id is not null and later.created_at >= s.created_at and later.id <> all(family)
        and later.seen_before @> jsonb_build_array(jsonb_build_object('session_id', s.id));
    delete from overview_alerts o using alert_sessions s
    where s.id = any(family) and o.fingerprint = s.fingerprint
        and o.hour = date_bin('1 hour', s.created_at, '2000-01-01 00:00:00Z')
        and not exists (
            select from alert_sessions other
            where other.fingerprint = o.fingerprint and other.id <> all(family) and other.deleted_at is null
                and other.created_at >= o.hour and other.created_at < o.hour + interval '1 hour');
    delete from dead_letters d
    where exists (
        select from unnest(family) f (id) where position(convert_to(f.id::text, 'UTF8') in d.payload) > 0);
    insert into deleted_sessions (session_id, deleted_by, reason)
    select f.id, person, why from unnest(family) f (id)
    on conflict (session_id) do nothing;
    delete from alert_sessions s where s.id = any(family);
    return query select 'deleted', f.id from unnest(family) f (id);
end
$$;

do $$
begin
    execute format('alter function delete_session set search_path = %I, pg_temp', current_schema());
    execute format('revoke execute on function delete_session from public');
end
$$;
