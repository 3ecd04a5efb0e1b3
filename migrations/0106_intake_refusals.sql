-- Requests of alert sources that were refused, counted for each minute without their bodies.
create table intake_refusals (
    minute timestamptz not null,
    -- As the request named it; empty for those that were too many to be told apart.
    source text not null,
    -- The client's address; empty for those that were too many to be told apart.
    sender text not null,
    reason text not null check (reason in ('unknown_source', 'unverified', 'too_large', 'broken', 'busy')),
    requests bigint not null check (requests > 0),
    primary key (minute, source, sender, reason)
);
