-- What an administrator removes for good: a session, or a text wherever it is stored.

-- Sessions that a person deleted: who, when and why, and nothing of what they contained.
create table deleted_sessions (
    session_id uuid primary key,
    deleted_by text not null,
    reason text not null check (char_length(reason) between 1 and 500),
    deleted_at timestamptz not null default now(),
    -- When the streams of NATS held nothing of the session any more; null until then.
    copies_removed_at timestamptz
);

-- `deleted_sessions_with_copies`.
create index deleted_sessions_with_copies on deleted_sessions (deleted_at) where copies_removed_at is null;

-- `Store::delete_session`: deletes a session and its replays, which have its alert and its tool results, as retention deletes
-- sessions: with the row go all rows that refer to it. Answers `deleted` with each of them, or what prevents it with the session
-- that does: `running`, or `answering` if a question about it is open. Answers nothing if there is no such session. A function
-- of the owner, so that api-gateway deletes no session without a note of who did.
create function delete_session(wanted uuid, person text, why text) returns table (outcome text, session_id uuid)
language plpgsql security definer as $$
#variable_conflict use_column
declare
    found_before uuid[];
    family uuid[] := '{}';
begin
    -- Until the locks are on all of them: a replay may be made meanwhile.
    loop
        found_before := family;
        with recursive of_session as (
            select s.id from alert_sessions s where s.id = wanted
            union
            select s.id from alert_sessions s join of_session o on s.replay_of = o.id
        )
        select coalesce(array_agg(o.id order by o.id), '{}') into family from of_session o;
        exit when family = found_before;
        perform from alert_sessions s where s.id = any(family) order by s.id for update;
    end loop;
    if family = '{}' then
        return;
    end if;
    return query
        select case when s.completed_at is null then 'running' else 'answering' end, s.id
        from alert_sessions s
        where s.id = any(family) and (s.completed_at is null or exists (
            select from stages g where g.session_id = s.id and g.status in ('pending', 'active')))
        order by s.id limit 1;
    if found then
        return;
    end if;
    -- What copies of it stay behind elsewhere: as an earlier session of later ones about the same problem, its title in the
    -- hours of the overview, and messages that could not be handled.
    update alert_sessions later
    set seen_before = (
        select coalesce(jsonb_agg(e.one order by e.place), '[]')
        from jsonb_array_elements(later.seen_before) with ordinality e (one, place)
        where not (e.one ->> 'session_id') = any(family::text[])
    )
    from alert_sessions s
    where s.id = any(family) and s.review_id is not null and later.created_at >= s.created_at and later.id <> all(family)
        and later.seen_before @> jsonb_build_array(jsonb_build_object('session_id', s.id));
    delete from overview_alerts o using alert_sessions s
    where s.id = any(family) and o.fingerprint = s.fingerprint
        and o.hour = date_bin('1 hour', s.created_at, '2000-01-01 00:00:00Z')
        and not exists (
            select from alert_sessions other
            where other.fingerprint = o.fingerprint and other.id <> all(family) and other.deleted_at is null
                and other.created_at >= o.hour and other.created_at < o.hour + interval '1 hour');
    delete from dead_letters d
    where exists (
        select from unnest(family) f (id) where position(convert_to(f.id::text, 'UTF8') in d.payload) > 0);
    insert into deleted_sessions (session_id, deleted_by, reason)
    select f.id, person, why from unnest(family) f (id)
    on conflict (session_id) do nothing;
    delete from alert_sessions s where s.id = any(family);
    return query select 'deleted', f.id from unnest(family) f (id);
end
$$;

-- `redact_rows` and `redacted_tables`: where texts are removed, and how. A column that is added later is added here, or is one of
-- those that a test lists with the reason why they are left: `text`, `json` (keys and strings), `free_json` (numbers, too),
-- `bytes` (JSON, or a text), `drop` (null if it has the text), `clear` (null if the row had it).
create table redacted_columns (
    table_name text not null,
    column_name text not null,
    method text not null check (method in ('text', 'json', 'free_json', 'bytes', 'drop', 'clear')),
    -- The most characters that the column takes.
    max_characters integer,
    primary key (table_name, column_name)
);

