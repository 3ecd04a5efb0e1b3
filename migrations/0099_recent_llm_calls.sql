-- The newest calls of models and those that failed, so that the state of each provider is read from the end of an index.
create index llm_interactions_recent on llm_interactions (created_at) include (provider);
create index llm_interactions_failed on llm_interactions (created_at) where error_message is not null;
