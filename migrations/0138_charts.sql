-- The values over time that a verdict rests on: what the page of a session draws beside the cause.

create table verdict_charts (
    verdict_id uuid not null references verdicts (id) on delete cascade,
    -- The one that decides most first.
    ordinal integer not null check (ordinal between 1 and 3),
    call_number bigint not null check (call_number >= 1),
    -- The name of the metric, or the query for it.
    metric text not null check (char_length(metric) <= 253),
    -- What was measured; empty if the result names nothing.
    object text not null check (char_length(object) <= 253),
    unit text not null check (char_length(unit) <= 253),
    -- Milliseconds since 1970, in order, each with its value.
    times bigint[] not null check (cardinality(times) between 1 and 120),
    measured double precision[] not null check (cardinality(measured) = cardinality(times)),
    -- When its level changed, from which value to which; null if it did not.
    changed_at timestamptz,
    level_before double precision,
    level_after double precision,
    primary key (verdict_id, ordinal),
    check ((changed_at is null) = (level_before is null) and (changed_at is null) = (level_after is null))
);

insert into redacted_columns (table_name, column_name, method, max_characters) values
    ('verdict_charts', 'metric', 'text', 253),
    ('verdict_charts', 'object', 'text', 253),
    ('verdict_charts', 'unit', 'text', 253);
