-- Agents that other agents dispatch: executions with a parent, and results that come into the parent's conversation.

alter table agent_executions
    -- The execution that dispatched it; null for the agents of a stage. Its own id is that of the call that did.
    add column parent_execution_id uuid references agent_executions (id) on delete cascade,
    -- What it was dispatched for.
    add column task text,
    add constraint agent_executions_task_check check ((parent_execution_id is null) = (task is null)),
    drop constraint agent_executions_stage_id_agent_index_key;

-- The numbers of a stage's own agents, from 1.
create unique index agent_executions_of_stage on agent_executions (stage_id, agent_index) where parent_execution_id is null;
-- The numbers of those that one agent dispatched, from 1; `list_sub_executions` reads it.
create unique index agent_executions_of_parent on agent_executions (parent_execution_id, agent_index)
    where parent_execution_id is not null;
-- The reference, when a stage is deleted with its session.
create index agent_executions_stage on agent_executions (stage_id);

-- The dispatched execution whose result a message gives to its parent.
alter table messages add column sub_execution_id uuid references agent_executions (id) on delete cascade;

-- A result is given once.
create unique index messages_sub_execution on messages (sub_execution_id) where sub_execution_id is not null;

insert into redacted_columns (table_name, column_name, method) values ('agent_executions', 'task', 'text');
