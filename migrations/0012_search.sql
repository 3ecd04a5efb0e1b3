-- What people search in: one document for each alert, finding, tool call, question and answer, and the words that lists of sessions
-- search in. Triggers write both in the transaction of the row that they are made of. Roles of services write none themselves.

-- `search_documents.words`: the words of a text, each once, in lower case, also where the database has the locale "C". A dot
-- between two digits belongs to its word, as in `10.0.3.7` and `v1.2.3`; other punctuation separates, and so do typographic
-- quotes and dashes, arrows, lines of tables, control characters and every kind of blank. libs/store/src/search/terms.rs splits
-- queries alike.
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
        create function search_words(body text) returns tsvector language plpgsql immutable parallel safe as $body$
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

create table search_documents (
    -- That of the row it is made of.
    id uuid primary key,
    session_id uuid not null references alert_sessions (id) on delete cascade,
    session_created_at timestamptz not null,
    kind text not null check (kind in (
        'alert', 'final_analysis', 'executive_summary', 'verdict', 'tool_call', 'question', 'answer', 'error'
    )),
    -- The step that shows it, if there is one.
    timeline_event_id uuid,
    call_number bigint,
    -- At most 20,000 characters; of a tool's result the first 16,384.
    body text not null check (char_length(body) <= 20000),
    words tsvector not null generated always as (search_words(body)) stored,
    -- The day of the session, counted from 1970: an index that has words and days finds the words of some days alone.
    days integer[] not null generated always as (
        array[(session_created_at at time zone 'UTC')::date - date '1970-01-01']
    ) stored
);

alter table search_documents alter column words set statistics 500;

-- `search`: the documents of the newest sessions and of hits. The reference.
create index search_documents_session on search_documents (session_id);
-- `search`: words, and words of some days. Its list of new entries is searched one by one, so it stays short.
create index search_documents_words on search_documents using gin (words, days) with (gin_pending_list_limit = 256);

-- The document of an alert: `search_alert`, `search_published_alert`, `fill_search_documents`.
create function alert_text(s alert_sessions) returns text language sql immutable as $$
    select left(concat_ws(E'\n', left(s.title, 500), left(s.alert_data, 16384), left(concat_ws(' ', s.alert_type, s.severity,
        s.service, s.namespace, s.cluster, s.author, s.chain_id), 1000), s.id,
        -- A session that was read from a record has no steps.
        case when s.origin = 'recording' then left(s.final_analysis, 2000) end), 20000)
$$;

-- The document of a tool call: `search_call`, `fill_search_documents`.
create function call_text(c mcp_interactions) returns text language sql immutable as $$
    select left(concat_ws(E'\n', left(c.server_name || '.' || c.tool_name, 300), left(c.tool_arguments::text, 2000),
        left(c.error_message, 1000), left(c.tool_result, 16384)), 20000)
$$;

-- The document of a verdict: `search_verdict`, `search_verdict_evidence`, `fill_search_documents`.
create function verdict_text(v verdicts) returns text language sql stable as $$
    select left(concat_ws(E'\n', nullif(v.answer, ''), nullif(v.cause, ''),
        concat_ws(' ', v.category, v.object_kind, v.object_namespace, v.object_name), (
        select string_agg(e.text, E'\n' order by e.ordinal) from verdict_evidence e where e.verdict_id = v.id
    )), 20000)
$$;

-- The kind of an event's document, none for events that are not searched: `search_event`, `fill_search_documents`.
create function event_kind(e timeline_events) returns text language sql stable as $$
    select case e.event_type
        when 'final_analysis' then case
            when exists (select 1 from stages g where g.id = e.stage_id and g.chat_id is not null) then 'answer'
            else 'final_analysis' end
        when 'executive_summary' then 'executive_summary'
        when 'user_question' then 'question'
        when 'alert_received' then 'alert'
        when 'error' then 'error'
    end
$$;

