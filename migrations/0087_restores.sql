-- When the database was restored from a backup. What left TARSy between the backup and its loss is not in the rows: notifications
-- of sessions that are older than a restore are searched in their channel before they are sent.
create table restores (
    restored_at timestamptz primary key default now(),
    backup_taken_at timestamptz not null,
    -- The version of TARSy that took the backup.
    backup_version text not null
);
