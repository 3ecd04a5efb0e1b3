-- The owner of the tables and the roles of the services, with their passwords. psql runs it as a superuser, before
-- `tarsy migrate --roles`, which grants the roles what they need (roles.sql); a second run sets the passwords anew.
-- The passwords come from the environment, as compose/compose.yaml names them.
\set ON_ERROR_STOP on
\getenv owner POSTGRES_OWNER_PASSWORD
\getenv api_gateway POSTGRES_API_GATEWAY_PASSWORD
\getenv orchestrator POSTGRES_ORCHESTRATOR_PASSWORD
\getenv summarizer POSTGRES_SUMMARIZER_PASSWORD
\getenv stream_relay POSTGRES_STREAM_RELAY_PASSWORD
\getenv notifier POSTGRES_NOTIFIER_PASSWORD
\getenv mcp_gateway POSTGRES_MCP_GATEWAY_PASSWORD
\getenv cli POSTGRES_CLI_PASSWORD

begin;

-- Each role with its password.
create temporary table wanted (role text primary key, password text not null) on commit drop;
insert into wanted values
    ('tarsy', :'owner'),
    ('tarsy_api_gateway', :'api_gateway'),
    ('tarsy_orchestrator', :'orchestrator'),
    ('tarsy_summarizer', :'summarizer'),
    ('tarsy_stream_relay', :'stream_relay'),
    ('tarsy_notifier', :'notifier'),
    ('tarsy_mcp_gateway', :'mcp_gateway'),
    ('tarsy_cli', :'cli');

select format('create role %I', role) from wanted where role not in (select rolname from pg_roles)
\gexec

-- Where `tarsy` made the database, as installations from before have it, it is the superuser who runs this: no other role may
-- take that from it, and its password is that of the superuser.
select format(
    'alter role %I nosuperuser nocreatedb nocreaterole noreplication nobypassrls login password %L', role, password
) from wanted where role <> current_user
\gexec

select format('alter database %I owner to tarsy', current_database())
\gexec

commit;