-- The words of lists in a table of their own: as a generated column they took half of the insert that the sender of an alert waits
-- for, and were copied with every change of a session.
create table session_words (
    session_id uuid primary key references alert_sessions (id) on delete cascade,
    words tsvector not null
);

-- `list_sessions` with a text.
create index session_words_words on session_words using gin (words);

-- `put_session_words` and `search_published_alert`. Punctuation is taken out first, so that each part of a name such as
-- `web-7f9.default` is a word. The cuts keep the vector under PostgreSQL's limit of 1 MB whatever the texts are.
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

-- What the sender of an alert waits for has no document: the first event of a session is marked as published a moment later, and
-- then `search_published_alert` writes it. Whoever publishes an event that was missed marks it, so none is left out. The triggers
-- of the insert are not called at all then: a call of a function with settings of its own costs more than the look at this one.

-- The two triggers below: the document of an alert that was inserted otherwise, or changed.
create function search_alert() returns trigger language plpgsql security definer as $$
begin
    if tg_op = 'INSERT' and current_setting('tarsy.search_later', true) = 'on' then
        return null;
    end if;
    insert into search_documents (id, session_id, session_created_at, kind, body)
    values (new.id, new.id, new.created_at, 'alert', alert_text(new))
    on conflict (id) do update set body = excluded.body where search_documents.body is distinct from excluded.body;
    return null;
end
$$;

create trigger search_alert after insert on alert_sessions for each row
    when (current_setting('tarsy.search_later', true) is distinct from 'on')
    execute function search_alert();
create trigger search_changed_alert after update of alert_data, title, severity, service, namespace, cluster
    on alert_sessions for each row execute function search_alert();

-- The two triggers below: the words of a session that was inserted otherwise, or changed.
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

create trigger put_session_words after insert on alert_sessions for each row
    when (current_setting('tarsy.search_later', true) is distinct from 'on')
    execute function put_session_words();
create trigger put_changed_session_words
    after update of alert_data, final_analysis, executive_summary, error_message, alert_type, chain_id, author
    on alert_sessions for each row execute function put_session_words();

-- The trigger below: the document and the words of an alert whose sender has its answer.
create function search_published_alert() returns trigger language plpgsql security definer as $$
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

create trigger search_published_alert after update of published_at on events for each row
    when (old.published_at is null and new.published_at is not null and new.seq = 1)
    execute function search_published_alert();

-- The trigger below: the document of a tool call.
create function search_call() returns trigger language plpgsql security definer as $$
begin
    insert into search_documents (id, session_id, session_created_at, kind, timeline_event_id, call_number, body)
    select new.id, s.id, s.created_at, 'tool_call', new.timeline_event_id, new.call_number, call_text(new)
    from alert_sessions s where s.id = new.session_id
    on conflict (id) do update set body = excluded.body where search_documents.body is distinct from excluded.body;
    return null;
end
$$;

create trigger search_call after insert or update of status, tool_result, timeline_event_id
    on mcp_interactions for each row when (new.interaction_type = 'tool_call') execute function search_call();

-- The trigger below: the document of a finding, a question, an answer, an alert of a source, or an error.
create function search_event() returns trigger language plpgsql security definer as $$
begin
    insert into search_documents (id, session_id, session_created_at, kind, timeline_event_id, body)
    select new.id, s.id, s.created_at, event_kind(new), new.id, left(new.content, 20000)
    from alert_sessions s where s.id = new.session_id
    on conflict (id) do update set body = excluded.body, kind = excluded.kind
    where search_documents.body is distinct from excluded.body;
    return null;
end
$$;

create trigger search_event after insert or update of status, content
    on timeline_events for each row
    when (new.status <> 'streaming' and new.event_type in (
        'final_analysis', 'executive_summary', 'user_question', 'alert_received', 'error'
    ))
    execute function search_event();

