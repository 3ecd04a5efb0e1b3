-- The tools of a server as an operator accepted them. `definition` is the SHA-256 of what a tool says of itself.
create table accepted_tools (
    server_id text not null,
    tool_name text not null,
    definition text not null,
    accepted_by text not null,
    accepted_at timestamptz not null default now(),
    primary key (server_id, tool_name)
);
