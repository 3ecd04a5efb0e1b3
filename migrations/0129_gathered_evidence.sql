-- An agent that was sent back and still called no tool has its evidence gathered by the offline analyst: its messages in the
-- conversation, from the first to the one before the request to conclude from them; the end is null until then.
alter table agent_executions
    add column gathering_since integer,
    add column gathering_until integer,
    add constraint agent_executions_gathering_check check (gathering_until > gathering_since);
