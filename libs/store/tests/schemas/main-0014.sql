--
-- PostgreSQL database dump
--


-- Dumped from database version 18.6
-- Dumped by pg_dump version 18.6

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: alert_sessions; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.alert_sessions (
    id uuid NOT NULL,
    alert_data text NOT NULL,
    alert_type text,
    title text,
    severity text,
    service text,
    namespace text,
    cluster text,
    links jsonb,
    labels jsonb,
    fingerprint text,
    slack_message_fingerprint text,
    author text,
    principal text,
    idempotency_key text,
    received_at timestamp with time zone DEFAULT now() NOT NULL,
    traceparent text,
    origin text DEFAULT 'alert'::text NOT NULL,
    replay_of uuid,
    chain_id text NOT NULL,
    config_snapshot jsonb NOT NULL,
    mcp_selection jsonb,
    requested_provider text,
    timeout_ms bigint,
    chat_enabled boolean DEFAULT false NOT NULL,
    budget_llm_calls bigint DEFAULT 300 NOT NULL,
    budget_tokens bigint DEFAULT 10000000 NOT NULL,
    budget_tool_calls bigint DEFAULT 1000 NOT NULL,
    planned_stages integer,
    runbook_url text,
    runbook text,
    runbook_error text,
    seen_before jsonb,
    status text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    started_at timestamp with time zone,
    completed_at timestamp with time zone,
    duration_ms bigint GENERATED ALWAYS AS (((EXTRACT(epoch FROM (completed_at - started_at)) * (1000)::numeric))::bigint) STORED,
    last_interaction_at timestamp with time zone,
    current_stage_index integer,
    current_stage_id uuid,
    final_analysis text,
    executive_summary text,
    executive_summary_error text,
    executive_summary_provider text,
    error_message text,
    claims integer,
    verified_claims integer,
    degraded_reasons text[] DEFAULT '{}'::text[] NOT NULL,
    verdict_id uuid,
    verdict_failure text,
    review_id uuid,
    deleted_at timestamp with time zone,
    prompts_deleted_at timestamp with time zone,
    tool_results_deleted_at timestamp with time zone,
    search tsvector,
    CONSTRAINT alert_sessions_check CHECK (((completed_at IS NOT NULL) = (status = ANY (ARRAY['completed'::text, 'failed'::text, 'timed_out'::text, 'cancelled'::text])))),
    CONSTRAINT alert_sessions_check1 CHECK (((origin = 'replay'::text) OR (replay_of IS NULL))),
    CONSTRAINT alert_sessions_claims_check CHECK ((((claims IS NULL) = (verified_claims IS NULL)) AND ((verified_claims >= 0) AND (verified_claims <= claims)))),
    CONSTRAINT alert_sessions_degraded_check CHECK ((degraded_reasons <@ ARRAY['no_successful_call'::text, 'no_tool_called'::text, 'tool_failed'::text, 'tool_server_unavailable'::text, 'unverified_claims'::text, 'not_checked'::text, 'injected_instructions'::text, 'iterations_used_up'::text, 'budget_used_up'::text])),
    CONSTRAINT alert_sessions_origin_check CHECK ((origin = ANY (ARRAY['alert'::text, 'replay'::text, 'recording'::text]))),
    CONSTRAINT alert_sessions_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'in_progress'::text, 'cancelling'::text, 'completed'::text, 'failed'::text, 'timed_out'::text, 'cancelled'::text]))),
    CONSTRAINT alert_sessions_timeout_ms_check CHECK ((timeout_ms > 0)),
    CONSTRAINT alert_sessions_traceparent_check CHECK ((length(traceparent) <= 128)),
    CONSTRAINT alert_sessions_verdict_check CHECK (((verdict_id IS NULL) OR (verdict_failure IS NULL))),
    CONSTRAINT alert_sessions_verdict_failure_check CHECK ((verdict_failure = ANY (ARRAY['switched_off'::text, 'nothing_found'::text, 'no_model'::text, 'failed'::text, 'timed_out'::text, 'invalid'::text])))
);


--
-- Name: alert_text(public.alert_sessions); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.alert_text(s public.alert_sessions) RETURNS text
    LANGUAGE sql IMMUTABLE
    AS $$
    select left(concat_ws(E'\n', left(s.title, 500), left(s.alert_data, 16384), left(concat_ws(' ', s.alert_type, s.severity,
        s.service, s.namespace, s.cluster, s.author, s.chain_id), 1000), s.id,
        -- A session that was read from a record has no steps.
        case when s.origin = 'recording' then left(s.final_analysis, 2000) end), 20000)
$$;


--
-- Name: audit_log_is_append_only(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.audit_log_is_append_only() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
    raise exception 'audit_log is append-only';
end
$$;


--
-- Name: mcp_interactions; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.mcp_interactions (
    id uuid NOT NULL,
    session_id uuid NOT NULL,
    stage_id uuid,
    execution_id uuid,
    interaction_type text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    status text NOT NULL,
    server_name text NOT NULL,
    gateway_instance text,
    duration_ms bigint,
    error_message text,
    call_id uuid NOT NULL,
    call_number bigint,
    tool_name text,
    tool_call_id text,
    tool_arguments jsonb,
    tool_result text,
    result_tokens integer,
    delivered_tokens integer,
    timeline_event_id uuid,
    refused_by_policy boolean DEFAULT false NOT NULL,
    injected_instructions integer DEFAULT 0 NOT NULL,
    answered_from bigint,
    available_tools jsonb,
    tool_set text,
    CONSTRAINT mcp_interactions_call_number_check CHECK ((call_number >= 1)),
    CONSTRAINT mcp_interactions_check CHECK (((interaction_type <> 'tool_call'::text) OR (call_number IS NOT NULL))),
    CONSTRAINT mcp_interactions_check1 CHECK ((answered_from < call_number)),
    CONSTRAINT mcp_interactions_delivered_tokens_check CHECK ((delivered_tokens >= 0)),
    CONSTRAINT mcp_interactions_injected_instructions_check CHECK ((injected_instructions >= 0)),
    CONSTRAINT mcp_interactions_interaction_type_check CHECK ((interaction_type = ANY (ARRAY['tool_call'::text, 'tool_list'::text]))),
    CONSTRAINT mcp_interactions_result_tokens_check CHECK ((result_tokens >= 0)),
    CONSTRAINT mcp_interactions_status_check CHECK ((status = ANY (ARRAY['started'::text, 'completed'::text, 'failed'::text, 'unknown'::text])))
);


--
-- Name: call_text(public.mcp_interactions); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.call_text(c public.mcp_interactions) RETURNS text
    LANGUAGE sql IMMUTABLE
    AS $$
    select left(concat_ws(E'\n', left(c.server_name || '.' || c.tool_name, 300), left(c.tool_arguments::text, 2000),
        left(c.error_message, 1000), left(c.tool_result, 16384)), 20000)
$$;


--
-- Name: canonical_arguments(jsonb); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.canonical_arguments(arguments jsonb) RETURNS jsonb
    LANGUAGE sql IMMUTABLE
    AS $$
    select case when arguments is null or arguments in ('null'::jsonb, '""'::jsonb) then '{}'::jsonb
        else jsonb_strip_nulls(arguments) end
$$;


--
-- Name: claim_session(text, double precision, bigint, text, text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.claim_session(owner text, lease_seconds double precision, cap bigint, event_type text, event_members text) RETURNS TABLE(session public.alert_sessions, lease_epoch bigint, attempts integer, event_seq bigint, resumed boolean, at timestamp with time zone)
    LANGUAGE plpgsql
    AS $$
#variable_conflict use_column
declare
    picked uuid;
    is_any_due boolean;
begin
    -- `tarsyclm` as a number.
    perform pg_advisory_xact_lock(x'7461727379636c6d'::bigint);
    at := clock_timestamp();
    resumed := false;
    is_any_due := exists (select from session_control c where c.lease_expires_at <= claim_session.at);
    if is_any_due then
        select c.session_id into picked
        from session_control c join alert_sessions s on s.id = c.session_id
        where c.lease_expires_at <= claim_session.at and s.status in ('in_progress', 'cancelling')
            and c.suspended_at is null
        order by c.lease_expires_at, c.session_id
        limit 1
        for no key update of c, s skip locked;
        resumed := found;
    end if;
    if not resumed then
        if (select count(*) from alert_sessions s where s.status in ('in_progress', 'cancelling'))
            - (select count(*) from session_control c join alert_sessions s on s.id = c.session_id
                where c.suspended_at is not null and s.status in ('in_progress', 'cancelling')) >= cap
        then
            return;
        end if;
        if is_any_due then
            select c.session_id into picked
            from session_control c join alert_sessions s on s.id = c.session_id
            where c.lease_expires_at <= claim_session.at and s.status in ('in_progress', 'cancelling')
            order by c.lease_expires_at, c.session_id
            limit 1
            for no key update of c, s skip locked;
            resumed := found;
        end if;
    end if;
    if not resumed then
        select c.session_id into picked
        from alert_sessions s join session_control c on c.session_id = s.id
        where s.status = 'pending'
        order by s.created_at, s.id
        limit 1
        for no key update of c, s skip locked;
        if not found then
            return;
        end if;
    end if;
    update session_control c
    set owner_id = claim_session.owner,
        lease_epoch = c.lease_epoch + 1,
        attempts = c.attempts + 1,
        lease_expires_at = claim_session.at + make_interval(secs => lease_seconds),
        suspended_at = null,
        event_seq = c.event_seq + case when claim_session.resumed then 0 else 1 end
    where c.session_id = picked
    returning c.lease_epoch, c.attempts, c.event_seq
    into claim_session.lease_epoch, claim_session.attempts, claim_session.event_seq;
    if resumed then
        select s.* into session from alert_sessions s where s.id = picked;
    else
        update alert_sessions s set status = 'in_progress', started_at = claim_session.at
        where s.id = picked
        returning s.* into session;
        insert into events (session_id, seq, type, payload)
        values (picked, claim_session.event_seq, event_type, (
            '{"db_event_id":' || claim_session.event_seq || ',"timestamp":"'
            || to_char(claim_session.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
            || '","session_id":"' || picked || '",' || event_members
        )::jsonb);
    end if;
    return next;
end
$$;


--
-- Name: count_overview_hours(integer); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.count_overview_hours(most integer) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    SET lock_timeout TO '2s'
    AS $$
declare
    counted bigint := 0;
    at timestamptz;
begin
    begin
        perform pg_advisory_xact_lock(hashtext('tarsy overview'));
    exception when lock_not_available then
        return 0;
    end;
    for at in
        select g.hour
        from generate_series(
            date_bin('1 hour', (select min(created_at) from alert_sessions where deleted_at is null), '2000-01-01 00:00:00Z'),
            now(), '1 hour'
        ) g (hour)
        left join overview_hours o using (hour)
        where o.hour is null
            or ((o.open > 0 or o.counted_at < g.hour + interval '61 minutes')
                and o.counted_at < now() - greatest(interval '1 second', (now() - g.hour - interval '1 hour') / 100))
        order by g.hour desc limit most
    loop
        delete from overview_hours where hour = at;
        insert into overview_hours (hour, open, completed, failed, timed_out, cancelled, degraded, total_tokens, cost_micro_usd)
        select at, count(*) filter (where s.completed_at is null), count(*) filter (where s.status = 'completed'),
            count(*) filter (where s.status = 'failed'), count(*) filter (where s.status = 'timed_out'),
            count(*) filter (where s.status = 'cancelled'), count(*) filter (where s.degraded_reasons <> '{}'),
            coalesce(sum(l.tokens), 0), sum(l.cost)
        from alert_sessions s
        cross join lateral (
            select sum(i.total_tokens) as tokens, sum(i.cost_micro_usd) as cost from llm_interactions i where i.session_id = s.id
        ) l
        where s.created_at >= at and s.created_at < at + interval '1 hour' and s.deleted_at is null;
        insert into overview_durations (hour, step, sessions)
        select at, floor(ln(greatest(s.duration_ms, 1)) / ln(1.1))::integer, count(*)
        from alert_sessions s
        where s.created_at >= at and s.created_at < at + interval '1 hour' and s.deleted_at is null and s.duration_ms is not null
        group by 2;
        insert into overview_tools (hour, server_name, tool_name, calls, failed)
        select at, c.server_name, coalesce(c.tool_name, ''), count(*), count(*) filter (where c.status = 'failed')
        from alert_sessions s join mcp_interactions c on c.session_id = s.id and c.interaction_type = 'tool_call'
        where s.created_at >= at and s.created_at < at + interval '1 hour' and s.deleted_at is null
        group by 2, 3;
        insert into overview_alerts (hour, fingerprint, title, sessions)
        select at, s.fingerprint, max(s.title), count(*)
        from alert_sessions s
        where s.created_at >= at and s.created_at < at + interval '1 hour' and s.deleted_at is null and s.fingerprint is not null
        group by 2 order by 4 desc, 2 limit 40;
        counted := counted + 1;
    end loop;
    return counted;
end
$$;


--
-- Name: delete_old_audit_entries(integer, bigint); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.delete_old_audit_entries(wished integer, most bigint) RETURNS bigint
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
    with deleted as (
        delete from audit_log where id in (
            select id from audit_log
            where created_at < now() - make_interval(
                days => (select greatest(wished, kept.days) from audit_retention kept))
            order by created_at limit most)
        returning 1)
    select count(*) from deleted
$$;


--
-- Name: delete_session(uuid, text, text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.delete_session(wanted uuid, person text, why text) RETURNS TABLE(outcome text, session_id uuid)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
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


--
-- Name: timeline_events; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.timeline_events (
    id uuid NOT NULL,
    session_id uuid NOT NULL,
    stage_id uuid,
    execution_id uuid,
    sequence_number bigint NOT NULL,
    event_type text NOT NULL,
    status text NOT NULL,
    content text NOT NULL,
    metadata jsonb,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT timeline_events_event_type_check CHECK ((event_type = ANY (ARRAY['llm_thinking'::text, 'llm_response'::text, 'llm_tool_call'::text, 'mcp_tool_summary'::text, 'error'::text, 'user_question'::text, 'executive_summary'::text, 'final_analysis'::text, 'code_execution'::text, 'google_search_result'::text, 'url_context_result'::text, 'provider_fallback'::text, 'budget_reached'::text, 'tool_approval'::text, 'injected_instructions'::text, 'alert_received'::text]))),
    CONSTRAINT timeline_events_sequence_number_check CHECK ((sequence_number >= 1)),
    CONSTRAINT timeline_events_status_check CHECK ((status = ANY (ARRAY['streaming'::text, 'completed'::text, 'failed'::text, 'cancelled'::text, 'timed_out'::text])))
);


--
-- Name: event_kind(public.timeline_events); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.event_kind(e public.timeline_events) RETURNS text
    LANGUAGE sql STABLE
    AS $$
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


--
-- Name: fill_search_documents(integer); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.fill_search_documents(most integer) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
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


--
-- Name: put_session_words(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.put_session_words() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
begin
    if tg_op = 'INSERT' and current_setting('tarsy.search_later', true) = 'on' then
        return null;
    end if;
    insert into session_words (session_id, words) values (new.id, session_words_of(new))
    on conflict (session_id) do update set words = excluded.words;
    return null;
end
$$;


--
-- Name: redact_bytes(bytea, text[], text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.redact_bytes(value bytea, texts text[], mark text) RETURNS bytea
    LANGUAGE plpgsql IMMUTABLE
    AS $$
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


--
-- Name: redact_json(jsonb, text[], text, boolean); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.redact_json(value jsonb, texts text[], mark text, numbers boolean) RETURNS jsonb
    LANGUAGE plpgsql IMMUTABLE
    AS $$
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


--
-- Name: redact_rows(text, text[], integer, text[], text, boolean); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.redact_rows(target text, after text[], most integer, texts text[], why text, apply boolean) RETURNS TABLE(last_key text[], changed bigint)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $_$
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
$_$;


--
-- Name: redact_text(text, text[], text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.redact_text(value text, texts text[], mark text) RETURNS text
    LANGUAGE plpgsql IMMUTABLE
    AS $$
declare one text;
begin
    foreach one in array texts loop
        value := replace(value, one, mark);
    end loop;
    return value;
end
$$;


--
-- Name: redaction_mark(text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.redaction_mark(why text) RETURNS text
    LANGUAGE sql IMMUTABLE
    AS $$
    select '[removed by an administrator: ' || why || ']'
$$;


--
-- Name: search_alert(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.search_alert() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
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


--
-- Name: search_call(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.search_call() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
begin
    insert into search_documents (id, session_id, session_created_at, kind, timeline_event_id, call_number, body)
    select new.id, s.id, s.created_at, 'tool_call', new.timeline_event_id, new.call_number, call_text(new)
    from alert_sessions s where s.id = new.session_id
    on conflict (id) do update set body = excluded.body where search_documents.body is distinct from excluded.body;
    return null;
end
$$;


--
-- Name: search_event(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.search_event() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
begin
    insert into search_documents (id, session_id, session_created_at, kind, timeline_event_id, body)
    select new.id, s.id, s.created_at, event_kind(new), new.id, left(new.content, 20000)
    from alert_sessions s where s.id = new.session_id
    on conflict (id) do update set body = excluded.body, kind = excluded.kind
    where search_documents.body is distinct from excluded.body;
    return null;
end
$$;


--
-- Name: search_published_alert(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.search_published_alert() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
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


--
-- Name: search_verdict(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.search_verdict() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
begin
    insert into search_documents (id, session_id, session_created_at, kind, body)
    select new.id, s.id, s.created_at, 'verdict', verdict_text(new)
    from alert_sessions s where s.id = new.session_id
    on conflict (id) do update set body = excluded.body where search_documents.body is distinct from excluded.body;
    return null;
end
$$;


--
-- Name: search_verdict_evidence(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.search_verdict_evidence() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
begin
    insert into search_documents (id, session_id, session_created_at, kind, body)
    select v.id, s.id, s.created_at, 'verdict', verdict_text(v)
    from verdicts v join alert_sessions s on s.id = v.session_id
    where v.id in (select verdict_id from added)
    on conflict (id) do update set body = excluded.body where search_documents.body is distinct from excluded.body;
    return null;
end
$$;


--
-- Name: search_words(text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.search_words(body text) RETURNS tsvector
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    AS $$
        declare
            words text[];
        begin
            -- The character 1 stands for a dot that belongs to a word.
            words := string_to_array(replace(regexp_replace(
                regexp_replace(replace(lower(body collate pg_catalog.pg_c_utf8), chr(1), ' '), '([0-9])\.(?=[0-9])', '\1' || chr(1), 'g'),
                '[\u0002-,/:-@\[-^`{-\u00a1\u00ab\u00b7\u00bb\u00bf\u1680\u2000-\u206f\u2190-\u21ff\u2500-\u25ff\u3000-\u3003\u3008-\u3011\ufeff\uff01-\uff0c\uff1a-\uff20._-]+',
                ' ', 'g'), chr(1), '.'), ' ');
            return (
                select coalesce(array_to_tsvector(array_agg(left(word, 100))), ''::tsvector) from unnest(words) word
                where word <> ''
            );
        end
        $$;


--
-- Name: session_facets(text, text, text, text, text, text, text, text[], uuid); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.session_facets(status text, alert_type text, chain_id text, author text, severity text, service text, origin text, degraded_reasons text[], review_id uuid) RETURNS text[]
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
    select array_remove(array[
        'status=' || status, 'alert_type=' || alert_type, 'chain_id=' || chain_id, 'author=' || author,
        'severity=' || severity, 'service=' || service, 'origin=' || origin,
        case when degraded_reasons <> '{}' then 'degraded=true' else 'degraded=false' end,
        case when review_id is not null then 'reviewed=true' else 'reviewed=false' end
    ], null)
$$;


--
-- Name: session_words_of(public.alert_sessions); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.session_words_of(s public.alert_sessions) RETURNS tsvector
    LANGUAGE sql IMMUTABLE
    AS $_$
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
$_$;


--
-- Name: take_llm_place(uuid, text, double precision); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.take_llm_place(call uuid, of_provider text, lease_seconds double precision) RETURNS bigint
    LANGUAGE plpgsql
    AS $$
declare
    own bigint;
begin
    perform pg_advisory_xact_lock(hashtextextended('llm_queue ' || of_provider, 0));
    delete from llm_queue q where q.provider = of_provider and q.lease_expires_at <= clock_timestamp();
    insert into llm_queue as q (id, provider, lease_expires_at)
        values (call, of_provider, clock_timestamp() + make_interval(secs => lease_seconds))
        on conflict (id) do update set lease_expires_at = excluded.lease_expires_at
        returning q.seq into own;
    return (select count(*) from llm_queue q where q.provider = of_provider and q.seq < own);
end
$$;


--
-- Name: verdicts; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.verdicts (
    id uuid NOT NULL,
    session_id uuid NOT NULL,
    execution_id uuid,
    source text NOT NULL,
    outcome text DEFAULT 'cause_found'::text NOT NULL,
    alert_statement text DEFAULT 'not_visible'::text NOT NULL,
    answer text DEFAULT ''::text NOT NULL,
    cause text NOT NULL,
    category text NOT NULL,
    object_kind text NOT NULL,
    object_name text NOT NULL,
    object_namespace text,
    since text,
    confidence text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT verdicts_alert_statement_check CHECK ((alert_statement = ANY (ARRAY['confirmed'::text, 'not_confirmed'::text, 'not_visible'::text]))),
    CONSTRAINT verdicts_answer_check CHECK ((char_length(answer) <= 500)),
    CONSTRAINT verdicts_category_check CHECK ((category = ANY (ARRAY['image_pull'::text, 'crash'::text, 'out_of_memory'::text, 'probe'::text, 'scheduling'::text, 'quota'::text, 'volume'::text, 'service_routing'::text, 'dns'::text, 'network_policy'::text, 'network_fault'::text, 'configuration'::text, 'node'::text, 'control_plane'::text, 'database'::text, 'starvation'::text, 'disk'::text, 'clock'::text, 'certificate'::text, 'host_service'::text, 'missing_workload'::text, 'command'::text, 'access'::text, 'feature_flag'::text, 'redeployment'::text, 'application'::text, 'other'::text]))),
    CONSTRAINT verdicts_cause_check CHECK ((char_length(cause) <= 500)),
    CONSTRAINT verdicts_confidence_check CHECK ((confidence = ANY (ARRAY['low'::text, 'medium'::text, 'high'::text]))),
    CONSTRAINT verdicts_object_kind_check CHECK (((char_length(object_kind) >= 1) AND (char_length(object_kind) <= 253))),
    CONSTRAINT verdicts_object_name_check CHECK ((char_length(object_name) <= 253)),
    CONSTRAINT verdicts_object_namespace_check CHECK (((char_length(object_namespace) >= 1) AND (char_length(object_namespace) <= 253))),
    CONSTRAINT verdicts_outcome_cause_check CHECK (((outcome <> 'cause_found'::text) OR (cause <> ''::text))),
    CONSTRAINT verdicts_outcome_check CHECK ((outcome = ANY (ARRAY['cause_found'::text, 'no_fault_found'::text, 'not_examinable'::text]))),
    CONSTRAINT verdicts_since_check CHECK (((char_length(since) >= 1) AND (char_length(since) <= 253))),
    CONSTRAINT verdicts_source_check CHECK ((source = ANY (ARRAY['model'::text, 'rules'::text])))
);


--
-- Name: verdict_text(public.verdicts); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.verdict_text(v public.verdicts) RETURNS text
    LANGUAGE sql STABLE
    AS $$
    select left(concat_ws(E'\n', nullif(v.answer, ''), nullif(v.cause, ''),
        concat_ws(' ', v.category, v.object_kind, v.object_namespace, v.object_name), (
        select string_agg(e.text, E'\n' order by e.ordinal) from verdict_evidence e where e.verdict_id = v.id
    )), 20000)
$$;


--
-- Name: _sqlx_migrations; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public._sqlx_migrations (
    version bigint NOT NULL,
    description text NOT NULL,
    installed_on timestamp with time zone DEFAULT now() NOT NULL,
    success boolean NOT NULL,
    checksum bytea NOT NULL,
    execution_time bigint NOT NULL
);


--
-- Name: accepted_tools; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.accepted_tools (
    server_id text NOT NULL,
    tool_name text NOT NULL,
    definition text NOT NULL,
    accepted_by text NOT NULL,
    accepted_at timestamp with time zone DEFAULT now() NOT NULL
);


--
-- Name: agent_executions; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.agent_executions (
    id uuid NOT NULL,
    stage_id uuid NOT NULL,
    session_id uuid NOT NULL,
    agent_name text NOT NULL,
    agent_index integer NOT NULL,
    iteration_strategy text NOT NULL,
    llm_provider text,
    active_provider text,
    active_provider_since integer DEFAULT 0 NOT NULL,
    status text NOT NULL,
    error_message text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    started_at timestamp with time zone,
    completed_at timestamp with time zone,
    look_requested_at timestamp with time zone,
    gathering_since integer,
    gathering_until integer,
    closing_at timestamp with time zone,
    conclusion_cause text,
    repair_requested_at timestamp with time zone,
    conclusion text,
    concluded_at timestamp with time zone,
    unseen text[],
    CONSTRAINT agent_executions_agent_index_check CHECK ((agent_index >= 1)),
    CONSTRAINT agent_executions_conclusion_cause_check CHECK ((conclusion_cause = ANY (ARRAY['iterations'::text, 'budget'::text, 'repetition'::text, 'time'::text, 'form'::text]))),
    CONSTRAINT agent_executions_gathering_check CHECK ((gathering_until > gathering_since)),
    CONSTRAINT agent_executions_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'active'::text, 'completed'::text, 'failed'::text, 'timed_out'::text, 'cancelled'::text])))
);


--
-- Name: api_tokens; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.api_tokens (
    id uuid NOT NULL,
    name text NOT NULL,
    token_hash bytea NOT NULL,
    role text,
    alert_types text[],
    created_by text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    revoked_at timestamp with time zone,
    last_used_at timestamp with time zone,
    CONSTRAINT api_tokens_check CHECK (((role IS NULL) <> (alert_types IS NULL))),
    CONSTRAINT api_tokens_role_check CHECK ((role = ANY (ARRAY['viewer'::text, 'responder'::text, 'operator'::text, 'admin'::text]))),
    CONSTRAINT api_tokens_token_hash_check CHECK ((octet_length(token_hash) = 32))
);


--
-- Name: audit_log; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.audit_log (
    id uuid NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    principal text NOT NULL,
    credential text NOT NULL,
    client_address text,
    action text NOT NULL,
    object text,
    session_id uuid,
    outcome text NOT NULL,
    status smallint NOT NULL,
    request_id text,
    count bigint DEFAULT 1 NOT NULL,
    approval_id uuid,
    tool text,
    decision text,
    CONSTRAINT audit_log_count_check CHECK ((count > 0)),
    CONSTRAINT audit_log_decision_check CHECK ((decision = ANY (ARRAY['approved'::text, 'denied'::text]))),
    CONSTRAINT audit_log_outcome_check CHECK ((outcome = ANY (ARRAY['allowed'::text, 'denied'::text, 'failed'::text]))),
    CONSTRAINT audit_log_whole_decision CHECK ((num_nulls(approval_id, tool, decision) = ANY (ARRAY[0, 3])))
);


--
-- Name: audit_retention; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.audit_retention (
    only_row boolean DEFAULT true NOT NULL,
    days integer NOT NULL,
    CONSTRAINT audit_retention_days_check CHECK (((days >= 1) AND (days <= 36500))),
    CONSTRAINT audit_retention_only_row_check CHECK (only_row)
);


--
-- Name: chat_user_messages; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.chat_user_messages (
    id uuid NOT NULL,
    chat_id uuid NOT NULL,
    content text NOT NULL,
    author text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);


--
-- Name: chats; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.chats (
    id uuid NOT NULL,
    session_id uuid NOT NULL,
    created_by text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    last_interaction_at timestamp with time zone
);


--
-- Name: claim_checks; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.claim_checks (
    id uuid NOT NULL,
    session_id uuid NOT NULL,
    execution_id uuid,
    timeline_event_id uuid,
    text_kind text NOT NULL,
    failure text,
    claims integer NOT NULL,
    verified integer NOT NULL,
    successful_calls integer NOT NULL,
    checked_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT claim_checks_check CHECK (((verified >= 0) AND (verified <= claims))),
    CONSTRAINT claim_checks_check1 CHECK (((execution_id IS NULL) = (text_kind = 'executive_summary'::text))),
    CONSTRAINT claim_checks_check2 CHECK (((failure IS NULL) OR (claims = 0))),
    CONSTRAINT claim_checks_claims_check CHECK ((claims >= 0)),
    CONSTRAINT claim_checks_failure_check CHECK ((failure = ANY (ARRAY['too_large'::text, 'timed_out'::text, 'failed'::text]))),
    CONSTRAINT claim_checks_successful_calls_check CHECK ((successful_calls >= 0)),
    CONSTRAINT claim_checks_text_kind_check CHECK ((text_kind = ANY (ARRAY['final_analysis'::text, 'synthesis'::text, 'chat_answer'::text, 'executive_summary'::text])))
);


--
-- Name: claims; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.claims (
    check_id uuid NOT NULL,
    ordinal integer NOT NULL,
    kind text NOT NULL,
    text text NOT NULL,
    start_offset integer NOT NULL,
    end_offset integer NOT NULL,
    verdict text NOT NULL,
    call_number bigint,
    line integer,
    shown text,
    CONSTRAINT claims_call_number_check CHECK ((call_number >= 1)),
    CONSTRAINT claims_check CHECK ((end_offset >= start_offset)),
    CONSTRAINT claims_kind_check CHECK ((kind = ANY (ARRAY['citation'::text, 'quantity'::text, 'time'::text, 'quotation'::text, 'name'::text]))),
    CONSTRAINT claims_line_check CHECK ((line >= 1)),
    CONSTRAINT claims_ordinal_check CHECK ((ordinal >= 1)),
    CONSTRAINT claims_start_offset_check CHECK ((start_offset >= 0)),
    CONSTRAINT claims_verdict_check CHECK ((verdict = ANY (ARRAY['supported'::text, 'uncited'::text, 'supported_elsewhere'::text, 'unsupported'::text, 'contradicted'::text, 'no_such_call'::text])))
);


--
-- Name: token_usage; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.token_usage (
    day date NOT NULL,
    principal text NOT NULL,
    tokens bigint NOT NULL
);


--
-- Name: token_usage_parts; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.token_usage_parts (
    day date NOT NULL,
    principal text NOT NULL,
    part smallint NOT NULL,
    tokens bigint NOT NULL,
    CONSTRAINT token_usage_parts_part_check CHECK (((part >= 0) AND (part <= 63)))
);


--
-- Name: daily_token_usage; Type: VIEW; Schema: public; Owner: -
--

CREATE VIEW public.daily_token_usage AS
 SELECT token_usage.day,
    token_usage.principal,
    token_usage.tokens
   FROM public.token_usage
UNION ALL
 SELECT token_usage_parts.day,
    token_usage_parts.principal,
    token_usage_parts.tokens
   FROM public.token_usage_parts;


--
-- Name: dead_letters; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.dead_letters (
    id uuid NOT NULL,
    subject text NOT NULL,
    payload bytea NOT NULL,
    error text NOT NULL,
    deliveries bigint NOT NULL,
    notification_id uuid,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    retried_at timestamp with time zone
);


--
-- Name: deleted_sessions; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.deleted_sessions (
    session_id uuid NOT NULL,
    deleted_by text NOT NULL,
    reason text NOT NULL,
    deleted_at timestamp with time zone DEFAULT now() NOT NULL,
    copies_removed_at timestamp with time zone,
    CONSTRAINT deleted_sessions_reason_check CHECK (((char_length(reason) >= 1) AND (char_length(reason) <= 500)))
);


--
-- Name: events; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.events (
    session_id uuid NOT NULL,
    seq bigint NOT NULL,
    type text NOT NULL,
    payload jsonb NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    published_at timestamp with time zone,
    CONSTRAINT events_seq_check CHECK ((seq >= 1))
);


--
-- Name: idempotency_keys; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.idempotency_keys (
    principal text NOT NULL,
    key text NOT NULL,
    request_hash text NOT NULL,
    session_id uuid NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);


--
-- Name: intake_alerts; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.intake_alerts (
    id uuid NOT NULL,
    seq bigint NOT NULL,
    source text NOT NULL,
    source_id text,
    fingerprint text NOT NULL,
    group_key text,
    content text DEFAULT 'problem'::text NOT NULL,
    status text NOT NULL,
    title text NOT NULL,
    severity text,
    service text,
    namespace text,
    cluster text,
    labels jsonb,
    annotations jsonb,
    links jsonb,
    starts_at timestamp with time zone,
    ends_at timestamp with time zone,
    raw jsonb,
    notes jsonb,
    alert_type text NOT NULL,
    chain_id text NOT NULL,
    rule text,
    runbook_url text,
    action text NOT NULL,
    reason text NOT NULL,
    decision jsonb NOT NULL,
    session_id uuid,
    in_session_text boolean DEFAULT false NOT NULL,
    hold_until timestamp with time zone,
    released_at timestamp with time zone,
    received_at timestamp with time zone DEFAULT now() NOT NULL,
    repeats bigint DEFAULT 0 NOT NULL,
    last_received_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT intake_alerts_action_check CHECK ((action = ANY (ARRAY['open'::text, 'attach'::text, 'fold'::text, 'resolve'::text, 'stop'::text, 'hold'::text, 'ignore'::text]))),
    CONSTRAINT intake_alerts_check CHECK (((hold_until IS NOT NULL) = (action = 'hold'::text))),
    CONSTRAINT intake_alerts_check1 CHECK (((session_id IS NOT NULL) = (action = ANY (ARRAY['open'::text, 'attach'::text, 'fold'::text, 'resolve'::text, 'stop'::text])))),
    CONSTRAINT intake_alerts_content_check CHECK ((content = ANY (ARRAY['problem'::text, 'test'::text, 'heartbeat'::text, 'not_understood'::text]))),
    CONSTRAINT intake_alerts_reason_check CHECK ((reason = ANY (ARRAY['new'::text, 'still_firing'::text, 'same_alert'::text, 'session_open'::text, 'within_window'::text, 'same_group'::text, 'same_labels'::text, 'group_rate'::text, 'flapping'::text, 'quiet_hours'::text, 'daily_limit'::text, 'tokens_used_up'::text, 'resolved'::text, 'resolved_others_firing'::text, 'acknowledged'::text, 'no_session'::text, 'test'::text, 'heartbeat'::text, 'not_understood'::text]))),
    CONSTRAINT intake_alerts_repeats_check CHECK ((repeats >= 0)),
    CONSTRAINT intake_alerts_status_check CHECK ((status = ANY (ARRAY['firing'::text, 'acknowledged'::text, 'resolved'::text])))
);


--
-- Name: intake_alerts_seq_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.intake_alerts ALTER COLUMN seq ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.intake_alerts_seq_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: intake_refusals; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.intake_refusals (
    minute timestamp with time zone NOT NULL,
    source text NOT NULL,
    sender text NOT NULL,
    reason text NOT NULL,
    requests bigint NOT NULL,
    CONSTRAINT intake_refusals_reason_check CHECK ((reason = ANY (ARRAY['unknown_source'::text, 'unverified'::text, 'too_large'::text, 'broken'::text, 'busy'::text]))),
    CONSTRAINT intake_refusals_requests_check CHECK ((requests > 0))
);


--
-- Name: llm_interactions; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.llm_interactions (
    id uuid NOT NULL,
    session_id uuid NOT NULL,
    stage_id uuid,
    execution_id uuid,
    interaction_type text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    provider text,
    backend text,
    model_name text NOT NULL,
    last_message_id uuid,
    llm_request jsonb NOT NULL,
    tool_set text,
    native_tools text[],
    max_output_tokens integer,
    response_format text,
    prompt_version text,
    tarsy_version text,
    shortened_messages integer,
    omitted_messages integer,
    whole_tokens bigint,
    llm_response jsonb NOT NULL,
    thinking_content text,
    response_metadata jsonb,
    answer_notes text[] DEFAULT '{}'::text[] NOT NULL,
    finish_reason text,
    vendor_finish_reason text,
    model_version text,
    response_id text,
    error_message text,
    timed_out boolean DEFAULT false NOT NULL,
    duration_ms bigint,
    first_token_ms bigint,
    input_tokens integer,
    output_tokens integer,
    total_tokens integer,
    thinking_tokens integer,
    tokens_estimated boolean DEFAULT false NOT NULL,
    cost_micro_usd bigint,
    CONSTRAINT llm_interactions_cost_micro_usd_check CHECK ((cost_micro_usd >= 0)),
    CONSTRAINT llm_interactions_finish_reason_check CHECK ((finish_reason = ANY (ARRAY['stop'::text, 'length'::text, 'tool_calls'::text, 'content_filter'::text]))),
    CONSTRAINT llm_interactions_interaction_type_check CHECK ((interaction_type = ANY (ARRAY['iteration'::text, 'final_analysis'::text, 'executive_summary'::text, 'chat_response'::text, 'summarization'::text, 'synthesis'::text, 'forced_conclusion'::text, 'verdict'::text]))),
    CONSTRAINT llm_interactions_max_output_tokens_check CHECK ((max_output_tokens > 0))
);


--
-- Name: llm_queue; Type: TABLE; Schema: public; Owner: -
--

CREATE UNLOGGED TABLE public.llm_queue (
    id uuid NOT NULL,
    seq bigint NOT NULL,
    provider text NOT NULL,
    lease_expires_at timestamp with time zone NOT NULL
);


--
-- Name: llm_queue_seq_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.llm_queue ALTER COLUMN seq ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.llm_queue_seq_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: mcp_oauth_tokens; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.mcp_oauth_tokens (
    server_id text NOT NULL,
    sealed bytea NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL
);


--
-- Name: messages; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.messages (
    id uuid NOT NULL,
    session_id uuid NOT NULL,
    stage_id uuid NOT NULL,
    execution_id uuid NOT NULL,
    sequence_number integer NOT NULL,
    role text NOT NULL,
    content text NOT NULL,
    tool_calls jsonb,
    tool_call_id text,
    tool_name text,
    call_number bigint,
    alerts_until bigint,
    continues boolean DEFAULT false NOT NULL,
    provider_state bytea,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT messages_alerts_until_check CHECK ((alerts_until > 0)),
    CONSTRAINT messages_role_check CHECK ((role = ANY (ARRAY['system'::text, 'user'::text, 'assistant'::text, 'tool'::text])))
);


--
-- Name: notification_destinations; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.notification_destinations (
    name text NOT NULL,
    registered_at timestamp with time zone DEFAULT now() NOT NULL,
    seen_at timestamp with time zone DEFAULT now() NOT NULL
);


--
-- Name: notifications; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.notifications (
    id uuid NOT NULL,
    session_id uuid NOT NULL,
    kind text NOT NULL,
    destination text NOT NULL,
    approval_id uuid,
    review_id uuid,
    status text NOT NULL,
    claim bigint DEFAULT 0 NOT NULL,
    due_at timestamp with time zone DEFAULT now() NOT NULL,
    failures integer DEFAULT 0 NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    attempted_at timestamp with time zone,
    finished_at timestamp with time zone,
    thread_ref text,
    external_ref text,
    error text,
    CONSTRAINT notifications_approval_check CHECK (((approval_id IS NOT NULL) = (kind = ANY (ARRAY['approval_requested'::text, 'approval_closed'::text])))),
    CONSTRAINT notifications_kind_check CHECK ((kind = ANY (ARRAY['started'::text, 'ended'::text, 'approval_requested'::text, 'approval_closed'::text, 'reviewed'::text]))),
    CONSTRAINT notifications_review_check CHECK (((review_id IS NOT NULL) = (kind = 'reviewed'::text))),
    CONSTRAINT notifications_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'sent'::text, 'failed'::text, 'skipped'::text])))
);


--
-- Name: overview_alerts; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.overview_alerts (
    hour timestamp with time zone NOT NULL,
    fingerprint text NOT NULL,
    title text,
    sessions bigint NOT NULL
);


--
-- Name: overview_durations; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.overview_durations (
    hour timestamp with time zone NOT NULL,
    step integer NOT NULL,
    sessions bigint NOT NULL
);


--
-- Name: overview_hours; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.overview_hours (
    hour timestamp with time zone NOT NULL,
    open bigint NOT NULL,
    completed bigint NOT NULL,
    failed bigint NOT NULL,
    timed_out bigint NOT NULL,
    cancelled bigint NOT NULL,
    degraded bigint NOT NULL,
    total_tokens bigint NOT NULL,
    cost_micro_usd bigint,
    counted_at timestamp with time zone DEFAULT now() NOT NULL
);


--
-- Name: overview_tools; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.overview_tools (
    hour timestamp with time zone NOT NULL,
    server_name text NOT NULL,
    tool_name text NOT NULL,
    calls bigint NOT NULL,
    failed bigint NOT NULL
);


--
-- Name: prompt_overrides; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.prompt_overrides (
    session_id uuid NOT NULL,
    name text NOT NULL,
    template text NOT NULL
);


--
-- Name: quota_windows; Type: TABLE; Schema: public; Owner: -
--

CREATE UNLOGGED TABLE public.quota_windows (
    principal text NOT NULL,
    action text NOT NULL,
    started_at timestamp with time zone NOT NULL,
    used integer NOT NULL,
    CONSTRAINT quota_windows_action_check CHECK ((action = ANY (ARRAY['submit_alert'::text, 'ask_question'::text])))
);


--
-- Name: redacted_columns; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.redacted_columns (
    table_name text NOT NULL,
    column_name text NOT NULL,
    method text NOT NULL,
    max_characters integer,
    CONSTRAINT redacted_columns_method_check CHECK ((method = ANY (ARRAY['text'::text, 'json'::text, 'free_json'::text, 'bytes'::text, 'drop'::text, 'clear'::text])))
);


--
-- Name: tool_results; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.tool_results (
    id uuid NOT NULL,
    interaction_id uuid NOT NULL,
    content text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);


--
-- Name: replayed_calls; Type: VIEW; Schema: public; Owner: -
--

CREATE VIEW public.replayed_calls AS
 SELECT c.call_id,
    r.status,
    r.refused_by_policy,
        CASE
            WHEN (r.status = 'completed'::text) THEN COALESCE(w.content, r.tool_result, ''::text)
            ELSE COALESCE(NULLIF(COALESCE(w.content, r.tool_result), ''::text), r.error_message, ''::text)
        END AS result
   FROM ((((public.mcp_interactions c
     JOIN public.alert_sessions s ON (((s.id = c.session_id) AND (s.origin = 'replay'::text))))
     CROSS JOIN LATERAL ( SELECT count(*) AS place
           FROM public.mcp_interactions e
          WHERE ((e.session_id = c.session_id) AND (e.interaction_type = 'tool_call'::text) AND (e.server_name = c.server_name) AND (e.tool_name = c.tool_name) AND (e.call_number <= c.call_number) AND (e.answered_from IS NULL) AND (public.canonical_arguments(e.tool_arguments) = public.canonical_arguments(c.tool_arguments)))) n)
     JOIN LATERAL ( SELECT o.id,
            o.status,
            o.refused_by_policy,
            o.tool_result,
            o.error_message,
            o.place
           FROM ( SELECT m.id,
                    m.status,
                    m.refused_by_policy,
                    m.tool_result,
                    m.error_message,
                    row_number() OVER (ORDER BY m.call_number) AS place
                   FROM public.mcp_interactions m
                  WHERE ((m.session_id = s.replay_of) AND (m.interaction_type = 'tool_call'::text) AND (m.status <> 'started'::text) AND (m.server_name = c.server_name) AND (m.tool_name = c.tool_name) AND (m.answered_from IS NULL) AND (public.canonical_arguments(m.tool_arguments) = public.canonical_arguments(c.tool_arguments)))) o
          WHERE (o.place <= n.place)
          ORDER BY o.place DESC
         LIMIT 1) r ON (true))
     LEFT JOIN public.tool_results w ON ((w.interaction_id = r.id)))
  WHERE ((c.interaction_type = 'tool_call'::text) AND (c.status = 'started'::text));


--
-- Name: tool_definitions; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.tool_definitions (
    digest text NOT NULL,
    server_name text NOT NULL,
    tool_name text NOT NULL,
    description text NOT NULL,
    input_schema text NOT NULL,
    read_only boolean NOT NULL,
    idempotent boolean NOT NULL
);


--
-- Name: tool_sets; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.tool_sets (
    digest text NOT NULL,
    definitions text[] NOT NULL
);


--
-- Name: replayed_tools; Type: VIEW; Schema: public; Owner: -
--

CREATE VIEW public.replayed_tools AS
 SELECT s.id AS session_id,
    l.id AS list_id,
    l.created_at AS listed_at,
    l.server_name,
    l.error_message,
    m.place,
    d.tool_name,
    d.description,
    d.input_schema,
    d.read_only,
    d.idempotent
   FROM ((((public.alert_sessions s
     JOIN public.mcp_interactions l ON (((l.session_id = s.replay_of) AND (l.interaction_type = 'tool_list'::text))))
     LEFT JOIN public.tool_sets t ON ((t.digest = l.tool_set)))
     LEFT JOIN LATERAL unnest(t.definitions) WITH ORDINALITY m(digest, place) ON (true))
     LEFT JOIN public.tool_definitions d ON ((d.digest = m.digest)))
  WHERE (s.origin = 'replay'::text);


--
-- Name: restores; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.restores (
    restored_at timestamp with time zone DEFAULT now() NOT NULL,
    backup_taken_at timestamp with time zone NOT NULL,
    backup_version text NOT NULL
);


--
-- Name: search_backfill; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.search_backfill (
    only_row boolean DEFAULT true NOT NULL,
    created_at timestamp with time zone NOT NULL,
    session_id uuid NOT NULL,
    CONSTRAINT search_backfill_only_row_check CHECK (only_row)
);


--
-- Name: search_documents; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.search_documents (
    id uuid NOT NULL,
    session_id uuid NOT NULL,
    session_created_at timestamp with time zone NOT NULL,
    kind text NOT NULL,
    timeline_event_id uuid,
    call_number bigint,
    body text NOT NULL,
    words tsvector GENERATED ALWAYS AS (public.search_words(body)) STORED NOT NULL,
    days integer[] GENERATED ALWAYS AS (ARRAY[(((session_created_at AT TIME ZONE 'UTC'::text))::date - '1970-01-01'::date)]) STORED NOT NULL,
    CONSTRAINT search_documents_body_check CHECK ((char_length(body) <= 20000)),
    CONSTRAINT search_documents_kind_check CHECK ((kind = ANY (ARRAY['alert'::text, 'final_analysis'::text, 'executive_summary'::text, 'verdict'::text, 'tool_call'::text, 'question'::text, 'answer'::text, 'error'::text])))
);
ALTER TABLE ONLY public.search_documents ALTER COLUMN words SET STATISTICS 500;


--
-- Name: session_aliases; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.session_aliases (
    id uuid NOT NULL,
    session_id uuid NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);


--
-- Name: session_control; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.session_control (
    session_id uuid NOT NULL,
    owner_id text,
    lease_epoch bigint DEFAULT 0 NOT NULL,
    lease_expires_at timestamp with time zone,
    attempts integer DEFAULT 0 NOT NULL,
    cancel_requested_at timestamp with time zone,
    suspended_at timestamp with time zone,
    event_seq bigint DEFAULT 0 NOT NULL,
    timeline_seq bigint DEFAULT 0 NOT NULL,
    call_seq bigint DEFAULT 0 NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT session_control_attempts_check CHECK ((attempts >= 0))
)
WITH (fillfactor='50');


--
-- Name: session_reviews; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.session_reviews (
    id uuid NOT NULL,
    session_id uuid NOT NULL,
    number integer NOT NULL,
    review text NOT NULL,
    actual_cause text,
    object text,
    category text,
    reviewer text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT session_reviews_actual_cause_check CHECK (((char_length(actual_cause) >= 1) AND (char_length(actual_cause) <= 4000))),
    CONSTRAINT session_reviews_category_check CHECK (((char_length(category) >= 1) AND (char_length(category) <= 200))),
    CONSTRAINT session_reviews_number_check CHECK ((number > 0)),
    CONSTRAINT session_reviews_object_check CHECK (((char_length(object) >= 1) AND (char_length(object) <= 400))),
    CONSTRAINT session_reviews_review_check CHECK ((review = ANY (ARRAY['accurate'::text, 'partly'::text, 'wrong'::text])))
);


--
-- Name: session_words; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.session_words (
    session_id uuid NOT NULL,
    words tsvector NOT NULL
);


--
-- Name: sign_ins; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.sign_ins (
    id uuid NOT NULL,
    cookie_hash bytea NOT NULL,
    user_name text NOT NULL,
    groups text[] NOT NULL,
    client_address text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    last_used_at timestamp with time zone DEFAULT now() NOT NULL,
    ended_at timestamp with time zone,
    end_reason text,
    CONSTRAINT sign_ins_check CHECK (((ended_at IS NULL) = (end_reason IS NULL))),
    CONSTRAINT sign_ins_cookie_hash_check CHECK ((octet_length(cookie_hash) = 32)),
    CONSTRAINT sign_ins_end_reason_check CHECK ((end_reason = ANY (ARRAY['sign_out'::text, 'revoked'::text, 'expired'::text])))
);


--
-- Name: stages; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.stages (
    id uuid NOT NULL,
    session_id uuid NOT NULL,
    stage_name text NOT NULL,
    stage_index integer NOT NULL,
    expected_agent_count integer NOT NULL,
    parallel_type text,
    success_policy text,
    joins_stage_id uuid,
    chat_id uuid,
    chat_user_message_id uuid,
    principal text,
    status text NOT NULL,
    error_message text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    started_at timestamp with time zone,
    completed_at timestamp with time zone,
    CONSTRAINT stages_expected_agent_count_check CHECK ((expected_agent_count >= 1)),
    CONSTRAINT stages_parallel_type_check CHECK ((parallel_type = ANY (ARRAY['multi_agent'::text, 'replica'::text]))),
    CONSTRAINT stages_stage_index_check CHECK ((stage_index >= 0)),
    CONSTRAINT stages_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'active'::text, 'completed'::text, 'failed'::text, 'timed_out'::text, 'cancelled'::text]))),
    CONSTRAINT stages_success_policy_check CHECK ((success_policy = ANY (ARRAY['all'::text, 'any'::text])))
);


--
-- Name: summaries; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.summaries (
    id uuid NOT NULL,
    session_id uuid NOT NULL,
    mcp_interaction_id uuid NOT NULL,
    timeline_event_id uuid,
    status text NOT NULL,
    owner_id text,
    lease_epoch bigint DEFAULT 0 NOT NULL,
    lease_expires_at timestamp with time zone,
    attempts integer DEFAULT 0 NOT NULL,
    request jsonb NOT NULL,
    summary text,
    error text,
    llm_calls bigint DEFAULT 0 NOT NULL,
    input_tokens bigint DEFAULT 0 NOT NULL,
    output_tokens bigint DEFAULT 0 NOT NULL,
    total_tokens bigint DEFAULT 0 NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    finished_at timestamp with time zone,
    CONSTRAINT summaries_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'in_progress'::text, 'completed'::text, 'failed'::text])))
);


