-- Answers that are asked for in a form, and what of them could not be used.

alter table llm_interactions
    -- The JSON Schema; text, because `jsonb` does not keep the order of keys that the model read.
    add column response_format text,
    add column answer_notes text[] not null default '{}';