insert into redacted_columns (table_name, column_name, method)
select table_name, column_name, method
from (values
    ('alert_sessions', 'text', array['alert_data', 'author', 'idempotency_key', 'runbook_url', 'slack_message_fingerprint', 'final_analysis',
        'executive_summary', 'executive_summary_error', 'error_message', 'runbook', 'runbook_error', 'title', 'severity',
        'service', 'namespace', 'cluster', 'fingerprint']),
    ('alert_sessions', 'json', array['config_snapshot', 'mcp_selection', 'links', 'seen_before']),
    ('alert_sessions', 'free_json', array['labels']),
    ('alert_sessions', 'clear', array['search']),
    ('idempotency_keys', 'text', array['key']),
    ('chats', 'text', array['created_by']),
    ('chat_user_messages', 'text', array['content', 'author']),
    ('stages', 'text', array['error_message']),
    ('agent_executions', 'text', array['error_message', 'conclusion']),
    ('timeline_events', 'text', array['content']),
    ('timeline_events', 'json', array['metadata']),
    ('messages', 'text', array['content']),
    ('messages', 'free_json', array['tool_calls']),
    ('messages', 'drop', array['provider_state']),
    ('llm_interactions', 'text', array['thinking_content', 'error_message']),
    ('llm_interactions', 'json', array['llm_request', 'llm_response', 'response_metadata']),
    ('mcp_interactions', 'text', array['tool_result', 'error_message']),
    ('mcp_interactions', 'free_json', array['tool_arguments']),
    ('mcp_interactions', 'json', array['available_tools']),
    ('tool_results', 'text', array['content']),
    ('tool_approvals', 'text', array['reason']),
    ('tool_approvals', 'free_json', array['tool_arguments']),
    ('tool_definitions', 'text', array['description', 'input_schema']),
    ('prompt_overrides', 'text', array['template']),
    ('summaries', 'json', array['request']),
    ('summaries', 'text', array['summary', 'error']),
    ('events', 'json', array['payload']),
    ('dead_letters', 'text', array['error']),
    ('dead_letters', 'bytes', array['payload']),
    ('notifications', 'text', array['error']),
    ('claims', 'text', array['text', 'shown']),
    ('intake_alerts', 'text', array['source_id', 'fingerprint', 'group_key', 'title', 'severity', 'service', 'namespace',
        'cluster', 'runbook_url']),
    ('intake_alerts', 'free_json', array['labels', 'annotations', 'raw']),
    ('intake_alerts', 'json', array['links', 'decision', 'notes']),
    ('overview_alerts', 'text', array['fingerprint', 'title'])
) v (table_name, method, columns), unnest(columns) column_name;

insert into redacted_columns (table_name, column_name, method, max_characters) values
    ('session_reviews', 'actual_cause', 'text', 4000),
    ('session_reviews', 'object', 'text', 400),
    ('session_reviews', 'category', 'text', 200),
    ('deleted_sessions', 'reason', 'text', 500),
    ('verdicts', 'answer', 'text', 500),
    ('verdicts', 'cause', 'text', 500),
    ('verdicts', 'object_kind', 'text', 253),
    ('verdicts', 'object_name', 'text', 253),
    ('verdicts', 'object_namespace', 'text', 253),
    ('verdicts', 'since', 'text', 253),
    ('verdict_alternatives', 'cause', 'text', 500),
    ('verdict_alternatives', 'object_kind', 'text', 253),
    ('verdict_alternatives', 'object_name', 'text', 253),
    ('verdict_alternatives', 'object_namespace', 'text', 253),
    ('verdict_alternatives', 'because', 'text', 500),
    ('verdict_evidence', 'text', 'text', 500),
    ('verdict_not_examined', 'what', 'text', 500),
    ('verdict_not_examined', 'why', 'text', 500),
    ('verdict_next_steps', 'step', 'text', 500),
    ('verdict_charts', 'metric', 'text', 253),
    ('verdict_charts', 'object', 'text', 253),
    ('verdict_charts', 'unit', 'text', 253),
    ('search_documents', 'body', 'text', 20000);

-- `Store::redaction_mark` and `redact_rows`: what stands where a text was.
create function redaction_mark(why text) returns text language sql immutable as $$
    select '[removed by an administrator: ' || why || ']'
$$;

-- `redact_rows`: a value of the method `text`.
create function redact_text(value text, texts text[], mark text) returns text language plpgsql immutable as $$
declare one text;
begin
    foreach one in array texts loop
        value := replace(value, one, mark);
    end loop;
    return value;
end
$$;

