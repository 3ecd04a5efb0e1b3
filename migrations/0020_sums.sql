-- Sums of lists leave out what no model did, which the index before did not have: each row was read for it.

-- Sums of lists and of `find_usage`, from the index alone, and the order of `find_trace`.
create index llm_interactions_sums on llm_interactions (session_id, created_at, id)
    include (execution_id, input_tokens, output_tokens, total_tokens, cost_micro_usd, backend);
drop index llm_interactions_session;
