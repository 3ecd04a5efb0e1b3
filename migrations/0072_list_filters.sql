-- Indexes of filters of the session list, so that no filter reads all sessions.
create index alert_sessions_degraded on alert_sessions (created_at, id)
    where degraded_reasons <> '{}' and deleted_at is null;
create index alert_sessions_origin on alert_sessions (origin, created_at, id) where deleted_at is null;
create index alert_sessions_severity on alert_sessions (severity, created_at, id)
    where severity is not null and deleted_at is null;
create index alert_sessions_service on alert_sessions (service, created_at, id)
    where service is not null and deleted_at is null;
create index mcp_interactions_failed on mcp_interactions (server_name, tool_name, session_id)
    where interaction_type = 'tool_call' and status = 'failed';
