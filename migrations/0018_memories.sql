-- Memories: short facts that reviews of people confirmed, and what investigations were given of them.

-- The words of a memory, and of what is compared with it: `recall_for_session`, `recall`. Stems of English, so that a word is found in
-- another form; parts of names are words.
create function memory_words(body text) returns tsvector language sql immutable parallel safe as $$
    select to_tsvector('english'::regconfig, translate(body,
        '-_./\:@=,;+#%&?!()[]{}<>"''`|*~^$', '                                 '))
$$;

-- All words of a text, as they are looked for in memories: `list_memories`, `learn`.
create function memory_query(body text) returns tsquery language sql immutable parallel safe as $$
    select plainto_tsquery('english'::regconfig, translate(body,
        '-_./\:@=,;+#%&?!()[]{}<>"''`|*~^$', '                                 '))
$$;

create table memories (
    id uuid primary key,
    -- Of one line, masked.
    text text not null check (char_length(text) between 1 and 500),
    -- What it is about, such as a service or a pod.
    object text check (char_length(object) between 1 and 400),
    category text check (char_length(category) between 1 and 200),
    -- That of the alert whose review confirmed it last.
    fingerprint text,
    -- How many sessions confirm it, and how many were wrong with it.
    confirmations integer not null check (confirmations >= 0),
    contradictions integer not null check (contradictions >= 0),
    -- A person's decision, which counts more than reviews; null without one.
    decided_state text check (decided_state in ('active', 'retired')),
    state text not null generated always as (
        coalesce(decided_state, case when contradictions >= confirmations then 'retired' else 'active' end)
    ) stored,
    created_at timestamptz not null default now(),
    -- The last review that confirmed it: memories age from here.
    confirmed_at timestamptz not null default now(),
    -- Who wrote its text or decided its state, and when; reviews do not change such a text.
    edited_by text,
    edited_at timestamptz,
    words tsvector not null generated always as (
        memory_words(text || ' ' || coalesce(object, '') || ' ' || coalesce(category, ''))
    ) stored,
    check ((edited_by is null) = (edited_at is null))
);

-- `recall` and `recall_for_session`, and `list_memories` with a text.
create index memories_words on memories using gin (words) with (gin_pending_list_limit = 256);
-- The same by what it is about, and `learn`.
create index memories_object on memories (lower(object)) where object is not null;
-- The same by the problem, and `learn`.
create index memories_fingerprint on memories (fingerprint) where fingerprint is not null;
-- `list_memories`, and whether there is an active one.
create index memories_state on memories (state, confirmed_at, id);
-- `list_memories` in any state.
create index memories_confirmed on memories (confirmed_at, id);

-- Which reviewed sessions confirm or contradict a memory.
create table memory_sources (
    memory_id uuid not null references memories (id) on delete cascade,
    session_id uuid not null references alert_sessions (id) on delete cascade,
    effect text not null check (effect in ('confirms', 'contradicts')),
    created_at timestamptz not null default now(),
    primary key (memory_id, session_id)
);

-- The reference, and `learn`.
create index memory_sources_session on memory_sources (session_id);

-- The trigger below: a memory that no session confirms any more goes with the last one, be it by retention, by a person who deletes
-- it, or by another review.
create function forget_memories() returns trigger language plpgsql security definer as $$
begin
    delete from memories m
    where m.id in (select g.memory_id from gone g where g.effect = 'confirms') and not exists (
        select from memory_sources s where s.memory_id = m.id and s.effect = 'confirms');
    return null;
end
$$;

create trigger forget_memories after delete on memory_sources
    referencing old table as gone for each statement execute function forget_memories();

alter table alert_sessions
    -- The memories that the investigation was given: null before it began, and while there were none at all.
    add column recalled jsonb;

-- `delete_session` of the version before, and what later sessions were given of the memories of those that it deletes.
do $$
declare
    body text := pg_get_functiondef('delete_session(uuid, text, text)'::regprocedure);
    place text := '    delete from overview_alerts o using';
    added text := $add$    update alert_sessions later
    set recalled = (
        select coalesce(jsonb_agg(e.one order by e.place), '[]')
        from jsonb_array_elements(later.recalled) with ordinality e (one, place)
        where not (e.one ->> 'session_id') = any(family::text[])
    )
    from alert_sessions s
    where s.id = any(family) and s.review_id is not null and later.created_at >= s.created_at and later.id <> all(family)
        and later.recalled @> jsonb_build_array(jsonb_build_object('session_id', s.id));
$add$;
begin
    if position(place in body) = 0 then
        raise exception 'delete_session is not as it was';
    end if;
    execute replace(body, place, added || place);
end
$$;

insert into redacted_columns (table_name, column_name, method, max_characters) values
    ('alert_sessions', 'recalled', 'json', null),
    ('memories', 'text', 'text', 500),
    ('memories', 'object', 'text', 400),
    ('memories', 'category', 'text', 200),
    ('memories', 'fingerprint', 'text', null);

-- A caller's own schema must not stand in for ours, and nobody calls what only triggers need.
do $$
begin
    execute format('alter function forget_memories() set search_path = %I, pg_temp', current_schema());
    revoke execute on function forget_memories() from public;
end
$$;
