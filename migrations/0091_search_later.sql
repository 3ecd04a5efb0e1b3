-- The document of an alert that its sender waits for is written when its first event is marked as published, a moment later, and
-- not by the insert: that took a fifth of it. Whoever publishes an event that was missed marks it, so none is left out.
create or replace function search_alert() returns trigger language plpgsql security definer as $$
begin
    if tg_op = 'INSERT' and current_setting('tarsy.search_later', true) = 'on' then
        return null;
    end if;
    insert into search_documents (id, session_id, session_created_at, kind, body)
    values (new.id, new.id, new.created_at, 'alert', alert_text(new))
    on conflict (id) do update set body = excluded.body where search_documents.body is distinct from excluded.body;
    return null;
end
$$;

create function search_published_alert() returns trigger language plpgsql security definer as $$
begin
    insert into search_documents (id, session_id, session_created_at, kind, body)
    select s.id, s.id, s.created_at, 'alert', alert_text(s)
    from alert_sessions s
    where s.id = new.session_id and not exists (select from search_documents d where d.id = s.id)
    on conflict (id) do nothing;
    return null;
end
$$;

create trigger search_published_alert after update of published_at on events for each row
    when (old.published_at is null and new.published_at is not null and new.seq = 1)
    execute function search_published_alert();

do $$
declare name text;
begin
    foreach name in array array['search_alert', 'search_published_alert'] loop
        execute format('alter function %I set search_path = %I, pg_temp', name, current_schema());
        execute format('revoke execute on function %I from public', name);
    end loop;
end
$$;