--
-- Name: tool_approvals; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.tool_approvals (
    id uuid NOT NULL,
    session_id uuid NOT NULL,
    execution_id uuid NOT NULL,
    call_id uuid NOT NULL,
    timeline_event_id uuid NOT NULL,
    server_name text NOT NULL,
    tool_name text NOT NULL,
    tool_arguments jsonb NOT NULL,
    definition text NOT NULL,
    reason text NOT NULL,
    requested_at timestamp with time zone DEFAULT now() NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    decision text,
    decided_by text,
    decided_with text,
    decided_at timestamp with time zone,
    closed_at timestamp with time zone,
    CONSTRAINT tool_approvals_check CHECK (((decision IS NULL) = (decided_at IS NULL))),
    CONSTRAINT tool_approvals_decided_with_check CHECK ((decided_with = ANY (ARRAY['local_token'::text, 'proxy'::text, 'sign_in'::text, 'oidc_token'::text, 'api_token'::text, 'slack'::text]))),
    CONSTRAINT tool_approvals_decision_check CHECK ((decision = ANY (ARRAY['approved'::text, 'denied'::text, 'expired'::text])))
);


--
-- Name: verdict_alternatives; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.verdict_alternatives (
    verdict_id uuid NOT NULL,
    ordinal integer NOT NULL,
    cause text NOT NULL,
    category text NOT NULL,
    object_kind text,
    object_name text,
    object_namespace text,
    because text NOT NULL,
    CONSTRAINT verdict_alternatives_because_check CHECK ((char_length(because) <= 500)),
    CONSTRAINT verdict_alternatives_category_check CHECK ((category = ANY (ARRAY['image_pull'::text, 'crash'::text, 'out_of_memory'::text, 'probe'::text, 'scheduling'::text, 'quota'::text, 'volume'::text, 'service_routing'::text, 'dns'::text, 'network_policy'::text, 'network_fault'::text, 'configuration'::text, 'node'::text, 'control_plane'::text, 'database'::text, 'starvation'::text, 'disk'::text, 'clock'::text, 'certificate'::text, 'host_service'::text, 'missing_workload'::text, 'command'::text, 'access'::text, 'feature_flag'::text, 'redeployment'::text, 'application'::text, 'other'::text]))),
    CONSTRAINT verdict_alternatives_cause_check CHECK (((char_length(cause) >= 1) AND (char_length(cause) <= 500))),
    CONSTRAINT verdict_alternatives_check CHECK (((object_kind IS NULL) = (object_name IS NULL))),
    CONSTRAINT verdict_alternatives_check1 CHECK (((object_kind IS NOT NULL) OR (object_namespace IS NULL))),
    CONSTRAINT verdict_alternatives_object_kind_check CHECK (((char_length(object_kind) >= 1) AND (char_length(object_kind) <= 253))),
    CONSTRAINT verdict_alternatives_object_name_check CHECK ((char_length(object_name) <= 253)),
    CONSTRAINT verdict_alternatives_object_namespace_check CHECK (((char_length(object_namespace) >= 1) AND (char_length(object_namespace) <= 253))),
    CONSTRAINT verdict_alternatives_ordinal_check CHECK (((ordinal >= 1) AND (ordinal <= 6)))
);


--
-- Name: verdict_charts; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.verdict_charts (
    verdict_id uuid NOT NULL,
    ordinal integer NOT NULL,
    call_number bigint NOT NULL,
    metric text NOT NULL,
    object text NOT NULL,
    unit text NOT NULL,
    times bigint[] NOT NULL,
    measured double precision[] NOT NULL,
    changed_at timestamp with time zone,
    level_before double precision,
    level_after double precision,
    CONSTRAINT verdict_charts_call_number_check CHECK ((call_number >= 1)),
    CONSTRAINT verdict_charts_check CHECK ((cardinality(measured) = cardinality(times))),
    CONSTRAINT verdict_charts_check1 CHECK ((((changed_at IS NULL) = (level_before IS NULL)) AND ((changed_at IS NULL) = (level_after IS NULL)))),
    CONSTRAINT verdict_charts_metric_check CHECK ((char_length(metric) <= 253)),
    CONSTRAINT verdict_charts_object_check CHECK ((char_length(object) <= 253)),
    CONSTRAINT verdict_charts_ordinal_check CHECK (((ordinal >= 1) AND (ordinal <= 3))),
    CONSTRAINT verdict_charts_times_check CHECK (((cardinality(times) >= 1) AND (cardinality(times) <= 120))),
    CONSTRAINT verdict_charts_unit_check CHECK ((char_length(unit) <= 253))
);


--
-- Name: verdict_evidence; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.verdict_evidence (
    verdict_id uuid NOT NULL,
    alternative integer,
    ordinal integer NOT NULL,
    call_number bigint NOT NULL,
    line integer NOT NULL,
    text text NOT NULL,
    id bigint NOT NULL,
    CONSTRAINT verdict_evidence_call_number_check CHECK ((call_number >= 1)),
    CONSTRAINT verdict_evidence_line_check CHECK ((line >= 1)),
    CONSTRAINT verdict_evidence_ordinal_check CHECK (((ordinal >= 1) AND (ordinal <= 12))),
    CONSTRAINT verdict_evidence_text_check CHECK ((char_length(text) <= 500))
);


--
-- Name: verdict_evidence_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.verdict_evidence ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.verdict_evidence_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: verdict_next_steps; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.verdict_next_steps (
    verdict_id uuid NOT NULL,
    ordinal integer NOT NULL,
    step text NOT NULL,
    CONSTRAINT verdict_next_steps_ordinal_check CHECK (((ordinal >= 1) AND (ordinal <= 10))),
    CONSTRAINT verdict_next_steps_step_check CHECK (((char_length(step) >= 1) AND (char_length(step) <= 500)))
);


--
-- Name: verdict_not_examined; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.verdict_not_examined (
    verdict_id uuid NOT NULL,
    ordinal integer NOT NULL,
    what text NOT NULL,
    why text NOT NULL,
    CONSTRAINT verdict_not_examined_ordinal_check CHECK (((ordinal >= 1) AND (ordinal <= 20))),
    CONSTRAINT verdict_not_examined_what_check CHECK (((char_length(what) >= 1) AND (char_length(what) <= 500))),
    CONSTRAINT verdict_not_examined_why_check CHECK ((char_length(why) <= 500))
);


--
-- Data for Name: _sqlx_migrations; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public._sqlx_migrations VALUES (1, 'sessions', '2026-11-29 16:55:20.152601+00', true, '\x57762a4b15fb0e54a2775a0ec40a0ca93d891789f06e89dd91965aa877b546ce436108798f1fe9c3c76915f3f2119785', 74260997);
INSERT INTO public._sqlx_migrations VALUES (2, 'work', '2026-11-29 16:55:20.227231+00', true, '\xa9e52fdb5fa1d9bddd3ff4134f1467a181c408191f835ec33e6f26e7e390f269d7b959d4ec1a05b0d0ec8b60bcfbce24', 29638230);
INSERT INTO public._sqlx_migrations VALUES (3, 'timeline', '2026-11-29 16:55:20.257098+00', true, '\x33e8bbc2a49277fa47922e690d2164d6ed0d4c27ebcca08df0030e87dd5c4a324d5b16e8fa6317eb1c70f129842ab200', 24101280);
INSERT INTO public._sqlx_migrations VALUES (4, 'interactions', '2026-11-29 16:55:20.281445+00', true, '\xc38bb9c4b470eba3ab4112086dfd67ba77f5cd11aab0dc009b35e3132e5e1ae4d955f666567579d0d39059da881a06b8', 62833508);
INSERT INTO public._sqlx_migrations VALUES (5, 'events', '2026-11-29 16:55:20.34457+00', true, '\x89ea4079886574b1988e51f357014faf2855b7adf328a4cd5259dc1e772535c6532abf57c23fd414143ee7da188d79fb', 9784985);
INSERT INTO public._sqlx_migrations VALUES (6, 'queue', '2026-11-29 16:55:20.354482+00', true, '\x350f0fc045731dcd529d7890b7f5ff7cd6f8531a0ee22a022eef8f95a910da562ac3509122de6a0fd9f2427368405a0b', 18452713);
INSERT INTO public._sqlx_migrations VALUES (7, 'findings', '2026-11-29 16:55:20.373065+00', true, '\x50c5187d6ada74e4b0eec2162ab34ec4dce41e242d80531ed2ed26a11292fbe3d454eec8bb6914393ba913e9bf0f01d3', 69148325);
INSERT INTO public._sqlx_migrations VALUES (8, 'access', '2026-11-29 16:55:20.442448+00', true, '\x1cede6deca0e34d802c63b0cf53309a76d7ff459cf554c600234141d251006204d97d69667d6b800428d35566b6238f1', 73335189);
INSERT INTO public._sqlx_migrations VALUES (9, 'delivery', '2026-11-29 16:55:20.515997+00', true, '\x4977a8891b2df88172cd77d728a95d97f734eb0d42477e3214123510541dbbb889468b28e577acc42ad1f21d25eb1a3c', 40621704);
INSERT INTO public._sqlx_migrations VALUES (10, 'intake', '2026-11-29 16:55:20.556859+00', true, '\x52233b1913c4dda3f06ef4996bc0e440e7e334255b810dad3c78ce579530bd850a5ac8663e7190c4f8cf99006fc67b22', 23521800);
INSERT INTO public._sqlx_migrations VALUES (11, 'replay', '2026-11-29 16:55:20.580575+00', true, '\x2bf784737207e7bd86159809e328ee4fb56e73c29fa563c956318e3801c2e7923c8d7623df368ed4636060e3d75e70dc', 11582062);
INSERT INTO public._sqlx_migrations VALUES (12, 'search', '2026-11-29 16:55:20.592258+00', true, '\x0759bc469db0b153995e447b4a46889a5ab22b5ae3896d76ec54bfb8307c36be6a9e013096949d01d625a342ba411cc1', 19228828);
INSERT INTO public._sqlx_migrations VALUES (13, 'overview', '2026-11-29 16:55:20.611631+00', true, '\x1b698d7147b173fa5446fc424fa7cd6f9967655e2df051ce892eb0091e3b12161721ba06aa15fc5ead12da683e988f71', 19145853);
INSERT INTO public._sqlx_migrations VALUES (14, 'removal', '2026-11-29 16:55:20.630943+00', true, '\xdc6b2d6c3de91f55b8d03d99042f319536ab80a69aa25bb381c63c5fcb862f1437be29b9035ccf694366a47ef64f7c47', 19495578);


--
-- Data for Name: accepted_tools; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.accepted_tools VALUES ('two', 'a', 'definition of a', 'olaf', '2026-11-29 16:55:22.345001+00');
INSERT INTO public.accepted_tools VALUES ('one', 'b', 'definition of b', 'olaf', '2026-11-29 16:55:22.345355+00');
INSERT INTO public.accepted_tools VALUES ('one', 'c', 'definition of c', 'olaf', '2026-11-29 16:55:22.345355+00');


