-- What a person's login at a tool server gave, sealed with a key that is not in the database.
create table mcp_oauth_tokens (
    server_id text primary key,
    sealed bytea not null,
    updated_at timestamptz not null default now()
);
