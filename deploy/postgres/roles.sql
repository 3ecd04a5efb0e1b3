-- Written by `tarsy permissions postgres`; do not edit. Run it as the owner of the tables, after `tarsy migrate`,
-- then let the roles log in: alter role tarsy_orchestrator login password '...';

do $$
declare wanted text;
begin
    foreach wanted in array array['tarsy_api_gateway', 'tarsy_orchestrator', 'tarsy_summarizer', 'tarsy_stream_relay', 'tarsy_notifier', 'tarsy_mcp_gateway', 'tarsy_cli'] loop
        begin
            if not exists (select from pg_roles where rolname = wanted) then
                execute format('create role %I nologin', wanted);
            end if;
        -- Another database of the server may be creating it, too.
        exception when duplicate_object or unique_violation then null;
        end;
    end loop;
end
$$;

do $$
begin
    execute format('revoke create on schema %I from public', current_schema());
end
$$;
-- api-gateway
do $$
begin
    execute format('revoke all on all tables in schema %I from tarsy_api_gateway', current_schema());
    execute format('revoke all on all functions in schema %I from tarsy_api_gateway', current_schema());
    execute format('grant usage on schema %I to tarsy_api_gateway', current_schema());
end
$$;
grant select on _sqlx_migrations to tarsy_api_gateway;
grant select on accepted_tools, actions, agent_executions, alert_sessions, api_tokens, chat_user_messages, chats, claim_checks, claims, config_snapshots, daily_token_usage, dead_letters, deleted_sessions, events, idempotency_keys, intake_alerts, intake_refusals, llm_interactions, mcp_interactions, messages, overview_alerts, overview_costs, overview_durations, overview_hours, overview_tools, postmortem_prose, quota_windows, redacted_columns, score_days, score_tools, scores, search_documents, session_aliases, session_control, session_words, sign_ins, stages, summaries, timeline_events, token_usage, tool_approvals, tool_definitions, tool_results, tool_sets, verdict_alternatives, verdict_charts, verdict_evidence, verdict_next_steps, verdict_not_examined, verdicts to tarsy_api_gateway;
grant insert on accepted_tools, agent_executions, alert_sessions, api_tokens, chat_user_messages, chats, config_snapshots, dead_letters, events, idempotency_keys, intake_alerts, intake_refusals, mcp_interactions, notifications, postmortem_prose, prompt_overrides, quota_windows, scores, session_aliases, session_control, sign_ins, stages, timeline_events, tool_definitions, tool_sets to tarsy_api_gateway;
grant update on agent_executions, alert_sessions, api_tokens, chats, config_snapshots, events, idempotency_keys, intake_alerts, intake_refusals, postmortem_prose, quota_windows, session_control, sign_ins, stages, summaries, timeline_events, tool_approvals to tarsy_api_gateway;
grant select, insert on audit_log, changes, session_reviews, triage_entries to tarsy_api_gateway;
grant select, insert, update, delete on dependencies to tarsy_api_gateway;
grant select, insert on commands, schedule_runs, schedules, weekly_messages to tarsy_api_gateway;
grant insert on weekly_deliveries to tarsy_api_gateway;
grant update (confirmed_at) on commands to tarsy_api_gateway;
grant update (session_id) on schedule_runs to tarsy_api_gateway;
grant update (rollback_stage_id, rollback_by, rollback_with) on actions to tarsy_api_gateway;
grant update on schedules to tarsy_api_gateway;
grant select, insert, update, delete on memories, memory_sources to tarsy_api_gateway;
grant update (copies_removed_at) on deleted_sessions to tarsy_api_gateway;
grant select (id, session_id, kind, destination, approval_id, review_id, status, created_at, finished_at, thread_ref, external_ref) on notifications to tarsy_api_gateway;
grant update (status, failures, error, created_at, due_at, finished_at) on notifications to tarsy_api_gateway;
grant delete on accepted_tools, idempotency_keys, intake_refusals to tarsy_api_gateway;
grant execute on function count_overview_hours to tarsy_api_gateway;
grant execute on function delete_session to tarsy_api_gateway;
grant execute on function redact_rows to tarsy_api_gateway;
-- orchestrator
do $$
begin
    execute format('revoke all on all tables in schema %I from tarsy_orchestrator', current_schema());
    execute format('revoke all on all functions in schema %I from tarsy_orchestrator', current_schema());
    execute format('grant usage on schema %I to tarsy_orchestrator', current_schema());
