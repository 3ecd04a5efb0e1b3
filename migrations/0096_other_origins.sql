-- Nearly all sessions come from alerts, and every insert and every claim of one wrote into an index that only finds the others.
drop index alert_sessions_origin;
create index alert_sessions_other_origins on alert_sessions (origin, created_at, id)
    where origin <> 'alert' and deleted_at is null;
