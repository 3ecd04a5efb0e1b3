-- For how many days an entry of the audit log stays at least. Only the owner of the tables may change it: the function below
-- serves a role that may be in wrong hands, whose wish must not remove its traces.
create table audit_retention (
    only_row boolean primary key default true check (only_row),
    days integer not null check (days between 1 and 36500)
);

insert into audit_retention (days) values (365);

-- Roles of services may not delete from the audit log. This function of the owner deletes what is older than the caller
-- wishes and than the row above says; nothing, where that row is missing.
create function delete_old_audit_entries(wished integer, most bigint) returns bigint
language sql security definer as $$
    with deleted as (
        delete from audit_log where id in (
            select id from audit_log
            where created_at < now() - make_interval(
                days => (select greatest(wished, kept.days) from audit_retention kept))
            order by created_at limit most)
        returning 1)
    select count(*) from deleted
$$;

-- A caller's own schema must not stand in for ours.
do $$
begin
    execute format('alter function delete_old_audit_entries set search_path = %I, pg_temp', current_schema());
end
$$;

revoke execute on function delete_old_audit_entries from public;
