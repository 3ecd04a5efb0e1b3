-- How long a model took until its first text or reasoning, in milliseconds; null for answers with neither, and for calls of before.
alter table llm_interactions add column first_token_ms bigint;
