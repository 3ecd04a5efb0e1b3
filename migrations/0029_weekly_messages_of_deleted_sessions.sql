-- `delete_session` of the version before, and what weekly messages that wait to be sent say of the sessions that it deletes: the
-- causes and alerts whose newest session is one of them, and the errors that tools answered in them.
do $$
declare
    body text := pg_get_functiondef('delete_session(uuid, text, text)'::regprocedure);
    place text := '    delete from dead_letters d';
    added text := $add$    update weekly_messages w
    set found = w.found || jsonb_build_object(
        'causes', (
            select coalesce(jsonb_agg(e.one order by e.place), '[]')
            from jsonb_array_elements(w.found -> 'causes') with ordinality e (one, place)
            where not (e.one ->> 'last_session_id') = any(family::text[])),
        'alerts', (
            select coalesce(jsonb_agg(e.one order by e.place), '[]')
            from jsonb_array_elements(w.found -> 'alerts') with ordinality e (one, place)
            where not (e.one ->> 'last_session_id') = any(family::text[])),
        'tools', (
            select coalesce(jsonb_agg(
                case when (e.one ->> 'last_session_id') = any(family::text[])
                    then e.one || '{"last_error": null, "last_session_id": null}' else e.one end order by e.place), '[]')
            from jsonb_array_elements(w.found -> 'tools') with ordinality e (one, place))
    )
    where exists (select from unnest(family) f (id) where position(f.id::text in w.found::text) > 0);
$add$;
begin
    if position(place in body) = 0 then
        raise exception 'delete_session is not as it was';
    end if;
    execute replace(body, place, added || place);
end
$$;
