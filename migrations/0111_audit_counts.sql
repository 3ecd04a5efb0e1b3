-- Requests that nobody identified are counted: a row stands for as many as it says.
alter table audit_log add column count bigint not null default 1 check (count > 0);