-- The trigger below: the document of a verdict.
create function search_verdict() returns trigger language plpgsql security definer as $$
begin
    insert into search_documents (id, session_id, session_created_at, kind, body)
    select new.id, s.id, s.created_at, 'verdict', verdict_text(new)
    from alert_sessions s where s.id = new.session_id
    on conflict (id) do update set body = excluded.body where search_documents.body is distinct from excluded.body;
    return null;
end
$$;

create trigger search_verdict after insert on verdicts for each row execute function search_verdict();

-- The trigger below: the document of a verdict with its evidence.
create function search_verdict_evidence() returns trigger language plpgsql security definer as $$
begin
    insert into search_documents (id, session_id, session_created_at, kind, body)
    select v.id, s.id, s.created_at, 'verdict', verdict_text(v)
    from verdicts v join alert_sessions s on s.id = v.session_id
    where v.id in (select verdict_id from added)
    on conflict (id) do update set body = excluded.body where search_documents.body is distinct from excluded.body;
    return null;
end
$$;

create trigger search_verdict_evidence after insert on verdict_evidence
    referencing new table as added for each statement execute function search_verdict_evidence();

-- Up to which session documents are missing; no row where none is. A migration that changes what documents are empties
-- `search_documents` and writes the newest session here: they are made again some at a time, the newest first.
create table search_backfill (
    only_row boolean primary key default true check (only_row),
    created_at timestamptz not null,
    session_id uuid not null
);

-- `fill_search`, the upkeep of orchestrator: writes the documents of so many sessions. Answers how many there were; 0 once
-- nothing is missing.
create function fill_search_documents(most integer) returns bigint language plpgsql security definer as $$
declare
    picked uuid[];
    earliest search_backfill;
begin
    select * into earliest from search_backfill for update skip locked;
    if not found then
        return 0;
    end if;
    select array_agg(id order by created_at desc, id desc) into picked from (
        select s.id, s.created_at from alert_sessions s
        where (s.created_at, s.id) <= (earliest.created_at, earliest.session_id) and s.deleted_at is null
        order by s.created_at desc, s.id desc limit most
    ) older;
    if picked is null then
        delete from search_backfill;
        return 0;
    end if;
    insert into search_documents (id, session_id, session_created_at, kind, timeline_event_id, call_number, body)
    select found.id, s.id, s.created_at, found.kind, found.timeline_event_id, found.call_number, found.body
    from alert_sessions s
    cross join lateral (
        select s.id, 'alert' as kind, null::uuid as timeline_event_id, null::bigint as call_number, alert_text(s) as body
        union all
        select c.id, 'tool_call', c.timeline_event_id, c.call_number, call_text(c) from mcp_interactions c
        where c.session_id = s.id and c.interaction_type = 'tool_call'
        union all
        select e.id, event_kind(e), e.id, null, left(e.content, 20000) from timeline_events e
        where e.session_id = s.id and e.status <> 'streaming' and event_kind(e) is not null
        union all
        select v.id, 'verdict', null, null, verdict_text(v) from verdicts v where v.session_id = s.id
    ) found
    where s.id = any(picked)
    on conflict (id) do nothing;
    -- The last one is looked at again, which changes nothing; alone it is the end.
    if array_length(picked, 1) < most then
        delete from search_backfill;
    else
        update search_backfill b set created_at = s.created_at, session_id = s.id
        from alert_sessions s where s.id = picked[array_length(picked, 1)];
    end if;
    return array_length(picked, 1);
end
$$;

-- A caller's own schema must not stand in for ours, and nobody calls what only triggers need.
do $$
declare name text;
begin
    foreach name in array array['search_alert', 'put_session_words', 'search_published_alert', 'search_call', 'search_event',
        'search_verdict', 'search_verdict_evidence', 'fill_search_documents'] loop
        execute format('alter function %I set search_path = %I, pg_temp', name, current_schema());
        execute format('revoke execute on function %I from public', name);
    end loop;
end
$$;
