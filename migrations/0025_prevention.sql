-- The page of prevention: calls of a week whose effect was checked, and hours of the overview without deleted sessions.

-- `find_prevention`.
create index actions_planned on actions (planned_at);

-- `delete_session` of the version before. The hours of the sessions that it deletes are counted anew, by `count_overview_hours`: what
-- is deleted is in no number any more.
do $$
declare
    body text := pg_get_functiondef('delete_session(uuid, text, text)'::regprocedure);
    place text := '    delete from overview_alerts o using';
    added text := $add$    update overview_hours o set counted_at = o.hour
    from alert_sessions s
    where s.id = any(family) and o.hour = date_bin('1 hour', s.created_at, '2000-01-01 00:00:00Z');
$add$;
begin
    if position(place in body) = 0 then
        raise exception 'delete_session is not as it was';
    end if;
    execute replace(body, place, added || place);
end
$$;
