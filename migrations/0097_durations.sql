-- Sessions of each status by duration, with what lists filter by: a list in this order meets sessions that pass several filters
-- without reading the others. Status comes first because it goes along with duration: what ran out of time took longest. Only
-- sessions that are over are in it, so that one index is read in both directions, and an insert and a claim do not touch it. It
-- has no author and no service: with the longest ones of both, an entry would be too large.
create index alert_sessions_durations on alert_sessions (status, duration_ms, created_at, id)
    include (alert_type, chain_id, severity, origin, degraded_reasons, review_id)
    where completed_at is not null and deleted_at is null;

drop index alert_sessions_longest;
drop index alert_sessions_shortest;

-- Reviewed sessions with the same, and the reviews of each kind.
drop index alert_sessions_review;
create index alert_sessions_review on alert_sessions (created_at, id, review_id)
    include (duration_ms, status, alert_type, chain_id, severity, origin, degraded_reasons)
    where review_id is not null and deleted_at is null;
create index session_reviews_review on session_reviews (review, id);
