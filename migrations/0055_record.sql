-- What a session needs besides its conversations and results so that it can be replayed exactly.

-- What a tool said of itself when it was offered to a model; each definition once. `digest` is the SHA-256 of the
-- other columns. `input_schema` is text, because `jsonb` does not keep the order of keys that the model read.
create table tool_definitions (
    digest text primary key,
    server_name text not null,
    tool_name text not null,
    description text not null,
    input_schema text not null,
    read_only boolean not null,
    idempotent boolean not null
);

-- Definitions in the order in which they were offered; each list once. `digest` is the SHA-256 of the list.
create table tool_sets (
    digest text primary key,
    definitions text[] not null
);

-- Calls of models: what was sent beside the messages, and who answered.
alter table llm_interactions
    add column tool_set text references tool_sets (digest),
    add column backend text,
    add column max_output_tokens integer check (max_output_tokens > 0),
    add column native_tools text[],
    add column prompt_version text,
    add column tarsy_version text,
    add column model_version text,
    add column response_id text,
    add column vendor_finish_reason text;

-- Tool calls: the tokens of the result, and of what the model received of it. A list of tools: its definitions.
alter table mcp_interactions
    add column tool_set text references tool_sets (digest),
    add column result_tokens integer check (result_tokens >= 0),
    add column delivered_tokens integer check (delivered_tokens >= 0);
