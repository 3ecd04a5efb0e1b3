-- Of an old session, the prompts and answers of models and the whole results of tools go before the session itself does.
alter table alert_sessions
    add column prompts_deleted_at timestamptz,
    add column tool_results_deleted_at timestamptz;

create index alert_sessions_with_prompts on alert_sessions (completed_at)
    where completed_at is not null and prompts_deleted_at is null;
create index alert_sessions_with_tool_results on alert_sessions (completed_at)
    where completed_at is not null and tool_results_deleted_at is null;

create index notifications_finished on notifications (finished_at) where finished_at is not null;
create index dead_letters_retried on dead_letters (retried_at) where retried_at is not null;
