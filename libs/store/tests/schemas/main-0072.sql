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
    chain_id text NOT NULL,
    status text NOT NULL,
    author text,
    runbook_url text,
    mcp_selection jsonb,
    slack_message_fingerprint text,
    idempotency_key text,
    config_snapshot jsonb NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    started_at timestamp with time zone,
    completed_at timestamp with time zone,
    last_interaction_at timestamp with time zone,
    current_stage_index integer,
    current_stage_id uuid,
    final_analysis text,
    executive_summary text,
    executive_summary_error text,
    error_message text,
    deleted_at timestamp with time zone,
    duration_ms bigint GENERATED ALWAYS AS (((EXTRACT(epoch FROM (completed_at - started_at)) * (1000)::numeric))::bigint) STORED,
    search tsvector GENERATED ALWAYS AS (to_tsvector('simple'::regconfig, translate((((((((((((("left"(alert_data, 80000) || ' '::text) || "left"(COALESCE(final_analysis, ''::text), 80000)) || ' '::text) || "left"(COALESCE(executive_summary, ''::text), 8000)) || ' '::text) || "left"(COALESCE(error_message, ''::text), 4000)) || ' '::text) || "left"(COALESCE(alert_type, ''::text), 200)) || ' '::text) || "left"(chain_id, 200)) || ' '::text) || "left"(COALESCE(author, ''::text), 200)), '-_./\:@=,;+#%&?!()[]{}<>"''`|*~^$'::text, '                                 '::text))) STORED,
    planned_stages integer,
    runbook text,
    runbook_error text,
    timeout_ms bigint,
    chat_enabled boolean DEFAULT false NOT NULL,
    budget_llm_calls bigint DEFAULT 300 NOT NULL,
    budget_tokens bigint DEFAULT 10000000 NOT NULL,
    budget_tool_calls bigint DEFAULT 1000 NOT NULL,
    executive_summary_provider text,
    principal text,
    claims integer,
    verified_claims integer,
    degraded_reasons text[] DEFAULT '{}'::text[] NOT NULL,
    origin text DEFAULT 'alert'::text NOT NULL,
    replay_of uuid,
    received_at timestamp with time zone DEFAULT now() NOT NULL,
    title text,
    severity text,
    service text,
    namespace text,
    cluster text,
    links jsonb,
    labels jsonb,
    fingerprint text,
    review_id uuid,
    seen_before jsonb,
    verdict_id uuid,
    verdict_failure text,
    CONSTRAINT alert_sessions_check CHECK (((completed_at IS NOT NULL) = (status = ANY (ARRAY['completed'::text, 'failed'::text, 'timed_out'::text, 'cancelled'::text])))),
    CONSTRAINT alert_sessions_check1 CHECK (((origin = 'replay'::text) OR (replay_of IS NULL))),
    CONSTRAINT alert_sessions_claims_check CHECK ((((claims IS NULL) = (verified_claims IS NULL)) AND ((verified_claims >= 0) AND (verified_claims <= claims)))),
    CONSTRAINT alert_sessions_degraded_check CHECK ((degraded_reasons <@ ARRAY['no_successful_call'::text, 'tool_server_unavailable'::text, 'unverified_claims'::text, 'not_checked'::text, 'injected_instructions'::text])),
    CONSTRAINT alert_sessions_origin_check CHECK ((origin = ANY (ARRAY['alert'::text, 'replay'::text, 'recording'::text]))),
    CONSTRAINT alert_sessions_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'in_progress'::text, 'cancelling'::text, 'completed'::text, 'failed'::text, 'timed_out'::text, 'cancelled'::text]))),
    CONSTRAINT alert_sessions_timeout_ms_check CHECK ((timeout_ms > 0)),
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
    status text NOT NULL,
    call_id uuid NOT NULL,
    gateway_instance text,
    interaction_type text NOT NULL,
    server_name text NOT NULL,
    tool_name text,
    tool_call_id text,
    tool_arguments jsonb,
    tool_result text,
    available_tools jsonb,
    timeline_event_id uuid,
    duration_ms bigint,
    error_message text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    call_number bigint,
    refused_by_policy boolean DEFAULT false NOT NULL,
    tool_set text,
    result_tokens integer,
    delivered_tokens integer,
    injected_instructions integer DEFAULT 0 NOT NULL,
    CONSTRAINT mcp_interactions_call_number_check CHECK ((call_number >= 1)),
    CONSTRAINT mcp_interactions_check CHECK (((interaction_type <> 'tool_call'::text) OR (call_number IS NOT NULL))),
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
-- Name: count_overview_hours(integer); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.count_overview_hours(most integer) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
declare
    counted bigint := 0;
    at timestamptz;
