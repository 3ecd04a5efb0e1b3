-- Who pays for a session, and for a question about it: a user or an API token. Older rows have nobody.
alter table alert_sessions add column principal text;
alter table stages add column principal text;

-- The tokens of models of each day (UTC), written with the record of each call.
create table token_usage (
    day date not null,
    -- Empty for sessions that have nobody.
    principal text not null,
    tokens bigint not null,
    primary key (day, principal)
);