end
$$;
grant select on _sqlx_migrations to tarsy_orchestrator;
grant select on accepted_tools, actions, agent_executions, alert_sessions, chat_user_messages, chats, claim_checks, claims, config_snapshots, daily_token_usage, events, idempotency_keys, intake_alerts, llm_interactions, llm_queue, mcp_interactions, messages, postmortem_prose, prompt_overrides, quota_windows, scores, session_control, session_reviews, stages, summaries, timeline_events, token_usage, token_usage_parts, tool_approvals, tool_definitions, tool_results, tool_sets, verdict_alternatives, verdict_charts, verdict_evidence, verdict_next_steps, verdict_not_examined, verdicts to tarsy_orchestrator;
grant insert on actions, agent_executions, claim_checks, claims, events, llm_interactions, llm_queue, mcp_interactions, messages, score_tools, scores, stages, summaries, timeline_events, token_usage, token_usage_parts, tool_approvals, tool_definitions, tool_results, tool_sets, verdict_alternatives, verdict_charts, verdict_evidence, verdict_next_steps, verdict_not_examined, verdicts to tarsy_orchestrator;
grant update on actions, agent_executions, alert_sessions, chats, events, llm_queue, mcp_interactions, postmortem_prose, scores, session_control, stages, summaries, timeline_events, token_usage, token_usage_parts, tool_approvals to tarsy_orchestrator;
grant delete on alert_sessions, changes, config_snapshots, dead_letters, dependencies, events, idempotency_keys, intake_alerts, llm_queue, messages, notifications, quota_windows, schedule_runs, sign_ins, token_usage, token_usage_parts, tool_results to tarsy_orchestrator;
grant select, insert, update on score_days to tarsy_orchestrator;
grant select (hour, counted_at), update (counted_at) on overview_hours to tarsy_orchestrator;
grant select (id, ended_at) on sign_ins to tarsy_orchestrator;
grant select (schedule, due_at, requested_by, created_at) on schedule_runs to tarsy_orchestrator;
grant select (id, finished_at) on notifications to tarsy_orchestrator;
grant select (id, notification_id, retried_at) on dead_letters to tarsy_orchestrator;
grant update (llm_request, llm_response, thinking_content, response_metadata) on llm_interactions to tarsy_orchestrator;
grant select on audit_retention, changes, dependencies to tarsy_orchestrator;
grant select on memories, memory_sources, replayed_calls, search_documents to tarsy_orchestrator;
grant select, insert, update on memory_vectors to tarsy_orchestrator;
grant execute on function delete_old_audit_entries to tarsy_orchestrator;
grant execute on function claim_session to tarsy_orchestrator;
grant execute on function take_llm_place to tarsy_orchestrator;
grant execute on function fill_search_documents to tarsy_orchestrator;
grant execute on function count_overview_hours to tarsy_orchestrator;
-- summarizer
do $$
begin
    execute format('revoke all on all tables in schema %I from tarsy_summarizer', current_schema());
    execute format('revoke all on all functions in schema %I from tarsy_summarizer', current_schema());
    execute format('grant usage on schema %I to tarsy_summarizer', current_schema());
end
$$;
grant select on _sqlx_migrations to tarsy_summarizer;
grant select on agent_executions, alert_sessions, events, llm_interactions, llm_queue, mcp_interactions, messages, session_control, stages, summaries, timeline_events, token_usage, token_usage_parts, tool_results to tarsy_summarizer;
grant insert on events, llm_interactions, llm_queue, messages, timeline_events, token_usage, token_usage_parts to tarsy_summarizer;
grant update on events, llm_queue, session_control, summaries, timeline_events, token_usage, token_usage_parts to tarsy_summarizer;
grant update (last_interaction_at) on alert_sessions to tarsy_summarizer;
grant delete on llm_queue to tarsy_summarizer;
grant execute on function take_llm_place to tarsy_summarizer;
-- stream-relay
do $$
begin
    execute format('revoke all on all tables in schema %I from tarsy_stream_relay', current_schema());
    execute format('revoke all on all functions in schema %I from tarsy_stream_relay', current_schema());
    execute format('grant usage on schema %I to tarsy_stream_relay', current_schema());