begin
    if not pg_try_advisory_xact_lock(hashtext('tarsy overview')) then
        return 0;
    end if;
    for at in
        select g.hour
        from generate_series(
            date_bin('1 hour', (select min(created_at) from alert_sessions where deleted_at is null), '2000-01-01 00:00:00Z'),
            now(), '1 hour'
        ) g (hour)
        left join overview_hours o using (hour)
        where o.hour is null
            or ((o.open > 0 or o.counted_at < g.hour + interval '61 minutes') and o.counted_at < now() - interval '10 seconds')
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
-- Name: search_words(text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.search_words(body text) RETURNS tsvector
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $_$
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
$_$;


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
-- Name: put_search_document(public.search_documents); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.put_search_document(document public.search_documents) RETURNS void
    LANGUAGE sql
    SET search_path TO 'public', 'pg_temp'
    AS $$
    insert into search_documents (id, session_id, session_created_at, kind, timeline_event_id, call_number, body)
    select document.id, document.session_id, s.created_at, document.kind, document.timeline_event_id,
        document.call_number, document.body
    from alert_sessions s where s.id = document.session_id
    on conflict (id) do update set body = excluded.body, kind = excluded.kind
    where search_documents.body is distinct from excluded.body
$$;


--
-- Name: search_alert(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.search_alert() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
begin
    perform put_search_document(row(new.id, new.id, null, 'alert', null, null, alert_text(new), null, null)::search_documents);
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
    perform put_search_document(row(new.id, new.session_id, null, 'tool_call', new.timeline_event_id, new.call_number,
        call_text(new), null, null)::search_documents);
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
    perform put_search_document(row(new.id, new.session_id, null, event_kind(new), new.id, null,
        left(new.content, 20000), null, null)::search_documents);
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
    perform put_search_document(row(new.id, new.session_id, null, 'verdict', null, null, verdict_text(new), null, null)::search_documents);
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
    perform put_search_document(row(v.id, v.session_id, null, 'verdict', null, null, verdict_text(v), null, null)::search_documents)
    from verdicts v where v.id in (select verdict_id from added);
    return null;
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
    cause text NOT NULL,
    category text NOT NULL,
    object_kind text NOT NULL,
    object_name text NOT NULL,
    object_namespace text,
    since text,
    confidence text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT verdicts_category_check CHECK ((category = ANY (ARRAY['image_pull'::text, 'crash'::text, 'out_of_memory'::text, 'probe'::text, 'scheduling'::text, 'quota'::text, 'volume'::text, 'service_routing'::text, 'dns'::text, 'network_policy'::text, 'network_fault'::text, 'configuration'::text, 'node'::text, 'control_plane'::text, 'database'::text, 'starvation'::text, 'disk'::text, 'clock'::text, 'certificate'::text, 'host_service'::text, 'missing_workload'::text, 'command'::text, 'access'::text, 'feature_flag'::text, 'redeployment'::text, 'application'::text, 'other'::text]))),
    CONSTRAINT verdicts_cause_check CHECK (((char_length(cause) >= 1) AND (char_length(cause) <= 500))),
    CONSTRAINT verdicts_confidence_check CHECK ((confidence = ANY (ARRAY['low'::text, 'medium'::text, 'high'::text]))),
    CONSTRAINT verdicts_object_kind_check CHECK (((char_length(object_kind) >= 1) AND (char_length(object_kind) <= 253))),
    CONSTRAINT verdicts_object_name_check CHECK ((char_length(object_name) <= 253)),
    CONSTRAINT verdicts_object_namespace_check CHECK (((char_length(object_namespace) >= 1) AND (char_length(object_namespace) <= 253))),
    CONSTRAINT verdicts_since_check CHECK (((char_length(since) >= 1) AND (char_length(since) <= 253))),
    CONSTRAINT verdicts_source_check CHECK ((source = ANY (ARRAY['model'::text, 'rules'::text])))
);


--
-- Name: verdict_text(public.verdicts); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.verdict_text(v public.verdicts) RETURNS text
    LANGUAGE sql STABLE
    AS $$
    select left(concat_ws(E'\n', v.cause, concat_ws(' ', v.category, v.object_kind, v.object_namespace, v.object_name), (
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
    status text NOT NULL,
    error_message text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    started_at timestamp with time zone,
    completed_at timestamp with time zone,
    active_provider text,
    active_provider_since integer DEFAULT 0 NOT NULL,
    closing_at timestamp with time zone,
    conclusion text,
    concluded_at timestamp with time zone,
    repair_requested_at timestamp with time zone,
    CONSTRAINT agent_executions_agent_index_check CHECK ((agent_index >= 1)),
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
    outcome text NOT NULL,
    status smallint NOT NULL,
    request_id text,
    CONSTRAINT audit_log_outcome_check CHECK ((outcome = ANY (ARRAY['allowed'::text, 'denied'::text, 'failed'::text])))
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
-- Name: dead_letters; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.dead_letters (
    id uuid NOT NULL,
    subject text NOT NULL,
    payload bytea NOT NULL,
    error text NOT NULL,
    deliveries bigint NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    retried_at timestamp with time zone,
    notification_id uuid
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
    key text NOT NULL,
    session_id uuid NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    principal text NOT NULL,
    request_hash text NOT NULL
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
    CONSTRAINT intake_alerts_reason_check CHECK ((reason = ANY (ARRAY['new'::text, 'still_firing'::text, 'same_alert'::text, 'session_open'::text, 'within_window'::text, 'same_group'::text, 'group_rate'::text, 'flapping'::text, 'quiet_hours'::text, 'daily_limit'::text, 'tokens_used_up'::text, 'resolved'::text, 'resolved_others_firing'::text, 'acknowledged'::text, 'no_session'::text]))),
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
-- Name: llm_interactions; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.llm_interactions (
    id uuid NOT NULL,
    session_id uuid NOT NULL,
    stage_id uuid,
    execution_id uuid,
    interaction_type text NOT NULL,
    model_name text NOT NULL,
    last_message_id uuid,
    llm_request jsonb NOT NULL,
    llm_response jsonb NOT NULL,
    thinking_content text,
    response_metadata jsonb,
    input_tokens integer,
    output_tokens integer,
    total_tokens integer,
    thinking_tokens integer,
    duration_ms bigint,
    error_message text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    timed_out boolean DEFAULT false NOT NULL,
    provider text,
    finish_reason text,
    shortened_messages integer,
    omitted_messages integer,
    whole_tokens bigint,
    tool_set text,
    backend text,
    max_output_tokens integer,
    native_tools text[],
    prompt_version text,
    tarsy_version text,
    model_version text,
    response_id text,
    vendor_finish_reason text,
    cost_micro_usd bigint,
    CONSTRAINT llm_interactions_cost_micro_usd_check CHECK ((cost_micro_usd >= 0)),
    CONSTRAINT llm_interactions_finish_reason_check CHECK ((finish_reason = ANY (ARRAY['stop'::text, 'length'::text, 'tool_calls'::text, 'content_filter'::text]))),
    CONSTRAINT llm_interactions_interaction_type_check CHECK ((interaction_type = ANY (ARRAY['iteration'::text, 'final_analysis'::text, 'executive_summary'::text, 'chat_response'::text, 'summarization'::text, 'synthesis'::text, 'forced_conclusion'::text, 'verdict'::text]))),
    CONSTRAINT llm_interactions_max_output_tokens_check CHECK ((max_output_tokens > 0))
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
    provider_state bytea,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    call_number bigint,
    alerts_until bigint,
    CONSTRAINT messages_alerts_until_check CHECK ((alerts_until > 0)),
    CONSTRAINT messages_role_check CHECK ((role = ANY (ARRAY['system'::text, 'user'::text, 'assistant'::text, 'tool'::text])))
);


--
-- Name: notification_destinations; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.notification_destinations (
    name text NOT NULL,
    registered_at timestamp with time zone DEFAULT now() CONSTRAINT notification_destinations_known_since_not_null NOT NULL,
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
    status text NOT NULL,
    external_ref text,
    error text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    claim bigint DEFAULT 0 NOT NULL,
    due_at timestamp with time zone DEFAULT now() NOT NULL,
    failures integer DEFAULT 0 NOT NULL,
    attempted_at timestamp with time zone,
    thread_ref text,
    finished_at timestamp with time zone,
    approval_id uuid,
    review_id uuid,
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
          WHERE ((e.session_id = c.session_id) AND (e.interaction_type = 'tool_call'::text) AND (e.server_name = c.server_name) AND (e.tool_name = c.tool_name) AND (e.call_number <= c.call_number) AND (public.canonical_arguments(e.tool_arguments) = public.canonical_arguments(c.tool_arguments)))) n)
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
                  WHERE ((m.session_id = s.replay_of) AND (m.interaction_type = 'tool_call'::text) AND (m.status <> 'started'::text) AND (m.server_name = c.server_name) AND (m.tool_name = c.tool_name) AND (public.canonical_arguments(m.tool_arguments) = public.canonical_arguments(c.tool_arguments)))) o
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
-- Name: search_backfill; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.search_backfill (
    only_row boolean DEFAULT true NOT NULL,
    created_at timestamp with time zone NOT NULL,
    session_id uuid NOT NULL,
    CONSTRAINT search_backfill_only_row_check CHECK (only_row)
);


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
    event_seq bigint DEFAULT 0 NOT NULL,
    timeline_seq bigint DEFAULT 0 NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    call_seq bigint DEFAULT 0 NOT NULL,
    CONSTRAINT session_control_attempts_check CHECK ((attempts >= 0))
)
WITH (fillfactor='50');


--
-- Name: session_reviews; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.session_reviews (
    id uuid NOT NULL,
    session_id uuid NOT NULL,
    review text NOT NULL,
    actual_cause text,
    object text,
    category text,
    reviewer text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    number integer NOT NULL,
    CONSTRAINT session_reviews_actual_cause_check CHECK (((char_length(actual_cause) >= 1) AND (char_length(actual_cause) <= 4000))),
    CONSTRAINT session_reviews_category_check CHECK (((char_length(category) >= 1) AND (char_length(category) <= 200))),
    CONSTRAINT session_reviews_number_check CHECK ((number > 0)),
    CONSTRAINT session_reviews_object_check CHECK (((char_length(object) >= 1) AND (char_length(object) <= 400))),
    CONSTRAINT session_reviews_review_check CHECK ((review = ANY (ARRAY['accurate'::text, 'partly'::text, 'wrong'::text])))
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
    status text NOT NULL,
    error_message text,
    chat_id uuid,
    chat_user_message_id uuid,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    started_at timestamp with time zone,
    completed_at timestamp with time zone,
    joins_stage_id uuid,
    principal text,
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
    mcp_interaction_id uuid NOT NULL,
    status text NOT NULL,
    owner_id text,
    lease_epoch bigint DEFAULT 0 NOT NULL,
    lease_expires_at timestamp with time zone,
    request jsonb NOT NULL,
    summary text,
    error text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    session_id uuid NOT NULL,
    timeline_event_id uuid,
    attempts integer DEFAULT 0 NOT NULL,
    finished_at timestamp with time zone,
    llm_calls bigint DEFAULT 0 NOT NULL,
    input_tokens bigint DEFAULT 0 NOT NULL,
    output_tokens bigint DEFAULT 0 NOT NULL,
    total_tokens bigint DEFAULT 0 NOT NULL,
    CONSTRAINT summaries_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'in_progress'::text, 'completed'::text, 'failed'::text])))
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
    decided_at timestamp with time zone,
    closed_at timestamp with time zone,
    CONSTRAINT tool_approvals_check CHECK (((decision IS NULL) = (decided_at IS NULL))),
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
-- Name: verdict_evidence; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.verdict_evidence (
    verdict_id uuid NOT NULL,
    alternative integer,
    ordinal integer NOT NULL,
    call_number bigint NOT NULL,
    line integer NOT NULL,
    text text NOT NULL,
    CONSTRAINT verdict_evidence_call_number_check CHECK ((call_number >= 1)),
    CONSTRAINT verdict_evidence_line_check CHECK ((line >= 1)),
    CONSTRAINT verdict_evidence_ordinal_check CHECK (((ordinal >= 1) AND (ordinal <= 12))),
    CONSTRAINT verdict_evidence_text_check CHECK ((char_length(text) <= 500))
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

INSERT INTO public._sqlx_migrations VALUES (1, 'sessions', '2026-11-25 20:26:59.610289+00', true, '\x4910b15b584e2b3e085a5ff59b641158e2609f736e6b9afafa33f30e95217e2e2b699ce03b923245d03584070551e30f', 23743862);
INSERT INTO public._sqlx_migrations VALUES (2, 'work', '2026-11-25 20:26:59.634424+00', true, '\x7c43f9457067da9e25f9320d84ccff79233e672753fb3968a6fdbc6c247cbcc4314e118090bca0239316e247e3ac5fba', 23151892);
INSERT INTO public._sqlx_migrations VALUES (3, 'timeline', '2026-11-25 20:26:59.657884+00', true, '\x7794ae41e156a0298ea516ca06b97e52debc1973c1b868f44f44f5e823b3b99162fe39423bb289226bd9c84383520fc7', 16644692);
INSERT INTO public._sqlx_migrations VALUES (4, 'interactions', '2026-11-25 20:26:59.676635+00', true, '\x89b1bf52a34aa3e61715b981a1946876d5845ab943674b29afe1714daab9ce96eba07e5061e4bf18f32c92cb5c49a27f', 31966992);
INSERT INTO public._sqlx_migrations VALUES (5, 'events', '2026-11-25 20:26:59.7108+00', true, '\x51530154f4b1a0182da025421375fc0f9a3e319bfe478f4e78dd1ca5ce7ad6eb6bcfe1d0595756b618667e1d0004dc14', 34868585);
INSERT INTO public._sqlx_migrations VALUES (6, 'delivery', '2026-11-25 20:26:59.746011+00', true, '\xc6b50155a55eb79209b357c0aa15a9c79b9ca2759b727992d0ca66d343ef4a244837a9481260695f0d13cdbcbae0b429', 11577819);
INSERT INTO public._sqlx_migrations VALUES (7, 'engine', '2026-11-25 20:26:59.760065+00', true, '\x6e3c1b730d2bbe7a783cfd5ebd5eb04d59f930b3a21e81f3505639c34471f527ea5900adfc931568c9d7af3026bf07fa', 26867531);
INSERT INTO public._sqlx_migrations VALUES (9, 'runbooks', '2026-11-25 20:26:59.793279+00', true, '\xb2bcedee83a57647b50a5a626ec85d0302f9097820140857152cf88c1ddad5786f01a9e942e534c792fe4f16f0ae0170', 723882);
INSERT INTO public._sqlx_migrations VALUES (10, 'notifications', '2026-11-25 20:26:59.794074+00', true, '\x628f464ac39f861b2c7a926e15a6953f6ea6a5ee8cf138ce3bed64825484d4d37ff50590c8adac3974b34672d97bf419', 2669978);
INSERT INTO public._sqlx_migrations VALUES (13, 'oauth', '2026-11-25 20:26:59.796845+00', true, '\x686e3d906d798fd83552533bcb5475c9c9c4fa4713371b6c38d1da1d4457afa593c15e7990fc64c5df979f0d00a6ebac', 1264270);
INSERT INTO public._sqlx_migrations VALUES (14, 'summaries', '2026-11-25 20:26:59.798221+00', true, '\x6d99ae446cd995567d74842bc0ffb2d68f1c0562ab9ef08f7ef27d263bdad21a97a847999657df1d3c5a58d55c36ad31', 22221826);
INSERT INTO public._sqlx_migrations VALUES (20, 'engine', '2026-11-25 20:26:59.825785+00', true, '\x98b7629bc99538f6753507a394d32d8e8d90dc8a5e9967a272fb75c9e0c99a1cfad02e308d793ada78d659d57bf41a14', 29825384);
INSERT INTO public._sqlx_migrations VALUES (25, 'no inbox', '2026-11-25 20:26:59.859054+00', true, '\xbf02f837c6aa296e50830c63537288a2e703836c3894115dcb7ef2a20abe0507d99d82822628c499420307416bd49d75', 68696424);
INSERT INTO public._sqlx_migrations VALUES (26, 'notification columns', '2026-11-25 20:26:59.966974+00', true, '\x32f4811fac3b9f84eb62dd5908485230319898aef538f3efc1b9ae13afe16afe966b0635a786d344b8f91b3fcc0e9aec', 45744506);
INSERT INTO public._sqlx_migrations VALUES (27, 'typed state', '2026-11-25 20:27:00.020006+00', true, '\x08fa0311d7da2a01354126d0e57dc7ccdd7d119dc10332206a3068a9975c27ed8716e368ad48681217b81491e7139ae7', 77266153);
INSERT INTO public._sqlx_migrations VALUES (28, 'summary events', '2026-11-25 20:27:00.102898+00', true, '\xb3467cee1b18fc4432243dce9d3516c0aed6e44af940780396237db22a06bb4763a4b5b54ba758803fc5cee235d3cbbb', 1156915);
INSERT INTO public._sqlx_migrations VALUES (29, 'session aliases', '2026-11-25 20:27:00.104106+00', true, '\x7dcf4522308da32d9124226c6b27e76b87e20fbf04b823e116a43e51a4e0e5fd3af5e1a9c6647492d70b7af1fe9f3d9b', 1770836);
INSERT INTO public._sqlx_migrations VALUES (30, 'compaction', '2026-11-25 20:27:00.105996+00', true, '\x5144d2411179f85fb9b620e6821d347dec38ca8b7f2f32d35e482a428da09642764b0c2a95e8d2a7454597abc561605a', 872849);
INSERT INTO public._sqlx_migrations VALUES (31, 'summaries finished', '2026-11-25 20:27:00.106965+00', true, '\xccfd83328f0b4ddaa465025706a4df8880f48439803105b14eab3d4701f948134aeef89a1128c8c0833d1f3cf55dcd66', 613173);
INSERT INTO public._sqlx_migrations VALUES (40, 'access', '2026-11-25 20:27:00.107665+00', true, '\x55f5de551767480ff73e792385accd441fdf4e79093733ac726790874b9b5905fe54170e30d1a71be0b59b346dec691b', 20152726);
INSERT INTO public._sqlx_migrations VALUES (41, 'sign ins', '2026-11-25 20:27:00.144115+00', true, '\xa95ff89d9a6862d33fbc9a709f6f0ffd575d84784d6d436cfb0569bec0179becc71a1fa4415d3128f14664713e9240f8', 8553292);
INSERT INTO public._sqlx_migrations VALUES (43, 'approvals', '2026-11-25 20:27:00.150965+00', true, '\x65945a4b7ef62391d15d6ef70dead96d660994452e389d135fc3c138e88f354380eb9aadcaf78dbda6407277b94d6a31', 11976707);
INSERT INTO public._sqlx_migrations VALUES (44, 'accepted tools', '2026-11-25 20:27:00.165524+00', true, '\xea887a7dc5a3baa1001c1f4a2d435dafba6726b17f861578647cbea3812dd24eaccc62a918b2a76b49417468283cdebe', 9881672);
INSERT INTO public._sqlx_migrations VALUES (45, 'audit retention', '2026-11-25 20:27:00.174204+00', true, '\x55c27bd66d0a0083d74506c90a3aa290cbccafa28af8ebc88de96d75f40d3e98a67e72d5f569b52defef296421f0df4a', 3869441);
INSERT INTO public._sqlx_migrations VALUES (48, 'quotas', '2026-11-25 20:27:00.181952+00', true, '\x6871a0ba34cc5a485b8afcb714739fa748f3a2fcaf1ab07118db3b08ad20b7f1cf3b6eda647b5d179ac209be0ad10622', 17300974);
INSERT INTO public._sqlx_migrations VALUES (49, 'token usage', '2026-11-25 20:27:00.199384+00', true, '\x5f3423155760cb0493b49f159bc30a3bdf9ce6a27703710d741f790230191db78f3e1aeaed0d9cfefd9cbf53f4bd38a5', 14340054);
INSERT INTO public._sqlx_migrations VALUES (53, 'approval notifications', '2026-11-25 20:27:00.21393+00', true, '\x396f4afa392f5470bd3c0c13b349ebd0571a5f5e3f537045e64c8ae54ab9df50d052278919b81a4e1e74332d5475fc11', 5089794);
INSERT INTO public._sqlx_migrations VALUES (54, 'claims', '2026-11-25 20:27:00.219333+00', true, '\x46e6585647b3109fd169a72a7cdd5cdce3a873e8b5d8a73c680212a51a1c221ea95096528d3b3d76a072c590cfbe70b2', 18282490);
INSERT INTO public._sqlx_migrations VALUES (55, 'record', '2026-11-25 20:27:00.242602+00', true, '\x81a02f5bfc51b6819ebfb53239306b296f513946d7c89c61b7906484da5088e04f52146e1cf5d336c0c84c07f8a7ea43', 22773253);
INSERT INTO public._sqlx_migrations VALUES (56, 'replay', '2026-11-25 20:27:00.268789+00', true, '\xd633fd4c45caa931ff44f4540852e4734bcc1ac5e186d28c764a52616f0aed711c0e430ae69345b9bbeaa3990d19c782', 37930477);
INSERT INTO public._sqlx_migrations VALUES (57, 'reviews', '2026-11-25 20:27:00.307242+00', true, '\x831bb2492bb72b3471d11c4c55fc80ee971d79348e3f3c249f3c52c6d8a7587a095ee0fac22b1cde031a8dfb388d7b64', 24500750);
INSERT INTO public._sqlx_migrations VALUES (58, 'injected instructions', '2026-11-25 20:27:00.336823+00', true, '\x95b78cf036c39ccfbc97267c835501699a4cdfb85ddc60d4937178b327474ed6efa35d017643fc9ac79dd40a5eb1238e', 6073562);
INSERT INTO public._sqlx_migrations VALUES (59, 'verdicts', '2026-11-25 20:27:00.343035+00', true, '\xf4c69645a43208cc9d89ccc2899b304da995be41733185fa194f8264151f2586ba76b7e6700f52e9deddf87e38effad1', 98041195);
INSERT INTO public._sqlx_migrations VALUES (63, 'cost', '2026-11-25 20:27:00.443094+00', true, '\x7b37a7270850409bfd7fed6aefe45bb05add3f65fc737a33d7d2d7868c211b0ba90217c43a79de16c0c67549e0fb19ef', 2094376);
INSERT INTO public._sqlx_migrations VALUES (64, 'intake', '2026-11-25 20:27:00.445506+00', true, '\xa4e1030e427e5774663e7169bce98e729a712105bf92ccf0a70ae6517b6833cef22f38cfb7a619c44333fa30ff829610', 26373756);
INSERT INTO public._sqlx_migrations VALUES (65, 'alerts for agents', '2026-11-25 20:27:00.472062+00', true, '\xed5f7b3f0fae6a3e9532b806f6643d0f6b96608553daad8ea7a53151ea1b0333b698282e523ce44c1b4b4d2de04034ad', 8248775);
INSERT INTO public._sqlx_migrations VALUES (70, 'search', '2026-11-25 20:27:00.480943+00', true, '\xf512fa12b7844ab5185d979fd4d377bdf2c1a3240338e77e768997cf368d974c79340620560d6fa09b117c784d12be54', 28213537);
INSERT INTO public._sqlx_migrations VALUES (71, 'overview', '2026-11-25 20:27:00.509314+00', true, '\x709ee3919c51b214b0e347eb4af972a24d34766aba36dbd0b612a91c283a969aed16acb9dd1513606c2fa8154e9eed9e', 16259798);
INSERT INTO public._sqlx_migrations VALUES (72, 'list filters', '2026-11-25 20:27:00.530561+00', true, '\x342fb71ad6ea1052a7354875b006ed82f275d55e8b688f63990f018ade4cff85e0ee2ff02f0807d42b28cb0a4c4921d0', 39410545);


--
-- Data for Name: accepted_tools; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.accepted_tools VALUES ('two', 'a', 'definition of a', 'olaf', '2026-11-25 20:25:57.220983+00');
INSERT INTO public.accepted_tools VALUES ('one', 'b', 'definition of b', 'olaf', '2026-11-25 20:25:57.274685+00');
INSERT INTO public.accepted_tools VALUES ('one', 'c', 'definition of c', 'olaf', '2026-11-25 20:25:57.274685+00');


--
-- Data for Name: agent_executions; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.agent_executions VALUES ('01a21463-e510-7427-b4d6-c8bea09f87bc', '01a21463-e510-7427-b4d6-c8bda87856e8', '01a21463-e468-7380-a10e-72d6c21b2710', 'KubernetesAgent-1', 1, 'langchain', 'offline', 'active', NULL, '2026-11-25 20:27:00.753759+00', '2026-11-25 20:27:00.753759+00', NULL, 'offline', 0, NULL, NULL, NULL, NULL);
INSERT INTO public.agent_executions VALUES ('00000000-0000-7000-8000-000000000023', '00000000-0000-7000-8000-000000000012', '00000000-0000-7000-8000-000000000001', 'c', 1, 'native', 'first', 'active', NULL, '2026-11-25 20:26:58.60702+00', NULL, NULL, 'first', 0, '2026-11-25 20:26:58.60702+00', NULL, NULL, NULL);
INSERT INTO public.agent_executions VALUES ('00000000-0000-7000-8000-000000000021', '00000000-0000-7000-8000-000000000011', '00000000-0000-7000-8000-000000000001', 'a', 1, 'native', 'first', 'completed', NULL, '2026-11-25 20:26:58.60702+00', NULL, NULL, 'third', 4, NULL, 'the disk is full', '2026-11-25 20:27:01.60702+00', NULL);
INSERT INTO public.agent_executions VALUES ('00000000-0000-7000-8000-000000000022', '00000000-0000-7000-8000-000000000011', '00000000-0000-7000-8000-000000000001', 'b', 2, 'native', 'first', 'completed', NULL, '2026-11-25 20:26:58.60702+00', NULL, NULL, 'first', 0, '2026-11-25 20:27:02.60702+00', 'the log grows', '2026-11-25 20:27:03.60702+00', NULL);
INSERT INTO public.agent_executions VALUES ('01a21463-e5ca-7303-93c0-c90e796ba5d1', '01a21463-e5ca-7303-93c0-c90ddeb3d4eb', '01a21463-e57d-746a-a895-e3bd7e7ea792', 'KubernetesAgent-1', 1, 'langchain', 'offline', 'failed', NULL, '2026-11-25 20:27:00.938942+00', '2026-11-25 20:27:00.938942+00', '2026-11-25 20:27:01.052432+00', 'offline', 0, NULL, NULL, NULL, NULL);
INSERT INTO public.agent_executions VALUES ('01a21463-012c-7623-9094-bb1acd22a1b9', '01a21463-012c-7623-9094-bb19a2a773b9', '01a21463-00d4-742b-9cd3-b871ac84c802', 'KubernetesAgent-1', 1, 'langchain', 'offline', 'completed', NULL, '2026-11-25 20:26:02.412129+00', '2026-11-25 20:26:02.412129+00', '2026-11-25 20:26:02.432414+00', 'offline', 0, NULL, NULL, NULL, NULL);
INSERT INTO public.agent_executions VALUES ('01a21463-01b5-76d9-b540-8be1a568036d', '01a21463-01b3-7790-bbb5-dc0381f34e97', '01a21463-00d4-742b-9cd3-b871ac84c802', 'HostAgent', 1, 'langchain', 'offline', 'active', NULL, '2026-11-25 20:26:02.545762+00', '2026-11-25 20:26:02.617749+00', NULL, 'offline', 0, NULL, NULL, NULL, NULL);
INSERT INTO public.agent_executions VALUES ('01a21463-7c21-72ed-83d5-e8baaf1ddb6f', '01a21463-7c21-72ed-83d5-e8b942dec978', '01a21463-7be9-7273-ab4f-685ad74a2cd1', 'KubernetesAgent-1', 1, 'langchain', 'offline', 'failed', NULL, '2026-11-25 20:26:33.889245+00', '2026-11-25 20:26:33.889245+00', '2026-11-25 20:26:33.933554+00', 'offline', 0, NULL, NULL, NULL, NULL);
INSERT INTO public.agent_executions VALUES ('01a21463-7d2d-75f5-b5bb-8208d9d6b17e', '01a21463-7d2d-75f5-b5bb-82070249b944', '01a21463-7c9e-7307-976f-b5db2cd0a450', 'KubernetesAgent-1', 1, 'langchain', 'offline', 'failed', NULL, '2026-11-25 20:26:34.157315+00', '2026-11-25 20:26:34.157315+00', '2026-11-25 20:26:34.197739+00', 'offline', 0, NULL, NULL, NULL, NULL);
INSERT INTO public.agent_executions VALUES ('01a21462-f1ef-7300-9daa-4eca08496c59', '01a21462-f1ef-7300-9daa-4ec93851f913', '01a21462-f1b3-7782-8fe2-50802ea92fdc', 'KubernetesAgent-1', 1, 'langchain', 'offline', 'active', NULL, '2026-11-25 20:25:58.511985+00', '2026-11-25 20:25:58.511985+00', NULL, 'offline', 0, NULL, NULL, NULL, NULL);


--
-- Data for Name: alert_sessions; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.alert_sessions VALUES ('01a21463-e468-7380-a10e-72d6c21b2710', 'the disk of web-7f9.default is full', 'kubernetes', 'kubernetes', 'in_progress', 'alice', NULL, NULL, NULL, NULL, '{"stages": [{"name": "triage"}, {"name": "fix"}]}', '2026-11-25 20:27:00.584887+00', '2026-11-25 20:27:00.682319+00', NULL, '2026-11-25 20:27:00.820325+00', 0, '01a21463-e510-7427-b4d6-c8bda87856e8', NULL, NULL, NULL, NULL, NULL, DEFAULT, DEFAULT, 2, NULL, NULL, NULL, false, 300, 10000000, 1000, NULL, NULL, NULL, NULL, '{}', 'alert', NULL, '2026-11-25 20:27:00.584887+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.alert_sessions VALUES ('00000000-0000-7000-8000-000000000002', 'disk', NULL, 'host', 'pending', NULL, NULL, NULL, NULL, NULL, '{"chat": null, "stages": []}', '2026-11-25 20:26:58.60702+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, DEFAULT, DEFAULT, 0, NULL, NULL, NULL, false, 300, 10000000, 1000, NULL, NULL, NULL, NULL, '{}', 'alert', NULL, '2026-11-25 20:26:58.60702+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.alert_sessions VALUES ('00000000-0000-7000-8000-000000000001', 'disk', 'host', 'host', 'in_progress', NULL, NULL, NULL, NULL, NULL, '{"chat": {"name": "chat"}, "budget": {"tokens": 600, "llm_calls": 5, "tool_calls": 7}, "stages": [{"name": "triage", "synthesis": {"name": "joins"}}], "alert_type": "host", "session_timeout_ms": 90000}', '2026-11-25 20:26:58.60702+00', NULL, NULL, NULL, NULL, NULL, NULL, 'In short.', NULL, NULL, NULL, DEFAULT, DEFAULT, 2, NULL, NULL, 90000, true, 5, 600, 7, 'fifth', NULL, NULL, NULL, '{}', 'alert', NULL, '2026-11-25 20:26:58.60702+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.alert_sessions VALUES ('01a21463-e57d-746a-a895-e3bd7e7ea792', 'the disk of web-7f9.default is full', 'kubernetes', 'kubernetes', 'completed', 'alice', NULL, NULL, NULL, NULL, '{"stages": [{"name": "triage"}, {"name": "fix"}]}', '2026-11-25 20:27:00.861291+00', '2026-11-25 20:27:00.894493+00', '2026-11-25 20:27:01.052432+00', NULL, 0, '01a21463-e5ca-7303-93c0-c90ddeb3d4eb', NULL, NULL, NULL, NULL, NULL, DEFAULT, DEFAULT, 2, NULL, NULL, NULL, false, 300, 10000000, 1000, NULL, NULL, NULL, NULL, '{}', 'alert', NULL, '2026-11-25 20:27:00.861291+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '01a21463-e5f2-77bd-96a5-5c4d2724d363', NULL);
INSERT INTO public.alert_sessions VALUES ('01a21463-00d4-742b-9cd3-b871ac84c802', 'the disk of web-7f9.default is full', 'kubernetes', 'kubernetes', 'completed', 'alice', NULL, NULL, NULL, NULL, '{"stages": [{"name": "triage"}, {"name": "fix"}]}', '2026-11-25 20:26:02.325129+00', '2026-11-25 20:26:02.373879+00', '2026-11-25 20:26:02.451752+00', '2026-11-25 20:26:02.629476+00', 0, '01a21463-012c-7623-9094-bb19a2a773b9', 'the disk is full', NULL, NULL, NULL, NULL, DEFAULT, DEFAULT, 2, NULL, NULL, NULL, false, 300, 10000000, 1000, NULL, NULL, NULL, NULL, '{}', 'alert', NULL, '2026-11-25 20:26:02.325129+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.alert_sessions VALUES ('01a21463-7be9-7273-ab4f-685ad74a2cd1', 'the disk of web-7f9.default is full', 'kubernetes', 'kubernetes', 'completed', 'alice', NULL, NULL, NULL, NULL, '{"stages": [{"name": "triage"}, {"name": "fix"}]}', '2026-11-25 20:26:33.833768+00', '2026-11-25 20:26:33.872099+00', '2026-11-25 20:26:33.933554+00', NULL, 0, '01a21463-7c21-72ed-83d5-e8b942dec978', 'three pods', NULL, NULL, NULL, NULL, DEFAULT, DEFAULT, 2, NULL, NULL, NULL, false, 300, 10000000, 1000, NULL, NULL, NULL, NULL, '{}', 'alert', NULL, '2026-11-25 20:26:33.833768+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.alert_sessions VALUES ('01a21463-7c9e-7307-976f-b5db2cd0a450', 'the disk of web-7f9.default is full', 'kubernetes', 'kubernetes', 'completed', 'ada', NULL, NULL, NULL, NULL, '{"stages": []}', '2026-11-25 20:26:34.01421+00', '2026-11-25 20:26:34.093909+00', '2026-11-25 20:26:34.197739+00', NULL, 0, '01a21463-7d2d-75f5-b5bb-82070249b944', 'three pods', NULL, NULL, NULL, NULL, DEFAULT, DEFAULT, NULL, NULL, NULL, NULL, false, 300, 10000000, 1000, NULL, NULL, NULL, NULL, '{}', 'replay', '01a21463-7be9-7273-ab4f-685ad74a2cd1', '2026-11-25 20:26:33.833768+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '[]', NULL, NULL);
INSERT INTO public.alert_sessions VALUES ('01a21463-c888-76d4-8370-6667ec329642', 'the disk of web-7f9.default is full', 'kubernetes', 'kubernetes', 'pending', 'alice', NULL, NULL, NULL, 'key', '{"stages": [{"name": "triage"}, {"name": "fix"}]}', '2026-11-25 20:26:53.449915+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, DEFAULT, DEFAULT, 2, NULL, NULL, NULL, false, 300, 10000000, 1000, NULL, NULL, NULL, NULL, '{}', 'alert', NULL, '2026-11-25 20:26:53.449915+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.alert_sessions VALUES ('01a21463-4bfc-76de-9fcd-10526fa0f627', 'the disk of web-7f9.default is full', 'kubernetes', 'kubernetes', 'completed', 'alice', NULL, NULL, NULL, NULL, '{"stages": [{"name": "triage"}, {"name": "fix"}]}', '2026-11-25 20:26:21.564404+00', '2026-11-25 20:26:21.603476+00', '2026-11-25 20:26:21.651467+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, DEFAULT, DEFAULT, 2, NULL, NULL, NULL, false, 300, 10000000, 1000, NULL, NULL, NULL, NULL, '{}', 'alert', NULL, '2026-11-25 20:26:21.564404+00', 'Disk full', NULL, NULL, NULL, NULL, NULL, '{"team": "web"}', NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.alert_sessions VALUES ('01a21463-4ffa-7271-82bf-2ff626895d7b', 'the disk of web-7f9.default is full', 'kubernetes', 'kubernetes', 'completed', 'alice', NULL, NULL, NULL, NULL, '{"stages": [{"name": "triage"}, {"name": "fix"}]}', '2026-11-25 20:26:22.586693+00', '2026-11-25 20:26:22.610179+00', '2026-11-25 20:26:22.616245+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, DEFAULT, DEFAULT, 2, NULL, NULL, NULL, false, 300, 10000000, 1000, NULL, NULL, NULL, NULL, '{}', 'alert', NULL, '2026-11-25 20:26:22.586693+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '01a21463-5039-7702-8724-b6699fc26fae', NULL, NULL, NULL);
INSERT INTO public.alert_sessions VALUES ('01a21462-f1b3-7782-8fe2-50802ea92fdc', 'the disk of web-7f9.default is full', 'kubernetes', 'kubernetes', 'in_progress', 'alice', NULL, NULL, NULL, NULL, '{"stages": [{"name": "triage"}, {"name": "fix"}]}', '2026-11-25 20:25:58.452066+00', '2026-11-25 20:25:58.499904+00', NULL, NULL, 0, '01a21462-f1ef-7300-9daa-4ec93851f913', NULL, NULL, NULL, NULL, NULL, DEFAULT, DEFAULT, 2, NULL, NULL, NULL, false, 300, 10000000, 1000, NULL, NULL, NULL, NULL, '{}', 'alert', NULL, '2026-11-25 20:25:58.452066+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);


--
-- Data for Name: api_tokens; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.api_tokens VALUES ('01a21462-ed60-7633-a6c3-5191537d38fb', 'ci', '\x0202020202020202020202020202020202020202020202020202020202020202', 'admin', NULL, 'alice', '2026-11-25 20:25:57.345038+00', '2026-11-25 21:25:57.345038+00', '2026-11-25 20:25:57.397777+00', '2026-11-25 20:25:57.396278+00');
INSERT INTO public.api_tokens VALUES ('01a21462-ed52-72cb-abe8-a84d755922ec', 'alertmanager', '\x0101010101010101010101010101010101010101010101010101010101010101', NULL, '{kubernetes}', 'alice', '2026-11-25 20:25:57.342414+00', '2026-11-25 20:25:57.473559+00', NULL, NULL);
INSERT INTO public.api_tokens VALUES ('01a21462-eda5-76a5-9e39-f1d129498e73', 'ci', '\x0404040404040404040404040404040404040404040404040404040404040404', 'admin', NULL, 'alice', '2026-11-25 20:25:57.414451+00', '2026-11-25 20:25:57.473559+00', NULL, NULL);


--
-- Data for Name: audit_log; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.audit_log VALUES ('01a21462-ece2-7124-87e5-23fc16459afb', '2026-11-25 20:25:57.219149+00', 'alice', 'local', '127.0.0.1', 'submit_alert', NULL, 'allowed', 202, 'req-�1');
INSERT INTO public.audit_log VALUES ('01a21462-ece2-7124-87e5-23febaeb6a7a', '2026-11-25 20:25:57.219149+00', 'alice', 'local', '127.0.0.1', 'submit_alert', NULL, 'failed', 202, 'req-�1');


--
-- Data for Name: audit_retention; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.audit_retention VALUES (true, 365);


--
-- Data for Name: chat_user_messages; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.chat_user_messages VALUES ('01a21463-01b3-7790-bbb5-dc02441dd1e1', '01a21463-01b2-7092-9aa7-a9fbc74df6ca', 'why?', 'bob', '2026-11-25 20:26:02.545762+00');


--
-- Data for Name: chats; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.chats VALUES ('01a21463-01b2-7092-9aa7-a9fbc74df6ca', '01a21463-00d4-742b-9cd3-b871ac84c802', 'bob', '2026-11-25 20:26:02.545762+00', '2026-11-25 20:26:02.545762+00');


--
-- Data for Name: claim_checks; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.claim_checks VALUES ('01a21463-e5b9-70bf-b4b2-1f2f6ae60331', '01a21463-e468-7380-a10e-72d6c21b2710', '01a21463-e510-7427-b4d6-c8bea09f87bc', '01a21463-e5b9-70bf-b4b2-1f2ea8ca1d53', 'final_analysis', NULL, 4, 3, 1, '2026-11-25 20:27:00.921342+00');


--
-- Data for Name: claims; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.claims VALUES ('01a21463-e5b9-70bf-b4b2-1f2f6ae60331', 3, 'quantity', '39G', 0, 3, 'contradicted', 1, 4, NULL);
INSERT INTO public.claims VALUES ('01a21463-e5b9-70bf-b4b2-1f2f6ae60331', 2, 'quantity', '39G', 0, 3, 'uncited', 1, 3, NULL);
INSERT INTO public.claims VALUES ('01a21463-e5b9-70bf-b4b2-1f2f6ae60331', 1, 'quantity', '39G', 0, 3, 'supported', 1, 2, NULL);
INSERT INTO public.claims VALUES ('01a21463-e5b9-70bf-b4b2-1f2f6ae60331', 4, 'quantity', '39G', 0, 3, 'supported', 1, 2, NULL);


--
-- Data for Name: dead_letters; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.dead_letters VALUES ('00000000-0000-7000-8000-000000000042', 'notification.ops', '\x7b226e6f74696669636174696f6e5f6964223a202230303030303030302d303030302d373030302d383030302d303030303030303030303431227d', 'refused', 3, '2026-11-25 20:26:58.60702+00', '2026-11-25 20:26:58.776078+00', '00000000-0000-7000-8000-000000000041');


--
-- Data for Name: events; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.events VALUES ('01a21463-e468-7380-a10e-72d6c21b2710', 1, 'session.status', '{"type": "session.status", "status": "pending", "timestamp": "2026-11-25T20:27:00.584887Z", "session_id": "01a21463-e468-7380-a10e-72d6c21b2710", "db_event_id": 1}', '2026-11-25 20:27:00.584887+00', NULL);
INSERT INTO public.events VALUES ('01a21463-e468-7380-a10e-72d6c21b2710', 2, 'session.status', '{"type": "session.status", "status": "in_progress", "timestamp": "2026-11-25T20:27:00.711820Z", "session_id": "01a21463-e468-7380-a10e-72d6c21b2710", "db_event_id": 2}', '2026-11-25 20:27:00.682319+00', NULL);
INSERT INTO public.events VALUES ('01a21463-e468-7380-a10e-72d6c21b2710', 3, 'stage.status', '{"type": "stage.status", "status": "started", "stage_id": "01a21463-e510-7427-b4d6-c8bda87856e8", "timestamp": "2026-11-25T20:27:00.753759Z", "session_id": "01a21463-e468-7380-a10e-72d6c21b2710", "stage_name": "triage", "db_event_id": 3, "stage_index": 1}', '2026-11-25 20:27:00.753759+00', NULL);
INSERT INTO public.events VALUES ('01a21463-e468-7380-a10e-72d6c21b2710', 4, 'interaction.created', '{"type": "interaction.created", "stage_id": "01a21463-e510-7427-b4d6-c8bda87856e8", "timestamp": "2026-11-25T20:27:00.820325Z", "session_id": "01a21463-e468-7380-a10e-72d6c21b2710", "db_event_id": 4, "execution_id": "01a21463-e510-7427-b4d6-c8bea09f87bc", "interaction_id": "01a21463-e554-73dd-97e1-05f61fafe811", "interaction_type": "mcp"}', '2026-11-25 20:27:00.820325+00', NULL);
INSERT INTO public.events VALUES ('01a21463-e468-7380-a10e-72d6c21b2710', 5, 'timeline_event.created', '{"type": "timeline_event.created", "status": "streaming", "content": "", "event_id": "01a21463-e554-73dd-97e1-05f762b4ce1a", "metadata": {"call_number": 1}, "stage_id": "01a21463-e510-7427-b4d6-c8bda87856e8", "timestamp": "2026-11-25T20:27:00.820325Z", "event_type": "llm_response", "session_id": "01a21463-e468-7380-a10e-72d6c21b2710", "db_event_id": 5, "execution_id": "01a21463-e510-7427-b4d6-c8bea09f87bc", "sequence_number": 1}', '2026-11-25 20:27:00.820325+00', NULL);
INSERT INTO public.events VALUES ('01a21463-e468-7380-a10e-72d6c21b2710', 6, 'interaction.created', '{"type": "interaction.created", "stage_id": "01a21463-e510-7427-b4d6-c8bda87856e8", "timestamp": "2026-11-25T20:27:00.820325Z", "session_id": "01a21463-e468-7380-a10e-72d6c21b2710", "db_event_id": 6, "execution_id": "01a21463-e510-7427-b4d6-c8bea09f87bc", "interaction_id": "01a21463-e554-73dd-97e1-05f8fd8c8095", "interaction_type": "mcp"}', '2026-11-25 20:27:00.820325+00', NULL);
INSERT INTO public.events VALUES ('01a21463-e468-7380-a10e-72d6c21b2710', 7, 'timeline_event.created', '{"type": "timeline_event.created", "status": "completed", "content": "", "event_id": "01a21463-e5b9-70bf-b4b2-1f2ea8ca1d53", "stage_id": "01a21463-e510-7427-b4d6-c8bda87856e8", "timestamp": "2026-11-25T20:27:00.921342Z", "event_type": "final_analysis", "session_id": "01a21463-e468-7380-a10e-72d6c21b2710", "db_event_id": 7, "execution_id": "01a21463-e510-7427-b4d6-c8bea09f87bc", "sequence_number": 2}', '2026-11-25 20:27:00.921342+00', NULL);
INSERT INTO public.events VALUES ('01a21463-e468-7380-a10e-72d6c21b2710', 8, 'claims.checked', '{"text": "final_analysis", "type": "claims.checked", "claims": 4, "check_id": "01a21463-e5b9-70bf-b4b2-1f2f6ae60331", "verified": 3, "timestamp": "2026-11-25T20:27:00.921342Z", "session_id": "01a21463-e468-7380-a10e-72d6c21b2710", "db_event_id": 8, "execution_id": "01a21463-e510-7427-b4d6-c8bea09f87bc", "timeline_event_id": "01a21463-e5b9-70bf-b4b2-1f2ea8ca1d53"}', '2026-11-25 20:27:00.921342+00', NULL);
INSERT INTO public.events VALUES ('01a21463-e57d-746a-a895-e3bd7e7ea792', 1, 'session.status', '{"type": "session.status", "status": "pending", "timestamp": "2026-11-25T20:27:00.861291Z", "session_id": "01a21463-e57d-746a-a895-e3bd7e7ea792", "db_event_id": 1}', '2026-11-25 20:27:00.861291+00', NULL);
INSERT INTO public.events VALUES ('01a21463-e57d-746a-a895-e3bd7e7ea792', 2, 'session.status', '{"type": "session.status", "status": "in_progress", "timestamp": "2026-11-25T20:27:00.936476Z", "session_id": "01a21463-e57d-746a-a895-e3bd7e7ea792", "db_event_id": 2}', '2026-11-25 20:27:00.894493+00', NULL);
INSERT INTO public.events VALUES ('01a21463-e57d-746a-a895-e3bd7e7ea792', 3, 'stage.status', '{"type": "stage.status", "status": "started", "stage_id": "01a21463-e5ca-7303-93c0-c90ddeb3d4eb", "timestamp": "2026-11-25T20:27:00.938942Z", "session_id": "01a21463-e57d-746a-a895-e3bd7e7ea792", "stage_name": "triage", "db_event_id": 3, "stage_index": 1}', '2026-11-25 20:27:00.938942+00', NULL);
INSERT INTO public.events VALUES ('01a21463-e57d-746a-a895-e3bd7e7ea792', 4, 'verdict.recorded', '{"type": "verdict.recorded", "timestamp": "2026-11-25T20:27:01.049585Z", "session_id": "01a21463-e57d-746a-a895-e3bd7e7ea792", "verdict_id": "01a21463-e5f2-77bd-96a5-5c4d2724d363", "db_event_id": 4}', '2026-11-25 20:27:01.049585+00', NULL);
INSERT INTO public.events VALUES ('01a21463-e57d-746a-a895-e3bd7e7ea792', 5, 'stage.status', '{"type": "stage.status", "status": "failed", "stage_id": "01a21463-e5ca-7303-93c0-c90ddeb3d4eb", "timestamp": "2026-11-25T20:27:01.052432Z", "session_id": "01a21463-e57d-746a-a895-e3bd7e7ea792", "stage_name": "triage", "db_event_id": 5, "stage_index": 1}', '2026-11-25 20:27:01.052432+00', NULL);
INSERT INTO public.events VALUES ('01a21463-e57d-746a-a895-e3bd7e7ea792', 6, 'session.status', '{"type": "session.status", "status": "completed", "timestamp": "2026-11-25T20:27:01.052432Z", "session_id": "01a21463-e57d-746a-a895-e3bd7e7ea792", "db_event_id": 6}', '2026-11-25 20:27:01.052432+00', NULL);
INSERT INTO public.events VALUES ('01a21463-00d4-742b-9cd3-b871ac84c802', 1, 'session.status', '{"type": "session.status", "status": "pending", "timestamp": "2026-11-25T20:26:02.325129Z", "session_id": "01a21463-00d4-742b-9cd3-b871ac84c802", "db_event_id": 1}', '2026-11-25 20:26:02.325129+00', NULL);
INSERT INTO public.events VALUES ('01a21463-00d4-742b-9cd3-b871ac84c802', 2, 'session.status', '{"type": "session.status", "status": "in_progress", "timestamp": "2026-11-25T20:26:02.386267Z", "session_id": "01a21463-00d4-742b-9cd3-b871ac84c802", "db_event_id": 2}', '2026-11-25 20:26:02.373879+00', NULL);
INSERT INTO public.events VALUES ('01a21463-00d4-742b-9cd3-b871ac84c802', 3, 'stage.status', '{"type": "stage.status", "status": "started", "stage_id": "01a21463-012c-7623-9094-bb19a2a773b9", "timestamp": "2026-11-25T20:26:02.412129Z", "session_id": "01a21463-00d4-742b-9cd3-b871ac84c802", "stage_name": "triage", "db_event_id": 3, "stage_index": 1}', '2026-11-25 20:26:02.412129+00', NULL);
INSERT INTO public.events VALUES ('01a21463-00d4-742b-9cd3-b871ac84c802', 4, 'stage.status', '{"type": "stage.status", "status": "completed", "stage_id": "01a21463-012c-7623-9094-bb19a2a773b9", "timestamp": "2026-11-25T20:26:02.432414Z", "session_id": "01a21463-00d4-742b-9cd3-b871ac84c802", "stage_name": "triage", "db_event_id": 4, "stage_index": 1}', '2026-11-25 20:26:02.432414+00', NULL);
INSERT INTO public.events VALUES ('01a21463-00d4-742b-9cd3-b871ac84c802', 5, 'session.status', '{"type": "session.status", "status": "completed", "timestamp": "2026-11-25T20:26:02.451752Z", "session_id": "01a21463-00d4-742b-9cd3-b871ac84c802", "db_event_id": 5}', '2026-11-25 20:26:02.451752+00', NULL);
INSERT INTO public.events VALUES ('01a21463-00d4-742b-9cd3-b871ac84c802', 6, 'chat.created', '{"type": "chat.created", "chat_id": "01a21463-01b2-7092-9aa7-a9fbc74df6ca", "timestamp": "2026-11-25T20:26:02.545762Z", "created_by": "bob", "session_id": "01a21463-00d4-742b-9cd3-b871ac84c802", "db_event_id": 6}', '2026-11-25 20:26:02.545762+00', NULL);
INSERT INTO public.events VALUES ('01a21463-00d4-742b-9cd3-b871ac84c802', 7, 'chat.user_message', '{"type": "chat.user_message", "author": "bob", "chat_id": "01a21463-01b2-7092-9aa7-a9fbc74df6ca", "content": "why?", "timestamp": "2026-11-25T20:26:02.545762Z", "message_id": "01a21463-01b3-7790-bbb5-dc02441dd1e1", "session_id": "01a21463-00d4-742b-9cd3-b871ac84c802", "db_event_id": 7}', '2026-11-25 20:26:02.545762+00', NULL);
INSERT INTO public.events VALUES ('01a21463-00d4-742b-9cd3-b871ac84c802', 8, 'timeline_event.created', '{"type": "timeline_event.created", "status": "completed", "content": "why?", "event_id": "01a21463-01b5-76d9-b540-8be2d020ed86", "metadata": {"author": "bob"}, "stage_id": "01a21463-01b3-7790-bbb5-dc0381f34e97", "timestamp": "2026-11-25T20:26:02.545762Z", "event_type": "user_question", "session_id": "01a21463-00d4-742b-9cd3-b871ac84c802", "db_event_id": 8, "execution_id": "01a21463-01b5-76d9-b540-8be1a568036d", "sequence_number": 1}', '2026-11-25 20:26:02.545762+00', NULL);
INSERT INTO public.events VALUES ('01a21463-00d4-742b-9cd3-b871ac84c802', 9, 'stage.status', '{"type": "stage.status", "status": "started", "stage_id": "01a21463-01b3-7790-bbb5-dc0381f34e97", "timestamp": "2026-11-25T20:26:02.626797Z", "session_id": "01a21463-00d4-742b-9cd3-b871ac84c802", "stage_name": "Chat Response", "db_event_id": 9, "stage_index": 2}', '2026-11-25 20:26:02.617749+00', NULL);
INSERT INTO public.events VALUES ('01a21463-00d4-742b-9cd3-b871ac84c802', 10, 'timeline_event.created', '{"type": "timeline_event.created", "status": "streaming", "content": "", "event_id": "01a21463-0205-71ef-b311-2471462446aa", "metadata": {"call_number": 1}, "stage_id": "01a21463-01b3-7790-bbb5-dc0381f34e97", "timestamp": "2026-11-25T20:26:02.629476Z", "event_type": "llm_response", "session_id": "01a21463-00d4-742b-9cd3-b871ac84c802", "db_event_id": 10, "execution_id": "01a21463-01b5-76d9-b540-8be1a568036d", "sequence_number": 2}', '2026-11-25 20:26:02.629476+00', NULL);
INSERT INTO public.events VALUES ('01a21463-00d4-742b-9cd3-b871ac84c802', 11, 'interaction.created', '{"type": "interaction.created", "stage_id": "01a21463-01b3-7790-bbb5-dc0381f34e97", "timestamp": "2026-11-25T20:26:02.629476Z", "session_id": "01a21463-00d4-742b-9cd3-b871ac84c802", "db_event_id": 11, "execution_id": "01a21463-01b5-76d9-b540-8be1a568036d", "interaction_id": "01a21463-0205-71ef-b311-247304b308e1", "interaction_type": "mcp"}', '2026-11-25 20:26:02.629476+00', NULL);
INSERT INTO public.events VALUES ('01a21463-00d4-742b-9cd3-b871ac84c802', 12, 'interaction.created', '{"type": "interaction.created", "stage_id": "01a21463-01b3-7790-bbb5-dc0381f34e97", "timestamp": "2026-11-25T20:26:02.629476Z", "session_id": "01a21463-00d4-742b-9cd3-b871ac84c802", "db_event_id": 12, "execution_id": "01a21463-01b5-76d9-b540-8be1a568036d", "interaction_id": "01a21463-0205-71ef-b311-24756e4480c9", "interaction_type": "llm"}', '2026-11-25 20:26:02.629476+00', NULL);
INSERT INTO public.events VALUES ('01a21463-00d4-742b-9cd3-b871ac84c802', 13, 'interaction.created', '{"type": "interaction.created", "stage_id": "01a21463-01b3-7790-bbb5-dc0381f34e97", "timestamp": "2026-11-25T20:26:02.629476Z", "session_id": "01a21463-00d4-742b-9cd3-b871ac84c802", "db_event_id": 13, "execution_id": "01a21463-01b5-76d9-b540-8be1a568036d", "interaction_id": "01a21463-0205-71ef-b311-24724b87cbb2", "interaction_type": "llm"}', '2026-11-25 20:26:02.629476+00', NULL);
INSERT INTO public.events VALUES ('01a21463-7be9-7273-ab4f-685ad74a2cd1', 1, 'session.status', '{"type": "session.status", "status": "pending", "timestamp": "2026-11-25T20:26:33.833768Z", "session_id": "01a21463-7be9-7273-ab4f-685ad74a2cd1", "db_event_id": 1}', '2026-11-25 20:26:33.833768+00', NULL);
INSERT INTO public.events VALUES ('01a21463-7be9-7273-ab4f-685ad74a2cd1', 2, 'session.status', '{"type": "session.status", "status": "in_progress", "timestamp": "2026-11-25T20:26:33.879786Z", "session_id": "01a21463-7be9-7273-ab4f-685ad74a2cd1", "db_event_id": 2}', '2026-11-25 20:26:33.872099+00', NULL);
INSERT INTO public.events VALUES ('01a21463-7be9-7273-ab4f-685ad74a2cd1', 3, 'stage.status', '{"type": "stage.status", "status": "started", "stage_id": "01a21463-7c21-72ed-83d5-e8b942dec978", "timestamp": "2026-11-25T20:26:33.889245Z", "session_id": "01a21463-7be9-7273-ab4f-685ad74a2cd1", "stage_name": "triage", "db_event_id": 3, "stage_index": 1}', '2026-11-25 20:26:33.889245+00', NULL);
INSERT INTO public.events VALUES ('01a21463-7be9-7273-ab4f-685ad74a2cd1', 4, 'stage.status', '{"type": "stage.status", "status": "failed", "stage_id": "01a21463-7c21-72ed-83d5-e8b942dec978", "timestamp": "2026-11-25T20:26:33.933554Z", "session_id": "01a21463-7be9-7273-ab4f-685ad74a2cd1", "stage_name": "triage", "db_event_id": 4, "stage_index": 1}', '2026-11-25 20:26:33.933554+00', NULL);
INSERT INTO public.events VALUES ('01a21463-7be9-7273-ab4f-685ad74a2cd1', 5, 'session.status', '{"type": "session.status", "status": "completed", "timestamp": "2026-11-25T20:26:33.933554Z", "session_id": "01a21463-7be9-7273-ab4f-685ad74a2cd1", "db_event_id": 5}', '2026-11-25 20:26:33.933554+00', NULL);
INSERT INTO public.events VALUES ('01a21463-7c9e-7307-976f-b5db2cd0a450', 1, 'session.status', '{"type": "session.status", "status": "pending", "timestamp": "2026-11-25T20:26:34.014210Z", "session_id": "01a21463-7c9e-7307-976f-b5db2cd0a450", "db_event_id": 1}', '2026-11-25 20:26:34.01421+00', NULL);
INSERT INTO public.events VALUES ('01a21463-7c9e-7307-976f-b5db2cd0a450', 2, 'session.status', '{"type": "session.status", "status": "in_progress", "timestamp": "2026-11-25T20:26:34.128244Z", "session_id": "01a21463-7c9e-7307-976f-b5db2cd0a450", "db_event_id": 2}', '2026-11-25 20:26:34.093909+00', NULL);
INSERT INTO public.events VALUES ('01a21463-7c9e-7307-976f-b5db2cd0a450', 3, 'stage.status', '{"type": "stage.status", "status": "started", "stage_id": "01a21463-7d2d-75f5-b5bb-82070249b944", "timestamp": "2026-11-25T20:26:34.157315Z", "session_id": "01a21463-7c9e-7307-976f-b5db2cd0a450", "stage_name": "triage", "db_event_id": 3, "stage_index": 1}', '2026-11-25 20:26:34.157315+00', NULL);
INSERT INTO public.events VALUES ('01a21463-7c9e-7307-976f-b5db2cd0a450', 4, 'stage.status', '{"type": "stage.status", "status": "failed", "stage_id": "01a21463-7d2d-75f5-b5bb-82070249b944", "timestamp": "2026-11-25T20:26:34.197739Z", "session_id": "01a21463-7c9e-7307-976f-b5db2cd0a450", "stage_name": "triage", "db_event_id": 4, "stage_index": 1}', '2026-11-25 20:26:34.197739+00', NULL);
INSERT INTO public.events VALUES ('01a21463-7c9e-7307-976f-b5db2cd0a450', 5, 'session.status', '{"type": "session.status", "status": "completed", "timestamp": "2026-11-25T20:26:34.197739Z", "session_id": "01a21463-7c9e-7307-976f-b5db2cd0a450", "db_event_id": 5}', '2026-11-25 20:26:34.197739+00', NULL);
INSERT INTO public.events VALUES ('01a21463-c888-76d4-8370-6667ec329642', 1, 'session.status', '{"type": "session.status", "status": "pending", "timestamp": "2026-11-25T20:26:53.449915Z", "session_id": "01a21463-c888-76d4-8370-6667ec329642", "db_event_id": 1}', '2026-11-25 20:26:53.449915+00', NULL);
INSERT INTO public.events VALUES ('01a21463-4bfc-76de-9fcd-10526fa0f627', 1, 'session.status', '{"type": "session.status", "status": "pending", "timestamp": "2026-11-25T20:26:21.564404Z", "session_id": "01a21463-4bfc-76de-9fcd-10526fa0f627", "db_event_id": 1}', '2026-11-25 20:26:21.564404+00', NULL);
INSERT INTO public.events VALUES ('01a21463-4bfc-76de-9fcd-10526fa0f627', 2, 'session.status', '{"type": "session.status", "status": "in_progress", "timestamp": "2026-11-25T20:26:21.613098Z", "session_id": "01a21463-4bfc-76de-9fcd-10526fa0f627", "db_event_id": 2}', '2026-11-25 20:26:21.603476+00', NULL);
INSERT INTO public.events VALUES ('01a21463-4bfc-76de-9fcd-10526fa0f627', 3, 'session.status', '{"type": "session.status", "status": "completed", "timestamp": "2026-11-25T20:26:21.651467Z", "session_id": "01a21463-4bfc-76de-9fcd-10526fa0f627", "db_event_id": 3}', '2026-11-25 20:26:21.651467+00', NULL);
INSERT INTO public.events VALUES ('01a21463-4ffa-7271-82bf-2ff626895d7b', 1, 'session.status', '{"type": "session.status", "status": "pending", "timestamp": "2026-11-25T20:26:22.586693Z", "session_id": "01a21463-4ffa-7271-82bf-2ff626895d7b", "db_event_id": 1}', '2026-11-25 20:26:22.586693+00', NULL);
INSERT INTO public.events VALUES ('01a21463-4ffa-7271-82bf-2ff626895d7b', 2, 'session.status', '{"type": "session.status", "status": "in_progress", "timestamp": "2026-11-25T20:26:22.612109Z", "session_id": "01a21463-4ffa-7271-82bf-2ff626895d7b", "db_event_id": 2}', '2026-11-25 20:26:22.610179+00', NULL);
INSERT INTO public.events VALUES ('01a21463-4ffa-7271-82bf-2ff626895d7b', 3, 'session.status', '{"type": "session.status", "status": "completed", "timestamp": "2026-11-25T20:26:22.616245Z", "session_id": "01a21463-4ffa-7271-82bf-2ff626895d7b", "db_event_id": 3}', '2026-11-25 20:26:22.616245+00', NULL);
INSERT INTO public.events VALUES ('01a21462-f1b3-7782-8fe2-50802ea92fdc', 1, 'session.status', '{"type": "session.status", "status": "pending", "timestamp": "2026-11-25T20:25:58.452066Z", "session_id": "01a21462-f1b3-7782-8fe2-50802ea92fdc", "db_event_id": 1}', '2026-11-25 20:25:58.452066+00', NULL);
INSERT INTO public.events VALUES ('01a21462-f1b3-7782-8fe2-50802ea92fdc', 2, 'session.status', '{"type": "session.status", "status": "in_progress", "timestamp": "2026-11-25T20:25:58.501483Z", "session_id": "01a21462-f1b3-7782-8fe2-50802ea92fdc", "db_event_id": 2}', '2026-11-25 20:25:58.499904+00', NULL);
INSERT INTO public.events VALUES ('01a21462-f1b3-7782-8fe2-50802ea92fdc', 3, 'stage.status', '{"type": "stage.status", "status": "started", "stage_id": "01a21462-f1ef-7300-9daa-4ec93851f913", "timestamp": "2026-11-25T20:25:58.511985Z", "session_id": "01a21462-f1b3-7782-8fe2-50802ea92fdc", "stage_name": "triage", "db_event_id": 3, "stage_index": 1}', '2026-11-25 20:25:58.511985+00', NULL);
INSERT INTO public.events VALUES ('01a21462-f1b3-7782-8fe2-50802ea92fdc', 4, 'timeline_event.created', '{"type": "timeline_event.created", "status": "streaming", "content": "", "event_id": "01a21462-f200-731f-931c-7c3fc51ea45d", "metadata": {"call_number": 1}, "stage_id": "01a21462-f1ef-7300-9daa-4ec93851f913", "timestamp": "2026-11-25T20:25:58.538554Z", "event_type": "llm_tool_call", "session_id": "01a21462-f1b3-7782-8fe2-50802ea92fdc", "db_event_id": 4, "execution_id": "01a21462-f1ef-7300-9daa-4eca08496c59", "sequence_number": 1}', '2026-11-25 20:25:58.538554+00', NULL);
INSERT INTO public.events VALUES ('01a21462-f1b3-7782-8fe2-50802ea92fdc', 5, 'interaction.created', '{"type": "interaction.created", "stage_id": "01a21462-f1ef-7300-9daa-4ec93851f913", "timestamp": "2026-11-25T20:25:58.538554Z", "session_id": "01a21462-f1b3-7782-8fe2-50802ea92fdc", "db_event_id": 5, "execution_id": "01a21462-f1ef-7300-9daa-4eca08496c59", "interaction_id": "01a21462-f200-731f-931c-7c41913d2ffa", "interaction_type": "mcp"}', '2026-11-25 20:25:58.538554+00', NULL);
INSERT INTO public.events VALUES ('01a21462-f1b3-7782-8fe2-50802ea92fdc', 6, 'timeline_event.created', '{"type": "timeline_event.created", "status": "streaming", "content": "", "event_id": "01a21462-f200-731f-931c-7c40b8ff66df", "stage_id": "01a21462-f1ef-7300-9daa-4ec93851f913", "timestamp": "2026-11-25T20:25:58.538554Z", "event_type": "tool_approval", "session_id": "01a21462-f1b3-7782-8fe2-50802ea92fdc", "db_event_id": 6, "execution_id": "01a21462-f1ef-7300-9daa-4eca08496c59", "sequence_number": 2}', '2026-11-25 20:25:58.538554+00', NULL);


--
-- Data for Name: idempotency_keys; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.idempotency_keys VALUES ('key', '01a21463-c888-76d4-8370-6667ec329642', '2026-11-25 20:26:53.449915+00', 'alice', 'a');


--
-- Data for Name: intake_alerts; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.intake_alerts OVERRIDING SYSTEM VALUE VALUES ('b941cf4e-60ec-49bb-b7af-8c0517b16f38', 1, 'pager', 'Q1', 'f', NULL, 'firing', 'x', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'host', 'host', NULL, NULL, 'attach', 'new', '{}', '01a21463-4bfc-76de-9fcd-10526fa0f627', false, NULL, NULL, '2026-11-25 20:26:21.593019+00', 0, '2026-11-25 20:26:21.593019+00');
INSERT INTO public.intake_alerts OVERRIDING SYSTEM VALUE VALUES ('e31a1fce-68dd-4865-9793-fbddc4bc6bfb', 2, 'other', 'Q2', 'f', NULL, 'firing', 'x', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'host', 'host', NULL, NULL, 'attach', 'new', '{}', '01a21463-4bfc-76de-9fcd-10526fa0f627', false, NULL, NULL, '2026-11-25 20:26:21.600924+00', 0, '2026-11-25 20:26:21.600924+00');


--
-- Data for Name: llm_interactions; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.llm_interactions VALUES ('513c2988-f93a-44ac-b6bf-e78c713b2de1', '00000000-0000-7000-8000-000000000001', NULL, '00000000-0000-7000-8000-000000000023', 'iteration', 'm', NULL, '{"provider": "first"}', '{}', NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'late', '2026-11-25 20:26:58.60702+00', true, 'first', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.llm_interactions VALUES ('01a21463-0205-71ef-b311-24756e4480c9', '01a21463-00d4-742b-9cd3-b871ac84c802', '01a21463-01b3-7790-bbb5-dc0381f34e97', '01a21463-01b5-76d9-b540-8be1a568036d', 'iteration', 'offline', NULL, '{"messages": 2}', '{"text": "done"}', 'hm', NULL, 100, 20, 120, NULL, 7, NULL, '2026-11-25 20:26:02.629476+00', false, 'offline', NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', NULL, '0.1.0', NULL, NULL, NULL, NULL);
INSERT INTO public.llm_interactions VALUES ('01a21463-0205-71ef-b311-24724b87cbb2', '01a21463-00d4-742b-9cd3-b871ac84c802', '01a21463-01b3-7790-bbb5-dc0381f34e97', '01a21463-01b5-76d9-b540-8be1a568036d', 'iteration', 'offline', NULL, '{"messages": 2}', '{"text": "done"}', 'hm', NULL, 100, 20, NULL, NULL, 7, NULL, '2026-11-25 20:26:02.629476+00', false, 'offline', NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', NULL, '0.1.0', NULL, NULL, NULL, NULL);


--
-- Data for Name: mcp_interactions; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.mcp_interactions VALUES ('01a21463-e554-73dd-97e1-05f61fafe811', '01a21463-e468-7380-a10e-72d6c21b2710', '01a21463-e510-7427-b4d6-c8bda87856e8', '01a21463-e510-7427-b4d6-c8bea09f87bc', 'completed', '01a21463-e565-7293-b46e-a9e99f9e8641', NULL, 'tool_list', 'kubernetes-server', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '2026-11-25 20:27:00.820325+00', NULL, false, 'e8ad19d4cb0dc98c17c9b20a409da5b324eb7ceb214a02b04a3766f6f6e9e3a8', NULL, NULL, 0);
INSERT INTO public.mcp_interactions VALUES ('01a21463-e554-73dd-97e1-05f8fd8c8095', '01a21463-e468-7380-a10e-72d6c21b2710', '01a21463-e510-7427-b4d6-c8bda87856e8', '01a21463-e510-7427-b4d6-c8bea09f87bc', 'completed', '01a21463-e554-73dd-97e1-05f9bc8dcf04', 'gateway-1', 'tool_call', 'kubernetes-server', 'pods_list', 'call_1', '{"namespace": "default"}', 'cut', NULL, '01a21463-e554-73dd-97e1-05f762b4ce1a', 5, NULL, '2026-11-25 20:27:00.820325+00', 1, false, NULL, NULL, NULL, 0);
INSERT INTO public.mcp_interactions VALUES ('00000000-0000-7000-8000-000000000031', '00000000-0000-7000-8000-000000000001', NULL, '00000000-0000-7000-8000-000000000021', 'completed', '00000000-0000-7000-8000-000000000032', NULL, 'tool_call', 'host', NULL, NULL, NULL, NULL, NULL, '00000000-0000-7000-8000-000000000051', NULL, NULL, '2026-11-25 20:26:58.60702+00', 1, false, NULL, NULL, NULL, 0);
INSERT INTO public.mcp_interactions VALUES ('01a21463-0205-71ef-b311-247304b308e1', '01a21463-00d4-742b-9cd3-b871ac84c802', '01a21463-01b3-7790-bbb5-dc0381f34e97', '01a21463-01b5-76d9-b540-8be1a568036d', 'started', '01a21463-0205-71ef-b311-2474ac7e907f', 'gateway-1', 'tool_call', 'kubernetes-server', 'pods_list', 'call_1', '{"namespace": "default"}', NULL, NULL, '01a21463-0205-71ef-b311-2471462446aa', NULL, NULL, '2026-11-25 20:26:02.629476+00', 1, false, NULL, NULL, NULL, 0);
INSERT INTO public.mcp_interactions VALUES ('01a21462-f200-731f-931c-7c41913d2ffa', '01a21462-f1b3-7782-8fe2-50802ea92fdc', '01a21462-f1ef-7300-9daa-4ec93851f913', '01a21462-f1ef-7300-9daa-4eca08496c59', 'started', '01a21462-f200-731f-931c-7c42b8bc5f82', 'gateway-1', 'tool_call', 'kubernetes-server', 'pods_list', 'call_1', '{"namespace": "default"}', NULL, NULL, '01a21462-f200-731f-931c-7c3fc51ea45d', NULL, NULL, '2026-11-25 20:25:58.538554+00', 1, false, NULL, NULL, NULL, 0);


--
-- Data for Name: mcp_oauth_tokens; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.mcp_oauth_tokens VALUES ('jira', '\x6e6577', '2026-11-25 20:27:00.288483+00');


--
-- Data for Name: messages; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.messages VALUES ('17b9f451-c817-499d-9ffb-317cf2c75a20', '00000000-0000-7000-8000-000000000001', '00000000-0000-7000-8000-000000000012', '00000000-0000-7000-8000-000000000023', 2, 'user', 'All 3 iterations are used; no more tools can be called. Conclude now from what you have
seen, in the order', NULL, NULL, NULL, NULL, '2026-11-25 20:26:58.60702+00', NULL, NULL);


--
-- Data for Name: notification_destinations; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.notification_destinations VALUES ('slack', '2026-11-25 20:26:33.831385+00', '2026-11-25 20:26:33.831385+00');


--
-- Data for Name: notifications; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.notifications VALUES ('00000000-0000-7000-8000-000000000041', '00000000-0000-7000-8000-000000000001', 'started', 'ops', 'pending', NULL, NULL, '2026-11-25 20:26:58.60702+00', 0, '2026-11-25 20:26:58.776078+00', 0, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.notifications VALUES ('01a21463-4c2f-7098-aed4-14c5689c8732', '01a21463-4bfc-76de-9fcd-10526fa0f627', 'started', 'a', 'sent', '17.2', NULL, '2026-11-25 20:26:21.626426+00', 1, '2026-11-25 20:36:21.646678+00', 0, NULL, NULL, '2026-11-25 20:26:21.651076+00', NULL, NULL);
INSERT INTO public.notifications VALUES ('01a21463-4c2f-7098-aed4-14c665aa241a', '01a21463-4bfc-76de-9fcd-10526fa0f627', 'ended', 'a', 'pending', NULL, NULL, '2026-11-25 20:26:21.626426+00', 1, '2026-11-25 20:36:21.695286+00', 0, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.notifications VALUES ('01a21463-502c-7186-9af4-da618e541c53', '01a21463-4ffa-7271-82bf-2ff626895d7b', 'ended', 'a', 'sent', '17.1', NULL, '2026-11-25 20:26:22.637121+00', 1, '2026-11-25 20:36:22.640836+00', 0, NULL, NULL, '2026-11-25 20:26:22.646058+00', NULL, NULL);
INSERT INTO public.notifications VALUES ('01a21463-5037-7016-b0f6-62f1db2d3d77', '01a21463-4ffa-7271-82bf-2ff626895d7b', 'reviewed', 'a', 'skipped', NULL, NULL, '2026-11-25 20:26:22.647926+00', 1, '2026-11-25 20:36:22.655503+00', 0, '2026-11-25 20:26:22.658478+00', NULL, '2026-11-25 20:26:22.659175+00', NULL, '01a21463-5028-727d-9304-98b40429d718');
INSERT INTO public.notifications VALUES ('01a21463-503c-75a4-bb47-f8901fa5ced4', '01a21463-4ffa-7271-82bf-2ff626895d7b', 'reviewed', 'a', 'pending', NULL, NULL, '2026-11-25 20:26:22.652945+00', 1, '2026-11-25 20:36:22.660299+00', 0, '2026-11-25 20:26:22.662392+00', NULL, NULL, NULL, '01a21463-5039-7702-8724-b6699fc26fae');


--
-- Data for Name: overview_alerts; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: overview_durations; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: overview_hours; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: overview_tools; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: prompt_overrides; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.prompt_overrides VALUES ('01a21463-7c9e-7307-976f-b5db2cd0a450', 'task', 'Look.');


--
-- Data for Name: quota_windows; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.quota_windows VALUES ('user:alice', 'submit_alert', '2026-11-25 20:26:00+00', 3);
INSERT INTO public.quota_windows VALUES ('token:1', 'submit_alert', '2026-11-25 20:26:00+00', 3);
INSERT INTO public.quota_windows VALUES ('user:alice', 'ask_question', '2026-11-25 20:26:00+00', 2);


--
-- Data for Name: search_backfill; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.search_backfill VALUES (true, '2026-11-25 20:26:58.60702+00', '00000000-0000-7000-8000-000000000002');


--
-- Data for Name: search_documents; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.search_documents VALUES ('01a21463-e468-7380-a10e-72d6c21b2710', '01a21463-e468-7380-a10e-72d6c21b2710', '2026-11-25 20:27:00.584887+00', 'alert', NULL, NULL, 'the disk of web-7f9.default is full
kubernetes alice kubernetes
01a21463-e468-7380-a10e-72d6c21b2710', DEFAULT, DEFAULT);
INSERT INTO public.search_documents VALUES ('01a21463-e554-73dd-97e1-05f8fd8c8095', '01a21463-e468-7380-a10e-72d6c21b2710', '2026-11-25 20:27:00.584887+00', 'tool_call', '01a21463-e554-73dd-97e1-05f762b4ce1a', 1, 'kubernetes-server.pods_list
{"namespace": "default"}
cut', DEFAULT, DEFAULT);
INSERT INTO public.search_documents VALUES ('01a21463-e5b9-70bf-b4b2-1f2ea8ca1d53', '01a21463-e468-7380-a10e-72d6c21b2710', '2026-11-25 20:27:00.584887+00', 'final_analysis', '01a21463-e5b9-70bf-b4b2-1f2ea8ca1d53', NULL, '', DEFAULT, DEFAULT);
INSERT INTO public.search_documents VALUES ('01a21463-e57d-746a-a895-e3bd7e7ea792', '01a21463-e57d-746a-a895-e3bd7e7ea792', '2026-11-25 20:27:00.861291+00', 'alert', NULL, NULL, 'the disk of web-7f9.default is full
kubernetes alice kubernetes
01a21463-e57d-746a-a895-e3bd7e7ea792', DEFAULT, DEFAULT);
INSERT INTO public.search_documents VALUES ('01a21463-e5f2-77bd-96a5-5c4d2724d363', '01a21463-e57d-746a-a895-e3bd7e7ea792', '2026-11-25 20:27:00.861291+00', 'verdict', NULL, NULL, 'the disk is full
disk Pod shop web-1
/var 40G 39G
probe failed
no space left', DEFAULT, DEFAULT);
INSERT INTO public.search_documents VALUES ('01a21463-00d4-742b-9cd3-b871ac84c802', '01a21463-00d4-742b-9cd3-b871ac84c802', '2026-11-25 20:26:02.325129+00', 'alert', NULL, NULL, 'the disk of web-7f9.default is full
kubernetes alice kubernetes
01a21463-00d4-742b-9cd3-b871ac84c802', DEFAULT, DEFAULT);
INSERT INTO public.search_documents VALUES ('01a21463-01b5-76d9-b540-8be2d020ed86', '01a21463-00d4-742b-9cd3-b871ac84c802', '2026-11-25 20:26:02.325129+00', 'question', '01a21463-01b5-76d9-b540-8be2d020ed86', NULL, 'why?', DEFAULT, DEFAULT);
INSERT INTO public.search_documents VALUES ('01a21463-0205-71ef-b311-247304b308e1', '01a21463-00d4-742b-9cd3-b871ac84c802', '2026-11-25 20:26:02.325129+00', 'tool_call', '01a21463-0205-71ef-b311-2471462446aa', 1, 'kubernetes-server.pods_list
{"namespace": "default"}', DEFAULT, DEFAULT);
INSERT INTO public.search_documents VALUES ('01a21463-7be9-7273-ab4f-685ad74a2cd1', '01a21463-7be9-7273-ab4f-685ad74a2cd1', '2026-11-25 20:26:33.833768+00', 'alert', NULL, NULL, 'the disk of web-7f9.default is full
kubernetes alice kubernetes
01a21463-7be9-7273-ab4f-685ad74a2cd1', DEFAULT, DEFAULT);
INSERT INTO public.search_documents VALUES ('01a21463-7c9e-7307-976f-b5db2cd0a450', '01a21463-7c9e-7307-976f-b5db2cd0a450', '2026-11-25 20:26:34.01421+00', 'alert', NULL, NULL, 'the disk of web-7f9.default is full
kubernetes ada kubernetes
01a21463-7c9e-7307-976f-b5db2cd0a450', DEFAULT, DEFAULT);
INSERT INTO public.search_documents VALUES ('01a21463-c888-76d4-8370-6667ec329642', '01a21463-c888-76d4-8370-6667ec329642', '2026-11-25 20:26:53.449915+00', 'alert', NULL, NULL, 'the disk of web-7f9.default is full
kubernetes alice kubernetes
01a21463-c888-76d4-8370-6667ec329642', DEFAULT, DEFAULT);
INSERT INTO public.search_documents VALUES ('01a21463-4bfc-76de-9fcd-10526fa0f627', '01a21463-4bfc-76de-9fcd-10526fa0f627', '2026-11-25 20:26:21.564404+00', 'alert', NULL, NULL, 'Disk full
the disk of web-7f9.default is full
kubernetes alice kubernetes
01a21463-4bfc-76de-9fcd-10526fa0f627', DEFAULT, DEFAULT);
INSERT INTO public.search_documents VALUES ('01a21463-4ffa-7271-82bf-2ff626895d7b', '01a21463-4ffa-7271-82bf-2ff626895d7b', '2026-11-25 20:26:22.586693+00', 'alert', NULL, NULL, 'the disk of web-7f9.default is full
kubernetes alice kubernetes
01a21463-4ffa-7271-82bf-2ff626895d7b', DEFAULT, DEFAULT);
INSERT INTO public.search_documents VALUES ('01a21462-f1b3-7782-8fe2-50802ea92fdc', '01a21462-f1b3-7782-8fe2-50802ea92fdc', '2026-11-25 20:25:58.452066+00', 'alert', NULL, NULL, 'the disk of web-7f9.default is full
kubernetes alice kubernetes
01a21462-f1b3-7782-8fe2-50802ea92fdc', DEFAULT, DEFAULT);
INSERT INTO public.search_documents VALUES ('01a21462-f200-731f-931c-7c41913d2ffa', '01a21462-f1b3-7782-8fe2-50802ea92fdc', '2026-11-25 20:25:58.452066+00', 'tool_call', '01a21462-f200-731f-931c-7c3fc51ea45d', 1, 'kubernetes-server.pods_list
{"namespace": "default"}', DEFAULT, DEFAULT);


--
-- Data for Name: session_aliases; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: session_control; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.session_control VALUES ('01a21463-e468-7380-a10e-72d6c21b2710', 'owner', 1, '2026-11-25 20:37:00.71182+00', 1, NULL, 8, 2, '2026-11-25 20:27:00.584887+00', 1);
INSERT INTO public.session_control VALUES ('00000000-0000-7000-8000-000000000001', NULL, 0, NULL, 0, NULL, 0, 0, '2026-11-25 20:26:58.60702+00', 0);
INSERT INTO public.session_control VALUES ('00000000-0000-7000-8000-000000000002', NULL, 0, NULL, 0, NULL, 0, 0, '2026-11-25 20:26:58.60702+00', 0);
INSERT INTO public.session_control VALUES ('01a21463-e57d-746a-a895-e3bd7e7ea792', NULL, 2, NULL, 1, NULL, 6, 0, '2026-11-25 20:27:00.861291+00', 0);
INSERT INTO public.session_control VALUES ('01a21463-00d4-742b-9cd3-b871ac84c802', 'owner', 3, '2026-11-25 20:36:02.626797+00', 1, NULL, 13, 2, '2026-11-25 20:26:02.325129+00', 1);
INSERT INTO public.session_control VALUES ('01a21463-7be9-7273-ab4f-685ad74a2cd1', NULL, 2, NULL, 1, NULL, 5, 0, '2026-11-25 20:26:33.833768+00', 0);
INSERT INTO public.session_control VALUES ('01a21463-7c9e-7307-976f-b5db2cd0a450', NULL, 2, NULL, 1, NULL, 5, 0, '2026-11-25 20:26:34.01421+00', 0);
INSERT INTO public.session_control VALUES ('01a21463-c888-76d4-8370-6667ec329642', NULL, 0, NULL, 0, NULL, 1, 0, '2026-11-25 20:26:53.449915+00', 0);
INSERT INTO public.session_control VALUES ('01a21463-4bfc-76de-9fcd-10526fa0f627', NULL, 2, NULL, 1, NULL, 3, 0, '2026-11-25 20:26:21.564404+00', 0);
INSERT INTO public.session_control VALUES ('01a21463-4ffa-7271-82bf-2ff626895d7b', NULL, 2, NULL, 1, NULL, 3, 0, '2026-11-25 20:26:22.586693+00', 0);
INSERT INTO public.session_control VALUES ('01a21462-f1b3-7782-8fe2-50802ea92fdc', 'owner', 1, '2026-11-25 20:35:58.501483+00', 1, NULL, 6, 2, '2026-11-25 20:25:58.452066+00', 1);


--
-- Data for Name: session_reviews; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.session_reviews VALUES ('01a21463-5028-727d-9304-98b40429d718', '01a21463-4ffa-7271-82bf-2ff626895d7b', 'accurate', NULL, NULL, NULL, 'rosa', '2026-11-25 20:26:22.631185+00', 1);
INSERT INTO public.session_reviews VALUES ('01a21463-5039-7702-8724-b6699fc26fae', '01a21463-4ffa-7271-82bf-2ff626895d7b', 'wrong', NULL, NULL, NULL, 'rosa', '2026-11-25 20:26:22.649067+00', 2);


--
-- Data for Name: sign_ins; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.sign_ins VALUES ('01a21462-edda-7392-9c47-9913ece86219', '\x0202020202020202020202020202020202020202020202020202020202020202', 'bob', '{sre,on-�call}', '127.0.0.1', '2026-11-25 20:25:57.466943+00', '2026-11-25 21:25:57.466943+00', '2026-11-25 20:25:57.466943+00', NULL, NULL);
INSERT INTO public.sign_ins VALUES ('01a21462-edd3-76c1-a3e6-2d1852fac7b9', '\x0101010101010101010101010101010101010101010101010101010101010101', 'alice', '{sre,on-�call}', '127.0.0.1', '2026-11-25 20:25:57.460829+00', '2026-11-25 21:25:57.460829+00', '2026-11-25 20:25:57.460829+00', '2026-11-25 20:25:57.537534+00', 'sign_out');


--
-- Data for Name: stages; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.stages VALUES ('01a21463-e510-7427-b4d6-c8bda87856e8', '01a21463-e468-7380-a10e-72d6c21b2710', 'triage', 0, 1, NULL, 'any', 'active', NULL, NULL, NULL, '2026-11-25 20:27:00.753759+00', '2026-11-25 20:27:00.753759+00', NULL, NULL, NULL);
INSERT INTO public.stages VALUES ('00000000-0000-7000-8000-000000000011', '00000000-0000-7000-8000-000000000001', 'triage', 0, 2, NULL, NULL, 'completed', NULL, NULL, NULL, '2026-11-25 20:26:58.60702+00', NULL, NULL, NULL, NULL);
INSERT INTO public.stages VALUES ('00000000-0000-7000-8000-000000000012', '00000000-0000-7000-8000-000000000001', 'triage - Synthesis', 1, 1, NULL, NULL, 'active', NULL, NULL, NULL, '2026-11-25 20:26:58.60702+00', NULL, NULL, '00000000-0000-7000-8000-000000000011', NULL);
INSERT INTO public.stages VALUES ('01a21463-e5ca-7303-93c0-c90ddeb3d4eb', '01a21463-e57d-746a-a895-e3bd7e7ea792', 'triage', 0, 1, NULL, 'any', 'failed', NULL, NULL, NULL, '2026-11-25 20:27:00.938942+00', '2026-11-25 20:27:00.938942+00', '2026-11-25 20:27:01.052432+00', NULL, NULL);
INSERT INTO public.stages VALUES ('01a21463-012c-7623-9094-bb19a2a773b9', '01a21463-00d4-742b-9cd3-b871ac84c802', 'triage', 0, 1, NULL, 'any', 'completed', NULL, NULL, NULL, '2026-11-25 20:26:02.412129+00', '2026-11-25 20:26:02.412129+00', '2026-11-25 20:26:02.432414+00', NULL, NULL);
INSERT INTO public.stages VALUES ('01a21463-01b3-7790-bbb5-dc0381f34e97', '01a21463-00d4-742b-9cd3-b871ac84c802', 'Chat Response', 1, 1, NULL, NULL, 'active', NULL, '01a21463-01b2-7092-9aa7-a9fbc74df6ca', '01a21463-01b3-7790-bbb5-dc02441dd1e1', '2026-11-25 20:26:02.545762+00', '2026-11-25 20:26:02.617749+00', NULL, NULL, NULL);
INSERT INTO public.stages VALUES ('01a21463-7c21-72ed-83d5-e8b942dec978', '01a21463-7be9-7273-ab4f-685ad74a2cd1', 'triage', 0, 1, NULL, 'any', 'failed', NULL, NULL, NULL, '2026-11-25 20:26:33.889245+00', '2026-11-25 20:26:33.889245+00', '2026-11-25 20:26:33.933554+00', NULL, NULL);
INSERT INTO public.stages VALUES ('01a21463-7d2d-75f5-b5bb-82070249b944', '01a21463-7c9e-7307-976f-b5db2cd0a450', 'triage', 0, 1, NULL, 'any', 'failed', NULL, NULL, NULL, '2026-11-25 20:26:34.157315+00', '2026-11-25 20:26:34.157315+00', '2026-11-25 20:26:34.197739+00', NULL, NULL);
INSERT INTO public.stages VALUES ('01a21462-f1ef-7300-9daa-4ec93851f913', '01a21462-f1b3-7782-8fe2-50802ea92fdc', 'triage', 0, 1, NULL, 'any', 'active', NULL, NULL, NULL, '2026-11-25 20:25:58.511985+00', '2026-11-25 20:25:58.511985+00', NULL, NULL, NULL);


--
-- Data for Name: summaries; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.summaries VALUES ('e809bc03-79b7-4abb-9369-b997dd71aef4', '00000000-0000-7000-8000-000000000031', 'failed', NULL, 0, NULL, '{}', NULL, NULL, '2026-11-25 20:26:58.60702+00', '00000000-0000-7000-8000-000000000001', '00000000-0000-7000-8000-000000000052', 0, NULL, 2, 30, 4, 34);


--
-- Data for Name: timeline_events; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.timeline_events VALUES ('01a21463-e554-73dd-97e1-05f762b4ce1a', '01a21463-e468-7380-a10e-72d6c21b2710', '01a21463-e510-7427-b4d6-c8bda87856e8', '01a21463-e510-7427-b4d6-c8bea09f87bc', 1, 'llm_response', 'streaming', '', '{"call_number": 1}', '2026-11-25 20:27:00.820325+00', '2026-11-25 20:27:00.820325+00');
INSERT INTO public.timeline_events VALUES ('01a21463-e5b9-70bf-b4b2-1f2ea8ca1d53', '01a21463-e468-7380-a10e-72d6c21b2710', '01a21463-e510-7427-b4d6-c8bda87856e8', '01a21463-e510-7427-b4d6-c8bea09f87bc', 2, 'final_analysis', 'completed', '', NULL, '2026-11-25 20:27:00.921342+00', '2026-11-25 20:27:00.921342+00');
INSERT INTO public.timeline_events VALUES ('af194903-4987-46ff-8a72-206820f73a44', '00000000-0000-7000-8000-000000000001', '00000000-0000-7000-8000-000000000011', '00000000-0000-7000-8000-000000000021', 3, 'final_analysis', 'completed', 'the disk is full', NULL, '2026-11-25 20:27:01.60702+00', '2026-11-25 20:26:58.60702+00');
INSERT INTO public.timeline_events VALUES ('d82e4760-d714-4fc3-8e4f-ef77a02dd998', '00000000-0000-7000-8000-000000000001', '00000000-0000-7000-8000-000000000011', '00000000-0000-7000-8000-000000000021', 2, 'provider_fallback', 'completed', 'x', '{"to": "third", "from": "second", "since": 4}', '2026-11-25 20:27:00.60702+00', '2026-11-25 20:26:58.60702+00');
INSERT INTO public.timeline_events VALUES ('8f8479a2-5785-4d98-8dc1-325a804ba57e', '00000000-0000-7000-8000-000000000001', '00000000-0000-7000-8000-000000000011', '00000000-0000-7000-8000-000000000021', 1, 'provider_fallback', 'completed', 'x', '{"to": "second", "from": "first", "since": 2}', '2026-11-25 20:26:59.60702+00', '2026-11-25 20:26:58.60702+00');
INSERT INTO public.timeline_events VALUES ('3ce41223-888d-4d22-a03f-b82abf01e554', '00000000-0000-7000-8000-000000000001', '00000000-0000-7000-8000-000000000011', '00000000-0000-7000-8000-000000000022', 5, 'final_analysis', 'completed', 'the log grows', NULL, '2026-11-25 20:27:03.60702+00', '2026-11-25 20:26:58.60702+00');
INSERT INTO public.timeline_events VALUES ('f642f845-6cac-421f-9931-b28522617896', '00000000-0000-7000-8000-000000000001', '00000000-0000-7000-8000-000000000011', '00000000-0000-7000-8000-000000000022', 4, 'budget_reached', 'completed', 'no more', '{}', '2026-11-25 20:27:02.60702+00', '2026-11-25 20:26:58.60702+00');
INSERT INTO public.timeline_events VALUES ('25b1556e-f9c9-4ac1-b4d2-50b503837aec', '00000000-0000-7000-8000-000000000001', NULL, NULL, 7, 'executive_summary', 'completed', 'In short.', NULL, '2026-11-25 20:27:05.60702+00', '2026-11-25 20:26:58.60702+00');
INSERT INTO public.timeline_events VALUES ('65e1dd30-b1fe-4baa-831e-3c4518242e48', '00000000-0000-7000-8000-000000000001', NULL, NULL, 6, 'provider_fallback', 'completed', 'x', '{"to": "fifth", "from": "first", "since": 0}', '2026-11-25 20:27:04.60702+00', '2026-11-25 20:26:58.60702+00');
INSERT INTO public.timeline_events VALUES ('00000000-0000-7000-8000-000000000051', '00000000-0000-7000-8000-000000000001', NULL, '00000000-0000-7000-8000-000000000021', 8, 'llm_tool_call', 'completed', 'a long result', '{}', '2026-11-25 20:26:58.60702+00', '2026-11-25 20:26:58.60702+00');
INSERT INTO public.timeline_events VALUES ('00000000-0000-7000-8000-000000000052', '00000000-0000-7000-8000-000000000001', NULL, '00000000-0000-7000-8000-000000000021', 9, 'mcp_tool_summary', 'completed', 'in short', '{"tool_event_id": "00000000-0000-7000-8000-000000000051"}', '2026-11-25 20:26:58.60702+00', '2026-11-25 20:26:58.60702+00');
INSERT INTO public.timeline_events VALUES ('01a21463-01b5-76d9-b540-8be2d020ed86', '01a21463-00d4-742b-9cd3-b871ac84c802', '01a21463-01b3-7790-bbb5-dc0381f34e97', '01a21463-01b5-76d9-b540-8be1a568036d', 1, 'user_question', 'completed', 'why?', '{"author": "bob"}', '2026-11-25 20:26:02.545762+00', '2026-11-25 20:26:02.545762+00');
INSERT INTO public.timeline_events VALUES ('01a21463-0205-71ef-b311-2471462446aa', '01a21463-00d4-742b-9cd3-b871ac84c802', '01a21463-01b3-7790-bbb5-dc0381f34e97', '01a21463-01b5-76d9-b540-8be1a568036d', 2, 'llm_response', 'streaming', '', '{"call_number": 1}', '2026-11-25 20:26:02.629476+00', '2026-11-25 20:26:02.629476+00');
INSERT INTO public.timeline_events VALUES ('01a21462-f200-731f-931c-7c3fc51ea45d', '01a21462-f1b3-7782-8fe2-50802ea92fdc', '01a21462-f1ef-7300-9daa-4ec93851f913', '01a21462-f1ef-7300-9daa-4eca08496c59', 1, 'llm_tool_call', 'streaming', '', '{"call_number": 1}', '2026-11-25 20:25:58.538554+00', '2026-11-25 20:25:58.538554+00');
INSERT INTO public.timeline_events VALUES ('01a21462-f200-731f-931c-7c40b8ff66df', '01a21462-f1b3-7782-8fe2-50802ea92fdc', '01a21462-f1ef-7300-9daa-4ec93851f913', '01a21462-f1ef-7300-9daa-4eca08496c59', 2, 'tool_approval', 'streaming', '', NULL, '2026-11-25 20:25:58.538554+00', '2026-11-25 20:25:58.538554+00');


--
-- Data for Name: token_usage; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.token_usage VALUES ('2026-11-25', '', 240);


--
-- Data for Name: tool_approvals; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.tool_approvals VALUES ('01a21462-f200-731f-931c-7c43917bb9ac', '01a21462-f1b3-7782-8fe2-50802ea92fdc', '01a21462-f1ef-7300-9daa-4eca08496c59', '01a21462-f200-731f-931c-7c42b8bc5f82', '01a21462-f200-731f-931c-7c40b8ff66df', 'kubernetes-server', 'pods_delete', '{"name": "web-1�"}', '0123', 'it may change something', '2026-11-25 20:25:58.538554+00', '2026-11-25 20:26:58.538554+00', 'approved', 'anna', '2026-11-25 20:25:58.656986+00', NULL);


--
-- Data for Name: tool_definitions; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.tool_definitions VALUES ('b50faa02eb225d5051219fb7f9c73c0b302d6fd0bc9a374d6ee94acf536757f1', 'kubernetes-server', 'pods_log', '', '{}', true, true);
INSERT INTO public.tool_definitions VALUES ('c286ea86e189967b899a7d9c0d129796cdbc258591b4495b97d2167739c0faba', 'kubernetes-server', 'pods_list', '', '{}', true, true);


--
-- Data for Name: tool_results; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.tool_results VALUES ('01a21463-e594-724a-87bd-5b75f7cf5724', '01a21463-e554-73dd-97e1-05f8fd8c8095', 'filesystem used
  /var 39G  
xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx 39G
last', '2026-11-25 20:27:00.820325+00');


--
-- Data for Name: tool_sets; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.tool_sets VALUES ('e8ad19d4cb0dc98c17c9b20a409da5b324eb7ceb214a02b04a3766f6f6e9e3a8', '{c286ea86e189967b899a7d9c0d129796cdbc258591b4495b97d2167739c0faba,b50faa02eb225d5051219fb7f9c73c0b302d6fd0bc9a374d6ee94acf536757f1}');


--
-- Data for Name: verdict_alternatives; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.verdict_alternatives VALUES ('01a21463-e5f2-77bd-96a5-5c4d2724d363', 1, 'a leak', 'out_of_memory', NULL, NULL, NULL, 'memory is free');
INSERT INTO public.verdict_alternatives VALUES ('01a21463-e5f2-77bd-96a5-5c4d2724d363', 2, 'a probe', 'other', 'Pod', 'web-1', 'shop', 'it follows');


--
-- Data for Name: verdict_evidence; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.verdict_evidence VALUES ('01a21463-e5f2-77bd-96a5-5c4d2724d363', NULL, 1, 2, 2, '/var 40G 39G');
INSERT INTO public.verdict_evidence VALUES ('01a21463-e5f2-77bd-96a5-5c4d2724d363', NULL, 2, 1, 2, 'no space left');
INSERT INTO public.verdict_evidence VALUES ('01a21463-e5f2-77bd-96a5-5c4d2724d363', 2, 1, 3, 2, 'probe failed');


--
-- Data for Name: verdict_next_steps; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.verdict_next_steps VALUES ('01a21463-e5f2-77bd-96a5-5c4d2724d363', 1, 'look');
INSERT INTO public.verdict_next_steps VALUES ('01a21463-e5f2-77bd-96a5-5c4d2724d363', 2, 'delete logs');


--
-- Data for Name: verdict_not_examined; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.verdict_not_examined VALUES ('01a21463-e5f2-77bd-96a5-5c4d2724d363', 1, 'logs', 'it failed');


--
-- Data for Name: verdicts; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.verdicts VALUES ('01a21463-e5f2-77bd-96a5-5c4d2724d363', '01a21463-e57d-746a-a895-e3bd7e7ea792', '01a21463-e5ca-7303-93c0-c90e796ba5d1', 'rules', 'the disk is full', 'disk', 'Pod', 'web-1', 'shop', '3m', 'medium', '2026-11-25 20:27:00.979522+00');


--
-- Name: intake_alerts_seq_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.intake_alerts_seq_seq', 1, false);


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
-- Name: llm_interactions llm_interactions_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.llm_interactions
    ADD CONSTRAINT llm_interactions_pkey PRIMARY KEY (id);


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
-- Name: alert_sessions_fingerprint; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX alert_sessions_fingerprint ON public.alert_sessions USING btree (slack_message_fingerprint) WHERE (slack_message_fingerprint IS NOT NULL);


--
-- Name: alert_sessions_finished; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX alert_sessions_finished ON public.alert_sessions USING btree (completed_at) WHERE (completed_at IS NOT NULL);


--
-- Name: alert_sessions_longest; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX alert_sessions_longest ON public.alert_sessions USING btree (duration_ms DESC NULLS LAST, created_at DESC, id DESC) WHERE (deleted_at IS NULL);


--
-- Name: alert_sessions_origin; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX alert_sessions_origin ON public.alert_sessions USING btree (origin, created_at, id) WHERE (deleted_at IS NULL);


--
-- Name: alert_sessions_replay_of; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX alert_sessions_replay_of ON public.alert_sessions USING btree (replay_of) WHERE (replay_of IS NOT NULL);


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
-- Name: alert_sessions_search; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX alert_sessions_search ON public.alert_sessions USING gin (search);


--
-- Name: alert_sessions_service; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX alert_sessions_service ON public.alert_sessions USING btree (service, created_at, id) WHERE ((service IS NOT NULL) AND (deleted_at IS NULL));


--
-- Name: alert_sessions_severity; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX alert_sessions_severity ON public.alert_sessions USING btree (severity, created_at, id) WHERE ((severity IS NOT NULL) AND (deleted_at IS NULL));


--
-- Name: alert_sessions_shortest; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX alert_sessions_shortest ON public.alert_sessions USING btree (duration_ms, created_at, id) WHERE (deleted_at IS NULL);


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
-- Name: dead_letters_waiting; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX dead_letters_waiting ON public.dead_letters USING btree (created_at, id) WHERE (retried_at IS NULL);


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
-- Name: intake_alerts_held; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX intake_alerts_held ON public.intake_alerts USING btree (hold_until) WHERE ((action = 'hold'::text) AND (released_at IS NULL));


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
-- Name: llm_interactions_execution; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX llm_interactions_execution ON public.llm_interactions USING btree (execution_id) WHERE (execution_id IS NOT NULL);


--
-- Name: llm_interactions_message; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX llm_interactions_message ON public.llm_interactions USING btree (last_message_id) WHERE (last_message_id IS NOT NULL);


--
-- Name: llm_interactions_session; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX llm_interactions_session ON public.llm_interactions USING btree (session_id, created_at, id) INCLUDE (execution_id, input_tokens, output_tokens, total_tokens, cost_micro_usd);


--
-- Name: llm_interactions_stage; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX llm_interactions_stage ON public.llm_interactions USING btree (stage_id) WHERE (stage_id IS NOT NULL);


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
-- Name: session_reviews_created; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX session_reviews_created ON public.session_reviews USING btree (created_at);


--
-- Name: session_reviews_object; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX session_reviews_object ON public.session_reviews USING btree (lower(object)) WHERE (object IS NOT NULL);


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
-- Name: alert_sessions search_alert; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER search_alert AFTER INSERT OR UPDATE OF alert_data, title, severity, service, namespace, cluster ON public.alert_sessions FOR EACH ROW EXECUTE FUNCTION public.search_alert();


--
-- Name: mcp_interactions search_call; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER search_call AFTER INSERT OR UPDATE OF status, tool_result, timeline_event_id ON public.mcp_interactions FOR EACH ROW WHEN ((new.interaction_type = 'tool_call'::text)) EXECUTE FUNCTION public.search_call();


--
-- Name: timeline_events search_event; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER search_event AFTER INSERT OR UPDATE OF status, content ON public.timeline_events FOR EACH ROW WHEN (((new.status <> 'streaming'::text) AND (new.event_type = ANY (ARRAY['final_analysis'::text, 'executive_summary'::text, 'user_question'::text, 'alert_received'::text, 'error'::text])))) EXECUTE FUNCTION public.search_event();


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


