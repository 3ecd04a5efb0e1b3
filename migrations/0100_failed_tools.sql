-- Findings are degraded, too, when every call of a tool failed: what only that tool shows was not examined.
alter table alert_sessions drop constraint alert_sessions_degraded_check;
alter table alert_sessions add constraint alert_sessions_degraded_check check (degraded_reasons <@ array[
    'no_successful_call', 'tool_failed', 'tool_server_unavailable', 'unverified_claims', 'not_checked', 'injected_instructions'
]);
