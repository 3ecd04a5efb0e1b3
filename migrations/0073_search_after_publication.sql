-- The document of a new alert costs as much as storing the alert, and its sender would wait for it: it is written once the
-- first event of the session was published, a moment later. Whatever is published late is searched late.
create function search_published() returns trigger language plpgsql security definer as $$
begin
    perform put_search_document(row(s.id, s.id, null, 'alert', null, null, alert_text(s), null, null)::search_documents)
    from alert_sessions s where s.id = new.session_id;
    return null;
end
$$;

do $$
begin
    execute format('alter function search_published() set search_path = %I, pg_temp', current_schema());
    revoke execute on function search_published() from public;
end
$$;

create trigger search_published after update of published_at on events for each row
    when (new.seq = 1 and old.published_at is null and new.published_at is not null)
    execute function search_published();

drop trigger search_alert on alert_sessions;
create trigger search_alert after update of alert_data, title, severity, service, namespace, cluster
    on alert_sessions for each row execute function search_alert();
