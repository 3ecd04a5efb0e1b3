-- An agent that concluded without a look is sent back once, and a new owner must know that it was.
alter table agent_executions add column look_requested_at timestamptz;