--
-- Data for Name: agent_executions; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.agent_executions VALUES ('01a2283c-acbc-7792-a5c1-2aac6ec737e7', '01a2283c-acbc-7792-a5c1-2aabf7661ed2', '01a2283c-ac93-77b6-b2b9-08bed5be9fa5', 'KubernetesAgent-1', 1, 'langchain', 'offline', 'offline', 0, 'failed', NULL, '2026-11-29 16:56:34.766248+00', '2026-11-29 16:56:34.766248+00', '2026-11-29 16:56:34.82121+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.agent_executions VALUES ('01a2283c-eacf-71b3-8ab3-944baaab9243', '01a2283c-eacf-71b3-8ab3-944a8a5370e2', '01a2283c-eaaa-75c2-acb8-cc9dda948ff3', 'KubernetesAgent-1', 1, 'langchain', 'offline', 'offline', 0, 'active', NULL, '2026-11-29 16:56:50.647+00', '2026-11-29 16:56:50.647+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.agent_executions VALUES ('01a2283c-6991-7551-a31e-9214988a3d6f', '01a2283c-6991-7551-a31e-9213bf2311e3', '01a2283c-6955-70b7-96fc-9097e8173b85', 'KubernetesAgent-1', 1, 'langchain', 'offline', 'offline', 0, 'failed', NULL, '2026-11-29 16:56:17.563426+00', '2026-11-29 16:56:17.563426+00', '2026-11-29 16:56:17.608496+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.agent_executions VALUES ('01a2283c-6a34-73fb-bd34-97dff80a7576', '01a2283c-6a34-73fb-bd34-97de71e7ac86', '01a2283c-6a12-7352-85be-aa0e8660dc0d', 'KubernetesAgent-1', 1, 'langchain', 'offline', 'offline', 0, 'failed', NULL, '2026-11-29 16:56:17.720516+00', '2026-11-29 16:56:17.720516+00', '2026-11-29 16:56:17.730471+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.agent_executions VALUES ('01a2283b-f865-70a6-b15c-785b03aa3f52', '01a2283b-f865-70a6-b15c-785a6ed9b35c', '01a2283b-f84c-755a-af62-efa9189fae64', 'KubernetesAgent-1', 1, 'langchain', 'offline', 'offline', 0, 'active', NULL, '2026-11-29 16:55:48.587921+00', '2026-11-29 16:55:48.587921+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.agent_executions VALUES ('01a2283c-d5e9-7749-8e33-490a2b7e6c37', '01a2283c-d5e9-7749-8e33-4909543ee0cd', '01a2283c-d584-75bc-b98f-661dca319350', 'KubernetesAgent-1', 1, 'langchain', 'offline', 'offline', 0, 'active', NULL, '2026-11-29 16:56:45.317229+00', '2026-11-29 16:56:45.317229+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.agent_executions VALUES ('01a2283c-cc08-766e-bf8e-aa9b99611bcc', '01a2283c-cc08-766e-bf8e-aa9ae61aac0f', '01a2283c-cbe6-7225-98e0-8976cc8ac515', 'KubernetesAgent-1', 1, 'langchain', 'offline', 'offline', 0, 'active', NULL, '2026-11-29 16:56:42.765868+00', '2026-11-29 16:56:42.765868+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.agent_executions VALUES ('01a2283c-effc-7704-8742-92a50af97225', '01a2283c-effc-7704-8742-92a47b815f51', '01a2283c-efdd-74e3-809f-614c8e6efc07', 'KubernetesAgent-1', 1, 'langchain', 'offline', 'offline', 0, 'failed', NULL, '2026-11-29 16:56:51.970343+00', '2026-11-29 16:56:51.970343+00', '2026-11-29 16:56:52.005578+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);


--
-- Data for Name: alert_sessions; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.alert_sessions VALUES ('01a2283c-ac93-77b6-b2b9-08bed5be9fa5', 'alertword of web', 'kubernetes', 'titleword', NULL, 'serviceword', NULL, NULL, NULL, NULL, NULL, NULL, 'alice', NULL, NULL, '2026-11-29 16:56:34.720505+00', NULL, 'alert', NULL, 'kubernetes', '{"stages": [{"name": "triage"}, {"name": "fix"}]}', NULL, NULL, NULL, false, 300, 10000000, 1000, 2, NULL, NULL, NULL, NULL, 'completed', '2026-11-29 16:56:34.720505+00', '2026-11-29 16:56:34.746291+00', '2026-11-29 16:56:34.82121+00', DEFAULT, '2026-11-29 16:56:34.768735+00', 0, '01a2283c-acbc-7792-a5c1-2aabf7661ed2', NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', '01a2283c-acd0-7556-8f2d-999fbcdb065e', NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.alert_sessions VALUES ('01a2283c-7e7d-71e0-b0f5-4fc417091e56', 'the disk of web-7f9.default is full', 'kubernetes', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'alice', NULL, NULL, '2026-11-29 16:56:22.912655+00', NULL, 'alert', NULL, 'kubernetes', '{"stages": [{"name": "triage"}, {"name": "fix"}]}', NULL, NULL, NULL, false, 300, 10000000, 1000, 2, NULL, NULL, NULL, NULL, 'pending', '2026-11-29 16:56:22.912655+00', NULL, NULL, DEFAULT, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.alert_sessions VALUES ('01a2283c-eaaa-75c2-acb8-cc9dda948ff3', 'the disk of web-7f9.default is full', 'kubernetes', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'alice', NULL, NULL, '2026-11-29 16:56:50.608514+00', NULL, 'alert', NULL, 'kubernetes', '{"stages": [{"name": "triage"}, {"name": "fix"}]}', NULL, NULL, NULL, false, 300, 10000000, 1000, 2, NULL, NULL, NULL, NULL, 'in_progress', '2026-11-29 16:56:50.608514+00', '2026-11-29 16:56:50.637884+00', NULL, DEFAULT, '2026-11-29 16:56:50.651292+00', 0, '01a2283c-eacf-71b3-8ab3-944a8a5370e2', NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.alert_sessions VALUES ('27feafa7-45c9-46e9-a68e-61f47e176611', 'disk', NULL, 'the title', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '2026-11-29 16:56:01.996493+00', NULL, 'alert', NULL, 'host', '{}', NULL, NULL, NULL, false, 300, 10000000, 1000, NULL, NULL, NULL, NULL, NULL, 'completed', '2026-11-29 16:56:02.03063+00', '2026-03-02 10:00:00+00', '2026-03-02 10:01:00+00', DEFAULT, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.alert_sessions VALUES ('a7593230-9c80-46b6-86dd-5739a723d2ef', 'disk', NULL, 'the title', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '2026-11-29 16:56:02.041492+00', NULL, 'alert', NULL, 'host', '{}', NULL, NULL, NULL, false, 300, 10000000, 1000, NULL, NULL, NULL, NULL, NULL, 'completed', '2026-11-29 15:56:02.045523+00', '2026-03-02 10:00:00+00', '2026-03-02 10:01:00+00', DEFAULT, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.alert_sessions VALUES ('d96cc551-fb16-49e8-8191-ad7542d4ca5e', 'disk', NULL, 'the title', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '2026-11-29 16:56:02.046027+00', NULL, 'alert', NULL, 'host', '{}', NULL, NULL, NULL, false, 300, 10000000, 1000, NULL, NULL, NULL, NULL, NULL, 'completed', '2026-11-29 14:56:02.064141+00', '2026-03-02 10:00:00+00', '2026-03-02 10:01:00+00', DEFAULT, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.alert_sessions VALUES ('f2ec7318-9e76-494b-93db-d04d307ed18a', 'disk', NULL, 'the title', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '2026-11-29 16:56:02.065068+00', NULL, 'alert', NULL, 'host', '{}', NULL, NULL, NULL, false, 300, 10000000, 1000, NULL, NULL, NULL, NULL, NULL, 'completed', '2026-11-29 13:56:02.072859+00', '2026-03-02 10:00:00+00', '2026-03-02 10:01:00+00', DEFAULT, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.alert_sessions VALUES ('8383ed64-66c3-4f3a-a71f-c33b6377e82b', 'disk', NULL, 'the title', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '2026-11-29 16:56:02.073389+00', NULL, 'alert', NULL, 'host', '{}', NULL, NULL, NULL, false, 300, 10000000, 1000, NULL, NULL, NULL, NULL, NULL, 'completed', '2026-11-29 12:56:02.082966+00', '2026-03-02 10:00:00+00', '2026-03-02 10:01:00+00', DEFAULT, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.alert_sessions VALUES ('90c2c393-a34f-4828-b7db-4ec599f5be02', 'disk', NULL, 'the title', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '2026-11-29 16:56:02.083483+00', NULL, 'alert', NULL, 'host', '{}', NULL, NULL, NULL, false, 300, 10000000, 1000, NULL, NULL, NULL, NULL, NULL, 'completed', '2026-11-29 11:56:02.086244+00', '2026-03-02 10:00:00+00', '2026-03-02 10:01:00+00', DEFAULT, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.alert_sessions VALUES ('3bca3892-70ea-4eb4-9af0-7d4666511453', 'disk', NULL, 'the title', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '2026-11-29 16:56:02.086682+00', NULL, 'alert', NULL, 'host', '{}', NULL, NULL, NULL, false, 300, 10000000, 1000, NULL, NULL, NULL, NULL, NULL, 'completed', '2026-11-29 10:56:02.099214+00', '2026-03-02 10:00:00+00', '2026-03-02 10:01:00+00', DEFAULT, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.alert_sessions VALUES ('95e4154e-65ed-4707-814f-5fb0aa7023ce', 'disk', NULL, 'the title', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '2026-11-29 16:56:02.099715+00', NULL, 'alert', NULL, 'host', '{}', NULL, NULL, NULL, false, 300, 10000000, 1000, NULL, NULL, NULL, NULL, NULL, 'completed', '2026-11-29 09:56:02.10181+00', '2026-03-02 10:00:00+00', '2026-03-02 10:01:00+00', DEFAULT, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.alert_sessions VALUES ('2d623a10-ecd1-4cc5-8333-cd09ddde24c5', 'disk', NULL, 'the title', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '2026-11-29 16:56:02.102523+00', NULL, 'alert', NULL, 'host', '{}', NULL, NULL, NULL, false, 300, 10000000, 1000, NULL, NULL, NULL, NULL, NULL, 'completed', '2026-11-29 08:56:02.107433+00', '2026-03-02 10:00:00+00', '2026-03-02 10:01:00+00', DEFAULT, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.alert_sessions VALUES ('2e9def80-d1d3-4d7d-93c8-4c87021ec84c', 'disk', NULL, 'the title', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '2026-11-29 16:56:02.112921+00', NULL, 'alert', NULL, 'host', '{}', NULL, NULL, NULL, false, 300, 10000000, 1000, NULL, NULL, NULL, NULL, NULL, 'completed', '2026-11-29 07:56:02.117232+00', '2026-03-02 10:00:00+00', '2026-03-02 10:01:00+00', DEFAULT, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.alert_sessions VALUES ('317b339f-12eb-43f6-8c18-9fb70db331a5', 'disk', NULL, 'the title', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '2026-11-29 16:56:02.118344+00', NULL, 'alert', NULL, 'host', '{}', NULL, NULL, NULL, false, 300, 10000000, 1000, NULL, NULL, NULL, NULL, NULL, 'completed', '2026-11-29 06:56:02.133789+00', '2026-03-02 10:00:00+00', '2026-03-02 10:01:00+00', DEFAULT, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.alert_sessions VALUES ('07fd10a7-399f-4273-91d5-05fe48fe3361', 'disk', NULL, 'the title', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '2026-11-29 16:56:02.134337+00', NULL, 'alert', NULL, 'host', '{}', NULL, NULL, NULL, false, 300, 10000000, 1000, NULL, NULL, NULL, NULL, NULL, 'completed', '2026-11-29 05:56:02.139882+00', '2026-03-02 10:00:00+00', '2026-03-02 10:01:00+00', DEFAULT, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.alert_sessions VALUES ('25b00c7c-daa6-41ad-9f1b-d49758c912ee', 'disk', NULL, 'the title', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '2026-11-29 16:56:02.140344+00', NULL, 'alert', NULL, 'host', '{}', NULL, NULL, NULL, false, 300, 10000000, 1000, NULL, NULL, NULL, NULL, NULL, 'completed', '2026-11-29 04:56:02.142157+00', '2026-03-02 10:00:00+00', '2026-03-02 10:01:00+00', DEFAULT, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.alert_sessions VALUES ('c63f3620-1025-4947-911f-50d1bc101ff1', 'disk', NULL, 'the title', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '2026-11-29 16:56:02.142612+00', NULL, 'alert', NULL, 'host', '{}', NULL, NULL, NULL, false, 300, 10000000, 1000, NULL, NULL, NULL, NULL, NULL, 'completed', '2026-11-29 03:56:02.152822+00', '2026-03-02 10:00:00+00', '2026-03-02 10:01:00+00', DEFAULT, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.alert_sessions VALUES ('6a3eb93a-6efe-4086-8df6-73593b6bdfce', 'disk', NULL, 'the title', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '2026-11-29 16:56:02.173157+00', NULL, 'alert', NULL, 'host', '{}', NULL, NULL, NULL, false, 300, 10000000, 1000, NULL, NULL, NULL, NULL, NULL, 'completed', '2026-11-29 02:56:02.206624+00', '2026-03-02 10:00:00+00', '2026-03-02 10:01:00+00', DEFAULT, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.alert_sessions VALUES ('eab50b32-0b50-4a81-8538-0049eef22494', 'disk', NULL, 'the title', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '2026-11-29 16:56:02.216295+00', NULL, 'alert', NULL, 'host', '{}', NULL, NULL, NULL, false, 300, 10000000, 1000, NULL, NULL, NULL, NULL, NULL, 'completed', '2026-11-29 01:56:02.218793+00', '2026-03-02 10:00:00+00', '2026-03-02 10:01:00+00', DEFAULT, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.alert_sessions VALUES ('d1227296-e39c-4028-b3d8-525eafdb41ae', 'disk', NULL, 'the title', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '2026-11-29 16:56:02.221303+00', NULL, 'alert', NULL, 'host', '{}', NULL, NULL, NULL, false, 300, 10000000, 1000, NULL, NULL, NULL, NULL, NULL, 'completed', '2026-11-29 00:56:02.234145+00', '2026-03-02 10:00:00+00', '2026-03-02 10:01:00+00', DEFAULT, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.alert_sessions VALUES ('d9626e44-dd2c-4e0d-b2ef-c9919f941d6e', 'disk', NULL, 'the title', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '2026-11-29 16:56:02.234706+00', NULL, 'alert', NULL, 'host', '{}', NULL, NULL, NULL, false, 300, 10000000, 1000, NULL, NULL, NULL, NULL, NULL, 'completed', '2026-11-28 23:56:02.25519+00', '2026-03-02 10:00:00+00', '2026-03-02 10:01:00+00', DEFAULT, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.alert_sessions VALUES ('b1292da8-119f-432e-8538-f7ebd9a1c695', 'disk', NULL, 'the title', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '2026-11-29 16:56:02.261182+00', NULL, 'alert', NULL, 'host', '{}', NULL, NULL, NULL, false, 300, 10000000, 1000, NULL, NULL, NULL, NULL, NULL, 'completed', '2026-11-28 22:56:02.26664+00', '2026-03-02 10:00:00+00', '2026-03-02 10:01:00+00', DEFAULT, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.alert_sessions VALUES ('dd27fa61-cabe-4792-95ba-b79dc011ffaa', 'disk', NULL, 'the title', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '2026-11-29 16:56:02.267963+00', NULL, 'alert', NULL, 'host', '{}', NULL, NULL, NULL, false, 300, 10000000, 1000, NULL, NULL, NULL, NULL, NULL, 'completed', '2026-11-28 21:56:02.280387+00', '2026-03-02 10:00:00+00', '2026-03-02 10:01:00+00', DEFAULT, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.alert_sessions VALUES ('01a2283c-16cf-76e1-b0c4-0f8760ae9e15', 'the disk of web-7f9.default is full', 'kubernetes', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'alice', NULL, NULL, '2026-11-29 16:55:56.374692+00', NULL, 'alert', NULL, 'kubernetes', '{"stages": [{"name": "triage"}, {"name": "fix"}]}', NULL, NULL, NULL, false, 300, 10000000, 1000, 2, NULL, NULL, NULL, NULL, 'completed', '2026-11-29 16:55:56.374692+00', '2026-11-29 16:55:56.39411+00', '2026-11-29 16:55:56.400224+00', DEFAULT, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.alert_sessions VALUES ('01a2283c-6955-70b7-96fc-9097e8173b85', 'the disk of web-7f9.default is full', 'kubernetes', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'alice', NULL, NULL, '2026-11-29 16:56:17.507985+00', NULL, 'alert', NULL, 'kubernetes', '{"stages": [{"name": "triage"}, {"name": "fix"}]}', NULL, NULL, NULL, false, 300, 10000000, 1000, 2, NULL, NULL, NULL, NULL, 'completed', '2026-11-29 16:56:17.507985+00', '2026-11-29 16:56:17.546468+00', '2026-11-29 16:56:17.608496+00', DEFAULT, NULL, 0, '01a2283c-6991-7551-a31e-9213bf2311e3', 'three pods', NULL, NULL, NULL, NULL, NULL, NULL, '{}', NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.alert_sessions VALUES ('01a2283c-6a12-7352-85be-aa0e8660dc0d', 'the disk of web-7f9.default is full', 'kubernetes', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'ada', NULL, NULL, '2026-11-29 16:56:17.507985+00', NULL, 'replay', '01a2283c-6955-70b7-96fc-9097e8173b85', 'kubernetes', '{"stages": []}', NULL, NULL, NULL, false, 300, 10000000, 1000, NULL, NULL, NULL, NULL, '[]', 'completed', '2026-11-29 16:56:17.68244+00', '2026-11-29 16:56:17.709785+00', '2026-11-29 16:56:17.730471+00', DEFAULT, NULL, 0, '01a2283c-6a34-73fb-bd34-97de71e7ac86', 'three pods', NULL, NULL, NULL, NULL, NULL, NULL, '{}', NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.alert_sessions VALUES ('01a2283b-f84c-755a-af62-efa9189fae64', 'the disk of web-7f9.default is full', 'kubernetes', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'alice', NULL, NULL, '2026-11-29 16:55:48.559409+00', NULL, 'alert', NULL, 'kubernetes', '{"stages": [{"name": "triage"}, {"name": "fix"}]}', NULL, NULL, NULL, false, 300, 10000000, 1000, 2, NULL, NULL, NULL, NULL, 'in_progress', '2026-11-29 16:55:48.559409+00', '2026-11-29 16:55:48.576937+00', NULL, DEFAULT, NULL, 0, '01a2283b-f865-70a6-b15c-785a6ed9b35c', NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.alert_sessions VALUES ('01a2283c-172a-72b3-90a1-8ed200963695', 'the disk of web-7f9.default is full', 'kubernetes', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'alice', NULL, NULL, '2026-11-29 16:55:56.471218+00', NULL, 'alert', NULL, 'kubernetes', '{"stages": [{"name": "triage"}, {"name": "fix"}]}', NULL, NULL, NULL, false, 300, 10000000, 1000, 2, NULL, NULL, NULL, NULL, 'completed', '2026-11-29 16:55:56.471218+00', '2026-11-29 16:55:56.526206+00', '2026-11-29 16:55:56.537593+00', DEFAULT, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', NULL, NULL, '01a2283c-17cd-7382-b901-c9f58103ad3f', NULL, NULL, NULL, NULL);
INSERT INTO public.alert_sessions VALUES ('01a2283c-d584-75bc-b98f-661dca319350', 'the disk of web-7f9.default is full', 'kubernetes', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'alice', NULL, NULL, '2026-11-29 16:56:45.21503+00', NULL, 'alert', NULL, 'kubernetes', '{"stages": [{"name": "triage"}, {"name": "fix"}]}', NULL, NULL, NULL, false, 300, 10000000, 1000, 2, NULL, NULL, NULL, NULL, 'in_progress', '2026-11-29 16:56:45.21503+00', '2026-11-29 16:56:45.257279+00', NULL, DEFAULT, NULL, 0, '01a2283c-d5e9-7749-8e33-4909543ee0cd', NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.alert_sessions VALUES ('01a2283c-cbe6-7225-98e0-8976cc8ac515', 'the disk of web-7f9.default is full', 'kubernetes', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'alice', NULL, NULL, '2026-11-29 16:56:42.733493+00', NULL, 'alert', NULL, 'kubernetes', '{"stages": [{"name": "triage"}, {"name": "fix"}]}', NULL, NULL, NULL, false, 300, 10000000, 1000, 2, NULL, NULL, NULL, NULL, 'in_progress', '2026-11-29 16:56:42.733493+00', '2026-11-29 16:56:42.754389+00', NULL, DEFAULT, '2026-11-29 16:56:42.769028+00', 0, '01a2283c-cc08-766e-bf8e-aa9ae61aac0f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.alert_sessions VALUES ('01a2283c-efdd-74e3-809f-614c8e6efc07', 'the disk of web-7f9.default is full', 'kubernetes', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'alice', NULL, NULL, '2026-11-29 16:56:51.941519+00', NULL, 'alert', NULL, 'kubernetes', '{"stages": [{"name": "triage"}, {"name": "fix"}]}', NULL, NULL, NULL, false, 300, 10000000, 1000, 2, NULL, NULL, NULL, NULL, 'completed', '2026-11-29 16:56:51.941519+00', '2026-11-29 16:56:51.962024+00', '2026-11-29 16:56:52.005578+00', DEFAULT, NULL, 0, '01a2283c-effc-7704-8742-92a47b815f51', NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', '01a2283c-f004-7432-be26-7e93148f372f', NULL, NULL, NULL, NULL, NULL, NULL);


--
-- Data for Name: api_tokens; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.api_tokens VALUES ('01a2283b-9206-73bd-9f6f-eed57a37d8c0', 'ci', '\x0202020202020202020202020202020202020202020202020202020202020202', 'admin', NULL, 'alice', '2026-11-29 16:55:22.374935+00', '2026-11-29 17:55:22.374935+00', '2026-11-29 16:55:22.388687+00', '2026-11-29 16:55:22.381452+00');
INSERT INTO public.api_tokens VALUES ('01a2283b-91ff-7329-b72f-425ee56079d8', 'alertmanager', '\x0101010101010101010101010101010101010101010101010101010101010101', NULL, '{kubernetes}', 'alice', '2026-11-29 16:55:22.37362+00', '2026-11-29 16:55:22.396591+00', NULL, NULL);
INSERT INTO public.api_tokens VALUES ('01a2283b-9216-76f4-a4d1-cc83af8203bf', 'ci', '\x0404040404040404040404040404040404040404040404040404040404040404', 'admin', NULL, 'alice', '2026-11-29 16:55:22.391738+00', '2026-11-29 16:55:22.396591+00', NULL, NULL);


--
-- Data for Name: audit_log; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.audit_log VALUES ('01a2283b-9221-7426-8ab6-45d1468d3af0', '2026-11-29 16:55:22.403188+00', 'anna', 'proxy', NULL, 'decide_approval', NULL, '01a2283b-91db-7253-8623-7fa3cacf71e6', 'allowed', 200, NULL, 1, '01a2283b-920b-70d0-9996-031bc5ea5917', 'kubernetes.pods_delete', 'denied');


--
-- Data for Name: audit_retention; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.audit_retention VALUES (true, 365);


--
-- Data for Name: chat_user_messages; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.chat_user_messages VALUES ('01a2283c-ad1e-71e3-905a-dc413a3691e0', '01a2283c-ad1e-71e3-905a-dc402d3f8b38', 'questionword?', 'bob', '2026-11-29 16:56:34.845934+00');


--
-- Data for Name: chats; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.chats VALUES ('01a2283c-ad1e-71e3-905a-dc402d3f8b38', '01a2283c-ac93-77b6-b2b9-08bed5be9fa5', 'bob', '2026-11-29 16:56:34.845934+00', '2026-11-29 16:56:34.845934+00');


--
-- Data for Name: claim_checks; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.claim_checks VALUES ('01a2283c-eb09-7473-9f3e-7ec96fa3c27f', '01a2283c-eaaa-75c2-acb8-cc9dda948ff3', '01a2283c-eacf-71b3-8ab3-944baaab9243', '01a2283c-eb09-7473-9f3e-7ec8352d0a62', 'final_analysis', NULL, 4, 3, 1, '2026-11-29 16:56:50.702482+00');


--
-- Data for Name: claims; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.claims VALUES ('01a2283c-eb09-7473-9f3e-7ec96fa3c27f', 3, 'quantity', '39G', 0, 3, 'contradicted', 1, 4, NULL);
INSERT INTO public.claims VALUES ('01a2283c-eb09-7473-9f3e-7ec96fa3c27f', 2, 'quantity', '39G', 0, 3, 'uncited', 1, 3, NULL);
INSERT INTO public.claims VALUES ('01a2283c-eb09-7473-9f3e-7ec96fa3c27f', 1, 'quantity', '39G', 0, 3, 'supported', 1, 2, NULL);
INSERT INTO public.claims VALUES ('01a2283c-eb09-7473-9f3e-7ec96fa3c27f', 4, 'quantity', '39G', 0, 3, 'supported', 1, 2, NULL);


--
-- Data for Name: dead_letters; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.dead_letters VALUES ('01a2283c-1724-74ab-8444-f8c5a97e517f', 'notification.a', '\x7b226b696e64223a2022656e646564222c202273657373696f6e5f6964223a202230316132323833632d313663662d373665312d623063342d306638373630616539653135222c202264657374696e6174696f6e223a202261222c20226e6f74696669636174696f6e5f6964223a202265376462393065622d346538352d383362662d623766342d353232363630653764336439227d', 'no_text', 2, 'e7db90eb-4e85-83bf-b7f4-522660e7d3d9', '2026-11-29 16:55:56.453537+00', '2026-11-29 16:55:56.464622+00');


--
-- Data for Name: deleted_sessions; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: events; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.events VALUES ('01a2283c-ac93-77b6-b2b9-08bed5be9fa5', 1, 'session.status', '{"type": "session.status", "status": "pending", "timestamp": "2026-11-29T16:56:34.720505Z", "session_id": "01a2283c-ac93-77b6-b2b9-08bed5be9fa5", "db_event_id": 1}', '2026-11-29 16:56:34.720505+00', NULL);
INSERT INTO public.events VALUES ('01a2283c-ac93-77b6-b2b9-08bed5be9fa5', 2, 'session.status', '{"type": "session.status", "status": "in_progress", "timestamp": "2026-11-29T16:56:34.746291Z", "session_id": "01a2283c-ac93-77b6-b2b9-08bed5be9fa5", "db_event_id": 2}', '2026-11-29 16:56:34.74565+00', NULL);
INSERT INTO public.events VALUES ('01a2283c-ac93-77b6-b2b9-08bed5be9fa5', 3, 'stage.status', '{"type": "stage.status", "status": "started", "stage_id": "01a2283c-acbc-7792-a5c1-2aabf7661ed2", "timestamp": "2026-11-29T16:56:34.766248Z", "session_id": "01a2283c-ac93-77b6-b2b9-08bed5be9fa5", "stage_name": "triage", "db_event_id": 3, "stage_index": 1}', '2026-11-29 16:56:34.766248+00', NULL);
INSERT INTO public.events VALUES ('01a2283c-ac93-77b6-b2b9-08bed5be9fa5', 4, 'timeline_event.created', '{"type": "timeline_event.created", "status": "streaming", "content": "", "event_id": "01a2283c-acd0-7556-8f2d-9996d7637eff", "metadata": {"call_number": 1}, "stage_id": "01a2283c-acbc-7792-a5c1-2aabf7661ed2", "timestamp": "2026-11-29T16:56:34.768735Z", "event_type": "llm_response", "session_id": "01a2283c-ac93-77b6-b2b9-08bed5be9fa5", "db_event_id": 4, "execution_id": "01a2283c-acbc-7792-a5c1-2aac6ec737e7", "sequence_number": 1}', '2026-11-29 16:56:34.768735+00', NULL);
INSERT INTO public.events VALUES ('01a2283c-ac93-77b6-b2b9-08bed5be9fa5', 5, 'timeline_event.created', '{"type": "timeline_event.created", "status": "streaming", "content": "", "event_id": "01a2283c-acd0-7556-8f2d-9997ee9662da", "metadata": {"call_number": 2}, "stage_id": "01a2283c-acbc-7792-a5c1-2aabf7661ed2", "timestamp": "2026-11-29T16:56:34.768735Z", "event_type": "llm_response", "session_id": "01a2283c-ac93-77b6-b2b9-08bed5be9fa5", "db_event_id": 5, "execution_id": "01a2283c-acbc-7792-a5c1-2aac6ec737e7", "sequence_number": 2}', '2026-11-29 16:56:34.768735+00', NULL);
INSERT INTO public.events VALUES ('01a2283c-ac93-77b6-b2b9-08bed5be9fa5', 6, 'timeline_event.created', '{"type": "timeline_event.created", "status": "streaming", "content": "", "event_id": "01a2283c-acd0-7556-8f2d-9998918c31c6", "stage_id": "01a2283c-acbc-7792-a5c1-2aabf7661ed2", "timestamp": "2026-11-29T16:56:34.768735Z", "event_type": "final_analysis", "session_id": "01a2283c-ac93-77b6-b2b9-08bed5be9fa5", "db_event_id": 6, "execution_id": "01a2283c-acbc-7792-a5c1-2aac6ec737e7", "sequence_number": 3}', '2026-11-29 16:56:34.768735+00', NULL);
INSERT INTO public.events VALUES ('01a2283c-ac93-77b6-b2b9-08bed5be9fa5', 7, 'timeline_event.created', '{"type": "timeline_event.created", "status": "streaming", "content": "", "event_id": "01a2283c-acd0-7556-8f2d-9999bd96e955", "stage_id": "01a2283c-acbc-7792-a5c1-2aabf7661ed2", "timestamp": "2026-11-29T16:56:34.768735Z", "event_type": "executive_summary", "session_id": "01a2283c-ac93-77b6-b2b9-08bed5be9fa5", "db_event_id": 7, "execution_id": "01a2283c-acbc-7792-a5c1-2aac6ec737e7", "sequence_number": 4}', '2026-11-29 16:56:34.768735+00', NULL);
INSERT INTO public.events VALUES ('01a2283c-ac93-77b6-b2b9-08bed5be9fa5', 8, 'timeline_event.created', '{"type": "timeline_event.created", "status": "streaming", "content": "", "event_id": "01a2283c-acd0-7556-8f2d-999afda3290e", "stage_id": "01a2283c-acbc-7792-a5c1-2aabf7661ed2", "timestamp": "2026-11-29T16:56:34.768735Z", "event_type": "error", "session_id": "01a2283c-ac93-77b6-b2b9-08bed5be9fa5", "db_event_id": 8, "execution_id": "01a2283c-acbc-7792-a5c1-2aac6ec737e7", "sequence_number": 5}', '2026-11-29 16:56:34.768735+00', NULL);
INSERT INTO public.events VALUES ('01a2283c-ac93-77b6-b2b9-08bed5be9fa5', 9, 'interaction.created', '{"type": "interaction.created", "stage_id": "01a2283c-acbc-7792-a5c1-2aabf7661ed2", "timestamp": "2026-11-29T16:56:34.768735Z", "session_id": "01a2283c-ac93-77b6-b2b9-08bed5be9fa5", "db_event_id": 9, "execution_id": "01a2283c-acbc-7792-a5c1-2aac6ec737e7", "interaction_id": "01a2283c-acd0-7556-8f2d-999b8f3c0169", "interaction_type": "mcp"}', '2026-11-29 16:56:34.768735+00', NULL);
INSERT INTO public.events VALUES ('01a2283c-ac93-77b6-b2b9-08bed5be9fa5', 10, 'interaction.created', '{"type": "interaction.created", "stage_id": "01a2283c-acbc-7792-a5c1-2aabf7661ed2", "timestamp": "2026-11-29T16:56:34.768735Z", "session_id": "01a2283c-ac93-77b6-b2b9-08bed5be9fa5", "db_event_id": 10, "execution_id": "01a2283c-acbc-7792-a5c1-2aac6ec737e7", "interaction_id": "01a2283c-acd0-7556-8f2d-999d81974a82", "interaction_type": "mcp"}', '2026-11-29 16:56:34.768735+00', NULL);
INSERT INTO public.events VALUES ('01a2283c-ac93-77b6-b2b9-08bed5be9fa5', 11, 'timeline_event.completed', '{"type": "timeline_event.completed", "status": "completed", "content": "findingword", "event_id": "01a2283c-acd0-7556-8f2d-9998918c31c6", "timestamp": "2026-11-29T16:56:34.768735Z", "event_type": "final_analysis", "session_id": "01a2283c-ac93-77b6-b2b9-08bed5be9fa5", "db_event_id": 11}', '2026-11-29 16:56:34.768735+00', NULL);
INSERT INTO public.events VALUES ('01a2283c-ac93-77b6-b2b9-08bed5be9fa5', 12, 'timeline_event.completed', '{"type": "timeline_event.completed", "status": "completed", "content": "summaryword", "event_id": "01a2283c-acd0-7556-8f2d-9999bd96e955", "timestamp": "2026-11-29T16:56:34.768735Z", "event_type": "executive_summary", "session_id": "01a2283c-ac93-77b6-b2b9-08bed5be9fa5", "db_event_id": 12}', '2026-11-29 16:56:34.768735+00', NULL);
INSERT INTO public.events VALUES ('01a2283c-ac93-77b6-b2b9-08bed5be9fa5', 13, 'timeline_event.completed', '{"type": "timeline_event.completed", "status": "completed", "content": "troubleword", "event_id": "01a2283c-acd0-7556-8f2d-999afda3290e", "timestamp": "2026-11-29T16:56:34.768735Z", "event_type": "error", "session_id": "01a2283c-ac93-77b6-b2b9-08bed5be9fa5", "db_event_id": 13}', '2026-11-29 16:56:34.768735+00', NULL);
INSERT INTO public.events VALUES ('01a2283c-ac93-77b6-b2b9-08bed5be9fa5', 14, 'verdict.recorded', '{"type": "verdict.recorded", "timestamp": "2026-11-29T16:56:34.768735Z", "session_id": "01a2283c-ac93-77b6-b2b9-08bed5be9fa5", "verdict_id": "01a2283c-acd0-7556-8f2d-999fbcdb065e", "db_event_id": 14}', '2026-11-29 16:56:34.768735+00', NULL);
INSERT INTO public.events VALUES ('01a2283c-ac93-77b6-b2b9-08bed5be9fa5', 15, 'timeline_event.completed', '{"type": "timeline_event.completed", "status": "failed", "content": "", "event_id": "01a2283c-acd0-7556-8f2d-9996d7637eff", "metadata": {"call_number": 1, "interrupted": true}, "timestamp": "2026-11-29T16:56:34.821210Z", "event_type": "llm_response", "session_id": "01a2283c-ac93-77b6-b2b9-08bed5be9fa5", "db_event_id": 15}', '2026-11-29 16:56:34.82121+00', NULL);
INSERT INTO public.events VALUES ('01a2283c-ac93-77b6-b2b9-08bed5be9fa5', 16, 'timeline_event.completed', '{"type": "timeline_event.completed", "status": "failed", "content": "", "event_id": "01a2283c-acd0-7556-8f2d-9997ee9662da", "metadata": {"call_number": 2, "interrupted": true}, "timestamp": "2026-11-29T16:56:34.821210Z", "event_type": "llm_response", "session_id": "01a2283c-ac93-77b6-b2b9-08bed5be9fa5", "db_event_id": 16}', '2026-11-29 16:56:34.82121+00', NULL);
INSERT INTO public.events VALUES ('01a2283c-ac93-77b6-b2b9-08bed5be9fa5', 17, 'stage.status', '{"type": "stage.status", "status": "failed", "stage_id": "01a2283c-acbc-7792-a5c1-2aabf7661ed2", "timestamp": "2026-11-29T16:56:34.821210Z", "session_id": "01a2283c-ac93-77b6-b2b9-08bed5be9fa5", "stage_name": "triage", "db_event_id": 17, "stage_index": 1}', '2026-11-29 16:56:34.82121+00', NULL);
INSERT INTO public.events VALUES ('01a2283c-ac93-77b6-b2b9-08bed5be9fa5', 18, 'session.status', '{"type": "session.status", "status": "completed", "timestamp": "2026-11-29T16:56:34.821210Z", "session_id": "01a2283c-ac93-77b6-b2b9-08bed5be9fa5", "db_event_id": 18}', '2026-11-29 16:56:34.82121+00', NULL);
INSERT INTO public.events VALUES ('01a2283c-ac93-77b6-b2b9-08bed5be9fa5', 19, 'chat.created', '{"type": "chat.created", "chat_id": "01a2283c-ad1e-71e3-905a-dc402d3f8b38", "timestamp": "2026-11-29T16:56:34.845934Z", "created_by": "bob", "session_id": "01a2283c-ac93-77b6-b2b9-08bed5be9fa5", "db_event_id": 19}', '2026-11-29 16:56:34.845934+00', NULL);
INSERT INTO public.events VALUES ('01a2283c-ac93-77b6-b2b9-08bed5be9fa5', 20, 'chat.user_message', '{"type": "chat.user_message", "author": "bob", "chat_id": "01a2283c-ad1e-71e3-905a-dc402d3f8b38", "content": "questionword?", "timestamp": "2026-11-29T16:56:34.845934Z", "message_id": "01a2283c-ad1e-71e3-905a-dc413a3691e0", "session_id": "01a2283c-ac93-77b6-b2b9-08bed5be9fa5", "db_event_id": 20}', '2026-11-29 16:56:34.845934+00', NULL);
INSERT INTO public.events VALUES ('01a2283c-ac93-77b6-b2b9-08bed5be9fa5', 21, 'timeline_event.created', '{"type": "timeline_event.created", "status": "completed", "content": "questionword?", "event_id": "01a2283c-ad2a-72d8-83e6-9103a4d1ed78", "metadata": {"author": "bob"}, "stage_id": "01a2283c-ad1e-71e3-905a-dc425b8f151f", "timestamp": "2026-11-29T16:56:34.845934Z", "event_type": "user_question", "session_id": "01a2283c-ac93-77b6-b2b9-08bed5be9fa5", "db_event_id": 21, "sequence_number": 6}', '2026-11-29 16:56:34.845934+00', NULL);
INSERT INTO public.events VALUES ('01a2283c-7e7d-71e0-b0f5-4fc417091e56', 1, 'session.status', '{"type": "session.status", "status": "pending", "timestamp": "2026-11-29T16:56:22.912655Z", "session_id": "01a2283c-7e7d-71e0-b0f5-4fc417091e56", "db_event_id": 1}', '2026-11-29 16:56:22.912655+00', NULL);
INSERT INTO public.events VALUES ('01a2283c-eaaa-75c2-acb8-cc9dda948ff3', 1, 'session.status', '{"type": "session.status", "status": "pending", "timestamp": "2026-11-29T16:56:50.608514Z", "session_id": "01a2283c-eaaa-75c2-acb8-cc9dda948ff3", "db_event_id": 1}', '2026-11-29 16:56:50.608514+00', NULL);
INSERT INTO public.events VALUES ('01a2283c-eaaa-75c2-acb8-cc9dda948ff3', 2, 'session.status', '{"type": "session.status", "status": "in_progress", "timestamp": "2026-11-29T16:56:50.637884Z", "session_id": "01a2283c-eaaa-75c2-acb8-cc9dda948ff3", "db_event_id": 2}', '2026-11-29 16:56:50.637569+00', NULL);
INSERT INTO public.events VALUES ('01a2283c-eaaa-75c2-acb8-cc9dda948ff3', 3, 'stage.status', '{"type": "stage.status", "status": "started", "stage_id": "01a2283c-eacf-71b3-8ab3-944a8a5370e2", "timestamp": "2026-11-29T16:56:50.647000Z", "session_id": "01a2283c-eaaa-75c2-acb8-cc9dda948ff3", "stage_name": "triage", "db_event_id": 3, "stage_index": 1}', '2026-11-29 16:56:50.647+00', NULL);
INSERT INTO public.events VALUES ('01a2283c-eaaa-75c2-acb8-cc9dda948ff3', 4, 'interaction.created', '{"type": "interaction.created", "stage_id": "01a2283c-eacf-71b3-8ab3-944a8a5370e2", "timestamp": "2026-11-29T16:56:50.651292Z", "session_id": "01a2283c-eaaa-75c2-acb8-cc9dda948ff3", "db_event_id": 4, "execution_id": "01a2283c-eacf-71b3-8ab3-944baaab9243", "interaction_id": "01a2283c-eadb-7620-a4ad-8fe6426a66f7", "interaction_type": "mcp"}', '2026-11-29 16:56:50.651292+00', NULL);
INSERT INTO public.events VALUES ('01a2283c-eaaa-75c2-acb8-cc9dda948ff3', 5, 'timeline_event.created', '{"type": "timeline_event.created", "status": "streaming", "content": "", "event_id": "01a2283c-eadb-7620-a4ad-8fe775eb4067", "metadata": {"call_number": 1}, "stage_id": "01a2283c-eacf-71b3-8ab3-944a8a5370e2", "timestamp": "2026-11-29T16:56:50.651292Z", "event_type": "llm_response", "session_id": "01a2283c-eaaa-75c2-acb8-cc9dda948ff3", "db_event_id": 5, "execution_id": "01a2283c-eacf-71b3-8ab3-944baaab9243", "sequence_number": 1}', '2026-11-29 16:56:50.651292+00', NULL);
INSERT INTO public.events VALUES ('01a2283c-eaaa-75c2-acb8-cc9dda948ff3', 6, 'interaction.created', '{"type": "interaction.created", "stage_id": "01a2283c-eacf-71b3-8ab3-944a8a5370e2", "timestamp": "2026-11-29T16:56:50.651292Z", "session_id": "01a2283c-eaaa-75c2-acb8-cc9dda948ff3", "db_event_id": 6, "execution_id": "01a2283c-eacf-71b3-8ab3-944baaab9243", "interaction_id": "01a2283c-eadb-7620-a4ad-8fe8876e8fdf", "interaction_type": "mcp"}', '2026-11-29 16:56:50.651292+00', NULL);
INSERT INTO public.events VALUES ('01a2283c-eaaa-75c2-acb8-cc9dda948ff3', 7, 'timeline_event.created', '{"type": "timeline_event.created", "status": "completed", "content": "", "event_id": "01a2283c-eb09-7473-9f3e-7ec8352d0a62", "stage_id": "01a2283c-eacf-71b3-8ab3-944a8a5370e2", "timestamp": "2026-11-29T16:56:50.702482Z", "event_type": "final_analysis", "session_id": "01a2283c-eaaa-75c2-acb8-cc9dda948ff3", "db_event_id": 7, "execution_id": "01a2283c-eacf-71b3-8ab3-944baaab9243", "sequence_number": 2}', '2026-11-29 16:56:50.702482+00', NULL);
INSERT INTO public.events VALUES ('01a2283c-eaaa-75c2-acb8-cc9dda948ff3', 8, 'claims.checked', '{"text": "final_analysis", "type": "claims.checked", "claims": 4, "check_id": "01a2283c-eb09-7473-9f3e-7ec96fa3c27f", "verified": 3, "timestamp": "2026-11-29T16:56:50.702482Z", "session_id": "01a2283c-eaaa-75c2-acb8-cc9dda948ff3", "db_event_id": 8, "execution_id": "01a2283c-eacf-71b3-8ab3-944baaab9243", "timeline_event_id": "01a2283c-eb09-7473-9f3e-7ec8352d0a62"}', '2026-11-29 16:56:50.702482+00', NULL);
INSERT INTO public.events VALUES ('01a2283c-16cf-76e1-b0c4-0f8760ae9e15', 1, 'session.status', '{"type": "session.status", "status": "pending", "timestamp": "2026-11-29T16:55:56.374692Z", "session_id": "01a2283c-16cf-76e1-b0c4-0f8760ae9e15", "db_event_id": 1}', '2026-11-29 16:55:56.374692+00', NULL);
INSERT INTO public.events VALUES ('01a2283c-16cf-76e1-b0c4-0f8760ae9e15', 2, 'session.status', '{"type": "session.status", "status": "in_progress", "timestamp": "2026-11-29T16:55:56.394110Z", "session_id": "01a2283c-16cf-76e1-b0c4-0f8760ae9e15", "db_event_id": 2}', '2026-11-29 16:55:56.393823+00', NULL);
INSERT INTO public.events VALUES ('01a2283c-16cf-76e1-b0c4-0f8760ae9e15', 3, 'session.status', '{"type": "session.status", "status": "completed", "timestamp": "2026-11-29T16:55:56.400224Z", "session_id": "01a2283c-16cf-76e1-b0c4-0f8760ae9e15", "db_event_id": 3}', '2026-11-29 16:55:56.400224+00', NULL);
INSERT INTO public.events VALUES ('01a2283c-6955-70b7-96fc-9097e8173b85', 1, 'session.status', '{"type": "session.status", "status": "pending", "timestamp": "2026-11-29T16:56:17.507985Z", "session_id": "01a2283c-6955-70b7-96fc-9097e8173b85", "db_event_id": 1}', '2026-11-29 16:56:17.507985+00', NULL);
INSERT INTO public.events VALUES ('01a2283c-6955-70b7-96fc-9097e8173b85', 2, 'session.status', '{"type": "session.status", "status": "in_progress", "timestamp": "2026-11-29T16:56:17.546468Z", "session_id": "01a2283c-6955-70b7-96fc-9097e8173b85", "db_event_id": 2}', '2026-11-29 16:56:17.546138+00', NULL);
INSERT INTO public.events VALUES ('01a2283c-6955-70b7-96fc-9097e8173b85', 3, 'stage.status', '{"type": "stage.status", "status": "started", "stage_id": "01a2283c-6991-7551-a31e-9213bf2311e3", "timestamp": "2026-11-29T16:56:17.563426Z", "session_id": "01a2283c-6955-70b7-96fc-9097e8173b85", "stage_name": "triage", "db_event_id": 3, "stage_index": 1}', '2026-11-29 16:56:17.563426+00', NULL);
INSERT INTO public.events VALUES ('01a2283c-6955-70b7-96fc-9097e8173b85', 4, 'stage.status', '{"type": "stage.status", "status": "failed", "stage_id": "01a2283c-6991-7551-a31e-9213bf2311e3", "timestamp": "2026-11-29T16:56:17.608496Z", "session_id": "01a2283c-6955-70b7-96fc-9097e8173b85", "stage_name": "triage", "db_event_id": 4, "stage_index": 1}', '2026-11-29 16:56:17.608496+00', NULL);
INSERT INTO public.events VALUES ('01a2283c-6955-70b7-96fc-9097e8173b85', 5, 'session.status', '{"type": "session.status", "status": "completed", "timestamp": "2026-11-29T16:56:17.608496Z", "session_id": "01a2283c-6955-70b7-96fc-9097e8173b85", "db_event_id": 5}', '2026-11-29 16:56:17.608496+00', NULL);
INSERT INTO public.events VALUES ('01a2283c-6a12-7352-85be-aa0e8660dc0d', 1, 'session.status', '{"type": "session.status", "status": "pending", "timestamp": "2026-11-29T16:56:17.682440Z", "session_id": "01a2283c-6a12-7352-85be-aa0e8660dc0d", "db_event_id": 1}', '2026-11-29 16:56:17.68244+00', NULL);
INSERT INTO public.events VALUES ('01a2283c-6a12-7352-85be-aa0e8660dc0d', 2, 'session.status', '{"type": "session.status", "status": "in_progress", "timestamp": "2026-11-29T16:56:17.709785Z", "session_id": "01a2283c-6a12-7352-85be-aa0e8660dc0d", "db_event_id": 2}', '2026-11-29 16:56:17.709521+00', NULL);
INSERT INTO public.events VALUES ('01a2283c-6a12-7352-85be-aa0e8660dc0d', 3, 'stage.status', '{"type": "stage.status", "status": "started", "stage_id": "01a2283c-6a34-73fb-bd34-97de71e7ac86", "timestamp": "2026-11-29T16:56:17.720516Z", "session_id": "01a2283c-6a12-7352-85be-aa0e8660dc0d", "stage_name": "triage", "db_event_id": 3, "stage_index": 1}', '2026-11-29 16:56:17.720516+00', NULL);
INSERT INTO public.events VALUES ('01a2283c-6a12-7352-85be-aa0e8660dc0d', 4, 'stage.status', '{"type": "stage.status", "status": "failed", "stage_id": "01a2283c-6a34-73fb-bd34-97de71e7ac86", "timestamp": "2026-11-29T16:56:17.730471Z", "session_id": "01a2283c-6a12-7352-85be-aa0e8660dc0d", "stage_name": "triage", "db_event_id": 4, "stage_index": 1}', '2026-11-29 16:56:17.730471+00', NULL);
INSERT INTO public.events VALUES ('01a2283c-6a12-7352-85be-aa0e8660dc0d', 5, 'session.status', '{"type": "session.status", "status": "completed", "timestamp": "2026-11-29T16:56:17.730471Z", "session_id": "01a2283c-6a12-7352-85be-aa0e8660dc0d", "db_event_id": 5}', '2026-11-29 16:56:17.730471+00', NULL);
INSERT INTO public.events VALUES ('01a2283b-f84c-755a-af62-efa9189fae64', 1, 'session.status', '{"type": "session.status", "status": "pending", "timestamp": "2026-11-29T16:55:48.559409Z", "session_id": "01a2283b-f84c-755a-af62-efa9189fae64", "db_event_id": 1}', '2026-11-29 16:55:48.559409+00', NULL);
INSERT INTO public.events VALUES ('01a2283b-f84c-755a-af62-efa9189fae64', 2, 'session.status', '{"type": "session.status", "status": "in_progress", "timestamp": "2026-11-29T16:55:48.576937Z", "session_id": "01a2283b-f84c-755a-af62-efa9189fae64", "db_event_id": 2}', '2026-11-29 16:55:48.576644+00', NULL);
INSERT INTO public.events VALUES ('01a2283b-f84c-755a-af62-efa9189fae64', 3, 'stage.status', '{"type": "stage.status", "status": "started", "stage_id": "01a2283b-f865-70a6-b15c-785a6ed9b35c", "timestamp": "2026-11-29T16:55:48.587921Z", "session_id": "01a2283b-f84c-755a-af62-efa9189fae64", "stage_name": "triage", "db_event_id": 3, "stage_index": 1}', '2026-11-29 16:55:48.587921+00', NULL);
INSERT INTO public.events VALUES ('01a2283c-172a-72b3-90a1-8ed200963695', 1, 'session.status', '{"type": "session.status", "status": "pending", "timestamp": "2026-11-29T16:55:56.471218Z", "session_id": "01a2283c-172a-72b3-90a1-8ed200963695", "db_event_id": 1}', '2026-11-29 16:55:56.471218+00', NULL);
INSERT INTO public.events VALUES ('01a2283c-172a-72b3-90a1-8ed200963695', 2, 'session.status', '{"type": "session.status", "status": "in_progress", "timestamp": "2026-11-29T16:55:56.526206Z", "session_id": "01a2283c-172a-72b3-90a1-8ed200963695", "db_event_id": 2}', '2026-11-29 16:55:56.525833+00', NULL);
INSERT INTO public.events VALUES ('01a2283c-172a-72b3-90a1-8ed200963695', 3, 'session.status', '{"type": "session.status", "status": "completed", "timestamp": "2026-11-29T16:55:56.537593Z", "session_id": "01a2283c-172a-72b3-90a1-8ed200963695", "db_event_id": 3}', '2026-11-29 16:55:56.537593+00', NULL);
INSERT INTO public.events VALUES ('01a2283c-d584-75bc-b98f-661dca319350', 1, 'session.status', '{"type": "session.status", "status": "pending", "timestamp": "2026-11-29T16:56:45.215030Z", "session_id": "01a2283c-d584-75bc-b98f-661dca319350", "db_event_id": 1}', '2026-11-29 16:56:45.21503+00', NULL);
INSERT INTO public.events VALUES ('01a2283c-d584-75bc-b98f-661dca319350', 2, 'session.status', '{"type": "session.status", "status": "in_progress", "timestamp": "2026-11-29T16:56:45.257279Z", "session_id": "01a2283c-d584-75bc-b98f-661dca319350", "db_event_id": 2}', '2026-11-29 16:56:45.256897+00', NULL);
INSERT INTO public.events VALUES ('01a2283c-d584-75bc-b98f-661dca319350', 3, 'stage.status', '{"type": "stage.status", "status": "started", "stage_id": "01a2283c-d5e9-7749-8e33-4909543ee0cd", "timestamp": "2026-11-29T16:56:45.317229Z", "session_id": "01a2283c-d584-75bc-b98f-661dca319350", "stage_name": "triage", "db_event_id": 3, "stage_index": 1}', '2026-11-29 16:56:45.317229+00', NULL);
INSERT INTO public.events VALUES ('01a2283c-d584-75bc-b98f-661dca319350', 4, 'timeline_event.created', '{"type": "timeline_event.created", "status": "streaming", "content": "", "event_id": "01a2283c-d607-77d0-a94f-33d969a4b6c6", "metadata": {"call_number": 1}, "stage_id": "01a2283c-d5e9-7749-8e33-4909543ee0cd", "timestamp": "2026-11-29T16:56:45.327585Z", "event_type": "llm_tool_call", "session_id": "01a2283c-d584-75bc-b98f-661dca319350", "db_event_id": 4, "execution_id": "01a2283c-d5e9-7749-8e33-490a2b7e6c37", "sequence_number": 1}', '2026-11-29 16:56:45.327585+00', NULL);
INSERT INTO public.events VALUES ('01a2283c-d584-75bc-b98f-661dca319350', 5, 'interaction.created', '{"type": "interaction.created", "stage_id": "01a2283c-d5e9-7749-8e33-4909543ee0cd", "timestamp": "2026-11-29T16:56:45.327585Z", "session_id": "01a2283c-d584-75bc-b98f-661dca319350", "db_event_id": 5, "execution_id": "01a2283c-d5e9-7749-8e33-490a2b7e6c37", "interaction_id": "01a2283c-d607-77d0-a94f-33dbbe5f167a", "interaction_type": "mcp"}', '2026-11-29 16:56:45.327585+00', NULL);
INSERT INTO public.events VALUES ('01a2283c-d584-75bc-b98f-661dca319350', 6, 'timeline_event.created', '{"type": "timeline_event.created", "status": "streaming", "content": "", "event_id": "01a2283c-d607-77d0-a94f-33da1cd9ea04", "stage_id": "01a2283c-d5e9-7749-8e33-4909543ee0cd", "timestamp": "2026-11-29T16:56:45.327585Z", "event_type": "tool_approval", "session_id": "01a2283c-d584-75bc-b98f-661dca319350", "db_event_id": 6, "execution_id": "01a2283c-d5e9-7749-8e33-490a2b7e6c37", "sequence_number": 2}', '2026-11-29 16:56:45.327585+00', NULL);
INSERT INTO public.events VALUES ('01a2283c-cbe6-7225-98e0-8976cc8ac515', 1, 'session.status', '{"type": "session.status", "status": "pending", "timestamp": "2026-11-29T16:56:42.733493Z", "session_id": "01a2283c-cbe6-7225-98e0-8976cc8ac515", "db_event_id": 1}', '2026-11-29 16:56:42.733493+00', NULL);
INSERT INTO public.events VALUES ('01a2283c-cbe6-7225-98e0-8976cc8ac515', 2, 'session.status', '{"type": "session.status", "status": "in_progress", "timestamp": "2026-11-29T16:56:42.754389Z", "session_id": "01a2283c-cbe6-7225-98e0-8976cc8ac515", "db_event_id": 2}', '2026-11-29 16:56:42.754103+00', NULL);
INSERT INTO public.events VALUES ('01a2283c-cbe6-7225-98e0-8976cc8ac515', 3, 'stage.status', '{"type": "stage.status", "status": "started", "stage_id": "01a2283c-cc08-766e-bf8e-aa9ae61aac0f", "timestamp": "2026-11-29T16:56:42.765868Z", "session_id": "01a2283c-cbe6-7225-98e0-8976cc8ac515", "stage_name": "triage", "db_event_id": 3, "stage_index": 1}', '2026-11-29 16:56:42.765868+00', NULL);
INSERT INTO public.events VALUES ('01a2283c-cbe6-7225-98e0-8976cc8ac515', 4, 'timeline_event.created', '{"type": "timeline_event.created", "status": "streaming", "content": "", "event_id": "01a2283c-cc0f-7641-81dd-e31b33b4ac1a", "metadata": {"call_number": 1}, "stage_id": "01a2283c-cc08-766e-bf8e-aa9ae61aac0f", "timestamp": "2026-11-29T16:56:42.769028Z", "event_type": "llm_tool_call", "session_id": "01a2283c-cbe6-7225-98e0-8976cc8ac515", "db_event_id": 4, "execution_id": "01a2283c-cc08-766e-bf8e-aa9b99611bcc", "sequence_number": 1}', '2026-11-29 16:56:42.769028+00', NULL);
INSERT INTO public.events VALUES ('01a2283c-cbe6-7225-98e0-8976cc8ac515', 5, 'interaction.created', '{"type": "interaction.created", "stage_id": "01a2283c-cc08-766e-bf8e-aa9ae61aac0f", "timestamp": "2026-11-29T16:56:42.769028Z", "session_id": "01a2283c-cbe6-7225-98e0-8976cc8ac515", "db_event_id": 5, "execution_id": "01a2283c-cc08-766e-bf8e-aa9b99611bcc", "interaction_id": "01a2283c-cc0f-7641-81dd-e31cbac90d17", "interaction_type": "mcp"}', '2026-11-29 16:56:42.769028+00', NULL);
INSERT INTO public.events VALUES ('01a2283c-cbe6-7225-98e0-8976cc8ac515', 6, 'timeline_event.completed', '{"type": "timeline_event.completed", "status": "completed", "content": "the whole", "event_id": "01a2283c-cc0f-7641-81dd-e31b33b4ac1a", "timestamp": "2026-11-29T16:56:42.769028Z", "event_type": "llm_tool_call", "session_id": "01a2283c-cbe6-7225-98e0-8976cc8ac515", "db_event_id": 6}', '2026-11-29 16:56:42.769028+00', NULL);
INSERT INTO public.events VALUES ('01a2283c-efdd-74e3-809f-614c8e6efc07', 1, 'session.status', '{"type": "session.status", "status": "pending", "timestamp": "2026-11-29T16:56:51.941519Z", "session_id": "01a2283c-efdd-74e3-809f-614c8e6efc07", "db_event_id": 1}', '2026-11-29 16:56:51.941519+00', NULL);
INSERT INTO public.events VALUES ('01a2283c-efdd-74e3-809f-614c8e6efc07', 2, 'session.status', '{"type": "session.status", "status": "in_progress", "timestamp": "2026-11-29T16:56:51.962024Z", "session_id": "01a2283c-efdd-74e3-809f-614c8e6efc07", "db_event_id": 2}', '2026-11-29 16:56:51.961694+00', NULL);
INSERT INTO public.events VALUES ('01a2283c-efdd-74e3-809f-614c8e6efc07', 3, 'stage.status', '{"type": "stage.status", "status": "started", "stage_id": "01a2283c-effc-7704-8742-92a47b815f51", "timestamp": "2026-11-29T16:56:51.970343Z", "session_id": "01a2283c-efdd-74e3-809f-614c8e6efc07", "stage_name": "triage", "db_event_id": 3, "stage_index": 1}', '2026-11-29 16:56:51.970343+00', NULL);
INSERT INTO public.events VALUES ('01a2283c-efdd-74e3-809f-614c8e6efc07', 4, 'verdict.recorded', '{"type": "verdict.recorded", "timestamp": "2026-11-29T16:56:52.003665Z", "session_id": "01a2283c-efdd-74e3-809f-614c8e6efc07", "verdict_id": "01a2283c-f004-7432-be26-7e93148f372f", "db_event_id": 4}', '2026-11-29 16:56:52.003665+00', NULL);
INSERT INTO public.events VALUES ('01a2283c-efdd-74e3-809f-614c8e6efc07', 5, 'stage.status', '{"type": "stage.status", "status": "failed", "stage_id": "01a2283c-effc-7704-8742-92a47b815f51", "timestamp": "2026-11-29T16:56:52.005578Z", "session_id": "01a2283c-efdd-74e3-809f-614c8e6efc07", "stage_name": "triage", "db_event_id": 5, "stage_index": 1}', '2026-11-29 16:56:52.005578+00', NULL);
INSERT INTO public.events VALUES ('01a2283c-efdd-74e3-809f-614c8e6efc07', 6, 'session.status', '{"type": "session.status", "status": "completed", "timestamp": "2026-11-29T16:56:52.005578Z", "session_id": "01a2283c-efdd-74e3-809f-614c8e6efc07", "db_event_id": 6}', '2026-11-29 16:56:52.005578+00', NULL);


--
-- Data for Name: idempotency_keys; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.idempotency_keys VALUES ('p', 'new', 'h', '01a2283c-7e7d-71e0-b0f5-4fc417091e56', '2026-11-29 16:56:22.969837+00');


--
-- Data for Name: intake_alerts; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.intake_alerts OVERRIDING SYSTEM VALUE VALUES ('9d6df9d6-ae8b-444b-b7e6-870639f44376', 2, 's', NULL, 'f', NULL, 'problem', 'firing', 't', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'a', 'c', NULL, NULL, 'ignore', 'acknowledged', '{}', NULL, false, NULL, NULL, '2026-11-29 16:56:22.9424+00', 0, '2026-11-29 16:56:22.9424+00');
INSERT INTO public.intake_alerts OVERRIDING SYSTEM VALUE VALUES ('9b1f69b0-14d2-49ae-9cbe-254f26d72140', 3, 's', NULL, 'f', NULL, 'problem', 'firing', 't', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'a', 'c', NULL, NULL, 'hold', 'acknowledged', '{}', NULL, false, '2026-11-29 16:56:22.9424+00', NULL, '2026-11-29 16:56:22.9424+00', 0, '2026-11-27 16:56:22.9424+00');
INSERT INTO public.intake_alerts OVERRIDING SYSTEM VALUE VALUES ('1f2edf0d-6dc4-4042-ad04-824e9d0a4db4', 1, 's', NULL, 'f', NULL, 'problem', 'firing', 't', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'a', 'c', NULL, NULL, 'ignore', 'acknowledged', '{}', NULL, false, NULL, NULL, '2026-11-29 16:55:27.489338+00', 0, '2026-11-29 16:55:27.489338+00');
INSERT INTO public.intake_alerts OVERRIDING SYSTEM VALUE VALUES ('bb4286a2-b52f-4a63-b393-c71613392669', 4, 's', NULL, 'f', NULL, 'problem', 'firing', 't', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'a', 'c', NULL, NULL, 'ignore', 'acknowledged', '{}', NULL, false, NULL, NULL, '2026-11-29 16:55:30.209592+00', 0, '2026-11-29 16:55:30.209592+00');


--
-- Data for Name: intake_refusals; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: llm_interactions; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.llm_interactions VALUES ('bc3838fd-5d30-4c6f-8f3d-232a28bbd42f', '27feafa7-45c9-46e9-a68e-61f47e176611', NULL, NULL, 'iteration', '2026-11-29 16:56:01.996493+00', NULL, NULL, 'm', NULL, '{}', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', NULL, NULL, '{}', NULL, NULL, NULL, NULL, NULL, false, NULL, NULL, NULL, NULL, 100, NULL, false, 5);
INSERT INTO public.llm_interactions VALUES ('9dc92573-c37a-49b0-93ba-3e1fd0fa5264', 'a7593230-9c80-46b6-86dd-5739a723d2ef', NULL, NULL, 'iteration', '2026-11-29 16:56:02.041492+00', NULL, NULL, 'm', NULL, '{}', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', NULL, NULL, '{}', NULL, NULL, NULL, NULL, NULL, false, NULL, NULL, NULL, NULL, 100, NULL, false, 5);
INSERT INTO public.llm_interactions VALUES ('b5afaa16-23e2-43b3-83ff-94fd3f3b3f1a', 'd96cc551-fb16-49e8-8191-ad7542d4ca5e', NULL, NULL, 'iteration', '2026-11-29 16:56:02.046027+00', NULL, NULL, 'm', NULL, '{}', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', NULL, NULL, '{}', NULL, NULL, NULL, NULL, NULL, false, NULL, NULL, NULL, NULL, 100, NULL, false, 5);
INSERT INTO public.llm_interactions VALUES ('6198c552-af94-48e0-a4dc-33a80c26f286', 'f2ec7318-9e76-494b-93db-d04d307ed18a', NULL, NULL, 'iteration', '2026-11-29 16:56:02.065068+00', NULL, NULL, 'm', NULL, '{}', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', NULL, NULL, '{}', NULL, NULL, NULL, NULL, NULL, false, NULL, NULL, NULL, NULL, 100, NULL, false, 5);
INSERT INTO public.llm_interactions VALUES ('40a6f8b4-d43f-4ed2-9a63-5de09990f1ee', '8383ed64-66c3-4f3a-a71f-c33b6377e82b', NULL, NULL, 'iteration', '2026-11-29 16:56:02.073389+00', NULL, NULL, 'm', NULL, '{}', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', NULL, NULL, '{}', NULL, NULL, NULL, NULL, NULL, false, NULL, NULL, NULL, NULL, 100, NULL, false, 5);
INSERT INTO public.llm_interactions VALUES ('974fa75c-d06f-4a85-9f1b-5c90e67c28e4', '90c2c393-a34f-4828-b7db-4ec599f5be02', NULL, NULL, 'iteration', '2026-11-29 16:56:02.083483+00', NULL, NULL, 'm', NULL, '{}', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', NULL, NULL, '{}', NULL, NULL, NULL, NULL, NULL, false, NULL, NULL, NULL, NULL, 100, NULL, false, 5);
INSERT INTO public.llm_interactions VALUES ('69e0020f-460f-4513-bf00-8b330873d2bb', '3bca3892-70ea-4eb4-9af0-7d4666511453', NULL, NULL, 'iteration', '2026-11-29 16:56:02.086682+00', NULL, NULL, 'm', NULL, '{}', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', NULL, NULL, '{}', NULL, NULL, NULL, NULL, NULL, false, NULL, NULL, NULL, NULL, 100, NULL, false, 5);
INSERT INTO public.llm_interactions VALUES ('87f359e8-ed2b-4e32-91cc-eeddcbe0c79d', '95e4154e-65ed-4707-814f-5fb0aa7023ce', NULL, NULL, 'iteration', '2026-11-29 16:56:02.099715+00', NULL, NULL, 'm', NULL, '{}', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', NULL, NULL, '{}', NULL, NULL, NULL, NULL, NULL, false, NULL, NULL, NULL, NULL, 100, NULL, false, 5);
INSERT INTO public.llm_interactions VALUES ('e738235b-822a-4c49-9a92-f5872be0a8ce', '2d623a10-ecd1-4cc5-8333-cd09ddde24c5', NULL, NULL, 'iteration', '2026-11-29 16:56:02.102523+00', NULL, NULL, 'm', NULL, '{}', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', NULL, NULL, '{}', NULL, NULL, NULL, NULL, NULL, false, NULL, NULL, NULL, NULL, 100, NULL, false, 5);
INSERT INTO public.llm_interactions VALUES ('d98f081e-45ba-40ac-a41b-ed8f805a2a52', '2e9def80-d1d3-4d7d-93c8-4c87021ec84c', NULL, NULL, 'iteration', '2026-11-29 16:56:02.112921+00', NULL, NULL, 'm', NULL, '{}', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', NULL, NULL, '{}', NULL, NULL, NULL, NULL, NULL, false, NULL, NULL, NULL, NULL, 100, NULL, false, 5);
INSERT INTO public.llm_interactions VALUES ('a05ef684-9823-4a18-8068-0d87063f49e3', '317b339f-12eb-43f6-8c18-9fb70db331a5', NULL, NULL, 'iteration', '2026-11-29 16:56:02.118344+00', NULL, NULL, 'm', NULL, '{}', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', NULL, NULL, '{}', NULL, NULL, NULL, NULL, NULL, false, NULL, NULL, NULL, NULL, 100, NULL, false, 5);
INSERT INTO public.llm_interactions VALUES ('f5e198e0-1f10-433c-af50-fa8e02d45d01', '07fd10a7-399f-4273-91d5-05fe48fe3361', NULL, NULL, 'iteration', '2026-11-29 16:56:02.134337+00', NULL, NULL, 'm', NULL, '{}', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', NULL, NULL, '{}', NULL, NULL, NULL, NULL, NULL, false, NULL, NULL, NULL, NULL, 100, NULL, false, 5);
INSERT INTO public.llm_interactions VALUES ('d429162c-64c7-4efd-83b6-d0bc420af686', '25b00c7c-daa6-41ad-9f1b-d49758c912ee', NULL, NULL, 'iteration', '2026-11-29 16:56:02.140344+00', NULL, NULL, 'm', NULL, '{}', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', NULL, NULL, '{}', NULL, NULL, NULL, NULL, NULL, false, NULL, NULL, NULL, NULL, 100, NULL, false, 5);
INSERT INTO public.llm_interactions VALUES ('2b803b85-6642-4376-ac27-2aff2cd2fef8', 'c63f3620-1025-4947-911f-50d1bc101ff1', NULL, NULL, 'iteration', '2026-11-29 16:56:02.142612+00', NULL, NULL, 'm', NULL, '{}', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', NULL, NULL, '{}', NULL, NULL, NULL, NULL, NULL, false, NULL, NULL, NULL, NULL, 100, NULL, false, 5);
INSERT INTO public.llm_interactions VALUES ('9df15a49-abb8-4bc0-9179-02e69ad53455', '6a3eb93a-6efe-4086-8df6-73593b6bdfce', NULL, NULL, 'iteration', '2026-11-29 16:56:02.173157+00', NULL, NULL, 'm', NULL, '{}', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', NULL, NULL, '{}', NULL, NULL, NULL, NULL, NULL, false, NULL, NULL, NULL, NULL, 100, NULL, false, 5);
INSERT INTO public.llm_interactions VALUES ('d2f2b16c-e052-4a81-92a5-a6ec3d03180d', 'eab50b32-0b50-4a81-8538-0049eef22494', NULL, NULL, 'iteration', '2026-11-29 16:56:02.216295+00', NULL, NULL, 'm', NULL, '{}', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', NULL, NULL, '{}', NULL, NULL, NULL, NULL, NULL, false, NULL, NULL, NULL, NULL, 100, NULL, false, 5);
INSERT INTO public.llm_interactions VALUES ('08b8d57e-ce06-4f51-be51-9e4da392020f', 'd1227296-e39c-4028-b3d8-525eafdb41ae', NULL, NULL, 'iteration', '2026-11-29 16:56:02.221303+00', NULL, NULL, 'm', NULL, '{}', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', NULL, NULL, '{}', NULL, NULL, NULL, NULL, NULL, false, NULL, NULL, NULL, NULL, 100, NULL, false, 5);
INSERT INTO public.llm_interactions VALUES ('27cde109-c2e2-45a8-8f02-c513abb05bf6', 'd9626e44-dd2c-4e0d-b2ef-c9919f941d6e', NULL, NULL, 'iteration', '2026-11-29 16:56:02.234706+00', NULL, NULL, 'm', NULL, '{}', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', NULL, NULL, '{}', NULL, NULL, NULL, NULL, NULL, false, NULL, NULL, NULL, NULL, 100, NULL, false, 5);
INSERT INTO public.llm_interactions VALUES ('392d6d27-64f1-45e7-8f9a-b0f1a3f7767b', 'b1292da8-119f-432e-8538-f7ebd9a1c695', NULL, NULL, 'iteration', '2026-11-29 16:56:02.261182+00', NULL, NULL, 'm', NULL, '{}', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', NULL, NULL, '{}', NULL, NULL, NULL, NULL, NULL, false, NULL, NULL, NULL, NULL, 100, NULL, false, 5);
INSERT INTO public.llm_interactions VALUES ('95299a51-335d-41f1-b5aa-0abdc2c3258f', 'dd27fa61-cabe-4792-95ba-b79dc011ffaa', NULL, NULL, 'iteration', '2026-11-29 16:56:02.267963+00', NULL, NULL, 'm', NULL, '{}', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', NULL, NULL, '{}', NULL, NULL, NULL, NULL, NULL, false, NULL, NULL, NULL, NULL, 100, NULL, false, 5);


--
-- Data for Name: llm_queue; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.llm_queue OVERRIDING SYSTEM VALUE VALUES ('01a2283c-1144-70bd-a725-e114fbcea89a', 2, 'local', '2026-11-29 16:56:54.977151+00');
INSERT INTO public.llm_queue OVERRIDING SYSTEM VALUE VALUES ('01a2283c-1144-70bd-a725-e113b6b8f410', 3, 'local', '2026-11-29 16:56:54.979378+00');


--
-- Data for Name: mcp_interactions; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.mcp_interactions VALUES ('01a2283c-acd0-7556-8f2d-999b8f3c0169', '01a2283c-ac93-77b6-b2b9-08bed5be9fa5', '01a2283c-acbc-7792-a5c1-2aabf7661ed2', '01a2283c-acbc-7792-a5c1-2aac6ec737e7', 'tool_call', '2026-11-29 16:56:34.768735+00', 'completed', 'kubernetes-server', 'gateway-1', 5, NULL, '01a2283c-acd0-7556-8f2d-999c2450fca5', 1, 'pods_list', 'call_1', '{"pod": "argumentword"}', 'resultword', NULL, NULL, '01a2283c-acd0-7556-8f2d-9996d7637eff', false, 0, NULL, NULL, NULL);
INSERT INTO public.mcp_interactions VALUES ('01a2283c-acd0-7556-8f2d-999d81974a82', '01a2283c-ac93-77b6-b2b9-08bed5be9fa5', '01a2283c-acbc-7792-a5c1-2aabf7661ed2', '01a2283c-acbc-7792-a5c1-2aac6ec737e7', 'tool_call', '2026-11-29 16:56:34.768735+00', 'completed', 'kubernetes-server', 'gateway-1', 5, 'errorword', '01a2283c-acd0-7556-8f2d-999e285f80fd', 2, 'failing_toolword', 'call_1', '{"namespace": "default"}', '', NULL, NULL, '01a2283c-acd0-7556-8f2d-9997ee9662da', false, 0, NULL, NULL, NULL);
INSERT INTO public.mcp_interactions VALUES ('01a2283c-eadb-7620-a4ad-8fe6426a66f7', '01a2283c-eaaa-75c2-acb8-cc9dda948ff3', '01a2283c-eacf-71b3-8ab3-944a8a5370e2', '01a2283c-eacf-71b3-8ab3-944baaab9243', 'tool_list', '2026-11-29 16:56:50.651292+00', 'completed', 'kubernetes-server', NULL, NULL, NULL, '01a2283c-eaf3-77a6-bd58-ef24d48e87ca', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, false, 0, NULL, NULL, 'e8ad19d4cb0dc98c17c9b20a409da5b324eb7ceb214a02b04a3766f6f6e9e3a8');
INSERT INTO public.mcp_interactions VALUES ('01a2283c-eadb-7620-a4ad-8fe8876e8fdf', '01a2283c-eaaa-75c2-acb8-cc9dda948ff3', '01a2283c-eacf-71b3-8ab3-944a8a5370e2', '01a2283c-eacf-71b3-8ab3-944baaab9243', 'tool_call', '2026-11-29 16:56:50.651292+00', 'completed', 'kubernetes-server', 'gateway-1', 5, NULL, '01a2283c-eadb-7620-a4ad-8fe90db78a24', 1, 'pods_list', 'call_1', '{"namespace": "default"}', 'cut', NULL, NULL, '01a2283c-eadb-7620-a4ad-8fe775eb4067', false, 0, NULL, NULL, NULL);
INSERT INTO public.mcp_interactions VALUES ('faa4087d-6b96-4949-8ae4-51b41c13480d', '27feafa7-45c9-46e9-a68e-61f47e176611', NULL, NULL, 'tool_call', '2026-11-29 16:56:01.996493+00', 'completed', 'k8s', NULL, NULL, NULL, '84bf8d07-b644-4a8c-abd2-1939622d8891', 1, 'pods_log', NULL, NULL, NULL, NULL, NULL, NULL, false, 0, NULL, NULL, NULL);
INSERT INTO public.mcp_interactions VALUES ('3d03448c-2f78-4ae3-93ba-02b462664768', 'a7593230-9c80-46b6-86dd-5739a723d2ef', NULL, NULL, 'tool_call', '2026-11-29 16:56:02.041492+00', 'completed', 'k8s', NULL, NULL, NULL, 'e17a3cc2-8183-458e-b465-f95888213418', 1, 'pods_log', NULL, NULL, NULL, NULL, NULL, NULL, false, 0, NULL, NULL, NULL);
INSERT INTO public.mcp_interactions VALUES ('c46565a1-0b45-4619-84db-0dcf09cfc0cd', 'd96cc551-fb16-49e8-8191-ad7542d4ca5e', NULL, NULL, 'tool_call', '2026-11-29 16:56:02.046027+00', 'completed', 'k8s', NULL, NULL, NULL, 'e6e12daa-9db4-4c77-aaf5-be1597257f37', 1, 'pods_log', NULL, NULL, NULL, NULL, NULL, NULL, false, 0, NULL, NULL, NULL);
INSERT INTO public.mcp_interactions VALUES ('27f26718-9e5f-4ca1-8fbf-1a12837dd188', 'f2ec7318-9e76-494b-93db-d04d307ed18a', NULL, NULL, 'tool_call', '2026-11-29 16:56:02.065068+00', 'completed', 'k8s', NULL, NULL, NULL, '9e884ba5-de1a-4d06-900c-20885eaf136c', 1, 'pods_log', NULL, NULL, NULL, NULL, NULL, NULL, false, 0, NULL, NULL, NULL);
INSERT INTO public.mcp_interactions VALUES ('d1aaa8d5-94f9-4413-8945-002e67171bef', '8383ed64-66c3-4f3a-a71f-c33b6377e82b', NULL, NULL, 'tool_call', '2026-11-29 16:56:02.073389+00', 'completed', 'k8s', NULL, NULL, NULL, 'ef4ccc96-b415-48ec-976e-9536f4b37d43', 1, 'pods_log', NULL, NULL, NULL, NULL, NULL, NULL, false, 0, NULL, NULL, NULL);
INSERT INTO public.mcp_interactions VALUES ('a0c7ba8c-3d7e-4aca-b2d8-3c66f918698b', '90c2c393-a34f-4828-b7db-4ec599f5be02', NULL, NULL, 'tool_call', '2026-11-29 16:56:02.083483+00', 'completed', 'k8s', NULL, NULL, NULL, 'ef15727e-1563-41a1-9048-0481a6e7d818', 1, 'pods_log', NULL, NULL, NULL, NULL, NULL, NULL, false, 0, NULL, NULL, NULL);
INSERT INTO public.mcp_interactions VALUES ('a1e1baf4-d115-40e9-ae66-ff696b2559c1', '3bca3892-70ea-4eb4-9af0-7d4666511453', NULL, NULL, 'tool_call', '2026-11-29 16:56:02.086682+00', 'completed', 'k8s', NULL, NULL, NULL, '38f80c23-96eb-481b-8da2-3dc63720b576', 1, 'pods_log', NULL, NULL, NULL, NULL, NULL, NULL, false, 0, NULL, NULL, NULL);
INSERT INTO public.mcp_interactions VALUES ('2756e5ba-9c62-4645-bd75-3c5a119433f9', '95e4154e-65ed-4707-814f-5fb0aa7023ce', NULL, NULL, 'tool_call', '2026-11-29 16:56:02.099715+00', 'completed', 'k8s', NULL, NULL, NULL, 'f94bfa27-5849-4673-8f84-aba02666f8a8', 1, 'pods_log', NULL, NULL, NULL, NULL, NULL, NULL, false, 0, NULL, NULL, NULL);
INSERT INTO public.mcp_interactions VALUES ('15a9a6ee-ec0e-41f2-aaa3-50f11ef6e45d', '2d623a10-ecd1-4cc5-8333-cd09ddde24c5', NULL, NULL, 'tool_call', '2026-11-29 16:56:02.102523+00', 'completed', 'k8s', NULL, NULL, NULL, 'cc6379c9-68fd-4110-9abc-22e3fa7bb2c5', 1, 'pods_log', NULL, NULL, NULL, NULL, NULL, NULL, false, 0, NULL, NULL, NULL);
INSERT INTO public.mcp_interactions VALUES ('13e0ddb6-3b38-40d2-aa45-d2d64ce2c1e6', '2e9def80-d1d3-4d7d-93c8-4c87021ec84c', NULL, NULL, 'tool_call', '2026-11-29 16:56:02.112921+00', 'completed', 'k8s', NULL, NULL, NULL, '188c6735-fb6c-415b-9845-f7f548f2e9f7', 1, 'pods_log', NULL, NULL, NULL, NULL, NULL, NULL, false, 0, NULL, NULL, NULL);
INSERT INTO public.mcp_interactions VALUES ('18e927f3-3946-4ad7-bcfe-7aaa19e6fe5c', '317b339f-12eb-43f6-8c18-9fb70db331a5', NULL, NULL, 'tool_call', '2026-11-29 16:56:02.118344+00', 'completed', 'k8s', NULL, NULL, NULL, '3662212c-5d04-495b-ac40-3f9903bc1951', 1, 'pods_log', NULL, NULL, NULL, NULL, NULL, NULL, false, 0, NULL, NULL, NULL);
INSERT INTO public.mcp_interactions VALUES ('0d5b3f79-eb9a-46ee-980c-fff8aa866d21', '07fd10a7-399f-4273-91d5-05fe48fe3361', NULL, NULL, 'tool_call', '2026-11-29 16:56:02.134337+00', 'completed', 'k8s', NULL, NULL, NULL, '78ea1a94-105c-4fee-8fe3-7726de8fc889', 1, 'pods_log', NULL, NULL, NULL, NULL, NULL, NULL, false, 0, NULL, NULL, NULL);
INSERT INTO public.mcp_interactions VALUES ('8cf16097-2029-4d75-b7a0-dad067de5133', '25b00c7c-daa6-41ad-9f1b-d49758c912ee', NULL, NULL, 'tool_call', '2026-11-29 16:56:02.140344+00', 'completed', 'k8s', NULL, NULL, NULL, '70966b89-a8f0-4f29-91af-e09bc4023b54', 1, 'pods_log', NULL, NULL, NULL, NULL, NULL, NULL, false, 0, NULL, NULL, NULL);
INSERT INTO public.mcp_interactions VALUES ('538da71d-6dc2-4394-af32-745668611298', 'c63f3620-1025-4947-911f-50d1bc101ff1', NULL, NULL, 'tool_call', '2026-11-29 16:56:02.142612+00', 'completed', 'k8s', NULL, NULL, NULL, 'c1009dc6-e0dd-40af-8426-e708e4419d60', 1, 'pods_log', NULL, NULL, NULL, NULL, NULL, NULL, false, 0, NULL, NULL, NULL);
INSERT INTO public.mcp_interactions VALUES ('9499bf8c-8fa4-4eb2-8699-3bb94e173414', '6a3eb93a-6efe-4086-8df6-73593b6bdfce', NULL, NULL, 'tool_call', '2026-11-29 16:56:02.173157+00', 'completed', 'k8s', NULL, NULL, NULL, '9c5b6fad-146f-4ef6-97fc-93351ed0dcc0', 1, 'pods_log', NULL, NULL, NULL, NULL, NULL, NULL, false, 0, NULL, NULL, NULL);
INSERT INTO public.mcp_interactions VALUES ('028d92de-505d-4045-a174-d7c81eeb6061', 'eab50b32-0b50-4a81-8538-0049eef22494', NULL, NULL, 'tool_call', '2026-11-29 16:56:02.216295+00', 'completed', 'k8s', NULL, NULL, NULL, '8932d467-e77c-4410-9b51-fb541dcac499', 1, 'pods_log', NULL, NULL, NULL, NULL, NULL, NULL, false, 0, NULL, NULL, NULL);
INSERT INTO public.mcp_interactions VALUES ('448d59e3-1e27-41b0-b56d-f95a430c4988', 'd1227296-e39c-4028-b3d8-525eafdb41ae', NULL, NULL, 'tool_call', '2026-11-29 16:56:02.221303+00', 'completed', 'k8s', NULL, NULL, NULL, 'b718846d-976d-4fba-bc05-2110372fa8e2', 1, 'pods_log', NULL, NULL, NULL, NULL, NULL, NULL, false, 0, NULL, NULL, NULL);
INSERT INTO public.mcp_interactions VALUES ('6495d3bd-b847-4b0c-a1df-78f977d0cdbd', 'd9626e44-dd2c-4e0d-b2ef-c9919f941d6e', NULL, NULL, 'tool_call', '2026-11-29 16:56:02.234706+00', 'completed', 'k8s', NULL, NULL, NULL, '83f8b85f-abb0-48ea-8b7f-7a7eda0f60ad', 1, 'pods_log', NULL, NULL, NULL, NULL, NULL, NULL, false, 0, NULL, NULL, NULL);
INSERT INTO public.mcp_interactions VALUES ('84d1315f-c71f-4181-8070-f03f5f68756f', 'b1292da8-119f-432e-8538-f7ebd9a1c695', NULL, NULL, 'tool_call', '2026-11-29 16:56:02.261182+00', 'completed', 'k8s', NULL, NULL, NULL, 'ff00f699-de74-42f6-aa80-1aa43edc7a77', 1, 'pods_log', NULL, NULL, NULL, NULL, NULL, NULL, false, 0, NULL, NULL, NULL);
INSERT INTO public.mcp_interactions VALUES ('5e5512e2-bb81-47d9-953e-5eae1b294811', 'dd27fa61-cabe-4792-95ba-b79dc011ffaa', NULL, NULL, 'tool_call', '2026-11-29 16:56:02.267963+00', 'completed', 'k8s', NULL, NULL, NULL, '7922cb0b-a3a9-451c-b114-555fea3b8258', 1, 'pods_log', NULL, NULL, NULL, NULL, NULL, NULL, false, 0, NULL, NULL, NULL);
INSERT INTO public.mcp_interactions VALUES ('01a2283c-d607-77d0-a94f-33dbbe5f167a', '01a2283c-d584-75bc-b98f-661dca319350', '01a2283c-d5e9-7749-8e33-4909543ee0cd', '01a2283c-d5e9-7749-8e33-490a2b7e6c37', 'tool_call', '2026-11-29 16:56:45.327585+00', 'started', 'kubernetes-server', 'gateway-1', NULL, NULL, '01a2283c-d607-77d0-a94f-33dc62f5d5be', 1, 'pods_list', 'call_1', '{"namespace": "default"}', NULL, NULL, NULL, '01a2283c-d607-77d0-a94f-33d969a4b6c6', false, 0, NULL, NULL, NULL);
INSERT INTO public.mcp_interactions VALUES ('01a2283c-cc0f-7641-81dd-e31cbac90d17', '01a2283c-cbe6-7225-98e0-8976cc8ac515', '01a2283c-cc08-766e-bf8e-aa9ae61aac0f', '01a2283c-cc08-766e-bf8e-aa9b99611bcc', 'tool_call', '2026-11-29 16:56:42.769028+00', 'completed', 'kubernetes-server', 'gateway-1', 5, NULL, '01a2283c-cc0f-7641-81dd-e31dd3811da2', 1, 'pods_list', 'call_1', '{"namespace": "default"}', 'the whole', NULL, NULL, '01a2283c-cc0f-7641-81dd-e31b33b4ac1a', false, 0, NULL, NULL, NULL);


--
-- Data for Name: mcp_oauth_tokens; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.mcp_oauth_tokens VALUES ('jira', '\x6e6577', '2026-11-29 16:56:50.606159+00');


--
-- Data for Name: messages; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.messages VALUES ('01a2283b-f871-77bf-92b0-37fcff01876f', '01a2283b-f84c-755a-af62-efa9189fae64', '01a2283b-f865-70a6-b15c-785a6ed9b35c', '01a2283b-f865-70a6-b15c-785b03aa3f52', 0, 'user', 'an alert', NULL, NULL, NULL, NULL, NULL, false, NULL, '2026-11-29 16:55:48.594395+00');
INSERT INTO public.messages VALUES ('01a2283b-f871-77bf-92b0-37fd00fb58c8', '01a2283b-f84c-755a-af62-efa9189fae64', '01a2283b-f865-70a6-b15c-785a6ed9b35c', '01a2283b-f865-70a6-b15c-785b03aa3f52', 1, 'user', 'an alert', NULL, NULL, NULL, NULL, 7, false, NULL, '2026-11-29 16:55:48.594395+00');


--
-- Data for Name: notification_destinations; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.notification_destinations VALUES ('slack', '2026-11-29 16:56:17.493224+00', '2026-11-29 16:56:17.493224+00');


--
-- Data for Name: notifications; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.notifications VALUES ('e7db90eb-4e85-83bf-b7f4-522660e7d3d9', '01a2283c-16cf-76e1-b0c4-0f8760ae9e15', 'ended', 'a', NULL, NULL, 'pending', 4, '2026-11-29 17:05:56.466109+00', 0, '2026-11-29 16:55:56.426769+00', NULL, NULL, NULL, NULL, 'no_text');
INSERT INTO public.notifications VALUES ('b1c86c2d-eb21-8bc2-a8ca-cbec014609b1', '01a2283c-172a-72b3-90a1-8ed200963695', 'ended', 'a', NULL, NULL, 'sent', 1, '2026-11-29 17:05:56.603949+00', 0, '2026-11-29 16:55:56.593912+00', NULL, '2026-11-29 16:55:56.615849+00', NULL, '17.1', NULL);
INSERT INTO public.notifications VALUES ('01a2283c-17cb-72d8-9c44-9d9d1bfe19df', '01a2283c-172a-72b3-90a1-8ed200963695', 'reviewed', 'a', NULL, '01a2283c-17a4-73a7-8c68-dead80abb1ce', 'skipped', 1, '2026-11-29 17:05:56.641729+00', 0, '2026-11-29 16:55:56.619359+00', '2026-11-29 16:55:56.648495+00', '2026-11-29 16:55:56.656573+00', NULL, NULL, NULL);
INSERT INTO public.notifications VALUES ('01a2283c-17d9-7648-9c12-5846e8770389', '01a2283c-172a-72b3-90a1-8ed200963695', 'reviewed', 'a', NULL, '01a2283c-17cd-7382-b901-c9f58103ad3f', 'pending', 1, '2026-11-29 17:05:56.657693+00', 0, '2026-11-29 16:55:56.63599+00', '2026-11-29 16:55:56.659+00', NULL, NULL, NULL, NULL);


--
-- Data for Name: overview_alerts; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: overview_durations; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.overview_durations VALUES ('2026-11-29 16:00:00+00', 115, 1);
INSERT INTO public.overview_durations VALUES ('2026-11-29 15:00:00+00', 115, 1);
INSERT INTO public.overview_durations VALUES ('2026-11-29 14:00:00+00', 115, 1);
INSERT INTO public.overview_durations VALUES ('2026-11-29 13:00:00+00', 115, 1);
INSERT INTO public.overview_durations VALUES ('2026-11-29 12:00:00+00', 115, 1);
INSERT INTO public.overview_durations VALUES ('2026-11-29 11:00:00+00', 115, 1);
INSERT INTO public.overview_durations VALUES ('2026-11-29 10:00:00+00', 115, 1);
INSERT INTO public.overview_durations VALUES ('2026-11-29 09:00:00+00', 115, 1);
INSERT INTO public.overview_durations VALUES ('2026-11-29 08:00:00+00', 115, 1);
INSERT INTO public.overview_durations VALUES ('2026-11-29 07:00:00+00', 115, 1);
INSERT INTO public.overview_durations VALUES ('2026-11-29 06:00:00+00', 115, 1);
INSERT INTO public.overview_durations VALUES ('2026-11-29 05:00:00+00', 115, 1);
INSERT INTO public.overview_durations VALUES ('2026-11-29 04:00:00+00', 115, 1);
INSERT INTO public.overview_durations VALUES ('2026-11-29 03:00:00+00', 115, 1);
INSERT INTO public.overview_durations VALUES ('2026-11-29 02:00:00+00', 115, 1);
INSERT INTO public.overview_durations VALUES ('2026-11-29 01:00:00+00', 115, 1);
INSERT INTO public.overview_durations VALUES ('2026-11-29 00:00:00+00', 115, 1);
INSERT INTO public.overview_durations VALUES ('2026-11-28 23:00:00+00', 115, 1);
INSERT INTO public.overview_durations VALUES ('2026-11-28 22:00:00+00', 115, 1);
INSERT INTO public.overview_durations VALUES ('2026-11-28 21:00:00+00', 115, 1);


--
-- Data for Name: overview_hours; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.overview_hours VALUES ('2026-11-29 16:00:00+00', 0, 1, 0, 0, 0, 0, 100, 5, '2026-11-29 16:56:02.296999+00');
INSERT INTO public.overview_hours VALUES ('2026-11-29 15:00:00+00', 0, 1, 0, 0, 0, 0, 100, 5, '2026-11-29 16:56:02.296999+00');
INSERT INTO public.overview_hours VALUES ('2026-11-29 14:00:00+00', 0, 1, 0, 0, 0, 0, 100, 5, '2026-11-29 16:56:02.296999+00');
INSERT INTO public.overview_hours VALUES ('2026-11-29 13:00:00+00', 0, 1, 0, 0, 0, 0, 100, 5, '2026-11-29 16:56:02.296999+00');
INSERT INTO public.overview_hours VALUES ('2026-11-29 12:00:00+00', 0, 1, 0, 0, 0, 0, 100, 5, '2026-11-29 16:56:02.296999+00');
INSERT INTO public.overview_hours VALUES ('2026-11-29 11:00:00+00', 0, 1, 0, 0, 0, 0, 100, 5, '2026-11-29 16:56:02.296999+00');
INSERT INTO public.overview_hours VALUES ('2026-11-29 10:00:00+00', 0, 1, 0, 0, 0, 0, 100, 5, '2026-11-29 16:56:02.296999+00');
INSERT INTO public.overview_hours VALUES ('2026-11-29 09:00:00+00', 0, 1, 0, 0, 0, 0, 100, 5, '2026-11-29 16:56:02.296999+00');
INSERT INTO public.overview_hours VALUES ('2026-11-29 08:00:00+00', 0, 1, 0, 0, 0, 0, 100, 5, '2026-11-29 16:56:02.296999+00');
INSERT INTO public.overview_hours VALUES ('2026-11-29 07:00:00+00', 0, 1, 0, 0, 0, 0, 100, 5, '2026-11-29 16:56:02.296999+00');
INSERT INTO public.overview_hours VALUES ('2026-11-29 06:00:00+00', 0, 1, 0, 0, 0, 0, 100, 5, '2026-11-29 16:56:02.296999+00');
INSERT INTO public.overview_hours VALUES ('2026-11-29 05:00:00+00', 0, 1, 0, 0, 0, 0, 100, 5, '2026-11-29 16:56:02.296999+00');
INSERT INTO public.overview_hours VALUES ('2026-11-29 04:00:00+00', 0, 1, 0, 0, 0, 0, 100, 5, '2026-11-29 16:56:02.296999+00');
INSERT INTO public.overview_hours VALUES ('2026-11-29 03:00:00+00', 0, 1, 0, 0, 0, 0, 100, 5, '2026-11-29 16:56:02.296999+00');
INSERT INTO public.overview_hours VALUES ('2026-11-29 02:00:00+00', 0, 1, 0, 0, 0, 0, 100, 5, '2026-11-29 16:56:02.296999+00');
INSERT INTO public.overview_hours VALUES ('2026-11-29 01:00:00+00', 0, 1, 0, 0, 0, 0, 100, 5, '2026-11-29 16:56:02.296999+00');
INSERT INTO public.overview_hours VALUES ('2026-11-29 00:00:00+00', 0, 1, 0, 0, 0, 0, 100, 5, '2026-11-29 16:56:02.296999+00');
INSERT INTO public.overview_hours VALUES ('2026-11-28 23:00:00+00', 0, 1, 0, 0, 0, 0, 100, 5, '2026-11-29 16:56:02.296999+00');
INSERT INTO public.overview_hours VALUES ('2026-11-28 22:00:00+00', 0, 1, 0, 0, 0, 0, 100, 5, '2026-11-29 16:56:02.296999+00');
INSERT INTO public.overview_hours VALUES ('2026-11-28 21:00:00+00', 0, 1, 0, 0, 0, 0, 100, 5, '2026-11-29 16:56:02.296999+00');


--
-- Data for Name: overview_tools; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.overview_tools VALUES ('2026-11-29 16:00:00+00', 'k8s', 'pods_log', 1, 0);
INSERT INTO public.overview_tools VALUES ('2026-11-29 15:00:00+00', 'k8s', 'pods_log', 1, 0);
INSERT INTO public.overview_tools VALUES ('2026-11-29 14:00:00+00', 'k8s', 'pods_log', 1, 0);
INSERT INTO public.overview_tools VALUES ('2026-11-29 13:00:00+00', 'k8s', 'pods_log', 1, 0);
INSERT INTO public.overview_tools VALUES ('2026-11-29 12:00:00+00', 'k8s', 'pods_log', 1, 0);
INSERT INTO public.overview_tools VALUES ('2026-11-29 11:00:00+00', 'k8s', 'pods_log', 1, 0);
INSERT INTO public.overview_tools VALUES ('2026-11-29 10:00:00+00', 'k8s', 'pods_log', 1, 0);
INSERT INTO public.overview_tools VALUES ('2026-11-29 09:00:00+00', 'k8s', 'pods_log', 1, 0);
INSERT INTO public.overview_tools VALUES ('2026-11-29 08:00:00+00', 'k8s', 'pods_log', 1, 0);
INSERT INTO public.overview_tools VALUES ('2026-11-29 07:00:00+00', 'k8s', 'pods_log', 1, 0);
INSERT INTO public.overview_tools VALUES ('2026-11-29 06:00:00+00', 'k8s', 'pods_log', 1, 0);
INSERT INTO public.overview_tools VALUES ('2026-11-29 05:00:00+00', 'k8s', 'pods_log', 1, 0);
INSERT INTO public.overview_tools VALUES ('2026-11-29 04:00:00+00', 'k8s', 'pods_log', 1, 0);
INSERT INTO public.overview_tools VALUES ('2026-11-29 03:00:00+00', 'k8s', 'pods_log', 1, 0);
INSERT INTO public.overview_tools VALUES ('2026-11-29 02:00:00+00', 'k8s', 'pods_log', 1, 0);
INSERT INTO public.overview_tools VALUES ('2026-11-29 01:00:00+00', 'k8s', 'pods_log', 1, 0);
INSERT INTO public.overview_tools VALUES ('2026-11-29 00:00:00+00', 'k8s', 'pods_log', 1, 0);
INSERT INTO public.overview_tools VALUES ('2026-11-28 23:00:00+00', 'k8s', 'pods_log', 1, 0);
INSERT INTO public.overview_tools VALUES ('2026-11-28 22:00:00+00', 'k8s', 'pods_log', 1, 0);
INSERT INTO public.overview_tools VALUES ('2026-11-28 21:00:00+00', 'k8s', 'pods_log', 1, 0);


--
-- Data for Name: prompt_overrides; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.prompt_overrides VALUES ('01a2283c-6a12-7352-85be-aa0e8660dc0d', 'task', 'Look.');


--
-- Data for Name: quota_windows; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.quota_windows VALUES ('b', 'submit_alert', '2026-11-29 16:56:22.9424+00', 1);


--
-- Data for Name: redacted_columns; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.redacted_columns VALUES ('alert_sessions', 'alert_data', 'text', NULL);
INSERT INTO public.redacted_columns VALUES ('alert_sessions', 'author', 'text', NULL);
INSERT INTO public.redacted_columns VALUES ('alert_sessions', 'idempotency_key', 'text', NULL);
INSERT INTO public.redacted_columns VALUES ('alert_sessions', 'runbook_url', 'text', NULL);
INSERT INTO public.redacted_columns VALUES ('alert_sessions', 'slack_message_fingerprint', 'text', NULL);
INSERT INTO public.redacted_columns VALUES ('alert_sessions', 'final_analysis', 'text', NULL);
INSERT INTO public.redacted_columns VALUES ('alert_sessions', 'executive_summary', 'text', NULL);
INSERT INTO public.redacted_columns VALUES ('alert_sessions', 'executive_summary_error', 'text', NULL);
INSERT INTO public.redacted_columns VALUES ('alert_sessions', 'error_message', 'text', NULL);
INSERT INTO public.redacted_columns VALUES ('alert_sessions', 'runbook', 'text', NULL);
INSERT INTO public.redacted_columns VALUES ('alert_sessions', 'runbook_error', 'text', NULL);
INSERT INTO public.redacted_columns VALUES ('alert_sessions', 'title', 'text', NULL);
INSERT INTO public.redacted_columns VALUES ('alert_sessions', 'severity', 'text', NULL);
INSERT INTO public.redacted_columns VALUES ('alert_sessions', 'service', 'text', NULL);
INSERT INTO public.redacted_columns VALUES ('alert_sessions', 'namespace', 'text', NULL);
INSERT INTO public.redacted_columns VALUES ('alert_sessions', 'cluster', 'text', NULL);
INSERT INTO public.redacted_columns VALUES ('alert_sessions', 'fingerprint', 'text', NULL);
INSERT INTO public.redacted_columns VALUES ('alert_sessions', 'config_snapshot', 'json', NULL);
INSERT INTO public.redacted_columns VALUES ('alert_sessions', 'mcp_selection', 'json', NULL);
INSERT INTO public.redacted_columns VALUES ('alert_sessions', 'links', 'json', NULL);
INSERT INTO public.redacted_columns VALUES ('alert_sessions', 'seen_before', 'json', NULL);
INSERT INTO public.redacted_columns VALUES ('alert_sessions', 'labels', 'free_json', NULL);
INSERT INTO public.redacted_columns VALUES ('alert_sessions', 'search', 'clear', NULL);
INSERT INTO public.redacted_columns VALUES ('idempotency_keys', 'key', 'text', NULL);
INSERT INTO public.redacted_columns VALUES ('chats', 'created_by', 'text', NULL);
INSERT INTO public.redacted_columns VALUES ('chat_user_messages', 'content', 'text', NULL);
INSERT INTO public.redacted_columns VALUES ('chat_user_messages', 'author', 'text', NULL);
INSERT INTO public.redacted_columns VALUES ('stages', 'error_message', 'text', NULL);
INSERT INTO public.redacted_columns VALUES ('agent_executions', 'error_message', 'text', NULL);
INSERT INTO public.redacted_columns VALUES ('agent_executions', 'conclusion', 'text', NULL);
INSERT INTO public.redacted_columns VALUES ('timeline_events', 'content', 'text', NULL);
INSERT INTO public.redacted_columns VALUES ('timeline_events', 'metadata', 'json', NULL);
INSERT INTO public.redacted_columns VALUES ('messages', 'content', 'text', NULL);
INSERT INTO public.redacted_columns VALUES ('messages', 'tool_calls', 'free_json', NULL);
INSERT INTO public.redacted_columns VALUES ('messages', 'provider_state', 'drop', NULL);
INSERT INTO public.redacted_columns VALUES ('llm_interactions', 'thinking_content', 'text', NULL);
INSERT INTO public.redacted_columns VALUES ('llm_interactions', 'error_message', 'text', NULL);
INSERT INTO public.redacted_columns VALUES ('llm_interactions', 'llm_request', 'json', NULL);
INSERT INTO public.redacted_columns VALUES ('llm_interactions', 'llm_response', 'json', NULL);
INSERT INTO public.redacted_columns VALUES ('llm_interactions', 'response_metadata', 'json', NULL);
INSERT INTO public.redacted_columns VALUES ('mcp_interactions', 'tool_result', 'text', NULL);
INSERT INTO public.redacted_columns VALUES ('mcp_interactions', 'error_message', 'text', NULL);
INSERT INTO public.redacted_columns VALUES ('mcp_interactions', 'tool_arguments', 'free_json', NULL);
INSERT INTO public.redacted_columns VALUES ('mcp_interactions', 'available_tools', 'json', NULL);
INSERT INTO public.redacted_columns VALUES ('tool_results', 'content', 'text', NULL);
INSERT INTO public.redacted_columns VALUES ('tool_approvals', 'reason', 'text', NULL);
INSERT INTO public.redacted_columns VALUES ('tool_approvals', 'tool_arguments', 'free_json', NULL);
INSERT INTO public.redacted_columns VALUES ('tool_definitions', 'description', 'text', NULL);
INSERT INTO public.redacted_columns VALUES ('tool_definitions', 'input_schema', 'text', NULL);
INSERT INTO public.redacted_columns VALUES ('prompt_overrides', 'template', 'text', NULL);
INSERT INTO public.redacted_columns VALUES ('summaries', 'request', 'json', NULL);
INSERT INTO public.redacted_columns VALUES ('summaries', 'summary', 'text', NULL);
INSERT INTO public.redacted_columns VALUES ('summaries', 'error', 'text', NULL);
INSERT INTO public.redacted_columns VALUES ('events', 'payload', 'json', NULL);
INSERT INTO public.redacted_columns VALUES ('dead_letters', 'error', 'text', NULL);
INSERT INTO public.redacted_columns VALUES ('dead_letters', 'payload', 'bytes', NULL);
INSERT INTO public.redacted_columns VALUES ('notifications', 'error', 'text', NULL);
INSERT INTO public.redacted_columns VALUES ('claims', 'text', 'text', NULL);
INSERT INTO public.redacted_columns VALUES ('claims', 'shown', 'text', NULL);
INSERT INTO public.redacted_columns VALUES ('intake_alerts', 'source_id', 'text', NULL);
INSERT INTO public.redacted_columns VALUES ('intake_alerts', 'fingerprint', 'text', NULL);
INSERT INTO public.redacted_columns VALUES ('intake_alerts', 'group_key', 'text', NULL);
INSERT INTO public.redacted_columns VALUES ('intake_alerts', 'title', 'text', NULL);
INSERT INTO public.redacted_columns VALUES ('intake_alerts', 'severity', 'text', NULL);
INSERT INTO public.redacted_columns VALUES ('intake_alerts', 'service', 'text', NULL);
INSERT INTO public.redacted_columns VALUES ('intake_alerts', 'namespace', 'text', NULL);
INSERT INTO public.redacted_columns VALUES ('intake_alerts', 'cluster', 'text', NULL);
INSERT INTO public.redacted_columns VALUES ('intake_alerts', 'runbook_url', 'text', NULL);
INSERT INTO public.redacted_columns VALUES ('intake_alerts', 'labels', 'free_json', NULL);
INSERT INTO public.redacted_columns VALUES ('intake_alerts', 'annotations', 'free_json', NULL);
INSERT INTO public.redacted_columns VALUES ('intake_alerts', 'raw', 'free_json', NULL);
INSERT INTO public.redacted_columns VALUES ('intake_alerts', 'links', 'json', NULL);
INSERT INTO public.redacted_columns VALUES ('intake_alerts', 'decision', 'json', NULL);
INSERT INTO public.redacted_columns VALUES ('intake_alerts', 'notes', 'json', NULL);
INSERT INTO public.redacted_columns VALUES ('overview_alerts', 'fingerprint', 'text', NULL);
INSERT INTO public.redacted_columns VALUES ('overview_alerts', 'title', 'text', NULL);
INSERT INTO public.redacted_columns VALUES ('session_reviews', 'actual_cause', 'text', 4000);
INSERT INTO public.redacted_columns VALUES ('session_reviews', 'object', 'text', 400);
INSERT INTO public.redacted_columns VALUES ('session_reviews', 'category', 'text', 200);
INSERT INTO public.redacted_columns VALUES ('deleted_sessions', 'reason', 'text', 500);
INSERT INTO public.redacted_columns VALUES ('verdicts', 'answer', 'text', 500);
INSERT INTO public.redacted_columns VALUES ('verdicts', 'cause', 'text', 500);
INSERT INTO public.redacted_columns VALUES ('verdicts', 'object_kind', 'text', 253);
INSERT INTO public.redacted_columns VALUES ('verdicts', 'object_name', 'text', 253);
INSERT INTO public.redacted_columns VALUES ('verdicts', 'object_namespace', 'text', 253);
INSERT INTO public.redacted_columns VALUES ('verdicts', 'since', 'text', 253);
INSERT INTO public.redacted_columns VALUES ('verdict_alternatives', 'cause', 'text', 500);
INSERT INTO public.redacted_columns VALUES ('verdict_alternatives', 'object_kind', 'text', 253);
INSERT INTO public.redacted_columns VALUES ('verdict_alternatives', 'object_name', 'text', 253);
INSERT INTO public.redacted_columns VALUES ('verdict_alternatives', 'object_namespace', 'text', 253);
INSERT INTO public.redacted_columns VALUES ('verdict_alternatives', 'because', 'text', 500);
INSERT INTO public.redacted_columns VALUES ('verdict_evidence', 'text', 'text', 500);
INSERT INTO public.redacted_columns VALUES ('verdict_not_examined', 'what', 'text', 500);
INSERT INTO public.redacted_columns VALUES ('verdict_not_examined', 'why', 'text', 500);
INSERT INTO public.redacted_columns VALUES ('verdict_next_steps', 'step', 'text', 500);
INSERT INTO public.redacted_columns VALUES ('verdict_charts', 'metric', 'text', 253);
INSERT INTO public.redacted_columns VALUES ('verdict_charts', 'object', 'text', 253);
INSERT INTO public.redacted_columns VALUES ('verdict_charts', 'unit', 'text', 253);
INSERT INTO public.redacted_columns VALUES ('search_documents', 'body', 'text', 20000);


--
-- Data for Name: restores; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.restores VALUES ('2026-11-29 16:55:28.401814+00', '2026-11-29 16:55:27.556766+00', 'tarsy/test');


--
-- Data for Name: search_backfill; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: search_documents; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.search_documents VALUES ('01a2283c-ac93-77b6-b2b9-08bed5be9fa5', '01a2283c-ac93-77b6-b2b9-08bed5be9fa5', '2026-11-29 16:56:34.720505+00', 'alert', NULL, NULL, 'titleword
alertword of web
kubernetes serviceword alice kubernetes
01a2283c-ac93-77b6-b2b9-08bed5be9fa5', DEFAULT, DEFAULT);
INSERT INTO public.search_documents VALUES ('01a2283c-acd0-7556-8f2d-999b8f3c0169', '01a2283c-ac93-77b6-b2b9-08bed5be9fa5', '2026-11-29 16:56:34.720505+00', 'tool_call', '01a2283c-acd0-7556-8f2d-9996d7637eff', 1, 'kubernetes-server.pods_list
{"pod": "argumentword"}
resultword', DEFAULT, DEFAULT);
INSERT INTO public.search_documents VALUES ('01a2283c-acd0-7556-8f2d-999d81974a82', '01a2283c-ac93-77b6-b2b9-08bed5be9fa5', '2026-11-29 16:56:34.720505+00', 'tool_call', '01a2283c-acd0-7556-8f2d-9997ee9662da', 2, 'kubernetes-server.failing_toolword
{"namespace": "default"}
errorword
', DEFAULT, DEFAULT);
INSERT INTO public.search_documents VALUES ('01a2283c-acd0-7556-8f2d-9998918c31c6', '01a2283c-ac93-77b6-b2b9-08bed5be9fa5', '2026-11-29 16:56:34.720505+00', 'final_analysis', '01a2283c-acd0-7556-8f2d-9998918c31c6', NULL, 'findingword', DEFAULT, DEFAULT);
INSERT INTO public.search_documents VALUES ('01a2283c-acd0-7556-8f2d-9999bd96e955', '01a2283c-ac93-77b6-b2b9-08bed5be9fa5', '2026-11-29 16:56:34.720505+00', 'executive_summary', '01a2283c-acd0-7556-8f2d-9999bd96e955', NULL, 'summaryword', DEFAULT, DEFAULT);
INSERT INTO public.search_documents VALUES ('01a2283c-acd0-7556-8f2d-999afda3290e', '01a2283c-ac93-77b6-b2b9-08bed5be9fa5', '2026-11-29 16:56:34.720505+00', 'error', '01a2283c-acd0-7556-8f2d-999afda3290e', NULL, 'troubleword', DEFAULT, DEFAULT);
INSERT INTO public.search_documents VALUES ('01a2283c-acd0-7556-8f2d-999fbcdb065e', '01a2283c-ac93-77b6-b2b9-08bed5be9fa5', '2026-11-29 16:56:34.720505+00', 'verdict', NULL, NULL, 'confirmed: /var is 100 % full
causeword
disk host web-1
evidenceword
Mem: 64G free', DEFAULT, DEFAULT);
INSERT INTO public.search_documents VALUES ('01a2283c-ad2a-72d8-83e6-9103a4d1ed78', '01a2283c-ac93-77b6-b2b9-08bed5be9fa5', '2026-11-29 16:56:34.720505+00', 'question', '01a2283c-ad2a-72d8-83e6-9103a4d1ed78', NULL, 'questionword?', DEFAULT, DEFAULT);
INSERT INTO public.search_documents VALUES ('01a2283c-7e7d-71e0-b0f5-4fc417091e56', '01a2283c-7e7d-71e0-b0f5-4fc417091e56', '2026-11-29 16:56:22.912655+00', 'alert', NULL, NULL, 'the disk of web-7f9.default is full
kubernetes alice kubernetes
01a2283c-7e7d-71e0-b0f5-4fc417091e56', DEFAULT, DEFAULT);
INSERT INTO public.search_documents VALUES ('01a2283c-eaaa-75c2-acb8-cc9dda948ff3', '01a2283c-eaaa-75c2-acb8-cc9dda948ff3', '2026-11-29 16:56:50.608514+00', 'alert', NULL, NULL, 'the disk of web-7f9.default is full
kubernetes alice kubernetes
01a2283c-eaaa-75c2-acb8-cc9dda948ff3', DEFAULT, DEFAULT);
INSERT INTO public.search_documents VALUES ('01a2283c-eadb-7620-a4ad-8fe8876e8fdf', '01a2283c-eaaa-75c2-acb8-cc9dda948ff3', '2026-11-29 16:56:50.608514+00', 'tool_call', '01a2283c-eadb-7620-a4ad-8fe775eb4067', 1, 'kubernetes-server.pods_list
{"namespace": "default"}
cut', DEFAULT, DEFAULT);
INSERT INTO public.search_documents VALUES ('01a2283c-eb09-7473-9f3e-7ec8352d0a62', '01a2283c-eaaa-75c2-acb8-cc9dda948ff3', '2026-11-29 16:56:50.608514+00', 'final_analysis', '01a2283c-eb09-7473-9f3e-7ec8352d0a62', NULL, '', DEFAULT, DEFAULT);
INSERT INTO public.search_documents VALUES ('27feafa7-45c9-46e9-a68e-61f47e176611', '27feafa7-45c9-46e9-a68e-61f47e176611', '2026-03-02 10:00:00+00', 'alert', NULL, NULL, 'the title
disk
host
27feafa7-45c9-46e9-a68e-61f47e176611', DEFAULT, DEFAULT);
INSERT INTO public.search_documents VALUES ('faa4087d-6b96-4949-8ae4-51b41c13480d', '27feafa7-45c9-46e9-a68e-61f47e176611', '2026-03-02 10:00:00+00', 'tool_call', NULL, 1, 'k8s.pods_log', DEFAULT, DEFAULT);
INSERT INTO public.search_documents VALUES ('a7593230-9c80-46b6-86dd-5739a723d2ef', 'a7593230-9c80-46b6-86dd-5739a723d2ef', '2026-03-02 10:00:00+00', 'alert', NULL, NULL, 'the title
disk
host
a7593230-9c80-46b6-86dd-5739a723d2ef', DEFAULT, DEFAULT);
INSERT INTO public.search_documents VALUES ('3d03448c-2f78-4ae3-93ba-02b462664768', 'a7593230-9c80-46b6-86dd-5739a723d2ef', '2026-03-02 10:00:00+00', 'tool_call', NULL, 1, 'k8s.pods_log', DEFAULT, DEFAULT);
INSERT INTO public.search_documents VALUES ('d96cc551-fb16-49e8-8191-ad7542d4ca5e', 'd96cc551-fb16-49e8-8191-ad7542d4ca5e', '2026-03-02 10:00:00+00', 'alert', NULL, NULL, 'the title
disk
host
d96cc551-fb16-49e8-8191-ad7542d4ca5e', DEFAULT, DEFAULT);
INSERT INTO public.search_documents VALUES ('c46565a1-0b45-4619-84db-0dcf09cfc0cd', 'd96cc551-fb16-49e8-8191-ad7542d4ca5e', '2026-03-02 10:00:00+00', 'tool_call', NULL, 1, 'k8s.pods_log', DEFAULT, DEFAULT);
INSERT INTO public.search_documents VALUES ('f2ec7318-9e76-494b-93db-d04d307ed18a', 'f2ec7318-9e76-494b-93db-d04d307ed18a', '2026-03-02 10:00:00+00', 'alert', NULL, NULL, 'the title
disk
host
f2ec7318-9e76-494b-93db-d04d307ed18a', DEFAULT, DEFAULT);
INSERT INTO public.search_documents VALUES ('27f26718-9e5f-4ca1-8fbf-1a12837dd188', 'f2ec7318-9e76-494b-93db-d04d307ed18a', '2026-03-02 10:00:00+00', 'tool_call', NULL, 1, 'k8s.pods_log', DEFAULT, DEFAULT);
INSERT INTO public.search_documents VALUES ('8383ed64-66c3-4f3a-a71f-c33b6377e82b', '8383ed64-66c3-4f3a-a71f-c33b6377e82b', '2026-03-02 10:00:00+00', 'alert', NULL, NULL, 'the title
disk
host
8383ed64-66c3-4f3a-a71f-c33b6377e82b', DEFAULT, DEFAULT);
INSERT INTO public.search_documents VALUES ('d1aaa8d5-94f9-4413-8945-002e67171bef', '8383ed64-66c3-4f3a-a71f-c33b6377e82b', '2026-03-02 10:00:00+00', 'tool_call', NULL, 1, 'k8s.pods_log', DEFAULT, DEFAULT);
INSERT INTO public.search_documents VALUES ('90c2c393-a34f-4828-b7db-4ec599f5be02', '90c2c393-a34f-4828-b7db-4ec599f5be02', '2026-03-02 10:00:00+00', 'alert', NULL, NULL, 'the title
disk
host
90c2c393-a34f-4828-b7db-4ec599f5be02', DEFAULT, DEFAULT);
INSERT INTO public.search_documents VALUES ('a0c7ba8c-3d7e-4aca-b2d8-3c66f918698b', '90c2c393-a34f-4828-b7db-4ec599f5be02', '2026-03-02 10:00:00+00', 'tool_call', NULL, 1, 'k8s.pods_log', DEFAULT, DEFAULT);
INSERT INTO public.search_documents VALUES ('3bca3892-70ea-4eb4-9af0-7d4666511453', '3bca3892-70ea-4eb4-9af0-7d4666511453', '2026-03-02 10:00:00+00', 'alert', NULL, NULL, 'the title
disk
host
3bca3892-70ea-4eb4-9af0-7d4666511453', DEFAULT, DEFAULT);
INSERT INTO public.search_documents VALUES ('a1e1baf4-d115-40e9-ae66-ff696b2559c1', '3bca3892-70ea-4eb4-9af0-7d4666511453', '2026-03-02 10:00:00+00', 'tool_call', NULL, 1, 'k8s.pods_log', DEFAULT, DEFAULT);
INSERT INTO public.search_documents VALUES ('95e4154e-65ed-4707-814f-5fb0aa7023ce', '95e4154e-65ed-4707-814f-5fb0aa7023ce', '2026-03-02 10:00:00+00', 'alert', NULL, NULL, 'the title
disk
host
95e4154e-65ed-4707-814f-5fb0aa7023ce', DEFAULT, DEFAULT);
INSERT INTO public.search_documents VALUES ('2756e5ba-9c62-4645-bd75-3c5a119433f9', '95e4154e-65ed-4707-814f-5fb0aa7023ce', '2026-03-02 10:00:00+00', 'tool_call', NULL, 1, 'k8s.pods_log', DEFAULT, DEFAULT);
INSERT INTO public.search_documents VALUES ('2d623a10-ecd1-4cc5-8333-cd09ddde24c5', '2d623a10-ecd1-4cc5-8333-cd09ddde24c5', '2026-03-02 10:00:00+00', 'alert', NULL, NULL, 'the title
disk
host
2d623a10-ecd1-4cc5-8333-cd09ddde24c5', DEFAULT, DEFAULT);
INSERT INTO public.search_documents VALUES ('15a9a6ee-ec0e-41f2-aaa3-50f11ef6e45d', '2d623a10-ecd1-4cc5-8333-cd09ddde24c5', '2026-03-02 10:00:00+00', 'tool_call', NULL, 1, 'k8s.pods_log', DEFAULT, DEFAULT);
INSERT INTO public.search_documents VALUES ('2e9def80-d1d3-4d7d-93c8-4c87021ec84c', '2e9def80-d1d3-4d7d-93c8-4c87021ec84c', '2026-03-02 10:00:00+00', 'alert', NULL, NULL, 'the title
disk
host
2e9def80-d1d3-4d7d-93c8-4c87021ec84c', DEFAULT, DEFAULT);
INSERT INTO public.search_documents VALUES ('13e0ddb6-3b38-40d2-aa45-d2d64ce2c1e6', '2e9def80-d1d3-4d7d-93c8-4c87021ec84c', '2026-03-02 10:00:00+00', 'tool_call', NULL, 1, 'k8s.pods_log', DEFAULT, DEFAULT);
INSERT INTO public.search_documents VALUES ('317b339f-12eb-43f6-8c18-9fb70db331a5', '317b339f-12eb-43f6-8c18-9fb70db331a5', '2026-03-02 10:00:00+00', 'alert', NULL, NULL, 'the title
disk
host
317b339f-12eb-43f6-8c18-9fb70db331a5', DEFAULT, DEFAULT);
INSERT INTO public.search_documents VALUES ('18e927f3-3946-4ad7-bcfe-7aaa19e6fe5c', '317b339f-12eb-43f6-8c18-9fb70db331a5', '2026-03-02 10:00:00+00', 'tool_call', NULL, 1, 'k8s.pods_log', DEFAULT, DEFAULT);
INSERT INTO public.search_documents VALUES ('07fd10a7-399f-4273-91d5-05fe48fe3361', '07fd10a7-399f-4273-91d5-05fe48fe3361', '2026-03-02 10:00:00+00', 'alert', NULL, NULL, 'the title
disk
host
07fd10a7-399f-4273-91d5-05fe48fe3361', DEFAULT, DEFAULT);
INSERT INTO public.search_documents VALUES ('0d5b3f79-eb9a-46ee-980c-fff8aa866d21', '07fd10a7-399f-4273-91d5-05fe48fe3361', '2026-03-02 10:00:00+00', 'tool_call', NULL, 1, 'k8s.pods_log', DEFAULT, DEFAULT);
INSERT INTO public.search_documents VALUES ('25b00c7c-daa6-41ad-9f1b-d49758c912ee', '25b00c7c-daa6-41ad-9f1b-d49758c912ee', '2026-03-02 10:00:00+00', 'alert', NULL, NULL, 'the title
disk
host
25b00c7c-daa6-41ad-9f1b-d49758c912ee', DEFAULT, DEFAULT);
INSERT INTO public.search_documents VALUES ('8cf16097-2029-4d75-b7a0-dad067de5133', '25b00c7c-daa6-41ad-9f1b-d49758c912ee', '2026-03-02 10:00:00+00', 'tool_call', NULL, 1, 'k8s.pods_log', DEFAULT, DEFAULT);
INSERT INTO public.search_documents VALUES ('c63f3620-1025-4947-911f-50d1bc101ff1', 'c63f3620-1025-4947-911f-50d1bc101ff1', '2026-03-02 10:00:00+00', 'alert', NULL, NULL, 'the title
disk
host
c63f3620-1025-4947-911f-50d1bc101ff1', DEFAULT, DEFAULT);
INSERT INTO public.search_documents VALUES ('538da71d-6dc2-4394-af32-745668611298', 'c63f3620-1025-4947-911f-50d1bc101ff1', '2026-03-02 10:00:00+00', 'tool_call', NULL, 1, 'k8s.pods_log', DEFAULT, DEFAULT);
INSERT INTO public.search_documents VALUES ('6a3eb93a-6efe-4086-8df6-73593b6bdfce', '6a3eb93a-6efe-4086-8df6-73593b6bdfce', '2026-03-02 10:00:00+00', 'alert', NULL, NULL, 'the title
disk
host
6a3eb93a-6efe-4086-8df6-73593b6bdfce', DEFAULT, DEFAULT);
INSERT INTO public.search_documents VALUES ('9499bf8c-8fa4-4eb2-8699-3bb94e173414', '6a3eb93a-6efe-4086-8df6-73593b6bdfce', '2026-03-02 10:00:00+00', 'tool_call', NULL, 1, 'k8s.pods_log', DEFAULT, DEFAULT);
INSERT INTO public.search_documents VALUES ('eab50b32-0b50-4a81-8538-0049eef22494', 'eab50b32-0b50-4a81-8538-0049eef22494', '2026-03-02 10:00:00+00', 'alert', NULL, NULL, 'the title
disk
host
eab50b32-0b50-4a81-8538-0049eef22494', DEFAULT, DEFAULT);
INSERT INTO public.search_documents VALUES ('028d92de-505d-4045-a174-d7c81eeb6061', 'eab50b32-0b50-4a81-8538-0049eef22494', '2026-03-02 10:00:00+00', 'tool_call', NULL, 1, 'k8s.pods_log', DEFAULT, DEFAULT);
INSERT INTO public.search_documents VALUES ('d1227296-e39c-4028-b3d8-525eafdb41ae', 'd1227296-e39c-4028-b3d8-525eafdb41ae', '2026-03-02 10:00:00+00', 'alert', NULL, NULL, 'the title
disk
host
d1227296-e39c-4028-b3d8-525eafdb41ae', DEFAULT, DEFAULT);
INSERT INTO public.search_documents VALUES ('448d59e3-1e27-41b0-b56d-f95a430c4988', 'd1227296-e39c-4028-b3d8-525eafdb41ae', '2026-03-02 10:00:00+00', 'tool_call', NULL, 1, 'k8s.pods_log', DEFAULT, DEFAULT);
INSERT INTO public.search_documents VALUES ('d9626e44-dd2c-4e0d-b2ef-c9919f941d6e', 'd9626e44-dd2c-4e0d-b2ef-c9919f941d6e', '2026-03-02 10:00:00+00', 'alert', NULL, NULL, 'the title
disk
host
d9626e44-dd2c-4e0d-b2ef-c9919f941d6e', DEFAULT, DEFAULT);
INSERT INTO public.search_documents VALUES ('6495d3bd-b847-4b0c-a1df-78f977d0cdbd', 'd9626e44-dd2c-4e0d-b2ef-c9919f941d6e', '2026-03-02 10:00:00+00', 'tool_call', NULL, 1, 'k8s.pods_log', DEFAULT, DEFAULT);
INSERT INTO public.search_documents VALUES ('b1292da8-119f-432e-8538-f7ebd9a1c695', 'b1292da8-119f-432e-8538-f7ebd9a1c695', '2026-03-02 10:00:00+00', 'alert', NULL, NULL, 'the title
disk
host
b1292da8-119f-432e-8538-f7ebd9a1c695', DEFAULT, DEFAULT);
INSERT INTO public.search_documents VALUES ('84d1315f-c71f-4181-8070-f03f5f68756f', 'b1292da8-119f-432e-8538-f7ebd9a1c695', '2026-03-02 10:00:00+00', 'tool_call', NULL, 1, 'k8s.pods_log', DEFAULT, DEFAULT);
INSERT INTO public.search_documents VALUES ('dd27fa61-cabe-4792-95ba-b79dc011ffaa', 'dd27fa61-cabe-4792-95ba-b79dc011ffaa', '2026-03-02 10:00:00+00', 'alert', NULL, NULL, 'the title
disk
host
dd27fa61-cabe-4792-95ba-b79dc011ffaa', DEFAULT, DEFAULT);
INSERT INTO public.search_documents VALUES ('5e5512e2-bb81-47d9-953e-5eae1b294811', 'dd27fa61-cabe-4792-95ba-b79dc011ffaa', '2026-03-02 10:00:00+00', 'tool_call', NULL, 1, 'k8s.pods_log', DEFAULT, DEFAULT);
INSERT INTO public.search_documents VALUES ('01a2283c-16cf-76e1-b0c4-0f8760ae9e15', '01a2283c-16cf-76e1-b0c4-0f8760ae9e15', '2026-11-29 16:55:56.374692+00', 'alert', NULL, NULL, 'the disk of web-7f9.default is full
kubernetes alice kubernetes
01a2283c-16cf-76e1-b0c4-0f8760ae9e15', DEFAULT, DEFAULT);
INSERT INTO public.search_documents VALUES ('01a2283c-6955-70b7-96fc-9097e8173b85', '01a2283c-6955-70b7-96fc-9097e8173b85', '2026-11-29 16:56:17.507985+00', 'alert', NULL, NULL, 'the disk of web-7f9.default is full
kubernetes alice kubernetes
01a2283c-6955-70b7-96fc-9097e8173b85', DEFAULT, DEFAULT);
INSERT INTO public.search_documents VALUES ('01a2283c-6a12-7352-85be-aa0e8660dc0d', '01a2283c-6a12-7352-85be-aa0e8660dc0d', '2026-11-29 16:56:17.68244+00', 'alert', NULL, NULL, 'the disk of web-7f9.default is full
kubernetes ada kubernetes
01a2283c-6a12-7352-85be-aa0e8660dc0d', DEFAULT, DEFAULT);
INSERT INTO public.search_documents VALUES ('01a2283b-f84c-755a-af62-efa9189fae64', '01a2283b-f84c-755a-af62-efa9189fae64', '2026-11-29 16:55:48.559409+00', 'alert', NULL, NULL, 'the disk of web-7f9.default is full
kubernetes alice kubernetes
01a2283b-f84c-755a-af62-efa9189fae64', DEFAULT, DEFAULT);
INSERT INTO public.search_documents VALUES ('01a2283c-172a-72b3-90a1-8ed200963695', '01a2283c-172a-72b3-90a1-8ed200963695', '2026-11-29 16:55:56.471218+00', 'alert', NULL, NULL, 'the disk of web-7f9.default is full
kubernetes alice kubernetes
01a2283c-172a-72b3-90a1-8ed200963695', DEFAULT, DEFAULT);
INSERT INTO public.search_documents VALUES ('01a2283c-d584-75bc-b98f-661dca319350', '01a2283c-d584-75bc-b98f-661dca319350', '2026-11-29 16:56:45.21503+00', 'alert', NULL, NULL, 'the disk of web-7f9.default is full
kubernetes alice kubernetes
01a2283c-d584-75bc-b98f-661dca319350', DEFAULT, DEFAULT);
INSERT INTO public.search_documents VALUES ('01a2283c-d607-77d0-a94f-33dbbe5f167a', '01a2283c-d584-75bc-b98f-661dca319350', '2026-11-29 16:56:45.21503+00', 'tool_call', '01a2283c-d607-77d0-a94f-33d969a4b6c6', 1, 'kubernetes-server.pods_list
{"namespace": "default"}', DEFAULT, DEFAULT);
INSERT INTO public.search_documents VALUES ('01a2283c-cbe6-7225-98e0-8976cc8ac515', '01a2283c-cbe6-7225-98e0-8976cc8ac515', '2026-11-29 16:56:42.733493+00', 'alert', NULL, NULL, 'the disk of web-7f9.default is full
kubernetes alice kubernetes
01a2283c-cbe6-7225-98e0-8976cc8ac515', DEFAULT, DEFAULT);
INSERT INTO public.search_documents VALUES ('01a2283c-cc0f-7641-81dd-e31cbac90d17', '01a2283c-cbe6-7225-98e0-8976cc8ac515', '2026-11-29 16:56:42.733493+00', 'tool_call', '01a2283c-cc0f-7641-81dd-e31b33b4ac1a', 1, 'kubernetes-server.pods_list
{"namespace": "default"}
the whole', DEFAULT, DEFAULT);
INSERT INTO public.search_documents VALUES ('01a2283c-efdd-74e3-809f-614c8e6efc07', '01a2283c-efdd-74e3-809f-614c8e6efc07', '2026-11-29 16:56:51.941519+00', 'alert', NULL, NULL, 'the disk of web-7f9.default is full
kubernetes alice kubernetes
01a2283c-efdd-74e3-809f-614c8e6efc07', DEFAULT, DEFAULT);
INSERT INTO public.search_documents VALUES ('01a2283c-f004-7432-be26-7e93148f372f', '01a2283c-efdd-74e3-809f-614c8e6efc07', '2026-11-29 16:56:51.941519+00', 'verdict', NULL, NULL, 'confirmed: 39G of 40G
the disk is full
disk Pod shop web-1
/var 40G 39G
probe failed
no space left', DEFAULT, DEFAULT);


--
-- Data for Name: session_aliases; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: session_control; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.session_control VALUES ('01a2283c-ac93-77b6-b2b9-08bed5be9fa5', NULL, 2, NULL, 0, NULL, NULL, 21, 6, 2, '2026-11-29 16:56:34.720505+00');
INSERT INTO public.session_control VALUES ('01a2283c-7e7d-71e0-b0f5-4fc417091e56', NULL, 0, NULL, 0, NULL, NULL, 1, 0, 0, '2026-11-29 16:56:22.912655+00');
INSERT INTO public.session_control VALUES ('01a2283c-eaaa-75c2-acb8-cc9dda948ff3', 'owner', 1, '2026-11-29 17:06:50.637884+00', 1, NULL, NULL, 8, 2, 1, '2026-11-29 16:56:50.608514+00');
INSERT INTO public.session_control VALUES ('01a2283c-16cf-76e1-b0c4-0f8760ae9e15', NULL, 2, NULL, 1, NULL, NULL, 3, 0, 0, '2026-11-29 16:55:56.374692+00');
INSERT INTO public.session_control VALUES ('01a2283c-6955-70b7-96fc-9097e8173b85', NULL, 2, NULL, 1, NULL, NULL, 5, 0, 0, '2026-11-29 16:56:17.507985+00');
INSERT INTO public.session_control VALUES ('01a2283c-6a12-7352-85be-aa0e8660dc0d', NULL, 2, NULL, 1, NULL, NULL, 5, 0, 0, '2026-11-29 16:56:17.68244+00');
INSERT INTO public.session_control VALUES ('01a2283b-f84c-755a-af62-efa9189fae64', 'owner', 1, '2026-11-29 17:05:48.576937+00', 1, NULL, NULL, 3, 0, 0, '2026-11-29 16:55:48.559409+00');
INSERT INTO public.session_control VALUES ('01a2283c-172a-72b3-90a1-8ed200963695', NULL, 2, NULL, 1, NULL, NULL, 3, 0, 0, '2026-11-29 16:55:56.471218+00');
INSERT INTO public.session_control VALUES ('01a2283c-d584-75bc-b98f-661dca319350', NULL, 2, '2026-11-29 17:06:45.327585+00', 0, NULL, '2026-11-29 16:56:45.361077+00', 6, 2, 1, '2026-11-29 16:56:45.21503+00');
INSERT INTO public.session_control VALUES ('01a2283c-cbe6-7225-98e0-8976cc8ac515', 'owner', 1, '2026-11-29 17:06:42.754389+00', 1, NULL, NULL, 6, 1, 1, '2026-11-29 16:56:42.733493+00');
INSERT INTO public.session_control VALUES ('01a2283c-efdd-74e3-809f-614c8e6efc07', NULL, 2, NULL, 1, NULL, NULL, 6, 0, 0, '2026-11-29 16:56:51.941519+00');


--
-- Data for Name: session_reviews; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.session_reviews VALUES ('01a2283c-17a4-73a7-8c68-dead80abb1ce', '01a2283c-172a-72b3-90a1-8ed200963695', 1, 'accurate', NULL, NULL, NULL, 'rosa', '2026-11-29 16:55:56.577117+00');
INSERT INTO public.session_reviews VALUES ('01a2283c-17cd-7382-b901-c9f58103ad3f', '01a2283c-172a-72b3-90a1-8ed200963695', 2, 'wrong', NULL, NULL, NULL, 'rosa', '2026-11-29 16:55:56.620201+00');


--
-- Data for Name: session_words; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.session_words VALUES ('01a2283c-ac93-77b6-b2b9-08bed5be9fa5', '''alertword'':1 ''alice'':6 ''kubernetes'':4,5 ''of'':2 ''web'':3');
INSERT INTO public.session_words VALUES ('01a2283c-7e7d-71e0-b0f5-4fc417091e56', '''7f9'':5 ''alice'':11 ''default'':6 ''disk'':2 ''full'':8 ''is'':7 ''kubernetes'':9,10 ''of'':3 ''the'':1 ''web'':4');
INSERT INTO public.session_words VALUES ('01a2283c-eaaa-75c2-acb8-cc9dda948ff3', '''7f9'':5 ''alice'':11 ''default'':6 ''disk'':2 ''full'':8 ''is'':7 ''kubernetes'':9,10 ''of'':3 ''the'':1 ''web'':4');
INSERT INTO public.session_words VALUES ('27feafa7-45c9-46e9-a68e-61f47e176611', '''disk'':1 ''host'':2');
INSERT INTO public.session_words VALUES ('a7593230-9c80-46b6-86dd-5739a723d2ef', '''disk'':1 ''host'':2');
INSERT INTO public.session_words VALUES ('d96cc551-fb16-49e8-8191-ad7542d4ca5e', '''disk'':1 ''host'':2');
INSERT INTO public.session_words VALUES ('f2ec7318-9e76-494b-93db-d04d307ed18a', '''disk'':1 ''host'':2');
INSERT INTO public.session_words VALUES ('8383ed64-66c3-4f3a-a71f-c33b6377e82b', '''disk'':1 ''host'':2');
INSERT INTO public.session_words VALUES ('90c2c393-a34f-4828-b7db-4ec599f5be02', '''disk'':1 ''host'':2');
INSERT INTO public.session_words VALUES ('3bca3892-70ea-4eb4-9af0-7d4666511453', '''disk'':1 ''host'':2');
INSERT INTO public.session_words VALUES ('95e4154e-65ed-4707-814f-5fb0aa7023ce', '''disk'':1 ''host'':2');
INSERT INTO public.session_words VALUES ('2d623a10-ecd1-4cc5-8333-cd09ddde24c5', '''disk'':1 ''host'':2');
INSERT INTO public.session_words VALUES ('2e9def80-d1d3-4d7d-93c8-4c87021ec84c', '''disk'':1 ''host'':2');
INSERT INTO public.session_words VALUES ('317b339f-12eb-43f6-8c18-9fb70db331a5', '''disk'':1 ''host'':2');
INSERT INTO public.session_words VALUES ('07fd10a7-399f-4273-91d5-05fe48fe3361', '''disk'':1 ''host'':2');
INSERT INTO public.session_words VALUES ('25b00c7c-daa6-41ad-9f1b-d49758c912ee', '''disk'':1 ''host'':2');
INSERT INTO public.session_words VALUES ('c63f3620-1025-4947-911f-50d1bc101ff1', '''disk'':1 ''host'':2');
INSERT INTO public.session_words VALUES ('6a3eb93a-6efe-4086-8df6-73593b6bdfce', '''disk'':1 ''host'':2');
INSERT INTO public.session_words VALUES ('eab50b32-0b50-4a81-8538-0049eef22494', '''disk'':1 ''host'':2');
INSERT INTO public.session_words VALUES ('d1227296-e39c-4028-b3d8-525eafdb41ae', '''disk'':1 ''host'':2');
INSERT INTO public.session_words VALUES ('d9626e44-dd2c-4e0d-b2ef-c9919f941d6e', '''disk'':1 ''host'':2');
INSERT INTO public.session_words VALUES ('b1292da8-119f-432e-8538-f7ebd9a1c695', '''disk'':1 ''host'':2');
INSERT INTO public.session_words VALUES ('dd27fa61-cabe-4792-95ba-b79dc011ffaa', '''disk'':1 ''host'':2');
INSERT INTO public.session_words VALUES ('01a2283c-16cf-76e1-b0c4-0f8760ae9e15', '''7f9'':5 ''alice'':11 ''default'':6 ''disk'':2 ''full'':8 ''is'':7 ''kubernetes'':9,10 ''of'':3 ''the'':1 ''web'':4');
INSERT INTO public.session_words VALUES ('01a2283c-6955-70b7-96fc-9097e8173b85', '''7f9'':5 ''alice'':13 ''default'':6 ''disk'':2 ''full'':8 ''is'':7 ''kubernetes'':11,12 ''of'':3 ''pods'':10 ''the'':1 ''three'':9 ''web'':4');
INSERT INTO public.session_words VALUES ('01a2283c-6a12-7352-85be-aa0e8660dc0d', '''7f9'':5 ''ada'':13 ''default'':6 ''disk'':2 ''full'':8 ''is'':7 ''kubernetes'':11,12 ''of'':3 ''pods'':10 ''the'':1 ''three'':9 ''web'':4');
INSERT INTO public.session_words VALUES ('01a2283b-f84c-755a-af62-efa9189fae64', '''7f9'':5 ''alice'':11 ''default'':6 ''disk'':2 ''full'':8 ''is'':7 ''kubernetes'':9,10 ''of'':3 ''the'':1 ''web'':4');
INSERT INTO public.session_words VALUES ('01a2283c-172a-72b3-90a1-8ed200963695', '''7f9'':5 ''alice'':11 ''default'':6 ''disk'':2 ''full'':8 ''is'':7 ''kubernetes'':9,10 ''of'':3 ''the'':1 ''web'':4');
INSERT INTO public.session_words VALUES ('01a2283c-d584-75bc-b98f-661dca319350', '''7f9'':5 ''alice'':11 ''default'':6 ''disk'':2 ''full'':8 ''is'':7 ''kubernetes'':9,10 ''of'':3 ''the'':1 ''web'':4');
INSERT INTO public.session_words VALUES ('01a2283c-cbe6-7225-98e0-8976cc8ac515', '''7f9'':5 ''alice'':11 ''default'':6 ''disk'':2 ''full'':8 ''is'':7 ''kubernetes'':9,10 ''of'':3 ''the'':1 ''web'':4');
INSERT INTO public.session_words VALUES ('01a2283c-efdd-74e3-809f-614c8e6efc07', '''7f9'':5 ''alice'':11 ''default'':6 ''disk'':2 ''full'':8 ''is'':7 ''kubernetes'':9,10 ''of'':3 ''the'':1 ''web'':4');


--
-- Data for Name: sign_ins; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.sign_ins VALUES ('01a2283b-9206-73bd-9f6f-eed73ccb3874', '\x0202020202020202020202020202020202020202020202020202020202020202', 'bob', '{sre,on-�call}', '127.0.0.1', '2026-11-29 16:55:22.374849+00', '2026-11-29 17:55:22.374849+00', '2026-11-29 16:55:22.374849+00', NULL, NULL);
INSERT INTO public.sign_ins VALUES ('01a2283b-9201-7617-8e4c-70eb03cbe589', '\x0101010101010101010101010101010101010101010101010101010101010101', 'alice', '{sre,on-�call}', '127.0.0.1', '2026-11-29 16:55:22.370689+00', '2026-11-29 17:55:22.370689+00', '2026-11-29 16:55:22.370689+00', '2026-11-29 16:55:22.388885+00', 'sign_out');


--
-- Data for Name: stages; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.stages VALUES ('01a2283c-acbc-7792-a5c1-2aabf7661ed2', '01a2283c-ac93-77b6-b2b9-08bed5be9fa5', 'triage', 0, 1, NULL, 'any', NULL, NULL, NULL, NULL, 'failed', NULL, '2026-11-29 16:56:34.766248+00', '2026-11-29 16:56:34.766248+00', '2026-11-29 16:56:34.82121+00');
INSERT INTO public.stages VALUES ('01a2283c-ad1e-71e3-905a-dc425b8f151f', '01a2283c-ac93-77b6-b2b9-08bed5be9fa5', 'Chat Response', 1, 1, NULL, NULL, NULL, '01a2283c-ad1e-71e3-905a-dc402d3f8b38', '01a2283c-ad1e-71e3-905a-dc413a3691e0', NULL, 'pending', NULL, '2026-11-29 16:56:34.845934+00', NULL, NULL);
INSERT INTO public.stages VALUES ('01a2283c-eacf-71b3-8ab3-944a8a5370e2', '01a2283c-eaaa-75c2-acb8-cc9dda948ff3', 'triage', 0, 1, NULL, 'any', NULL, NULL, NULL, NULL, 'active', NULL, '2026-11-29 16:56:50.647+00', '2026-11-29 16:56:50.647+00', NULL);
INSERT INTO public.stages VALUES ('01a2283c-6991-7551-a31e-9213bf2311e3', '01a2283c-6955-70b7-96fc-9097e8173b85', 'triage', 0, 1, NULL, 'any', NULL, NULL, NULL, NULL, 'failed', NULL, '2026-11-29 16:56:17.563426+00', '2026-11-29 16:56:17.563426+00', '2026-11-29 16:56:17.608496+00');
INSERT INTO public.stages VALUES ('01a2283c-6a34-73fb-bd34-97de71e7ac86', '01a2283c-6a12-7352-85be-aa0e8660dc0d', 'triage', 0, 1, NULL, 'any', NULL, NULL, NULL, NULL, 'failed', NULL, '2026-11-29 16:56:17.720516+00', '2026-11-29 16:56:17.720516+00', '2026-11-29 16:56:17.730471+00');
INSERT INTO public.stages VALUES ('01a2283b-f865-70a6-b15c-785a6ed9b35c', '01a2283b-f84c-755a-af62-efa9189fae64', 'triage', 0, 1, NULL, 'any', NULL, NULL, NULL, NULL, 'active', NULL, '2026-11-29 16:55:48.587921+00', '2026-11-29 16:55:48.587921+00', NULL);
INSERT INTO public.stages VALUES ('01a2283c-d5e9-7749-8e33-4909543ee0cd', '01a2283c-d584-75bc-b98f-661dca319350', 'triage', 0, 1, NULL, 'any', NULL, NULL, NULL, NULL, 'active', NULL, '2026-11-29 16:56:45.317229+00', '2026-11-29 16:56:45.317229+00', NULL);
INSERT INTO public.stages VALUES ('01a2283c-cc08-766e-bf8e-aa9ae61aac0f', '01a2283c-cbe6-7225-98e0-8976cc8ac515', 'triage', 0, 1, NULL, 'any', NULL, NULL, NULL, NULL, 'active', NULL, '2026-11-29 16:56:42.765868+00', '2026-11-29 16:56:42.765868+00', NULL);
INSERT INTO public.stages VALUES ('01a2283c-effc-7704-8742-92a47b815f51', '01a2283c-efdd-74e3-809f-614c8e6efc07', 'triage', 0, 1, NULL, 'any', NULL, NULL, NULL, NULL, 'failed', NULL, '2026-11-29 16:56:51.970343+00', '2026-11-29 16:56:51.970343+00', '2026-11-29 16:56:52.005578+00');


--
-- Data for Name: summaries; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.summaries VALUES ('01a2283c-cc0f-7641-81dd-e31e3fa13a63', '01a2283c-cbe6-7225-98e0-8976cc8ac515', '01a2283c-cc0f-7641-81dd-e31cbac90d17', NULL, 'in_progress', 'summarizer-1', 1, '2026-11-29 17:06:42.810223+00', 1, '{"tool_name": "logs"}', NULL, NULL, 0, 0, 0, 0, '2026-11-29 16:56:42.769028+00', NULL);


--
-- Data for Name: timeline_events; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.timeline_events VALUES ('01a2283c-acd0-7556-8f2d-9998918c31c6', '01a2283c-ac93-77b6-b2b9-08bed5be9fa5', '01a2283c-acbc-7792-a5c1-2aabf7661ed2', '01a2283c-acbc-7792-a5c1-2aac6ec737e7', 3, 'final_analysis', 'completed', 'findingword', NULL, '2026-11-29 16:56:34.768735+00', '2026-11-29 16:56:34.768735+00');
INSERT INTO public.timeline_events VALUES ('01a2283c-acd0-7556-8f2d-9999bd96e955', '01a2283c-ac93-77b6-b2b9-08bed5be9fa5', '01a2283c-acbc-7792-a5c1-2aabf7661ed2', '01a2283c-acbc-7792-a5c1-2aac6ec737e7', 4, 'executive_summary', 'completed', 'summaryword', NULL, '2026-11-29 16:56:34.768735+00', '2026-11-29 16:56:34.768735+00');
INSERT INTO public.timeline_events VALUES ('01a2283c-acd0-7556-8f2d-999afda3290e', '01a2283c-ac93-77b6-b2b9-08bed5be9fa5', '01a2283c-acbc-7792-a5c1-2aabf7661ed2', '01a2283c-acbc-7792-a5c1-2aac6ec737e7', 5, 'error', 'completed', 'troubleword', NULL, '2026-11-29 16:56:34.768735+00', '2026-11-29 16:56:34.768735+00');
INSERT INTO public.timeline_events VALUES ('01a2283c-acd0-7556-8f2d-9996d7637eff', '01a2283c-ac93-77b6-b2b9-08bed5be9fa5', '01a2283c-acbc-7792-a5c1-2aabf7661ed2', '01a2283c-acbc-7792-a5c1-2aac6ec737e7', 1, 'llm_response', 'failed', '', '{"call_number": 1, "interrupted": true}', '2026-11-29 16:56:34.768735+00', '2026-11-29 16:56:34.82121+00');
INSERT INTO public.timeline_events VALUES ('01a2283c-acd0-7556-8f2d-9997ee9662da', '01a2283c-ac93-77b6-b2b9-08bed5be9fa5', '01a2283c-acbc-7792-a5c1-2aabf7661ed2', '01a2283c-acbc-7792-a5c1-2aac6ec737e7', 2, 'llm_response', 'failed', '', '{"call_number": 2, "interrupted": true}', '2026-11-29 16:56:34.768735+00', '2026-11-29 16:56:34.82121+00');
INSERT INTO public.timeline_events VALUES ('01a2283c-ad2a-72d8-83e6-9103a4d1ed78', '01a2283c-ac93-77b6-b2b9-08bed5be9fa5', '01a2283c-ad1e-71e3-905a-dc425b8f151f', NULL, 6, 'user_question', 'completed', 'questionword?', '{"author": "bob"}', '2026-11-29 16:56:34.845934+00', '2026-11-29 16:56:34.845934+00');
INSERT INTO public.timeline_events VALUES ('01a2283c-eadb-7620-a4ad-8fe775eb4067', '01a2283c-eaaa-75c2-acb8-cc9dda948ff3', '01a2283c-eacf-71b3-8ab3-944a8a5370e2', '01a2283c-eacf-71b3-8ab3-944baaab9243', 1, 'llm_response', 'streaming', '', '{"call_number": 1}', '2026-11-29 16:56:50.651292+00', '2026-11-29 16:56:50.651292+00');
INSERT INTO public.timeline_events VALUES ('01a2283c-eb09-7473-9f3e-7ec8352d0a62', '01a2283c-eaaa-75c2-acb8-cc9dda948ff3', '01a2283c-eacf-71b3-8ab3-944a8a5370e2', '01a2283c-eacf-71b3-8ab3-944baaab9243', 2, 'final_analysis', 'completed', '', NULL, '2026-11-29 16:56:50.702482+00', '2026-11-29 16:56:50.702482+00');
INSERT INTO public.timeline_events VALUES ('01a2283c-d607-77d0-a94f-33d969a4b6c6', '01a2283c-d584-75bc-b98f-661dca319350', '01a2283c-d5e9-7749-8e33-4909543ee0cd', '01a2283c-d5e9-7749-8e33-490a2b7e6c37', 1, 'llm_tool_call', 'streaming', '', '{"call_number": 1}', '2026-11-29 16:56:45.327585+00', '2026-11-29 16:56:45.327585+00');
INSERT INTO public.timeline_events VALUES ('01a2283c-d607-77d0-a94f-33da1cd9ea04', '01a2283c-d584-75bc-b98f-661dca319350', '01a2283c-d5e9-7749-8e33-4909543ee0cd', '01a2283c-d5e9-7749-8e33-490a2b7e6c37', 2, 'tool_approval', 'streaming', '', NULL, '2026-11-29 16:56:45.327585+00', '2026-11-29 16:56:45.327585+00');
INSERT INTO public.timeline_events VALUES ('01a2283c-cc0f-7641-81dd-e31b33b4ac1a', '01a2283c-cbe6-7225-98e0-8976cc8ac515', '01a2283c-cc08-766e-bf8e-aa9ae61aac0f', '01a2283c-cc08-766e-bf8e-aa9b99611bcc', 1, 'llm_tool_call', 'completed', 'the whole', '{"call_number": 1}', '2026-11-29 16:56:42.769028+00', '2026-11-29 16:56:42.769028+00');


--
-- Data for Name: token_usage; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.token_usage VALUES ('2026-11-29', 'a', 1);


--
-- Data for Name: token_usage_parts; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.token_usage_parts VALUES ('2026-11-29', 'a', 6, 1);


--
-- Data for Name: tool_approvals; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.tool_approvals VALUES ('01a2283c-d607-77d0-a94f-33dd7e0a6445', '01a2283c-d584-75bc-b98f-661dca319350', '01a2283c-d5e9-7749-8e33-490a2b7e6c37', '01a2283c-d607-77d0-a94f-33dc62f5d5be', '01a2283c-d607-77d0-a94f-33da1cd9ea04', 'kubernetes-server', 'pods_delete', '{"name": "web-1�"}', '0123', 'it may change something', '2026-11-29 16:56:45.327585+00', '2026-11-29 17:06:45.327585+00', NULL, NULL, NULL, NULL, NULL);


--
-- Data for Name: tool_definitions; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.tool_definitions VALUES ('b50faa02eb225d5051219fb7f9c73c0b302d6fd0bc9a374d6ee94acf536757f1', 'kubernetes-server', 'pods_log', '', '{}', true, true);
INSERT INTO public.tool_definitions VALUES ('c286ea86e189967b899a7d9c0d129796cdbc258591b4495b97d2167739c0faba', 'kubernetes-server', 'pods_list', '', '{}', true, true);


--
-- Data for Name: tool_results; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.tool_results VALUES ('01a2283c-eaf5-733a-a346-f130a7aad3c5', '01a2283c-eadb-7620-a4ad-8fe8876e8fdf', 'filesystem used
  /var 39G  
xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx 39G
last', '2026-11-29 16:56:50.651292+00');
INSERT INTO public.tool_results VALUES ('01a2283c-cc21-7489-8c12-4ad5b3a6d5a3', '01a2283c-cc0f-7641-81dd-e31cbac90d17', 'the whole result, which is long', '2026-11-29 16:56:42.769028+00');


--
-- Data for Name: tool_sets; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.tool_sets VALUES ('e8ad19d4cb0dc98c17c9b20a409da5b324eb7ceb214a02b04a3766f6f6e9e3a8', '{c286ea86e189967b899a7d9c0d129796cdbc258591b4495b97d2167739c0faba,b50faa02eb225d5051219fb7f9c73c0b302d6fd0bc9a374d6ee94acf536757f1}');


--
-- Data for Name: verdict_alternatives; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.verdict_alternatives VALUES ('01a2283c-acd0-7556-8f2d-999fbcdb065e', 1, 'a leak', 'out_of_memory', NULL, NULL, NULL, 'memory is free');
INSERT INTO public.verdict_alternatives VALUES ('01a2283c-f004-7432-be26-7e93148f372f', 1, 'a leak', 'out_of_memory', NULL, NULL, NULL, 'memory is free');
INSERT INTO public.verdict_alternatives VALUES ('01a2283c-f004-7432-be26-7e93148f372f', 2, 'a probe', 'other', 'Pod', 'web-1', 'shop', 'it follows');


--
-- Data for Name: verdict_charts; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.verdict_charts VALUES ('01a2283c-f004-7432-be26-7e93148f372f', 1, 2, 'disk_used_percent', '/var', 'Percent', '{1772359200500,1772359200500}', '{61.25,100}', '2026-03-01 10:00:00.5+00', 61.25, 100);
INSERT INTO public.verdict_charts VALUES ('01a2283c-f004-7432-be26-7e93148f372f', 2, 2, 'disk_used_percent', '', 'Percent', '{1772359200500,1772359200500}', '{61.25,100}', NULL, NULL, NULL);


--
-- Data for Name: verdict_evidence; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.verdict_evidence OVERRIDING SYSTEM VALUE VALUES ('01a2283c-acd0-7556-8f2d-999fbcdb065e', NULL, 1, 3, 17, 'evidenceword', 1);
INSERT INTO public.verdict_evidence OVERRIDING SYSTEM VALUE VALUES ('01a2283c-acd0-7556-8f2d-999fbcdb065e', 1, 1, 1, 2, 'Mem: 64G free', 2);
INSERT INTO public.verdict_evidence OVERRIDING SYSTEM VALUE VALUES ('01a2283c-f004-7432-be26-7e93148f372f', 2, 1, 3, 2, 'probe failed', 3);


--
-- Data for Name: verdict_next_steps; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.verdict_next_steps VALUES ('01a2283c-acd0-7556-8f2d-999fbcdb065e', 1, 'look');
INSERT INTO public.verdict_next_steps VALUES ('01a2283c-acd0-7556-8f2d-999fbcdb065e', 2, 'delete <logs>');
INSERT INTO public.verdict_next_steps VALUES ('01a2283c-f004-7432-be26-7e93148f372f', 1, 'look');
INSERT INTO public.verdict_next_steps VALUES ('01a2283c-f004-7432-be26-7e93148f372f', 2, 'delete logs');


--
-- Data for Name: verdict_not_examined; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.verdict_not_examined VALUES ('01a2283c-acd0-7556-8f2d-999fbcdb065e', 1, 'inodes', 'it failed');
INSERT INTO public.verdict_not_examined VALUES ('01a2283c-f004-7432-be26-7e93148f372f', 1, 'logs', 'it failed');


--
-- Data for Name: verdicts; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.verdicts VALUES ('01a2283c-acd0-7556-8f2d-999fbcdb065e', '01a2283c-ac93-77b6-b2b9-08bed5be9fa5', NULL, 'model', 'cause_found', 'confirmed', 'confirmed: /var is 100 % full', 'causeword', 'disk', 'host', 'web-1', NULL, '3m', 'high', '2026-11-29 16:56:34.768735+00');
INSERT INTO public.verdicts VALUES ('01a2283c-f004-7432-be26-7e93148f372f', '01a2283c-efdd-74e3-809f-614c8e6efc07', '01a2283c-effc-7704-8742-92a50af97225', 'rules', 'cause_found', 'confirmed', 'confirmed: 39G of 40G', 'the disk is full', 'disk', 'Pod', 'web-1', 'shop', '3m', 'medium', '2026-11-29 16:56:51.977106+00');


--
-- Name: intake_alerts_seq_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.intake_alerts_seq_seq', 1, false);


--
-- Name: llm_queue_seq_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.llm_queue_seq_seq', 1, false);


--
-- Name: verdict_evidence_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.verdict_evidence_id_seq', 3, true);


--
-- Name: _sqlx_migrations _sqlx_migrations_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public._sqlx_migrations
    ADD CONSTRAINT _sqlx_migrations_pkey PRIMARY KEY (version);


--
-- Name: accepted_tools accepted_tools_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.accepted_tools
    ADD CONSTRAINT accepted_tools_pkey PRIMARY KEY (server_id, tool_name);


--
-- Name: agent_executions agent_executions_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.agent_executions
    ADD CONSTRAINT agent_executions_pkey PRIMARY KEY (id);


--
-- Name: agent_executions agent_executions_stage_id_agent_index_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.agent_executions
    ADD CONSTRAINT agent_executions_stage_id_agent_index_key UNIQUE (stage_id, agent_index);


--
-- Name: alert_sessions alert_sessions_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.alert_sessions
    ADD CONSTRAINT alert_sessions_pkey PRIMARY KEY (id);


--
-- Name: api_tokens api_tokens_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.api_tokens
    ADD CONSTRAINT api_tokens_pkey PRIMARY KEY (id);


--
-- Name: api_tokens api_tokens_token_hash_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.api_tokens
    ADD CONSTRAINT api_tokens_token_hash_key UNIQUE (token_hash);


--
-- Name: audit_log audit_log_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.audit_log
    ADD CONSTRAINT audit_log_pkey PRIMARY KEY (id);


--
-- Name: audit_retention audit_retention_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.audit_retention
    ADD CONSTRAINT audit_retention_pkey PRIMARY KEY (only_row);


--
-- Name: chat_user_messages chat_user_messages_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.chat_user_messages
    ADD CONSTRAINT chat_user_messages_pkey PRIMARY KEY (id);


--
-- Name: chats chats_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.chats
    ADD CONSTRAINT chats_pkey PRIMARY KEY (id);


--
-- Name: chats chats_session_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.chats
    ADD CONSTRAINT chats_session_id_key UNIQUE (session_id);


--
-- Name: claim_checks claim_checks_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.claim_checks
    ADD CONSTRAINT claim_checks_pkey PRIMARY KEY (id);


--
-- Name: claim_checks claim_checks_timeline_event_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.claim_checks
    ADD CONSTRAINT claim_checks_timeline_event_id_key UNIQUE (timeline_event_id);


--
-- Name: claims claims_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.claims
    ADD CONSTRAINT claims_pkey PRIMARY KEY (check_id, ordinal);


--
-- Name: dead_letters dead_letters_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.dead_letters
    ADD CONSTRAINT dead_letters_pkey PRIMARY KEY (id);


--
-- Name: deleted_sessions deleted_sessions_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.deleted_sessions
    ADD CONSTRAINT deleted_sessions_pkey PRIMARY KEY (session_id);


--
-- Name: events events_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.events
    ADD CONSTRAINT events_pkey PRIMARY KEY (session_id, seq);


--
-- Name: idempotency_keys idempotency_keys_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.idempotency_keys
    ADD CONSTRAINT idempotency_keys_pkey PRIMARY KEY (principal, key);


--
-- Name: intake_alerts intake_alerts_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.intake_alerts
    ADD CONSTRAINT intake_alerts_pkey PRIMARY KEY (id);


--
-- Name: intake_alerts intake_alerts_seq_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.intake_alerts
    ADD CONSTRAINT intake_alerts_seq_key UNIQUE (seq);


--
-- Name: intake_refusals intake_refusals_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.intake_refusals
    ADD CONSTRAINT intake_refusals_pkey PRIMARY KEY (minute, source, sender, reason);


--
-- Name: llm_interactions llm_interactions_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.llm_interactions
    ADD CONSTRAINT llm_interactions_pkey PRIMARY KEY (id);


--
-- Name: llm_queue llm_queue_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.llm_queue
    ADD CONSTRAINT llm_queue_pkey PRIMARY KEY (id);


--
-- Name: mcp_interactions mcp_interactions_call_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.mcp_interactions
    ADD CONSTRAINT mcp_interactions_call_id_key UNIQUE (call_id);


--
-- Name: mcp_interactions mcp_interactions_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.mcp_interactions
    ADD CONSTRAINT mcp_interactions_pkey PRIMARY KEY (id);


--
-- Name: mcp_oauth_tokens mcp_oauth_tokens_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.mcp_oauth_tokens
    ADD CONSTRAINT mcp_oauth_tokens_pkey PRIMARY KEY (server_id);


--
-- Name: messages messages_execution_id_sequence_number_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.messages
    ADD CONSTRAINT messages_execution_id_sequence_number_key UNIQUE (execution_id, sequence_number);


--
-- Name: messages messages_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.messages
    ADD CONSTRAINT messages_pkey PRIMARY KEY (id);


--
-- Name: notification_destinations notification_destinations_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.notification_destinations
    ADD CONSTRAINT notification_destinations_pkey PRIMARY KEY (name);


--
-- Name: notifications notifications_once; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.notifications
    ADD CONSTRAINT notifications_once UNIQUE NULLS NOT DISTINCT (session_id, kind, destination, approval_id, review_id);


--
-- Name: notifications notifications_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.notifications
    ADD CONSTRAINT notifications_pkey PRIMARY KEY (id);


--
-- Name: overview_alerts overview_alerts_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.overview_alerts
    ADD CONSTRAINT overview_alerts_pkey PRIMARY KEY (hour, fingerprint);


--
-- Name: overview_durations overview_durations_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.overview_durations
    ADD CONSTRAINT overview_durations_pkey PRIMARY KEY (hour, step);


--
-- Name: overview_hours overview_hours_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.overview_hours
    ADD CONSTRAINT overview_hours_pkey PRIMARY KEY (hour);


--
-- Name: overview_tools overview_tools_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.overview_tools
    ADD CONSTRAINT overview_tools_pkey PRIMARY KEY (hour, server_name, tool_name);


--
-- Name: prompt_overrides prompt_overrides_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.prompt_overrides
    ADD CONSTRAINT prompt_overrides_pkey PRIMARY KEY (session_id, name);


--
-- Name: quota_windows quota_windows_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.quota_windows
    ADD CONSTRAINT quota_windows_pkey PRIMARY KEY (principal, action);


--
-- Name: redacted_columns redacted_columns_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.redacted_columns
    ADD CONSTRAINT redacted_columns_pkey PRIMARY KEY (table_name, column_name);


--
-- Name: restores restores_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.restores
    ADD CONSTRAINT restores_pkey PRIMARY KEY (restored_at);


--
-- Name: search_backfill search_backfill_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.search_backfill
    ADD CONSTRAINT search_backfill_pkey PRIMARY KEY (only_row);


--
-- Name: search_documents search_documents_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.search_documents
    ADD CONSTRAINT search_documents_pkey PRIMARY KEY (id);


--
-- Name: session_aliases session_aliases_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.session_aliases
    ADD CONSTRAINT session_aliases_pkey PRIMARY KEY (id);


--
-- Name: session_control session_control_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.session_control
    ADD CONSTRAINT session_control_pkey PRIMARY KEY (session_id);


--
-- Name: session_reviews session_reviews_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.session_reviews
    ADD CONSTRAINT session_reviews_pkey PRIMARY KEY (id);


--
-- Name: session_reviews session_reviews_session_id_number_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.session_reviews
    ADD CONSTRAINT session_reviews_session_id_number_key UNIQUE (session_id, number);


--
-- Name: session_words session_words_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.session_words
    ADD CONSTRAINT session_words_pkey PRIMARY KEY (session_id);


--
-- Name: sign_ins sign_ins_cookie_hash_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.sign_ins
    ADD CONSTRAINT sign_ins_cookie_hash_key UNIQUE (cookie_hash);


--
-- Name: sign_ins sign_ins_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.sign_ins
    ADD CONSTRAINT sign_ins_pkey PRIMARY KEY (id);


--
-- Name: stages stages_chat_user_message_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.stages
    ADD CONSTRAINT stages_chat_user_message_id_key UNIQUE (chat_user_message_id);


--
-- Name: stages stages_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.stages
    ADD CONSTRAINT stages_pkey PRIMARY KEY (id);


--
-- Name: stages stages_session_id_stage_index_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.stages
    ADD CONSTRAINT stages_session_id_stage_index_key UNIQUE (session_id, stage_index);


--
-- Name: summaries summaries_mcp_interaction_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.summaries
    ADD CONSTRAINT summaries_mcp_interaction_id_key UNIQUE (mcp_interaction_id);


--
-- Name: summaries summaries_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.summaries
    ADD CONSTRAINT summaries_pkey PRIMARY KEY (id);


--
-- Name: timeline_events timeline_events_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.timeline_events
    ADD CONSTRAINT timeline_events_pkey PRIMARY KEY (id);


--
-- Name: timeline_events timeline_events_session_id_sequence_number_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.timeline_events
    ADD CONSTRAINT timeline_events_session_id_sequence_number_key UNIQUE (session_id, sequence_number);


--
-- Name: token_usage_parts token_usage_parts_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.token_usage_parts
    ADD CONSTRAINT token_usage_parts_pkey PRIMARY KEY (day, principal, part);


--
-- Name: token_usage token_usage_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.token_usage
    ADD CONSTRAINT token_usage_pkey PRIMARY KEY (day, principal);


--
-- Name: tool_approvals tool_approvals_call_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.tool_approvals
    ADD CONSTRAINT tool_approvals_call_id_key UNIQUE (call_id);


--
-- Name: tool_approvals tool_approvals_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.tool_approvals
    ADD CONSTRAINT tool_approvals_pkey PRIMARY KEY (id);


--
-- Name: tool_definitions tool_definitions_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.tool_definitions
    ADD CONSTRAINT tool_definitions_pkey PRIMARY KEY (digest);


--
-- Name: tool_results tool_results_interaction_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.tool_results
    ADD CONSTRAINT tool_results_interaction_id_key UNIQUE (interaction_id);


--
-- Name: tool_results tool_results_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.tool_results
    ADD CONSTRAINT tool_results_pkey PRIMARY KEY (id);


--
-- Name: tool_sets tool_sets_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.tool_sets
    ADD CONSTRAINT tool_sets_pkey PRIMARY KEY (digest);


--
-- Name: verdict_alternatives verdict_alternatives_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.verdict_alternatives
    ADD CONSTRAINT verdict_alternatives_pkey PRIMARY KEY (verdict_id, ordinal);


--
-- Name: verdict_charts verdict_charts_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.verdict_charts
    ADD CONSTRAINT verdict_charts_pkey PRIMARY KEY (verdict_id, ordinal);


--
-- Name: verdict_evidence verdict_evidence_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.verdict_evidence
    ADD CONSTRAINT verdict_evidence_pkey PRIMARY KEY (id);


--
-- Name: verdict_evidence verdict_evidence_verdict_id_alternative_ordinal_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.verdict_evidence
    ADD CONSTRAINT verdict_evidence_verdict_id_alternative_ordinal_key UNIQUE NULLS NOT DISTINCT (verdict_id, alternative, ordinal);


--
-- Name: verdict_next_steps verdict_next_steps_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.verdict_next_steps
    ADD CONSTRAINT verdict_next_steps_pkey PRIMARY KEY (verdict_id, ordinal);


--
-- Name: verdict_not_examined verdict_not_examined_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.verdict_not_examined
    ADD CONSTRAINT verdict_not_examined_pkey PRIMARY KEY (verdict_id, ordinal);


--
-- Name: verdicts verdicts_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.verdicts
    ADD CONSTRAINT verdicts_pkey PRIMARY KEY (id);


--
-- Name: verdicts verdicts_session_id_execution_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.verdicts
    ADD CONSTRAINT verdicts_session_id_execution_id_key UNIQUE NULLS NOT DISTINCT (session_id, execution_id);


--
-- Name: agent_executions_session; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX agent_executions_session ON public.agent_executions USING btree (session_id);


--
-- Name: alert_sessions_author; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX alert_sessions_author ON public.alert_sessions USING btree (author, created_at, id) WHERE (deleted_at IS NULL);


--
-- Name: alert_sessions_chain; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX alert_sessions_chain ON public.alert_sessions USING btree (chain_id, created_at, id) WHERE (deleted_at IS NULL);


--
-- Name: alert_sessions_created; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX alert_sessions_created ON public.alert_sessions USING btree (created_at, id) WHERE (deleted_at IS NULL);


--
-- Name: alert_sessions_degraded; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX alert_sessions_degraded ON public.alert_sessions USING btree (created_at, id) WHERE ((degraded_reasons <> '{}'::text[]) AND (deleted_at IS NULL));


--
-- Name: alert_sessions_deleted; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX alert_sessions_deleted ON public.alert_sessions USING btree (deleted_at) WHERE (deleted_at IS NOT NULL);


--
-- Name: alert_sessions_durations; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX alert_sessions_durations ON public.alert_sessions USING btree (status, duration_ms, created_at, id) INCLUDE (alert_type, chain_id, severity, origin, degraded_reasons, review_id) WHERE ((completed_at IS NOT NULL) AND (deleted_at IS NULL));


--
-- Name: alert_sessions_facets; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX alert_sessions_facets ON public.alert_sessions USING gin (public.session_facets(status, alert_type, chain_id, author, severity, service, origin, degraded_reasons, review_id)) WITH (gin_pending_list_limit='256') WHERE ((completed_at IS NOT NULL) AND (deleted_at IS NULL));


--
-- Name: alert_sessions_fingerprint; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX alert_sessions_fingerprint ON public.alert_sessions USING btree (slack_message_fingerprint) WHERE (slack_message_fingerprint IS NOT NULL);


--
-- Name: alert_sessions_finished; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX alert_sessions_finished ON public.alert_sessions USING btree (completed_at) WHERE (completed_at IS NOT NULL);


--
-- Name: alert_sessions_other_origins; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX alert_sessions_other_origins ON public.alert_sessions USING btree (origin, created_at, id) WHERE ((origin <> 'alert'::text) AND (deleted_at IS NULL));


--
-- Name: alert_sessions_replay_of; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX alert_sessions_replay_of ON public.alert_sessions USING btree (replay_of) WHERE (replay_of IS NOT NULL);


--
-- Name: alert_sessions_review; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX alert_sessions_review ON public.alert_sessions USING btree (created_at, id, review_id) INCLUDE (duration_ms, status, alert_type, chain_id, severity, origin, degraded_reasons) WHERE ((review_id IS NOT NULL) AND (deleted_at IS NULL));


--
-- Name: alert_sessions_reviewed; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX alert_sessions_reviewed ON public.alert_sessions USING btree (review_id) WHERE (review_id IS NOT NULL);


--
-- Name: alert_sessions_reviewed_problem; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX alert_sessions_reviewed_problem ON public.alert_sessions USING btree (fingerprint, completed_at) WHERE ((fingerprint IS NOT NULL) AND (review_id IS NOT NULL) AND (deleted_at IS NULL));


--
-- Name: alert_sessions_running; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX alert_sessions_running ON public.alert_sessions USING btree (id) WHERE (status = ANY (ARRAY['in_progress'::text, 'cancelling'::text]));


--
-- Name: alert_sessions_same_problem; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX alert_sessions_same_problem ON public.alert_sessions USING btree (fingerprint, created_at, id) WHERE ((fingerprint IS NOT NULL) AND (deleted_at IS NULL));


--
-- Name: alert_sessions_service; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX alert_sessions_service ON public.alert_sessions USING btree (service, created_at, id) WHERE ((service IS NOT NULL) AND (deleted_at IS NULL));


--
-- Name: alert_sessions_severity; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX alert_sessions_severity ON public.alert_sessions USING btree (severity, created_at, id) WHERE ((severity IS NOT NULL) AND (deleted_at IS NULL));


--
-- Name: alert_sessions_status; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX alert_sessions_status ON public.alert_sessions USING btree (status, created_at, id) WHERE (deleted_at IS NULL);


--
-- Name: alert_sessions_type; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX alert_sessions_type ON public.alert_sessions USING btree (alert_type, created_at, id) WHERE (deleted_at IS NULL);


--
-- Name: alert_sessions_verdict; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX alert_sessions_verdict ON public.alert_sessions USING btree (verdict_id) WHERE (verdict_id IS NOT NULL);


--
-- Name: alert_sessions_waiting; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX alert_sessions_waiting ON public.alert_sessions USING btree (created_at, id) WHERE (status = 'pending'::text);


--
-- Name: alert_sessions_with_prompts; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX alert_sessions_with_prompts ON public.alert_sessions USING btree (completed_at) WHERE ((completed_at IS NOT NULL) AND (prompts_deleted_at IS NULL));


--
-- Name: alert_sessions_with_tool_results; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX alert_sessions_with_tool_results ON public.alert_sessions USING btree (completed_at) WHERE ((completed_at IS NOT NULL) AND (tool_results_deleted_at IS NULL));


--
-- Name: api_tokens_name; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX api_tokens_name ON public.api_tokens USING btree (name) WHERE (revoked_at IS NULL);


--
-- Name: audit_log_created; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX audit_log_created ON public.audit_log USING btree (created_at DESC, id DESC);


--
-- Name: chat_user_messages_chat; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX chat_user_messages_chat ON public.chat_user_messages USING btree (chat_id, created_at);


--
-- Name: claim_checks_execution; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX claim_checks_execution ON public.claim_checks USING btree (execution_id) WHERE (execution_id IS NOT NULL);


--
-- Name: claim_checks_session; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX claim_checks_session ON public.claim_checks USING btree (session_id, checked_at, id);


--
-- Name: dead_letters_retried; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX dead_letters_retried ON public.dead_letters USING btree (retried_at) WHERE (retried_at IS NOT NULL);


--
-- Name: dead_letters_waiting; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX dead_letters_waiting ON public.dead_letters USING btree (created_at, id) WHERE (retried_at IS NULL);


--
-- Name: deleted_sessions_with_copies; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX deleted_sessions_with_copies ON public.deleted_sessions USING btree (deleted_at) WHERE (copies_removed_at IS NULL);


--
-- Name: events_created; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX events_created ON public.events USING brin (created_at);


--
-- Name: events_unpublished; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX events_unpublished ON public.events USING btree (session_id, seq) WHERE (published_at IS NULL);


--
-- Name: idempotency_keys_created; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idempotency_keys_created ON public.idempotency_keys USING btree (created_at);


--
-- Name: idempotency_keys_session; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idempotency_keys_session ON public.idempotency_keys USING btree (session_id);


--
-- Name: intake_alerts_fingerprint; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX intake_alerts_fingerprint ON public.intake_alerts USING btree (source, fingerprint, seq DESC);


--
-- Name: intake_alerts_group; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX intake_alerts_group ON public.intake_alerts USING btree (group_key, seq DESC) WHERE (group_key IS NOT NULL);


--
-- Name: intake_alerts_heartbeats; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX intake_alerts_heartbeats ON public.intake_alerts USING btree (source, fingerprint, last_received_at DESC) WHERE (content = 'heartbeat'::text);


--
-- Name: intake_alerts_held; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX intake_alerts_held ON public.intake_alerts USING btree (hold_until) WHERE ((action = 'hold'::text) AND (released_at IS NULL));


--
-- Name: intake_alerts_not_understood; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX intake_alerts_not_understood ON public.intake_alerts USING btree (last_received_at) WHERE (content = 'not_understood'::text);


--
-- Name: intake_alerts_of_session; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX intake_alerts_of_session ON public.intake_alerts USING btree (session_id, seq) WHERE (session_id IS NOT NULL);


--
-- Name: intake_alerts_session; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX intake_alerts_session ON public.intake_alerts USING btree (session_id, source, fingerprint, seq DESC) WHERE (session_id IS NOT NULL);


--
-- Name: intake_alerts_without_session; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX intake_alerts_without_session ON public.intake_alerts USING btree (last_received_at) WHERE (session_id IS NULL);


--
-- Name: llm_interactions_estimated; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX llm_interactions_estimated ON public.llm_interactions USING btree (session_id) WHERE tokens_estimated;


--
-- Name: llm_interactions_execution; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX llm_interactions_execution ON public.llm_interactions USING btree (execution_id) WHERE (execution_id IS NOT NULL);


--
-- Name: llm_interactions_failed; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX llm_interactions_failed ON public.llm_interactions USING btree (created_at) WHERE (error_message IS NOT NULL);


--
-- Name: llm_interactions_message; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX llm_interactions_message ON public.llm_interactions USING btree (last_message_id) WHERE (last_message_id IS NOT NULL);


--
-- Name: llm_interactions_recent; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX llm_interactions_recent ON public.llm_interactions USING btree (created_at) INCLUDE (provider);


--
-- Name: llm_interactions_session; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX llm_interactions_session ON public.llm_interactions USING btree (session_id, created_at, id) INCLUDE (execution_id, input_tokens, output_tokens, total_tokens, cost_micro_usd);


--
-- Name: llm_interactions_stage; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX llm_interactions_stage ON public.llm_interactions USING btree (stage_id) WHERE (stage_id IS NOT NULL);


--
-- Name: llm_queue_provider; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX llm_queue_provider ON public.llm_queue USING btree (provider, seq);


--
-- Name: mcp_interactions_event; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX mcp_interactions_event ON public.mcp_interactions USING btree (timeline_event_id) WHERE (timeline_event_id IS NOT NULL);


--
-- Name: mcp_interactions_execution; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX mcp_interactions_execution ON public.mcp_interactions USING btree (execution_id, created_at, id) WHERE (execution_id IS NOT NULL);


--
-- Name: mcp_interactions_failed; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX mcp_interactions_failed ON public.mcp_interactions USING btree (server_name, tool_name, session_id) WHERE ((interaction_type = 'tool_call'::text) AND (status = 'failed'::text));


--
-- Name: mcp_interactions_injected; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX mcp_interactions_injected ON public.mcp_interactions USING btree (session_id, call_number) WHERE (injected_instructions > 0);


--
-- Name: mcp_interactions_number; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX mcp_interactions_number ON public.mcp_interactions USING btree (session_id, call_number);


--
-- Name: mcp_interactions_replay; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX mcp_interactions_replay ON public.mcp_interactions USING btree (session_id, server_name, tool_name, call_number) WHERE (interaction_type = 'tool_call'::text);


--
-- Name: mcp_interactions_session; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX mcp_interactions_session ON public.mcp_interactions USING btree (session_id, created_at, id);


--
-- Name: mcp_interactions_stage; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX mcp_interactions_stage ON public.mcp_interactions USING btree (stage_id) WHERE (stage_id IS NOT NULL);


--
-- Name: messages_session; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX messages_session ON public.messages USING btree (session_id);


--
-- Name: messages_stage; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX messages_stage ON public.messages USING btree (stage_id);


--
-- Name: notifications_approval; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX notifications_approval ON public.notifications USING btree (approval_id) WHERE (approval_id IS NOT NULL);


--
-- Name: notifications_due; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX notifications_due ON public.notifications USING btree (due_at, id) WHERE (status = 'pending'::text);


--
-- Name: notifications_ends; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX notifications_ends ON public.notifications USING btree (session_id) WHERE (kind = 'ended'::text);


--
-- Name: notifications_finished; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX notifications_finished ON public.notifications USING btree (finished_at) WHERE (finished_at IS NOT NULL);


--
-- Name: notifications_requests; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX notifications_requests ON public.notifications USING btree (created_at) WHERE (kind = 'approval_requested'::text);


--
-- Name: notifications_review; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX notifications_review ON public.notifications USING btree (review_id) WHERE (review_id IS NOT NULL);


--
-- Name: search_documents_session; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX search_documents_session ON public.search_documents USING btree (session_id);


--
-- Name: search_documents_words; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX search_documents_words ON public.search_documents USING gin (words, days) WITH (gin_pending_list_limit='256');


--
-- Name: session_aliases_session; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX session_aliases_session ON public.session_aliases USING btree (session_id);


--
-- Name: session_control_lease; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX session_control_lease ON public.session_control USING btree (lease_expires_at) WHERE (lease_expires_at IS NOT NULL);


--
-- Name: session_control_suspended; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX session_control_suspended ON public.session_control USING btree (session_id) WHERE (suspended_at IS NOT NULL);


--
-- Name: session_reviews_created; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX session_reviews_created ON public.session_reviews USING btree (created_at);


--
-- Name: session_reviews_object; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX session_reviews_object ON public.session_reviews USING btree (lower(object)) WHERE (object IS NOT NULL);


--
-- Name: session_reviews_review; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX session_reviews_review ON public.session_reviews USING btree (review, id);


--
-- Name: session_words_words; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX session_words_words ON public.session_words USING gin (words);


--
-- Name: sign_ins_ended; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX sign_ins_ended ON public.sign_ins USING btree (ended_at) WHERE (ended_at IS NOT NULL);


--
-- Name: sign_ins_open; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX sign_ins_open ON public.sign_ins USING btree (expires_at) WHERE (ended_at IS NULL);


--
-- Name: stages_chat; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX stages_chat ON public.stages USING btree (chat_id) WHERE (chat_id IS NOT NULL);


--
-- Name: stages_joins; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX stages_joins ON public.stages USING btree (joins_stage_id) WHERE (joins_stage_id IS NOT NULL);


--
-- Name: stages_one_chat_turn; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX stages_one_chat_turn ON public.stages USING btree (session_id) WHERE ((chat_id IS NOT NULL) AND (status = ANY (ARRAY['pending'::text, 'active'::text])));


--
-- Name: summaries_finished; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX summaries_finished ON public.summaries USING btree (finished_at) WHERE (status = 'completed'::text);


--
-- Name: summaries_lease; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX summaries_lease ON public.summaries USING btree (lease_expires_at) WHERE (status = 'in_progress'::text);


--
-- Name: summaries_session; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX summaries_session ON public.summaries USING btree (session_id);


--
-- Name: summaries_waiting; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX summaries_waiting ON public.summaries USING btree (created_at) WHERE (status = 'pending'::text);


--
-- Name: timeline_events_execution; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX timeline_events_execution ON public.timeline_events USING btree (execution_id, sequence_number) WHERE (execution_id IS NOT NULL);


--
-- Name: timeline_events_stage; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX timeline_events_stage ON public.timeline_events USING btree (stage_id) WHERE (stage_id IS NOT NULL);


--
-- Name: timeline_events_streaming; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX timeline_events_streaming ON public.timeline_events USING btree (session_id) WHERE (status = 'streaming'::text);


--
-- Name: tool_approvals_open; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX tool_approvals_open ON public.tool_approvals USING btree (requested_at) WHERE (decision IS NULL);


--
-- Name: tool_approvals_session; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX tool_approvals_session ON public.tool_approvals USING btree (session_id);


--
-- Name: verdicts_execution; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX verdicts_execution ON public.verdicts USING btree (execution_id) WHERE (execution_id IS NOT NULL);


--
-- Name: audit_log audit_log_no_update; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_log_no_update BEFORE UPDATE ON public.audit_log FOR EACH STATEMENT EXECUTE FUNCTION public.audit_log_is_append_only();


--
-- Name: alert_sessions put_changed_session_words; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER put_changed_session_words AFTER UPDATE OF alert_data, final_analysis, executive_summary, error_message, alert_type, chain_id, author ON public.alert_sessions FOR EACH ROW EXECUTE FUNCTION public.put_session_words();


--
-- Name: alert_sessions put_session_words; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER put_session_words AFTER INSERT ON public.alert_sessions FOR EACH ROW WHEN ((current_setting('tarsy.search_later'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION public.put_session_words();


--
-- Name: alert_sessions search_alert; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER search_alert AFTER INSERT ON public.alert_sessions FOR EACH ROW WHEN ((current_setting('tarsy.search_later'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION public.search_alert();


--
-- Name: mcp_interactions search_call; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER search_call AFTER INSERT OR UPDATE OF status, tool_result, timeline_event_id ON public.mcp_interactions FOR EACH ROW WHEN ((new.interaction_type = 'tool_call'::text)) EXECUTE FUNCTION public.search_call();


--
-- Name: alert_sessions search_changed_alert; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER search_changed_alert AFTER UPDATE OF alert_data, title, severity, service, namespace, cluster ON public.alert_sessions FOR EACH ROW EXECUTE FUNCTION public.search_alert();


--
-- Name: timeline_events search_event; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER search_event AFTER INSERT OR UPDATE OF status, content ON public.timeline_events FOR EACH ROW WHEN (((new.status <> 'streaming'::text) AND (new.event_type = ANY (ARRAY['final_analysis'::text, 'executive_summary'::text, 'user_question'::text, 'alert_received'::text, 'error'::text])))) EXECUTE FUNCTION public.search_event();


--
-- Name: events search_published_alert; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER search_published_alert AFTER UPDATE OF published_at ON public.events FOR EACH ROW WHEN (((old.published_at IS NULL) AND (new.published_at IS NOT NULL) AND (new.seq = 1))) EXECUTE FUNCTION public.search_published_alert();


--
-- Name: verdicts search_verdict; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER search_verdict AFTER INSERT ON public.verdicts FOR EACH ROW EXECUTE FUNCTION public.search_verdict();


--
-- Name: verdict_evidence search_verdict_evidence; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER search_verdict_evidence AFTER INSERT ON public.verdict_evidence REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION public.search_verdict_evidence();


--
-- Name: agent_executions agent_executions_session_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.agent_executions
    ADD CONSTRAINT agent_executions_session_id_fkey FOREIGN KEY (session_id) REFERENCES public.alert_sessions(id) ON DELETE CASCADE;


--
-- Name: agent_executions agent_executions_stage_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.agent_executions
    ADD CONSTRAINT agent_executions_stage_id_fkey FOREIGN KEY (stage_id) REFERENCES public.stages(id) ON DELETE CASCADE;


--
-- Name: alert_sessions alert_sessions_replay_of_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.alert_sessions
    ADD CONSTRAINT alert_sessions_replay_of_fkey FOREIGN KEY (replay_of) REFERENCES public.alert_sessions(id) ON DELETE SET NULL;


--
-- Name: alert_sessions alert_sessions_review_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.alert_sessions
    ADD CONSTRAINT alert_sessions_review_id_fkey FOREIGN KEY (review_id) REFERENCES public.session_reviews(id);


--
-- Name: alert_sessions alert_sessions_verdict_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.alert_sessions
    ADD CONSTRAINT alert_sessions_verdict_id_fkey FOREIGN KEY (verdict_id) REFERENCES public.verdicts(id) ON DELETE SET NULL;


--
-- Name: chat_user_messages chat_user_messages_chat_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.chat_user_messages
    ADD CONSTRAINT chat_user_messages_chat_id_fkey FOREIGN KEY (chat_id) REFERENCES public.chats(id) ON DELETE CASCADE;


--
-- Name: chats chats_session_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.chats
    ADD CONSTRAINT chats_session_id_fkey FOREIGN KEY (session_id) REFERENCES public.alert_sessions(id) ON DELETE CASCADE;


--
-- Name: claim_checks claim_checks_execution_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.claim_checks
    ADD CONSTRAINT claim_checks_execution_id_fkey FOREIGN KEY (execution_id) REFERENCES public.agent_executions(id) ON DELETE CASCADE;


--
-- Name: claim_checks claim_checks_session_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.claim_checks
    ADD CONSTRAINT claim_checks_session_id_fkey FOREIGN KEY (session_id) REFERENCES public.alert_sessions(id) ON DELETE CASCADE;


--
-- Name: claim_checks claim_checks_timeline_event_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.claim_checks
    ADD CONSTRAINT claim_checks_timeline_event_id_fkey FOREIGN KEY (timeline_event_id) REFERENCES public.timeline_events(id) ON DELETE SET NULL;


--
-- Name: claims claims_check_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.claims
    ADD CONSTRAINT claims_check_id_fkey FOREIGN KEY (check_id) REFERENCES public.claim_checks(id) ON DELETE CASCADE;


--
-- Name: events events_session_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.events
    ADD CONSTRAINT events_session_id_fkey FOREIGN KEY (session_id) REFERENCES public.alert_sessions(id) ON DELETE CASCADE;


--
-- Name: idempotency_keys idempotency_keys_session_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.idempotency_keys
    ADD CONSTRAINT idempotency_keys_session_id_fkey FOREIGN KEY (session_id) REFERENCES public.alert_sessions(id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED;


--
-- Name: intake_alerts intake_alerts_session_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.intake_alerts
    ADD CONSTRAINT intake_alerts_session_id_fkey FOREIGN KEY (session_id) REFERENCES public.alert_sessions(id) ON DELETE CASCADE;


--
-- Name: llm_interactions llm_interactions_execution_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.llm_interactions
    ADD CONSTRAINT llm_interactions_execution_id_fkey FOREIGN KEY (execution_id) REFERENCES public.agent_executions(id) ON DELETE CASCADE;


--
-- Name: llm_interactions llm_interactions_last_message_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.llm_interactions
    ADD CONSTRAINT llm_interactions_last_message_id_fkey FOREIGN KEY (last_message_id) REFERENCES public.messages(id) ON DELETE SET NULL;


--
-- Name: llm_interactions llm_interactions_session_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.llm_interactions
    ADD CONSTRAINT llm_interactions_session_id_fkey FOREIGN KEY (session_id) REFERENCES public.alert_sessions(id) ON DELETE CASCADE;


--
-- Name: llm_interactions llm_interactions_stage_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.llm_interactions
    ADD CONSTRAINT llm_interactions_stage_id_fkey FOREIGN KEY (stage_id) REFERENCES public.stages(id) ON DELETE CASCADE;


--
-- Name: llm_interactions llm_interactions_tool_set_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.llm_interactions
    ADD CONSTRAINT llm_interactions_tool_set_fkey FOREIGN KEY (tool_set) REFERENCES public.tool_sets(digest);


--
-- Name: mcp_interactions mcp_interactions_execution_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.mcp_interactions
    ADD CONSTRAINT mcp_interactions_execution_id_fkey FOREIGN KEY (execution_id) REFERENCES public.agent_executions(id) ON DELETE CASCADE;


--
-- Name: mcp_interactions mcp_interactions_session_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.mcp_interactions
    ADD CONSTRAINT mcp_interactions_session_id_fkey FOREIGN KEY (session_id) REFERENCES public.alert_sessions(id) ON DELETE CASCADE;


--
-- Name: mcp_interactions mcp_interactions_stage_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.mcp_interactions
    ADD CONSTRAINT mcp_interactions_stage_id_fkey FOREIGN KEY (stage_id) REFERENCES public.stages(id) ON DELETE CASCADE;


--
-- Name: mcp_interactions mcp_interactions_timeline_event_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.mcp_interactions
    ADD CONSTRAINT mcp_interactions_timeline_event_id_fkey FOREIGN KEY (timeline_event_id) REFERENCES public.timeline_events(id) ON DELETE SET NULL;


--
-- Name: mcp_interactions mcp_interactions_tool_set_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.mcp_interactions
    ADD CONSTRAINT mcp_interactions_tool_set_fkey FOREIGN KEY (tool_set) REFERENCES public.tool_sets(digest);


--
-- Name: messages messages_execution_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.messages
    ADD CONSTRAINT messages_execution_id_fkey FOREIGN KEY (execution_id) REFERENCES public.agent_executions(id) ON DELETE CASCADE;


--
-- Name: messages messages_session_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.messages
    ADD CONSTRAINT messages_session_id_fkey FOREIGN KEY (session_id) REFERENCES public.alert_sessions(id) ON DELETE CASCADE;


--
-- Name: messages messages_stage_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.messages
    ADD CONSTRAINT messages_stage_id_fkey FOREIGN KEY (stage_id) REFERENCES public.stages(id) ON DELETE CASCADE;


--
-- Name: notifications notifications_approval_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.notifications
    ADD CONSTRAINT notifications_approval_id_fkey FOREIGN KEY (approval_id) REFERENCES public.tool_approvals(id) ON DELETE CASCADE;


--
-- Name: notifications notifications_review_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.notifications
    ADD CONSTRAINT notifications_review_id_fkey FOREIGN KEY (review_id) REFERENCES public.session_reviews(id) ON DELETE CASCADE;


--
-- Name: notifications notifications_session_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.notifications
    ADD CONSTRAINT notifications_session_id_fkey FOREIGN KEY (session_id) REFERENCES public.alert_sessions(id) ON DELETE CASCADE;


--
-- Name: overview_alerts overview_alerts_hour_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.overview_alerts
    ADD CONSTRAINT overview_alerts_hour_fkey FOREIGN KEY (hour) REFERENCES public.overview_hours(hour) ON DELETE CASCADE;


--
-- Name: overview_durations overview_durations_hour_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.overview_durations
    ADD CONSTRAINT overview_durations_hour_fkey FOREIGN KEY (hour) REFERENCES public.overview_hours(hour) ON DELETE CASCADE;


--
-- Name: overview_tools overview_tools_hour_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.overview_tools
    ADD CONSTRAINT overview_tools_hour_fkey FOREIGN KEY (hour) REFERENCES public.overview_hours(hour) ON DELETE CASCADE;


--
-- Name: prompt_overrides prompt_overrides_session_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.prompt_overrides
    ADD CONSTRAINT prompt_overrides_session_id_fkey FOREIGN KEY (session_id) REFERENCES public.alert_sessions(id) ON DELETE CASCADE;


--
-- Name: search_documents search_documents_session_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.search_documents
    ADD CONSTRAINT search_documents_session_id_fkey FOREIGN KEY (session_id) REFERENCES public.alert_sessions(id) ON DELETE CASCADE;


--
-- Name: session_aliases session_aliases_session_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.session_aliases
    ADD CONSTRAINT session_aliases_session_id_fkey FOREIGN KEY (session_id) REFERENCES public.alert_sessions(id) ON DELETE CASCADE;


--
-- Name: session_control session_control_session_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.session_control
    ADD CONSTRAINT session_control_session_id_fkey FOREIGN KEY (session_id) REFERENCES public.alert_sessions(id) ON DELETE CASCADE;


--
-- Name: session_reviews session_reviews_session_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.session_reviews
    ADD CONSTRAINT session_reviews_session_id_fkey FOREIGN KEY (session_id) REFERENCES public.alert_sessions(id) ON DELETE CASCADE;


--
-- Name: session_words session_words_session_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.session_words
    ADD CONSTRAINT session_words_session_id_fkey FOREIGN KEY (session_id) REFERENCES public.alert_sessions(id) ON DELETE CASCADE;


--
-- Name: stages stages_chat_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.stages
    ADD CONSTRAINT stages_chat_id_fkey FOREIGN KEY (chat_id) REFERENCES public.chats(id) ON DELETE CASCADE;


--
-- Name: stages stages_chat_user_message_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.stages
    ADD CONSTRAINT stages_chat_user_message_id_fkey FOREIGN KEY (chat_user_message_id) REFERENCES public.chat_user_messages(id) ON DELETE CASCADE;


--
-- Name: stages stages_joins_stage_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.stages
    ADD CONSTRAINT stages_joins_stage_id_fkey FOREIGN KEY (joins_stage_id) REFERENCES public.stages(id) ON DELETE CASCADE;


--
-- Name: stages stages_session_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.stages
    ADD CONSTRAINT stages_session_id_fkey FOREIGN KEY (session_id) REFERENCES public.alert_sessions(id) ON DELETE CASCADE;


--
-- Name: summaries summaries_mcp_interaction_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.summaries
    ADD CONSTRAINT summaries_mcp_interaction_id_fkey FOREIGN KEY (mcp_interaction_id) REFERENCES public.mcp_interactions(id) ON DELETE CASCADE;


--
-- Name: summaries summaries_session_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.summaries
    ADD CONSTRAINT summaries_session_id_fkey FOREIGN KEY (session_id) REFERENCES public.alert_sessions(id) ON DELETE CASCADE;


--
-- Name: timeline_events timeline_events_execution_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.timeline_events
    ADD CONSTRAINT timeline_events_execution_id_fkey FOREIGN KEY (execution_id) REFERENCES public.agent_executions(id) ON DELETE CASCADE;


--
-- Name: timeline_events timeline_events_session_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.timeline_events
    ADD CONSTRAINT timeline_events_session_id_fkey FOREIGN KEY (session_id) REFERENCES public.alert_sessions(id) ON DELETE CASCADE;


--
-- Name: timeline_events timeline_events_stage_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.timeline_events
    ADD CONSTRAINT timeline_events_stage_id_fkey FOREIGN KEY (stage_id) REFERENCES public.stages(id) ON DELETE CASCADE;


--
-- Name: tool_approvals tool_approvals_session_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.tool_approvals
    ADD CONSTRAINT tool_approvals_session_id_fkey FOREIGN KEY (session_id) REFERENCES public.alert_sessions(id) ON DELETE CASCADE;


--
-- Name: tool_results tool_results_interaction_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.tool_results
    ADD CONSTRAINT tool_results_interaction_id_fkey FOREIGN KEY (interaction_id) REFERENCES public.mcp_interactions(id) ON DELETE CASCADE;


--
-- Name: verdict_alternatives verdict_alternatives_verdict_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.verdict_alternatives
    ADD CONSTRAINT verdict_alternatives_verdict_id_fkey FOREIGN KEY (verdict_id) REFERENCES public.verdicts(id) ON DELETE CASCADE;


--
-- Name: verdict_charts verdict_charts_verdict_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.verdict_charts
    ADD CONSTRAINT verdict_charts_verdict_id_fkey FOREIGN KEY (verdict_id) REFERENCES public.verdicts(id) ON DELETE CASCADE;


--
-- Name: verdict_evidence verdict_evidence_verdict_id_alternative_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.verdict_evidence
    ADD CONSTRAINT verdict_evidence_verdict_id_alternative_fkey FOREIGN KEY (verdict_id, alternative) REFERENCES public.verdict_alternatives(verdict_id, ordinal) ON DELETE CASCADE;


--
-- Name: verdict_evidence verdict_evidence_verdict_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.verdict_evidence
    ADD CONSTRAINT verdict_evidence_verdict_id_fkey FOREIGN KEY (verdict_id) REFERENCES public.verdicts(id) ON DELETE CASCADE;


--
-- Name: verdict_next_steps verdict_next_steps_verdict_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.verdict_next_steps
    ADD CONSTRAINT verdict_next_steps_verdict_id_fkey FOREIGN KEY (verdict_id) REFERENCES public.verdicts(id) ON DELETE CASCADE;


--
-- Name: verdict_not_examined verdict_not_examined_verdict_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.verdict_not_examined
    ADD CONSTRAINT verdict_not_examined_verdict_id_fkey FOREIGN KEY (verdict_id) REFERENCES public.verdicts(id) ON DELETE CASCADE;


--
-- Name: verdicts verdicts_execution_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.verdicts
    ADD CONSTRAINT verdicts_execution_id_fkey FOREIGN KEY (execution_id) REFERENCES public.agent_executions(id) ON DELETE CASCADE;


--
-- Name: verdicts verdicts_session_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.verdicts
    ADD CONSTRAINT verdicts_session_id_fkey FOREIGN KEY (session_id) REFERENCES public.alert_sessions(id) ON DELETE CASCADE;


--
-- PostgreSQL database dump complete
--


