-- Typographic quotes and dashes, arrows, lines of tables, control characters and every kind of blank separate words, too:
-- models write them, and tools print them. libs/store/src/search/terms.rs splits queries alike. A regular expression is
-- several times as fast as `translate` with a list.
create or replace function search_words(body text) returns tsvector language sql immutable parallel safe as $$
    select coalesce(array_to_tsvector(array_agg(distinct left(word, 100))), ''::tsvector)
    from (
        select btrim(token, '._-') as token
        from string_to_table(regexp_replace(lower(body),
            '[\u0001-,/:-@\[-^`{-\u00a1\u00ab\u00b7\u00bb\u00bf\u1680\u2000-\u206f\u2190-\u21ff\u2500-\u25ff\u3000-\u3003\u3008-\u3011\ufeff\uff01-\uff0c\uff1a-\uff20]+',
            ' ', 'g'), ' ') token
    ) tokens
    cross join lateral string_to_table(
        case when token ~ '^[0-9]+(\.[0-9]+)+$' then replace(token, '.', chr(1)) else translate(token, '._-', '   ') end,
        ' '
    ) part
    cross join lateral (select replace(part, chr(1), '.') as word) words
    where word <> ''
$$;

-- Documents that were split otherwise are made again by the upkeep of orchestrator, some at a time, the newest first.
truncate search_documents;
delete from search_backfill;
insert into search_backfill (created_at, session_id)
select created_at, id from alert_sessions order by created_at desc, id desc limit 1;