-- `redact_rows`: a value of the methods `json` and `free_json`.
create function redact_json(value jsonb, texts text[], mark text, numbers boolean) returns jsonb
language plpgsql immutable as $$
begin
    case jsonb_typeof(value)
        when 'string' then
            return to_jsonb(redact_text(value #>> '{}', texts, mark));
        when 'number' then
            return case when numbers and value #>> '{}' = any(texts) then to_jsonb(mark) else value end;
        when 'array' then
            return (
                select coalesce(jsonb_agg(redact_json(e.one, texts, mark, numbers) order by e.place), '[]')
                from jsonb_array_elements(value) with ordinality e (one, place));
        when 'object' then
            return (
                select coalesce(jsonb_object_agg(
                    redact_text(e.key, texts, mark), redact_json(e.value, texts, mark, numbers)), '{}')
                from jsonb_each(value) e);
        else
            return value;
    end case;
end
$$;

-- `redact_rows`: a value of the method `bytes`.
create function redact_bytes(value bytea, texts text[], mark text) returns bytea language plpgsql immutable as $$
declare content text;
begin
    content := convert_from(value, 'UTF8');
    begin
        return convert_to(redact_json(content::jsonb, texts, mark, true)::text, 'UTF8');
    exception when invalid_text_representation or untranslatable_character then
        return convert_to(redact_text(content, texts, mark), 'UTF8');
    end;
exception when character_not_in_repertoire then
    return convert_to(mark, 'UTF8');
end
$$;

-- `Store::redact_rows`: removes texts from at most so many rows of a table, those whose keys follow `after`, or the first ones.
-- Answers the last of these keys, null after the last row, and how many rows had one of the texts; with `apply` false they are
-- only counted. A function of the owner that writes nothing but the mark, so that api-gateway can change no record in another way.
create function redact_rows(target text, after text[], most integer, texts text[], why text, apply boolean)
returns table (last_key text[], changed bigint)
language plpgsql security definer as $$
#variable_conflict use_variable
declare
    -- As they stand in a value of jsonb.
    escaped text[] := array(select substr(e.one, 2, length(e.one) - 2) from (
        select to_json(t.one)::text as one from unnest(texts) t (one)) e);
    keys text;
    key_texts text;
    bounds text;
    filters text;
    changes text;
begin
    if exists (select from unnest(texts) t (one) where char_length(t.one) < 8) or char_length(why) > 500 then
        raise exception 'a text that is too short, or a reason that is too long';
    end if;
    select string_agg(format('t.%I', a.attname), ', ' order by k.place),
        string_agg(format('t.%I::text', a.attname), ', ' order by k.place),
        string_agg(format('($2[%s])::%s', k.place, format_type(a.atttypid, a.atttypmod)), ', ' order by k.place)
    into keys, key_texts, bounds
    from pg_index i
    cross join unnest(i.indkey::smallint[]) with ordinality k (number, place)
    join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.number
    where i.indrelid = format('%I', target)::regclass and i.indisprimary;
    if array_length(after, 1) is distinct from array_length(string_to_array(keys, ', '), 1) and after is not null then
        raise exception 'another number of keys' using errcode = 'invalid_parameter_value';
    end if;
    with columns as (
        select c.column_name as name, c.method, c.max_characters,
            case when c.method in ('json', 'free_json')
                    then format('exists (select from unnest($3) x where position(x in t.%I::text) > 0)', c.column_name)
                when c.method in ('bytes', 'drop')
                    then format('exists (select from unnest($1) x where position(convert_to(x, ''UTF8'') in t.%I) > 0)', c.column_name)
                when c.method = 'text'
                    then format('exists (select from unnest($1) x where position(x in t.%I) > 0)', c.column_name)
            end as has
        from redacted_columns c where c.table_name = target
    )
    select string_agg(c.has, ' or '),
        string_agg(case c.method
            when 'text' then format(
                case when c.max_characters is null then '%I = redact_text(t.%I, $1, $4)'
                    else '%I = left(redact_text(t.%I, $1, $4), ' || c.max_characters || ')' end, c.name, c.name)
            when 'clear' then format('%I = null', c.name)
            when 'drop' then format('%I = case when %s then null else t.%I end', c.name, c.has, c.name)
            when 'bytes' then format('%I = case when %s then redact_bytes(t.%I, $1, $4) else t.%I end', c.name, c.has, c.name, c.name)
            else format('%I = case when %s then redact_json(t.%I, $1, $4, %L) else t.%I end', c.name, c.has, c.name,
                c.method = 'free_json', c.name)
        end, ', ')
    into filters, changes
    from columns c;
    if filters is null then
        raise exception 'no texts are removed from table %', target;
    end if;
    return query execute format(
        'with batch as materialized (
            select row_number() over (order by %1$s) as place, array[%2$s] as texts_of_key, %1$s from %3$I t
            where $2 is null or (%1$s) > (%4$s) order by %1$s limit $5
         ), done as (' || case when apply
            then 'update %3$I t set %5$s from batch where (%1$s) = (%6$s) and (%7$s) returning 1'
            else 'select 1 from %3$I t join batch on (%1$s) = (%6$s) where %7$s' end || ')
         select (select b.texts_of_key from batch b where b.place = $5), (select count(*) from done)',
        keys, key_texts, target, bounds, changes, replace(keys, 't.', 'batch.'), filters)
    using texts, after, escaped, redaction_mark(why), most;
end
$$;

do $$
declare name text;
begin
    foreach name in array array['delete_session', 'redact_rows'] loop
        execute format('alter function %I set search_path = %I, pg_temp', name, current_schema());
        execute format('revoke execute on function %I from public', name);
    end loop;
end
$$;
