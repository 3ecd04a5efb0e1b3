-- What a call of a model cost, in millionths of a US dollar, at the price that was configured when its session began; null
-- if there was none.
alter table llm_interactions
    add column cost_micro_usd bigint check (cost_micro_usd >= 0);

-- Lists read their sums from the index alone.
drop index llm_interactions_session;
create index llm_interactions_session on llm_interactions (session_id, created_at, id)
    include (execution_id, input_tokens, output_tokens, total_tokens, cost_micro_usd);
