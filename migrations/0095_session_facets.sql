-- What lists filter by, as words of one index: PostgreSQL intersects the lists of GIN without reading a session, so that filters
-- which few sessions pass together, or none, do not read all that pass one of them. Only sessions that are over are in it: an
-- insert and a claim do not touch it.
create function session_facets(
    status text, alert_type text, chain_id text, author text, severity text, service text, origin text,
    degraded_reasons text[], review_id uuid
) returns text[] language sql immutable parallel safe as $$
    select array_remove(array[
        'status=' || status, 'alert_type=' || alert_type, 'chain_id=' || chain_id, 'author=' || author,
        'severity=' || severity, 'service=' || service, 'origin=' || origin,
        case when degraded_reasons <> '{}' then 'degraded=true' else 'degraded=false' end,
        case when review_id is not null then 'reviewed=true' else 'reviewed=false' end
    ], null)
$$;

-- Its list of new entries is searched one by one, so it stays short.
create index alert_sessions_facets on alert_sessions using gin (session_facets(
    status, alert_type, chain_id, author, severity, service, origin, degraded_reasons, review_id
)) with (gin_pending_list_limit = 256)
    where completed_at is not null and deleted_at is null;

-- Reviews of each kind, the newest session first, are found without reading all sessions that were reviewed.
create index alert_sessions_review on alert_sessions (created_at, id, review_id)
    where review_id is not null and deleted_at is null;

-- The planner knows these words only once they are counted.
analyze alert_sessions;
