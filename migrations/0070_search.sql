-- What people search in: one document for each alert, finding, tool call, question and answer, written by triggers in the
-- transaction of the row that it is made of. Roles of services write no documents themselves.

-- The words of a text, each once, in lower case: `checkout-7d9f.default` is `checkout`, `7d9f` and `default`; an address or
-- a version such as `10.0.3.7` is one word. libs/store/src/search/terms.rs splits queries alike.
create function search_words(body text) returns tsvector language sql immutable parallel safe as $$
    select coalesce(array_to_tsvector(array_agg(distinct left(word, 100))), ''::tsvector)
    from (
        select btrim(token, '._-') as token
        from string_to_table(translate(lower(body),
            E' \t\n\r\f\v/\\:@=,;+#%&?!()[]{}<>"''`|*~^$',
            repeat(' ', 35)), ' ') token
    ) tokens
    cross join lateral string_to_table(
        case when token ~ '^[0-9]+(\.[0-9]+)+$' then replace(token, '.', chr(1)) else translate(token, '._-', '   ') end,
        ' '
    ) part
    cross join lateral (select replace(part, chr(1), '.') as word) words
    where word <> ''
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

create index search_documents_session on search_documents (session_id);
-- Its list of new entries is searched one by one, so it stays short.
create index search_documents_words on search_documents using gin (words, days) with (gin_pending_list_limit = 256);
alter table search_documents alter column words set statistics 500;

create function alert_text(s alert_sessions) returns text language sql immutable as $$
    select left(concat_ws(E'\n', left(s.title, 500), left(s.alert_data, 16384), left(concat_ws(' ', s.alert_type, s.severity,
        s.service, s.namespace, s.cluster, s.author, s.chain_id), 1000), s.id,
        -- A session that was read from a record has no steps.
        case when s.origin = 'recording' then left(s.final_analysis, 2000) end), 20000)
$$;

create function call_text(c mcp_interactions) returns text language sql immutable as $$
    select left(concat_ws(E'\n', left(c.server_name || '.' || c.tool_name, 300), left(c.tool_arguments::text, 2000),
        left(c.error_message, 1000), left(c.tool_result, 16384)), 20000)
$$;

create function verdict_text(v verdicts) returns text language sql stable as $$
    select left(concat_ws(E'\n', v.cause, concat_ws(' ', v.category, v.object_kind, v.object_namespace, v.object_name), (
        select string_agg(e.text, E'\n' order by e.ordinal) from verdict_evidence e where e.verdict_id = v.id
    )), 20000)
$$;

-- None for events that are not searched.
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

create function put_search_document(document search_documents) returns void language sql as $$
    insert into search_documents (id, session_id, session_created_at, kind, timeline_event_id, call_number, body)
    select document.id, document.session_id, s.created_at, document.kind, document.timeline_event_id,
        document.call_number, document.body
    from alert_sessions s where s.id = document.session_id
    on conflict (id) do update set body = excluded.body, kind = excluded.kind
    where search_documents.body is distinct from excluded.body
$$;

create function search_alert() returns trigger language plpgsql security definer as $$
begin
    perform put_search_document(row(new.id, new.id, null, 'alert', null, null, alert_text(new), null, null)::search_documents);
    return null;
end
$$;

create function search_call() returns trigger language plpgsql security definer as $$
begin
    perform put_search_document(row(new.id, new.session_id, null, 'tool_call', new.timeline_event_id, new.call_number,
        call_text(new), null, null)::search_documents);
    return null;
end
$$;

create function search_event() returns trigger language plpgsql security definer as $$
begin
    perform put_search_document(row(new.id, new.session_id, null, event_kind(new), new.id, null,
        left(new.content, 20000), null, null)::search_documents);
    return null;
end
$$;

create function search_verdict() returns trigger language plpgsql security definer as $$
begin
    perform put_search_document(row(new.id, new.session_id, null, 'verdict', null, null, verdict_text(new), null, null)::search_documents);
    return null;
end
$$;

create function search_verdict_evidence() returns trigger language plpgsql security definer as $$
begin
    perform put_search_document(row(v.id, v.session_id, null, 'verdict', null, null, verdict_text(v), null, null)::search_documents)
    from verdicts v where v.id in (select verdict_id from added);
    return null;
end
$$;

create trigger search_alert after insert or update of alert_data, title, severity, service, namespace, cluster
    on alert_sessions for each row execute function search_alert();
create trigger search_call after insert or update of status, tool_result, timeline_event_id
    on mcp_interactions for each row when (new.interaction_type = 'tool_call') execute function search_call();
create trigger search_event after insert or update of status, content
    on timeline_events for each row
    when (new.status <> 'streaming' and new.event_type in (
        'final_analysis', 'executive_summary', 'user_question', 'alert_received', 'error'
    ))
    execute function search_event();
create trigger search_verdict after insert on verdicts for each row execute function search_verdict();
create trigger search_verdict_evidence after insert on verdict_evidence
    referencing new table as added for each statement execute function search_verdict_evidence();

-- The sessions that are older than this migration get their documents later, some at a time, the newest first: those up
-- to this one are missing.
create table search_backfill (
    only_row boolean primary key default true check (only_row),
    created_at timestamptz not null,
    session_id uuid not null
);

insert into search_backfill (created_at, session_id)
select created_at, id from alert_sessions order by created_at desc, id desc limit 1;

-- Writes the documents of so many sessions. Answers how many there were; 0 once nothing is missing.
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
    foreach name in array array['search_alert', 'search_call', 'search_event', 'search_verdict', 'search_verdict_evidence',
        'fill_search_documents', 'put_search_document'] loop
        execute format('alter function %I set search_path = %I, pg_temp', name, current_schema());
        execute format('revoke execute on function %I from public', name);
    end loop;
end
$$;
