-- Why an agent was asked to conclude before it did so by itself; null if it was not, and of older executions.
alter table agent_executions add column conclusion_cause text
    check (conclusion_cause in ('iterations', 'budget', 'repetition', 'time'));

-- Findings need a second look, too, when an agent had to conclude before it was done.
alter table alert_sessions drop constraint alert_sessions_degraded_check;
alter table alert_sessions add constraint alert_sessions_degraded_check check (degraded_reasons <@ array[
    'no_successful_call', 'no_tool_called', 'tool_failed', 'tool_server_unavailable', 'unverified_claims', 'not_checked',
    'injected_instructions', 'iterations_used_up', 'budget_used_up'
]);
