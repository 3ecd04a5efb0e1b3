-- Where results of tools address a model: from the first one on, calls that are not read-only need an approval.
alter table mcp_interactions
    add column injected_instructions integer not null default 0 check (injected_instructions >= 0);

create index mcp_interactions_injected on mcp_interactions (session_id, call_number) where injected_instructions > 0;

alter table timeline_events drop constraint timeline_events_event_type_check;
alter table timeline_events add constraint timeline_events_event_type_check check (event_type in (
    'llm_thinking', 'llm_response', 'llm_tool_call', 'mcp_tool_summary', 'error', 'user_question',
    'executive_summary', 'final_analysis', 'code_execution', 'google_search_result', 'url_context_result',
    'provider_fallback', 'budget_reached', 'tool_approval', 'injected_instructions'
));

alter table alert_sessions drop constraint alert_sessions_degraded_check;
alter table alert_sessions add constraint alert_sessions_degraded_check check (degraded_reasons <@ array[
    'no_successful_call', 'tool_server_unavailable', 'unverified_claims', 'not_checked', 'injected_instructions'
]);
