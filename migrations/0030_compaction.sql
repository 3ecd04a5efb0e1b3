-- The call whose result a message is: whoever shortens or quotes the message keeps the number that models cite.
alter table messages add column call_number bigint;

update messages m set call_number = c.call_number
from mcp_interactions c
where m.role = 'tool' and c.execution_id = m.execution_id and c.tool_call_id = m.tool_call_id;

-- Calls of models: what was left out of the request so that it fits the provider's context window. The three
-- are null if nothing was.
alter table llm_interactions
    add column shortened_messages integer,
    add column omitted_messages integer,
    add column whole_tokens bigint;
