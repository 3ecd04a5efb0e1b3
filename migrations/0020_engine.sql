-- What the trace tells beside a call's end: a policy refused it, or the model did not answer in time.

alter table mcp_interactions add column refused_by_policy boolean not null default false;
alter table llm_interactions add column timed_out boolean not null default false;

update mcp_interactions m set refused_by_policy = true
from timeline_events t
where t.id = m.timeline_event_id and t.metadata @> '{"refused_by_policy": true}';
