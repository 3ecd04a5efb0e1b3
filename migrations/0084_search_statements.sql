-- Documents of the search are written by statements of their triggers, whose plans a connection keeps, and split by a function
-- whose plan is kept, too: an alert is stored before its sender has its answer, so each part of a millisecond counts.

-- The words of a text, each once, in lower case, also where the database has the locale "C". A dot between two digits belongs
-- to its word, as in `10.0.3.7` and `v1.2.3`; other punctuation separates. libs/store/src/search/terms.rs splits queries alike.
do $$
declare
    unicode text := (
        select format('collate %I.%I', 'pg_catalog', collname) from pg_collation
        -- The first is of PostgreSQL 17 and newer; a server without both folds letters as its locale does.
        where collname in ('pg_c_utf8', 'und-x-icu') and collnamespace = 'pg_catalog'::regnamespace
        order by collname limit 1
    );
begin
    execute format($make$
        create or replace function search_words(body text) returns tsvector language plpgsql immutable parallel safe as $body$
        declare
            words text[];
        begin
            -- The character 1 stands for a dot that belongs to a word.
            words := string_to_array(replace(regexp_replace(
                regexp_replace(replace(lower(body %s), chr(1), ' '), '([0-9])\.(?=[0-9])', '\1' || chr(1), 'g'),
                '[\u0002-,/:-@\[-^`{-\u00a1\u00ab\u00b7\u00bb\u00bf\u1680\u2000-\u206f\u2190-\u21ff\u2500-\u25ff\u3000-\u3003\u3008-\u3011\ufeff\uff01-\uff0c\uff1a-\uff20._-]+',
                ' ', 'g'), chr(1), '.'), ' ');
            return (
                select coalesce(array_to_tsvector(array_agg(left(word, 100))), ''::tsvector) from unnest(words) word
                where word <> ''
            );
        end
        $body$
    $make$, coalesce(unicode, ''));
end
$$;

create or replace function search_alert() returns trigger language plpgsql security definer as $$
begin
    insert into search_documents (id, session_id, session_created_at, kind, body)
    values (new.id, new.id, new.created_at, 'alert', alert_text(new))
    on conflict (id) do update set body = excluded.body where search_documents.body is distinct from excluded.body;
    return null;
end
$$;

create or replace function search_call() returns trigger language plpgsql security definer as $$
begin
    insert into search_documents (id, session_id, session_created_at, kind, timeline_event_id, call_number, body)
    select new.id, s.id, s.created_at, 'tool_call', new.timeline_event_id, new.call_number, call_text(new)
    from alert_sessions s where s.id = new.session_id
    on conflict (id) do update set body = excluded.body where search_documents.body is distinct from excluded.body;
    return null;
end
$$;

create or replace function search_event() returns trigger language plpgsql security definer as $$
begin
    insert into search_documents (id, session_id, session_created_at, kind, timeline_event_id, body)
    select new.id, s.id, s.created_at, event_kind(new), new.id, left(new.content, 20000)
    from alert_sessions s where s.id = new.session_id
    on conflict (id) do update set body = excluded.body, kind = excluded.kind
    where search_documents.body is distinct from excluded.body;
    return null;
end
$$;

create or replace function search_verdict() returns trigger language plpgsql security definer as $$
begin
    insert into search_documents (id, session_id, session_created_at, kind, body)
    select new.id, s.id, s.created_at, 'verdict', verdict_text(new)
    from alert_sessions s where s.id = new.session_id
    on conflict (id) do update set body = excluded.body where search_documents.body is distinct from excluded.body;
    return null;
end
$$;

create or replace function search_verdict_evidence() returns trigger language plpgsql security definer as $$
begin
    insert into search_documents (id, session_id, session_created_at, kind, body)
    select v.id, s.id, s.created_at, 'verdict', verdict_text(v)
    from verdicts v join alert_sessions s on s.id = v.session_id
    where v.id in (select verdict_id from added)
    on conflict (id) do update set body = excluded.body where search_documents.body is distinct from excluded.body;
    return null;
end
$$;

drop function put_search_document;

-- `create or replace` has dropped the settings.
do $$
declare name text;
begin
    foreach name in array array['search_alert', 'search_call', 'search_event', 'search_verdict', 'search_verdict_evidence'] loop
        execute format('alter function %I set search_path = %I, pg_temp', name, current_schema());
    end loop;
end
$$;

-- Documents that were split otherwise are made again by the upkeep of orchestrator, some at a time, the newest first.
truncate search_documents;
delete from search_backfill;
insert into search_backfill (created_at, session_id)
select created_at, id from alert_sessions order by created_at desc, id desc limit 1;