end
$$;
grant select on _sqlx_migrations to tarsy_stream_relay;
grant select on events, session_control, timeline_events to tarsy_stream_relay;
-- notifier
do $$
begin
    execute format('revoke all on all tables in schema %I from tarsy_notifier', current_schema());
    execute format('revoke all on all functions in schema %I from tarsy_notifier', current_schema());
    execute format('grant usage on schema %I to tarsy_notifier', current_schema());
end
$$;
grant select on _sqlx_migrations to tarsy_notifier;
grant select (id, status, alert_type, chain_id, author, slack_message_fingerprint, created_at, started_at, completed_at, final_analysis, executive_summary, error_message, failure, review_id, claims, verified_claims, degraded_reasons, origin, verdict_id, verdict_failure, deleted_at, title, severity, service, namespace, cluster, links, labels, fingerprint, traceparent, triage, assignee, triage_entry_id) on alert_sessions to tarsy_notifier;
grant select (session_id, seq, source, source_id) on intake_alerts to tarsy_notifier;
grant select on verdict_alternatives, verdict_charts, verdict_evidence, verdict_next_steps, verdict_not_examined, verdicts to tarsy_notifier;
grant select (id, review, reviewer, created_at) on session_reviews to tarsy_notifier;
grant select (id, triage, created_at) on triage_entries to tarsy_notifier;
grant select (schedule, due_at, session_id, notify) on schedule_runs to tarsy_notifier;
grant select (id, session_id, execution_id, call_id, timeline_event_id, server_name, tool_name, tool_arguments, reason, requested_at, expires_at, decision, decided_by, decided_at) on tool_approvals to tarsy_notifier;
grant select on actions to tarsy_notifier;
grant select (id, session_id, sequence_number, event_type, status, metadata) on timeline_events to tarsy_notifier;
grant select (id, agent_name, stage_id, conclusion) on agent_executions to tarsy_notifier;
grant select (messenger, channel, thread, session_id, question_id) on commands to tarsy_notifier;
grant select (id, content, created_at) on chat_user_messages to tarsy_notifier;
grant select (session_id, stage_id, interaction_type, call_id, server_name, tool_name, status, refused_by_policy) on mcp_interactions to tarsy_notifier;
grant select (id, session_id, chat_id, chat_user_message_id, status, error_message, completed_at) on stages to tarsy_notifier;
grant select on notification_destinations, notifications, restores to tarsy_notifier;
grant select on weekly_deliveries, weekly_messages to tarsy_notifier;
grant update on weekly_deliveries to tarsy_notifier;
grant update (found) on weekly_messages to tarsy_notifier;
grant insert on dead_letters, notification_destinations, notifications to tarsy_notifier;
grant update on notification_destinations, notifications to tarsy_notifier;
-- mcp-gateway
do $$
begin
    execute format('revoke all on all tables in schema %I from tarsy_mcp_gateway', current_schema());
    execute format('revoke all on all functions in schema %I from tarsy_mcp_gateway', current_schema());
    execute format('grant usage on schema %I to tarsy_mcp_gateway', current_schema());
end
$$;
grant select on _sqlx_migrations to tarsy_mcp_gateway;
grant select on mcp_oauth_tokens, replayed_calls, replayed_tools to tarsy_mcp_gateway;
grant insert on mcp_oauth_tokens to tarsy_mcp_gateway;
grant update on mcp_oauth_tokens to tarsy_mcp_gateway;
grant delete on mcp_oauth_tokens to tarsy_mcp_gateway;
-- cli
do $$
begin
    execute format('revoke all on all tables in schema %I from tarsy_cli', current_schema());
    execute format('revoke all on all functions in schema %I from tarsy_cli', current_schema());
    execute format('grant usage on schema %I to tarsy_cli', current_schema());
end
$$;
grant select on _sqlx_migrations to tarsy_cli;
grant select on accepted_tools, api_tokens, dead_letters, notifications to tarsy_cli;
grant select (id, status, created_at) on alert_sessions to tarsy_cli;
grant select (session_id, owner_id, lease_expires_at, attempts, suspended_at) on session_control to tarsy_cli;
grant insert on accepted_tools, api_tokens, audit_log to tarsy_cli;
grant update on api_tokens, dead_letters, notifications to tarsy_cli;
grant delete on accepted_tools to tarsy_cli;
