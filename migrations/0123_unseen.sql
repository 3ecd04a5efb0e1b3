-- What a conclusion does not rest on though its agent could have looked: required tools without a result, as server.tool;
-- empty if no call succeeded at all, null if nothing is missing.
alter table agent_executions add column unseen text[];

-- Findings are degraded, too, when an agent concluded so.
alter table alert_sessions drop constraint alert_sessions_degraded_check;
alter table alert_sessions add constraint alert_sessions_degraded_check check (degraded_reasons <@ array[
    'no_successful_call', 'no_tool_called', 'tool_failed', 'tool_server_unavailable', 'unverified_claims', 'not_checked',
    'injected_instructions'
]);
