-- What the code reads back is a column: not a prompt's text, a name's suffix, timeline metadata or raw JSON.

-- Sessions: settings of the resolved chain, and the provider that writes the executive summary.
alter table alert_sessions
    add column timeout_ms bigint check (timeout_ms > 0),
    add column chat_enabled boolean not null default false,
    add column budget_llm_calls bigint not null default 300,
    add column budget_tokens bigint not null default 10000000,
    add column budget_tool_calls bigint not null default 1000,
    add column executive_summary_provider text,
    alter column planned_stages drop expression;

update alert_sessions s set
    alert_type = coalesce(s.alert_type, s.config_snapshot ->> 'alert_type'),
    timeout_ms = case when jsonb_typeof(s.config_snapshot -> 'session_timeout_ms') = 'number'
        then least(greatest((s.config_snapshot ->> 'session_timeout_ms')::numeric, 1), 9223372036854775807)::bigint end,
    chat_enabled = coalesce(jsonb_typeof(s.config_snapshot -> 'chat') <> 'null', false),
    budget_llm_calls = case when jsonb_typeof(s.config_snapshot #> '{budget,llm_calls}') = 'number'
        then (s.config_snapshot #>> '{budget,llm_calls}')::bigint else 300 end,
    budget_tokens = case when jsonb_typeof(s.config_snapshot #> '{budget,tokens}') = 'number'
        then (s.config_snapshot #>> '{budget,tokens}')::bigint else 10000000 end,
    budget_tool_calls = case when jsonb_typeof(s.config_snapshot #> '{budget,tool_calls}') = 'number'
        then (s.config_snapshot #>> '{budget,tool_calls}')::bigint else 1000 end;

update alert_sessions s set executive_summary = t.content
from (
    select distinct on (session_id) session_id, content from timeline_events
    where event_type = 'executive_summary' order by session_id, sequence_number
) t
where t.session_id = s.id and s.executive_summary is null;

update alert_sessions s set executive_summary_provider = t.provider
from (
    select distinct on (session_id) session_id, metadata ->> 'to' as provider from timeline_events
    where event_type = 'provider_fallback' and execution_id is null
    order by session_id, sequence_number desc
) t
where t.session_id = s.id;

-- Stages: which stage's findings a synthesis joins.
alter table stages add column joins_stage_id uuid references stages (id) on delete cascade;

create index stages_joins on stages (joins_stage_id) where joins_stage_id is not null;

update stages s set joins_stage_id = p.id
from stages p
where p.session_id = s.session_id and p.stage_index = s.stage_index - 1
    and p.chat_id is null and s.chat_id is null and s.stage_name = p.stage_name || ' - Synthesis';

-- Executions: the provider in use and the first message that belongs to it, when the conclusion was requested, and
-- the conclusion. `llm_provider` is the provider with which the execution started.
alter table agent_executions
    add column active_provider text,
    add column active_provider_since integer not null default 0,
    add column closing_at timestamptz,
    add column conclusion text,
    add column concluded_at timestamptz;

update agent_executions set active_provider = llm_provider;

update agent_executions e set active_provider = t.provider, active_provider_since = t.since
from (
    select distinct on (execution_id) execution_id, metadata ->> 'to' as provider,
        (metadata ->> 'since')::integer as since
    from timeline_events
    where event_type = 'provider_fallback' and execution_id is not null and metadata ->> 'to' is not null
        and jsonb_typeof(metadata -> 'since') = 'number'
    order by execution_id, sequence_number desc
) t
where t.execution_id = e.id;

update agent_executions e set closing_at = t.at
from (
    select execution_id, min(at) as at
    from (
        select execution_id, created_at as at from llm_interactions
        where interaction_type = 'forced_conclusion'
        union all
        select execution_id, created_at from timeline_events where event_type = 'budget_reached'
        union all
        select execution_id, created_at from messages
        where role = 'user' and content like '%; no more tools can be called. Conclude now from what you have%'
            and (content like 'All % iterations are used;%' or content like 'The budget of % is used up;%')
    ) requests
    where execution_id is not null group by execution_id
) t
where t.execution_id = e.id;

update agent_executions e set conclusion = t.content, concluded_at = t.created_at
from (
    select distinct on (execution_id) execution_id, content, created_at from timeline_events
    where event_type = 'final_analysis' and execution_id is not null
    order by execution_id, sequence_number desc
) t
where t.execution_id = e.id;

-- Calls of models: the provider that was called, and why it stopped.
alter table llm_interactions
    add column provider text,
    add column finish_reason text check (finish_reason in ('stop', 'length', 'tool_calls', 'content_filter'));

update llm_interactions set provider = llm_request ->> 'provider';

-- Summaries: what their calls used, in columns.
alter table summaries
    add column llm_calls bigint not null default 0,
    add column input_tokens bigint not null default 0,
    add column output_tokens bigint not null default 0,
    add column total_tokens bigint not null default 0;

update summaries set
    llm_calls = coalesce((usage ->> 'calls')::bigint, 1),
    input_tokens = coalesce((usage ->> 'input_tokens')::bigint, 0),
    output_tokens = coalesce((usage ->> 'output_tokens')::bigint, 0),
    total_tokens = coalesce((usage ->> 'total_tokens')::bigint, 0)
where jsonb_typeof(usage) = 'object';

alter table summaries drop column usage;

-- Dead letters: the notification that one was.
alter table dead_letters add column notification_id uuid;

update dead_letters
set notification_id = (convert_from(payload, 'UTF8')::jsonb ->> 'notification_id')::uuid
where subject like 'notification.%';
