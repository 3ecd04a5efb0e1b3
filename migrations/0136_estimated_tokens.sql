-- Tokens that a provider did not report are estimated, and marked.

alter table llm_interactions add column tokens_estimated boolean not null default false;

-- Lists look here; most sessions have none.
create index llm_interactions_estimated on llm_interactions (session_id) where tokens_estimated;
