-- The tokens of a day in parts. Each call of a model adds to its sender's row, which is locked until the transaction is on
-- disk: with one row, all sessions of a sender waited for each other. Services of the version before add to `token_usage`.

create table token_usage_parts (
    day date not null,
    -- Empty for sessions that have nobody.
    principal text not null,
    -- From the id of the session.
    part smallint not null check (part between 0 and 63),
    tokens bigint not null,
    primary key (day, principal, part)
);

create view daily_token_usage as
select day, principal, tokens from token_usage
union all
select day, principal, tokens from token_usage_parts;
