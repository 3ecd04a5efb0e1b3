-- When the streams of NATS held nothing of the session any more; null until then. What was deleted before has expired there.
alter table deleted_sessions add column copies_removed_at timestamptz;
update deleted_sessions set copies_removed_at = now();
create index deleted_sessions_with_copies on deleted_sessions (deleted_at) where copies_removed_at is null;
