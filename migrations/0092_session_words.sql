-- The words of lists in a table of their own, written when the search document of the alert is: as a generated column they took
-- half of the insert that the sender of an alert waits for, and were copied with every change of a session.

create table session_words (
    session_id uuid primary key references alert_sessions (id) on delete cascade,
    words tsvector not null
);

-- Punctuation is taken out first, so that each part of a name such as `web-7f9.default` is a word. The cuts keep the vector
-- under PostgreSQL's limit of 1 MB whatever the texts are.
create function session_words_of(s alert_sessions) returns tsvector language sql immutable as $$
    select to_tsvector('simple'::regconfig, translate(
        left(s.alert_data, 80000)
            || ' ' || left(coalesce(s.final_analysis, ''), 80000)
            || ' ' || left(coalesce(s.executive_summary, ''), 8000)
            || ' ' || left(coalesce(s.error_message, ''), 4000)
            || ' ' || left(coalesce(s.alert_type, ''), 200)
            || ' ' || left(s.chain_id, 200)
            || ' ' || left(coalesce(s.author, ''), 200),
        '-_./\:@=,;+#%&?!()[]{}<>"''`|*~^$',
        '                                 '
    ))
$$;

insert into session_words (session_id, words) select id, search from alert_sessions;
create index session_words_words on session_words using gin (words);

create function put_session_words() returns trigger language plpgsql security definer as $$
begin
    if tg_op = 'INSERT' and current_setting('tarsy.search_later', true) = 'on' then
        return null;
    end if;
    insert into session_words (session_id, words) values (new.id, session_words_of(new))
    on conflict (session_id) do update set words = excluded.words;
    return null;
end
$$;

create trigger put_session_words after insert
    or update of alert_data, final_analysis, executive_summary, error_message, alert_type, chain_id, author
    on alert_sessions for each row execute function put_session_words();

create or replace function search_published_alert() returns trigger language plpgsql security definer as $$
begin
    insert into search_documents (id, session_id, session_created_at, kind, body)
    select s.id, s.id, s.created_at, 'alert', alert_text(s)
    from alert_sessions s
    where s.id = new.session_id and not exists (select from search_documents d where d.id = s.id)
    on conflict (id) do nothing;
    insert into session_words (session_id, words)
    select s.id, session_words_of(s) from alert_sessions s
    where s.id = new.session_id and not exists (select from session_words w where w.session_id = s.id)
    on conflict (session_id) do nothing;
    return null;
end
$$;

do $$
declare name text;
begin
    foreach name in array array['put_session_words', 'search_published_alert'] loop
        execute format('alter function %I set search_path = %I, pg_temp', name, current_schema());
        execute format('revoke execute on function %I from public', name);
    end loop;
end
$$;

-- Processes of the version before still name the column. New sessions have nothing in it: such a process does not find them.
drop index alert_sessions_search;
alter table alert_sessions alter column search drop expression;
